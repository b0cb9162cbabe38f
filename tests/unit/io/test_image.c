/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Images, with and without O_DIRECT: sparse, right over old content, any length. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "io_test.h"

#define MIB (1U << 20)

static struct io_end end;
static struct io_handle *handle;
static unsigned char *buffer, *expected;

static void open_image(uint64_t file_size, uint64_t end_size, bool direct)
{
	struct io_setup setup = { .depth = 1 };
	struct error error = { 0 };
	int fd = test_file(file_size, direct ? O_DIRECT : 0);

	ck_assert_msg(fd >= 0, "temporary file: %s", strerror(errno));
	end = test_end(fd, end_size, direct);
	end.regular_file = true;
	end.logical_sector_size = 0;
	ck_assert_msg(io_open(&io_image_backend, &end, &setup, &handle, &error) == 0, "%s",
		      error.sentence);
}

static void setup(void)
{
	buffer = test_buffer(4 * MIB);
	expected = test_buffer(4 * MIB);
}

static void teardown(void)
{
	io_close(handle);
	handle = NULL;
	close(end.fd);
	free(buffer);
	free(expected);
}

static int move(enum io_direction direction, uint64_t offset, uint32_t length)
{
	struct io_request request = {
		.direction = direction, .offset = offset, .length = length, .buffer = buffer
	};
	int r = test_run(handle, &request);

	if (r == 0)
		ck_assert_uint_eq(request.done, length);
	return r;
}

/* What is really in the file, read the plain way. */
static void check_file(uint64_t offset, const void *data, size_t length)
{
	char path[40];
	unsigned char *got = malloc(length);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", end.fd);

	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(pread(fd, got, length, (off_t)offset), (ssize_t)length);
	ck_assert_mem_eq(got, data, length);
	close(fd);
	free(got);
}

static struct stat file_stat(void)
{
	struct stat st;

	ck_assert_int_eq(fstat(end.fd, &st), 0);
	return st;
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST_ROWS(zeros_become_holes, 2)
{
	bool direct = _i;

	open_image(0, 4 * MIB, direct);
	ck_assert_int_eq(file_stat().st_size, 4 * MIB);
	memset(buffer, 0, 4 * MIB);
	test_fill(buffer + MIB, 65536, 1);
	memcpy(expected, buffer, 4 * MIB);
	ck_assert_int_eq(move(IO_WRITE, 0, 2 * MIB), 0);
	memset(buffer, 0, 2 * MIB);
	ck_assert_int_eq(move(IO_WRITE, 2 * MIB, 2 * MIB), 0);
	check_file(0, expected, 4 * MIB);
	ck_assert_int_le(file_stat().st_blocks * 512, 2 * 65536);
}

TEST_ROWS(zeros_overwrite_old_content, 2)
{
	bool direct = _i;

	open_image(4 * MIB, 4 * MIB, direct);
	test_fill(buffer, 4 * MIB, 2);
	ck_assert_int_eq(move(IO_WRITE, 0, 4 * MIB), 0);
	memcpy(expected, buffer, 4 * MIB);
	memset(buffer, 0, MIB);
	memset(expected + MIB, 0, MIB);
	ck_assert_int_eq(move(IO_WRITE, MIB, MIB), 0);
	check_file(0, expected, 4 * MIB);
	/* Not aligned to anything that a file system can punch. */
	memset(buffer, 0, 1536);
	memset(expected + 512, 0, 1536);
	ck_assert_int_eq(move(IO_WRITE, 512, 1536), 0);
	check_file(0, expected, 4 * MIB);
}

/* It would grow again with the next write, with a hole where something was copied before. */
TEST_ROWS(what_was_cut_off_takes_nothing_more, 2)
{
	open_image(0, 4 * MIB, _i);
	test_fill(buffer, MIB, 2);
	ck_assert_int_eq(move(IO_WRITE, MIB, MIB), 0);
	ck_assert_int_eq(ftruncate(end.fd, MIB), 0);
	ck_assert_int_eq(move(IO_WRITE, 2 * MIB, MIB), -EBADFD);
	ck_assert_int_eq(file_stat().st_size, MIB);
}

TEST_ROWS(odd_tails_are_written_and_read, 2)
{
	bool direct = _i;
	uint32_t tail = 65536 + 3 * 512;

	open_image(0, MIB + tail, direct);
	test_fill(buffer, tail, 3);
	memcpy(expected, buffer, tail);
	ck_assert_int_eq(move(IO_WRITE, MIB, tail), 0);
	check_file(MIB, expected, tail);
	ck_assert_int_eq(file_stat().st_size, MIB + tail);
	memset(buffer, 0xaa, tail);
	ck_assert_int_eq(move(IO_READ, MIB, tail), 0);
	ck_assert_mem_eq(buffer, expected, tail);
	/* and at an odd place */
	test_fill(buffer, 2048, 4);
	memcpy(expected + 512, buffer, 2048);
	ck_assert_int_eq(move(IO_WRITE, MIB + 512, 2048), 0);
	check_file(MIB, expected, tail);
}

TEST_ROWS(last_partial_sector_reads_as_zeros, 2)
{
	bool direct = _i;
	struct io_request beyond = { .direction = IO_READ, .offset = 1024, .length = 512 };

	open_image(1000, 1000, direct);
	memset(expected, 0, 1024);
	memset(expected, 'x', 1000);

	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", end.fd);

	int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_eq(pwrite(fd, expected, 1000, 0), 1000);
	close(fd);
	memset(buffer, 0xaa, 1024);
	ck_assert_int_eq(move(IO_READ, 0, 1024), 0);
	ck_assert_mem_eq(buffer, expected, 1024);
	beyond.buffer = buffer;
	ck_assert_int_eq(test_run(handle, &beyond), -EIO);
	ck_assert_int_eq(move(IO_READ, 0, 2048), -EIO);
}

TEST_ROWS(longer_file_keeps_its_length, 2)
{
	open_image(4 * MIB, MIB, _i);
	ck_assert_int_eq(file_stat().st_size, 4 * MIB);
}

TEST_ROWS(source_is_not_touched, 2)
{
	struct io_setup io_setup = { .depth = 1 };

	open_image(1000, 1000, _i);
	io_close(handle);
	end.writable = false;
	end.size = MIB; /* a lie must not lengthen a source */
	ck_assert_int_eq(io_open(&io_image_backend, &end, &io_setup, &handle, NULL), 0);
	ck_assert_int_eq(file_stat().st_size, 1000);
	ck_assert_int_eq(move(IO_READ, 65536, 512), -EIO);
}

TEST_ROWS(write_that_does_not_fit_is_an_error, 2)
{
	struct rlimit limit = { MIB, MIB };
	struct io_request request = { .direction = IO_WRITE, .offset = 0, .length = 2 * MIB };

	open_image(4 * MIB, 4 * MIB, _i);
	test_fill(buffer, 2 * MIB, 5);
	request.buffer = buffer;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	/* The first half fits and is done: the transfer is cut short before it fails. */
	ck_assert_int_eq(test_run(handle, &request), -EFBIG);
	ck_assert_uint_le(request.done, MIB);
	check_file(0, buffer, request.done);
}

TEST(only_files_are_images)
{
	struct error error = { 0 };

	open_image(MIB, MIB, false);
	ck_assert_int_eq(io_image_backend.probe(&io_image_backend, &end, &error), 0);
	end.regular_file = false;
	ck_assert_int_eq(io_image_backend.probe(&io_image_backend, &end, &error), -EOPNOTSUPP);
	ck_assert(error.sentence[0] != '\0');
}

TEST_ROWS(flush_reports, 2)
{
	struct error error = { 0 };

	open_image(MIB, MIB, _i);
	ck_assert_int_eq(handle->backend->flush(handle, &error), 0);
	ck_assert_int_eq(handle->backend->reap(handle, 0, 1, 0, NULL), 0);
	ck_assert_int_eq(handle->backend->poll_fd(handle), -1);
}
