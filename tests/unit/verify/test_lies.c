/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a destination holds instead of the source: it is found, named, and told apart. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake/fault.h"
#include "job/liar.h"
#include "job/verified.h"

static struct rig rig;
static struct job_snapshot s; /* of its last run */

static void setup(void)
{
	verified_new(&rig);
}

static uint64_t random_below(uint64_t n)
{
	return (uint64_t)rand() % n;
}

static void move_sectors(int fd, uint64_t from, uint64_t to, unsigned char *buffer)
{
	ck_assert_int_eq(pread(fd, buffer, 4096, (off_t)(from * 512)), 4096);
	ck_assert_int_eq(pwrite(fd, buffer, 4096, (off_t)(to * 512)), 4096);
}

static unsigned char *page(void)
{
	unsigned char *buffer = aligned_alloc(4096, 8192);

	ck_assert_ptr_nonnull(buffer);
	return buffer;
}

static void zero(unsigned char *sector)
{
	memset(sector, 0, 512);
}

/* What stood there before the copy. */
static void make_stale(unsigned char *sector)
{
	memset(sector, 0xA5, 512);
}

static void shift(unsigned char *page_start)
{
	memmove(page_start + 512, page_start, 512);
}

static bool zeroed(int fd, uint64_t lba)
{
	spoil_bytes(fd, lba, zero);
	return true;
}

static bool stale(int fd, uint64_t lba)
{
	spoil_bytes(fd, lba, make_stale);
	return true;
}

/* The sector at lba is what belongs one before it. */
static bool moved(int fd, uint64_t lba)
{
	spoil_bytes(fd, lba - 1, shift);
	return true;
}

/* Eight sectors each. */
static void exchange(int fd, uint64_t lba, uint64_t other)
{
	unsigned char *a = page(), *b = page();

	move_sectors(fd, lba, lba, a);
	move_sectors(fd, other, lba, b);
	ck_assert_int_eq(pwrite(fd, a, 4096, (off_t)(other * 512)), 4096);
	free(a);
	free(b);
}

/* With the last ones of the disk. */
static bool swapped(int fd, uint64_t lba)
{
	exchange(fd, lba, VERIFIED_SECTORS - 8);
	return true;
}

static void check_found(uint64_t lba)
{
	const struct job_mismatch *m = &s.proof.mismatches[0];

	ck_assert_msg(s.result == JOB_RESULT_MISMATCH, "%d %s", s.result, s.error.sentence);
	ck_assert(s.proof.asked && !s.proof.complete && s.flushed);
	ck_assert_uint_ge(s.proof.shown, 1);
	ck_assert_uint_eq(m->lba, lba);
	ck_assert_uint_eq(m->destination_lba, lba);
	ck_assert_int_eq(m->kind, MISMATCH_DESTINATION);
	ck_assert(m->has_digests && strcmp(m->expected, m->found) != 0);
	ck_assert(m->has_byte && m->at_source != m->at_destination);
}

UNIT_CASE(.setup = setup, .teardown = rig_teardown, .timeout = 60);

/* Each kind at random places: found, at its LBA, and the destination named. */
TEST_ROWS(every_lie_is_found, 10)
{
	static bool (*const spoils[])(int, uint64_t) = { bit_flip, zeroed, stale, moved, swapped };
	enum verify_choice verify = _i < 5 ? VERIFY_DIGEST : VERIFY_COMPARE;

	rig_seed();
	for (int n = 0; n < 4; n++) {
		/* What is exchanged with the last ones does not touch them. */
		uint64_t lba = random_below(VERIFIED_SECTORS / 8 - 2) * 8 + 1;

		if (spoils[_i % 5] == swapped)
			lba--;
		verified_plan(&rig, verify, false);
		lie_after_flush(&rig, &io_threads_backend, spoils[_i % 5], lba, 1);
		s = rig_run(&rig);
		check_found(lba);
		ck_assert_uint_eq(s.proof.areas, spoils[_i % 5] == swapped ? 2 : 1);
		ck_assert_uint_eq(s.proof.bytes, spoils[_i % 5] == swapped ? 16 * 512 : 512);
	}
}

#define MANY         32 /* regions of a digest, each with a lie in it; as many rules has a script */
#define MANY_SIZE    (MANY * MIB)
#define MANY_CHUNK   (64 * KIB)
#define MANY_SECTORS (MIB / 512)

static uint64_t lied_bytes;
static unsigned lied_areas;

/* One in every region, at no page that touches another region. */
static bool lie_everywhere(int fd, uint64_t unused)
{
	static bool (*const kinds[])(int, uint64_t) = { bit_flip, zeroed, stale, moved };

	(void)unused;
	for (uint64_t region = 0; region < MANY; region++) {
		uint64_t first = region * MANY_SECTORS;
		uint64_t lba = first + 8 * (1 + random_below(MANY_SECTORS / 8 - 4));
		uint64_t kind = random_below(5);

		if (kind < 4)
			kinds[kind](fd, lba + 1 + random_below(7));
		else
			exchange(fd, lba, first + MANY_SECTORS - 16);
		lied_areas += kind < 4 ? 1 : 2;
		lied_bytes += kind < 4 ? 512 : 16 * 512;
	}
	return true;
}

/* What is written is not what is kept, in every region: one byte is another one, or a whole
 * request is forgotten. */
static void forget_everywhere(void)
{
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	for (uint64_t region = 0; region < MANY; region++) {
		uint64_t chunk = 1 + random_below(MIB / MANY_CHUNK - 2);
		bool lost = random_below(2);
		struct fault_rule rule = {
			.kind = lost ? FAULT_LOSE : FAULT_CORRUPT,
			.on = FAULT_WRITES,
			.start = region * MIB + chunk * MANY_CHUNK +
				 random_below(MANY_CHUNK / 512) * 512,
			.length = 512,
			.times = 1,
		};

		ck_assert_int_ge(fault_script_add(rig.destination_script, &rule), 0);
		lied_areas++;
		lied_bytes += lost ? MANY_CHUNK : 512;
	}
}

static void copy_with_many_lies(enum verify_choice verify, bool forget)
{
	struct plan_options options = {
		.verify = verify,
		.chunk = MANY_CHUNK,
		.source_backend = BACKEND_THREADS,
		.destination_backend = BACKEND_THREADS,
	};

	lied_bytes = lied_areas = 0;
	rig_new(&rig, MANY_SIZE, 512);
	rig.verified = true;
	rig_plan(&rig, NULL, 0, NULL, &options);
	if (forget)
		forget_everywhere();
	else
		lie_after_flush(&rig, &io_threads_backend, lie_everywhere, 0, 1);
	s = rig_run_to(&rig, JOB_RESULT_MISMATCH);
	ck_assert_uint_eq(s.proof.areas, lied_areas);
	ck_assert_uint_eq(s.proof.bytes, lied_bytes);
	rig_done(&rig);
}

TEST_ROWS(the_first_and_the_last_sector_are_looked_at, 2)
{
	verified_plan(&rig, VERIFY_DIGEST, false);
	lie_after_flush(&rig, &io_threads_backend, bit_flip, _i == 0 ? 0 : VERIFIED_SECTORS - 1, 1);
	s = rig_run(&rig);
	check_found(_i == 0 ? 0 : VERIFIED_SECTORS - 1);
	ck_assert_uint_eq(s.proof.mismatches[0].byte, 77);
}

TEST_ROWS(what_differs_is_written_again, 2)
{
	verified_plan(&rig, _i == 0 ? VERIFY_DIGEST : VERIFY_COMPARE, true);
	lie_after_flush(&rig, &io_threads_backend, zeroed, 4321, 1);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, VERIFIED_SIZE);
	ck_assert_uint_eq(s.proof.rewritten, 512);
	ck_assert_uint_eq(s.written, VERIFIED_SIZE);
	rig_check_complete(&rig);
}

TEST(what_lies_again_stays_a_mismatch)
{
	verified_plan(&rig, VERIFY_DIGEST, true);
	lie_after_flush(&rig, &io_threads_backend, zeroed, 4321, 5);
	s = rig_run(&rig);
	check_found(4321);
	ck_assert_uint_eq(s.proof.rewritten, 512);
}

/* Another system writes to the source while it is copied. */
static bool change_source(int fd, uint64_t lba)
{
	bit_flip(rig.source, lba);
	return true;
}

TEST(a_source_that_changes_is_told_from_a_destination_that_lies)
{
	verified_plan(&rig, VERIFY_COMPARE, false);
	lie_after_flush(&rig, &io_threads_backend, change_source, 2000, 1);
	s = rig_run_to(&rig, JOB_RESULT_MISMATCH);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 2000);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_SOURCE);
}

/* Bad memory or a bad cable: the first look is wrong, the second is not. */
TEST_ROWS(a_destination_that_reads_differently_is_not_believed, 2)
{
	const struct fault_rule rule = {
		.kind = FAULT_CORRUPT,
		.on = FAULT_READS,
		.start = MIB + 4096,
		.length = 512,
		.times = 1,
	};

	verified_plan(&rig, VERIFY_DIGEST, _i);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	ck_assert_int_ge(fault_script_add(rig.destination_script, &rule), 0);
	s = rig_run(&rig);
	if (_i) {
		ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
		ck_assert(s.proof.complete);
		return;
	}
	ck_assert_int_eq(s.result, JOB_RESULT_MISMATCH);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_UNSTABLE);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 2048);
}

TEST(a_destination_that_cannot_be_read_back_is_no_proof)
{
	const struct fault_rule rule = {
		.kind = FAULT_FAIL,
		.on = FAULT_READS,
		.start = 3 * MIB,
		.length = 512,
	};

	verified_plan(&rig, VERIFY_DIGEST, false);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	ck_assert_int_ge(fault_script_add(rig.destination_script, &rule), 0);
	s = rig_run_to(&rig, JOB_RESULT_MISMATCH);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_UNREADABLE);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 3 * MIB / 512);
	ck_assert_uint_eq(s.proof.verified, 3 * MIB);
}

/* The medium corrupts what is written to it: digests are of what was read. */
TEST(a_write_that_goes_wrong_is_found)
{
	const struct fault_rule rule = {
		.kind = FAULT_CORRUPT,
		.on = FAULT_WRITES,
		.start = 700ULL * 512,
		.length = 512,
		.times = 1,
	};

	verified_plan(&rig, VERIFY_DIGEST, false);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	ck_assert_int_ge(fault_script_add(rig.destination_script, &rule), 0);
	s = rig_run(&rig);
	check_found(700);
}

UNIT_CASE(.teardown = rig_teardown, .timeout = 600);

/* And not one too many. CLONEDECK_LIES asks for more of them: tests/soak. */
TEST(every_one_of_many_lies_is_found)
{
	const char *asked = getenv("CLONEDECK_LIES");
	unsigned long wanted = asked ? strtoul(asked, NULL, 10) : 1, told = 0;

	rig_seed();
	for (; told < wanted; told += 2UL * MANY) {
		enum verify_choice verify = random_below(2) ? VERIFY_DIGEST : VERIFY_COMPARE;

		copy_with_many_lies(verify, false);
		copy_with_many_lies(verify, true);
	}
	printf("# %lu lies, all found\n", told);
}
