/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backends that leave the disk alone. */
#include "io/io.h"

#include <errno.h>
#include <string.h>

#include "io/sync.h"

static int null_probe(const struct io_backend *backend, const struct io_end *end,
		      struct error *reterr)
{
	return 0;
}

static int null_flush(struct io_handle *handle, struct error *reterr)
{
	return 0;
}

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
	.probe = null_probe,
	.open = sync_open,
	.submit = null_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = null_flush,
	.close = sync_close,
};

/* In place of a source that is gone for good: every read fails as one of a bad sector does. */
static enum io_answer gone_submit(struct io_handle *handle, struct io_request *request)
{
	sync_begin(request);
	return sync_end(request, -EIO);
}

const struct io_backend io_gone_backend = {
	.name = "gone",
	.traits = IO_DIRECT,
	.probe = null_probe,
	.open = sync_open,
	.submit = gone_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = null_flush,
	.close = sync_close,
};
