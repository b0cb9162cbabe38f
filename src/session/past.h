/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of one copy, between which a disk was gone. */
#ifndef CLONEDECK_SESSION_PAST_H
#define CLONEDECK_SESSION_PAST_H

#include <stdint.h>

#include "copy/job.h"

/* What the ended ones have told. */
struct past {
	unsigned parts;
	struct job_snapshot sum;
};

/* Joins a part's snapshot with those before it. */
void past_join(const struct past *past, struct job_snapshot *job);
/* One more part has ended; away: ns from then until the next one began. */
void past_add(struct past *past, const struct job_snapshot *part, uint64_t away);

#endif
