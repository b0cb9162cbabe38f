/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests that hang. While the kernel tries to reach a disk, it keeps a request
 * for half a minute or longer without a word. So every slot shows in its watch what
 * it waits for, and the keeper finds those that do not move. This costs the lanes
 * no time and no look at the clock.
 */
#ifndef CLONEDECK_COPY_HANG_H
#define CLONEDECK_COPY_HANG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct job;
struct job_hang;

/* Written by the lane, except WATCH_HANGS in `turn`; read by anyone. */
struct watch {
	atomic_uint turn;                  /* WATCH_… flags, and above them a request count */
	atomic_ullong offset, tag, number; /* of the request in this lane */
	atomic_bool at_destination;
	/* The keeper's. */
	unsigned seen;
	uint64_t since; /* monotonic ns: when it first saw this request */
};

/* In the lane's thread: a request is sent. */
void watch_begin(struct watch *watch, uint64_t number, uint64_t offset, uint64_t tag,
		 bool at_destination);
/* It has completed. True: the keeper had counted it as hanging. */
bool watch_end(struct watch *watch);

/* In the keeper's thread, now and then: finds requests that hang, and tells the pass about reads
 * that take longer than the plan allows. */
void hang_look(struct job *job, uint64_t now);
/* The number of requests that hang now, and the oldest of them. */
void hang_show(struct job *job, uint64_t now, struct job_hang *ret);

#endif
