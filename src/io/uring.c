/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Direct I/O through io_uring. The handles of a lane share one ring, so that one
 * system call submits the requests of both ends and waits for either.
 *
 * Newer features (deferred task work, registered files and buffers) are used if the
 * kernel has them.
 */
#include "io/io.h"

#include "config.h"

#include <errno.h>

#include "base/i18n.h"

#if HAVE_LIBURING

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/range.h"
#include "io/sync.h"
#include "io/uring_queue.h"

#define REAP_BATCH 64U
#define MANY       8U            /* in flight: the next answer is near */
#define LOOKS      1000U         /* about a microsecond */
#define CANCEL_TAG ((uint64_t)1) /* no operation has this address */

struct uring_handle;

/* One request on its way. */
struct uring_op {
	struct io_request *request;
	struct uring_handle *handle;
	struct uring_op *next; /* in the list of free or ready operations */
	unsigned again;
};

struct uring_handle {
	struct io_handle base;
	struct uring_queue *queue;
	int file; /* registered slot, or -1 */
	unsigned in_flight;
	unsigned depth;
	struct uring_op *free;
	struct uring_op ops[];
};

static struct uring_handle *to_uring(struct io_handle *handle)
{
	return (struct uring_handle *)handle;
}

static int uring_probe(const struct io_backend *backend, const struct io_end *end,
		       struct error *reterr)
{
	if (!end->direct)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", end->name,
				 _("%s cannot be read or written past the page cache (O_DIRECT); "
				   "use the buffered backend."),
				 end->name);

	return uring_queue_probe(end->name, reterr);
}

static int uring_open(const struct io_backend *backend, const struct io_end *end,
		      const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	unsigned depth = setup->depth ? setup->depth : 1;
	struct uring_handle *handle = calloc(1, sizeof(*handle) + depth * sizeof(handle->ops[0]));

	if (!handle)
		return error_nomem(reterr);
	handle->base = (struct io_handle){ .backend = backend, .end = end };
	handle->depth = depth;
	for (unsigned i = depth; i-- > 0;) {
		handle->ops[i] = (struct uring_op){ .handle = handle, .next = handle->free };
		handle->free = &handle->ops[i];
	}
	if (setup->peer && setup->peer->backend == backend) {
		handle->queue = uring_queue_ref(to_uring(setup->peer)->queue);
	} else {
		int r = uring_queue_new(end, setup, &handle->queue, reterr);

		if (r < 0) {
			free(handle);
			return r;
		}
	}
	handle->file = setup->plain ? -1 : uring_queue_add_file(handle->queue, end->fd);
	*ret = &handle->base;
	return 0;
}

static void prepare(const struct uring_op *op, struct io_uring_sqe *sqe)
{
	const struct uring_queue *queue = op->handle->queue;
	const struct io_request *request = op->request;
	int file = op->handle->file;
	int fd = file >= 0 ? file : op->handle->base.end->fd;
	char *at = (char *)request->buffer + request->done;
	unsigned length = request->length - request->done;
	uint64_t offset = request->offset + request->done;
	bool read = request->direction == IO_READ;

	if (uring_queue_has(queue, at)) {
		int page = (int)((size_t)(at - queue->arena) / URING_PAGE);

		if (read)
			io_uring_prep_read_fixed(sqe, fd, at, length, offset, page);
		else
			io_uring_prep_write_fixed(sqe, fd, at, length, offset, page);
	} else if (read) {
		io_uring_prep_read(sqe, fd, at, length, offset);
	} else {
		io_uring_prep_write(sqe, fd, at, length, offset);
	}
	if (file >= 0)
		sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data(sqe, (void *)op);
}

/* The next free entry; submits the others if all are in use. NULL: the kernel accepted none. */
static struct io_uring_sqe *get_sqe(struct uring_queue *queue)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&queue->ring);

	if (sqe)
		return sqe;
	queue->calls++;
	return io_uring_submit(&queue->ring) > 0 ? io_uring_get_sqe(&queue->ring) : NULL;
}

static enum io_answer uring_submit(struct io_handle *base, struct io_request *request)
{
	struct uring_handle *handle = to_uring(base);
	struct uring_op *op = handle->free;

	if (!op)
		return IO_BUSY;

	int r = uring_queue_enable(handle->queue);

	sync_begin(request);
	if (r < 0)
		return sync_end(request, r);

	struct io_uring_sqe *sqe = get_sqe(handle->queue);

	if (!sqe)
		return IO_BUSY;
	handle->free = op->next;
	handle->in_flight++;
	op->request = request;
	op->again = 0;
	request->backend = op;
	prepare(op, sqe);
	return IO_QUEUED;
}

static void send_again(struct uring_op *op)
{
	struct uring_queue *queue = op->handle->queue;
	struct io_uring_sqe *sqe = get_sqe(queue);

	if (sqe) {
		prepare(op, sqe);
		return;
	}
	op->next = queue->waiting;
	queue->waiting = op;
}

/* Handles one completion. True: the request is done; false: it continues. */
static bool absorb(struct uring_op *op, int result)
{
	struct io_request *request = op->request;
	uint32_t left = request->length - request->done;

	if (result < 0) {
		if ((result == -EAGAIN || result == -EINTR) && op->again++ < IO_AGAIN_MAX)
			return false;
		request->result = result;
		return true;
	}
	/* A direct transfer cannot continue inside a sector; repeat the start of it. */
	if ((uint32_t)result < left)
		result =
			(int)u64_align_down((uint32_t)result, io_sector_size(op->handle->base.end));
	request->done += (uint32_t)result;
	if (request->done < request->length && result > 0)
		return false;
	request->result = request->done < request->length ? -EIO : 0; /* end of the device */
	return true;
}

static struct io_request *finish(struct uring_op *op)
{
	struct uring_handle *handle = op->handle;
	struct io_request *request = op->request;

	op->next = handle->free;
	handle->free = op;
	handle->in_flight--;
	op->request = NULL;
	request->backend = NULL;
	return request;
}

/* Handles completions that are already there, at most `max`; requests that continue are queued
 * again. No system call: liburing's peek would make one for work that the next enter does
 * anyway. */
static unsigned harvest(struct uring_queue *queue, unsigned max, struct uring_op **ret)
{
	struct uring_op *again = NULL;
	struct io_uring_cqe *cqe;
	unsigned head, n = 0, got = 0;
	uint64_t now = io_uring_cq_ready(&queue->ring) ? clock_monotonic() : 0;

	io_uring_for_each_cqe(&queue->ring, head, cqe)
	{
		uint64_t tag = cqe->user_data;
		struct uring_op *op = (struct uring_op *)(uintptr_t)tag;

		if (got == max)
			break;
		n++;
		if (tag == CANCEL_TAG || tag == LIBURING_UDATA_TIMEOUT)
			continue;
		if (absorb(op, cqe->res)) {
			op->request->completed = now;
			ret[got++] = op;
		} else {
			op->next = again;
			again = op;
		}
	}
	/* Only now: submitting may need the room of these entries. */
	io_uring_cq_advance(&queue->ring, n);
	while (again) {
		struct uring_op *op = again;

		again = op->next;
		send_again(op);
	}
	return got;
}

/* Has the kernel work to do for this ring: accept requests, post completions? */
static bool needs_enter(struct uring_queue *queue)
{
	return io_uring_sq_ready(&queue->ring) ||
	       IO_URING_READ_ONCE(*queue->ring.sq.kflags) &
		       (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
}

/* Submits everything queued and waits for `min` completions until the deadline. */
static int enter(struct uring_queue *queue, unsigned min, uint64_t deadline)
{
	struct io_uring_cqe *cqe;
	int r;

	queue->calls += min || needs_enter(queue);
	if (!min) {
		r = needs_enter(queue) ? io_uring_submit_and_get_events(&queue->ring) : 0;
	} else if (deadline == UINT64_MAX) {
		r = io_uring_submit_and_wait(&queue->ring, min);
	} else {
		uint64_t now = clock_monotonic();
		uint64_t left = deadline > now ? deadline - now : 0;
		struct __kernel_timespec timeout = {
			.tv_sec = (long long)(left / NSEC_PER_SEC),
			.tv_nsec = (long long)(left % NSEC_PER_SEC),
		};

		r = io_uring_submit_and_wait_timeout(&queue->ring, &cqe, min, &timeout, NULL);
	}
	if (r == -EAGAIN || r == -ENOMEM) { /* no memory for requests now */
		clock_sleep_until(clock_monotonic() + NSEC_PER_MSEC);
		return 0;
	}
	/* Completions have to be taken in first, a signal, the end of the time. */
	if (r == -EBUSY || r == -EINTR || r == -ETIME)
		return 0;
	return r < 0 ? r : 0;
}

static void send_waiting(struct uring_queue *queue)
{
	struct uring_op *waiting = queue->waiting;

	queue->waiting = NULL;
	while (waiting) {
		struct uring_op *op = waiting;

		waiting = op->next;
		send_again(op);
	}
}

/* Hands in what is queued and looks for a moment whether threads of the kernel complete something:
 * with many requests on their way that costs both sides less than to fall asleep and be woken up.
 */
static int look(struct uring_queue *queue)
{
	int r = enter(queue, 0, 0);

	for (unsigned i = 0; i < LOOKS && !io_uring_cq_ready(&queue->ring); i++)
		atomic_signal_fence(memory_order_seq_cst);
	return r;
}

/* Works on the ring until `min` operations are done, or time is up. */
static int collect(struct uring_queue *queue, unsigned min, unsigned max, uint64_t timeout_ns,
		   struct uring_op **ret)
{
	uint64_t now = min && timeout_ns < UINT64_MAX ? clock_monotonic() : 0;
	uint64_t deadline = timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
	unsigned got = harvest(queue, max, ret);

	for (;;) {
		unsigned missing = got < min ? min - got : 0;

		send_waiting(queue);
		if (!missing && !needs_enter(queue))
			return (int)got;

		bool looks = queue->looks && missing && io_uring_sq_ready(&queue->ring);
		int r = looks ? look(queue) : enter(queue, missing, deadline);

		if (r < 0)
			return got ? (int)got : r;
		got += harvest(queue, max - got, ret + got);
		if (got >= min || clock_monotonic() >= deadline)
			return (int)got;
	}
}

static int uring_reap(struct io_handle *base, unsigned min, unsigned max, uint64_t timeout_ns,
		      struct io_request **ret)
{
	struct uring_queue *queue = to_uring(base)->queue;
	struct uring_op *ops[REAP_BATCH];
	unsigned got = 0;

	if (!queue->enabled || !max)
		return 0;
	if (max > REAP_BATCH)
		max = REAP_BATCH;
	if (min > max)
		min = max;
	if (!min) /* a waiting caller needs no descriptor: this saves a call per batch */
		uring_queue_clear_event(queue);
	while (queue->ready && got < max) {
		ops[got++] = queue->ready;
		queue->ready = queue->ready->next;
	}

	queue->looks = queue->threads && to_uring(base)->in_flight >= MANY;

	int r = collect(queue, min > got ? min - got : 0, max - got, timeout_ns, ops + got);

	if (r > 0)
		got += (unsigned)r;
	for (unsigned i = 0; i < got; i++)
		ret[i] = finish(ops[i]);
	base->calls = queue->calls;
	if (!min && got == max && queue->event >= 0)
		eventfd_write(queue->event, 1); /* there may be more */
	return r < 0 && !got ? r : (int)got;
}

static void uring_stats(const struct io_handle *base, struct io_stats *ret)
{
	const struct uring_handle *handle = (const struct uring_handle *)base;

	*ret = (struct io_stats){ .registered = handle->queue->arena && handle->file >= 0 };
}

static int uring_poll_fd(struct io_handle *base)
{
	return uring_queue_poll_fd(to_uring(base)->queue);
}

static void uring_cancel(struct io_handle *base)
{
	struct uring_handle *handle = to_uring(base);

	for (unsigned i = 0; i < handle->depth; i++) {
		struct uring_op *op = &handle->ops[i];
		struct io_uring_sqe *sqe;

		if (!op->request)
			continue;
		sqe = get_sqe(handle->queue);
		if (!sqe)
			return;
		io_uring_prep_cancel(sqe, op, 0);
		io_uring_sqe_set_data64(sqe, CANCEL_TAG);
	}
}

static void drain(struct uring_handle *handle)
{
	struct uring_queue *queue = handle->queue;
	struct uring_op **at = &queue->ready;

	while (*at) {
		struct uring_op *op = *at;

		if (op->handle != handle) {
			at = &op->next;
			continue;
		}
		*at = op->next;
		finish(op);
	}
	while (handle->in_flight) {
		struct uring_op *op = NULL;

		if (collect(queue, 1, 1, UINT64_MAX, &op) < 1)
			return; /* the ring is broken; closing it makes the kernel wait */
		if (op->handle == handle) {
			finish(op);
			continue;
		}
		op->next = queue->ready;
		queue->ready = op;
	}
}

static void uring_close(struct io_handle *base)
{
	struct uring_handle *handle = to_uring(base);

	drain(handle);
	uring_queue_unref(handle->queue);
	free(handle);
}

const struct io_backend io_uring_backend = {
	.name = "uring",
	.traits = IO_ASYNC | IO_DIRECT | IO_CAN_SHARE | IO_CLEARS,
	.probe = uring_probe,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.poll_fd = uring_poll_fd,
	.stats = uring_stats,
	.flush = sync_flush,
	.cancel = uring_cancel,
	.close = uring_close,
};

#else

static int no_probe(const struct io_backend *backend, const struct io_end *end,
		    struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", end->name,
			 _("This program was built without io_uring."));
}

static int no_open(const struct io_backend *backend, const struct io_end *end,
		   const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	return no_probe(backend, end, reterr);
}

const struct io_backend io_uring_backend = {
	.name = "uring",
	.traits = IO_ASYNC | IO_DIRECT | IO_CAN_SHARE | IO_CLEARS,
	.probe = no_probe,
	.open = no_open,
};

#endif
