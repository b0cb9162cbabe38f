/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of one copy, between which a disk was gone. */
#ifndef CLONEDECK_SESSION_PARTS_H
#define CLONEDECK_SESSION_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "job/snapshot.h"

/* The parts that have ended. */
struct parts {
	unsigned count;
	bool source_gone; /* between two of them */
	struct job_snapshot sum;
};

/* Adds the earlier parts to the snapshot of the current one. */
void parts_join(const struct parts *earlier, struct job_snapshot *job);
/* Adds a part that has ended; away: ns until the next one began. */
void parts_add(struct parts *earlier, const struct job_snapshot *part, uint64_t away);

#endif
