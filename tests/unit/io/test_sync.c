/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The synchronous backends: threads, buffered, null. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "io/sync.h"
#include "io_test.h"

#define MIB (1U << 20)

static unsigned char *buffer, *expected;
static struct io_end end;
static struct io_handle *handle;

static void setup(void)
{
	buffer = test_buffer(2 * MIB);
	expected = test_buffer(2 * MIB);
	test_fill(buffer, 2 * MIB, 1);
	memcpy(expected, buffer, 2 * MIB);
	end.fd = -1;
	handle = NULL;
}

static void teardown(void)
{
	io_close(handle);
	fd_close(end.fd);
	free(buffer);
	free(expected);
}

static const struct io_backend *const backends[] = { &io_threads_backend, &io_buffered_backend };

static void open_on(const struct io_backend *backend, struct io_end on)
{
	struct io_setup io_setup = { .depth = 1 };
	struct error error = { 0 };

	end = on;
	ck_assert_msg(backend->probe(backend, &end, &error) == 0, "%s", error.sentence);
	ck_assert_int_eq(io_open(backend, &end, &io_setup, &handle, &error), 0);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST_ROWS(what_is_written_is_read, 2)
{
	struct io_request request = {
		.direction = IO_WRITE, .offset = MIB, .length = MIB, .buffer = buffer
	};

	open_on(backends[_i], test_end(test_file(2 * MIB, O_DIRECT), 2 * MIB, true));
	ck_assert_int_eq(test_run(handle, &request), 0);
	ck_assert_uint_eq(request.done, MIB);
	ck_assert(request.submitted && request.completed >= request.submitted);
	memset(buffer, 0, MIB);
	request.direction = IO_READ;
	ck_assert_int_eq(test_run(handle, &request), 0);
	ck_assert_mem_eq(buffer, expected, MIB);
	ck_assert_int_eq(handle->backend->flush(handle, NULL), 0);
}

/* It has its length from the start, and does not grow again once it was cut off. */
TEST_ROWS(a_file_has_the_length_of_its_end, 2)
{
	struct io_setup setup = { .depth = 1 };
	struct io_handle *other;
	struct io_request request = { .direction = IO_WRITE, .length = MIB, .buffer = buffer };
	struct stat st;

	end = test_end(test_file(0, O_DIRECT), 4 * MIB, true);
	end.regular_file = true;
	open_on(backends[_i], end);
	ck_assert_int_eq(fstat(end.fd, &st), 0);
	ck_assert_int_eq(st.st_size, 4 * MIB);
	ck_assert_int_eq(test_run(handle, &request), 0);
	ck_assert_int_eq(ftruncate(end.fd, MIB), 0);
	/* Another lane comes. */
	setup.sibling = handle;
	ck_assert_int_eq(io_open(backends[_i], &end, &setup, &other, NULL), 0);
	request.offset = 2 * MIB;
	ck_assert_int_eq(test_run(other, &request), -EBADFD);
	ck_assert_int_eq(test_run(handle, &request), -EBADFD);
	ck_assert_int_eq(fstat(end.fd, &st), 0);
	ck_assert_int_eq(st.st_size, MIB);
	io_close(other);
}

TEST_ROWS(end_of_the_device_is_an_error, 2)
{
	struct io_request request = {
		.direction = IO_READ, .offset = MIB - 8192, .length = 65536, .buffer = buffer
	};

	open_on(backends[_i], test_end(test_file(MIB, O_DIRECT), MIB, true));
	ck_assert_int_eq(test_run(handle, &request), -EIO);
	ck_assert_uint_eq(request.done, 8192);
	request.offset = MIB;
	ck_assert_int_eq(test_run(handle, &request), -EIO);
	ck_assert_uint_eq(request.done, 0);
}

TEST_ROWS(short_writes_go_on_until_they_fail, 2)
{
	struct io_request request = {
		.direction = IO_WRITE, .offset = 0, .length = 2 * MIB, .buffer = buffer
	};
	struct rlimit limit = { MIB, MIB };

	open_on(backends[_i], test_end(test_file(2 * MIB, O_DIRECT), 2 * MIB, true));
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(test_run(handle, &request), -EFBIG);
	ck_assert_uint_eq(request.done, MIB);
}

TEST(short_transfers_restart_at_a_sector)
{
	/* A file of odd length read in units of 512: the last whole sector counts, no more. */
	struct io_request request = {
		.direction = IO_READ, .offset = 0, .length = 2048, .buffer = buffer
	};
	struct io_handle alone = { .end = &end };

	end = test_end(test_file(1300, 0), 1300, false);
	ck_assert_int_eq(sync_transfer(&alone, end.fd, &request, 0, 2048, 512), -EIO);
	ck_assert_uint_eq(alone.calls, 2); /* the second one found the end */
	ck_assert_uint_eq(request.done, 1024);
}

TEST_ROWS(bad_descriptor_is_reported, 1)
{
	struct io_request request = { .direction = IO_READ, .length = 512, .buffer = buffer };
	struct error error = { 0 };

	open_on(backends[_i], test_end(test_file(MIB, O_DIRECT), MIB, true));
	close(end.fd);
	end.fd = -1;
	ck_assert_int_eq(test_run(handle, &request), -EBADF);
	ck_assert_int_eq(handle->backend->flush(handle, &error), -EBADF);
	ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);
	ck_assert_str_eq(error.operation, "flush");
	end.writable = false; /* nothing to flush on a source */
	ck_assert_int_eq(handle->backend->flush(handle, &error), 0);
}

TEST(direct_is_probed_and_left_alone)
{
	struct io_request request = {
		.direction = IO_WRITE, .offset = 512, .length = 512, .buffer = buffer + 3
	};
	struct error error = { 0 };

	end = test_end(test_file(MIB, O_DIRECT), MIB, false);
	ck_assert_int_eq(io_threads_backend.probe(&io_threads_backend, &end, &error), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/test"));
	ck_assert(fcntl(end.fd, F_GETFL) & O_DIRECT);
	/* Not aligned to anything: through a description of its own. */
	open_on(&io_buffered_backend, end);
	ck_assert_int_eq(test_run(handle, &request), 0);
	ck_assert(fcntl(end.fd, F_GETFL) & O_DIRECT);
}

TEST(null_reads_zeros_and_forgets)
{
	struct io_request request = {
		.direction = IO_WRITE, .offset = 1ULL << 50, .length = MIB, .buffer = buffer
	};

	open_on(&io_null_backend, test_end(-1, 1ULL << 60, true));
	ck_assert_int_eq(test_run(handle, &request), 0);
	ck_assert_mem_eq(buffer, expected, MIB);
	request.direction = IO_READ;
	ck_assert_int_eq(test_run(handle, &request), 0);
	memset(expected, 0, MIB);
	ck_assert_mem_eq(buffer, expected, MIB);
	ck_assert_mem_ne(buffer + MIB, expected, MIB);
	ck_assert_int_eq(handle->backend->flush(handle, NULL), 0);
}
