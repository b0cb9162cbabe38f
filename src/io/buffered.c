/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Through the page cache, for what cannot do O_DIRECT. The cache is not
 * allowed to grow: what was read is dropped at once, and a write completes
 * only when its bytes are on the device and out of the cache. That also puts a
 * write error where it belongs, to the request it hit, and not to some later
 * one or to the final flush; several lanes keep both ends busy all the same.
 *
 * O_DIRECT is taken off the descriptor when it is set. It belongs to the open
 * file description, which all lanes share and which they all open this way.
 */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "io/sync.h"

static int buffered_probe(const struct io_backend *backend, const struct io_target *target,
			  struct error *reterr)
{
	return 0; /* whatever could be opened can be read this way */
}

static int buffered_open(const struct io_backend *backend, const struct io_target *target,
			 const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	int r = sync_clear_direct(target, reterr);

	if (r < 0)
		return r;

	struct io_handle *handle = malloc(sizeof(*handle));

	if (!handle)
		return error_nomem(reterr);
	*handle = (struct io_handle){ .backend = backend, .target = target };
	posix_fadvise(target->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	*ret = handle;
	return 0;
}

static enum io_answer buffered_submit(struct io_handle *handle, struct io_request *request)
{
	int fd = handle->target->fd;

	sync_begin(request);

	int r = sync_transfer(fd, request, 0, request->length, 1);

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
	}
	return sync_end(request, r);
}

const struct io_backend io_buffered_backend = {
	.name = "buffered",
	.traits = 0,
	.probe = buffered_probe,
	.open = buffered_open,
	.submit = buffered_submit,
	.reap = sync_reap,
	.poll_fd = sync_poll_fd,
	.flush = sync_flush,
	.close = sync_close,
};
