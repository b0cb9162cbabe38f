/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starting threads, in one way for all: signals belong to the front end's
 * thread, so all are blocked but those of a fault of the thread's own. Each gets
 * a stack for signal handlers (sigaltstack(2)), so that one set with SA_ONSTACK
 * still runs when the thread's stack has overflowed.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

/* Enough for any processor's registers and a handler that calls little. */
#define THREAD_SIGNAL_STACK (64 << 10)

/*
 * stack: bytes, 0 the system's default. name: at most 15 characters, as ps
 * shows it; NULL: the program's. Returns 0 or a negative errno.
 */
int thread_create(pthread_t *ret, size_t stack, void *(*body)(void *), void *argument,
		  const char *name);
/* The same; says why not. */
int thread_start(pthread_t *ret, size_t stack, void *(*body)(void *), void *argument,
		 const char *name, struct error *reterr);

static inline void cleanup_unlock(pthread_mutex_t **lock)
{
	pthread_mutex_unlock(*lock);
}
/* Takes the lock, and gives it back at the end of the block, however that is left. */
#define SCOPED_LOCK(lock)                                                                          \
	CLEANUP(unlock) pthread_mutex_t *scoped_lock_ = (lock);                                    \
	pthread_mutex_lock(scoped_lock_)

/* pthread_cond_wait() until a time (monotonic ns). False: it has come. */
bool thread_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until);

/* A descriptor by which threads wake each other: it polls readable from a signal until it is
 * cleared. Returns it, or a negative errno. Any thread. */
int eventfd_new(struct error *reterr);
void eventfd_signal(int fd);
void eventfd_clear(int fd);
/* A descriptor that polls readable every so many seconds, and is read to clear it; at first it does
 * not run. Returns it, or a negative errno. */
int timer_new(struct error *reterr);
/* 0: it stops. */
void timer_set(int fd, unsigned seconds);
