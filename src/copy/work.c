/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The areas to be copied, and the cursor over them. */
#include "copy/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/range.h"

#define MANY_AREAS 4096

static uint64_t chunks_of(const struct work_area *area, uint32_t chunk)
{
	uint64_t first = area->destination / chunk;
	uint64_t last = (area->destination + area->length - 1) / chunk;

	return last - first + 1;
}

/* There is room for it. */
static void put_area(struct work *work, struct work_area area)
{
	area.first_chunk = work->chunks;
	work->chunks += chunks_of(&area, work->chunk);
	work->bytes += area.length;
	work->areas[work->count++] = area;
}

static int add_area(struct work *work, struct work_area area)
{
	if (array_reserve(work->areas, work->capacity, work->count + 1) < 0)
		return -ENOMEM;
	put_area(work, area);
	return 0;
}

/* The next part of [pos, end) with one of the statuses; adjacent blocks count as one. */
static bool next_part(const struct map *map, const char *statuses, uint64_t pos, uint64_t end,
		      uint64_t *retfrom, uint64_t *retto)
{
	struct map_block block;
	bool found = false;

	for (; pos < end && map_at(map, pos, &block) && block.start < end;
	     pos = block.start + block.size) {
		uint64_t from = block.start > pos ? block.start : pos;

		if (!strchr(statuses, (int)block.status)) {
			if (found)
				break;
			continue;
		}
		if (found && from != *retto)
			break;
		if (!found)
			*retfrom = from;
		*retto = block.start + block.size < end ? block.start + block.size : end;
		found = true;
	}
	return found;
}

/* Adds the parts of one extent that are in `within`. */
static int add_parts(struct work *work, const struct plan *plan, size_t extent,
		     const struct map *map, const char *statuses, struct range within)
{
	struct extent_bytes e = plan_extent_bytes(plan, extent);
	uint64_t from, to;
	struct range part;

	if (!range_intersect((struct range){ e.source, e.length }, within, &part))
		return 0;
	for (uint64_t pos = part.start;
	     next_part(map, statuses, pos, part.start + part.count, &from, &to); pos = to) {
		int r = add_area(work, (struct work_area){
					       .source = from,
					       .destination = e.destination + (from - e.source),
					       .length = to - from,
				       });

		if (r < 0)
			return r;
	}
	return 0;
}

/* A long list of areas is often followed by a short one, such as the held areas. */
static void give_back(struct work *work)
{
	size_t wanted = work->count ? work->count : 1;
	struct work_area *areas;

	if (work->capacity < MANY_AREAS || wanted > work->capacity / 4)
		return;
	areas = reallocarray(work->areas, wanted, sizeof(*areas));
	if (!areas)
		return;
	work->areas = areas;
	work->capacity = wanted;
}

int work_init(struct work *work, const struct plan *plan, const struct map *map,
	      const struct range_list *domain, const char *statuses, uint32_t chunk,
	      bool descending)
{
	const struct range all = { 0, UINT64_MAX };
	size_t parts = domain ? domain->count : 1;
	int r = 0;

	*work = (struct work){
		.areas = work->areas,
		.capacity = work->capacity,
		.chunk = chunk,
		.descending = descending,
	};
	for (size_t i = 0; r == 0 && i < plan->extent_count; i++) {
		for (size_t j = 0; r == 0 && j < parts; j++) {
			struct range part = all;

			if (domain) {
				part.start = domain->items[j].start * plan->sector_size;
				part.count = domain->items[j].count * plan->sector_size;
			}
			r = add_parts(work, plan, i, map, statuses, part);
		}
	}
	if (r < 0)
		work_done(work);
	else
		give_back(work);
	return r;
}

static struct range bytes_of(struct range sectors, const struct plan *plan)
{
	return (struct range){ sectors.start * plan->sector_size,
			       sectors.count * plan->sector_size };
}

int work_init_places(struct work *work, const struct plan *plan, const struct range_list *places,
		     uint32_t chunk)
{
	int r;

	*work = (struct work){ .areas = work->areas, .capacity = work->capacity, .chunk = chunk };
	r = work_add_places(work, plan, places);
	if (r < 0)
		work_done(work);
	else
		give_back(work);
	return r;
}

int work_add_places(struct work *work, const struct plan *plan, const struct range_list *places)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);
		struct range part;

		for (size_t j = 0; r == 0 && j < places->count; j++)
			if (range_intersect((struct range){ e.source, e.length },
					    bytes_of(places->items[j], plan), &part))
				r = add_area(work, (struct work_area){
							   .source = part.start,
							   .destination = e.destination +
									  (part.start - e.source),
							   .length = part.count,
						   });
	}
	return r;
}

void work_done(struct work *work)
{
	free(work->areas);
	*work = (struct work){ .chunk = work->chunk };
}

bool work_left(const struct work *work)
{
	return __atomic_load_n(&work->next, __ATOMIC_RELAXED) < work->chunks;
}

uint32_t work_take(struct work *work, uint32_t run, uint64_t *retfirst)
{
	/* Checked first, so that idle lanes cannot make the cursor overflow. */
	if (!work_left(work))
		return 0;

	uint64_t first = __atomic_fetch_add(&work->next, run, __ATOMIC_RELAXED);

	if (first >= work->chunks)
		return 0;
	*retfirst = first;
	return work->chunks - first < run ? (uint32_t)(work->chunks - first) : run;
}

void work_jump(struct work *work, uint64_t to)
{
	uint64_t next = __atomic_load_n(&work->next, __ATOMIC_RELAXED);

	if (to > work->chunks)
		to = work->chunks;
	while (next < to && !__atomic_compare_exchange_n(&work->next, &next, to, true,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static const struct work_area *area_of(const struct work *work, uint64_t chunk)
{
	size_t behind = array_first(work->count, i, work->areas[i].first_chunk > chunk);

	return &work->areas[behind ? behind - 1 : 0];
}

void work_piece(const struct work *work, uint64_t chunk, struct piece *ret)
{
	if (work->descending)
		chunk = work->chunks - 1 - chunk;

	const struct work_area *area = area_of(work, chunk);
	uint64_t base = u64_align_down(area->destination, work->chunk);
	uint64_t from = base + (chunk - area->first_chunk) * work->chunk;
	uint64_t to = from + work->chunk;

	if (from < area->destination)
		from = area->destination;
	if (to > area->destination + area->length)
		to = area->destination + area->length;
	ret->source = area->source + (from - area->destination);
	ret->destination = from;
	ret->length = (uint32_t)(to - from);
}

/* Where the area lies among the chunks in ascending order. */
static void span_of(const struct work *work, uint64_t chunk, uint64_t *retfirst, uint64_t *retend)
{
	const struct work_area *area =
		area_of(work, work->descending ? work->chunks - 1 - chunk : chunk);

	*retfirst = area->first_chunk;
	*retend = area->first_chunk + chunks_of(area, work->chunk);
}

uint64_t work_area_begin(const struct work *work, uint64_t chunk)
{
	uint64_t first, end;

	span_of(work, chunk, &first, &end);
	return work->descending ? work->chunks - end : first;
}

uint64_t work_area_end(const struct work *work, uint64_t chunk)
{
	uint64_t first, end;

	span_of(work, chunk, &first, &end);
	return work->descending ? work->chunks - first : end;
}

uint64_t work_first_from(const struct work *work, uint64_t source)
{
	uint64_t low = 0, high = work->chunks;
	struct piece piece;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		work_piece(work, middle, &piece);
		if (piece.source < source)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_damaged(const struct map *map, uint64_t pos)
{
	struct map_block block;

	return map_at(map, pos, &block) && block.start <= pos && block.status != MAP_FINISHED &&
	       block.status != MAP_NON_TRIED;
}

/* The half that is not next to the damage where it would begin. Empty: there is none. */
static void halve(const struct work *work, struct work_area *area)
{
	uint64_t middle = u64_align_down(area->destination + area->length / 2, work->chunk);
	uint64_t first = middle > area->destination ? middle - area->destination : 0;

	if (work->descending) {
		area->length = first;
	} else {
		area->source += first;
		area->destination += first;
		area->length -= first;
	}
}

/* Without the last chunk in the order of taking. */
static void shorten(const struct work *work, struct work_area *area)
{
	uint64_t end = area->destination + area->length, cut;

	if (work->descending) {
		cut = work->chunk - area->destination % work->chunk;
		cut = cut < area->length ? cut : area->length;
		area->source += cut;
		area->destination += cut;
	} else {
		cut = (end - 1) % work->chunk + 1;
		cut = cut < area->length ? cut : area->length;
	}
	area->length -= cut;
}

void work_leave_edges(struct work *work, const struct map *map, uint64_t least)
{
	size_t count = work->count;

	work->count = 0;
	work->chunks = work->bytes = 0;
	for (size_t i = 0; i < count; i++) {
		struct work_area area = work->areas[i];
		bool below = area.source > 0 && is_damaged(map, area.source - 1);
		bool above = is_damaged(map, area.source + area.length);

		if (work->descending ? above : below) {
			if (area.length < least)
				continue;
			halve(work, &area);
		}
		if (work->descending ? below : above)
			shorten(work, &area);
		if (area.length > 0)
			put_area(work, area);
	}
}

uint64_t work_position(const struct work *work)
{
	uint64_t next = __atomic_load_n(&work->next, __ATOMIC_RELAXED);
	struct piece piece;

	if (work->chunks == 0)
		return 0;
	work_piece(work, next == 0 ? 0 : (next < work->chunks ? next : work->chunks) - 1, &piece);
	/* Before the first chunk, the position is its start. */
	return work->descending == (next == 0) ? piece.source + piece.length : piece.source;
}

bool work_allowed(const struct plan *plan, const struct piece *piece)
{
	struct extent_bytes e;

	if (plan->extent_count == 0)
		return false;
	e = plan_extent_bytes(plan, plan_extent_from(plan, piece->source));
	return piece->source >= e.source && piece->source - e.source <= e.length &&
	       piece->length <= e.length - (piece->source - e.source) &&
	       piece->destination >= e.destination &&
	       piece->destination - e.destination == piece->source - e.source;
}
