/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verified copies: what lies is found, named, and told apart. */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "copy/map_plan.h"
#include "copy/taken.h"
#include "fake/fault.h"
#include "rig.h"
#include "verify/list.h"

#define SIZE    (4 * MIB)
#define SECTORS (SIZE / 512)

/* A destination whose flush succeeds, and that then holds something else: `spoil` is called with
 * its descriptor after every flush while `times` lasts. */
struct liar {
	struct io_backend backend; /* must stay first */
	void (*spoil)(int fd, uint64_t lba);
	uint64_t lba;
	int times;
};

static struct rig rig;
static struct liar liar;
static uint64_t state = 11;

static uint64_t random_below(uint64_t n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % n;
}

static int lying_flush(struct io_handle *handle, struct error *reterr)
{
	int r = io_threads_backend.flush(handle, reterr);

	/* The saver's thread alone flushes. */
	if (r == 0 && liar.times-- > 0)
		liar.spoil(handle->end->fd, liar.lba);
	return r;
}

static void setup(void)
{
	rig_new(&rig, SIZE, 512);
	rig.setup.map_path = rig.map_path;
	liar = (struct liar){ .backend = io_threads_backend };
	liar.backend.flush = lying_flush;
}

static void teardown(void)
{
	rig_done(&rig);
}

static void plan(enum verify_choice verify, bool rewrite)
{
	struct plan_options options = {
		.verify = verify,
		.rewrite = rewrite,
		.chunk = 256 * KIB,
		.source_backend = BACKEND_THREADS,
		.destination_backend = BACKEND_THREADS,
		.on_error = ON_ERROR_MAP,
	};

	rig.verified = true;
	rig_plan(&rig, NULL, 0, NULL, &options);
}

static void lie(void (*spoil)(int fd, uint64_t lba), uint64_t lba, int times)
{
	liar.spoil = spoil;
	liar.lba = lba;
	liar.times = times;
	rig.setup.destination_backend = &liar.backend;
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

static void spoil_bytes(int fd, uint64_t lba, void (*how)(unsigned char *sector))
{
	unsigned char *buffer = page();
	off_t at = (off_t)(lba * 512 / 4096 * 4096);

	ck_assert_int_eq(pread(fd, buffer, 4096, at), 4096);
	how(buffer + lba * 512 % 4096);
	ck_assert_int_eq(pwrite(fd, buffer, 4096, at), 4096);
	free(buffer);
}

static void flip(unsigned char *sector)
{
	sector[77] ^= 4;
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

static void bit_flip(int fd, uint64_t lba)
{
	spoil_bytes(fd, lba, flip);
}

static void zeroed(int fd, uint64_t lba)
{
	spoil_bytes(fd, lba, zero);
}

static void stale(int fd, uint64_t lba)
{
	spoil_bytes(fd, lba, make_stale);
}

/* The sector at lba is what belongs one before it. */
static void moved(int fd, uint64_t lba)
{
	spoil_bytes(fd, lba - 1, shift);
}

/* Eight sectors here and eight in the disk's last quarter change places. */
static void swapped(int fd, uint64_t lba)
{
	unsigned char *a = page(), *b = page();
	uint64_t other = SECTORS - 8;

	move_sectors(fd, lba, lba, a);
	move_sectors(fd, other, lba, b);
	ck_assert_int_eq(pwrite(fd, a, 4096, (off_t)(other * 512)), 4096);
	free(a);
	free(b);
}

static void check_found(const struct job_snapshot *s, uint64_t lba)
{
	const struct job_mismatch *m = &s->proof.mismatches[0];

	ck_assert_msg(s->result == JOB_RESULT_MISMATCH, "%d %s", s->result, s->error.sentence);
	ck_assert(s->proof.asked && !s->proof.complete && s->flushed);
	ck_assert_uint_ge(s->proof.shown, 1);
	ck_assert_uint_eq(m->lba, lba);
	ck_assert_uint_eq(m->destination_lba, lba);
	ck_assert_int_eq(m->kind, MISMATCH_DESTINATION);
	ck_assert(m->has_digests && strcmp(m->expected, m->found) != 0);
	ck_assert(m->has_byte && m->at_source != m->at_destination);
}

START_TEST(a_good_copy_is_proven)
{
	struct job_snapshot s;

	plan(_i == 0 ? VERIFY_DIGEST : VERIFY_COMPARE, false);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.asked && s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	ck_assert_uint_eq(s.proof.compared, _i == 0 ? 0 : SIZE);
	ck_assert_uint_eq(s.proof.areas, 0);
	ck_assert_uint_gt(s.verify_ns, 0);
	ck_assert_uint_eq(s.read, _i == 0 ? SIZE : 2 * SIZE);
	rig_check_complete(&rig);
}
END_TEST

START_TEST(without_verifying_nothing_is_claimed)
{
	struct job_snapshot s;

	plan(VERIFY_OFF, false);
	lie(bit_flip, 1000, 1);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert(!s.proof.asked && !s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, 0);
}
END_TEST

/* Each kind at random places: found, at its LBA, and the destination named. */
START_TEST(every_lie_is_found)
{
	static void (*const spoils[])(int, uint64_t) = { bit_flip, zeroed, stale, moved, swapped };
	enum verify_choice verify = _i < 5 ? VERIFY_DIGEST : VERIFY_COMPARE;

	for (int n = 0; n < 4; n++) {
		uint64_t lba = random_below(SECTORS / 8 - 1) * 8 + 1;
		struct job_snapshot s;

		if (spoils[_i % 5] == swapped)
			lba--;
		plan(verify, false);
		lie(spoils[_i % 5], lba, 1);
		s = rig_run(&rig);
		check_found(&s, lba);
		ck_assert_uint_eq(s.proof.areas, spoils[_i % 5] == swapped ? 2 : 1);
		ck_assert_uint_eq(s.proof.bytes, spoils[_i % 5] == swapped ? 16 * 512 : 512);
	}
}
END_TEST

START_TEST(the_first_and_the_last_sector_are_looked_at)
{
	struct job_snapshot s;

	plan(VERIFY_DIGEST, false);
	lie(bit_flip, _i == 0 ? 0 : SECTORS - 1, 1);
	s = rig_run(&rig);
	check_found(&s, _i == 0 ? 0 : SECTORS - 1);
	ck_assert_uint_eq(s.proof.mismatches[0].byte, 77);
}
END_TEST

START_TEST(ranges_are_proven_where_they_went)
{
	const struct range ranges[] = { { 100, 3000 }, { 5000, 7 }, { 8000, 192 } };
	const uint64_t at = 300;
	struct plan_options options = { .chunk = 64 * KIB,
					.source_backend = BACKEND_THREADS,
					.destination_backend = BACKEND_THREADS };
	struct job_snapshot s;

	rig.verified = true;
	rig_plan(&rig, ranges, 3, &at, &options);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.proof.verified, 3199 * 512);
	rig_check_complete(&rig);
	/* LBA 5003 of the source lies at 5203. */
	lie(bit_flip, 5203, 1);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_MISMATCH);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 5003);
	ck_assert_uint_eq(s.proof.mismatches[0].destination_lba, 5203);
}
END_TEST

START_TEST(what_differs_is_written_again)
{
	struct job_snapshot s;

	plan(_i == 0 ? VERIFY_DIGEST : VERIFY_COMPARE, true);
	lie(zeroed, 4321, 1);
	s = rig_run(&rig);
	ck_assert_msg(s.result == JOB_RESULT_COMPLETE, "%d %s", s.result, s.error.sentence);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	ck_assert_uint_eq(s.proof.rewritten, 512);
	ck_assert_uint_eq(s.written, SIZE);
	rig_check_complete(&rig);
}
END_TEST

START_TEST(what_lies_again_stays_a_mismatch)
{
	struct job_snapshot s;

	plan(VERIFY_DIGEST, true);
	lie(zeroed, 4321, 5);
	s = rig_run(&rig);
	check_found(&s, 4321);
	ck_assert_uint_eq(s.proof.rewritten, 512);
}
END_TEST

/* Another system writes to the source while it is copied. */
static void change_source(int fd, uint64_t lba)
{
	bit_flip(rig.source, lba);
}

START_TEST(a_source_that_changes_is_told_from_a_destination_that_lies)
{
	struct job_snapshot s;

	plan(VERIFY_COMPARE, false);
	lie(change_source, 2000, 1);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_MISMATCH);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 2000);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_SOURCE);
}
END_TEST

/* Bad memory or a bad cable: the first look is wrong, the second is not. */
START_TEST(a_destination_that_reads_differently_is_not_believed)
{
	const struct fault_rule rule = {
		.kind = FAULT_CORRUPT,
		.on = FAULT_READS,
		.start = MIB + 4096,
		.length = 512,
		.times = 1,
	};
	struct job_snapshot s;

	plan(VERIFY_DIGEST, _i);
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
END_TEST

START_TEST(a_destination_that_cannot_be_read_back_is_no_proof)
{
	const struct fault_rule rule = {
		.kind = FAULT_FAIL,
		.on = FAULT_READS,
		.start = 3 * MIB,
		.length = 512,
	};
	struct job_snapshot s;

	plan(VERIFY_DIGEST, false);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	ck_assert_int_ge(fault_script_add(rig.destination_script, &rule), 0);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_MISMATCH);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_UNREADABLE);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 3 * MIB / 512);
	ck_assert_uint_eq(s.proof.verified, 3 * MIB);
}
END_TEST

/* The medium corrupts what is written to it: digests are of what was read. */
START_TEST(a_write_that_goes_wrong_is_found)
{
	const struct fault_rule rule = {
		.kind = FAULT_CORRUPT,
		.on = FAULT_WRITES,
		.start = 700 * 512,
		.length = 512,
		.times = 1,
	};
	struct job_snapshot s;

	plan(VERIFY_DIGEST, false);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	ck_assert_int_ge(fault_script_add(rig.destination_script, &rule), 0);
	s = rig_run(&rig);
	check_found(&s, 700);
}
END_TEST

START_TEST(bad_areas_are_not_claimed)
{
	const struct fault_rule rule = {
		.kind = FAULT_FAIL,
		.on = FAULT_READS,
		.start = MIB + 1024,
		.length = 1536,
	};
	struct job_snapshot s;

	plan(VERIFY_DIGEST, false);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	rig_add(&rig, &rule);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.bad_bytes, 1536);
	ck_assert_uint_eq(s.proof.verified, SIZE - 1536);
}
END_TEST

/* Of what was copied before nothing is known: both ends are read. */
START_TEST(what_was_copied_before_is_compared)
{
	const struct range ranges[] = { { 0, SECTORS / 2 } };
	struct job_snapshot s;
	struct map *map = NULL;

	plan(VERIFY_OFF, false);
	rig_run(&rig);
	ck_assert_int_eq(map_new(rig.plan, &map, NULL), 0);
	ck_assert_int_eq(map_set(map, 0, ranges[0].count * 512, MAP_FINISHED), 0);
	rig_drop_job(&rig);
	rig.plan->options.verify = VERIFY_DIGEST;
	rig.setup.resume = map;
	s = rig_run(&rig);
	ck_assert_msg(s.result == JOB_RESULT_COMPLETE, "%d %s", s.result, s.error.sentence);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	ck_assert_uint_eq(s.proof.compared, SIZE / 2);
	rig_drop_job(&rig);
	lie(bit_flip, 1234, 1);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_MISMATCH);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_UNKNOWN);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 1234);
	rig.setup.resume = NULL;
	map_destroy(map);
}
END_TEST

/* Stops a copy in its middle, slow enough for any machine; the map of then, and the digests in
 * rig.setup. */
static struct map *stop_at(const struct map *resume, uint64_t written)
{
	struct map *map;

	rig.plan->options.rate = MIB;
	rig.setup.resume = resume;
	rig_start(&rig);
	rig_until_written(&rig, written);
	job_stop(rig.job);
	ck_assert_int_eq(rig_wait(&rig).result, JOB_RESULT_STOPPED);
	map = rig_load_map(&rig);
	ck_assert_uint_gt(map_bytes(map, MAP_FINISHED), 0);
	rig_load_taken(&rig);
	rig.plan->options.rate = 0;
	return map;
}

static void read_taken(struct known *ret)
{
	char path[PATH_MAX];
	struct error error = { 0 };

	taken_path(rig.map_path, path);
	ck_assert_msg(known_load(path, ret, &error) == 0, "%s", error.sentence);
}

START_TEST(digests_outlive_a_stop)
{
	struct job_snapshot s;
	struct map *map;

	plan(VERIFY_DIGEST, false);
	map = stop_at(NULL, SIZE / 2);
	ck_assert_ptr_nonnull(rig.setup.taken);
	rig.setup.resume = map;
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.compared, 0);
	ck_assert_uint_eq(s.read, SIZE - s.already);
	rig_check_complete(&rig);
	map_destroy(map);
}
END_TEST

/* A crash between the saving of the two: one of them is older. Loops: the digests, the map. What
 * is not of both is compared with the source, and nothing is called wrong. */
START_TEST(digests_and_map_of_different_times)
{
	struct map *first, *second;
	struct known old = { 0 };
	struct job_snapshot s;

	plan(VERIFY_DIGEST, false);
	first = stop_at(NULL, SIZE / 4);
	read_taken(&old);
	second = stop_at(first, SIZE * 3 / 4);
	rig.setup.resume = _i ? first : second;
	rig.setup.taken = _i ? &rig.taken : &old;
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	rig_check_complete(&rig);
	known_done(&old);
	map_destroy(first);
	map_destroy(second);
}
END_TEST

/* Identities that show only their end; the number stays that of the plan. A map is never so. */
START_TEST(masked_digests)
{
	struct plan masked;
	struct known known, again;
	char path[PATH_MAX], id[9];
	struct error error = { 0 };

	plan(VERIFY_DIGEST, false);
	map_destroy(stop_at(NULL, SIZE / 2));
	read_taken(&known);
	masked = *rig.plan;
	strcpy(masked.source.identity.serial, "***");
	taken_path(rig.map_path, path);
	ck_assert_int_eq(taken_save(known.digests, &masked, known.id, known.map, path, &error), 0);
	read_taken(&again);
	ck_assert(!known.masked && again.masked);
	ck_assert_str_eq(again.id, plan_id(rig.plan, id));
	ck_assert_str_eq(again.plan->source.identity.serial, "***");
	ck_assert_uint_eq(map_bytes(again.map, MAP_FINISHED), map_bytes(known.map, MAP_FINISHED));
	known_done(&again);
	known_done(&known);

	FILE *file = fopen(rig.map_path, "ae");

	ck_assert_ptr_nonnull(file);
	fputs("# clonedeck masked=yes\n", file);
	fclose(file);

	struct map *map;

	ck_assert_int_lt(map_load(rig.map_path, &map, NULL, &error), 0);
}
END_TEST

/* As at the start of a copy: those that an earlier one has left beside its map are nobody's. */
START_TEST(a_list_of_nothing_is_no_file)
{
	struct digests *none = NULL;
	struct map *map = NULL;
	char path[PATH_MAX];

	plan(VERIFY_DIGEST, false);
	map_destroy(stop_at(NULL, SIZE / 2));
	taken_path(rig.map_path, path);
	ck_assert_int_eq(access(path, F_OK), 0);
	ck_assert_int_eq(map_new(rig.plan, &map, NULL), 0);
	ck_assert_int_eq(digests_new(rig.plan, MIB, &none), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(taken_save(none, rig.plan, NULL, map, path, NULL), 0);
		ck_assert_int_eq(access(path, F_OK), -1);
	}
	digests_destroy(none);
	map_destroy(map);
}
END_TEST

START_TEST(the_list_lies_beside_the_map)
{
	char path[PATH_MAX], name[PATH_MAX];

	taken_path("/log/a.map", path);
	ck_assert_str_eq(path, "/log/a.digests");
	taken_path("/log/a", path);
	ck_assert_str_eq(path, "/log/a.digests");
	taken_path("/log/.map", path);
	ck_assert_str_eq(path, "/log/.map.digests");
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	taken_path(name, path);
	ck_assert_str_eq(path, "");
}
END_TEST

/* Stopped while it is read back: all is copied, but it is not complete. */
START_TEST(a_stop_while_verifying_is_no_success)
{
	const struct fault_rule slow = {
		.kind = FAULT_DELAY,
		.on = FAULT_READS,
		.delay_ns = 1500 * MS,
	};
	struct job_snapshot s;

	plan(VERIFY_DIGEST, false);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	ck_assert_int_ge(fault_script_add(rig.destination_script, &slow), 0);
	rig_start(&rig);
	while ((s = rig_look(&rig)).state != JOB_VERIFYING && s.state != JOB_ENDED)
		usleep(1000);
	job_stop(rig.job);
	s = rig_wait(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
	ck_assert_uint_eq(s.written, SIZE);
	ck_assert(s.map_safe && !s.proof.complete);
}
END_TEST

static int any_line(void *user, const char *line, const char **retwhy)
{
	return map_plan_read_line(user, line, retwhy);
}

START_TEST(the_list_of_digests_outlives_the_source)
{
	char path[160];
	struct map_plan_reader *reader = map_plan_reader_new();
	struct digest_list list;
	struct digests *digests = NULL;
	struct plan *back = NULL;
	struct error error = { 0 };
	char a[9], b[9];
	struct job_snapshot s;

	snprintf(path, sizeof(path), "%s/digests", rig.dir);
	plan(VERIFY_DIGEST, false);
	rig.setup.digests_path = path;
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert(s.digests_saved);
	ck_assert_msg(digest_list_load(path, any_line, reader, &list, &error) == 0, "%s",
		      error.sentence);
	ck_assert_msg(map_plan_finish(reader, path, &back, &error) == 0, "%s", error.sentence);
	ck_assert_str_eq(plan_id(back, a), plan_id(rig.plan, b));
	ck_assert_msg(digests_fill(&list, back, path, &digests, &error) == 0, "%s", error.sentence);
	ck_assert_uint_eq(digests_count(digests), SIZE / MIB);
	digests_destroy(digests);
	digest_list_done(&list);
	plan_destroy(back);
	map_plan_reader_destroy(reader);
	unlink(path);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("copy/proof");
	TCase *tcase = tcase_create("proof");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, a_good_copy_is_proven, 0, 2);
	tcase_add_test(tcase, without_verifying_nothing_is_claimed);
	tcase_add_loop_test(tcase, every_lie_is_found, 0, 10);
	tcase_add_loop_test(tcase, the_first_and_the_last_sector_are_looked_at, 0, 2);
	tcase_add_test(tcase, ranges_are_proven_where_they_went);
	tcase_add_loop_test(tcase, what_differs_is_written_again, 0, 2);
	tcase_add_test(tcase, what_lies_again_stays_a_mismatch);
	tcase_add_test(tcase, a_source_that_changes_is_told_from_a_destination_that_lies);
	tcase_add_loop_test(tcase, a_destination_that_reads_differently_is_not_believed, 0, 2);
	tcase_add_test(tcase, a_destination_that_cannot_be_read_back_is_no_proof);
	tcase_add_test(tcase, a_write_that_goes_wrong_is_found);
	tcase_add_test(tcase, bad_areas_are_not_claimed);
	tcase_add_test(tcase, what_was_copied_before_is_compared);
	tcase_add_test(tcase, digests_outlive_a_stop);
	tcase_add_loop_test(tcase, digests_and_map_of_different_times, 0, 2);
	tcase_add_test(tcase, masked_digests);
	tcase_add_test(tcase, a_list_of_nothing_is_no_file);
	tcase_add_test(tcase, the_list_lies_beside_the_map);
	tcase_add_test(tcase, a_stop_while_verifying_is_no_success);
	tcase_add_test(tcase, the_list_of_digests_outlives_the_source);
	suite_add_tcase(suite, tcase);
	return suite;
}
