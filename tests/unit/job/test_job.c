/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole copies through every backend, in every shape of plan; all bytes compared. */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "job/core.h"
#include "rig.h"

static struct rig rig;

static const struct {
	enum backend_choice source, destination;
	uint32_t chunk, lanes, depth, sector;
} ways[] = {
	{ BACKEND_AUTO, BACKEND_AUTO, 0, 0, 0, 512 },
	{ BACKEND_URING, BACKEND_URING, 0, 0, 0, 512 },
	{ BACKEND_URING, BACKEND_URING, 65536, 3, 0, 512 },
	{ BACKEND_URING, BACKEND_URING, 4096, 1, 64, 512 },
	{ BACKEND_URING, BACKEND_URING, 4096, 2, 1, 4096 },
	{ BACKEND_THREADS, BACKEND_THREADS, 0, 0, 0, 512 },
	{ BACKEND_THREADS, BACKEND_THREADS, 65536, 1, 0, 4096 },
	{ BACKEND_THREADS, BACKEND_THREADS, 12288, 7, 0, 512 },
	{ BACKEND_URING, BACKEND_THREADS, 0, 0, 0, 512 },
	{ BACKEND_URING, BACKEND_THREADS, 65536, 2, 0, 4096 },
	{ BACKEND_THREADS, BACKEND_URING, 65536, 1, 0, 512 },
	{ BACKEND_THREADS, BACKEND_URING, 0, 4, 0, 512 },
	{ BACKEND_BUFFERED, BACKEND_BUFFERED, 0, 0, 0, 512 },
	{ BACKEND_BUFFERED, BACKEND_URING, 65536, 2, 0, 512 },
	{ BACKEND_IMAGE, BACKEND_IMAGE, 0, 0, 0, 512 },
};

UNIT_CASE(.teardown = rig_teardown, .timeout = 60);

TEST_ROWS(every_backend_copies, ARRAY_SIZE(ways))
{
	struct plan_options options = {
		.source_backend = ways[_i].source,
		.destination_backend = ways[_i].destination,
		.chunk = ways[_i].chunk,
		.lanes = ways[_i].lanes,
		.queue_depth = ways[_i].depth,
	};

	rig_new(&rig, 9 * MIB + 4096, ways[_i].sector);
	rig_plan(&rig, NULL, 0, NULL, &options);
	rig.setup.source.regular_file = ways[_i].source == BACKEND_IMAGE;
	rig.setup.destination.regular_file = ways[_i].destination == BACKEND_IMAGE;
	struct job_snapshot s = rig_run(&rig);

	rig_check_copied(&rig, &s);
	/* A new lane takes tenths of a second of work at the limit; this may be over sooner. */
	if (ways[_i].lanes)
		ck_assert_uint_eq(s.lane_count, ways[_i].lanes);
}

TEST_ROWS(fault_wrapped_ends_copy, 4)
{
	const struct io_backend *backends[] = { &io_uring_backend, &io_threads_backend };

	rig_new(&rig, 5 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &(struct plan_options){ .chunk = 65536 });
	rig_faults(&rig, backends[_i & 1], backends[_i >> 1]);
	struct job_snapshot s = rig_run(&rig);

	rig_check_copied(&rig, &s);
}

/* More than the buffers hold, so that reading and writing take turns more than once. */
TEST(one_spindle_takes_turns)
{
	rig_new(&rig, 150 * MIB + 4096, 512);
	rig_plan(&rig, NULL, 0, NULL, NULL);
	rig.setup.source.rotational = rig.setup.destination.rotational = YES;
	strcpy(rig.setup.source.spindle, "/sys/devices/spindle");
	strcpy(rig.setup.destination.spindle, "/sys/devices/spindle");
	struct job_snapshot s = rig_run(&rig);

	rig_check_copied(&rig, &s);
}

TEST(one_sector)
{
	struct range range = { 77, 1 };
	uint64_t at = 1030;

	rig_new(&rig, MIB, 512);
	rig_plan(&rig, &range, 1, &at, NULL);
	struct job_snapshot s = rig_run(&rig);

	rig_check_copied(&rig, &s);
	ck_assert_uint_eq(s.total, 512);
	ck_assert_uint_eq(s.source.requests, 1);
	ck_assert_uint_eq(s.destination.requests, 1);
}

TEST(many_tiny_extents_with_an_offset)
{
	static struct range ranges[3000];
	uint64_t at = 1001;
	unsigned seed = (unsigned)time(NULL);
	uint64_t lba = 3;

	printf("# seed %u\n", seed);
	srand(seed);
	for (size_t i = 0; i < 3000; i++) {
		ranges[i] = (struct range){ lba, 1 + (unsigned)rand() % 3 };
		lba += ranges[i].count + 1 + (unsigned)rand() % 2;
	}
	rig_new(&rig, 12 * MIB, 512);
	rig_plan(&rig, ranges, 3000, &at, NULL);
	rig.setup.map_path = rig.map_path;
	struct job_snapshot s = rig_run(&rig);

	rig_check_copied(&rig, &s);
	struct map *map = rig_load_map(&rig);

	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), s.total);
}

/* Awkward starts on both sides, cut at multiples of the chunk on the destination. */
TEST(unaligned_offset)
{
	struct range range = { 63, 12345 };
	uint64_t at = 2049;

	rig_new(&rig, 8 * MIB, 512);
	rig_plan(&rig, &range, 1, &at, &(struct plan_options){ .chunk = 32768 });
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	struct job_snapshot s = rig_run(&rig);
	struct fault_counts counts = fault_script_counts(rig.destination_script);

	rig_check_copied(&rig, &s);
	ck_assert_uint_eq(counts.first_written, 2049 * 512);
	ck_assert_uint_eq(counts.end_written, (2049 + 12345) * 512);
	ck_assert_uint_eq(counts.bytes_written, 12345 * 512);
	ck_assert_uint_eq(fault_script_counts(rig.source_script).bytes_read, 12345 * 512);
}

TEST(completions_in_any_order)
{
	rig_new(&rig, 8 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &(struct plan_options){ .chunk = 16384 });
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	rig_fault(&rig, .kind = FAULT_REORDER, .on = FAULT_BOTH, .start = MIB, .length = 3 * MIB);
	rig_fault(&rig, .kind = FAULT_BUSY, .on = FAULT_BOTH, .start = 5 * MIB, .length = MIB,
		  .times = 200);
	struct job_snapshot s = rig_run(&rig);

	rig_check_copied(&rig, &s);
}

TEST(pausing_holds)
{
	rig_new(&rig, 32 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &(struct plan_options){ .chunk = 65536, .rate = 8 * MIB });
	rig_start(&rig);
	rig_until_written(&rig, MIB);
	job_pause(rig.job, true);
	rig_until_state(&rig, JOB_PAUSED);
	struct job_snapshot s = rig_until_still(&rig);

	ck_assert_int_eq(s.state, JOB_PAUSED);
	ck_assert_uint_lt(s.written, s.total);
	/* What is told stands still between two ticks. */
	while (s.paused_ns <= 150 * MS) {
		usleep(1000);
		s = rig_look(&rig);
	}
	ck_assert(!s.eta.known);
	/* On and off faster than anyone looks. */
	for (int i = 0; i < 50; i++)
		job_pause(rig.job, i % 2);
	job_pause(rig.job, false);
	job_set_rate(rig.job, 0);
	s = rig_wait(&rig);
	rig_check_copied(&rig, &s);
	ck_assert_uint_lt(s.copy_ns + s.paused_ns, s.elapsed + MS);
}

TEST(paused_before_the_start)
{
	rig_new(&rig, 2 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, NULL);
	ck_assert_int_eq(job_new(&rig.setup, &rig.job, NULL), 0);
	job_pause(rig.job, true);
	ck_assert_int_eq(job_start(rig.job, NULL), 0);
	rig_until_state(&rig, JOB_PAUSED);
	usleep(100000);
	ck_assert_uint_eq(rig_look(&rig).read, 0);
	job_pause(rig.job, false);
	struct job_snapshot s = rig_wait(&rig);

	rig_check_copied(&rig, &s);
}

TEST(the_rate_is_kept_and_can_be_changed)
{
	rig_new(&rig, 24 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &(struct plan_options){ .chunk = 65536, .rate = 8 * MIB });

	uint64_t start = clock_monotonic();

	rig_start(&rig);
	struct job_snapshot s = rig_until_written(&rig, 8 * MIB);
	double seconds = (double)(clock_monotonic() - start) / NSEC_PER_SEC;

	/* A tenth of a second of credit. A slow machine may be slower, but none is quicker. */
	ck_assert_double_le((double)s.written, (seconds + 0.15) * 8 * MIB);
	job_set_rate(rig.job, 1);
	s = rig_until_still(&rig);
	ck_assert_int_eq(s.state, JOB_COPYING);
	ck_assert_uint_eq(s.rate_limit, 1);
	/* At that rate it would take half a year. */
	job_set_rate(rig.job, 0);
	s = rig_wait(&rig);
	rig_check_copied(&rig, &s);
}

static int refuse(void *user, struct error *reterr)
{
	atomic_fetch_add((atomic_int *)user, 1);
	return error_set(reterr, ERROR_CLASS_REFUSED, -EBUSY, "claim", "/dev/x",
			 "Another disk has this name now.");
}

TEST(a_claim_that_is_lost_writes_nothing)
{
	atomic_int calls = 0;

	rig_new(&rig, 4 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, NULL);
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	rig.setup.check = refuse;
	rig.setup.check_user = &calls;
	rig.setup.map_path = rig.map_path;
	rig_start(&rig);
	struct job_snapshot s = rig_wait(&rig);
	struct error error = { 0 };

	ck_assert_int_eq(s.result, JOB_RESULT_FAILED);
	ck_assert_int_eq(s.error.class, ERROR_CLASS_REFUSED);
	ck_assert_int_eq(job_wait(rig.job, &error), -EBUSY);
	ck_assert_str_eq(error.sentence, "Another disk has this name now.");
	ck_assert_int_eq(atomic_load(&calls), 1);
	ck_assert_uint_eq(fault_script_counts(rig.destination_script).writes, 0);
	/* A report names no map that nobody tried to save. */
	ck_assert_int_ne(access(rig.map_path, F_OK), 0);
	ck_assert(!s.map_saved_at && !s.map_failed);
	ck_assert(!s.flushed);
}

static int refuse_in_silence(void *user, struct error *reterr)
{
	return -ESTALE;
}

TEST(a_claim_lost_in_silence_is_no_success)
{
	rig_new(&rig, MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, NULL);
	rig.setup.check = refuse_in_silence;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_FAILED);

	ck_assert_int_eq(s.error.code, -ESTALE);
	ck_assert_ptr_nonnull(strstr(s.error.sentence, rig.destination_path));
	ck_assert_int_eq(job_wait(rig.job, NULL), -ESTALE);
}

TEST(changes_are_signalled_and_told)
{
	struct job_event events[JOB_EVENTS_MAX];
	struct pollfd fd = { .events = POLLIN };
	uint64_t after = 0;

	rig_new(&rig, 2 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, NULL);
	rig_start(&rig);
	fd.fd = job_event_fd(rig.job);
	ck_assert_int_eq(poll(&fd, 1, 5000), 1);
	rig_wait(&rig);

	size_t n = job_events(rig.job, 0, events, JOB_EVENTS_MAX);

	ck_assert_uint_ge(n, 2);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(events[i].number, ++after);
		ck_assert_uint_gt(strlen(events[i].text), 3);
	}
	ck_assert_uint_eq(rig_look(&rig).events, after);
	ck_assert_uint_eq(job_events(rig.job, after, events, JOB_EVENTS_MAX), 0);
	ck_assert_uint_eq(job_events(rig.job, after - 1, events, JOB_EVENTS_MAX), 1);
	/* The last snapshot cleared it. */
	ck_assert_int_eq(poll(&fd, 1, 0), 0);
}

/* The copy goes on without its log, and says so once. */
/* Who waits on the descriptor and looks then need not look again. */
TEST(what_is_signalled_is_in_the_snapshot)
{
	struct pollfd fd = { .events = POLLIN };
	struct job_event events[JOB_EVENTS_MAX];
	struct job_snapshot s;
	uint64_t newest;

	rig_new(&rig, 4 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &(struct plan_options){ .chunk = 65536, .rate = 8 * MIB });
	rig_start(&rig);
	job_set_rate(rig.job, 1);
	rig_until_still(&rig);
	job_event_add(rig.job, LOG_LEVEL_WARNING, "somebody should see to this");
	newest = job_events(rig.job, 0, events, JOB_EVENTS_MAX);
	fd.fd = job_event_fd(rig.job);
	do {
		ck_assert_int_eq(poll(&fd, 1, 5000), 1);
		job_snapshot(rig.job, &s);
	} while (s.events < newest);
	job_stop(rig.job);
	rig_wait(&rig);
}

TEST(a_log_that_is_full_is_told_once)
{
	const struct rlimit limit = { 64 * MIB, RLIM_INFINITY };
	struct job_event events[JOB_EVENTS_MAX];
	struct log *log;
	char path[160];
	size_t told = 0;

	rig_new(&rig, 2 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, NULL);
	snprintf(path, sizeof(path), "%s.log", rig.map_path);
	ck_assert_int_eq(log_open(path, &log, NULL), 0);
	/* No file may grow beyond where the log is already, as on a full disk. */
	ck_assert_int_eq(truncate(path, 64 * MIB), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	rig.setup.log = log;
	/* The log has a thread of its own: a copy this small may end before its first line. */
	ck_assert_int_eq(job_new(&rig.setup, &rig.job, NULL), 0);
	job_pause(rig.job, true);
	ck_assert_int_eq(job_start(rig.job, NULL), 0);
	for (unsigned i = 0; !rig_look(&rig).log_failed; i++) {
		ck_assert_uint_lt(i, 5000);
		usleep(2000);
	}
	job_pause(rig.job, false);
	struct job_snapshot s = rig_wait(&rig);

	rig_check_copied(&rig, &s);
	size_t n = job_events(rig.job, 0, events, JOB_EVENTS_MAX);

	for (size_t i = 0; i < n; i++)
		told += events[i].level == LOG_LEVEL_WARNING && strstr(events[i].text, path);
	ck_assert_uint_eq(told, 1);
	rig_drop_job(&rig);
	log_close(log);
}

TEST(the_map_shows_where_it_is)
{
	char cells[33];

	rig_new(&rig, 32 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &(struct plan_options){ .chunk = 65536, .rate = 8 * MIB });
	rig_start(&rig);
	rig_until_written(&rig, 4 * MIB);
	job_set_rate(rig.job, 1);
	job_map_cells(rig.job, 0, 0, 32, cells);
	ck_assert_ptr_nonnull(strchr(cells, '>'));
	ck_assert_int_eq(cells[0], '+');
	ck_assert_int_eq(cells[31], '?');
	job_map_cells(rig.job, 20 * MIB, MIB, 4, cells);
	ck_assert_str_eq(cells, "????");
	job_set_rate(rig.job, 0);
	rig_wait(&rig);
	job_map_cells(rig.job, 0, 0, 32, cells);
	ck_assert_str_eq(cells, "++++++++++++++++++++++++++++++++");
}

TEST(impossible_setups_are_refused)
{
	struct error error = { 0 };
	struct job *job = NULL;
	struct job_setup setup;

	rig_new(&rig, 2 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, NULL);

	setup = rig.setup;
	setup.destination.writable = false;
	ck_assert_int_eq(job_new(&setup, &job, &error), -EROFS);
	setup = rig.setup;
	setup.destination.size = 2 * MIB - 512;
	ck_assert_int_eq(job_new(&setup, &job, &error), -ERANGE);
	setup = rig.setup;
	setup.source.size = MIB;
	ck_assert_int_eq(job_new(&setup, &job, &error), -ERANGE);
	ck_assert_ptr_nonnull(strstr(error.sentence, rig.source_path));
	setup = rig.setup;
	setup.map_path = "";
	ck_assert_int_eq(job_new(&setup, &job, &error), -EINVAL);

	struct range range = { 1, 8 };

	rig_plan(&rig, &range, 1, NULL, NULL);
	setup = rig.setup;
	setup.destination.logical_sector_size = 4096;
	ck_assert_int_eq(job_new(&setup, &job, &error), -EINVAL);
	ck_assert_ptr_null(job);
}

TEST(never_started_or_started_twice)
{
	struct error error = { 0 };

	rig_new(&rig, 2 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, NULL);
	ck_assert_int_eq(job_new(&rig.setup, &rig.job, NULL), 0);
	ck_assert_int_eq(job_wait(rig.job, &error), -EINVAL);
	ck_assert_int_eq(rig_look(&rig).state, JOB_READY);
	ck_assert_uint_eq(rig_look(&rig).total, 2 * MIB);
	rig_drop_job(&rig);
	rig_start(&rig);
	ck_assert_int_eq(job_start(rig.job, &error), -EALREADY);
	/* Destroyed while it runs: stops and waits by itself. */
	rig_drop_job(&rig);
	job_destroy(NULL);
}

static void *wait_thread(void *arg)
{
	ck_assert_int_eq(job_wait(arg, NULL), 0);
	return NULL;
}

TEST(several_may_wait)
{
	pthread_t threads[4];

	rig_new(&rig, 4 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, NULL);
	rig_start(&rig);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, wait_thread, rig.job);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_eq(job_wait(rig.job, NULL), 0);
}
