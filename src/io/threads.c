/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Direct pread and pwrite by the lane itself, so that the queue depth of a copy is
 * the number of its lanes. Best for drivers that work in the caller's context
 * (zram), and the fallback if io_uring is not available.
 */
#include "io/io.h"

#include <errno.h>

#include "base/i18n.h"
#include "io/sync.h"

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
	.open = sync_open,
	.submit = threads_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = sync_flush,
	.close = sync_close,
};
