/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads zeros and discards writes: measures everything but the disk. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

#include "io/sync.h"

static int null_probe(const struct io_backend *backend, const struct io_end *end,
		      struct error *reterr)
{
	return 0;
}

static int null_open(const struct io_backend *backend, const struct io_end *end,
		     const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	struct io_handle *handle = malloc(sizeof(*handle));

	if (!handle)
		return error_nomem(reterr);
	*handle = (struct io_handle){ .backend = backend, .end = end };
	*ret = handle;
	return 0;
}

static enum io_answer null_submit(struct io_handle *handle, struct io_request *request)
{
	sync_begin(request);
	if (request->direction == IO_READ)
		memset(request->buffer, 0, request->length);
	request->done = request->length;
	return sync_end(request, 0);
}

static int null_flush(struct io_handle *handle, struct error *reterr)
{
	return 0;
}

const struct io_backend io_null_backend = {
	.name = "null",
	.traits = IO_DIRECT,
	.probe = null_probe,
	.open = null_open,
	.submit = null_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = null_flush,
	.close = sync_close,
};
