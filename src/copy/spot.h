/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spot check of a copy that is probed (capacity.h) but not verified: the digest of
 * each probed place is taken as it is copied, and compared when it is read back
 * after the flush. Within seconds this finds a disk whose addresses wrap, or that
 * keeps only what is in its cache; it proves nothing about the rest.
 *
 * Threads: while lanes run, a place belongs to the lane that copies it; otherwise
 * to the keeper.
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

/* Does nothing if there is nothing to check. -ENOMEM. */
int spots_init(struct job *job);
void spots_done(struct spots *spots);
/* In the lane: takes the digest of a piece that is about to be written. */
void spots_take(struct job *job, const struct slot *slot);

#endif
