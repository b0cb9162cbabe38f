/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Verifying during the copy, one window behind it. From time to time the
 * destination is flushed. Regions (digest/digests.h) that were complete in the map
 * before the last flush but one are on the medium, and since then a whole window
 * has passed through the disk's own cache. The lanes read these regions back
 * beside the copy. A region that matches is proven; one that does not, or was not
 * reached, is left to the passes after the copy. A complete region is not written
 * again, except by later passes, which first drop its proof. A disk of fake
 * capacity may still lose such a region: the final look (final_look.h) reads a sample.
 *
 * Threads: the coordinator opens windows and judges, and owns everything between two
 * rounds of a pass. While lanes run, they only take pieces; regions below `ready`
 * do not change.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

struct lane;
struct map;
struct slot_ops;
struct verification;

struct rolling {
	enum rolling_how how;
	uint64_t window;            /* bytes written between two flushes */
	uint64_t flushed;           /* counter of written bytes at the last flush */
	uint32_t pieces;            /* per region, of the size of the lanes' requests */
	size_t *regions;            /* in the order of reading back */
	atomic_size_t ready;        /* number of regions; raised by the coordinator */
	atomic_uint_fast64_t taken; /* number of pieces; raised by the lanes */
	size_t judged;
	bool told; /* the user knows that something differs */
};

/* After the proof was made. -ENOMEM. */
int rolling_init(struct verification *v);
void rolling_done(struct rolling *rolling);

/* ---- the coordinator ---- */

/* Is there verification beside the copy? Where it only takes what is left over, a rate limit leaves
 * nothing. */
bool rolling_now(const struct verification *v);
/* Reports once whether there will be verification during the copy. */
void rolling_tell(struct verification *v);
/* Ten times a second, in a pass with PASS_ROLLING. True: a window is full, and the destination is
 * to be flushed, if it can be now. */
bool rolling_tick(struct verification *v, bool can_flush);
/* In such a pass, after the next flush following that of `confirmed`: opens its regions. */
void rolling_open(struct verification *v, const struct map *confirmed);
/* At the end of a round of the copy: drops regions that were not read back completely. */
void rolling_end(struct verification *v);

/* ---- a lane ---- */

/* For its slots, during the copy pass. */
extern const struct slot_ops rolling_ops;
/* Begins pieces if the copy leaves buffers and the destination has room. */
void rolling_take(struct lane *lane);
