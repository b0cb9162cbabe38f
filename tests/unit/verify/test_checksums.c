/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sums of a whole source: the right ones, of what they say they are of, or plainly none. */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "plan/held.h"
#include "job/rig.h"
#include "digest/checksum.h"

#define SIZE   (8 * MIB)
#define SECTOR 512U
#define SET    (1U << CHECKSUM_SHA256 | 1U << CHECKSUM_MD5)

static struct rig rig;
static struct job_snapshot s; /* of its last run */
static struct held held;
static struct range bad[4]; /* bytes of the source that count as zeros */
static unsigned bad_count;

static void teardown(void)
{
	held_done(&held);
	rig_teardown();
}

static const struct plan_options ways[] = {
	{ .source_backend = BACKEND_URING, .destination_backend = BACKEND_URING },
	{ .source_backend = BACKEND_URING, .destination_backend = BACKEND_URING, .lanes = 4 },
	{ .source_backend = BACKEND_THREADS, .destination_backend = BACKEND_THREADS, .lanes = 5 },
	{ .source_backend = BACKEND_URING, .destination_backend = BACKEND_THREADS },
	{ .source_backend = BACKEND_BUFFERED, .destination_backend = BACKEND_URING, .lanes = 3 },
};

#define WAYS ((int)(ARRAY_SIZE(ways)))

static struct plan_options options(int way)
{
	struct plan_options o = ways[way];

	o.chunk = 64 * KIB;
	o.on_error = ON_ERROR_MAP;
	o.checksums = SET;
	return o;
}

static void prepare(int way, const struct range *ranges, size_t count, const uint64_t *at)
{
	struct plan_options o = options(way);

	rig_new(&rig, SIZE, SECTOR);
	rig.verified = true;
	rig.setup.map_path = rig.map_path;
	rig_plan(&rig, ranges, count, at, &o);
}

/* As on a disk with a table: both ends, and the beginning of a partition. */
static void hold_back(void)
{
	static struct partition parts[1];
	static struct disk disk;

	parts[0] = (struct partition){ .number = 1, .start = 4096, .sectors = 9000 };
	disk = (struct disk){
		.identity = rig.plan->source.identity,
		.table = "gpt",
		.partitions = parts,
		.partition_count = 1,
	};
	ck_assert_int_eq(held_find(rig.plan, &disk, NULL, &held), 0);
	ck_assert_uint_gt(held.areas.count, 1);
	rig.setup.held = &held;
}

static void be_bad(uint64_t start, uint64_t length)
{
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = start, .length = length,
		  .code = -EIO);
	bad[bad_count++] = (struct range){ start, length };
}

/* What sha256sum would say of the plan's bytes. */
static void expected_sum(enum checksum_algorithm algorithm, char hex[static CHECKSUM_HEX_MAX])
{
	unsigned char *bytes = aligned_alloc(4096, SIZE);
	struct checksum *sum;

	ck_assert_int_eq(pread(rig.source, bytes, SIZE, 0), SIZE);
	for (unsigned b = 0; b < bad_count; b++)
		memset(bytes + bad[b].start, 0, bad[b].count);

	ck_assert_int_eq(checksum_new(algorithm, &sum, NULL), 0);
	for (size_t i = 0; i < rig.plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(rig.plan, i);

		checksum_add(sum, bytes + e.source, e.length);
	}
	checksum_take(sum, hex);
	checksum_destroy(sum);
	free(bytes);
}

static void check(enum job_sums_state of)
{
	char hex[CHECKSUM_HEX_MAX];
	uint64_t zeros = 0;

	ck_assert_msg(s.sums.state == of, "%d, result %d %s", s.sums.state, s.result,
		      s.error.sentence);
	ck_assert_uint_eq(s.sums.count, 2);
	ck_assert_int_eq(s.sums.items[0].algorithm, CHECKSUM_SHA256);
	ck_assert_int_eq(s.sums.items[1].algorithm, CHECKSUM_MD5);
	for (unsigned i = 0; i < 2; i++) {
		expected_sum(s.sums.items[i].algorithm, hex);
		ck_assert_str_eq(s.sums.items[i].hex, job_sums_known(&s.sums) ? hex : "");
	}
	for (unsigned i = 0; i < bad_count; i++)
		zeros += bad[i].count;
	ck_assert_uint_eq(s.sums.zeros, zeros);
}

static void check_unknown(enum job_sums_state why)
{
	ck_assert_int_eq(s.sums.state, why);
	ck_assert_uint_eq(s.sums.count, 2);
	ck_assert_str_eq(s.sums.items[0].hex, "");
}

UNIT_CASE(.teardown = teardown, .timeout = 90);

TEST_ROWS(beside_the_copy, WAYS)
{
	prepare(_i, NULL, 0, NULL);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	check(JOB_SUMS_OF_SOURCE);
	ck_assert_uint_eq(s.read - s.proof.rechecked_bytes, SIZE);
	rig_check_complete(&rig);
}

TEST(not_asked_for)
{
	prepare(0, NULL, 0, NULL);
	rig.plan->options.checksums = 0;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.sums.count, 0);
}

/* Read in its place, written last; read before and after the copy, too. */
TEST_ROWS(held_back_areas_are_in_their_place, WAYS)
{
	prepare(_i, NULL, 0, NULL);
	hold_back();
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.armed);
	check(JOB_SUMS_OF_SOURCE);
	ck_assert_uint_eq(s.read - s.proof.rechecked_bytes,
			  SIZE + 2 * range_list_total(&held.areas) * SECTOR);
	rig_check_complete(&rig);
}

/* No held area is written before its time. */
TEST(stopped_before_it_is_armed)
{
	prepare(0, NULL, 0, NULL);
	hold_back();
	s = rig_stop_when(&rig, 2 * MIB);
	check_unknown(JOB_SUMS_INCOMPLETE);
	struct map *map = rig_load_map(&rig);

	ck_assert_uint_lt(map_bytes(map, MAP_FINISHED),
			  SIZE - range_list_total(&held.areas) * SECTOR + 1);
	rig_check(&rig, map);
}

TEST_ROWS(answers_out_of_order, 2)
{
	prepare(_i, NULL, 0, NULL);
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	for (uint64_t at = MIB; at < SIZE; at += 3 * MIB)
		rig_fault(&rig, .kind = FAULT_REORDER, .on = FAULT_BOTH, .start = at,
			  .length = MIB);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	check(JOB_SUMS_OF_SOURCE);
}

/* One that is late lets all others wait, and then go on. */
TEST_ROWS(a_late_piece, 2)
{
	prepare(_i, NULL, 0, NULL);
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .start = 2 * MIB, .length = SECTOR,
		  .delay_ns = 300 * MS);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	check(JOB_SUMS_OF_SOURCE);
}

TEST(a_read_that_comes_at_the_second_try)
{
	prepare(0, NULL, 0, NULL);
	rig.plan->options.retries = 2;
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 3 * MIB, .length = SECTOR,
		  .times = 1, .code = -ETIMEDOUT);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	check(JOB_SUMS_OF_SOURCE);
}

static const struct range ranges[] = { { 100, 3000 }, { 5000, 7 }, { 8000, 5192 } };

TEST_ROWS(ranges_one_behind_the_other, WAYS)
{
	const uint64_t at = 300;

	prepare(_i, ranges, 3, &at);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	check(JOB_SUMS_OF_SOURCE);
}

/* Rescued in another order, so the destination is asked; what stays bad is zero. */
TEST_ROWS(bad_sectors_count_as_zeros, 4)
{
	prepare(_i / 2, NULL, 0, NULL);
	if (_i & 1)
		hold_back();
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	be_bad(4 * MIB + SECTOR, 3 * SECTOR);
	be_bad(6 * MIB + 512, SECTOR);
	/* In the held areas, too. */
	be_bad(SIZE - 40 * SECTOR, 2 * SECTOR);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	check(JOB_SUMS_OF_DESTINATION);
}

/* Also where the destination got a text instead of zeros, or kept what it had. */
TEST_ROWS(the_filling_is_no_part_of_them, 2)
{
	prepare(0, NULL, 0, NULL);
	rig.plan->options.fill = _i == 0 ? FILL_MARK : FILL_LEAVE;
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	be_bad(0, SECTOR);
	be_bad(7 * MIB, 2 * SECTOR);
	be_bad(SIZE - SECTOR, SECTOR);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	check(JOB_SUMS_OF_DESTINATION);
}

TEST(without_reading_back_they_are_known_or_not)
{
	prepare(0, NULL, 0, NULL);
	rig.plan->options.verify = VERIFY_OFF;
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	check(JOB_SUMS_OF_SOURCE);
	be_bad(5 * MIB, SECTOR);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	check_unknown(JOB_SUMS_NOT_READ_BACK);
}

TEST_ROWS(resumed, 4)
{
	prepare(0, NULL, 0, NULL);
	if (_i & 1)
		hold_back();
	if (_i & 2)
		rig.plan->options.verify = VERIFY_COMPARE;
	rig_stop_at(&rig, 2 * MIB);
	s = rig_look(&rig);
	check_unknown(JOB_SUMS_INCOMPLETE);
	if (_i & 1)
		rig.setup.held = &held;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	/* All of it was compared with the source, in order; or the destination is asked. */
	check(_i == 2 ? JOB_SUMS_OF_SOURCE : JOB_SUMS_OF_DESTINATION);
}

/* What is read twice, and is another thing the second time: what was written counts. */
TEST_ROWS(a_source_that_changes_meanwhile, 2)
{
	prepare(0, NULL, 0, NULL);
	hold_back();
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	/* As it is read for the sum, or for the recheck before that. */
	rig_fault(&rig, .kind = FAULT_CORRUPT, .on = FAULT_READS, .start = 0, .length = SECTOR,
		  .skip = _i == 0, .times = 1);
	fault_script_clear(rig.destination_script);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, _i == 0 ? JOB_RESULT_COMPLETE : JOB_RESULT_MISMATCH);
	if (_i == 0)
		check(JOB_SUMS_OF_DESTINATION);
	else
		check_unknown(JOB_SUMS_DIFFERS);
}

/* The sum is still that of the source. */
TEST(a_copy_that_differs)
{
	prepare(0, NULL, 0, NULL);
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	fault_script_add(rig.destination_script, &(struct fault_rule){ .kind = FAULT_LOSE,
								       .on = FAULT_WRITES,
								       .start = 6 * MIB,
								       .length = SECTOR });
	s = rig_run_to(&rig, JOB_RESULT_MISMATCH);
	check(JOB_SUMS_OF_SOURCE);
}

static struct map *all_finished(void)
{
	struct map *map;

	map = rig_new_map(&rig);
	for (size_t i = 0; i < rig.plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(rig.plan, i);

		ck_assert_int_eq(map_set(map, e.source, e.length, MAP_FINISHED), 0);
	}
	return map;
}

TEST_ROWS(with_verify_alone, WAYS)
{
	const uint64_t at = 300;
	struct map *map;

	prepare(_i, ranges, 3, &at);
	rig_run(&rig);
	map = all_finished();
	rig.setup.verify_only = true;
	rig.setup.resume = map;
	rig.plan->options.verify = VERIFY_COMPARE;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	check(JOB_SUMS_OF_SOURCE);
}

TEST(paused_and_stopped_at_any_time)
{
	for (int n = 0; n < 10; n++) {
		prepare(n % WAYS, NULL, 0, NULL);
		rig_start(&rig);
		usleep((useconds_t)(n * 500));
		job_pause(rig.job, true);
		usleep(2000);
		if (n & 1)
			job_pause(rig.job, false);
		job_stop(rig.job);
		s = rig_wait(&rig);
		if (s.result == JOB_RESULT_COMPLETE)
			check(JOB_SUMS_OF_SOURCE);
		else
			ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
		rig_done(&rig);
	}
}
