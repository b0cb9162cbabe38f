/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy as recorded in a list of digests (digest/list.h): its plan, what of it was
 * read, and the digests of that. With it, a clone is verified without its source.
 */
#pragma once

#include "base/error.h"
#include "map/map.h"
#include "plan/plan.h"

struct digests;

struct recorded_copy {
	struct plan *plan; /* its endpoints as recorded */
	char id[9];        /* the plan's, even if its identities are masked */
	bool masked;
	struct map *map; /* finished: what was read; bad: what could not be */
	struct digests *digests;
};

/* Trusts nothing in the file. -EINVAL with a sentence if something cannot be right. */
int recorded_copy_load(const char *path, struct recorded_copy *ret, struct error *reterr);
void recorded_copy_done(struct recorded_copy *recorded);
