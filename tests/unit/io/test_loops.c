/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every backend with every other on loop devices of both sector sizes, at
 * several depths and chunk sizes: the destination is scribbled over before and
 * compared in full afterwards, with the bytes behind the copy. Needs root.
 */
#include "unit.h"

#include <errno.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"
#include "fake/loop.h"
#include "fake/miniloop.h"
#include "fake/open_alone.h"
#include "io_test.h"

#define MIB     (1U << 20)
#define GUARD   65536U /* bytes behind the copy that must stay */
#define SECTORS 7U     /* the copy is 3 MiB and this many sectors long */

struct side {
	int file; /* backing file, plain */
	int loop; /* keeps the device */
	char node[LOOP_NODE_MAX];
	struct io_end end;
};

static struct side from, to;
static uint32_t sector;
static uint64_t length;
static unsigned char *original, *scribble, *got;

static bool side_open(struct side *side, const void *content, size_t size)
{
	side->file = test_file(size, 0);
	if (pwrite(side->file, content, size, 0) != (ssize_t)size || fsync(side->file) < 0)
		return false;
	side->loop = loop_attach(side->file, sector, LO_FLAGS_DIRECT_IO, side->node);
	return side->loop >= 0;
}

static void attach(uint32_t sector_size)
{
	sector = sector_size;
	length = 3 * MIB + SECTORS * sector;

	size_t size = length + GUARD;

	original = malloc(size);
	scribble = malloc(size);
	got = malloc(size);
	test_fill(original, size, 1);
	test_fill(scribble, size, 2);
	memset(original + MIB, 0, 200000); /* holes, for the images */
	ck_assert(side_open(&from, original, size));
	ck_assert(side_open(&to, scribble, size));
}

static void detach(void)
{
	close(from.loop);
	close(to.loop);
	close(from.file);
	close(to.file);
	free(original);
	free(scribble);
	free(got);
}

static void scribble_over(void)
{
	ck_assert_int_eq(pwrite(to.file, scribble, length + GUARD, 0), length + GUARD);
	ck_assert_int_eq(fsync(to.file), 0);
}

static void compare(const char *what)
{
	ck_assert_int_eq(pread(to.file, got, length + GUARD, 0), length + GUARD);
	ck_assert_msg(memcmp(got, original, length) == 0, "%s: the copy differs", what);
	ck_assert_msg(memcmp(got + length, scribble + length, GUARD) == 0,
		      "%s: bytes behind the copy were touched", what);
}

static void open_targets(void)
{
	ck_assert_int_eq(miniloop_open(from.node, false, true, &from.end), 0);
	ck_assert_int_eq(miniloop_open(to.node, true, true, &to.end), 0);
	ck_assert_uint_eq(from.end.logical_sector_size, sector);
}

static void close_targets(void)
{
	miniloop_close(&from.end);
	miniloop_close(&to.end);
}

static void copy_once(const struct plan_options *options)
{
	struct miniloop loop = { .length = length };
	struct error error = { 0 };
	char what[128];
	int r;

	open_targets();
	loop.source = from.end;
	loop.destination = to.end;
	scribble_over();
	r = io_backends_choose(&loop.source, &loop.destination, options, &loop.choice, &error);
	ck_assert_msg(r == 0, "%s", error.sentence);
	snprintf(what, sizeof(what), "%s to %s, depth %u, chunk %u, sectors of %u, %u lanes",
		 loop.choice.source->name, loop.choice.destination->name, options->queue_depth,
		 loop.choice.chunk, sector, loop.choice.lanes);
	r = miniloop_run(&loop, &error);
	ck_assert_msg(r == 0, "%s: %s", what, error.sentence);
	close_targets();
	compare(what);
}

static const enum backend_choice choices[] = { BACKEND_AUTO, BACKEND_URING, BACKEND_THREADS,
					       BACKEND_BUFFERED };
static const uint32_t sector_sizes[] = { 512, 4096 };

static bool loops_work(void)
{
	char node[LOOP_NODE_MAX];
	int file = test_file(MIB, 0);
	int loop = geteuid() == 0 ? loop_attach(file, 512, LO_FLAGS_DIRECT_IO, node) : -EPERM;

	close(file);
	fd_close(loop);
	return loop >= 0;
}

UNIT_CASE(.timeout = 60, .possible = loops_work);

/* _i: sector size, source, destination. */
TEST_ROWS(every_backend_with_every_other, 32)
{
	static const uint32_t depths[] = { 1, 4, 16 };
	static const uint32_t chunks[] = { 4096, 65536, MIB };

	attach(sector_sizes[_i & 1]);
	for (size_t d = 0; d < 3; d++)
		for (size_t c = 0; c < 3; c++)
			copy_once(&(struct plan_options){
				.source_backend = choices[(_i >> 1) & 3],
				.destination_backend = choices[(_i >> 3) & 3],
				.queue_depth = depths[d],
				.chunk = chunks[c],
			});
	detach();
}

TEST_ROWS(more_lanes, 6)
{
	attach(sector_sizes[_i & 1]);
	for (uint32_t lanes = 2; lanes <= 4; lanes++)
		copy_once(&(struct plan_options){ .lanes = lanes,
						  .chunk = 65536,
						  .queue_depth = 4,
						  .source_backend = choices[(_i >> 1) + 1],
						  .destination_backend = choices[(_i >> 1) + 1] });
	detach();
}

/* _i: sector size, O_DIRECT. A disk into an image, and that image onto a disk. */
TEST_ROWS(through_an_image, 4)
{
	bool direct = _i & 2;
	struct miniloop loop = { .length = 0 };
	struct plan_options options = { .chunk = 65536 };
	struct io_end image;

	attach(sector_sizes[_i & 1]);
	loop.length = length;
	open_targets();

	int fd = test_file(0, direct ? O_DIRECT : 0);

	image = test_end(fd, length, direct);
	image.regular_file = true;
	image.logical_sector_size = 0;
	loop.source = from.end;
	loop.destination = image;
	ck_assert_int_eq(io_backends_choose(&loop.source, &image, &options, &loop.choice, NULL), 0);
	ck_assert_ptr_eq(loop.choice.destination, &io_image_backend);
	ck_assert_int_eq(miniloop_run(&loop, NULL), 0);

	image.writable = false;
	loop.source = image;
	loop.destination = to.end;
	scribble_over();
	ck_assert_int_eq(io_backends_choose(&image, &to.end, &options, &loop.choice, NULL), 0);
	ck_assert_int_eq(miniloop_run(&loop, NULL), 0);
	close_targets();
	close(fd);
	compare("through an image");
	detach();
}

/* Misaligned requests are the caller's mistake; they must fail, not write something else. */
TEST_ROWS(misaligned_requests_fail, 2)
{
	static const struct io_backend *const backends[] = { &io_uring_backend,
							     &io_threads_backend };
	struct io_setup setup = { .depth = 1 };
	struct io_handle *handle;
	struct io_request request = { .direction = IO_WRITE, .offset = 512, .length = 512 };

	attach(4096);
	open_targets();
	request.buffer = test_buffer(4096);
	ck_assert_int_eq(io_open(backends[_i], &to.end, &setup, &handle, NULL), 0);
	ck_assert_int_eq(test_run(handle, &request), -EINVAL);
	io_close(handle);
	close_targets();
	ck_assert_int_eq(pread(to.file, got, length, 0), length);
	ck_assert_mem_eq(got, scribble, length);
	free(request.buffer);
	detach();
}

/* The descriptor stays open when a card is exchanged, and the kernel soon lets it write again. */
TEST_ROWS(another_medium_is_not_written_to, 2)
{
	static const struct io_backend *const backends[] = { &io_uring_backend,
							     &io_threads_backend };
	struct io_setup setup = { .depth = 1 };
	struct io_handle *handle;
	struct io_request request = { .direction = IO_WRITE, .length = 4096 };
	uint64_t number;

	attach(512);
	open_targets();
	ck_assert_int_eq(ioctl(to.end.fd, BLKGETDISKSEQ, &number), 0);
	to.end.medium = number + 1;
	request.buffer = test_buffer(4096);
	memset(request.buffer, 0, 4096);
	ck_assert_int_eq(io_open(backends[_i], &to.end, &setup, &handle, NULL), 0);
	ck_assert_int_eq(test_run(handle, &request), -ENODEV);
	ck_assert_int_eq(io_clear(&to.end, false, 0, 4096), -ENODEV);
	ck_assert_int_eq(pread(to.file, got, length, 0), length);
	ck_assert_mem_eq(got, scribble, length);
	to.end.medium = number;
	ck_assert_int_eq(test_run(handle, &request), 0);
	io_close(handle);
	close_targets();
	free(request.buffer);
	detach();
}

/* The file system may be asked for the device again at once: nothing keeps it open. */
TEST(closed_is_closed)
{
	attach(512);
	copy_once(&(struct plan_options){ .source_backend = BACKEND_URING,
					  .destination_backend = BACKEND_URING,
					  .chunk = MIB });
	for (int i = 0; i < 5; i++) {
		int fd;

		copy_once(&(struct plan_options){ .source_backend = BACKEND_URING,
						  .destination_backend = BACKEND_URING,
						  .chunk = MIB });
		fd = open_alone(to.node, O_RDWR);
		ck_assert_msg(fd >= 0, "%s: %s", to.node, strerror(errno));
		close(fd);
	}
	detach();
}
