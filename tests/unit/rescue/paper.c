/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "paper.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"

#define QUEUE 64u

struct paper_handle {
	struct io_handle base; /* must stay first */
	struct paper *paper;
	struct io_request *queue[QUEUE]; /* in the order of sending */
	unsigned count;
	int event; /* readable while the queue is not empty */
};

void paper_damage(struct paper *paper, uint64_t start, uint64_t length)
{
	ck_assert_uint_le(start + length, paper->size);
	memset(paper->bad + start / PAPER_SECTOR, 1, length / PAPER_SECTOR);
}

/* As of diskmodel.c: what was bad before does not count. */
static void grow(struct paper *paper, uint64_t sector)
{
	uint8_t *good = paper->bad + sector, *end = paper->bad + paper->size / PAPER_SECTOR;

	for (uint64_t left = paper->grows;
	     left > 0 && (good = memchr(good, 0, (size_t)(end - good))); left--)
		*good++ = 1;
}

bool paper_read(struct paper *paper, uint64_t offset, uint64_t length)
{
	uint64_t first = offset / PAPER_SECTOR, count = length / PAPER_SECTOR;
	const uint8_t *bad;
	bool good;

	pthread_mutex_lock(&paper->lock);
	bad = memchr(paper->bad + first, 1, count);
	good = !bad;
	for (uint64_t i = 0; good && i < count; i++)
		paper->rescued += paper->got[first + i] ? 0 : PAPER_SECTOR;
	if (good)
		memset(paper->got + first, 1, count);
	else if (paper->failures < paper->most)
		paper->failed[paper->failures++] = paper->rescued;
	if (bad)
		grow(paper, (uint64_t)(bad - paper->bad));
	pthread_mutex_unlock(&paper->lock);
	return good;
}

uint64_t paper_after(const struct paper *paper, size_t failures)
{
	return failures <= paper->failures ? paper->failed[failures - 1] : paper->rescued;
}

static int paper_probe(const struct io_backend *backend, const struct io_end *end,
		       struct error *reterr)
{
	return 0;
}

static int paper_open(const struct io_backend *backend, const struct io_end *end,
		      const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	struct paper_handle *handle = calloc(1, sizeof(*handle));

	ck_assert_ptr_nonnull(handle);
	handle->base = (struct io_handle){ .backend = backend, .end = end };
	handle->paper = (struct paper *)(uintptr_t)backend;
	handle->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ck_assert_int_ge(handle->event, 0);
	*ret = &handle->base;
	return 0;
}

static enum io_answer paper_submit(struct io_handle *base, struct io_request *request)
{
	struct paper_handle *handle = (struct paper_handle *)base;
	bool good;

	if (handle->count == QUEUE)
		return IO_BUSY;
	good = paper_read(handle->paper, request->offset, request->length);
	request->result = good ? 0 : -EIO;
	request->done = good ? request->length : 0;
	if (!request->submitted)
		request->submitted = clock_monotonic();
	handle->queue[handle->count++] = request;
	eventfd_write(handle->event, 1);
	return IO_QUEUED;
}

static int paper_reap(struct io_handle *base, unsigned min, unsigned max, uint64_t timeout_ns,
		      struct io_request **ret)
{
	struct paper_handle *handle = (struct paper_handle *)base;
	eventfd_t value;

	if (handle->count == 0)
		return 0;
	*ret = handle->queue[0];
	(*ret)->completed = clock_monotonic();
	memmove(handle->queue, handle->queue + 1, --handle->count * sizeof(*handle->queue));
	if (handle->count == 0)
		eventfd_read(handle->event, &value);
	return 1;
}

static int paper_poll_fd(struct io_handle *base)
{
	return ((struct paper_handle *)base)->event;
}

static int paper_flush(struct io_handle *base, struct error *reterr)
{
	return 0;
}

static void paper_close(struct io_handle *base)
{
	close(((struct paper_handle *)base)->event);
	free(base);
}

void paper_new(struct paper *paper, uint64_t size, size_t most)
{
	*paper = (struct paper){
		.backend = {
			.name = "paper",
			.traits = IO_ASYNC | IO_DIRECT,
			.probe = paper_probe,
			.open = paper_open,
			.submit = paper_submit,
			.reap = paper_reap,
			.poll_fd = paper_poll_fd,
			.flush = paper_flush,
			.close = paper_close,
		},
		.size = size,
		.bad = calloc(size / PAPER_SECTOR, 1),
		.got = calloc(size / PAPER_SECTOR, 1),
		.failed = calloc(most, sizeof(uint64_t)),
		.most = most,
	};
	ck_assert(paper->bad && paper->got && paper->failed);
	pthread_mutex_init(&paper->lock, NULL);
}

void paper_done(struct paper *paper)
{
	pthread_mutex_destroy(&paper->lock);
	free(paper->bad);
	free(paper->got);
	free(paper->failed);
}
