/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one loop that reads and writes for all measurements. */
#include "bench/load.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/thread.h"
#include "io/backends.h"
#include "io/buffers.h"

#define DEPTH_MAX 256
#define ROOM_STEP NSEC_PER_MSEC
/* A disk that fails needs seconds for each place: one tells enough of a range, a few of all. */
#define FAILED_SEQUENTIAL 1
#define FAILED_ELSEWHERE  8
/* Two tracks or so: a disk that reads ahead has not got it yet. */
#define TRACK_STEP (2U << 20)

/* One load, shared by its readers. */
struct reading {
	struct bench_run *run;
	const struct bench_load *load;
	uint64_t places, deadline, requests;
	atomic_uint_fast64_t next; /* request */
	atomic_uint failed;
	atomic_int ended; /* the errno that ends the load, or 0 */
};

/* A thread with its own handle. */
struct reader {
	struct reading *reading;
	struct io_handle *handle;
	struct io_buffers *buffers;
	struct io_request *requests;
	bool held; /* the driver has no room yet for the request of this number */
	uint64_t number;
	unsigned depth;
	uint64_t random;
	pthread_t thread;
	bool started;
	uint64_t bytes, count;
	struct latency latency;
	struct error error;
};

static uint64_t place_of(struct reader *reader, uint64_t number)
{
	const struct bench_load *load = reader->reading->load;
	uint64_t places = reader->reading->places;
	uint64_t near = number / 2 * 37 % (places / 100 + 1);
	uint64_t step = TRACK_STEP / load->request ? TRACK_STEP / load->request : 1;

	switch (load->pattern) {
	case BENCH_SEQUENTIAL:
		return number % places;
	case BENCH_RANDOM:
		return bench_random(&reader->random) % places;
	case BENCH_ENDS:
		return number % 2 ? places - 1 - near : near;
	case BENCH_TRACKS:
		return places - 1 - (places / 2 + number * step) % places;
	case BENCH_SAME:
		break;
	}
	return 0;
}

/* False: nothing more is to be read. */
static bool next_place(struct reader *reader, uint64_t now, struct io_request *request)
{
	struct reading *reading = reader->reading;
	const struct bench_load *load = reading->load;

	/* However busy the machine is, one request is made. */
	if (atomic_load_explicit(&reading->ended, memory_order_relaxed) ||
	    (!reader->held && now >= reading->deadline &&
	     atomic_load_explicit(&reading->next, memory_order_relaxed) > 0))
		return false;
	if (!reader->held)
		reader->number = atomic_fetch_add_explicit(&reading->next, 1, memory_order_relaxed);
	if (reader->number >= reading->requests)
		return false;
	request->offset = load->start + place_of(reader, reader->number) * load->request;
	if (load->kept)
		request->buffer = load->kept->pieces[reader->number];
	return true;
}

static void end_with(struct reading *reading, int code)
{
	int none = 0;

	atomic_compare_exchange_strong(&reading->ended, &none, code);
}

static void take_failure(struct reader *reader, const struct io_request *request)
{
	struct reading *reading = reader->reading;
	unsigned most =
		reading->load->pattern == BENCH_SEQUENTIAL ? FAILED_SEQUENTIAL : FAILED_ELSEWHERE;

	if (!reader->error.code)
		io_explain(reader->handle, request, &reader->error);
	if (bench_is_fatal(reading->run, request->result))
		end_with(reading, bench_is_fatal(reading->run, 0) ? -ENODEV : request->result);
	else if (atomic_fetch_add(&reading->failed, 1) + 1 >= most)
		end_with(reading, -EIO);
}

static void take_answer(struct reader *reader, const struct io_request *request)
{
	if (request->result < 0) {
		take_failure(reader, request);
		return;
	}
	reader->bytes += request->length;
	reader->count++;
	latency_add(&reader->latency, request->completed - request->submitted);
}

/* Fills the queue. A backend that works inside the call never queues: it reads all of it here. */
static unsigned fill(struct reader *reader, struct io_request **idle, unsigned idle_count,
		     uint64_t *now)
{
	while (idle_count > 0) {
		struct io_request *request = idle[idle_count - 1];

		if (!next_place(reader, *now, request))
			break;
		request->submitted = 0;
		enum io_answer answer = io_submit(reader->handle, request);

		reader->held = answer == IO_BUSY;
		if (reader->held)
			break;
		if (answer == IO_QUEUED) {
			idle_count--;
			continue;
		}
		*now = request->completed;
		take_answer(reader, request);
		bench_answered(reader->reading->run, *now);
		if (bench_stops(reader->reading->run))
			end_with(reader->reading, -ECANCELED);
	}
	return idle_count;
}

/* Nothing of ours is in flight, so only others can keep the driver busy; for a disk that is gone,
 * the wait has no end. False: nothing more is to be read. */
static bool wait_for_room(struct reader *reader, uint64_t *now)
{
	struct reading *reading = reader->reading;

	if (!reader->held)
		return false;
	if (bench_stops(reading->run))
		end_with(reading, -ECANCELED);
	else if (bench_is_fatal(reading->run, 0))
		end_with(reading, -ENODEV);
	clock_sleep_until(clock_monotonic() + ROOM_STEP);
	*now = clock_monotonic();
	return !atomic_load(&reading->ended);
}

static void *read_all(void *data)
{
	struct reader *reader = data;
	struct reading *reading = reader->reading;
	struct io_request *idle[DEPTH_MAX];
	unsigned idle_count = reader->depth;
	uint64_t now = clock_monotonic();

	for (unsigned i = 0; i < reader->depth; i++)
		idle[i] = &reader->requests[i];
	for (;;) {
		idle_count = fill(reader, idle, idle_count, &now);
		if (idle_count == reader->depth && !wait_for_room(reader, &now))
			return NULL;
		if (idle_count == reader->depth)
			continue;
		int n = reader->handle->backend->reap(reader->handle, 1, reader->depth - idle_count,
						      UINT64_MAX, idle + idle_count);

		if (n < 0) {
			end_with(reading, n);
			return NULL;
		}
		for (int i = 0; i < n; i++) {
			now = idle[idle_count]->completed;
			take_answer(reader, idle[idle_count++]);
		}
		bench_answered(reading->run, now);
		if (bench_stops(reading->run))
			end_with(reading, -ECANCELED);
	}
}

static int open_reader(struct reading *reading, struct reader *reader, struct io_handle *sibling,
		       struct error *reterr)
{
	const struct bench_load *load = reading->load;
	int r = load->kept ? 0
			   : io_buffers_new(reader->depth, load->request, &reader->buffers, reterr);

	reader->requests = calloc(reader->depth, sizeof(*reader->requests));
	if (r == 0 && !reader->requests)
		r = error_nomem(reterr);
	for (unsigned i = 0; r == 0 && i < reader->depth; i++)
		reader->requests[i] = (struct io_request){
			.direction = load->write ? IO_WRITE : IO_READ,
			.length = load->request,
			.buffer = load->kept ? NULL : io_buffers_get(reader->buffers),
		};
	struct io_setup setup = { .depth = reader->depth,
				  .buffers = load->kept ? load->kept->pool : reader->buffers,
				  .singly = true,
				  .plain = load->plain,
				  .polled = load->polled,
				  .sibling = sibling };

	return r < 0 ? r : io_open(load->backend, load->end, &setup, &reader->handle, reterr);
}

static void close_readers(struct reader *readers, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		io_close(readers[i].handle);
		io_buffers_destroy(readers[i].buffers);
		free(readers[i].requests);
	}
	free(readers);
}

double bench_processor_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Moves the heads, and wakes up what sleeps. */
static void get_there(struct reading *reading, struct reader *reader)
{
	unsigned depth = reader->depth;
	uint64_t requests = reading->requests;

	reader->depth = 1;
	reading->requests = 1;
	read_all(reader);
	reader->depth = depth;
	atomic_store(&reading->next, 1);
	reading->requests = requests < UINT64_MAX ? requests + 1 : requests;
	reader->bytes = reader->count = 0;
	reader->latency = (struct latency){ 0 };
}

static void flush(struct reading *reading, struct reader *reader)
{
	int r = reader->handle->backend->flush(reader->handle, &reader->error);

	if (r < 0)
		end_with(reading, r);
}

static void start_and_wait(struct reading *reading, struct reader *readers, unsigned count,
			   struct bench_loaded *ret)
{
	reading->deadline = UINT64_MAX;
	if (reading->load->pattern == BENCH_SEQUENTIAL && !reading->load->kept)
		get_there(reading, &readers[0]);

	uint64_t begin = clock_monotonic();
	double cpu = bench_processor_seconds();

	reading->deadline = reading->load->ns ? begin + reading->load->ns : UINT64_MAX;
	for (unsigned i = 1; i < count; i++)
		readers[i].started =
			thread_create(&readers[i].thread, 0, read_all, &readers[i], "bench") == 0;
	read_all(&readers[0]);
	for (unsigned i = 1; i < count; i++)
		if (readers[i].started)
			pthread_join(readers[i].thread, NULL);
	if (reading->load->write && !atomic_load(&reading->ended))
		flush(reading, &readers[0]);
	ret->cpu = bench_processor_seconds() - cpu;
	ret->seconds = (double)(clock_monotonic() - begin) / 1e9;
}

/* What the driver answered. */
static void describe(const struct bench_load *load, const struct io_handle *handle,
		     struct bench_how *ret, bool *registered)
{
	const struct io_backend *backend = load->backend;
	struct io_stats stats = { 0 };

	*ret = (struct bench_how){ .request = load->request, .depth = load->depth };
	text_copy(ret->engine, sizeof(ret->engine), backend->name);
	if (backend->stats)
		backend->stats(handle, &stats);
	*registered = stats.registered;
	if (stats.known && (stats.direct || stats.indirect || stats.mapped))
		ret->path = stats.mapped     ? BENCH_MAPPED
			    : stats.indirect ? BENCH_INDIRECT
					     : BENCH_DIRECT;
	else if (backend == &io_buffered_backend)
		ret->path = BENCH_BUFFERED;
	else if (backend->traits & IO_DIRECT)
		ret->path = load->end->direct ? BENCH_DIRECT : BENCH_BUFFERED;
}

static void sum_up(struct reading *reading, struct reader *readers, unsigned count,
		   struct bench_loaded *ret)
{
	for (unsigned i = 0; i < count; i++) {
		ret->bytes += readers[i].bytes;
		ret->requests += readers[i].count;
		ret->calls += readers[i].handle->calls;
		latency_merge(&ret->latency, &readers[i].latency);
		if (readers[i].error.code && !ret->error.code)
			ret->error = readers[i].error;
	}
	ret->failed = atomic_load(&reading->failed);
	describe(reading->load, readers[0].handle, &ret->how, &ret->registered);
}

static int outcome(const struct reading *reading, const struct bench_loaded *loaded,
		   struct error *reterr)
{
	const char *name = reading->load->end->name;
	int code = atomic_load(&reading->ended);

	if (code == -ECANCELED || (code == -EIO && !reading->load->write))
		return code == -EIO ? 0 : code;
	if (code == 0 || !reading->load->write)
		return code == 0 ? 0
				 : error_set(reterr, ERROR_CLASS_SOURCE, code, "read", name,
					     _("%s cannot be read any more: %s."), name,
					     error_phrase(code));
	error_set(reterr, ERROR_CLASS_DESTINATION, code, "write", name,
		  _("%s cannot be written to any more: %s."), name, error_phrase(code));
	if (reterr && loaded->error.code)
		*reterr = loaded->error;
	return code;
}

static int run_load(struct bench_run *run, const struct bench_load *load, struct bench_loaded *ret,
		    struct error *reterr)
{
	bool queues = load->backend->traits & IO_ASYNC;
	uint64_t past = load->past ? load->past : load->end->size;
	unsigned count = queues ? 1 : load->depth;
	struct reading reading = {
		.run = run,
		.load = load,
		.places = (past - load->start) / load->request,
		.requests = load->kept    ? load->kept->count
			    : load->bytes ? (load->bytes + load->request - 1) / load->request
					  : UINT64_MAX,
	};
	struct reader *readers = calloc(count, sizeof(*readers));
	int r = 0;

	if (!readers)
		return error_nomem(reterr);
	if (!reading.places || !load->depth || load->depth > DEPTH_MAX)
		r = error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "read", load->end->name,
			      _("%s is too small for requests of %u bytes."), load->end->name,
			      load->request);
	for (unsigned i = 0; i < count; i++)
		readers[i] = (struct reader){
			.reading = &reading,
			.depth = queues ? load->depth : 1,
			.random = 0x9e3779b97f4a7c15ULL * (load->seed + i + 1),
		};
	for (unsigned i = 0; r == 0 && i < count; i++)
		r = open_reader(&reading, &readers[i], i ? readers[0].handle : NULL, reterr);
	if (r == 0) {
		start_and_wait(&reading, readers, count, ret);
		sum_up(&reading, readers, count, ret);
		if (ret->failed && !load->write)
			bench_bad_place(run, &ret->error);
		r = outcome(&reading, ret, reterr);
	}
	close_readers(readers, count);
	return r;
}

struct loading {
	struct bench_run *run;
	const struct bench_load *load;
	struct bench_loaded *loaded;
	struct error *error;
	int result;
};

/* The calling thread, on the processor where it is now. */
static void stay_here(void)
{
	cpu_set_t here;
	int cpu = sched_getcpu();

	CPU_ZERO(&here);
	if (cpu < 0)
		return;
	CPU_SET((size_t)cpu, &here);
	sched_setaffinity(0, sizeof(here), &here);
}

static void *run_in_thread(void *data)
{
	struct loading *loading = data;

	if (loading->load->depth == 1)
		stay_here();
	loading->result = run_load(loading->run, loading->load, loading->loaded, loading->error);
	return NULL;
}

/*
 * Each load has a thread of its own. Where a driver works inside the call (zram), the kernel keeps
 * threads for ours that io_uring gives the requests to. With one request in flight, such a thread
 * and ours wake each other up in turn; on two processors, each read waits until the other processor
 * has woken up, twice, which takes twenty times as long as the read. So a thread with one request
 * in flight stays on one processor, and those that the kernel keeps for it start there; those of an
 * earlier load would stay where they are.
 */
int bench_load_run(struct bench_run *run, const struct bench_load *load, struct bench_loaded *ret,
		   struct error *reterr)
{
	*ret = (struct bench_loaded){ 0 };

	struct loading loading = { run, load, ret, reterr, 0 };
	pthread_t thread;
	int r = thread_start(&thread, 0, run_in_thread, &loading, "bench-load", reterr);

	if (r < 0)
		return r;
	pthread_join(thread, NULL);
	/* As long as there are pages of the disk, each direct read looks for those it must not
	 * pass: a tenth of the speed of a disk in memory. */
	if (load->backend == &io_buffered_backend)
		io_forget(load->end);
	return loading.result;
}

int bench_kept_new(uint32_t count, uint32_t request, struct bench_kept **ret, struct error *reterr)
{
	struct bench_kept *kept = calloc(1, sizeof(*kept) + count * sizeof(kept->pieces[0]));
	int r = kept ? io_buffers_new(count, request, &kept->pool, reterr) : error_nomem(reterr);

	if (r < 0) {
		free(kept);
		return r;
	}
	kept->count = count;
	for (uint32_t i = 0; i < count; i++)
		kept->pieces[i] = io_buffers_get(kept->pool);
	*ret = kept;
	return 0;
}

void bench_kept_destroy(struct bench_kept *kept)
{
	if (kept)
		io_buffers_destroy(kept->pool);
	free(kept);
}

int bench_load_choose(const struct io_end *end, struct bench_load *ret, struct error *reterr)
{
	struct plan_options options = PLAN_OPTIONS_DEFAULT;
	struct io_choice choice;
	/* To a disk of its kind. */
	int r = io_backends_choose(end, end, &options, &choice, reterr);

	if (r < 0)
		return r;
	*ret = (struct bench_load){
		.backend = choice.source,
		.end = end,
		.request = choice.chunk,
		.depth = choice.source->traits & IO_ASYNC ? choice.source_depth : choice.lanes,
	};
	return 0;
}
