/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a map records of the held areas of a copy (stage.h), beside its blocks. A copy that is
 * resumed checks with it that the destination is still the half-made clone, and that the source is
 * still what it was:
 *
 *   # clonedeck wiped=LBA,SECTORS                    as in struct map_held
 *   # clonedeck arming=yes
 *   # clonedeck first=LBA,SECTORS,DIGEST,WEIGHTED
 *   # clonedeck cleared=LBA
 *
 * All of it is missing in the maps of other programs, and before anything was wiped.
 * Unit: plan->sector_size of the source.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/range.h"
#include "plan/plan.h"
#include "digest/digests.h"

/* An area of the source, as it was read before the copy began. */
struct map_reading {
	struct range sectors;
	struct digest_sum sum;
};

struct map_held {
	/* Held areas that were wiped, on the medium: whatever of them the map does not call
	 * finished holds zeros there. Empty: not known. */
	struct range_list wiped;
	/* The copy has begun to write them: what the map does not call finished holds zeros or
	 * what the source has there, sector by sector. */
	bool arming;
	struct map_reading *first;
	size_t first_count;
	/* The free places that are left out have what the plan promises, up to this LBA. */
	uint64_t cleared;
};

void map_held_done(struct map_held *held);
/* -ENOMEM; *ret is empty then. */
int map_held_copy(const struct map_held *from, struct map_held *ret);
void map_held_print(const struct map_held *held, FILE *file);
/* -ENOENT: no key of these; -EINVAL, -ENOMEM. */
int map_held_read(struct map_held *held, const char *key, const char *value);
/* A start, a length that is not 0, and what must be between and behind them. */
bool map_take_range(const char **p, char between, char stop, struct range *ret);
/* Does all of it lie inside the plan? */
bool map_held_fits(const struct map_held *held, const struct plan *plan);
