/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A worker: a thread for one function that may never return, such as writing a
 * file on a disk that hangs. Whoever started it waits as long as they like and
 * then takes the result, or abandons the worker, which frees itself when the
 * function returns after all. As long as the kernel waits for a disk in such a
 * thread, even a process that has exited stays.
 *
 * What `data` points to belongs to the worker until worker_wait() returned true.
 * The other calls are for one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct worker;

#define WORKER_FOREVER UINT64_MAX

/* The function, and what it is given. */
struct worker_order {
	void (*body)(void *data);
	void (*destroy)(void *data); /* frees `data`, once, after body(); NULL: nothing to free */
	void *data;
	const char *name; /* as in thread_create() */
	int wake;         /* >0: an eventfd, signalled after body() unless abandoned by then */
};

/*
 * For who only wants the answer: runs body() on a copy of `data`, and copies that back if body()
 * returns in time (monotonic ns). -ETIMEDOUT, or another negative errno; then `data` is unchanged.
 */
int worker_ask(const char *name, void (*body)(void *data), void *data, size_t size, uint64_t until);
/* 0 or a negative errno; then `data` stays the caller's. */
int worker_start(const struct worker_order *order, struct worker **ret);
/* Waits until a time (monotonic ns; 0: does not wait). True: body() has returned, and `data` may be
 * read until worker_abandon(). */
bool worker_wait(struct worker *worker, uint64_t until);
/* Never waits: frees the worker and `data` now, or when body() returns. NULL is fine. */
void worker_abandon(struct worker *worker);
