/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/range.h"
#include "io/sync.h"

/* A multiple of every page size, and of every alignment of direct I/O. */
#define TAIL 65536U
/* At once through a pipe: never waits for a reader. */
#define PIECE 4096U

uint32_t tail_begin(const struct io_end *end, const struct io_request *request, uint32_t from,
		    uint32_t to)
{
	if (request->direction == IO_READ || !end->regular_file || !end->size)
		return to;
	uint64_t tail = u64_align_down(end->size - 1, TAIL);

	if (request->offset + to <= tail)
		return to;
	return request->offset + from >= tail ? from : (uint32_t)(tail - request->offset);
}

static size_t piece(size_t left)
{
	return left < PIECE ? left : PIECE;
}

/* Zeros need not be written over a hole. */
static bool is_there(int fd, const char *data, size_t length, uint64_t offset)
{
	char there[PIECE];

	for (size_t at = 0; at < length; at += PIECE) {
		size_t n = piece(length - at);

		if (pread(fd, there, n, (off_t)(offset + at)) != (ssize_t)n ||
		    memcmp(there, data + at, n) != 0)
			return false;
	}
	return true;
}

/* To store beyond the end of the file would end the program (SIGBUS); the kernel, asked to do it,
 * only fails. */
static int store(const char *data, size_t length, char *to)
{
	int ends[2], r = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	for (size_t at = 0; r == 0 && at < length; at += PIECE) {
		ssize_t n = (ssize_t)piece(length - at);

		if (write(ends[1], data + at, (size_t)n) != n ||
		    read(ends[0], to + at, (size_t)n) != n)
			r = -EFAULT;
	}
	close(ends[0]);
	close(ends[1]);
	return r;
}

static int store_mapped(int fd, const char *data, size_t length, uint64_t offset)
{
	uint64_t start = u64_align_down(offset, TAIL);
	size_t skip = (size_t)(offset - start);
	char *map = mmap(NULL, skip + length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)start);

	if (map == MAP_FAILED)
		return -errno;
	int r = store(data, length, map + skip);

	munmap(map, skip + length);
	return r;
}

int tail_write(const struct io_end *end, struct io_request *request, uint32_t from, uint32_t to)
{
	CLEANUP(close) int fd = sync_open_plain(end);
	const char *data = (const char *)request->buffer + from;
	uint64_t offset = request->offset + from;
	uint32_t done = request->done;

	if (fd < 0)
		return fd;
	int r = is_there(fd, data, to - from, offset) ? 0
						      : store_mapped(fd, data, to - from, offset);

	if (r < 0 && io_is_shortened(end))
		return -EBADFD;
	/* Not every file system can map for writing, and only a write tells why one fails. */
	if (r < 0)
		r = sync_transfer(fd, request, from, to, 1);
	if (r == 0)
		r = sync_write_back(fd, offset, to - from);
	request->done = done + (r == 0 ? to - from : 0);
	return r;
}
