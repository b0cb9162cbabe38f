/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the stream gets out of a damaged zone: after a chunk that failed, was too
 * slow, or hangs, the next ones are left out, more of them with every failure behind
 * the last landing, until a chunk is good again; or all of them. What was left
 * out stays non-tried, for the next sweep. Shared by all lanes; only failures
 * take the lock.
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
	uint64_t first, most; /* bytes of the first and of the longest skip; 0: none */
	uint64_t size;        /* atomic: bytes of the last one; 0: on good ground */
	/* Atomic: chunks behind `from` and before `land` are left out. */
	uint64_t from, land;
};

void skip_init(struct skip *skip);
void skip_done(struct skip *skip);
/* For a new round over `work`; no lane is at work. */
void skip_reset(struct skip *skip, enum skip_kind kind, const struct work *work);
void skip_bad(struct skip *skip, struct work *work, uint64_t chunk);
/* It has not come back, and no round ends before it does: so the stream goes on in this one, behind
 * what was handed out by now. */
void skip_hang(struct skip *skip, struct work *work, uint64_t chunk);
void skip_good(struct skip *skip, uint64_t chunk);
/* A chunk that was handed out before the skip began, and lies in it. */
bool skip_leaves_out(const struct skip *skip, uint64_t chunk);
/* Chunks from the last trouble, or from where the round began, up to this one. */
uint64_t skip_stretch(const struct skip *skip, uint64_t chunk);

#endif
