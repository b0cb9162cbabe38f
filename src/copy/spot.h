/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy that is probed (capacity.h) but not verified is looked at in the same
 * places all the same: of each a digest is taken as it is copied, and after the
 * flush it is read back. That finds within seconds a disk that wraps, or keeps
 * only what is in its cache; it proves nothing of the rest.
 *
 * Threads: a place is its piece's lane's while lanes run, else the keeper's.
 */
#ifndef CLONEDECK_COPY_SPOT_H
#define CLONEDECK_COPY_SPOT_H

#include "copy/capacity.h"
#include "verify/digest.h"

struct job;
struct slot;

enum spot_state {
	SPOT_UNKNOWN, /* not copied by this job */
	SPOT_TAKEN,
	SPOT_GOOD,
	SPOT_WRONG, /* something else came back, or nothing */
};

struct spots {
	struct capacity places;
	struct digest *taken;
	enum spot_state *states;
	size_t next;
};

/* Nothing where it is not asked for. -ENOMEM. */
int spots_init(struct job *job);
void spots_done(struct spots *spots);
/* In the lane: this is about to be written. */
void spots_take(struct job *job, const struct slot *slot);

#endif
