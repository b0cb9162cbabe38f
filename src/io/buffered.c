/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Through the page cache, for files and devices without O_DIRECT. The cache does not
 * grow: what was read is dropped at once, and a write completes only when its data
 * is on the device and out of the cache. So a write error is reported with the
 * request that it hit, not with a later one or the final flush; several lanes still
 * keep both ends busy.
 *
 * The cache reads whole pages, and one unreadable sector makes all of its page fail. So
 * a read of less, such as those of single sectors around damage, goes past the cache,
 * on a descriptor of its own; or where the device does not take that, at least without
 * reading ahead.
 *
 * Every handle has an open file description of its own: the kernel reports a write
 * error once per description, and with a shared one the wrong lane could get it.
 */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "io/sync.h"

struct buffered_handle {
	struct io_handle base;
	int fd;
	int small;            /* for less than a page; opened when it is needed first: -1 */
	bool small_direct;    /* goes past the cache */
	atomic_bool in_pages; /* a page failed, and its sectors cannot be read one by one */
};

static int buffered_probe(const struct io_backend *backend, const struct io_end *end,
			  struct error *reterr)
{
	return 0; /* anything that could be opened can be read this way */
}

static int buffered_open(const struct io_backend *backend, const struct io_end *end,
			 const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	struct buffered_handle *handle = malloc(sizeof(*handle));

	if (!handle)
		return error_nomem(reterr);
	*handle = (struct buffered_handle){
		.base = { .backend = backend, .end = end },
		.fd = sync_open_plain(end),
		.small = -1,
	};
	if (handle->fd < 0) {
		int code = handle->fd;

		free(handle);
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "open", end->name,
				 _("%s could not be switched to the page cache: %s."), end->name,
				 error_phrase(code));
	}
	posix_fadvise(handle->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	*ret = &handle->base;
	return 0;
}

static bool is_small(const struct io_request *request)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return request->direction == IO_READ && (request->offset % page || request->length % page);
}

/* Without reading ahead: that would fail, too. */
static void open_small_plain(struct buffered_handle *handle)
{
	handle->small_direct = false;
	handle->small = sync_open_plain(handle->base.end);
	if (handle->small >= 0)
		posix_fadvise(handle->small, 0, 0, POSIX_FADV_RANDOM);
}

static void open_small(struct buffered_handle *handle)
{
	handle->small = sync_open_direct(handle->base.end);
	handle->small_direct = handle->small >= 0;
	if (!handle->small_direct)
		open_small_plain(handle);
}

static int read_small(struct buffered_handle *handle, struct io_request *request)
{
	uint32_t sector = io_sector_size(handle->base.end);
	int r = -EINVAL;

	if (handle->small < 0)
		open_small(handle);
	if (handle->small_direct)
		r = sync_transfer(&handle->base, handle->small, request, 0, request->length,
				  sector);
	/* The alignment that its file system asks for may be larger than its sectors. */
	if (r == -EINVAL && handle->small_direct && !request->done) {
		close(handle->small);
		open_small_plain(handle);
	}
	if (handle->small < 0)
		return handle->small;
	if (!handle->small_direct) {
		r = sync_transfer(&handle->base, handle->small, request, 0, request->length, 1);
		if (r < 0)
			atomic_store(&handle->in_pages, true);
	}
	return r;
}

static enum io_answer buffered_submit(struct io_handle *base, struct io_request *request)
{
	struct buffered_handle *handle = (struct buffered_handle *)base;
	int fd = handle->fd, r;

	sync_begin(request);
	r = is_small(request) ? read_small(handle, request)
			      : sync_transfer(&handle->base, fd, request, 0, request->length, 1);
	if (!request->done)
		return sync_end(request, r);
	if (request->direction == IO_WRITE) {
		int written = sync_write_back(fd, request->offset, request->done);

		if (written < 0) {
			request->done = 0; /* which bytes failed is not known */
			r = written;
		}
	} else {
		posix_fadvise(fd, (off_t)request->offset, request->done, POSIX_FADV_DONTNEED);
		base->calls++;
	}
	return sync_end(request, r);
}

static void buffered_stats(const struct io_handle *base, struct io_stats *ret)
{
	*ret = (struct io_stats){ 0 };
	if (atomic_load(&((const struct buffered_handle *)base)->in_pages))
		ret->advice =
			_("It can only be read through the page cache: each unreadable sector "
			  "takes the readable ones of its page (usually 4 KiB) with it.");
}

static void buffered_close(struct io_handle *base)
{
	struct buffered_handle *handle = (struct buffered_handle *)base;

	close(handle->fd);
	fd_close(handle->small);
	free(handle);
}

const struct io_backend io_buffered_backend = {
	.name = "buffered",
	.traits = IO_CLEARS,
	.probe = buffered_probe,
	.open = buffered_open,
	.submit = buffered_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.stats = buffered_stats,
	.flush = sync_flush,
	.close = buffered_close,
};
