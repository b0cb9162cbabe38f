/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Through the page cache, for files and devices without O_DIRECT. The cache does not
 * grow: what was read is dropped at once, and a write completes only when its data
 * is on the device and out of the cache. So a write error is reported with the
 * request that it hit, not with a later one or the final flush; several lanes still
 * keep both ends busy.
 *
 * Every handle has an open file description of its own: the kernel reports a write
 * error once per description, and with a shared one the wrong lane could get it.
 */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/i18n.h"
#include "io/sync.h"

struct buffered_handle {
	struct io_handle base;
	int fd;
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
	handle->base = (struct io_handle){ .backend = backend, .end = end };
	handle->fd = sync_open_plain(end);
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

static enum io_answer buffered_submit(struct io_handle *handle, struct io_request *request)
{
	int fd = ((struct buffered_handle *)handle)->fd;

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

static void buffered_close(struct io_handle *handle)
{
	close(((struct buffered_handle *)handle)->fd);
	free(handle);
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
	.close = buffered_close,
};
