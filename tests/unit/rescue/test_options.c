/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be asked of a copy of a disk with bad sectors: retries, filling, leaving, limits. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "job/damaged.h"
#include "job/rig.h"

static struct rig rig;
static struct job_snapshot s; /* of its last run */
static struct plan_options options;

static void setup(void)
{
	options = damaged_options;
}

UNIT_CASE(.setup = setup, .teardown = rig_teardown, .timeout = 60);

/* What comes back in a retry is written, and its neighbours in a larger sector of the destination
 * stay. */
TEST_LOOP(retry_passes_bring_sectors_back, 2, 6)
{
	static const struct range bad[] = { { 5001, 1 }, { 5006, 1 } };

	options.retry_passes = 3;
	damaged_new(&rig, _i, 8 * MIB, &options);
	if (_i & 4)
		rig.setup.destination.logical_sector_size = 4096;
	damaged_fail_reads(&rig, 5001, 1, 0, -EIO);
	damaged_fail_reads(&rig, 5006, 1, 0, -EIO);
	/* Chunk, its own, one retry. */
	damaged_fail_reads(&rig, 5003, 1, 2, -EIO);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_ptr_nonnull(damaged_pass(&s, PASS_RETRY));
	ck_assert_uint_eq(damaged_pass(&s, PASS_RETRY)->rounds, 3);
	damaged_check(&rig, bad, 2);
}

/* Chosen areas are read again, also those whose edges lie within them; all others are left. */
TEST_LOOP(only_chosen_areas_are_retried, 2, 6)
{
	static const struct range bad[] = { { 5001, 1 }, { 6000, 4 }, { 7000, 1 } };
	static const struct range left[] = { { 5001, 1 }, { 6003, 1 } };
	static struct range items[] = { { 6000, 3 }, { 6990, 100 } };
	const struct range_list chosen = { items, 2, 2 };
	struct map *map;

	damaged_new(&rig, _i, 8 * MIB, &options);
	if (_i & 4)
		rig.setup.destination.logical_sector_size = 4096;
	damaged_fail(&rig, bad, 3);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	damaged_check(&rig, bad, 3);
	map = rig_load_map(&rig);
	rig_heal(&rig);
	rig.plan->options.retry_passes = 2;
	rig.setup.resume = map;
	rig.setup.retry = &chosen;

	uint64_t reads = fault_script_counts(rig.source_script).reads;

	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(fault_script_counts(rig.source_script).reads - reads, 4);
	/* The second round finds nothing left. */
	ck_assert_uint_eq(damaged_pass(&s, PASS_RETRY)->rounds, 1);
	damaged_check(&rig, left, 2);
}

/* The line of the map that tells where its program is, in ddrescue's numbers. */
TEST(the_map_tells_the_pass)
{
	char line[128] = "", letter = 0;
	unsigned pass = 0;
	FILE *file;

	damaged_new(&rig, 0, 8 * MIB,
		    &(struct plan_options){
			    .chunk = 64 * KIB, .on_error = ON_ERROR_MAP, .retry_passes = 1000 });
	rig.setup.map_interval = 10 * MS;
	/* So many that a thousand rounds take longer than any save. */
	damaged_fail_reads(&rig, 5003, 200, 0, -EIO);
	rig_start(&rig);
	for (int i = 0; i < 100000 && !(letter == '-' && pass > 1); i++) {
		usleep(1000);
		file = fopen(rig.map_path, "re");
		while (file && fgets(line, sizeof(line), file))
			if (line[0] != '#')
				break;
		if (file)
			fclose(file);
		letter = '?';
		if (sscanf(line, "%*x %c %u", &letter, &pass) != 2)
			pass = 0;
	}
	ck_assert_msg(letter == '-' && pass > 1, "%s", line);
	job_stop(rig.job);
	rig_wait(&rig);
}

/* In this run, and in one that goes on from bad sectors. */
TEST_ROWS(all_came_back, 2)
{
	struct map *map = NULL;

	options.retry_passes = _i ? 0 : 1;
	damaged_new(&rig, 0, 8 * MIB, &options);
	damaged_fail_reads(&rig, 5003, 1, _i ? 0 : 2, -EIO);
	s = rig_run(&rig);
	if (_i) {
		ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
		map = rig_load_map(&rig);
		rig_heal(&rig);
		rig.plan->options.retry_passes = 1;
		rig.setup.resume = map;
		s = rig_run(&rig);
	}
	ck_assert_msg(s.result == JOB_RESULT_COMPLETE, "%d %s", s.result, s.error.sentence);
	ck_assert_uint_eq(s.bad_shown, 0);
	ck_assert_ptr_null(damaged_pass(&s, PASS_FILL));
	rig_check_complete(&rig);
}

TEST_ROWS(what_bad_sectors_are_filled_with, 3)
{
	_Alignas(4096) char found[4096];

	options.fill = (enum fill)_i;
	damaged_new(&rig, 0, 8 * MIB, &options);
	damaged_fail_reads(&rig, 5003, 1, 0, -EIO);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_int_eq(pread(rig.destination, found, 4096, 5000 * 512), 4096);
	memmove(found, found + 3 * 512, 512);
	if (_i == FILL_ZERO)
		ck_assert_int_eq(found[0] | found[511], 0);
	else if (_i == FILL_MARK)
		ck_assert_ptr_nonnull(strstr(found, "LBA 5003 of"));
	else
		ck_assert_int_ne(found[0], 0);
}

TEST_ROWS(slow_reads_are_left_behind, 2)
{
	options.slow_limit = 1;
	options.chunk = 64 * KIB;
	options.queue_depth = 1;
	options.lanes = 1;
	damaged_new(&rig, _i, 8 * MIB, &options);
	rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .start = MIB, .length = 64 * KIB,
		  .times = 1, .delay_ns = 1200 * MS);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	/* What is behind the slow place came in a second sweep, the nearest of it in a third. */
	ck_assert_uint_eq(s.passes[0].rounds, 3);
	rig_check_complete(&rig);
}

static struct job_snapshot until_hanging(void)
{
	s = rig_look(&rig);

	for (int i = 0; i < 10000 && !s.hang.count && s.state != JOB_ENDED; i++) {
		usleep(1000);
		s = rig_look(&rig);
	}
	ck_assert_uint_eq(s.hang.count, 1);
	ck_assert(!s.hang.write);
	ck_assert_uint_ge(s.hang.ns, NSEC_PER_SEC);
	return s;
}

/* For five seconds, once. */
static void hang_at(uint64_t lba)
{
	rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .start = lba * 512, .length = 512,
		  .times = 1, .delay_ns = 5 * NSEC_PER_SEC);
}

/* One that has not come back keeps its own place and no other; what follows the stream's position
 * then comes in a second sweep, the nearest of it in a third, and its data is taken. */
TEST(a_read_that_hangs_is_left_behind)
{
	options.slow_limit = 1;
	options.chunk = 64 * KIB;
	options.queue_depth = 2;
	options.lanes = 1;
	options.rate = 2 * MIB;
	damaged_new(&rig, 0, 8 * MIB, &options);
	hang_at(MIB / 512 + 5);
	rig_start(&rig);
	s = until_hanging();
	ck_assert_uint_eq(s.hang.lba, MIB / 512);
	s = rig_until_written(&rig, s.written + 512 * KIB);
	ck_assert_uint_eq(s.hang.count, 1);
	s = rig_wait(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.hang.count, 0);
	ck_assert_uint_eq(s.slow_reads, 1);
	ck_assert_uint_eq(s.passes[0].rounds, 2);
	rig_check_complete(&rig);
}

static const struct range two_bad[] = { { 1000, 1 }, { 12000, 1 } };

static void two_bad_on(enum tristate rotational)
{
	options.chunk = 64 * KIB;
	damaged_new(&rig, 0, 8 * MIB, &options);
	rig.setup.source.rotational = rotational;
	for (int i = 0; i < 2; i++)
		damaged_fail_reads(&rig, two_bad[i].start, 1, 0, -EIO);
}

/* Heads have to move to the next area, but do not wait for a read that hangs. */
TEST(a_sector_that_hangs_keeps_no_other_area)
{
	options.slow_limit = 1;
	/* Its chunk fails at once, the sector beside it comes in the end. */
	two_bad_on(YES);
	hang_at(999);
	rig_start(&rig);
	until_hanging();
	do
		s = rig_look(&rig);
	while (s.hang.count && s.rescue.bad_sector < 512 && usleep(1000) == 0);
	/* Not the one beside it, which is not read meanwhile. */
	ck_assert_uint_eq(s.hang.count, 1);
	ck_assert_int_eq(rig_wait(&rig).result, JOB_RESULT_PARTIAL);
	damaged_check(&rig, two_bad, 2);
}

/* Flash reads another area meanwhile; heads stay where they are. */
TEST_ROWS(flash_reads_on_while_it_struggles, 2)
{
	two_bad_on(_i ? YES : NO);
	/* From either edge. */
	hang_at(999);
	hang_at(1001);
	rig_start(&rig);
	do
		s = rig_look(&rig);
	while (s.rescue.bad_sector == 0 && s.state != JOB_ENDED && usleep(1000) == 0);
	ck_assert_uint_eq(s.bad[0].lba, _i ? 1000 : 12000);
	ck_assert_int_eq(rig_wait(&rig).result, JOB_RESULT_PARTIAL);
	damaged_check(&rig, two_bad, 2);
}

static const struct plan_options limits[] = {
	{ .chunk = 65536, .on_error = ON_ERROR_MAP, .max_bad_areas = 2 },
	{ .chunk = 65536, .on_error = ON_ERROR_MAP, .max_read_errors = 5 },
	{ .chunk = 65536, .on_error = ON_ERROR_MAP, .max_error_rate = 1000 },
	{ .chunk = 65536, .on_error = ON_ERROR_MAP, .max_no_read = 1 },
};

TEST_ROWS(too_much_trouble_stops_the_copy, 4)
{
	struct map *map;

	damaged_new(&rig, 0, 8 * MIB, &limits[_i]);
	for (uint64_t i = 0; i < 8; i++)
		damaged_fail_reads(&rig, i * 2048 + 100, 5, 0, -EIO);
	/* The rates want time to be measured. */
	if (limits[_i].max_error_rate || limits[_i].max_no_read) {
		rig_heal(&rig);
		damaged_fail_reads(&rig, 8000, 40, 400, -EIO);
		rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .start = 4 * MIB,
			  .delay_ns = 3000 * MS);
	}
	s = rig_run_to(&rig, JOB_RESULT_STOPPED);
	ck_assert_uint_gt(strlen(s.error.sentence), 20);
	ck_assert(s.map_safe);
	map = rig_load_map(&rig);
	rig_check(&rig, map);
	rig_heal(&rig);
	rig.plan->options = damaged_options;
	rig.setup.resume = map;
	ck_assert_int_ne(rig_run(&rig).result, JOB_RESULT_STOPPED);
}
