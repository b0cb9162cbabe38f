/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Image files. They are written sparse: blocks of zeros become holes, even if the
 * file held something else there. O_DIRECT is used if the file system supports it;
 * what is not aligned for it (the tail of a file of odd size) goes through a second,
 * buffered descriptor and is written back at once.
 *
 * A longer file keeps its size. Between the end of the file and the end of its last
 * sector, zeros are read.
 */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/i18n.h"
#include "base/range.h"
#include "io/sync.h"

/* Smaller holes save little and scatter the file. */
#define HOLE_SIZE (64U << 10)
/* If the kernel does not report the alignment for direct I/O (before 6.1). */
#define SAFE_ALIGNMENT 4096U

struct image_handle {
	struct io_handle base;
	int plain;          /* a buffered description of the same file */
	bool direct;        /* end->fd takes O_DIRECT */
	bool holes;         /* the file system can punch holes */
	uint32_t alignment; /* of direct I/O, offset and length */
	uint64_t size;      /* of the file */
};

static struct image_handle *to_image(struct io_handle *handle)
{
	return (struct image_handle *)handle;
}

static int image_probe(const struct io_backend *backend, const struct io_end *end,
		       struct error *reterr)
{
	if (end->regular_file)
		return 0;
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", end->name,
			 _("%s is not an image file."), end->name);
}

static uint32_t direct_alignment(int fd)
{
#ifdef STATX_DIOALIGN
	struct statx stx;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) == 0 &&
	    (stx.stx_mask & STATX_DIOALIGN))
		return stx.stx_dio_offset_align;
#endif
	return SAFE_ALIGNMENT;
}

static int image_open(const struct io_backend *backend, const struct io_end *end,
		      const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	struct image_handle *handle = calloc(1, sizeof(*handle));
	struct stat st;
	int r;

	if (!handle)
		return error_nomem(reterr);
	handle->base = (struct io_handle){ .backend = backend, .end = end };
	handle->holes = true;
	/* O_DIRECT and write-back errors belong to the open file description, so one without it is
	 * needed. */
	r = handle->plain = fstat(end->fd, &st) < 0 ? -errno : sync_open_plain(end);
	if (r < 0) {
		free(handle);
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "open", end->name,
				 _("%s cannot be opened: %s."), end->name, error_phrase(r));
	}
	handle->size = (uint64_t)st.st_size;
	if (end->direct) {
		handle->alignment = direct_alignment(end->fd);
		handle->direct = handle->alignment;
	}
	*ret = &handle->base;
	return 0;
}

/* Through the page cache, without leaving anything in it. */
static int move_plain(struct image_handle *handle, struct io_request *request, uint32_t from,
		      uint32_t to)
{
	uint64_t offset = request->offset + from;
	uint32_t done = request->done;
	int r = sync_transfer(&handle->base, handle->plain, request, from, to, 1);

	if (request->direction == IO_WRITE) {
		/* Data in the cache is not yet in the file; it is unknown which bytes failed. */
		if (r == 0)
			r = sync_write_back(handle->plain, offset, to - from);
		if (r < 0)
			request->done = done;
		return r;
	}
	if (r < 0)
		return r;
	posix_fadvise(handle->plain, (off_t)offset, to - from, POSIX_FADV_DONTNEED);
	return 0;
}

static int move(struct image_handle *handle, struct io_request *request, uint32_t from, uint32_t to)
{
	uint32_t middle = from, done = request->done;

	if (from == to)
		return 0;
	if (handle->direct && (request->offset + from) % handle->alignment == 0)
		middle = from + (uint32_t)u64_align_down(to - from, handle->alignment);
	if (middle > from) {
		int r = sync_transfer(&handle->base, handle->base.end->fd, request, from, middle,
				      handle->alignment);

		if (r == -EINVAL) { /* the file system knows better than statx */
			handle->direct = false;
			request->done = done;
			middle = from;
		} else if (r < 0) {
			return r;
		}
	}
	return middle < to ? move_plain(handle, request, middle, to) : 0;
}

static int read_image(struct image_handle *handle, struct io_request *request)
{
	uint32_t sector = io_sector_size(handle->base.end);
	uint64_t left = handle->size > request->offset ? handle->size - request->offset : 0;
	uint32_t inside = request->length < left ? request->length : (uint32_t)left;
	int r = move(handle, request, 0, inside);

	if (r < 0 || inside == request->length)
		return r;
	if (request->length - inside >= sector)
		return -EIO; /* beyond the last sector of the file */
	memset((char *)request->buffer + inside, 0, request->length - inside);
	request->done = request->length;
	return 0;
}

/* The end of the file's HOLE_SIZE block that contains byte `at` of the request. */
static uint32_t block_end(const struct io_request *request, uint32_t at)
{
	uint32_t end = at + HOLE_SIZE - (uint32_t)((request->offset + at) % HOLE_SIZE);

	return end < request->length ? end : request->length;
}

/* The end of the run of blocks, from `from` on, that are all zero, or all not. */
static uint32_t run_end(const struct io_request *request, uint32_t from, bool *retzero)
{
	const char *data = request->buffer;
	uint32_t end = block_end(request, from);

	*retzero = bytes_are_zero(data + from, end - from);
	while (end < request->length) {
		uint32_t next = block_end(request, end);

		if (bytes_are_zero(data + end, next - end) != *retzero)
			break;
		end = next;
	}
	return end;
}

/* False: the file system cannot; then zeros are written. */
static bool punch(struct image_handle *handle, struct io_request *request, uint32_t from,
		  uint32_t to)
{
	if (!handle->holes)
		return false;
	handle->holes = fallocate(handle->plain, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				  (off_t)(request->offset + from), to - from) == 0;
	if (handle->holes)
		request->done += to - from;
	return handle->holes;
}

static int write_image(struct image_handle *handle, struct io_request *request)
{
	uint32_t at = 0;

	while (at < request->length) {
		bool zero;
		uint32_t end = run_end(request, at, &zero);

		if (!zero || !punch(handle, request, at, end)) {
			int r = move(handle, request, at, end);

			if (r < 0)
				return r;
		}
		at = end;
	}
	return 0;
}

static enum io_answer image_submit(struct io_handle *base, struct io_request *request)
{
	struct image_handle *handle = to_image(base);

	sync_begin(request);
	return sync_end(request, request->direction == IO_READ ? read_image(handle, request)
							       : write_image(handle, request));
}

static void image_close(struct io_handle *base)
{
	struct image_handle *handle = to_image(base);

	close(handle->plain);
	free(handle);
}

const struct io_backend io_image_backend = {
	.name = "image",
	.traits = IO_CLEARS,
	.probe = image_probe,
	.open = image_open,
	.submit = image_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = sync_flush,
	.close = image_close,
};
