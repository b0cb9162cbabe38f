/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checksums of a stream whose pieces arrive nearly in order, from several threads.
 * One thread per algorithm takes the pieces by number, each at its own pace. A
 * piece's memory must not change until done() is called, so the backlog is bounded
 * by the number of buffers. Anything in the plan between two pieces counts as zeros.
 *
 * No piece waits for ever if every number is given eventually, each thread gives its
 * pieces in ascending order, and none needs the memory of a higher number for a lower
 * one. If a number will never come, hasher_break() ends the stream without a sum.
 *
 * Units: bytes of the source's node.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/plan.h"
#include "digest/digests.h"
#include "digest/checksum.h"

/* One piece; embedded in the owner of its memory. */
struct hash_item {
	uint64_t number; /* 0, 1, 2, … over the whole stream */
	uint64_t source;
	const void *data;
	uint32_t length;
	/* Called once, by a thread of the hasher or from hasher_break(), without any lock that the
	 * giver could wait for; must not block. */
	void (*done)(struct hash_item *item);
	void *owner; /* the giver's */
	/* The hasher's: */
	struct hash_item *before, *after;
	unsigned left, busy; /* threads that still need it; that are reading it */
};

struct hasher;

/* algorithms: one bit each. The threads sleep until a piece is given. */
int hasher_new(unsigned algorithms, const struct plan *plan, struct hasher **ret,
	       struct error *reterr);
/* Waits for the pieces being read; forgets the others. NULL is fine. */
void hasher_destroy(struct hasher *hasher);

/* Begins a new stream, when nothing of the last one is left. */
void hasher_open(struct hasher *hasher);
/* Any thread. parts: the digests of the piece, for hasher_total(). False: no stream is open, and
 * done() will not be called. */
bool hasher_give(struct hasher *hasher, struct hash_item *item, const struct digest_part *parts,
		 unsigned count);
/* Any thread, any number of times: this stream will have no sum. */
void hasher_break(struct hasher *hasher);
/* After the last piece. True: all threads have finished; false: ask again. */
bool hasher_through(struct hasher *hasher);
/* After that. True: `bytes` of the plan were given, and the sums are valid. */
bool hasher_close(struct hasher *hasher, uint64_t bytes);

/* After a good close: in hexadecimal digits. */
const char *hasher_sum(const struct hasher *hasher, enum checksum_algorithm algorithm);
/* The sum of the digests of all pieces. */
struct digest hasher_total(const struct hasher *hasher);
