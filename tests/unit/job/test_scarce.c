/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When memory, threads or a queue give out. The allocator and pthread_create are
 * wrapped by the linker; a backend of our own fails where it is told to.
 */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/sync.h"
#include "rig.h"

static struct rig rig;
static atomic_bool no_memory;
static atomic_int threads_left = 1000;
static atomic_bool no_help; /* threads only for who runs the test, none for the copy itself */
static pthread_t tester;

void *__real_reallocarray(void *p, size_t n, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	if (!atomic_load(&no_memory))
		return __real_reallocarray(p, n, size);
	errno = ENOMEM;
	return NULL;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg)
{
	if (atomic_fetch_sub(&threads_left, 1) <= 0 ||
	    (atomic_load(&no_help) && !pthread_equal(pthread_self(), tester)))
		return EAGAIN;
	return __real_pthread_create(thread, attr, run, arg);
}

/* ---- a backend that is told what to do ---- */

static int own_open(const struct io_backend *backend, const struct io_end *end,
		    const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	struct io_handle *handle = malloc(sizeof(*handle));

	*handle = (struct io_handle){ backend, end };
	*ret = handle;
	return 0;
}

static enum io_answer transfer(struct io_handle *handle, struct io_request *request)
{
	sync_begin(request);
	return sync_end(request,
			sync_transfer(handle, handle->end->fd, request, 0, request->length, 512));
}

/* Every second sector of the second mebibyte is bad. */
static enum io_answer comb_submit(struct io_handle *handle, struct io_request *request)
{
	uint64_t first = request->offset / 512,
		 last = (request->offset + request->length - 1) / 512;

	if (request->offset < 2 * MIB && request->offset + request->length > MIB &&
	    (last > first || first % 2)) {
		sync_begin(request);
		return sync_end(request, -EIO);
	}
	return transfer(handle, request);
}

/* Works inside submit although it claims to queue. */
static enum io_answer heavy_submit(struct io_handle *handle, struct io_request *request)
{
	sync_begin(request);
	clock_sleep_until(clock_monotonic() + 40 * MS);
	request->done = request->length;
	return sync_end(request, 0);
}

static atomic_int until_broken;

static enum io_answer broken_submit(struct io_handle *handle, struct io_request *request)
{
	return atomic_fetch_sub(&until_broken, 1) > 0 ? transfer(handle, request) : IO_QUEUED;
}

static int broken_reap(struct io_handle *handle, unsigned min, unsigned max, uint64_t timeout,
		       struct io_request **ret)
{
	return atomic_load(&until_broken) > 0 ? 0 : -EBADF;
}

static int own_poll_fd(struct io_handle *handle)
{
	return rig.source; /* a regular file: always readable */
}

static const struct io_backend comb_backend = {
	.name = "comb",
	.open = own_open,
	.submit = comb_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = sync_flush,
	.close = sync_close,
};

static const struct io_backend heavy_backend = {
	.name = "heavy",
	.traits = IO_ASYNC,
	.open = own_open,
	.submit = heavy_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = sync_flush,
	.close = sync_close,
};

static const struct io_backend broken_backend = {
	.name = "broken",
	.traits = IO_ASYNC,
	.open = own_open,
	.submit = broken_submit,
	.reap = broken_reap,
	.poll_fd = own_poll_fd,
	.flush = sync_flush,
	.close = sync_close,
};

UNIT_CASE(.teardown = rig_teardown, .timeout = 60);

/* Nobody has to continue it: nobody could, where there is no deck. */
TEST(no_memory_for_the_map_pauses)
{
	struct plan_options options = { .chunk = 64 * KIB, .on_error = ON_ERROR_MAP };
	struct job_event events[JOB_EVENTS_MAX];

	rig_new(&rig, 4 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &options);
	rig.setup.source_backend = &comb_backend;
	rig.setup.map_path = rig.map_path;
	ck_assert_int_eq(job_new(&rig.setup, &rig.job, NULL), 0);
	atomic_store(&no_memory, true);
	ck_assert_int_eq(job_start(rig.job, NULL), 0);
	rig_until_state(&rig, JOB_PAUSED);

	size_t n = job_events(rig.job, 0, events, JOB_EVENTS_MAX), told = 0;

	for (size_t i = 0; i < n; i++)
		told += strstr(events[i].text, "memory") != NULL;
	ck_assert_uint_ge(told, 1);
	ck_assert_uint_ge(rig_look(&rig).bad_areas, 100);

	atomic_store(&no_memory, false);
	struct job_snapshot s = rig_wait(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(s.bad_areas, 1024);
	ck_assert_uint_eq(s.written + s.bad_bytes, s.total);

	struct map *map = rig_load_map(&rig);

	ck_assert_uint_eq(map_areas(map, MAP_BAD), 1024);
	rig_check(&rig, map);
}

/* Whoever stops it does not wait for memory; what is not in the map is copied again. */
TEST(no_memory_delays_no_stop)
{
	struct plan_options options = { .chunk = 64 * KIB, .on_error = ON_ERROR_MAP };

	rig_new(&rig, 4 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &options);
	rig.setup.source_backend = &comb_backend;
	rig.setup.map_path = rig.map_path;
	ck_assert_int_eq(job_new(&rig.setup, &rig.job, NULL), 0);
	atomic_store(&no_memory, true);
	ck_assert_int_eq(job_start(rig.job, NULL), 0);
	rig_until_state(&rig, JOB_PAUSED);
	job_stop(rig.job);
	ck_assert_int_eq(rig_wait(&rig).result, JOB_RESULT_STOPPED);
	atomic_store(&no_memory, false);

	struct map *map = rig_load_map(&rig);

	ck_assert_uint_lt(map_bytes(map, MAP_FINISHED), 4 * MIB);
	rig_check(&rig, map);
}

/* Also where nothing changes any more that would be saved. */
TEST(a_map_that_found_no_memory_is_saved_later)
{
	char other[160];

	rig_new(&rig, 4 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL,
		 &(struct plan_options){ .chunk = 64 * KIB, .rate = 256 * KIB });
	rig.setup.map_path = rig.map_path;
	rig.setup.map_interval = 50 * MS;
	snprintf(other, sizeof(other), "%s/other", rig.dir);
	rig_start(&rig);
	job_pause(rig.job, true);
	rig_until_state(&rig, JOB_PAUSED);
	usleep(300000);
	atomic_store(&no_memory, true);
	ck_assert_int_eq(job_set_map_path(rig.job, other, 0, NULL), 0);
	usleep(300000);
	atomic_store(&no_memory, false);
	for (unsigned i = 0; i < 100 && access(other, F_OK) != 0; i++)
		usleep(20000);
	ck_assert_int_eq(access(other, F_OK), 0);
	job_stop(rig.job);
	ck_assert_int_eq(rig_wait(&rig).result, JOB_RESULT_STOPPED);
}

TEST(no_memory_at_the_start_is_an_error)
{
	struct error error = { 0 };
	struct job *job = NULL;

	rig_new(&rig, MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, NULL);
	atomic_store(&no_memory, true);
	ck_assert_int_eq(job_new(&rig.setup, &job, &error), -ENOMEM);
	ck_assert_ptr_null(job);
	atomic_store(&no_memory, false);
}

TEST(threads_that_do_not_start_are_unwound)
{
	struct error error = { 0 };

	rig_new(&rig, MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &(struct plan_options){ .lanes = 3 });
	for (int n = 0; n < 5; n++) {
		struct job *job = NULL;

		ck_assert_int_eq(job_new(&rig.setup, &job, &error), 0);
		atomic_store(&threads_left, n);
		error = (struct error){ 0 };
		ck_assert_int_eq(job_start(job, &error), -EAGAIN);
		ck_assert_uint_gt(strlen(error.sentence), 10);
		atomic_store(&threads_left, 1000);
		job_destroy(job);
	}
	rig_run_to(&rig, JOB_RESULT_COMPLETE);

	rig_check_complete(&rig);
}

TEST_ROWS(a_queue_that_breaks_ends_the_copy, 2)
{
	rig_new(&rig, 4 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL,
		 &(struct plan_options){ .chunk = 64 * KIB, .lanes = 1 + (unsigned)_i });
	rig.setup.source_backend = &broken_backend;
	rig.setup.destination_backend = &io_threads_backend;
	rig.setup.map_path = rig.map_path;
	atomic_store(&until_broken, 20);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_FAILED);

	ck_assert_int_eq(s.error.code, -EBADF);
	ck_assert_uint_gt(s.written, 0);
	ck_assert(s.map_safe);

	struct map *map = rig_load_map(&rig);

	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), s.written);
	rig_check(&rig, map);
}

/* Two lanes of which each has copied something within one second. */
static bool both_work(const struct job_snapshot *s)
{
	return s->lane_count == 2 && s->lanes[0].rate > 0 && s->lanes[1].rate > 0;
}

TEST(a_lane_at_its_limit_gets_help)
{
	struct job_snapshot s;

	if (cpu_count() < 2)
		return;
	rig_new(&rig, 64 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &(struct plan_options){ .chunk = 64 * KIB });
	rig.setup.source_backend = &heavy_backend;
	rig.setup.destination_backend = &heavy_backend;
	rig_start(&rig);
	do {
		usleep(20000);
		s = rig_look(&rig);
	} while (s.state != JOB_ENDED && !both_work(&s));
	ck_assert(both_work(&s));
	job_stop(rig.job);
	ck_assert_int_eq(rig_wait(&rig).result, JOB_RESULT_STOPPED);
}

TEST(help_that_cannot_start_is_no_failure)
{
	struct job_snapshot s;
	struct job_event events[JOB_EVENTS_MAX];
	size_t told = 0;

	if (cpu_count() < 2)
		return;
	rig_new(&rig, 64 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &(struct plan_options){ .chunk = 64 * KIB });
	rig.setup.source_backend = &heavy_backend;
	rig.setup.destination_backend = &heavy_backend;
	tester = pthread_self();
	atomic_store(&no_help, true);
	rig_start(&rig);
	do {
		usleep(20000);
		s = rig_look(&rig);

		size_t n = job_events(rig.job, 0, events, JOB_EVENTS_MAX);

		for (size_t e = 0; e < n; e++)
			told += strstr(events[e].text, "No other thread") != NULL;
	} while (s.state != JOB_ENDED && told == 0);
	ck_assert_uint_eq(told, 1);
	job_stop(rig.job);
	s = rig_wait(&rig);
	ck_assert_int_eq(s.error.code, 0);
	ck_assert_uint_eq(s.lane_count, 1);
	atomic_store(&no_help, false);
}
