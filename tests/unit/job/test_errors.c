/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that can fail while copying, by script; what is left is looked at byte by byte. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "rig.h"

static struct rig rig;

/* Both ends asynchronous, both synchronous, and each way mixed. */
static const struct io_backend *const backends[] = { &io_uring_backend, &io_threads_backend };

static void prepare(int way, enum on_error on_error, unsigned retries)
{
	struct plan_options options = {
		.chunk = 256 * KIB,
		.on_error = on_error,
		.retries = retries,
	};

	rig_new(&rig, 8 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &options);
	rig_faults(&rig, backends[way & 1], backends[way >> 1]);
	rig.setup.map_path = rig.map_path;
}

static void fail_at(enum fault_direction on, uint64_t lba, uint64_t sectors, unsigned times,
		    int code)
{
	rig_fault(&rig, .kind = FAULT_FAIL, .on = on, .start = lba * 512, .length = sectors * 512,
		  .times = times, .code = code);
}

static void check_lba(const struct error *error, enum error_class class, uint64_t lba)
{
	ck_assert_int_eq(error->class, class);
	ck_assert(error->has_lba);
	ck_assert_msg(error->lba == lba, "LBA %llu: %s", (unsigned long long)error->lba,
		      error->sentence);
}

UNIT_CASE(.teardown = rig_teardown, .timeout = 60);

TEST_ROWS(a_passing_read_error_is_retried, 4)
{
	prepare(_i, ON_ERROR_STOP, 3);
	fail_at(FAULT_READS, 5000, 1, 3, -EIO);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.retries, 3);
	ck_assert_uint_eq(s.errors, 0);
	rig_check_complete(&rig);
}

TEST_ROWS(a_passing_write_error_is_retried, 4)
{
	prepare(_i, ON_ERROR_STOP, 1);
	fail_at(FAULT_WRITES, 5000, 1, 1, -EIO);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.retries, 1);
	rig_check_complete(&rig);
}

/* Longer than the retries, but gone when the search for it comes by. */
TEST_ROWS(what_the_search_does_not_find_is_no_bad_sector, 4)
{
	prepare(_i, ON_ERROR_STOP, 1);
	fail_at(FAULT_BOTH, 5000, 1, 4, -EIO);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_ge(s.errors, 1);
	ck_assert_uint_eq(s.bad_areas, 0);
	rig_check_complete(&rig);
}

TEST_ROWS(a_bad_sector_stops_the_copy_at_its_lba, 4)
{
	prepare(_i, ON_ERROR_STOP, 1);
	fail_at(FAULT_READS, 5003, 1, 0, -EIO);
	struct job_snapshot s = rig_run(&rig);
	struct error error = { 0 };

	ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
	check_lba(&s.error, ERROR_CLASS_SOURCE, 5003);
	ck_assert_uint_eq(s.error.sectors, 1);
	ck_assert_int_eq(job_wait(rig.job, &error), -EIO);
	ck_assert_uint_eq(s.bad_areas, 1);
	ck_assert_uint_eq(s.bad_bytes, 512);
	ck_assert_uint_eq(s.bad_shown, 1);
	ck_assert_uint_eq(s.bad[0].lba, 5003);
	ck_assert_uint_eq(s.bad[0].sectors, 1);
	ck_assert(!s.bad[0].write);
	ck_assert(s.flushed);
	ck_assert(s.map_safe);

	/* Everything before it in its chunk was copied, and the file says exactly that. */
	struct map *map = rig_load_map(&rig);
	struct map_block bad, before;

	ck_assert(map_next(map, 0, MAP_BAD, &bad));
	ck_assert_uint_eq(bad.start, 5003 * 512);
	ck_assert_uint_eq(bad.size, 512);
	ck_assert(map_next(map, 5002 * 512, MAP_FINISHED, &before));
	ck_assert_uint_le(before.start, 5002 * 512);
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), s.written);
	rig_check(&rig, map);

	/* The sector comes back, the copy goes on and needs no more than what is missing. */
	rig_heal(&rig);
	rig.setup.resume = map;
	uint64_t read = fault_script_counts(rig.source_script).bytes_read;

	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.already + fault_script_counts(rig.source_script).bytes_read - read,
			  s.total);
	rig_check_complete(&rig);
}

TEST_ROWS(bad_sectors_are_mapped_and_the_rest_is_copied, 4)
{
	/* First of the disk, last of the disk, a pair over a chunk's edge, a run. */
	static const struct range bad[] = {
		{ 0, 1 }, { 511, 2 }, { 5003, 1 }, { 8000, 100 }, { 16383, 1 }
	};

	prepare(_i, ON_ERROR_MAP, 0);
	for (size_t i = 0; i < 5; i++)
		rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = bad[i].start * 512,
			  .length = bad[i].count * 512,
			  .sense = { .known = true, .key = 3, .asc = 0x11 });
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_PARTIAL);

	ck_assert_uint_eq(s.bad_bytes, 105 * 512);
	ck_assert_uint_eq(s.bad_areas, 5);
	ck_assert_uint_eq(s.written + s.bad_bytes, s.total);
	ck_assert(s.bad[0].sense.known);
	ck_assert_uint_eq(s.bad[0].sense.key, 3);
	ck_assert(s.flushed);
	ck_assert_int_eq(s.error.code, 0);
	ck_assert_int_eq(job_wait(rig.job, NULL), 0);

	struct map *map = rig_load_map(&rig);

	for (size_t i = 0; i < 5; i++) {
		struct map_block block;

		ck_assert(map_next(map, bad[i].start * 512, MAP_BAD, &block));
		ck_assert_uint_eq(block.start, bad[i].start * 512);
		ck_assert_uint_eq(block.size, bad[i].count * 512);
	}
	ck_assert_uint_eq(map_bytes(map, MAP_NON_TRIED), 0);
	ck_assert_uint_eq(rig_check(&rig, map), s.written);
}

TEST_ROWS(bad_areas_name_their_partition, 2)
{
	struct partition partitions[] = {
		{ .number = 1, .start = 100, .sectors = 8000, .extended = true },
		{ .number = 5, .start = 200, .sectors = 4900 },
		{ .number = 6, .start = 5100, .sectors = 2000 },
	};
	struct disk disk = { .partitions = partitions, .partition_count = 3 };

	prepare(_i, ON_ERROR_MAP, 0);
	rig.setup.source_disk = &disk;
	fail_at(FAULT_READS, 50, 1, 0, -EIO);
	fail_at(FAULT_READS, 5099, 2, 0, -EIO);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_PARTIAL);

	ck_assert_uint_eq(s.bad_areas, 2);
	for (size_t i = 0; i < s.bad_shown; i++)
		if (s.bad[i].lba == 50)
			ck_assert_uint_eq(s.bad[i].partition, 0);
		else
			ck_assert(s.bad[i].partition == 5 || s.bad[i].partition == 6);
}

/* The plan shrinks behind the job's back: the last check before a write is on its own. */
TEST_ROWS(nothing_outside_the_plan_is_written_whatever_happens, 4)
{
	prepare(_i, ON_ERROR_STOP, 0);
	ck_assert_int_eq(job_new(&rig.setup, &rig.job, NULL), 0);
	rig.plan->extents[0].sectors = 9000;
	ck_assert_int_eq(job_start(rig.job, NULL), 0);
	struct job_snapshot s = rig_wait(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_FAILED);
	ck_assert_int_eq(s.error.class, ERROR_CLASS_INTERNAL);
	ck_assert_uint_le(fault_script_counts(rig.destination_script).end_written, 9000 * 512);
}

TEST_ROWS(bad_physical_sectors_of_4096, 4)
{
	struct plan_options options = { .on_error = ON_ERROR_MAP, .chunk = 128 * KIB };

	rig_new(&rig, 4 * MIB, 4096);
	rig_plan(&rig, NULL, 0, NULL, &options);
	rig_faults(&rig, backends[_i & 1], backends[_i >> 1]);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 77 * 4096 + 512,
		  .length = 512);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_PARTIAL);

	ck_assert_uint_eq(s.bad_bytes, 4096);
	ck_assert_uint_eq(s.bad[0].lba, 77);
}

/* A destination with larger sectors than the source: the stop must not write half of one. */
TEST_ROWS(a_stop_inside_a_sector_of_the_destination, 4)
{
	prepare(_i, ON_ERROR_STOP, 0);
	rig.setup.destination.logical_sector_size = 4096;
	fail_at(FAULT_READS, 5003, 1, 0, -EIO);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_STOPPED);

	check_lba(&s.error, ERROR_CLASS_SOURCE, 5003);

	rig_check(&rig, rig_load_map(&rig));
}

TEST_ROWS(a_bad_sector_of_the_destination_is_fatal, 4)
{
	prepare(_i, _i & 1 ? ON_ERROR_MAP : ON_ERROR_STOP, 2);
	fail_at(FAULT_WRITES, 5003, 1, 0, -EIO);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_FAILED);

	check_lba(&s.error, ERROR_CLASS_DESTINATION, 5003);
	ck_assert_int_eq(error_exit_code(&s.error), EXIT_DESTINATION_FAILED);
	ck_assert_uint_eq(s.bad_shown, 1);
	ck_assert(s.bad[0].write);
	ck_assert_uint_eq(s.bad[0].lba, 5003);
	ck_assert_uint_eq(s.bad[0].sectors, 1);
	/* It is not the source's fault. */
	ck_assert_uint_eq(s.bad_areas, 0);

	struct map *map = rig_load_map(&rig);

	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), s.written);
	rig_check(&rig, map);
	rig_heal(&rig);
	rig.setup.resume = map;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	rig_check_complete(&rig);
}

TEST_ROWS(a_full_file_system_is_not_searched, 4)
{
	prepare(_i, ON_ERROR_STOP, 5);
	fail_at(FAULT_WRITES, 8192, 0, 0, -ENOSPC);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_FAILED);

	ck_assert_int_eq(s.error.code, -ENOSPC);
	ck_assert_int_eq(s.error.class, ERROR_CLASS_DESTINATION);
	ck_assert_uint_eq(s.retries, 0);
	ck_assert_uint_eq(s.bad_shown, 0);

	rig_check(&rig, rig_load_map(&rig));
}

/* Half of a request arrives before it fails: only that half counts. */
TEST_ROWS(a_short_read_is_never_taken_for_data, 4)
{
	prepare(_i, ON_ERROR_STOP, 0);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 4 * MIB + 8192,
		  .length = 512, .after = 4096);
	rig_run_to(&rig, JOB_RESULT_STOPPED);

	rig_check(&rig, rig_load_map(&rig));
}

static void disappear(enum fault_direction on)
{
	rig_fault(&rig, .kind = FAULT_DISAPPEAR, .on = on, .skip = 12);
}

TEST_ROWS(a_source_that_disappears, 4)
{
	prepare(_i, ON_ERROR_MAP, 3);
	disappear(FAULT_READS);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_FAILED);

	ck_assert_int_eq(s.error.code, -ENODEV);
	ck_assert_uint_eq(s.bad_areas, 0);
	ck_assert(s.map_safe);
	rig_heal(&rig);

	struct map *map = rig_load_map(&rig);

	ck_assert_uint_gt(map_bytes(map, MAP_FINISHED), 0);
	rig_check(&rig, map);
	rig.setup.resume = map;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	rig_check_complete(&rig);
}

/* Whatever is asked for where it refuses a place: this is none. */
TEST_ROWS(a_destination_that_disappears, 4)
{
	prepare(_i, ON_ERROR_MAP, 3);
	rig.plan->options.on_write_error = _i & 1 ? ON_ERROR_MAP : ON_ERROR_STOP;
	disappear(FAULT_WRITES);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_FAILED);

	ck_assert_int_eq(s.error.code, -ENODEV);
	ck_assert_int_eq(s.error.class, ERROR_CLASS_DESTINATION);
	ck_assert_uint_eq(s.bad_shown, 0);
	ck_assert_uint_eq(s.refused_bytes, 0);

	struct map *map = rig_load_map(&rig);

	rig_check(&rig, map);
	rig_heal(&rig);
	rig.setup.resume = map;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	rig_check_complete(&rig);
}

TEST_ROWS(a_flush_that_fails_is_no_success, 4)
{
	prepare(_i, ON_ERROR_STOP, 0);
	rig_fault(&rig, .kind = FAULT_FLUSH, .code = -EIO);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_FAILED);

	ck_assert_int_eq(s.error.class, ERROR_CLASS_DESTINATION);
	ck_assert(!s.flushed);
	ck_assert_int_eq(s.flushed_at, 0);
	ck_assert_uint_eq(s.written, s.total);

	/* The file on disk still calls nothing finished that no flush has confirmed. */
	struct map *map = rig_load_map(&rig);

	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), 0);
}

static size_t warnings_of(const char *what)
{
	struct job_event events[JOB_EVENTS_MAX];
	size_t n = job_events(rig.job, 0, events, JOB_EVENTS_MAX), warnings = 0;

	for (size_t i = 0; i < n; i++)
		warnings += strstr(events[i].text, what) != NULL;
	return warnings;
}

static bool reset_destination;

static unsigned resets(void *user, bool destination)
{
	(void)user;
	return destination == reset_destination;
}

/* Of the disk that was written to, and where nothing is read back, it ends the copy. */
TEST_ROWS(a_reset_that_only_the_kernel_was_told_of, 4)
{
	bool verified = _i & 2, fatal = !verified && (_i & 1);

	reset_destination = _i & 1;
	prepare(0, ON_ERROR_STOP, 0);
	rig.plan->options.verify = verified ? VERIFY_AFTER : VERIFY_OFF;
	rig.setup.resets = resets;
	/* Its hardware lies below it. */
	rig.setup.source.kind = DISK_DM;
	struct job_snapshot s = rig_run(&rig);
	struct map *map = rig_load_map(&rig);

	ck_assert_int_eq(s.result, fatal ? JOB_RESULT_FAILED : JOB_RESULT_COMPLETE);
	ck_assert_int_eq(s.error.code, fatal ? -EIO : 0);
	ck_assert_int_eq(s.flushed, !fatal);
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), fatal ? 0 : s.total);
	ck_assert_uint_eq(warnings_of("was reset or lost power"), 1);
	ck_assert_uint_eq(warnings_of("A disk below "), !reset_destination);
}

TEST_ROWS(a_map_that_cannot_be_saved_stops_nothing, 1)
{
	char other[160];

	prepare(_i, ON_ERROR_STOP, 0);
	snprintf(other, sizeof(other), "%s/other", rig.dir);
	rig.setup.map_path = "/nonexistent/map";
	rig.setup.map_interval = 50 * MS;
	rig.plan->options.rate = 256 * KIB;
	rig_start(&rig);
	while (warnings_of("/nonexistent/map") == 0)
		usleep(10000);
	usleep(200000);
	ck_assert(!rig_look(&rig).map_safe);
	ck_assert_uint_eq(warnings_of("/nonexistent/map"), 1); /* not at every try */

	ck_assert_int_eq(job_set_map_path(rig.job, other, 0, NULL), 0);
	while (!rig_look(&rig).map_safe && rig_look(&rig).state != JOB_ENDED)
		usleep(10000);
	ck_assert(rig_look(&rig).map_safe);
	ck_assert_int_eq(access(other, F_OK), 0);
	job_set_rate(rig.job, 0);
	struct job_snapshot s = rig_wait(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	rig_check_complete(&rig);
}

TEST_ROWS(slow_reads_are_counted, 1)
{
	prepare(_i, ON_ERROR_STOP, 0);
	rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .times = 1, .delay_ns = 1100 * MS);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	/* A machine that stands still makes others slow, too, but not all of them. */
	ck_assert_uint_ge(s.slow_reads, 1);
	ck_assert_uint_lt(s.slow_reads, s.source.requests);
	ck_assert_uint_ge(s.source.latency.max, 1100 * MS);
	rig_check_complete(&rig);
}

TEST_ROWS(stopping_does_not_wait_for_a_long_search, 2)
{
	prepare(_i, ON_ERROR_MAP, 0);
	/* Every sector of a chunk bad and slow: minutes. */
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 2 * MIB,
		  .length = 256 * KIB, .times = 20);
	rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .start = 2 * MIB,
		  .length = 256 * KIB, .delay_ns = 250 * MS);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 2 * MIB,
		  .length = 256 * KIB);
	rig_start(&rig);
	rig_until_written(&rig, 6 * MIB);
	usleep(50000);

	uint64_t start = clock_monotonic();

	job_stop(rig.job);
	struct job_snapshot s = rig_wait(&rig);

	ck_assert_uint_lt(clock_monotonic() - start, 60 * NSEC_PER_SEC);
	ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);

	rig_check(&rig, rig_load_map(&rig));
}

/* The counter of descriptors runs out at every place in turn: never a crash, never a leak. */
TEST_ROWS(nothing_leaks_when_a_start_fails, 2)
{
	int failures = 0;

	prepare(_i, ON_ERROR_STOP, 0);

	int first = dup(0);

	close(first);
	for (int limit = 0; limit < 24; limit++) {
		struct rlimit old, tight;
		struct error error = { 0 };
		struct job *job = NULL;
		int r;

		getrlimit(RLIMIT_NOFILE, &old);
		tight = old;
		tight.rlim_cur = (rlim_t)(first + limit);
		setrlimit(RLIMIT_NOFILE, &tight);
		r = job_new(&rig.setup, &job, &error);
		if (r == 0)
			r = job_start(job, &error);
		setrlimit(RLIMIT_NOFILE, &old);
		if (r < 0) {
			failures++;
			ck_assert_uint_gt(strlen(error.sentence), 10);
		}
		job_destroy(job);

		int now = dup(0);

		ck_assert_int_eq(now, first);
		close(now);
	}
	ck_assert_int_gt(failures, 2);
}
