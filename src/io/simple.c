/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backends that need no more than a handle: each request is done inside submit(). */
#include "io/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "io/sync.h"

static int simple_open(const struct io_backend *backend, const struct io_end *end,
		       const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	struct io_handle *handle = malloc(sizeof(*handle));

	if (!handle)
		return error_nomem(reterr);
	*handle = (struct io_handle){ .backend = backend, .end = end };
	*ret = handle;
	return 0;
}

static int simple_probe(const struct io_backend *backend, const struct io_end *end,
			struct error *reterr)
{
	return 0;
}

static int simple_flush(struct io_handle *handle, struct error *reterr)
{
	return 0;
}

/* ---- threads ---- */

/*
 * Direct pread and pwrite by the lane itself, so that the queue depth of a copy is
 * the number of its lanes. Best for drivers that work in the caller's context
 * (zram), and the fallback if io_uring is not available.
 */
static int threads_probe(const struct io_backend *backend, const struct io_end *end,
			 struct error *reterr)
{
	if (end->direct)
		return 0;
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", end->name,
			 _("%s cannot be read or written past the page cache (O_DIRECT); use the "
			   "buffered backend."),
			 end->name);
}

static enum io_answer threads_submit(struct io_handle *handle, struct io_request *request)
{
	const struct io_end *end = handle->end;

	sync_begin(request);
	return sync_end(request, sync_transfer(handle, end->fd, request, 0, request->length,
					       io_sector_size(end)));
}

const struct io_backend io_threads_backend = {
	.name = "threads",
	.traits = IO_DIRECT | IO_CLEARS,
	.probe = threads_probe,
	.open = simple_open,
	.submit = threads_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = sync_flush,
	.close = sync_close,
};

/* ---- null ---- */

/* Reads zeros and discards writes: measures everything but the disk. */
static enum io_answer null_submit(struct io_handle *handle, struct io_request *request)
{
	sync_begin(request);
	if (request->direction == IO_READ)
		memset(request->buffer, 0, request->length);
	request->done = request->length;
	return sync_end(request, 0);
}

const struct io_backend io_null_backend = {
	.name = "null",
	.traits = IO_DIRECT,
	.probe = simple_probe,
	.open = simple_open,
	.submit = null_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = simple_flush,
	.close = sync_close,
};

/* ---- gone ---- */

/* In place of a source that is gone for good: every read fails as one of a bad sector does. */
static enum io_answer gone_submit(struct io_handle *handle, struct io_request *request)
{
	sync_begin(request);
	request->done = 0;
	return sync_end(request, -EIO);
}

const struct io_backend io_gone_backend = {
	.name = "gone",
	.traits = IO_DIRECT,
	.probe = simple_probe,
	.open = simple_open,
	.submit = gone_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = simple_flush,
	.close = sync_close,
};
