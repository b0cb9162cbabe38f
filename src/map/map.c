/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map in memory: a sorted array of blocks, changed by splicing. */
#include "map/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/range.h"
#include "map/map_private.h"

static int status_index(int status)
{
	switch (status) {
	case MAP_NON_TRIED:
		return 0;
	case MAP_NON_TRIMMED:
		return 1;
	case MAP_NON_SCRAPED:
		return 2;
	case MAP_BAD:
		return 3;
	case MAP_FINISHED:
		return 4;
	}
	return -1;
}

/* Twice as many must still be addressable. */
#define BLOCKS_MAX (SIZE_MAX / 4 / sizeof(struct map_block))

static void count_block(struct map *map, const struct map_block *block, bool add)
{
	int i = status_index(block->status);

	if (add) {
		map->bytes[i] += block->size;
		map->areas[i]++;
	} else {
		map->bytes[i] -= block->size;
		map->areas[i]--;
	}
}

static bool is_damaged(const struct map_block *block)
{
	return block->status != MAP_FINISHED && block->status != MAP_NON_TRIED;
}

/* The number of damaged runs that begin in blocks [first, end). */
static size_t count_damaged(const struct map *map, size_t first, size_t end)
{
	size_t runs = 0;

	for (size_t i = first; i < end && i < map->count; i++) {
		const struct map_block *block = map_block(map, i);
		const struct map_block *before = i > 0 ? map_block(map, i - 1) : NULL;

		runs += is_damaged(block) && !(before && is_damaged(before) &&
					       before->start + before->size == block->start);
	}
	return runs;
}

struct map *map_alloc(void)
{
	return calloc(1, sizeof(struct map));
}

void map_destroy(struct map *map)
{
	if (!map)
		return;
	free(map->blocks);
	plan_destroy(map->plan);
	map_held_done(&map->held);
	free(map);
}

static void move_gap(struct map *map, size_t to)
{
	size_t length = map->capacity - map->count;
	struct map_block *blocks = map->blocks;

	/* An empty range is inside anything. */
	if (length && to < map->gap)
		memmove(&blocks[to + length], &blocks[to], (map->gap - to) * sizeof(*blocks));
	else if (length && to > map->gap)
		memmove(&blocks[map->gap], &blocks[map->gap + length],
			(to - map->gap) * sizeof(*blocks));
	map->gap = to;
}

int map_reserve(struct map *map, size_t more)
{
	size_t wanted;

	if (__builtin_add_overflow(map->count, more, &wanted) || wanted > BLOCKS_MAX)
		return -ENOMEM;
	if (wanted > map->capacity)
		move_gap(map, map->count);
	return array_reserve(map->blocks, map->capacity, wanted);
}

void map_trim(struct map *map, size_t more)
{
	size_t wanted = map->count + more;
	struct map_block *blocks;

	if (wanted >= map->capacity)
		return;
	move_gap(map, map->count);
	blocks = reallocarray(map->blocks, wanted, sizeof(*blocks));
	if (!blocks)
		return;
	map->blocks = blocks;
	map->capacity = wanted;
}

int map_append(struct map *map, uint64_t start, uint64_t size, enum map_status status)
{
	struct map_block *last = map->count ? map_block(map, map->count - 1) : NULL;

	if (last && last->status == status && last->start + last->size == start) {
		last->size += size;
		map->bytes[status_index(status)] += size;
		return 0;
	}

	int r = map_reserve(map, 1);

	if (r < 0)
		return r;
	move_gap(map, map->count);
	map->blocks[map->count] = (struct map_block){ start, size, status };
	map->gap++;
	count_block(map, &map->blocks[map->count++], true);
	map->damaged += count_damaged(map, map->count - 1, map->count);
	return 0;
}

static int fill_from_plan(struct map *map, const struct plan *plan)
{
	struct plan_walk walk = { 0 };
	int r = plan_copy(plan, &map->plan);
	struct extent part;

	while (r == 0 && plan_walk(plan, &walk, &part))
		r = map_append(map, part.source_lba * plan->sector_size,
			       part.sectors * plan->sector_size, MAP_NON_TRIED);
	return r;
}

static int fill_from_map(struct map *map, const struct map *from)
{
	if (from->plan && plan_copy(from->plan, &map->plan) < 0)
		return -ENOMEM;
	/* Most copies are never changed, so no spare room. */
	map->blocks = reallocarray(NULL, from->count ? from->count : 1, sizeof(*map->blocks));
	if (!map->blocks)
		return -ENOMEM;
	if (from->gap)
		memcpy(map->blocks, from->blocks, from->gap * sizeof(*map->blocks));
	if (from->count > from->gap)
		memcpy(&map->blocks[from->gap], map_block(from, from->gap),
		       (from->count - from->gap) * sizeof(*map->blocks));
	map->count = map->gap = from->count;
	map->capacity = from->count ? from->count : 1;
	memcpy(map->bytes, from->bytes, sizeof(from->bytes));
	memcpy(map->areas, from->areas, sizeof(from->areas));
	map->damaged = from->damaged;
	return map_take_held(map, from);
}

int map_new(const struct plan *plan, struct map **ret, struct error *reterr)
{
	struct map *map = map_alloc();

	if (!map || fill_from_plan(map, plan) < 0) {
		map_destroy(map);
		return error_nomem(reterr);
	}
	*ret = map;
	return 0;
}

int map_copy(const struct map *from, struct map **ret, struct error *reterr)
{
	struct map *map = map_alloc();

	if (!map || fill_from_map(map, from) < 0) {
		map_destroy(map);
		return error_nomem(reterr);
	}
	*ret = map;
	return 0;
}

/* The index of the first block that ends after pos; count if there is none. */
static size_t find(const struct map *map, uint64_t pos)
{
	/* Not start + size: the last block may end at 2^64 - 1. */
	return array_first(map->count, i,
			   map_block(map, i)->start > pos ||
				   pos - map_block(map, i)->start < map_block(map, i)->size);
}

/* Do blocks first … last cover [start, end) without a hole? */
static bool covered(const struct map *map, uint64_t start, uint64_t end, size_t first,
		    size_t *retlast)
{
	size_t i = first;

	if (i >= map->count || map_block(map, i)->start > start)
		return false;
	while (map_block(map, i)->start + map_block(map, i)->size < end) {
		if (i + 1 >= map->count ||
		    map_block(map, i + 1)->start !=
			    map_block(map, i)->start + map_block(map, i)->size)
			return false;
		i++;
	}
	*retlast = i;
	return true;
}

/* Adds a piece to a short list, merged with the last one if possible. */
static size_t push_piece(struct map_block *pieces, size_t n, struct map_block piece)
{
	if (piece.size == 0)
		return n;
	if (n > 0 && pieces[n - 1].status == piece.status &&
	    pieces[n - 1].start + pieces[n - 1].size == piece.start) {
		pieces[n - 1].size += piece.size;
		return n;
	}
	pieces[n] = piece;
	return n + 1;
}

int map_set(struct map *map, uint64_t start, uint64_t size, enum map_status status)
{
	struct map_block pieces[5];
	size_t first, last, n = 0;
	uint64_t end;

	if (size == 0)
		return 0;
	if (!u64_add(start, size, &end))
		return -ERANGE;
	first = find(map, start);
	if (!covered(map, start, end, first, &last))
		return -ERANGE;
	if (first == last && map_block(map, first)->status == status)
		return 0;

	struct map_block *a = map_block(map, first), *b = map_block(map, last);
	struct map_block head = { a->start, start - a->start, a->status };
	struct map_block tail = { end, b->start + b->size - end, b->status };

	/* Include the neighbours, so that equal blocks merge with them. */
	if (first > 0)
		n = push_piece(pieces, n, *map_block(map, --first));
	n = push_piece(pieces, n, head);
	n = push_piece(pieces, n, (struct map_block){ start, size, status });
	n = push_piece(pieces, n, tail);
	if (last + 1 < map->count)
		n = push_piece(pieces, n, *map_block(map, ++last));

	size_t old = last - first + 1;

	if (n > old && map_reserve(map, n - old) < 0)
		return -ENOMEM;
	/* The next block may now begin a run, or no longer. */
	map->damaged -= count_damaged(map, first, last + 2);
	for (size_t i = first; i <= last; i++)
		count_block(map, map_block(map, i), false);
	if (n != old)
		move_gap(map, last + 1);
	map->count = map->count - old + n;
	if (n != old)
		map->gap = first + n;
	for (size_t i = 0; i < n; i++) {
		*map_block(map, first + i) = pieces[i];
		count_block(map, &pieces[i], true);
	}
	map->damaged += count_damaged(map, first, first + n + 1);
	return 0;
}

bool map_next(const struct map *map, uint64_t pos, enum map_status status, struct map_block *ret)
{
	/* Most statuses are absent in most maps, and some maps have very many blocks. */
	if (map->areas[status_index(status)] == 0)
		return false;
	for (size_t i = find(map, pos); i < map->count; i++) {
		if (map_block(map, i)->status == status) {
			*ret = *map_block(map, i);
			return true;
		}
	}
	return false;
}

bool map_at(const struct map *map, uint64_t pos, struct map_block *ret)
{
	size_t i = find(map, pos);

	if (i == map->count)
		return false;
	*ret = *map_block(map, i);
	return true;
}

int map_list(const struct map *map, enum map_status status, uint32_t unit, struct range_list *ret)
{
	struct map_block block;
	int r = 0;

	for (uint64_t pos = 0; r == 0 && map_next(map, pos, status, &block);
	     pos = block.start + block.size)
		r = range_list_add(ret, (struct range){ block.start / unit, block.size / unit });
	return r;
}

uint64_t map_bytes(const struct map *map, enum map_status status)
{
	return map->bytes[status_index(status)];
}

size_t map_areas(const struct map *map, enum map_status status)
{
	return map->areas[status_index(status)];
}

size_t map_damaged_areas(const struct map *map)
{
	return map->damaged;
}

void map_edges(const struct map *map, uint32_t unit, size_t *reton, size_t *retoff)
{
	*reton = *retoff = 0;
	for (size_t i = 1; i < map->count; i++) {
		const struct map_block *a = map_block(map, i - 1), *b = map_block(map, i);

		if (a->start + a->size != b->start ||
		    !((a->status == MAP_FINISHED && is_damaged(b)) ||
		      (is_damaged(a) && b->status == MAP_FINISHED)))
			continue;
		++*(b->start % unit ? retoff : reton);
	}
}

/* Sets in `map` the part of [start, end) that is in the block. */
static int take_block(struct map *map, uint64_t start, uint64_t end, enum map_status status)
{
	for (size_t i = find(map, start); i < map->count && map_block(map, i)->start < end;) {
		const struct map_block *block = map_block(map, i);
		uint64_t from = block->start > start ? block->start : start;
		uint64_t to = block->start + block->size < end ? block->start + block->size : end;
		int r = map_set(map, from, to - from, status);

		if (r < 0)
			return r;
		if (to >= end)
			break;
		i = find(map, to);
	}
	return 0;
}

int map_take_finished(struct map *map, const struct map *from, uint32_t alignment)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct map_block *block = map_block(from, i);
		uint64_t start, end = u64_align_down(block->start + block->size, alignment);

		if (block->status != MAP_FINISHED)
			continue;
		if (!u64_align_up(block->start, alignment, &start) || start >= end)
			continue;

		int r = take_block(map, start, end, MAP_FINISHED);

		if (r < 0)
			return r;
	}
	return 0;
}

/* The same for what could not be read there, including all units that such a block touches. To be
 * called before map_take_finished(), so that nothing finished is lost. */
static int take_damage(struct map *map, const struct map *from, uint32_t alignment)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct map_block *block = map_block(from, i);
		uint64_t end;
		int r;

		if (block->status == MAP_NON_TRIED || block->status == MAP_FINISHED)
			continue;
		if (!u64_align_up(block->start + block->size, alignment, &end))
			continue;
		r = take_block(map, u64_align_down(block->start, alignment), end, block->status);
		if (r < 0)
			return r;
	}
	return 0;
}

const struct plan *map_plan(const struct map *map)
{
	return map->plan;
}

const struct map_held *map_held(const struct map *map)
{
	return &map->held;
}

int map_set_wiped(struct map *map, const struct range_list *areas)
{
	struct range_list copy = { 0 };

	if (range_list_copy(areas, &copy) < 0)
		return -ENOMEM;
	range_list_done(&map->held.wiped);
	map->held.wiped = copy;
	map->held.arming = false;
	return 0;
}

static int forget_wiped(struct map *map, uint64_t start, uint64_t size)
{
	const struct plan *plan = map->plan;
	uint64_t sector = plan ? plan->sector_size : 1;

	return range_list_subtract(&map->held.wiped,
				   (struct range){ start / sector, (size + sector - 1) / sector });
}

int map_forget(struct map *map, uint64_t start, uint64_t end)
{
	struct map_block block;
	int r = 0;

	while (r == 0 && map_next(map, start, MAP_FINISHED, &block) && block.start < end) {
		uint64_t from = block.start > start ? block.start : start;

		start = block.start + block.size < end ? block.start + block.size : end;
		r = map_set(map, from, start - from, MAP_NON_TRIED);
		if (r == 0)
			r = forget_wiped(map, from, start - from);
	}
	return r;
}

void map_set_cleared(struct map *map, uint64_t lba)
{
	map->held.cleared = lba;
}

void map_set_arming(struct map *map)
{
	map->held.arming = map->held.wiped.count > 0;
}

int map_set_first(struct map *map, const struct map_reading *first, size_t count)
{
	struct map_reading *copy = array_copy(first, count);

	if (!copy)
		return -ENOMEM;
	free(map->held.first);
	map->held.first = copy;
	map->held.first_count = count;
	return 0;
}

int map_take_held(struct map *map, const struct map *from)
{
	map_held_done(&map->held);
	return map_held_copy(&from->held, &map->held);
}

/* ---- going on from a map ---- */

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

int map_resume(struct map *map, const struct plan *plan, const struct map *from, uint32_t unit)
{
	uint32_t sector = plan->sector_size;

	if (was_dead(from))
		return 0;
	if (map_take_held(map, from) < 0 || take_damage(map, from, sector) < 0 ||
	    map_take_finished(map, from, sector) < 0)
		return -ENOMEM;
	return unit > sector ? settle_units(map, plan, unit) : 0;
}

static int badness(enum map_status status)
{
	static const char order[] = "+?*/-";

	return (int)(strchr(order, status) - order);
}

/* size * i / cells, without a product that could overflow. */
static uint64_t cell_edge(uint64_t size, int i, int cells)
{
	uint64_t n = (uint64_t)cells, k = (uint64_t)i;

	return size / n * k + size % n * k / n;
}

void map_cells(const struct map *map, uint64_t start, uint64_t size, int cells, char *out)
{
	for (int c = 0; c < cells; c++) {
		uint64_t from = start + cell_edge(size, c, cells);
		uint64_t to = start + cell_edge(size, c + 1, cells);
		int worst = -1;

		out[c] = '.';
		if (to == from)
			to = from + 1;
		for (size_t i = find(map, from); i < map->count && map_block(map, i)->start < to;
		     i++) {
			if (badness(map_block(map, i)->status) <= worst)
				continue;
			worst = badness(map_block(map, i)->status);
			out[c] = (char)map_block(map, i)->status;
		}
	}
	out[cells > 0 ? cells : 0] = '\0';
}
