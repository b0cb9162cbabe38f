/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the copy gets out of a damaged zone: after a chunk that failed, was too slow
 * or hangs, the following chunks are skipped, more with every further failure,
 * until a chunk is good again; or all the rest is skipped. Skipped chunks stay
 * non-tried for the next sweep. Shared by all lanes; only failures take the lock.
 */
#ifndef CLONEDECK_COPY_SKIP_H
#define CLONEDECK_COPY_SKIP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "copy/work.h"

enum skip_kind {
	SKIP_NOTHING,
	SKIP_SOME,
	SKIP_ALL, /* the first failure ends the sweep */
};

struct skip {
	pthread_mutex_t lock;
	uint64_t first, most; /* bytes of the shortest and longest skip; 0: no skipping */
	uint64_t size;        /* atomic: bytes of the last skip; 0: the last chunk was good */
	/* Atomic: chunks after `from` and before `land` are skipped. */
	uint64_t from, land;
};

void skip_init(struct skip *skip);
void skip_done(struct skip *skip);
/* For a new round over `work`, while all lanes are parked. */
void skip_reset(struct skip *skip, enum skip_kind kind, const struct work *work);
void skip_bad(struct skip *skip, struct work *work, uint64_t chunk);
/* The chunk is still pending, and the round cannot end without it: so this round continues after
 * the chunks taken so far. */
void skip_hang(struct skip *skip, struct work *work, uint64_t chunk);
void skip_good(struct skip *skip, uint64_t chunk);
/* Is this chunk, which was taken before the skip began, part of it? */
bool skip_leaves_out(const struct skip *skip, uint64_t chunk);
/* The number of chunks since the last failure, or the start of the round. */
uint64_t skip_stretch(const struct skip *skip, uint64_t chunk);

#endif
