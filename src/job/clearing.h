/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What becomes of the free places that a copy leaves out (plan/free_places.h): they are zeroed or
 * discarded when all else is copied, and zeros are read back, some or all of them. They are no part
 * of the map's blocks: how far they are cleared is one number in it (map_held.h).
 */
#ifndef CLONEDECK_JOB_CLEARING_H
#define CLONEDECK_JOB_CLEARING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "copy/copy.h"

struct job;
struct job_snapshot;

struct clearing {
	/* By the coordinator: sectors of the source up to which all is cleared in this part of the
	 * copy, and with the pass under way. */
	uint64_t at, until;
	atomic_bool plain;         /* the destination clears nothing itself: zeros are written */
	bool cannot;               /* it was asked to discard, and cannot */
	bool checked;              /* what was chosen was read back */
	atomic_ullong good, wrong; /* bytes read back */
	atomic_ullong first_wrong; /* byte of the source, plus one; 0: none */
};

/* Is something of it still to be done? */
bool clearing_is_due(const struct job *job);
void clearing_show(const struct job *job, struct job_snapshot *ret);

extern const struct slot_ops clear_ops, clear_check_ops;
int clear_prepare(struct job *job, unsigned round);
void clear_end(struct job *job);
int clear_check_prepare(struct job *job, unsigned round);
void clear_check_end(struct job *job);

#endif
