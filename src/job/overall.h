/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far a job is, and how long it still takes: over all its passes, and in the
 * one under way. Pure arithmetic on a snapshot, so that tests can play one back.
 *
 * The figure goes by time once it is known how long the rest takes: a second that is 1/n of the
 * time left takes 1/n of the way from the figure to 100 %. So each stage weighs as much as the
 * time it takes, a wrong estimate is corrected little by little, and the figure never falls. Of
 * an estimate "from … to …" the geometric mean counts. While the time is not known any more, the
 * figure stands still. Before it is known at all, the share of bytes is shown: every byte to be
 * copied and, if that was asked for, every byte to be verified. A byte that was given up as bad
 * counts as done. Bytes of free places count where clearing them takes as long as writing them,
 * or they are all read back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "job/snapshot.h"

/* What is remembered from one snapshot to the next. Starts as zeros. */
struct overall {
	double fraction;
	bool timed;      /* the time left was known at least once: it counts by time */
	uint64_t active; /* ns without pauses, of the last snapshot */
	struct eta_shown all, pass;
	struct job_forecast forecasts[JOB_FORECASTS];
};

/*
 * Fills in overall, eta, pass_eta, left and the forecasts of a snapshot in which everything else
 * is known. copying: how long the bytes of the map that are not finished would take
 * at the speed of the copy; in a pass that reads back, how long that takes. now: unix seconds.
 */
void overall_show(struct overall *overall, const struct eta *copying, const struct plan *plan,
		  int64_t now, struct job_snapshot *job);
