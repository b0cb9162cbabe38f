/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a listener hears of a copy: what is new, once. */
#include "unit.h"

#include <string.h>

#include "base/clock.h"
#include "ui/run/screen.h"

static struct job_snapshot job;
static struct run_spoken spoken;

static void setup(void)
{
	memset(&job, 0, sizeof(job));
	memset(&spoken, 0, sizeof(spoken));
	job.state = JOB_COPYING;
	job.pass = PASS_COPY;
	job.total = 2000;
	job.written = 1000;
	job.elapsed = 60 * NSEC_PER_SEC;
	job.overall = 0.25;
	job.now_pass = job.now_write = 193e6;
	job.rescue.read_errors = 2;
	job.bad_areas = 1;
}

static const char *newest(void)
{
	return spoken.lines[spoken.count - 1];
}

UNIT_CASE(.setup = setup);

TEST(test_a_line)
{
	run_spoken_follow(&spoken, &job, false);
	ck_assert_uint_eq(spoken.count, 1);
	ck_assert_str_eq(
		newest(),
		"25.0% of all, copying 50.0%, 193 MB/s, left unknown, read errors 2, bad areas 1,"
		" elapsed 0:01:00");
	ck_assert(spoken.fresh);
}

TEST(test_errors_when_there_are_any)
{
	job.rescue.read_errors = job.bad_areas = 0;
	run_spoken_follow(&spoken, &job, false);
	ck_assert_str_eq(newest(),
			 "25.0% of all, copying 50.0%, 193 MB/s, left unknown, elapsed 0:01:00");
	job.rescue.read_errors = 1;
	run_spoken_follow(&spoken, &job, true);
	ck_assert_ptr_nonnull(strstr(newest(), ", read errors 1, elapsed"));
}

/* Nothing is counted while a disk empties its cache: no percent is spoken. */
TEST(test_flush)
{
	job.state = JOB_FLUSHING;
	job.pass = PASS_FLUSH;
	job.rescue.read_errors = job.bad_areas = 0;
	run_spoken_follow(&spoken, &job, false);
	ck_assert_ptr_nonnull(strstr(newest(), "of all, flushing, left unknown, "));
	job.only_reads = true;
	run_spoken_follow(&spoken, &job, true);
	ck_assert_ptr_nonnull(
		strstr(newest(), "of all, flushing the destination before it is read back, "));
}

TEST(test_only_when_it_is_time)
{
	run_spoken_follow(&spoken, &job, false);
	job.written = 1500;
	run_spoken_follow(&spoken, &job, false);
	ck_assert_uint_eq(spoken.count, 1);
	run_spoken_follow(&spoken, &job, true);
	ck_assert_uint_eq(spoken.count, 2);
	ck_assert_ptr_nonnull(strstr(newest(), "copying 75.0%"));
}

TEST(test_a_change_at_once)
{
	run_spoken_follow(&spoken, &job, false);
	job.state = JOB_PAUSED;
	run_spoken_follow(&spoken, &job, false);
	ck_assert_ptr_nonnull(strstr(newest(), "paused 50.0%"));
	job.state = JOB_COPYING;
	job.pass = PASS_TRIM;
	run_spoken_follow(&spoken, &job, false);
	ck_assert_ptr_nonnull(strstr(newest(), "trimming"));
	ck_assert_uint_eq(spoken.count, 3);
}

TEST(test_never_the_same_twice)
{
	job.state = JOB_PAUSED;
	run_spoken_follow(&spoken, &job, false);
	spoken.fresh = false;
	run_spoken_follow(&spoken, &job, true);
	ck_assert_uint_eq(spoken.count, 1);
	ck_assert(!spoken.fresh);
}

/* Nor is anything cut when all goes wrong at once. */
TEST(test_all_that_is_wrong)
{
	job.rescue.read_errors = job.bad_areas = job.proof.areas = 12345678;
	job.refused_bytes = job.hang.lba = UINT64_MAX / 2;
	job.hang.count = 1;
	job.map_failed = true;
	run_spoken_follow(&spoken, &job, true);
	ck_assert_ptr_nonnull(strstr(newest(), "MAP NOT SAVED"));
	ck_assert_ptr_nonnull(
		strstr(newest(), "hangs, MISMATCHES 12345678, read errors 12345678, "));
	ck_assert_ptr_nonnull(strstr(newest(), "elapsed 0:01:00"));
}

/* Nothing of it is cut, and none is lost when there are more than a page takes. */
TEST(test_long_and_many)
{
	job.rescue.read_errors = job.bad_areas = job.proof.areas = 12345678;
	job.proof.rolling = true;
	for (unsigned i = 0; i < 3 * SPOKEN_LINES; i++) {
		job.elapsed += NSEC_PER_SEC;
		run_spoken_follow(&spoken, &job, true);
		ck_assert_uint_le(spoken.count, SPOKEN_LINES);
	}
	ck_assert_ptr_nonnull(strstr(newest(), "MISMATCHES 12345678"));
	ck_assert_ptr_nonnull(strstr(newest(), "elapsed 0:02:36"));
}
