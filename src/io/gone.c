/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In place of a source that is gone for good: every read fails as one of a bad sector does. */
#include "io/io.h"

#include <errno.h>
#include <stdlib.h>

#include "io/sync.h"

static int gone_probe(const struct io_backend *backend, const struct io_end *end,
		      struct error *reterr)
{
	return 0;
}

static int gone_open(const struct io_backend *backend, const struct io_end *end,
		     const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	struct io_handle *handle = malloc(sizeof(*handle));

	if (!handle)
		return error_nomem(reterr);
	*handle = (struct io_handle){ .backend = backend, .end = end };
	*ret = handle;
	return 0;
}

static enum io_answer gone_submit(struct io_handle *handle, struct io_request *request)
{
	sync_begin(request);
	request->done = 0;
	return sync_end(request, -EIO);
}

static int gone_flush(struct io_handle *handle, struct error *reterr)
{
	return 0;
}

const struct io_backend io_gone_backend = {
	.name = "gone",
	.traits = IO_DIRECT,
	.probe = gone_probe,
	.open = gone_open,
	.submit = gone_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = gone_flush,
	.close = sync_close,
};
