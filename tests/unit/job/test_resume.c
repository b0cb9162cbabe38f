/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stopped, killed and resumed at random points; the map file never claims too much. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "rig.h"

static struct rig rig;

static const struct {
	enum backend_choice source, destination;
	uint32_t lanes;
} ways[] = {
	{ BACKEND_URING, BACKEND_URING, 0 },
	{ BACKEND_THREADS, BACKEND_THREADS, 4 },
	{ BACKEND_URING, BACKEND_THREADS, 2 },
	{ BACKEND_BUFFERED, BACKEND_BUFFERED, 2 },
};

static void prepare(int way, uint64_t rate)
{
	struct range ranges[] = { { 100, 9000 }, { 9200, 1 }, { 10000, 22000 } };
	uint64_t at = 333;
	struct plan_options options = {
		.source_backend = ways[way].source,
		.destination_backend = ways[way].destination,
		.lanes = ways[way].lanes,
		.chunk = 65536,
		.rate = rate,
	};

	rig_new(&rig, 16 * MIB, 512);
	rig_plan(&rig, ranges, 3, &at, &options);
	rig.setup.map_path = rig.map_path;
}

UNIT_CASE(.teardown = rig_teardown, .timeout = 90);

TEST_ROWS(stopped_and_resumed_until_it_is_done, 4)
{
	struct map *map = NULL;
	uint64_t finished = 0;
	int stops = 0;

	rig_seed();
	prepare(_i, 40 * MIB);
	for (;;) {
		rig.setup.resume = map;
		rig_start(&rig);
		ck_assert_uint_eq(rig_look(&rig).already, finished);
		/* The longer it takes, the later: a slow machine has to get on, too. */
		usleep((useconds_t)(rand() % (150000 + 5000 * stops)));
		job_stop(rig.job);
		struct job_snapshot s = rig_wait(&rig);

		map = rig_load_map(&rig);
		/* What a file says is there must be there, and never be less than before. */
		rig_check(&rig, map);
		ck_assert_uint_ge(map_bytes(map, MAP_FINISHED), finished);
		finished = map_bytes(map, MAP_FINISHED);
		ck_assert_uint_eq(finished, s.written);
		ck_assert(s.flushed);
		ck_assert_int_eq(s.error.code, 0);
		if (s.result == JOB_RESULT_COMPLETE)
			break;
		ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
		ck_assert(s.map_safe);
		ck_assert_int_lt(stops++, 200);
	}
	printf("# %d stops\n", stops);
	rig_check_complete(&rig);

	/* Resumed once more, there is nothing to do. */
	rig.setup.resume = map;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.read, 0);
	ck_assert_uint_eq(s.already, s.total);
}

/* The process goes at any moment, also while the map is being saved. */
TEST_ROWS(killed_and_resumed, 2)
{
	struct map *map = NULL;
	uint64_t finished = 0;

	rig_seed();
	prepare(_i, 20 * MIB);
	rig.setup.map_interval = 5 * MS;
	for (int round = 0; round < 12; round++) {
		rig.setup.resume = map;
		rig_run_and_die(&rig, 150000);
		if (access(rig.map_path, F_OK))
			continue; /* before its first save */
		map = rig_load_map(&rig);
		rig_check(&rig, map);
		ck_assert_uint_ge(map_bytes(map, MAP_FINISHED), finished);
		finished = map_bytes(map, MAP_FINISHED);
	}
	printf("# %llu of %llu bytes after 12 kills\n", (unsigned long long)finished,
	       (unsigned long long)plan_bytes(rig.plan));
	rig.plan->options.rate = 0;
	rig.setup.resume = map;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.already, finished);
	rig_check_complete(&rig);
}

/* A slow copy, until its file calls something finished: that was flushed. */
static struct map *until_checkpoint(void)
{
	struct map *map = NULL;

	rig.plan->options.rate = MIB;
	rig.setup.map_interval = 100 * MS;
	rig_start(&rig);
	do {
		map = NULL;
		usleep(10000);
		ck_assert_int_ne(rig_look(&rig).state, JOB_ENDED);
		if (access(rig.map_path, F_OK) == 0)
			map = rig_load_map(&rig);
	} while (!map || map_bytes(map, MAP_FINISHED) == 0);
	return map;
}

TEST(what_a_checkpoint_calls_finished_was_flushed)
{
	prepare(0, 0);
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	until_checkpoint();

	/* From here on no flush succeeds: the file must stay as it is. */
	rig_fault(&rig, .kind = FAULT_FLUSH, .code = -EIO);
	struct job_snapshot s = rig_wait(&rig);
	struct map *map = rig_load_map(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_FAILED);
	ck_assert_uint_gt(map_bytes(map, MAP_FINISHED), 0);
	ck_assert_uint_lt(map_bytes(map, MAP_FINISHED), s.written);
	ck_assert_uint_ge(fault_script_counts(rig.destination_script).flushes, 1);
}

/* As the kernel does it: it tells of what was lost once, and the next flush is a good one. */
TEST(one_lost_flush_is_remembered)
{
	prepare(0, 0);
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	struct map *before = until_checkpoint();

	rig_fault(&rig, .kind = FAULT_FLUSH, .code = -EIO, .times = 1);
	struct job_snapshot s = rig_wait(&rig);
	struct map *map = rig_load_map(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_FAILED);
	ck_assert(!s.flushed);
	ck_assert_uint_ge(map_bytes(map, MAP_FINISHED), map_bytes(before, MAP_FINISHED));
	ck_assert_uint_lt(map_bytes(map, MAP_FINISHED), s.written);
}

/* Nor does it wait for the limit, at which all of it would take months. */
TEST_ROWS(stopping_drains, 4)
{
	prepare(_i, 8 * MIB);
	rig_start(&rig);
	rig_until_written(&rig, MIB);
	job_set_rate(rig.job, 1);
	job_stop(rig.job);
	struct job_snapshot s = rig_wait(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
	/* What was read is written, none of it is thrown away. */
	ck_assert_uint_eq(s.read, s.written);
}

TEST_ROWS(stopped_while_paused, 2)
{
	prepare(_i, 8 * MIB);
	rig_start(&rig);
	rig_until_written(&rig, MIB);
	job_pause(rig.job, true);
	rig_until_state(&rig, JOB_PAUSED);
	while (rig_look(&rig).paused_ns == 0)
		usleep(1000);
	job_stop(rig.job);
	struct job_snapshot s = rig_wait(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
	ck_assert_uint_gt(s.paused_ns, 0);
}

TEST_ROWS(stopped_before_anything, 2)
{
	prepare(_i, 0);
	ck_assert_int_eq(job_new(&rig.setup, &rig.job, NULL), 0);
	job_stop(rig.job);
	ck_assert_int_eq(job_start(rig.job, NULL), 0);
	struct job_snapshot s = rig_wait(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
	ck_assert_uint_eq(s.written, 0);
	struct map *map = rig_load_map(&rig);

	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), 0);
}
