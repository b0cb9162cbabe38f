/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/range.h"
#include "io/bridge.h"

static ssize_t transfer_once(int fd, const struct io_request *request, uint32_t at, uint32_t to)
{
	char *buffer = (char *)request->buffer + at;
	off_t offset = (off_t)(request->offset + at);

	if (request->direction == IO_READ)
		return pread(fd, buffer, to - at, offset);
	return pwrite(fd, buffer, to - at, offset);
}

int sync_transfer(struct io_handle *handle, int fd, struct io_request *request, uint32_t from,
		  uint32_t to, uint32_t alignment)
{
	uint32_t at = from;
	unsigned again = 0;

	while (at < to) {
		ssize_t n = transfer_once(fd, request, at, to);

		handle->calls++;
		if (n < 0) {
			if ((errno == EINTR || errno == EAGAIN) && again++ < IO_AGAIN_MAX)
				continue;
			return -errno;
		}
		/* A direct transfer cannot continue inside a sector; repeat the start of it. */
		uint32_t step = (uint32_t)n;

		if (at + step < to)
			step = (uint32_t)u64_align_down(step, alignment);
		if (!step)
			return -EIO; /* end of the device */
		at += step;
		request->done += step;
	}
	return 0;
}

int sync_open(const struct io_backend *backend, const struct io_end *end,
	      const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	struct io_handle *handle = malloc(sizeof(*handle));

	if (!handle)
		return error_nomem(reterr);
	*handle = (struct io_handle){ .backend = backend, .end = end };
	*ret = handle;
	return 0;
}

void sync_begin(struct io_request *request)
{
	request->submitted = clock_monotonic();
	request->done = 0;
	request->sense = (struct sense){ 0 };
}

enum io_answer sync_end(struct io_request *request, int result)
{
	request->result = result;
	request->completed = clock_monotonic();
	return IO_DONE;
}

int sync_flush(struct io_handle *handle, struct error *reterr)
{
	const struct io_end *end = handle->end;

	if (!end->writable)
		return 0;
	while (fsync(end->fd) < 0) {
		int code = -errno;

		if (code == -EINTR)
			continue;
		return error_set(reterr, ERROR_CLASS_DESTINATION, code, "flush", end->name,
				 _("The write cache of %s could not be flushed: %s. What was "
				   "written last may not be on the medium."),
				 end->name, error_phrase(code));
	}
	return bridge_flush(&sg_block_driver, end, reterr);
}

int sync_reap(struct io_handle *handle, unsigned min, unsigned max, uint64_t timeout_ns,
	      struct io_request **ret)
{
	return 0;
}

int sync_poll_fd(struct io_handle *handle)
{
	return -1;
}

void sync_close(struct io_handle *handle)
{
	free(handle);
}

int sync_open_plain(const struct io_end *end)
{
	return file_open_again(end->fd, end->writable ? O_RDWR : O_RDONLY);
}

int sync_open_direct(const struct io_end *end)
{
	return file_open_again(end->fd, O_RDONLY | O_DIRECT);
}

void io_forget(const struct io_end *end)
{
	if (!end->regular_file)
		ioctl(end->fd, BLKFLSBUF);
	posix_fadvise(end->fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* The path that the kernel has for an open file; "" if the file was removed. */
static void name_of(int fd, char *ret, size_t size)
{
	static const char removed[] = " (deleted)";
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);

	ssize_t length = size > 0 ? readlink(link, ret, size - 1) : -1;
	size_t ending = sizeof(removed) - 1;

	if (length < 0)
		length = 0;
	if (size > 0)
		ret[length] = '\0';
	if (length > 0 && (ret[0] != '/' || ((size_t)length > ending &&
					     strcmp(ret + length - ending, removed) == 0)))
		ret[0] = '\0';
}

enum io_name io_find_name(const struct io_end *end, char *ret, size_t size)
{
	struct stat held, named;

	if (size > 0)
		ret[0] = '\0';
	if (!end->regular_file || fstat(end->fd, &held) < 0)
		return IO_NAME_KEPT;
	if (held.st_nlink == 0)
		return IO_NAME_GONE;

	bool there = stat(end->name, &named) == 0 && named.st_dev == held.st_dev;

	if (there && named.st_ino == held.st_ino)
		return IO_NAME_KEPT;
	name_of(end->fd, ret, size);
	/* Some file systems invent inode numbers, and may do so more than once. */
	return there && strcmp(ret, end->name) == 0 ? IO_NAME_KEPT : IO_NAME_MOVED;
}

bool io_is_shortened(const struct io_end *end)
{
	struct stat st;

	return end->regular_file && fstat(end->fd, &st) == 0 && (uint64_t)st.st_size < end->size;
}

int sync_write_back(int fd, uint64_t offset, uint64_t length)
{
	const unsigned all =
		SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;

	if (sync_file_range(fd, (off_t)offset, (off_t)length, all) < 0)
		return -errno;
	/* Only advice: the data is right in any case. */
	posix_fadvise(fd, (off_t)offset, (off_t)length, POSIX_FADV_DONTNEED);
	return 0;
}
