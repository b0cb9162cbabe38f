/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By system calls: libaio itself has functions of the names that our io/io.h uses. */
#include "bench/libaio.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"

#define REAP_BATCH 64U

struct aio_op {
	struct iocb iocb;
	struct io_request *request;
	struct aio_op *next; /* of the free ones */
};

struct aio_handle {
	struct io_handle base;
	aio_context_t context;
	unsigned in_flight, ready; /* of those in flight, `ready` are still to be sent */
	struct aio_op *free;
	struct aio_op *ops;
	struct iocb *queue[]; /* of what is ready */
};

static int aio_probe(const struct io_backend *backend, const struct io_end *end,
		     struct error *reterr)
{
	if (end->direct)
		return 0;
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", end->name,
			 _("%s cannot be read past the page cache (O_DIRECT), and io_submit would "
			   "wait for each request then."),
			 end->name);
}

static int aio_open(const struct io_backend *backend, const struct io_end *end,
		    const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	unsigned depth = setup->depth ? setup->depth : 1;
	struct aio_handle *handle = calloc(1, sizeof(*handle) + depth * sizeof(handle->queue[0]));
	struct aio_op *ops = calloc(depth, sizeof(*ops));
	int r = -ENOMEM;

	if (!handle || !ops)
		error_nomem(reterr);
	else if (syscall(SYS_io_setup, depth, &handle->context) < 0)
		r = error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "open", end->name,
			      _("A queue of io_submit cannot be set up (fs.aio-max-nr): %s."),
			      error_phrase(errno));
	else
		r = 0;
	if (r < 0) {
		free(ops);
		free(handle);
		return r;
	}
	handle->base = (struct io_handle){ .backend = backend, .end = end };
	handle->ops = ops;
	for (unsigned i = depth; i-- > 0;) {
		ops[i].next = handle->free;
		handle->free = &ops[i];
	}
	*ret = &handle->base;
	return 0;
}

static enum io_answer aio_submit(struct io_handle *base, struct io_request *request)
{
	struct aio_handle *handle = (struct aio_handle *)base;
	struct aio_op *op = handle->free;

	if (!op)
		return IO_BUSY;
	request->submitted = clock_monotonic();
	request->done = 0;
	request->sense = (struct sense){ 0 };
	handle->free = op->next;
	op->request = request;
	op->iocb = (struct iocb){ .aio_data = (uintptr_t)op,
				  .aio_lio_opcode = IOCB_CMD_PREAD,
				  .aio_fildes = (uint32_t)base->end->fd,
				  .aio_buf = (uintptr_t)request->buffer,
				  .aio_nbytes = request->length,
				  .aio_offset = (int64_t)request->offset };
	handle->queue[handle->ready++] = &op->iocb;
	handle->in_flight++;
	return IO_QUEUED;
}

/* What the kernel has no room for now stays ready, as long as there are answers to come. */
static int send(struct aio_handle *handle)
{
	unsigned sent = 0;
	long r = 1;

	while (sent < handle->ready && r > 0) {
		r = syscall(SYS_io_submit, handle->context, handle->ready - sent,
			    handle->queue + sent);
		handle->base.calls++;
		sent += r > 0 ? (unsigned)r : 0;
	}
	for (unsigned i = sent; i < handle->ready; i++)
		handle->queue[i - sent] = handle->queue[i];
	handle->ready -= sent;
	return r > 0 || (errno == EAGAIN && handle->in_flight > handle->ready) ? 0 : -errno;
}

/* Of a device, only its end makes a read short. */
static struct io_request *finish(struct aio_handle *handle, const struct io_event *event,
				 uint64_t now)
{
	struct aio_op *op = (struct aio_op *)(uintptr_t)event->data;
	struct io_request *request = op->request;

	request->completed = now;
	request->done = event->res > 0 ? (uint32_t)event->res : 0;
	request->result = event->res < 0                    ? (int)event->res
			  : request->done < request->length ? -EIO
							    : 0;
	op->next = handle->free;
	handle->free = op;
	handle->in_flight--;
	return request;
}

static int aio_reap(struct io_handle *base, unsigned min, unsigned max, uint64_t timeout_ns,
		    struct io_request **ret)
{
	struct aio_handle *handle = (struct aio_handle *)base;
	struct timespec timeout = { .tv_sec = (time_t)(timeout_ns / NSEC_PER_SEC),
				    .tv_nsec = (long)(timeout_ns % NSEC_PER_SEC) };
	struct io_event events[REAP_BATCH];
	int r = send(handle);

	if (r < 0)
		return r;
	max = max > REAP_BATCH ? REAP_BATCH : max;
	long n = syscall(SYS_io_getevents, handle->context, min > max ? max : min, max, events,
			 timeout_ns == UINT64_MAX ? NULL : &timeout);

	base->calls++;
	if (n < 0)
		return errno == EINTR ? 0 : -errno;

	uint64_t now = clock_monotonic();

	for (long i = 0; i < n; i++)
		ret[i] = finish(handle, &events[i], now);
	return (int)n;
}

static int aio_poll_fd(struct io_handle *base)
{
	return -1;
}

/* It only reads. */
static int aio_flush(struct io_handle *base, struct error *reterr)
{
	return 0;
}

static void aio_close(struct io_handle *base)
{
	struct aio_handle *handle = (struct aio_handle *)base;

	/* Waits for what is in flight. */
	syscall(SYS_io_destroy, handle->context);
	free(handle->ops);
	free(handle);
}

const struct io_backend bench_libaio_backend = {
	.name = "libaio",
	.traits = IO_ASYNC | IO_DIRECT,
	.probe = aio_probe,
	.open = aio_open,
	.submit = aio_submit,
	.reap = aio_reap,
	.poll_fd = aio_poll_fd,
	.flush = aio_flush,
	.close = aio_close,
};
