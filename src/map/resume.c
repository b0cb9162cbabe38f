/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "map/resume.h"

#include <errno.h>

#include "base/range.h"

/* A destination sector that contains both tried and non-tried source sectors is rescued sector by
 * sector, since the copy pass writes whole ones. If there is nothing to rescue, all of it is copied
 * again. */
static int settle_edge(struct map *map, bool rescues, uint64_t start, uint64_t at, uint32_t unit)
{
	enum map_status status = rescues ? MAP_NON_SCRAPED : MAP_NON_TRIED;
	uint64_t from = start + u64_align_down(at - start, unit);
	struct map_block block;

	for (uint64_t pos = from; pos < from + unit && map_at(map, pos, &block);
	     pos = block.start + block.size) {
		uint64_t low = block.start > from ? block.start : from;
		uint64_t end = block.start + block.size;
		int r;

		if (block.start >= from + unit)
			break;
		if (rescues != (block.status == MAP_NON_TRIED))
			continue;
		if (end > from + unit)
			end = from + unit;
		r = map_set(map, low, end - low, status);
		if (r < 0)
			return r;
		block = (struct map_block){ low, end - low, status };
	}
	return 0;
}

static int settle_units(struct map *map, const struct plan *plan, uint32_t unit)
{
	bool rescues = plan->options.on_error == ON_ERROR_MAP;

	for (size_t i = 0; i < plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);
		struct map_block block;

		for (uint64_t pos = e.source;
		     map_at(map, pos, &block) && block.start < e.source + e.length;
		     pos = block.start + block.size)
			if (block.start > e.source && (block.start - e.source) % unit &&
			    settle_edge(map, rescues, e.source, block.start, unit) < 0)
				return -ENOMEM;
	}
	return 0;
}

/* If all of it was unreadable, then more likely because of a cable or an enclosure than of each
 * single sector. All of it is tried again. */
static bool was_dead(const struct map *map)
{
	return map_bytes(map, MAP_BAD) && !map_bytes(map, MAP_FINISHED) &&
	       !map_bytes(map, MAP_NON_TRIED) && !map_bytes(map, MAP_NON_TRIMMED) &&
	       !map_bytes(map, MAP_NON_SCRAPED);
}

int resume_map(struct map *map, const struct plan *plan, const struct map *from, uint32_t unit)
{
	uint32_t sector = plan->sector_size;

	if (was_dead(from))
		return 0;
	if (map_take_held(map, from) < 0 || map_take_damage(map, from, sector) < 0 ||
	    map_take_finished(map, from, sector) < 0)
		return -ENOMEM;
	return unit > sector ? settle_units(map, plan, unit) : 0;
}
