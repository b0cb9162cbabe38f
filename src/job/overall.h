/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far a job is, and how long it still takes: over all its passes, and in the
 * one under way. Pure arithmetic on a snapshot, so that tests can play one back.
 *
 * The whole job is every byte to be copied and, if that was asked for, every byte
 * to be verified. A byte that was given up as bad counts as done. Bytes of free places
 * count where clearing them takes as long as writing them, or they are all read back.
 */
#ifndef CLONEDECK_JOB_OVERALL_H
#define CLONEDECK_JOB_OVERALL_H

#include <stdbool.h>
#include <stdint.h>

#include "job/snapshot.h"

/* What is remembered from one snapshot to the next. Starts as zeros. */
struct overall {
	double fraction; /* never falls: what is found to be left late does not undo what is done */
	struct eta_shown all, pass;
};

/*
 * Fills in overall, eta and pass_eta of a snapshot in which everything else is
 * known. copying: how long the bytes of the map that are not finished would take
 * at the speed of the copy. retries: bad sectors will be read again after all
 * else. now: unix seconds.
 */
void overall_show(struct overall *overall, const struct eta *copying, bool retries, int64_t now,
		  struct job_snapshot *job);

#endif
