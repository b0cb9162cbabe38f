/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io_uring; where this machine has none, only that it says so. */
#include "unit.h"

#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "fake/no_uring.h"
#include "io/buffers.h"
#include "io_test.h"

#define MIB   (1U << 20)
#define SLOTS 8

static struct io_end end;
static struct io_buffers *buffers;
static struct io_handle *handle;

static void setup(void)
{
	end = test_end(test_file(16 * MIB, O_DIRECT), 16 * MIB, true);
	ck_assert_int_ge(end.fd, 0);
	ck_assert_int_eq(io_buffers_new(SLOTS, MIB, &buffers, NULL), 0);
}

static void teardown(void)
{
	io_close(handle);
	handle = NULL;
	io_buffers_destroy(buffers);
	close(end.fd);
}

/* A driver that works inside the call takes no request that must not wait: the kernel hands it to
 * threads of its own then. */
static bool inside_the_call;

ssize_t preadv2(int fd, const struct iovec *pieces, int count, off_t offset, int flags)
{
	if (inside_the_call && flags & RWF_NOWAIT) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return syscall(SYS_preadv2, fd, pieces, count, offset, 0, flags);
}

static struct io_handle *open_ring(unsigned depth, struct io_handle *peer)
{
	struct io_setup io_setup = { .depth = depth, .buffers = buffers, .peer = peer };
	struct io_handle *opened = NULL;
	struct error error = { 0 };
	int r = io_open(&io_uring_backend, &end, &io_setup, &opened, &error);

	ck_assert_msg(r == 0, "%s", error.sentence);
	return opened;
}

static void check_round_trip(void *data)
{
	unsigned char *expected = test_buffer(MIB);
	struct io_request request = {
		.direction = IO_WRITE, .offset = 3 * MIB, .length = MIB, .buffer = data
	};

	test_fill(data, MIB, 1);
	memcpy(expected, data, MIB);
	ck_assert_int_eq(test_run(handle, &request), 0);
	ck_assert_uint_eq(request.done, MIB);
	ck_assert(request.submitted && request.completed > request.submitted);
	memset(data, 0, MIB);
	request.direction = IO_READ;
	ck_assert_int_eq(test_run(handle, &request), 0);
	ck_assert_mem_eq(data, expected, MIB);
	ck_assert_int_eq(handle->backend->flush(handle, NULL), 0);
	free(expected);
}

UNIT_CASE(.setup = setup, .teardown = teardown, .possible = test_rings_work);

#if HAVE_LIBURING

#include "io/uring_queue.h"

/* Whether the kernel would defer the work of completions, and its threads do the requests. */
static void check_ring(bool singly, bool deferred, bool threads)
{
	struct io_setup io_setup = { .depth = SLOTS, .buffers = buffers, .singly = singly };
	struct uring_queue *queue;

	ck_assert_int_eq(uring_queue_new(&end, &io_setup, &queue, NULL), 0);
	ck_assert_int_eq((queue->ring.flags & IORING_SETUP_DEFER_TASKRUN) != 0, deferred);
	ck_assert_int_eq(queue->threads, threads);
	uring_queue_unref(queue);
}

TEST(answers_of_kernel_threads_are_deferred_only_for_who_waits_for_several)
{
	struct io_uring ring;
	bool defers =
		io_uring_queue_init(2, &ring,
				    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN) == 0;

	if (defers)
		io_uring_queue_exit(&ring);
	check_ring(false, defers, false);
	check_ring(true, defers, false);
	inside_the_call = true;
	check_ring(false, defers, false);
	check_ring(true, false, true);
	inside_the_call = false;
}

/* With as many in flight as make it look for answers before it sleeps, and with fewer. */
TEST(what_kernel_threads_read_comes_back_once)
{
	struct io_setup io_setup = { .depth = SLOTS, .buffers = buffers, .singly = true };
	struct io_request requests[SLOTS], *done[SLOTS];
	unsigned next = 0, got = 0;
	void *first = io_buffers_get(buffers);

	inside_the_call = true;
	ck_assert_int_eq(io_open(&io_uring_backend, &end, &io_setup, &handle, NULL), 0);
	inside_the_call = false;
	check_round_trip(first);
	for (; next < SLOTS; next++) {
		requests[next] =
			(struct io_request){ .offset = (uint64_t)next * MIB,
					     .length = MIB,
					     .buffer = next ? io_buffers_get(buffers) : first };
		ck_assert_int_eq(io_submit(handle, &requests[next]), IO_QUEUED);
	}
	while (got < 16) {
		int n = handle->backend->reap(handle, 1, SLOTS, UINT64_MAX, done);

		ck_assert_int_gt(n, 0);
		for (int i = 0; i < n; i++, got++) {
			ck_assert_int_eq(done[i]->result, 0);
			ck_assert_uint_eq(done[i]->done, MIB);
			if (next < 16)
				ck_assert_int_eq(io_submit(handle, done[i]), IO_QUEUED);
			next += next < 16;
		}
	}
	ck_assert_uint_eq(got, 16);
	ck_assert_int_eq(handle->backend->reap(handle, 1, SLOTS, 1000000, done), 0);
}

#endif

TEST(what_is_written_is_read)
{
	handle = open_ring(4, NULL);
	check_round_trip(io_buffers_get(buffers));

	void *foreign = test_buffer(MIB); /* memory that is not registered */

	check_round_trip(foreign);
	free(foreign);
}

static bool is_registered(void)
{
	struct io_stats stats;

	handle->backend->stats(handle, &stats);
	return stats.registered;
}

/* Both ways of reading for a comparison; the system calls of each are counted. */
TEST(plain_registers_nothing)
{
	struct io_setup plain = { .depth = 4, .buffers = buffers, .plain = true };
	bool registers;

	handle = open_ring(4, NULL);
	registers = is_registered(); /* kernels before 6.3 cut huge pages up, so it is not done */
	check_round_trip(io_buffers_get(buffers));
	ck_assert_uint_ge(handle->calls, 2);
	ck_assert(is_registered() == registers);
	io_close(handle);
	ck_assert_int_eq(io_open(&io_uring_backend, &end, &plain, &handle, NULL), 0);
	ck_assert(!is_registered());
	check_round_trip(io_buffers_get(buffers));
}

TEST(depth_is_kept)
{
	struct io_request requests[4], *done[4];

	handle = open_ring(3, NULL);
	for (int i = 0; i < 4; i++) {
		requests[i] = (struct io_request){ .direction = IO_READ,
						   .offset = (uint64_t)i * MIB,
						   .length = MIB,
						   .buffer = io_buffers_get(buffers) };
		ck_assert_int_eq(handle->backend->submit(handle, &requests[i]),
				 i < 3 ? IO_QUEUED : IO_BUSY);
	}
	ck_assert_int_eq(handle->backend->reap(handle, 1, 1, UINT64_MAX, done), 1);
	ck_assert_int_eq(handle->backend->submit(handle, &requests[3]), IO_QUEUED);
	ck_assert_int_eq(handle->backend->reap(handle, 3, 4, UINT64_MAX, done), 3);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(requests[i].result, 0);
}

TEST(waiting_ends_with_the_time)
{
	struct io_request *done[1];
	struct io_request request = { .direction = IO_READ,
				      .length = 4096,
				      .buffer = io_buffers_get(buffers) };

	handle = open_ring(2, NULL);
	ck_assert_int_eq(test_run(handle, &request), 0);

	uint64_t start = clock_monotonic();

	ck_assert_int_eq(handle->backend->reap(handle, 1, 1, 30 * NSEC_PER_MSEC, done), 0);
	ck_assert_uint_ge(clock_monotonic() - start, 25 * NSEC_PER_MSEC);
	ck_assert_int_eq(handle->backend->reap(handle, 0, 1, 0, done), 0);
}

TEST(descriptor_tells_of_completions)
{
	struct io_request *done[2] = { NULL, NULL };
	struct io_request request = { .direction = IO_READ,
				      .length = MIB,
				      .buffer = io_buffers_get(buffers) };
	struct pollfd fd = { .events = POLLIN };

	handle = open_ring(2, NULL);
	for (int round = 0; round < 50; round++) {
		int n;

		ck_assert_int_eq(handle->backend->submit(handle, &request), IO_QUEUED);
		fd.fd = handle->backend->poll_fd(handle);
		while ((n = handle->backend->reap(handle, 0, 2, 0, done)) == 0)
			ck_assert_int_eq(poll(&fd, 1, 5000), 1);
		ck_assert_int_eq(n, 1);
		ck_assert_ptr_eq(done[0], &request);
	}
	/* It may have fired for what was reaped already; it does not stay so. */
	ck_assert_int_eq(handle->backend->reap(handle, 0, 2, 0, done), 0);
	ck_assert_int_eq(poll(&fd, 1, 0), 0);
}

TEST(end_of_the_device_is_an_error)
{
	struct io_request request = { .direction = IO_READ,
				      .offset = 16 * MIB - 8192,
				      .length = 65536 };

	request.buffer = io_buffers_get(buffers);
	handle = open_ring(2, NULL);
	ck_assert_int_eq(test_run(handle, &request), -EIO);
	ck_assert_uint_eq(request.done, 8192);
}

TEST(short_writes_go_on_until_they_fail)
{
	struct rlimit limit = { MIB / 2, MIB / 2 };
	struct io_request request = { .direction = IO_WRITE, .length = MIB };

	request.buffer = io_buffers_get(buffers);
	handle = open_ring(2, NULL);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(test_run(handle, &request), -EFBIG);
	ck_assert_uint_eq(request.done, MIB / 2);
}

/* a is the handle's request, b that of the peer that is returned. */
static struct io_handle *submit_to_peers(struct io_request *a, struct io_request *b)
{
	struct io_handle *peer;

	a->length = b->length = b->offset = MIB;
	a->buffer = io_buffers_get(buffers);
	b->buffer = io_buffers_get(buffers);
	handle = open_ring(2, NULL);
	peer = open_ring(2, handle);
	ck_assert_int_eq(peer->backend->poll_fd(peer), handle->backend->poll_fd(handle));
	ck_assert_int_eq(handle->backend->submit(handle, a), IO_QUEUED);
	ck_assert_int_eq(peer->backend->submit(peer, b), IO_QUEUED);
	return peer;
}

TEST(peers_reap_for_each_other)
{
	struct io_request a = { .direction = IO_READ }, b = { .direction = IO_WRITE };
	struct io_request *done[2] = { NULL, NULL };
	struct io_handle *peer = submit_to_peers(&a, &b);

	ck_assert_int_eq(handle->backend->reap(handle, 2, 2, UINT64_MAX, done), 2);
	ck_assert(done[0] != done[1]);
	ck_assert_int_eq(a.result, 0);
	ck_assert_int_eq(b.result, 0);
	io_close(peer);
}

TEST(closing_one_peer_keeps_the_other_s_requests)
{
	struct io_request a = { .direction = IO_READ }, b = { .direction = IO_READ };
	struct io_request *done[2] = { NULL, NULL };

	io_close(submit_to_peers(&a, &b)); /* waits for b, may see a come by */
	ck_assert_int_eq(handle->backend->reap(handle, 1, 2, UINT64_MAX, done), 1);
	ck_assert_ptr_eq(done[0], &a);
	ck_assert_int_eq(a.result, 0);
}

TEST(cancelled_requests_still_come_back)
{
	struct io_request requests[SLOTS], *done[SLOTS];
	int got = 0;

	handle = open_ring(SLOTS, NULL);
	for (int i = 0; i < SLOTS; i++) {
		requests[i] = (struct io_request){ .direction = IO_READ,
						   .offset = (uint64_t)i * MIB,
						   .length = MIB,
						   .result = 1,
						   .buffer = io_buffers_get(buffers) };
		ck_assert_int_eq(handle->backend->submit(handle, &requests[i]), IO_QUEUED);
	}
	handle->backend->cancel(handle);
	while (got < SLOTS) {
		int n = handle->backend->reap(handle, 1, SLOTS, UINT64_MAX, done);

		ck_assert_int_gt(n, 0);
		got += n;
	}
	for (int i = 0; i < SLOTS; i++)
		ck_assert(requests[i].result == 0 || requests[i].result == -ECANCELED ||
			  requests[i].result == -EINTR);
}

static void *use_from_thread(void *arg)
{
	check_round_trip(arg);
	io_close(handle);
	handle = NULL;
	return NULL;
}

TEST(opened_here_used_in_another_thread)
{
	pthread_t thread;

	handle = open_ring(2, NULL);
	pthread_create(&thread, NULL, use_from_thread, io_buffers_get(buffers));
	pthread_join(thread, NULL);
}

TEST(works_where_the_arena_may_not_be_locked)
{
	struct rlimit little = { 256 << 10, 256 << 10 }; /* the ring fits, 8 MiB do not */

	ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &little), 0);
	if (geteuid() == 0)
		ck_assert_int_eq(setresuid(65534, 65534, 65534), 0);
	handle = open_ring(2, NULL);
	check_round_trip(io_buffers_get(buffers));
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST_ROWS(absence_is_said, 3)
{
	static const int codes[] = { ENOSYS, EPERM, ENOMEM };
	struct io_setup io_setup = { .depth = 1 };
	struct io_handle *opened = NULL;
	struct error error = { 0 };

	ck_assert_int_eq(no_uring(codes[_i]), 0);
	ck_assert_int_eq(io_uring_backend.probe(&io_uring_backend, &end, &error), -EOPNOTSUPP);
	ck_assert(error.sentence[0] != '\0');
	ck_assert_int_eq(error.class, ERROR_CLASS_ENVIRONMENT);
	ck_assert_int_eq(io_open(&io_uring_backend, &end, &io_setup, &opened, &error), -EOPNOTSUPP);
	ck_assert_ptr_null(opened);
}

/* Found out where another backend can still be chosen. */
TEST_ROWS(a_ring_that_may_not_be_set_going_is_none, 3)
{
	static const int codes[] = { ENOSYS, EPERM, EACCES };
	struct error error = { 0 };

	ck_assert_int_eq(no_call(__NR_io_uring_register, codes[_i]), 0);
	ck_assert_int_eq(io_uring_backend.probe(&io_uring_backend, &end, &error), -EOPNOTSUPP);
	ck_assert(error.sentence[0] != '\0');
}

TEST(page_cache_is_refused)
{
	struct error error = { 0 };

	end.direct = false;
	ck_assert_int_eq(io_uring_backend.probe(&io_uring_backend, &end, &error), -EOPNOTSUPP);
}
