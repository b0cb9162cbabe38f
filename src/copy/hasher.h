/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums of a stream that arrives in pieces, nearly in order, from several
 * threads: one thread for each algorithm takes the pieces by their numbers, one
 * after the other, each at its own pace. Whoever gives a piece leaves its memory
 * alone until done() is called, so what waits is bounded by the buffers there
 * are. What lies between two pieces and is in the plan counts as zeros.
 *
 * No piece waits for ever as long as every number is given in the end, and as
 * long as each thread gives its own ones in ascending order and needs no memory
 * of a higher one for a lower one. Where a number will never come,
 * hasher_break() ends the stream: then there is no sum.
 *
 * Units: bytes of the source's node.
 */
#ifndef CLONEDECK_COPY_HASHER_H
#define CLONEDECK_COPY_HASHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/plan.h"
#include "verify/digests.h"
#include "verify/sum.h"

/* One piece; part of what its memory belongs to. */
struct hash_item {
	uint64_t number; /* 0, 1, 2, … over the whole stream */
	uint64_t source;
	const void *data;
	uint32_t length;
	/* Called once, in a thread of the hasher's or in that of hasher_break(), with nothing
	 * locked that the giver could wait for; must not block. */
	void (*done)(struct hash_item *item);
	void *owner; /* the giver's */
	/* The hasher's own. */
	struct hash_item *before, *after;
	unsigned left, busy; /* threads that still want it; that are reading it */
};

struct hasher;

/* Algorithms: a bit each. Its threads sleep until something is given. */
int hasher_new(unsigned algorithms, const struct plan *plan, struct hasher **ret,
	       struct error *reterr);
/* Waits for what is being read just now; pieces that are left are forgotten. NULL is fine. */
void hasher_destroy(struct hasher *hasher);

/* A new stream, when nothing of another one is left. */
void hasher_open(struct hasher *hasher);
/* Any thread. parts: its digests, one a region of the proof, for hasher_total(). False: no stream
 * is open, done() will not be called. */
bool hasher_give(struct hasher *hasher, struct hash_item *item, const struct digest_part *parts,
		 unsigned count);
/* Any thread, any number of times: there will be no sum. */
void hasher_break(struct hasher *hasher);
/* All was given. True: no thread computes any more; false: ask again. */
bool hasher_through(struct hasher *hasher);
/* Then. True: `bytes` of the plan were given, and the sums are there. */
bool hasher_close(struct hasher *hasher, uint64_t bytes);

/* After a good close: in hexadecimal digits. */
const char *hasher_sum(const struct hasher *hasher, enum sum_algorithm algorithm);
/* The sum of the digests of all that was given. */
struct digest hasher_total(const struct hasher *hasher);

#endif
