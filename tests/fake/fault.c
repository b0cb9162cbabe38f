/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fault backend: handles that pass requests on, hold them, or fail them. See fault.h. */
#include "fake/fault.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "fake/fault_script.h"

#define BATCH 64

enum op_state { OP_FREE, OP_INNER, OP_HELD, OP_READY };

struct fault_op {
	enum op_state state;
	struct io_request inner;  /* what the wrapped backend sees */
	struct io_request *outer; /* what the lane gave */
	struct fault_verdict verdict;
	void *spoilt;    /* what a write that goes wrong writes: the lane's bytes stay its own */
	uint64_t due;    /* OP_HELD: monotonic ns; UINT64_MAX: a later request first */
	uint64_t number; /* in the order of submit */
};

struct fault_handle {
	struct io_handle base;
	struct fault_script *script;
	struct io_handle *inner;
	int epoll, timer; /* -1 where the inner backend is synchronous */
	bool watched;     /* the inner queue's descriptor is in epoll */
	uint64_t number;
	unsigned depth;
	struct fault_op ops[];
};

static const struct fault_backend *to_fault(const struct io_backend *backend)
{
	return (const struct fault_backend *)backend;
}

static struct fault_handle *to_handle(struct io_handle *handle)
{
	return (struct fault_handle *)handle;
}

static unsigned count_ops(const struct fault_handle *handle, enum op_state state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < handle->depth; i++)
		n += handle->ops[i].state == state;
	return n;
}

/* ---- what a verdict does to one request ---- */

#define PAGE 4096U

static void flip(struct fault_op *op)
{
	((unsigned char *)op->inner.buffer)[op->verdict.corrupt_at] ^= 0xff;
}

static void spoil(struct fault_op *op)
{
	op->spoilt = aligned_alloc(PAGE, (op->outer->length + PAGE - 1) / PAGE * PAGE);
	if (!op->spoilt)
		abort();
	memcpy(op->spoilt, op->outer->buffer, op->outer->length);
	op->inner.buffer = op->spoilt;
	flip(op);
}

static void drop_spoilt(struct fault_op *op)
{
	free(op->spoilt);
	op->spoilt = NULL;
}

static void before(struct fault_op *op, struct io_request *outer)
{
	op->outer = outer;
	op->inner = (struct io_request){
		.direction = outer->direction,
		.offset = outer->offset,
		.length = outer->length,
		.buffer = outer->buffer,
		.user = op,
	};
	if (op->verdict.wrap)
		op->inner.offset %= op->verdict.wrap;
	if (op->verdict.fails)
		op->inner.length = op->verdict.after;
	if (op->verdict.corrupts && outer->direction == IO_WRITE)
		spoil(op);
}

static void after(struct fault_op *op)
{
	struct io_request *outer = op->outer;

	if (op->verdict.corrupts && outer->direction == IO_READ)
		flip(op);
	drop_spoilt(op);
	outer->submitted = op->inner.submitted;
	outer->completed = op->inner.completed;
	outer->done = op->inner.done;
	outer->sense = op->inner.sense;
	outer->result = op->inner.result;
	if (op->verdict.fails && outer->result == 0) {
		outer->result = op->verdict.code;
		outer->sense = op->verdict.sense;
	}
}

static void fail_now(struct fault_op *op)
{
	op->inner.submitted = op->inner.completed = clock_monotonic();
	after(op);
	if (op->outer->result == 0)
		op->outer->done = op->outer->length;
}

/* ---- the table ---- */

static int fault_probe(const struct io_backend *backend, const struct io_end *end,
		       struct error *reterr)
{
	const struct io_backend *inner = to_fault(backend)->inner;

	return inner->probe(inner, end, reterr);
}

static int watch(struct fault_handle *handle)
{
	struct epoll_event event = { .events = EPOLLIN };

	handle->epoll = epoll_create1(EPOLL_CLOEXEC);
	handle->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (handle->epoll < 0 || handle->timer < 0 ||
	    epoll_ctl(handle->epoll, EPOLL_CTL_ADD, handle->timer, &event) < 0)
		return -errno;
	return 0;
}

/* A queue's descriptor may be waited on from its first request on. */
static void watch_inner(struct fault_handle *handle)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (handle->watched)
		return;
	handle->watched = true;
	epoll_ctl(handle->epoll, EPOLL_CTL_ADD, handle->inner->backend->poll_fd(handle->inner),
		  &event);
}

static void release(struct fault_handle *handle)
{
	io_close(handle->inner);
	fd_close(handle->epoll);
	fd_close(handle->timer);
	free(handle);
}

static int fault_open(const struct io_backend *backend, const struct io_end *end,
		      const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	const struct fault_backend *fault = to_fault(backend);
	unsigned depth = setup->depth ? setup->depth : 1;
	struct io_setup inner_setup = { .depth = depth, .buffers = setup->buffers };
	struct fault_handle *handle = calloc(1, sizeof(*handle) + depth * sizeof(handle->ops[0]));

	if (!handle)
		return error_nomem(reterr);
	handle->base = (struct io_handle){ .backend = backend, .end = end };
	handle->script = fault->script;
	handle->depth = depth;
	handle->epoll = handle->timer = -1;

	int r = io_open(fault->inner, end, &inner_setup, &handle->inner, reterr);

	if (r == 0 && fault->inner->traits & IO_ASYNC) {
		r = watch(handle);
		if (r < 0)
			error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "open", end->name,
				  "The fault backend cannot watch %s.", end->name);
	}
	if (r < 0) {
		release(handle);
		return r;
	}
	*ret = &handle->base;
	return 0;
}

/* The timer fires when there is something to take that the inner queue does not know of. */
static void arm(struct fault_handle *handle)
{
	uint64_t first = UINT64_MAX;
	struct itimerspec when = { 0 };

	for (unsigned i = 0; i < handle->depth; i++) {
		const struct fault_op *op = &handle->ops[i];

		if (op->state == OP_READY)
			first = 1; /* long past */
		else if (op->state == OP_HELD && op->due < first)
			first = op->due;
	}
	if (first != UINT64_MAX) {
		when.it_value.tv_sec = (time_t)(first / NSEC_PER_SEC);
		when.it_value.tv_nsec = (long)(first % NSEC_PER_SEC);
	}
	timerfd_settime(handle->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static struct fault_op *free_op(struct fault_handle *handle)
{
	for (unsigned i = 0; i < handle->depth; i++)
		if (handle->ops[i].state == OP_FREE)
			return &handle->ops[i];
	return NULL;
}

static enum io_answer submit_synchronous(struct fault_handle *handle, struct fault_op *op)
{
	if (op->inner.length) {
		handle->inner->backend->submit(handle->inner, &op->inner);
		fault_script_done(handle->script, &op->inner);
		if (op->verdict.delay_ns) {
			clock_sleep_until(clock_monotonic() + op->verdict.delay_ns);
			op->inner.completed = clock_monotonic();
		}
		after(op);
	} else {
		fail_now(op);
	}
	return IO_DONE;
}

static enum io_answer fault_submit(struct io_handle *base, struct io_request *request)
{
	struct fault_handle *handle = to_handle(base);
	struct fault_op *op = free_op(handle);
	bool alone = count_ops(handle, OP_FREE) == handle->depth;

	if (!op)
		return IO_BUSY;
	fault_script_judge(handle->script, request, alone, &op->verdict);
	if (op->verdict.busy)
		return IO_BUSY;
	before(op, request);
	if (handle->epoll < 0)
		return submit_synchronous(handle, op);
	if (!op->inner.length) {
		fail_now(op);
		op->state = op->verdict.delay_ns ? OP_HELD : OP_READY;
		op->due = clock_monotonic() + op->verdict.delay_ns;
		arm(handle);
	} else {
		enum io_answer answer = handle->inner->backend->submit(handle->inner, &op->inner);

		if (answer == IO_BUSY) {
			drop_spoilt(op);
			return IO_BUSY;
		}
		op->state = OP_INNER;
		watch_inner(handle);
		if (answer == IO_DONE) {
			after(op);
			op->state = OP_READY;
			arm(handle);
		}
	}
	op->number = handle->number++;
	fault_script_enter(handle->script, request);
	return IO_QUEUED;
}

/* Whoever waits for a later request to overtake it is free when one did, or none will. */
static void free_overtaken(struct fault_handle *handle, uint64_t number)
{
	bool more = count_ops(handle, OP_INNER) > 0;

	for (unsigned i = 0; i < handle->depth; i++) {
		struct fault_op *op = &handle->ops[i];

		if (op->state == OP_HELD && op->due == UINT64_MAX && (!more || op->number < number))
			op->state = OP_READY;
	}
}

static int take_inner(struct fault_handle *handle)
{
	struct io_request *requests[BATCH];
	int n = handle->inner->backend->reap(handle->inner, 0, BATCH, 0, requests);

	for (int i = 0; i < n; i++) {
		struct fault_op *op = requests[i]->user;

		fault_script_done(handle->script, requests[i]);
		after(op);
		op->state = OP_READY;
		if (op->verdict.reorders) {
			op->state = OP_HELD;
			op->due = UINT64_MAX;
			free_overtaken(handle, 0);
		} else if (op->verdict.delay_ns) {
			op->state = OP_HELD;
			op->due = clock_monotonic() + op->verdict.delay_ns;
			free_overtaken(handle, 0);
		} else {
			free_overtaken(handle, op->number);
		}
	}
	return n;
}

static bool is_ready(struct fault_op *op, uint64_t now)
{
	if (op->state == OP_HELD && op->due <= now) {
		op->state = OP_READY;
		op->outer->completed = now;
	}
	return op->state == OP_READY;
}

static unsigned take_ready(struct fault_handle *handle, unsigned max, struct io_request **ret)
{
	uint64_t now = clock_monotonic();
	unsigned got = 0;

	/* Those that were overtaken follow their overtakers. */
	for (int late = 0; late < 2; late++) {
		for (unsigned i = 0; i < handle->depth && got < max; i++) {
			struct fault_op *op = &handle->ops[i];

			if (op->verdict.reorders != (late == 1) || !is_ready(op, now))
				continue;
			op->state = OP_FREE;
			fault_script_leave(handle->script, op->outer);
			ret[got++] = op->outer;
		}
	}
	return got;
}

static int wait_until(struct fault_handle *handle, uint64_t deadline)
{
	struct pollfd fd = { .fd = handle->epoll, .events = POLLIN };
	uint64_t now = clock_monotonic();
	struct timespec left = { 0 };

	if (deadline > now) {
		left.tv_sec = (time_t)((deadline - now) / NSEC_PER_SEC);
		left.tv_nsec = (long)((deadline - now) % NSEC_PER_SEC);
	}
	return ppoll(&fd, 1, deadline == UINT64_MAX ? NULL : &left, NULL);
}

static int fault_reap(struct io_handle *base, unsigned min, unsigned max, uint64_t timeout_ns,
		      struct io_request **ret)
{
	struct fault_handle *handle = to_handle(base);
	uint64_t now = clock_monotonic();
	uint64_t deadline = timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
	unsigned got = 0;

	if (handle->epoll < 0)
		return 0;
	for (;;) {
		int r = take_inner(handle);

		if (r < 0)
			return r;
		got += take_ready(handle, max - got, ret + got);
		arm(handle);
		if (got >= min || got == max || clock_monotonic() >= deadline)
			return (int)got;
		wait_until(handle, deadline);
	}
}

static int fault_poll_fd(struct io_handle *base)
{
	return to_handle(base)->epoll;
}

static int fault_flush(struct io_handle *base, struct error *reterr)
{
	struct fault_handle *handle = to_handle(base);
	int code = fault_script_flush(handle->script);

	if (code < 0)
		return error_set(reterr, ERROR_CLASS_DESTINATION, code, "flush", base->end->name,
				 "Flushing %s failed as scripted: %s.", base->end->name,
				 error_phrase(code));
	return handle->inner->backend->flush(handle->inner, reterr);
}

static void fault_cancel(struct io_handle *base)
{
	struct fault_handle *handle = to_handle(base);

	for (unsigned i = 0; i < handle->depth; i++) {
		struct fault_op *op = &handle->ops[i];

		if (op->state != OP_HELD)
			continue;
		op->state = OP_READY;
		op->outer->result = -ECANCELED;
	}
	if (handle->inner->backend->cancel)
		handle->inner->backend->cancel(handle->inner);
	if (handle->epoll >= 0)
		arm(handle);
}

static void fault_close(struct io_handle *base)
{
	struct fault_handle *handle = to_handle(base);

	while (count_ops(handle, OP_INNER) > 0 && take_inner(handle) >= 0)
		if (count_ops(handle, OP_INNER) > 0)
			wait_until(handle, UINT64_MAX);
	for (unsigned i = 0; i < handle->depth; i++)
		if (handle->ops[i].state != OP_FREE)
			fault_script_leave(handle->script, handle->ops[i].outer);
	release(handle);
}

void fault_backend_init(struct fault_backend *ret, const struct io_backend *inner,
			struct fault_script *script)
{
	*ret = (struct fault_backend){
		.backend = {
			.name = inner->name,
			.traits = inner->traits & ~(unsigned)IO_CAN_SHARE,
			.probe = fault_probe,
			.open = fault_open,
			.submit = fault_submit,
			.reap = fault_reap,
			.poll_fd = fault_poll_fd,
			.flush = fault_flush,
			.cancel = fault_cancel,
			.close = fault_close,
		},
		.inner = inner,
		.script = script,
	};
}
