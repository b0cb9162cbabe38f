/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The final look: whatever the last writes do to what was verified before is found,
 * the copy is a mismatch, and its tables are taken away again.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/core.h"
#include "verify/final_look.h"
#include "fake/fault.h"
#include "job/liar.h"
#include "job/whole.h"

#define PAGE    4096U
#define SECTORS (WHOLE_SIZE / WHOLE_SECTOR)
#define PLACE   (12 * MIB) /* of data */
#define SEED    7

static struct job_snapshot s; /* of its last run */

static const enum verify_choice verifying[] = { VERIFY_OFF, VERIFY_AFTER, VERIFY_COMPARE,
						VERIFY_ROLLING };
#define WAYS (int)(ARRAY_SIZE(verifying))

static void prepare(int way)
{
	whole_prepare(0);
	rig.verified = true;
	rig.plan->options.verify = verifying[way];
	rig.setup.rolling = verifying[way] == VERIFY_ROLLING ? ROLLING_ASKED : ROLLING_NO;
	rig.setup.rolling_window = MIB;
	rig.setup.source_backend = rig.setup.destination_backend = &io_threads_backend;
	rig.setup.look_seed = SEED;
}

static bool is_zero(uint64_t lba)
{
	return whole_is_all('\0', lba * WHOLE_SECTOR, WHOLE_SECTOR);
}

/* Nobody finds anything there, and a resume copies what is missing. */
/* size: sectors that the disk has. */
static void check_disarmed(uint64_t size)
{
	struct map *map = rig_load_map(&rig);
	struct map_block block;

	ck_assert(!s.armed && s.flushed);
	for (size_t i = 0; i < held.areas.count; i++) {
		const struct range *area = &held.areas.items[i];
		uint64_t at = area->start * WHOLE_SECTOR;

		ck_assert(is_zero(area->start % size));
		ck_assert(is_zero((area->start + area->count - 1) % size));
		ck_assert(map_at(map, at, &block) && block.status == MAP_NON_TRIED);
	}
}

static bool is_named(uint64_t lba)
{
	for (size_t i = 0; i < s.proof.shown; i++)
		if (lba >= s.proof.mismatches[i].lba &&
		    lba < s.proof.mismatches[i].lba + s.proof.mismatches[i].sectors)
			return true;
	return false;
}

static void check_found(uint64_t size)
{
	ck_assert_msg(s.result == JOB_RESULT_MISMATCH, "%d %s", s.result, s.error.sentence);
	ck_assert(!s.proof.complete);
	ck_assert_uint_gt(s.proof.areas, 0);
	ck_assert_uint_gt(s.proof.bytes, 0);
	ck_assert_uint_gt(s.proof.shown, 0);
	check_disarmed(size);
}

UNIT_CASE(.teardown = whole_teardown, .timeout = 60);

TEST_ROWS(an_honest_disk, WAYS)
{
	prepare(_i);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.armed && s.look.asked && s.look.done);
	ck_assert_uint_eq(s.look.differing, 0);
	ck_assert_uint_eq(s.look.seed, SEED);
	ck_assert_uint_eq(s.look.held_bytes, s.held_bytes);
	/* Some of the parts have nothing but held areas. */
	ck_assert_uint_ge(s.look.sample, 4);
	ck_assert_uint_eq(s.look.sample_bytes, s.look.sample * PAGE);
	ck_assert_uint_ge(s.look.bytes, s.look.held_bytes + s.look.end_bytes + s.look.sample_bytes);
	ck_assert_int_eq(s.passes[s.pass_count - 1].kind, PASS_LOOK);
	rig_check_complete(&rig);
}

/* The last sectors are the first ones. */
TEST_ROWS(a_disk_that_is_a_few_sectors_too_short, loop_of_data(4 * WAYS, WAYS))
{
	static const uint64_t few[] = { 1, 33, 200, 2048 };
	uint64_t k = few[_i / WAYS];

	prepare(_i % WAYS);
	lie_about_size(&rig, WHOLE_SIZE - k * WHOLE_SECTOR);
	s = rig_run(&rig);
	check_found(SECTORS - k);
}

/* Before anything is copied, if it is probed. */
TEST_ROWS(the_probe_finds_it_first, loop_of_data(5, 1))
{
	static const uint64_t few[] = { 1, 33, 200, 2048, 4095 };
	char sentence[128];

	prepare(0);
	rig.setup.probe = true;
	/* The rig's destination is larger, and the probe does not leave the plan. */
	rig.setup.destination.size = WHOLE_SIZE;
	lie_about_size(&rig, WHOLE_SIZE - few[_i] * WHOLE_SECTOR);
	s = rig_run_to(&rig, JOB_RESULT_FAILED);
	ck_assert_int_eq(s.error.class, ERROR_CLASS_DESTINATION);
	snprintf(sentence, sizeof(sentence),
		 few[_i] < 32 ? "last %u bytes do not exist" : "smaller",
		 (unsigned)(few[_i] * WHOLE_SECTOR));
	ck_assert_msg(strstr(s.error.sentence, sentence) != NULL, "%s", s.error.sentence);
	ck_assert_uint_eq(s.read, s.held_bytes);
	ck_assert_uint_eq(s.written, 0);
}

/* Of the sample, where it is data alone. */
static uint64_t some_sample(uint64_t from, uint64_t to)
{
	const struct marks *marks = &rig.job->verification.look->marks;

	for (size_t i = 0; i < marks->count; i++) {
		uint64_t at = marks->items[i].piece.destination;

		if (marks->items[i].kind == MARK_SAMPLE && at >= from && at < to)
			return at / WHOLE_SECTOR + 3;
	}
	ck_abort_msg("no sample there");
	return 0;
}

/* The key is written last, after it was wiped: it lands somewhere else, too. */
TEST_ROWS(the_last_write_hits_another_sector, loop_of_data(4 * WAYS, WAYS))
{
	uint64_t victim;

	prepare(_i % WAYS);
	rig_run(&rig);
	switch (_i / WAYS) {
	case 0: /* of a table */
		victim = 1;
		break;
	case 1: /* of the held areas of a partition */
		victim = 2 * MIB / WHOLE_SECTOR + 99;
		break;
	case 2:
		victim = SECTORS - 5;
		break;
	default:
		victim = some_sample(8 * MIB + MIB, 13 * MIB);
	}
	lie_about_a_write(&rig, 0, victim, 1);
	s = rig_run(&rig);
	check_found(SECTORS);
	ck_assert(is_named(victim));
	/* Unless its region was verified after that write anyway. */
	ck_assert(s.look.differing == 1 || (_i < WAYS && verifying[_i] != VERIFY_OFF));
}

/* It is mended, if that was asked for, and looked at again. */
TEST(what_is_found_is_written_again)
{
	prepare(1);
	rig.plan->options.rewrite = true;
	lie_about_a_write(&rig, 0, SECTORS - 5, 1);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.armed && s.proof.complete);
	ck_assert_uint_eq(s.proof.rewritten, WHOLE_SECTOR);
	ck_assert_uint_eq(s.look.differing, 0);
	rig_check_complete(&rig);
}

/* After a mismatch that took away the tables, an honest disk gets all of them. */
TEST_ROWS(a_resume_arms_it_again, WAYS)
{
	struct map *map;

	prepare(_i);
	lie_about_a_write(&rig, 0, SECTORS - 5, 1);
	s = rig_run(&rig);
	check_found(SECTORS);
	map = rig_load_map(&rig);
	rig.setup.destination_backend = &io_threads_backend;
	rig.setup.resume = map;
	rig.setup.held = &held;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.armed);
	rig_check_complete(&rig);
}

/* Ranges, which hold nothing back: a later write hits what was verified long before it. */
TEST(a_later_write_hits_what_was_proven_early)
{
	uint64_t last = SECTORS - 1, victim;

	prepare(3);
	rig.setup.held = NULL;
	rig_run(&rig);
	victim = some_sample(MIB, 6 * MIB);
	lie_about_a_write(&rig, last, victim, 0);
	rig.plan->options.rate = 12 * MIB;
	s = rig_run_to(&rig, JOB_RESULT_MISMATCH);
	ck_assert(is_named(victim));
	ck_assert_uint_eq(s.proof.areas, 1);
	ck_assert_uint_eq(s.proof.bytes, WHOLE_SECTOR);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_DESTINATION);
	ck_assert_uint_eq(s.look.differing, 1);
}

static bool is_copied(int fd, unsigned char *page)
{
	unsigned char *right = aligned_alloc(PAGE, PAGE);
	bool same;

	ck_assert_int_eq(pread(rig.source, right, PAGE, (off_t)PLACE), PAGE);
	ck_assert_int_eq(pread(fd, page, PAGE, (off_t)PLACE), PAGE);
	same = memcmp(right, page, PAGE) == 0;
	free(right);
	return same;
}

/* What was copied to PLACE is gone; not before it is there. */
static bool forget(int fd, uint64_t lba)
{
	unsigned char *page = aligned_alloc(PAGE, PAGE);
	bool there = is_copied(fd, page);

	(void)lba;
	memset(page, 0x5a, PAGE);
	if (there)
		ck_assert_int_eq(pwrite(fd, page, PAGE, (off_t)PLACE), PAGE);
	free(page);
	return there;
}

/* Never armed; what is not there is copied again when the copy is resumed. */
TEST(an_unverified_disk_that_forgets_is_found_before_it_is_armed)
{
	struct map *map;

	prepare(0);
	lie_after_flush(&rig, &io_threads_backend, forget, PLACE / WHOLE_SECTOR, 1);
	/* Of the wraps, PLACE is one: 16 MiB less 4 KiB, without the bits of 4 MiB. */
	rig.setup.look_seed = 0;
	for (uint32_t seed = 1; !rig.setup.look_seed; seed++) {
		struct job *job;
		struct job_setup setup = rig.setup;

		setup.look_seed = seed;
		ck_assert_int_eq(job_new(&setup, &job, NULL), 0);
		for (size_t i = 0; i < job->verification.look->marks.count; i++)
			if (job->verification.look->marks.items[i].piece.destination == PLACE)
				rig.setup.look_seed = seed;
		job_destroy(job);
	}
	s = rig_run(&rig);
	check_found(SECTORS);
	ck_assert(is_named(PLACE / WHOLE_SECTOR));
	ck_assert(!s.proof.asked);
	for (unsigned i = 0; i < s.pass_count; i++)
		ck_assert(s.passes[i].kind != PASS_ARM && s.passes[i].kind != PASS_DISARM);
	map = rig_load_map(&rig);
	rig.setup.resume = map;
	rig.setup.held = &held;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	rig_check_complete(&rig);
}

/* What could not be read belongs to no place that is looked at. */
TEST_ROWS(bad_sectors_are_no_lies, WAYS)
{
	const struct fault_rule rule = {
		.kind = FAULT_FAIL,
		.on = FAULT_READS,
		.start = 4096,
		.length = 512,
	};

	prepare(_i);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	ck_assert_int_ge(fault_script_add(rig.source_script, &rule), 0);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert(s.look.done && s.look.places > 0);
	ck_assert_uint_eq(s.look.differing, 0);
	ck_assert_uint_lt(s.look.held_bytes, s.held_bytes);
	ck_assert_uint_eq(s.bad_bytes, 512);
}

/* Where it cannot be read any more, nothing is proven. */
TEST_ROWS(a_place_that_cannot_be_read, 2)
{
	prepare(_i % 2);
	rig.setup.held = NULL;
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	/* A verified one was read once before. */
	ck_assert_int_ge(
		fault_script_add(rig.destination_script, &(struct fault_rule){ .kind = FAULT_FAIL,
									       .on = FAULT_READS,
									       .length = 512,
									       .skip = _i % 2 }),
		0);
	s = rig_run_to(&rig, JOB_RESULT_MISMATCH);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_UNREADABLE);
	ck_assert_uint_eq(s.look.differing, 1);
}

/* Another seed, other places; the same seed, the same ones. */
TEST(the_seed_chooses)
{
	uint64_t at[3];

	prepare(0);
	for (unsigned i = 0; i < 3; i++) {
		rig.setup.look_seed = i < 2 ? SEED : SEED + 1;
		rig_run(&rig);
		at[i] = some_sample(9 * MIB, 13 * MIB);
		ck_assert_uint_eq(rig_look(&rig).look.seed, rig.setup.look_seed);
	}
	ck_assert_uint_eq(at[0], at[1]);
	ck_assert_uint_ne(at[0], at[2]);
}

UNIT_CASE(.teardown = NULL);

/* Seeks and bytes stay few on a disk of any size: all of it is planned, nothing is read. */
TEST(it_stays_small)
{
	struct endpoint end = {
		.kind = ENDPOINT_DISK,
		.size = 15ULL << 40,
		.logical_sector_size = 512,
		.identity = { .size = 15ULL << 40, .logical_sector_size = 512 },
		.exists = true,
	};
	struct endpoint other = end;
	struct extent all = { 0, 0, end.size / 512 };
	CLEANUP(plan) struct plan *plan = NULL;
	struct io_choice choice = { .chunk = 1 << 20, .destination = &io_threads_backend };
	struct copy copy = { .choice = &choice };
	struct stages stages = { 0 };
	struct look look = { 0 };
	struct verification v = { .copy = &copy, .stages = &stages, .look = &look };
	uint64_t bytes = 0;

	strcpy(end.node, "/dev/a");
	strcpy(other.node, "/dev/b");
	ck_assert_int_eq(plan_from_extents(&end, &other, &all, 1, NULL, NULL, &plan, NULL), 0);
	copy.plan = plan;
	v.total = end.size;
	ck_assert_int_eq(look_init(&v), 0);
	ck_assert_uint_le(look.marks.count, 400);
	for (size_t i = 0; i < look.marks.count; i++) {
		const struct piece *piece = &v.look->marks.items[i].piece;

		bytes += piece->length;
		ck_assert(work_allowed(plan, piece));
		ck_assert(i == 0 || piece->destination > look.marks.items[i - 1].piece.destination);
	}
	ck_assert_uint_le(bytes, 10 * MIB);
	look_done(&look);
}
