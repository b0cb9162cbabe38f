/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "digest/digests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct digests {
	const struct plan *plan;
	uint64_t region; /* bytes, a power of two */
	size_t *first;   /* per extent, and one after the last */
	size_t count;
	struct digest_sum *sums;
};

static uint64_t regions_of(const struct plan *plan, size_t extent, uint64_t region)
{
	return (plan_extent_bytes(plan, extent).length - 1) / region + 1;
}

/* The smallest power of two with which the table stays small. */
static uint64_t choose_region(const struct plan *plan, uint32_t chunk)
{
	uint64_t region = DIGEST_REGION_MIN, bytes = plan_chosen_bytes(plan);

	while (region < chunk || bytes / region >= DIGEST_REGIONS_MAX)
		region *= 2;
	return region;
}

static int count_regions(struct digests *digests)
{
	const struct plan *plan = digests->plan;
	uint64_t count = 0;

	digests->first = calloc(plan->extent_count + 1, sizeof(*digests->first));
	if (!digests->first)
		return -ENOMEM;
	for (size_t i = 0; i < plan->extent_count; i++) {
		digests->first[i] = (size_t)count;
		count += regions_of(plan, i, digests->region);
	}
	digests->first[plan->extent_count] = digests->count = (size_t)count;
	digests->sums = calloc(digests->count, sizeof(*digests->sums));
	return digests->sums ? 0 : -ENOMEM;
}

int digests_new_sized(const struct plan *plan, uint64_t region, struct digests **ret)
{
	struct digests *digests;

	if (plan->extent_count == 0 || region < choose_region(plan, DIGEST_REGION_MIN) ||
	    (region & (region - 1)) != 0)
		return -EINVAL;
	digests = calloc(1, sizeof(*digests));
	if (!digests)
		return -ENOMEM;
	digests->plan = plan;
	digests->region = region;

	int r = count_regions(digests);

	if (r < 0) {
		digests_destroy(digests);
		return r;
	}
	*ret = digests;
	return 0;
}

int digests_new(const struct plan *plan, uint32_t chunk, struct digests **ret)
{
	return digests_new_sized(plan, choose_region(plan, chunk), ret);
}

int digests_copy(const struct digests *from, struct digests **ret)
{
	if (digests_new_sized(from->plan, from->region, ret) < 0)
		return -ENOMEM;
	memcpy((*ret)->sums, from->sums, from->count * sizeof(*from->sums));
	return 0;
}

void digests_destroy(struct digests *digests)
{
	if (!digests)
		return;
	free(digests->first);
	free(digests->sums);
	free(digests);
}

uint64_t digests_region_size(const struct digests *digests)
{
	return digests->region;
}

size_t digests_count(const struct digests *digests)
{
	return digests->count;
}

struct digest_region digests_region(const struct digests *digests, size_t i)
{
	size_t extent = array_first(digests->plan->extent_count, k, digests->first[k] > i) - 1;
	struct extent_bytes e = plan_extent_bytes(digests->plan, extent);
	uint64_t from = (i - digests->first[extent]) * digests->region;

	return (struct digest_region){
		.source = e.source + from,
		.destination = e.destination + from,
		.length = e.length - from < digests->region ? e.length - from : digests->region,
	};
}

bool digests_find(const struct digests *digests, uint64_t at, size_t *ret)
{
	size_t extent = plan_extent_from(digests->plan, at);
	struct extent_bytes e = plan_extent_bytes(digests->plan, extent);

	if (at < e.source || at - e.source >= e.length)
		return false;
	*ret = digests->first[extent] + (size_t)((at - e.source) / digests->region);
	return true;
}

unsigned digests_parts(const struct digests *digests, uint64_t source, const void *data,
		       uint32_t length, struct digest_part parts[static DIGEST_PARTS_MAX])
{
	uint32_t sector = digests->plan->sector_size;
	unsigned n = 0;

	while (length > 0 && n < DIGEST_PARTS_MAX) {
		struct digest_part *part = &parts[n];
		uint32_t take = length;

		if (!digests_find(digests, source, &part->region))
			break;
		struct digest_region region = digests_region(digests, part->region);
		if (take > region.source + region.length - source)
			take = (uint32_t)(region.source + region.length - source);
		part->sum.sectors = take / sector;
		part->sum.digest =
			digest_sectors(data, take, sector, source / sector, &part->sum.weighted);
		digest_add(&part->sum.weighted,
			   digest_times(part->sum.digest,
					(region.source + region.length - source - take) / sector));
		n++;
		data = (const char *)data + take;
		source += take;
		length -= take;
	}
	return n;
}

void digest_sum_add(struct digest_sum *to, const struct digest_sum *more)
{
	digest_add(&to->digest, more->digest);
	digest_add(&to->weighted, more->weighted);
	to->sectors += more->sectors;
}

/* Then the weighted sums differ by so many times what the others do. */
bool digest_sum_pin_down(const struct digest_sum *a, const struct digest_sum *b, uint64_t most,
			 uint64_t *ret)
{
	struct digest once = digest_less(b->digest, a->digest), times = { 0 };
	struct digest all = digest_less(b->weighted, a->weighted);

	if (digest_equal(once, times))
		return false;
	for (uint64_t n = 1; n <= most; n++) {
		digest_add(&times, once);
		if (!digest_equal(times, all))
			continue;
		*ret = n;
		return true;
	}
	return false;
}

void digests_add(struct digests *digests, const struct digest_part *part)
{
	digest_sum_add(&digests->sums[part->region], &part->sum);
}

void digests_clear(struct digests *digests, size_t region)
{
	digests->sums[region] = (struct digest_sum){ 0 };
}

struct digest_sum digests_sum(const struct digests *digests, size_t region)
{
	return digests->sums[region];
}

void digests_set(struct digests *digests, size_t region, struct digest_sum sum)
{
	digests->sums[region] = sum;
}

bool digests_pin_down(const struct digests *expected, const struct digests *found, size_t region,
		      uint64_t *ret)
{
	uint64_t sectors, from_end;
	struct digest_region r = digests_region(expected, region);

	sectors = r.length / expected->plan->sector_size;
	if (!digest_sum_pin_down(&expected->sums[region], &found->sums[region], sectors, &from_end))
		return false;
	*ret = sectors - from_end;
	return true;
}
