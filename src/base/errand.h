/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An errand: something that may never come back, such as the writing of a file
 * on a disk that hangs, done by a thread of its own. Whoever sent it waits as
 * long as they like and then leaves it alone; it tidies up behind itself if it
 * ever ends. A process that ends while the kernel waits for the disk in such a
 * thread is gone only when the disk answers.
 */
#ifndef CLONEDECK_BASE_ERRAND_H
#define CLONEDECK_BASE_ERRAND_H

#include <stdbool.h>
#include <stdint.h>

struct errand;

/*
 * body(data) runs in the thread. destroy(data) is called once, by whoever is
 * last: the thread, or the caller in errand_leave(). name: as thread_create().
 * 0 or a negative errno; then `data` stays the caller's.
 */
int errand_start(void (*body)(void *data), void (*destroy)(void *data), void *data,
		 const char *name, struct errand **ret);
/* Until a time (monotonic ns; 0: only looks). True: body() has returned, and what it left in `data`
 * may be read until errand_leave(). */
bool errand_wait(struct errand *errand, uint64_t until);
/* Never waits. NULL is fine. */
void errand_leave(struct errand *errand);

#endif
