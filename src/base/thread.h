/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starting threads, in one way for all: signals belong to the front end's
 * thread, so all are blocked but those of a fault of its own; and a stack of its own for signal
 * handlers is there, so that one set with SA_ONSTACK still runs when the thread's own stack has
 * overflowed (sigaltstack(2): that stack is each thread's alone).
 */
#ifndef CLONEDECK_BASE_THREAD_H
#define CLONEDECK_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Enough for any processor's registers and a handler that calls little. */
#define THREAD_SIGNAL_STACK (64 << 10)

/*
 * stack: bytes, 0 the system's default. name: at most 15 characters, as ps
 * shows it; NULL: the program's. Returns 0 or a negative errno.
 */
int thread_create(pthread_t *ret, size_t stack, void *(*body)(void *), void *argument,
		  const char *name);

#endif
