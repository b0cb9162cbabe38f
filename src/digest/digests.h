/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The digests of one copy: a table of regions, parts of the plan's extents of
 * one size, with the sum of what was read of each. The size is chosen so that
 * the table stays within 3 MiB for a disk of any size; a region is never
 * smaller than a request, so that no request reaches over more than two.
 *
 * Units: bytes of the source's node; sectors of the plan's sector size. One
 * owner thread (or the caller's lock).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "digest/digest.h"

#define DIGEST_REGIONS_MAX (1U << 16) /* but for the rests at the ends of extents */
#define DIGEST_REGION_MIN  (1U << 20) /* bytes */
/* Regions that one request of at most PLAN_CHUNK_MAX may lie in. */
#define DIGEST_PARTS_MAX 2

struct digest_region {
	uint64_t source, destination, length; /* bytes */
};

/* Of all sectors of a region, or of some of them. */
struct digest_sum {
	struct digest digest;   /* of these sectors */
	struct digest weighted; /* the same, each times the sectors from it to the region's end */
	uint64_t sectors;
};

/* The contribution of one request to one region. */
struct digest_part {
	size_t region;
	struct digest_sum sum;
};

void digest_sum_add(struct digest_sum *to, const struct digest_sum *more);
/* The only sector in which two sums of the same sectors differ, counted from the end of the region
 * (1: the last), at most `most`. False: it is not one alone. */
bool digest_sum_pin_down(const struct digest_sum *a, const struct digest_sum *b, uint64_t most,
			 uint64_t *ret);

struct digests;

/* Empty, for this plan (borrowed). chunk: the largest request (bytes). -ENOMEM. */
int digests_new(const struct plan *plan, uint32_t chunk, struct digests **ret);
/* The same with a given region size, a power of two. -EINVAL for one that digests_new() would not
 * choose, -ENOMEM. */
int digests_new_sized(const struct plan *plan, uint64_t region, struct digests **ret);
/* Another one of the same plan and the same sums. -ENOMEM. */
int digests_copy(const struct digests *from, struct digests **ret);
void digests_destroy(struct digests *digests); /* NULL is fine */

uint64_t digests_region_size(const struct digests *digests);
size_t digests_count(const struct digests *digests);
struct digest_region digests_region(const struct digests *digests, size_t i);
/* The region of this byte of the source; false outside the plan. */
bool digests_find(const struct digests *digests, uint64_t source, size_t *ret);

/* Computes the digests of a piece of the source, one per region; returns their number. Uses only
 * constant members, so any thread may call it. The piece must be in one extent. */
unsigned digests_parts(const struct digests *digests, uint64_t source, const void *data,
		       uint32_t length, struct digest_part parts[static DIGEST_PARTS_MAX]);
void digests_add(struct digests *digests, const struct digest_part *part);
void digests_clear(struct digests *digests, size_t region);
/* Of what was read of a region so far. */
struct digest_sum digests_sum(const struct digests *digests, size_t region);
void digests_set(struct digests *digests, size_t region, struct digest_sum sum);
/* The only sector of the region in which what was found is not what was expected, counted from
 * its start. False: it is not one alone. */
bool digests_pin_down(const struct digests *expected, const struct digests *found, size_t region,
		      uint64_t *ret);
