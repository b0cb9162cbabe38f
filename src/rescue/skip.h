/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the copy gets out of a damaged region with as few failed reads as it can: each
 * one wears the disk, and may be its last.
 *
 * After a chunk that failed, was too slow or hangs, the following chunks are skipped,
 * four times as many with every further failure. The region ends only when more than
 * was skipped last has been good, or a share of what is usually good between two
 * failures: bad spots close together are one region. If it was bad throughout, the
 * next region begins with the skip that was enough for this one, since damage often
 * comes in pieces of one size, such as the tracks of one head; scattered spots teach
 * nothing about the next ones. Or the rest of the area is skipped, or all the rest.
 * Skipped chunks stay non-tried for a later sweep. Shared by all lanes; only failures,
 * and the end of a region, take the lock.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "copy/work.h"

enum skip_kind {
	SKIP_NOTHING,
	SKIP_SOME,
	SKIP_AREA, /* a failure ends the area, unless the ground before it was good */
	SKIP_ALL,  /* the first failure ends the sweep */
};

struct skip {
	pthread_mutex_t lock;
	enum skip_kind kind;
	uint64_t most;        /* bytes of the longest skip */
	uint64_t learned;     /* bytes of the first skip in a region; kept from sweep to sweep */
	unsigned failures;    /* in this region */
	bool solid;           /* and hardly anything good between them */
	bool met;             /* atomic: damage, ever */
	uint64_t ends;        /* atomic: after so many good bytes in a row the region is over */
	uint64_t ground, bad; /* good bytes between so many failures */
	uint64_t size;        /* atomic: bytes of the last skip; 0: not in a region */
	/* Atomic: chunks after `from` and before `land` are skipped. */
	uint64_t from, land;
	/* Bytes of the source: what failed at the end of a sweep with SKIP_ALL; edge 0: nothing. */
	uint64_t edge_start, edge;
	uint64_t edge_bytes, edge_longest; /* of the requests that failed: all, the longest */
};

void skip_init(struct skip *skip);
void skip_done(struct skip *skip);
/* For a new round over `work`, while all lanes are parked. With SKIP_SOME, ascending, it begins
 * beyond the place where the last sweep failed, as far beyond it as that was long; if it was a
 * spot, or requests that were in flight behind it were good, right there. */
void skip_reset(struct skip *skip, enum skip_kind kind, struct work *work);
void skip_bad(struct skip *skip, struct work *work, uint64_t chunk);
/* The chunk is still pending, and the round cannot end without it: so this round continues after
 * the chunks taken so far. */
void skip_hang(struct skip *skip, struct work *work, uint64_t chunk);
void skip_good(struct skip *skip, const struct work *work, uint64_t chunk);
/* Is this chunk, which was taken before the skip began, part of it? */
bool skip_leaves_out(const struct skip *skip, uint64_t chunk);
/* Good bytes in a row before this chunk: since the last skip, or the start of the round or, with
 * SKIP_AREA, of the area. 0 in a damaged region. */
uint64_t skip_ground(const struct skip *skip, const struct work *work, uint64_t chunk);
