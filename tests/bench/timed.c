/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define CONTENTS '\x5a'

struct timed {
	struct io_handle handle;
	int timer;        /* readable when the first one is due */
	uint64_t free_at; /* monotonic ns: when all that was asked for is done */
	/* In the order in which they are due (request->completed), linked by request->backend. */
	struct io_request *first, *last;
};

static struct timespec moment(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC) };
}

/* Setting it also makes it unreadable until then; all zero: for good. */
static void set_timer(const struct timed *timed)
{
	struct itimerspec when = { 0 };

	if (timed->first)
		when.it_value = moment(timed->first->completed);
	timerfd_settime(timed->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static int timed_probe(const struct io_backend *backend, const struct io_end *end,
		       struct error *reterr)
{
	return 0;
}

static int timed_open(const struct io_backend *backend, const struct io_end *end,
		      const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	struct timed *timed = calloc(1, sizeof(*timed));

	if (!timed)
		return error_nomem(reterr);
	timed->handle = (struct io_handle){ .backend = backend, .end = end };
	timed->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (timed->timer < 0) {
		int code = -errno;

		free(timed);
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "open", end->name,
				 "No timer: %s.", error_phrase(code));
	}
	*ret = &timed->handle;
	return 0;
}

static enum io_answer timed_submit(struct io_handle *handle, struct io_request *request)
{
	const struct timed_backend *backend = (const struct timed_backend *)handle->backend;
	struct timed *timed = (struct timed *)handle;

	/* Once for each buffer, so that it is memory of its own and not the kernel's page of zeros.
	 */
	if (*(char *)request->buffer != CONTENTS)
		memset(request->buffer, CONTENTS, request->length);
	request->submitted = clock_monotonic();
	if (timed->free_at < request->submitted)
		timed->free_at = request->submitted;
	timed->free_at += request->length * NSEC_PER_SEC / backend->rate;
	request->completed = timed->free_at;
	request->result = 0;
	request->done = request->length;
	request->backend = NULL;
	if (timed->first) {
		timed->last->backend = request;
		timed->last = request;
	} else {
		timed->first = timed->last = request;
		set_timer(timed);
	}
	return IO_QUEUED;
}

static int take_due(struct timed *timed, int most, struct io_request **ret)
{
	uint64_t now = clock_monotonic();
	int n = 0;

	while (n < most && timed->first && timed->first->completed <= now) {
		ret[n] = timed->first;
		timed->first = ret[n++]->backend;
	}
	if (n > 0)
		set_timer(timed);
	return n;
}

static int timed_reap(struct io_handle *handle, unsigned min, unsigned max, uint64_t timeout_ns,
		      struct io_request **ret)
{
	struct timed *timed = (struct timed *)handle;
	uint64_t deadline = clock_monotonic() + timeout_ns;
	int n = take_due(timed, (int)max, ret);

	while (n < (int)min && timed->first && clock_monotonic() < deadline) {
		uint64_t due = timed->first->completed;
		struct timespec until = moment(due < deadline ? due : deadline);

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		n += take_due(timed, (int)max - n, ret + n);
	}
	return n;
}

static int timed_poll_fd(struct io_handle *handle)
{
	return ((struct timed *)handle)->timer;
}

static int timed_flush(struct io_handle *handle, struct error *reterr)
{
	return 0;
}

static void timed_close(struct io_handle *handle)
{
	struct timed *timed = (struct timed *)handle;

	close(timed->timer);
	free(timed);
}

void timed_backend_init(struct timed_backend *ret, uint64_t rate)
{
	*ret = (struct timed_backend){
		.backend = {
			.name = "timed",
			.traits = IO_ASYNC | IO_DIRECT,
			.probe = timed_probe,
			.open = timed_open,
			.submit = timed_submit,
			.reap = timed_reap,
			.poll_fd = timed_poll_fd,
			.flush = timed_flush,
			.close = timed_close,
		},
		.rate = rate,
	};
}
