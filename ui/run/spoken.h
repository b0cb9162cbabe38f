/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 4 for who listens to it or reads it with the fingers (--simple): no panes in which
 * figures move, but a line now and then, each below the one before.
 */
#ifndef CLONEDECK_UI_RUN_SPOKEN_H
#define CLONEDECK_UI_RUN_SPOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "job/job.h"
#include "plan/plan.h"

#include "ui/core/draw.h"

#define SPOKEN_LINES 32
#define SPOKEN_COLS  150 /* two rows of the smallest screen take it */

struct run_spoken {
	char lines[SPOKEN_LINES][4 * SPOKEN_COLS + 1]; /* on this page, oldest first */
	size_t count;
	bool fresh;           /* the newest one was not drawn yet */
	enum job_state state; /* as it says */
	enum pass_kind pass;
};

/* Says how it stands: when it is time for that (`due`), or when the copy has begun with something
 * else since. Never the same twice. */
void run_spoken_follow(struct run_spoken *spoken, const struct job_snapshot *job, bool due);
/* Both ends, and the lines. A page that is full is turned. */
void run_spoken_draw(struct run_spoken *spoken, const struct plan *plan, struct draw *draw,
		     struct rect body);

#endif
