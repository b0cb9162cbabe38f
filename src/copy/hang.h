/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests that hang. A kernel that tries to get through to a disk keeps a
 * request for half a minute, or for many; until then it says nothing. So every
 * slot tells by its watch what it waits for, and the keeper sees which of them
 * do not move: it takes no lane's time, and needs no clock in one.
 */
#ifndef CLONEDECK_COPY_HANG_H
#define CLONEDECK_COPY_HANG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct job;
struct job_hang;

/* The lane's to write but for WATCH_HANGS in `turn`, anyone's to read. */
struct watch {
	atomic_uint turn;                  /* WATCH_…, and above them the number of the request */
	atomic_ullong offset, tag, number; /* of the lane's requests */
	atomic_bool at_destination;
	/* The keeper's. */
	unsigned seen;
	uint64_t since; /* monotonic ns: when it saw this request first */
};

/* In the lane's thread: a request goes to its end. */
void watch_begin(struct watch *watch, uint64_t number, uint64_t offset, uint64_t tag,
		 bool at_destination);
/* It came back. True: the keeper had found it hanging, and counted it. */
bool watch_end(struct watch *watch);

/* In the keeper's thread, now and then: finds those that hang, and tells the pass of reads that
 * take longer than the plan allows. */
void hang_look(struct job *job, uint64_t now);
/* Those that hang at this moment, and the oldest of them. */
void hang_show(struct job *job, uint64_t now, struct job_hang *ret);

#endif
