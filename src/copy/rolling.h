/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading back while the copy still runs, a window behind it. Now and then the
 * destination is flushed on the way. The regions (verify/digests.h) that were
 * whole in the map before the last but one of these flushes are on the medium,
 * and as much as was written since has passed through the disk's own cache: the
 * lanes read them back beside the copy. A region that is right is proven; one that is not
 * is left to the passes behind the copy, as is all that the lanes did not come
 * to. Nothing writes to a whole region any more, but for the passes behind that
 * begin by forgetting that it was proven. A disk that is smaller than it says
 * loses such a region all the same: proof_want_digest() looks at some again.
 *
 * Threads: the keeper opens windows and judges; between two rounds of a pass
 * all is its own. While lanes run they only take pieces: regions below `ready`
 * do not change.
 */
#ifndef CLONEDECK_COPY_ROLLING_H
#define CLONEDECK_COPY_ROLLING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

struct job;
struct lane;
struct pass_ops;

struct rolling {
	enum rolling_how how;
	uint64_t window;     /* bytes to be written between two flushes */
	uint64_t flushed;    /* the counter of written bytes when the last one was asked for */
	uint32_t pieces;     /* of a region, as large as the lanes' requests */
	size_t *regions;     /* in the order in which they are read back */
	atomic_size_t ready; /* of them; the keeper adds */
	atomic_uint_fast64_t taken; /* pieces; the lanes add */
	size_t judged;
	bool told; /* that something differs */
};

/* Once the proof is made, if there is one. -ENOMEM. */
int rolling_init(struct job *job);
void rolling_done(struct rolling *rolling);

/* ---- the keeper ---- */

/* Says once whether it is done. */
void rolling_tell(struct job *job);
/* Ten times a second. */
void rolling_tick(struct job *job);
/* Another flush is done, behind the one that job->keeper.confirmed is of. */
void rolling_open(struct job *job);
/* The end of a round of the copy: what was not read back whole is forgotten. */
void rolling_end(struct job *job);

/* ---- a lane ---- */

/* How its slots are handled while another pass is under way. */
extern const struct pass_ops rolling_ops;
/* Lets pieces begin, where the copy leaves buffers and the destination has room. */
void rolling_take(struct lane *lane);

#endif
