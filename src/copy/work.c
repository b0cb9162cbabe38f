/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of what is to be copied and the cursor over it. */
#include "copy/work.h"

#include <errno.h>
#include <stdlib.h>

#include "base/range.h"

static uint64_t chunks_of(const struct work_area *area, uint32_t chunk)
{
	uint64_t first = area->destination / chunk;
	uint64_t last = (area->destination + area->length - 1) / chunk;

	return last - first + 1;
}

static int add_area(struct work *work, size_t *capacity, struct work_area area)
{
	if (work->count == *capacity) {
		size_t more = *capacity ? *capacity * 2 : 8;
		struct work_area *areas = reallocarray(work->areas, more, sizeof(*areas));

		if (!areas)
			return -ENOMEM;
		work->areas = areas;
		*capacity = more;
	}
	area.first_chunk = work->chunks;
	work->chunks += chunks_of(&area, work->chunk);
	work->areas[work->count++] = area;
	return 0;
}

int work_init(struct work *work, const struct plan *plan, const struct map *map, uint32_t chunk)
{
	size_t capacity = 0;

	*work = (struct work){ .chunk = chunk };
	for (size_t i = 0; i < plan->extent_count; i++) {
		uint64_t source, destination, length, pos, end;

		plan_extent_bytes(plan, i, &source, &destination, &length);
		end = source + length;
		for (pos = source; pos < end;) {
			struct map_block done;
			uint64_t to = end, next = end;

			if (map_next(map, pos, MAP_FINISHED, &done) && done.start < end) {
				to = done.start > pos ? done.start : pos;
				next = done.start + done.size;
			}
			if (to > pos &&
			    add_area(work, &capacity,
				     (struct work_area){
					     .source = pos,
					     .destination = destination + (pos - source),
					     .length = to - pos,
				     }) < 0) {
				work_done(work);
				return -ENOMEM;
			}
			pos = next;
		}
	}
	return 0;
}

void work_done(struct work *work)
{
	free(work->areas);
	work->areas = NULL;
	work->count = 0;
}

uint32_t work_take(struct work *work, uint32_t run, uint64_t *retfirst)
{
	/* Looked at first, so that idle lanes cannot run the cursor over its range. */
	if (__atomic_load_n(&work->next, __ATOMIC_RELAXED) >= work->chunks)
		return 0;

	uint64_t first = __atomic_fetch_add(&work->next, run, __ATOMIC_RELAXED);

	if (first >= work->chunks)
		return 0;
	*retfirst = first;
	return work->chunks - first < run ? (uint32_t)(work->chunks - first) : run;
}

static const struct work_area *area_of(const struct work *work, uint64_t chunk)
{
	size_t low = 0, high = work->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (work->areas[middle].first_chunk <= chunk)
			low = middle;
		else
			high = middle;
	}
	return &work->areas[low];
}

void work_piece(const struct work *work, uint64_t chunk, struct piece *ret)
{
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

uint64_t work_position(const struct work *work)
{
	uint64_t next = __atomic_load_n(&work->next, __ATOMIC_RELAXED);
	struct piece piece;

	if (work->chunks == 0 || next == 0)
		return work->count ? work->areas[0].source : 0;
	work_piece(work, (next < work->chunks ? next : work->chunks) - 1, &piece);
	return piece.source + piece.length;
}

bool work_allowed(const struct plan *plan, const struct piece *piece)
{
	size_t low = 0, high = plan->extent_count;
	uint64_t source, destination, length;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		plan_extent_bytes(plan, middle, &source, &destination, &length);
		if (source <= piece->source)
			low = middle;
		else
			high = middle;
	}
	if (plan->extent_count == 0)
		return false;
	plan_extent_bytes(plan, low, &source, &destination, &length);
	return piece->source >= source && piece->source - source <= length &&
	       piece->length <= length - (piece->source - source) &&
	       piece->destination >= destination &&
	       piece->destination - destination == piece->source - source;
}
