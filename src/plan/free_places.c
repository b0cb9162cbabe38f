/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/free_places.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#include "plan/plan.h"

void free_places_done(struct free_places *places)
{
	range_list_done(&places->later);
	range_list_done(&places->left_out);
}

struct free_places *free_places_share(struct free_places *places)
{
	if (places)
		atomic_fetch_add(&places->sharers, 1);
	return places;
}

void free_places_drop(struct free_places *places)
{
	if (!places || atomic_fetch_sub(&places->sharers, 1) > 1)
		return;
	free_places_done(places);
	free(places);
}

const struct range_list *plan_left_out(const struct plan *plan)
{
	return plan->free_places && plan->free_places->left_out.count ? &plan->free_places->left_out
								      : NULL;
}

const struct range_list *plan_later(const struct plan *plan)
{
	return plan->free_places && plan->free_places->later.count ? &plan->free_places->later
								   : NULL;
}

uint64_t plan_later_bytes(const struct plan *plan)
{
	const struct range_list *later = plan_later(plan);

	return later ? range_list_total(later) * plan->sector_size : 0;
}

uint64_t plan_free_bytes(const struct plan *plan)
{
	return (plan->chosen_sectors - plan->total_sectors) * plan->sector_size;
}

/* The next sector of the extent that is not left out, and where that ends. False: there is none. */
static bool next_part(const struct range_list *left_out, const struct extent *extent,
		      struct plan_walk *walk, uint64_t *retend)
{
	uint64_t at = extent->source_lba + walk->done, end = extent->source_lba + extent->sectors;

	for (; left_out && walk->place < left_out->count; walk->place++) {
		const struct range *place = &left_out->items[walk->place];

		if (place->start > at) {
			end = place->start < end ? place->start : end;
			break;
		}
		if (place->start + place->count > at)
			at = place->start + place->count;
	}
	walk->done = at - extent->source_lba;
	*retend = end;
	return at < end;
}

bool plan_walk(const struct plan *plan, struct plan_walk *walk, struct extent *ret)
{
	for (; walk->extent < plan->extent_count; walk->extent++, walk->done = 0) {
		const struct extent *extent = &plan->extents[walk->extent];
		uint64_t end;

		if (!next_part(plan_left_out(plan), extent, walk, &end))
			continue;
		*ret = (struct extent){ extent->source_lba + walk->done,
					extent->destination_lba + walk->done,
					end - extent->source_lba - walk->done };
		walk->done += ret->sectors;
		return true;
	}
	return false;
}

/* The whole units of the destination within the part, which lies in the extent. */
static struct range whole_units(const struct extent *extent, struct range part, uint64_t unit)
{
	uint64_t from = part.start - extent->source_lba + extent->destination_lba;
	uint64_t to = (from + part.count) / unit * unit, first = (from + unit - 1) / unit * unit;

	return (struct range){ part.start + (first - from), first < to ? to - first : 0 };
}

/* Both lists ascend: they are walked together. */
static int cut(const struct range_list *wanted, const struct plan *plan, uint64_t unit,
	       struct range_list *ret)
{
	size_t i = 0, e = 0;
	int r = 0;

	while (r == 0 && ret->count < FREE_PLACES_MAX && i < wanted->count &&
	       e < plan->extent_count) {
		const struct extent *extent = &plan->extents[e];
		struct range place = wanted->items[i], part;
		struct range all = { extent->source_lba, extent->sectors };

		if (range_intersect(place, all, &part))
			r = range_list_add(ret, whole_units(extent, part, unit));
		/* Without a sum that could overflow. */
		if (place.start < all.start + all.count &&
		    place.count <= all.start + all.count - place.start)
			i++;
		else
			e++;
	}
	return r;
}

static bool same(const struct range_list *a, const struct range_list *b)
{
	return a->count == b->count && range_list_total(a) == range_list_total(b);
}

static bool share_a_sector(const struct range_list *a, const struct range_list *b)
{
	size_t i = 0, j = 0;

	while (i < a->count && j < b->count) {
		if (range_overlaps(a->items[i], b->items[j]))
			return true;
		if (a->items[i].start < b->items[j].start)
			i++;
		else
			j++;
	}
	return false;
}

/* For the id of the plan, which is asked for often. */
static uint64_t digest(const struct range_list *list, uint64_t seed)
{
	for (size_t i = 0; i < list->count; i++) {
		uint64_t numbers[] = { htole64(list->items[i].start),
				       htole64(list->items[i].count) };

		seed = XXH3_64bits_withSeed(numbers, sizeof(numbers), seed);
	}
	return seed;
}

static uint64_t units_of(const struct plan *plan)
{
	uint32_t unit = plan->destinations[0].logical_sector_size;

	return unit > plan->sector_size && unit % plan->sector_size == 0 ? unit / plan->sector_size
									 : 1;
}

int free_places_take(const struct free_places *wanted, const struct plan *plan, bool may_cut,
		     struct free_places **ret)
{
	struct free_places *places;
	int r;

	*ret = NULL;
	if (!wanted || (wanted->later.count == 0 && wanted->left_out.count == 0))
		return 0;
	places = calloc(1, sizeof(*places));
	if (!places)
		return -ENOMEM;
	atomic_init(&places->sharers, 1);
	r = cut(&wanted->later, plan, units_of(plan), &places->later);
	if (r == 0)
		r = cut(&wanted->left_out, plan, units_of(plan), &places->left_out);
	if (r == 0 && (share_a_sector(&places->later, &places->left_out) ||
		       (!may_cut && !(same(&places->later, &wanted->later) &&
				      same(&places->left_out, &wanted->left_out)))))
		r = -EINVAL;
	if (r < 0 || (places->later.count == 0 && places->left_out.count == 0)) {
		free_places_drop(places);
		return r;
	}
	places->digest = digest(&places->left_out, digest(&places->later, 1) + 1);
	*ret = places;
	return 0;
}
