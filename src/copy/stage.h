/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy in stages: first everything except the held areas (plan/held.h), then
 * these, then their keys. Each stage goes through all passes, flush and verification
 * included, before the next one begins, so the destination at any moment either
 * shows nothing or is complete. If there are no held areas, there is one stage.
 *
 * Constant, except for `now`, `part` and `written`, which are the coordinator's.
 */
#pragma once

#include "base/range.h"
#include "plan/held.h"
#include "plan/plan.h"

#define STAGES_MAX (2 + HELD_KEYS)

/* Of the first stage, where free places are copied after all else (plan/free_places.h). */
enum stage_part { STAGE_ALL, STAGE_USED, STAGE_LATER };

#define WIPES 2

struct stages {
	struct range_list domain[STAGES_MAX]; /* plan->sector_size */
	/* What is wiped before the first stage: first all signatures, then the rest. */
	struct range_list wipe[WIPES];
	struct range_list first;       /* of the first stage, what is copied before the rest */
	struct range_list used, later; /* the parts of the first stage; empty: it has none */
	enum stage_part part;          /* of it, what the passes work on; the coordinator's */
	unsigned count;                /* 0 or 1: the whole plan at once */
	unsigned now;
	unsigned areas; /* held areas */
	uint64_t bytes;
	bool written; /* all of it was, and not taken away again; the coordinator's */
};

/* held NULL or empty: one stage. -ENOMEM. */
int stages_init(struct stages *stages, const struct plan *plan, const struct held *held);
void stages_done(struct stages *stages);
bool stages_last(const struct stages *stages);
/* Is the first stage, in which it is now, copied in two parts? */
bool stages_parted(const struct stages *stages);
/* What the passes work on now; NULL: the whole plan. */
const struct range_list *stages_domain(const struct stages *stages);
/* The parts of all stages in LBA order; neighbours of different stages are not merged, so nothing
 * may be added to this list. Empty if there is one stage. -ENOMEM. */
int stages_in_order(const struct stages *stages, struct range_list *ret);
