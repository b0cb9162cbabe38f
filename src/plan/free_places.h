/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places of the source that its file systems do not use, and what the plan does with them:
 * some are copied after all else, so that what matters comes off a failing disk first; others are
 * not copied, and what the destination has there is cleared, or stays (plan_options.free).
 * All lie in extents of the plan, at which they are cut; nothing is ever written outside.
 *
 * There may be a million of them. They never change once they are in a plan, so a plan and its
 * copies share one list. No system calls here.
 *
 * Unit: the source's logical sectors.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/range.h"

/* Made by whoever knows the file systems, zero-initialised and then with range_list_add(), which
 * takes no time at the end of a list. No sector is in both. */
struct free_places {
	struct range_list later;    /* copied after all else */
	struct range_list left_out; /* not copied */

	/* The plan's own. */
	atomic_uint sharers;
	uint64_t digest;
};

/* More count as used: what is recorded of a plan must not be able to fill the memory. */
#define FREE_PLACES_MAX (4U << 20)

struct plan;
struct extent;

void free_places_done(struct free_places *places);

/* How many bytes are copied last, and how many are not copied. */
uint64_t plan_later_bytes(const struct plan *plan);
uint64_t plan_free_bytes(const struct plan *plan);
/* What is not copied, ascending; NULL: all is. */
const struct range_list *plan_left_out(const struct plan *plan);
/* What is copied last, ascending; NULL: there is no such order. */
const struct range_list *plan_later(const struct plan *plan);

/* Goes over what is copied, ascending: the extents without what is left out. Zero-initialise. */
struct plan_walk {
	size_t extent, place;
	uint64_t done; /* sectors of this extent */
};

bool plan_walk(const struct plan *plan, struct plan_walk *walk, struct extent *ret);

/*
 * For plan_new() and plan_from_extents(): checks and takes over a list. With `cut`, what lies
 * outside the extents is cut off, and parts of units (sectors of the destination, which may be
 * larger, in bytes) count as used; else that is an error. *ret is NULL if nothing is left.
 * -EINVAL, -ENOMEM.
 */
int free_places_take(const struct free_places *wanted, const struct plan *plan, bool cut,
		     struct free_places **ret);
struct free_places *free_places_share(struct free_places *places); /* NULL is fine */
void free_places_drop(struct free_places *places);                 /* NULL is fine */
