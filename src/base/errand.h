/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An errand: work that may never return, such as writing a file on a disk that
 * hangs, in a thread of its own. The caller waits as long as it likes and then
 * leaves the errand, which cleans up after itself if it ever ends. While the
 * kernel waits for the disk in such a thread, an exiting process stays until
 * the disk answers.
 */
#ifndef CLONEDECK_BASE_ERRAND_H
#define CLONEDECK_BASE_ERRAND_H

#include <stdbool.h>
#include <stdint.h>

struct errand;

/*
 * body(data) runs in the thread. destroy(data) is called once, by whichever is
 * last: the thread, or errand_leave(). name: as in thread_create(). 0 or a
 * negative errno; then `data` stays the caller's.
 */
int errand_start(void (*body)(void *data), void (*destroy)(void *data), void *data,
		 const char *name, struct errand **ret);
/* Waits until a time (monotonic ns; 0: does not wait). True: body() has returned, and its results
 * in `data` may be read until errand_leave(). */
bool errand_wait(struct errand *errand, uint64_t until);
/* Never waits. NULL is fine. */
void errand_leave(struct errand *errand);

#endif
