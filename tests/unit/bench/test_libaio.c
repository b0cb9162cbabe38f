/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io_submit as a backend; where the kernel has none, nothing is to be tested. */
#include "unit.h"

#include <errno.h>

#include "bench/libaio.h"
#include "io/io_test.h"

#define KIB   1024U
#define SIZE  (64 * KIB)
#define DEPTH 4

static const struct io_backend *const aio = &bench_libaio_backend;
static struct io_end end;
static struct io_handle *handle;
static unsigned char *expected, *buffers[DEPTH + 1];

static void setup(void)
{
	const struct io_setup four = { .depth = DEPTH };

	end = test_end(test_file(SIZE, O_DIRECT), SIZE, true);
	ck_assert_int_ge(end.fd, 0);
	expected = test_buffer(SIZE);
	test_fill(expected, SIZE, 1);
	ck_assert_int_eq(pwrite(end.fd, expected, SIZE, 0), SIZE);
	for (unsigned i = 0; i <= DEPTH; i++)
		buffers[i] = test_buffer(4 * KIB);
	ck_assert_int_eq(aio->open(aio, &end, &four, &handle, NULL), 0);
}

static void teardown(void)
{
	io_close(handle);
	for (unsigned i = 0; i <= DEPTH; i++)
		free(buffers[i]);
	free(expected);
	close(end.fd);
}

static struct io_request ask(unsigned buffer, uint64_t offset)
{
	return (struct io_request){
		.direction = IO_READ, .offset = offset, .length = 4 * KIB, .buffer = buffers[buffer]
	};
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(reads_what_is_there)
{
	struct io_request requests[DEPTH], *done[DEPTH];
	unsigned got = 0;

	for (unsigned i = 0; i < DEPTH; i++) {
		requests[i] = ask(i, 8 * KIB * i);
		ck_assert_int_eq(io_submit(handle, &requests[i]), IO_QUEUED);
	}
	while (got < DEPTH) {
		int n = aio->reap(handle, 1, DEPTH - got, UINT64_MAX, done + got);

		ck_assert_int_ge(n, 1);
		got += (unsigned)n;
	}
	for (unsigned i = 0; i < DEPTH; i++) {
		ck_assert_int_eq(requests[i].result, 0);
		ck_assert_uint_eq(requests[i].done, 4 * KIB);
		ck_assert_mem_eq(buffers[i], expected + 8 * KIB * i, 4 * KIB);
	}
	/* All were sent by one call. */
	ck_assert_uint_ge(handle->calls, 2);
	ck_assert_uint_le(handle->calls, 1 + DEPTH);
}

TEST(depth_is_kept)
{
	struct io_request requests[DEPTH + 1], *done[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++) {
		requests[i] = ask(i, 4 * KIB * i);
		ck_assert_int_eq(io_submit(handle, &requests[i]), IO_QUEUED);
	}
	requests[DEPTH] = ask(DEPTH, 0);
	ck_assert_int_eq(io_submit(handle, &requests[DEPTH]), IO_BUSY);
	ck_assert_int_eq(aio->reap(handle, DEPTH, DEPTH, UINT64_MAX, done), DEPTH);
	ck_assert_int_eq(io_submit(handle, &requests[DEPTH]), IO_QUEUED);
	ck_assert_int_eq(aio->reap(handle, 1, 1, UINT64_MAX, done), 1);
	ck_assert_ptr_eq(done[0], &requests[DEPTH]);
}

TEST(end_of_the_device_is_an_error)
{
	struct io_request request = ask(0, SIZE - 2 * KIB), *done;

	ck_assert_int_eq(io_submit(handle, &request), IO_QUEUED);
	ck_assert_int_eq(aio->reap(handle, 1, 1, UINT64_MAX, &done), 1);
	ck_assert_int_eq(request.result, -EIO);
	ck_assert_uint_eq(request.done, 2 * KIB);
}

TEST(errors_of_the_kernel_come_back)
{
	struct io_request request = ask(0, 0), *done;

	request.length = 100; /* no sector */
	ck_assert_int_eq(io_submit(handle, &request), IO_QUEUED);
	int n = aio->reap(handle, 1, 1, UINT64_MAX, &done);

	/* Refused at once, or as an answer. */
	ck_assert(n == -EINVAL || (n == 1 && request.result == -EINVAL));
}

TEST(page_cache_is_refused)
{
	struct error error = { 0 };

	end.direct = false;
	ck_assert_int_eq(aio->probe(aio, &end, &error), -EOPNOTSUPP);
	ck_assert(strstr(error.sentence, "/dev/test"));
}
