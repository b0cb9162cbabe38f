/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A disk that is taken away under a copy: what counts as copied, what counts as
 * bad, and that another job goes on from there. Whether a disk is there is
 * what the test says; its requests fail by script.
 */
#include "unit.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "rig.h"

static struct rig rig;
static atomic_bool gone[2];

/* The source is gone for good when it was asked for so often; 0: never. Each failed request asks.
 */
static atomic_uint asks, gone_after;

static bool present(void *user, bool destination)
{
	unsigned limit = atomic_load(&gone_after);

	if (!destination && limit && atomic_fetch_add(&asks, 1) >= limit)
		return false;
	return !atomic_load(&gone[destination]);
}

static void setup(void)
{
	struct plan_options options = { .on_error = ON_ERROR_MAP, .chunk = 64 << 10 };

	rig_new(&rig, 16 * MIB, 512);
	options.source_backend = options.destination_backend = BACKEND_THREADS;
	rig_plan(&rig, NULL, 0, NULL, &options);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	rig.setup.present = present;
	rig.setup.map_path = rig.map_path;
}

static struct job_snapshot ends_gone(enum error_class class)
{
	struct job_snapshot s = rig_wait(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_FAILED);
	ck_assert_int_eq(s.error.code, -ENODEV);
	ck_assert_int_eq(s.error.class, class);
	return s;
}

/* The next job, from what the last one could be sure of. */
static void goes_on_from(struct map *confirmed)
{
	ck_assert_ptr_null(job_take_confirmed(rig.job));
	atomic_store(&gone[0], false);
	atomic_store(&gone[1], false);
	rig_heal(&rig);
	rig_drop_job(&rig);
	rig.setup.resume = confirmed;
	rig.plan->options.rate = 0;
	rig_run_to(&rig, JOB_RESULT_COMPLETE);
	rig_check_complete(&rig);
}

static void goes_on(void)
{
	goes_on_from(rig_own(&rig, job_take_confirmed(rig.job)));
}

/* Paused in its middle, however late that is seen to. */
static void start_and_pause(void)
{
	rig.plan->options.rate = MIB;
	rig_start(&rig);
	job_pause(rig.job, true);
	rig_until_state(&rig, JOB_PAUSED);
}

UNIT_CASE(.setup = setup, .teardown = rig_teardown, .timeout = 40);

/* For a moment an unplugged disk answers as one with bad sectors does. */
TEST(no_sector_is_bad_because_the_disk_goes)
{
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 4 * MIB);
	atomic_store(&gone_after, 500);
	rig_start(&rig);

	struct job_snapshot s = ends_gone(ERROR_CLASS_SOURCE);

	ck_assert_uint_eq(s.bad_areas, 0);
	ck_assert_uint_eq(s.bad_shown, 0);

	struct map *map = rig_load_map(&rig);

	ck_assert_uint_eq(map_bytes(map, MAP_BAD), 0);
	ck_assert_uint_gt(map_bytes(map, MAP_FINISHED), 0);
	atomic_store(&gone_after, 0);
	goes_on();
}

/* One bad sector is one, as long as the disk is there; and the part that goes on knows why. */
TEST(bad_sectors_of_a_disk_that_stays)
{
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 4 * MIB, .length = 512);
	struct job_snapshot later, s = rig_run(&rig);
	struct map *map = rig_load_map(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(s.bad_bytes, 512);
	ck_assert_int_ne(s.bad[0].code, 0);

	rig_drop_job(&rig);
	rig.setup.resume = map;
	later = rig_run(&rig);
	ck_assert_uint_eq(later.bad_shown, 1);
	job_snapshot_join(&s, &later);
	ck_assert_int_eq(later.bad[0].code, s.bad[0].code);
	ck_assert_uint_gt(s.rescue.read_errors, 0);
	ck_assert_uint_eq(later.rescue.read_errors, s.rescue.read_errors);

	later.state = JOB_VERIFYING;
	later.pass = PASS_VERIFY;
	later.average = 7;
	job_snapshot_join(&s, &later);
	ck_assert_double_eq(later.average, 7);
}

static atomic_bool flush_held;

static int flush_when_let_go(struct io_handle *handle, struct error *reterr)
{
	while (atomic_load(&flush_held))
		usleep(1000);
	return io_threads_backend.flush(handle, reterr);
}

static char cell_of_bad_sector(void)
{
	char cells[17];

	job_map_cells(rig.job, 0, 0, 16, cells);
	return cells[4];
}

/* The map that is being saved is the one that the copy works with: nothing changes it meanwhile,
 * and what is taken back then is saved once more. */
TEST(nothing_is_taken_back_while_the_map_is_saved)
{
	static struct io_backend slow;
	struct job_snapshot s;
	struct map *map;
	uint64_t seen;

	slow = io_threads_backend;
	slow.flush = flush_when_let_go;
	fault_backend_init(&rig.bad_destination, &slow, rig.destination_script);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 4 * MIB, .length = 512);
	atomic_store(&flush_held, true);
	rig_start(&rig);
	rig_until_state(&rig, JOB_FLUSHING);
	ck_assert_int_eq(cell_of_bad_sector(), '-');
	atomic_store(&gone[0], true);
	do
		s = rig_look(&rig);
	while (s.error.code != -ENODEV && usleep(1000) == 0);
	seen = s.elapsed;
	/* The coordinator comes by some more times. */
	while (s.elapsed < seen + 500 * MS && usleep(1000) == 0)
		s = rig_look(&rig);
	ck_assert_int_eq(cell_of_bad_sector(), '-');
	atomic_store(&flush_held, false);
	s = ends_gone(ERROR_CLASS_SOURCE);
	ck_assert_int_eq(cell_of_bad_sector(), '?');
	map = rig_load_map(&rig);
	ck_assert_uint_eq(map_bytes(map, MAP_BAD), 0);
	ck_assert_uint_eq(map_bytes(map, MAP_NON_TRIED), 64 * KIB);
	goes_on();
}

/* What was written after the last good flush may not have reached the medium. */
TEST(only_what_was_flushed_is_confirmed)
{
	struct map *confirmed;
	struct job_snapshot s;

	rig.setup.map_interval = 20 * MS;
	rig.plan->options.rate = 4 * MIB;
	rig_start(&rig);
	s = rig_until_written(&rig, 2 * MIB);
	usleep(200000);
	rig_fault(&rig, .kind = FAULT_FLUSH);
	rig_fault(&rig, .kind = FAULT_DISAPPEAR, .on = FAULT_WRITES);
	atomic_store(&gone[1], true);
	s = ends_gone(ERROR_CLASS_DESTINATION);
	ck_assert(!s.flushed);
	confirmed = rig_own(&rig, job_take_confirmed(rig.job));
	if (confirmed)
		ck_assert_uint_le(map_bytes(confirmed, MAP_FINISHED), s.written);
	goes_on_from(confirmed);
}

/* The destination is gone before anything new was flushed. */
TEST(what_was_finished_before_counts_as_confirmed)
{
	struct map *map, *confirmed;

	map = rig_stop_at(&rig, 2 * MIB);
	rig_fault(&rig, .kind = FAULT_FLUSH);
	start_and_pause();
	atomic_store(&gone[1], true);
	ends_gone(ERROR_CLASS_DESTINATION);
	confirmed = rig_own(&rig, job_take_confirmed(rig.job));
	ck_assert_ptr_nonnull(confirmed);
	ck_assert_uint_eq(map_bytes(confirmed, MAP_FINISHED), map_bytes(map, MAP_FINISHED));
}

TEST(a_job_that_never_ran_gives_its_map_back)
{
	struct job *job = NULL;
	struct map *map;

	map = rig_new_map(&rig);
	rig.setup.resume = map;
	ck_assert_int_eq(job_new(&rig.setup, &job, NULL), 0);
	ck_assert_ptr_eq(job_take_confirmed(job), map);
	job_destroy(job);
	rig.setup.destination.writable = false;
	ck_assert_int_eq(job_new(&rig.setup, &job, NULL), -EROFS);
	ck_assert_uint_eq(map_bytes(map, MAP_NON_TRIED), 16 * MIB);
}

/* Nothing is asked of it, and still it is noticed. */
TEST(gone_while_paused)
{
	start_and_pause();
	atomic_store(&gone[0], true);
	ends_gone(ERROR_CLASS_SOURCE);
	goes_on();
}

TEST(events_go_on_where_the_last_part_ended)
{
	struct job_event first[JOB_EVENTS_MAX], all[JOB_EVENTS_MAX];
	size_t told, now;

	start_and_pause();
	atomic_store(&gone[0], true);
	ends_gone(ERROR_CLASS_SOURCE);
	told = job_events(rig.job, 0, first, JOB_EVENTS_MAX);
	ck_assert_uint_gt(told, 1);
	rig.setup.events = first;
	rig.setup.event_count = told;
	goes_on();
	now = job_events(rig.job, 0, all, JOB_EVENTS_MAX);
	ck_assert_uint_gt(now, told);
	ck_assert_str_eq(all[0].text, first[0].text);
	for (size_t i = 0; i < now; i++)
		ck_assert_uint_eq(all[i].number, i + 1);
	ck_assert_uint_eq(job_events(rig.job, told, all, JOB_EVENTS_MAX), now - told);
}
