/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of the plan belongs to which stage. */
#include "copy/stage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Adds a stage for these parts, unless there are none. */
static int add_stage(struct stages *stages, const struct range_list *list)
{
	return list->count == 0 ? 0 : range_list_copy(list, &stages->domain[stages->count++]);
}

static int fill_wipes(struct stages *stages, const struct held *held)
{
	int r = range_list_copy(&held->found, &stages->wipe[0]);

	for (size_t i = 0; r == 0 && i < HELD_KEYS; i++)
		r = range_list_add_all(&stages->wipe[0], &held->key[i]);
	if (r == 0)
		r = range_list_copy(&held->areas, &stages->wipe[1]);
	if (r == 0)
		r = range_list_add_all(&stages->wipe[1], &held->old);
	return r == 0 ? range_list_subtract_all(&stages->wipe[1], &stages->wipe[0]) : r;
}

/* Only copies of whole disks hold something back. */
static int fill(struct stages *stages, const struct plan *plan, const struct held *held)
{
	struct range_list *all = &stages->domain[stages->count++];
	struct range_list rest;
	int r = 0;

	for (size_t i = 0; r == 0 && i < plan->extent_count; i++)
		r = range_list_add(all, (struct range){ plan->extents[i].source_lba,
							plan->extents[i].sectors });

	if (r == 0)
		r = range_list_subtract_all(all, &held->areas);
	if (r == 0)
		r = range_list_copy(&held->areas, &rest);
	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < HELD_KEYS; i++)
		r = range_list_subtract_all(&rest, &held->key[i]);
	if (r == 0)
		r = add_stage(stages, &rest);
	range_list_done(&rest);
	for (size_t i = 0; r == 0 && i < HELD_KEYS; i++)
		r = add_stage(stages, &held->key[i]);
	return r == 0 ? fill_wipes(stages, held) : r;
}

/* Divides the first stage into the parts that are copied later and the rest. */
static int part(struct stages *stages, const struct plan *plan)
{
	struct range_list all = { 0 };
	const struct range_list *domain = &all;
	int r = 0;

	if (stages->count)
		domain = &stages->domain[0];
	for (size_t i = 0; r == 0 && domain == &all && i < plan->extent_count; i++)
		r = range_list_add(&all, (struct range){ plan->extents[i].source_lba,
							 plan->extents[i].sectors });
	if (r == 0)
		r = range_list_without(domain, plan_later(plan), &stages->used);
	if (r == 0)
		r = range_list_without(domain, &stages->used, &stages->later);
	range_list_done(&all);
	return r;
}

int stages_init(struct stages *stages, const struct plan *plan, const struct held *held)
{
	int r = 0;

	*stages = (struct stages){ 0 };
	if (held && held->areas.count) {
		stages->areas = (unsigned)held->areas.count;
		stages->bytes = range_list_total(&held->areas) * plan->sector_size;
		r = fill(stages, plan, held);
	}
	if (r == 0 && held && held->first.count)
		r = range_list_copy(&held->first, &stages->first);
	if (r == 0 && plan_later(plan))
		r = part(stages, plan);
	if (r < 0)
		stages_done(stages);
	return r;
}

void stages_done(struct stages *stages)
{
	for (unsigned i = 0; i < STAGES_MAX; i++)
		range_list_done(&stages->domain[i]);
	for (unsigned i = 0; i < WIPES; i++)
		range_list_done(&stages->wipe[i]);
	range_list_done(&stages->first);
	range_list_done(&stages->used);
	range_list_done(&stages->later);
	stages->count = stages->now = 0;
}

bool stages_parted(const struct stages *stages)
{
	return stages->now == 0 && stages->later.count > 0;
}

bool stages_last(const struct stages *stages)
{
	return stages->now + 1 >= stages->count;
}

const struct range_list *stages_domain(const struct stages *stages)
{
	if (stages->part != STAGE_ALL && stages_parted(stages))
		return stages->part == STAGE_USED ? &stages->used : &stages->later;
	return stages->count ? &stages->domain[stages->now] : NULL;
}

int stages_in_order(const struct stages *stages, struct range_list *ret)
{
	size_t count = 0;

	*ret = (struct range_list){ 0 };
	for (unsigned s = 0; s < stages->count; s++)
		count += stages->domain[s].count;
	if (count == 0)
		return 0;
	ret->items = calloc(count, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	ret->capacity = count;
	for (unsigned s = 0; s < stages->count; s++) {
		memcpy(ret->items + ret->count, stages->domain[s].items,
		       stages->domain[s].count * sizeof(*ret->items));
		ret->count += stages->domain[s].count;
	}
	qsort(ret->items, ret->count, sizeof(*ret->items), range_compare);
	return 0;
}
