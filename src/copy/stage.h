/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy in stages: first all of the plan but what is held back (plan/held.h),
 * then that, then its keys. Each stage goes through all passes, flushed and
 * verified, before the next one begins, so at any moment the destination either
 * shows nothing or is whole. Without anything held back there is one stage.
 *
 * Fixed once it is made but for `now`, which is the keeper's.
 */
#ifndef CLONEDECK_COPY_STAGE_H
#define CLONEDECK_COPY_STAGE_H

#include "base/range.h"
#include "plan/held.h"
#include "plan/plan.h"

#define STAGES_MAX (2 + HELD_KEYS)
#define WIPES      2

struct stages {
	struct range_list domain[STAGES_MAX]; /* plan->sector_size */
	/* What is made empty before the first stage: all that anything is found by, then the rest.
	 */
	struct range_list wipe[WIPES];
	unsigned count; /* 0 or 1: all of the plan at once */
	unsigned now;
	unsigned areas; /* held back, and their bytes */
	uint64_t bytes;
};

/* held NULL or empty: one stage. -ENOMEM. */
int stages_init(struct stages *stages, const struct plan *plan, const struct held *held);
void stages_done(struct stages *stages);
bool stages_last(const struct stages *stages);
/* What the passes are about now; NULL: all of the plan. */
const struct range_list *stages_domain(const struct stages *stages);
/* The parts of all stages by LBA, neighbours of two stages apart, so that it is no list to be
 * added to. Empty with one stage. -ENOMEM. */
int stages_in_order(const struct stages *stages, struct range_list *ret);

#endif
