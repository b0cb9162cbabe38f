/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the search may read next. */
#include "copy/lane.h"
#include "rescue/search.h"

/* Areas up to this size are read from both edges at once, since that costs no seeks. */
#define NEAR (2u << 20)
/* The size of a spot: a failed cluster makes four. */
#define SPOT (16u << 10)

bool spots_fit(const struct copy *copy)
{
	return copy->source->rotational == NO && SPOT % copy->plan->sector_size == 0;
}

/* In the order in which they are read. */
static const struct work_area *area_at(const struct copy *copy, size_t number)
{
	return &copy->work
			->areas[copy->search->backwards ? copy->work->count - 1 - number : number];
}

static bool is_busy(const struct search_spot *spot)
{
	return spot->sides[0].busy || spot->sides[1].busy;
}

static bool is_through(const struct sector_search *p, const struct search_side *side)
{
	return p->edges && side->failed;
}

/* Is a sector being read that is in these bytes, or adjacent to them? */
static bool is_beside(const struct sector_search *p, uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < 2 * SEARCH_SPOTS; i++) {
		const struct search_side *side = &p->spots[i / 2].sides[i % 2];

		if (side->busy && start <= side->end && side->start <= end)
			return true;
	}
	return false;
}

bool spot_has_room(const struct sector_search *p, const struct search_spot *spot,
		   const struct search_side *side, uint32_t sector)
{
	uint64_t left = spot->high - spot->low, length = left < sector ? left : sector;
	uint64_t start = side == &spot->sides[1] ? spot->high - length : spot->low;

	return length > 0 && !is_beside(p, start, start + length);
}

static bool may_go_on(const struct sector_search *p, const struct search_spot *spot,
		      const struct search_side *side, uint32_t sector)
{
	return !side->busy && !is_through(p, side) && spot_has_room(p, spot, side, sector);
}

/* NULL: none can read now. */
static struct search_side *free_side(const struct sector_search *p, struct search_spot *spot,
				     uint32_t sector)
{
	struct search_side *first = &spot->sides[p->backwards];
	struct search_side *second = &spot->sides[!p->backwards];

	if (!spot->open)
		return NULL;
	if (may_go_on(p, spot, first, sector))
		return first;
	if (!p->edges || (!spot->both && !first->failed))
		return NULL;
	return may_go_on(p, spot, second, sector) ? second : NULL;
}

/* The part of the area that is cut into spots now: the rest, or as much of it as is close
 * together. */
static uint64_t part_now(const struct copy *copy)
{
	const struct sector_search *p = copy->search;
	uint64_t left = area_at(copy, p->area)->length - p->done;

	return p->cuts && left > NEAR ? NEAR : left;
}

/* Every second spot of the part, then those in between, so that spots opened together are not
 * adjacent. False: all were opened. */
static bool next_spot(const struct copy *copy, uint64_t *retstart, uint64_t *retend)
{
	const struct sector_search *p = copy->search;
	const struct work_area *area = area_at(copy, p->area);
	uint64_t part = part_now(copy), size = p->cuts ? SPOT : part;
	uint64_t count = (part + size - 1) / size, half = (count + 1) / 2;
	uint64_t start = size * (p->spot < half ? 2 * p->spot : 2 * (p->spot - half) + 1);

	if (p->spot == count)
		return false;
	if (size > part - start)
		size = part - start;
	start += p->done;
	if (p->backwards)
		start = area->length - start - size;
	*retstart = area->source + start;
	*retend = *retstart + size;
	return true;
}

static void next_part(const struct copy *copy)
{
	struct sector_search *p = copy->search;

	p->done += part_now(copy);
	p->spot = 0;
	if (p->done < area_at(copy, p->area)->length)
		return;
	p->done = 0;
	p->area++;
}

/* Is nothing in flight in it, and nothing left? */
static bool is_done(const struct sector_search *p, const struct search_spot *spot)
{
	return !is_busy(spot) && (spot->low == spot->high || (is_through(p, &spot->sides[0]) &&
							      is_through(p, &spot->sides[1])));
}

/* True: all are. */
static bool close_spots(struct sector_search *p)
{
	bool all = true;

	for (unsigned i = 0; i < SEARCH_SPOTS; i++) {
		p->spots[i].open &= !is_done(p, &p->spots[i]);
		all &= !p->spots[i].open;
	}
	return all;
}

/* A read may hang for minutes: the next area does not wait for it. */
static bool all_busy_hang(const struct lane *lane)
{
	int hanging = atomic_load(&lane->hanging), busy = 0;

	for (unsigned i = 0; i < 2 * SEARCH_SPOTS; i++)
		busy += lane->copy->search->spots[i / 2].sides[i % 2].busy;
	return hanging > 0 && busy <= hanging;
}

/* NULL: the most are open already. */
static struct search_spot *place_for_spot(struct sector_search *p)
{
	for (unsigned i = 0; i < SEARCH_SPOTS; i++)
		if (!p->spots[i].open)
			return &p->spots[i];
	return NULL;
}

/* False: there is none, or none before another request completes. */
static bool open_next(const struct lane *lane)
{
	const struct copy *copy = lane->copy;
	struct sector_search *p = copy->search;
	/* Areas far apart are read one at a time on disks with heads. */
	bool leaves = close_spots(p) || all_busy_hang(lane) || p->cuts;
	struct search_spot *place = place_for_spot(p);
	uint64_t start = 0, end = 0;

	if (!place)
		return false;
	while (p->area < copy->work->count && !next_spot(copy, &start, &end)) {
		if (!leaves)
			return false;
		next_part(copy);
	}
	if (p->area == copy->work->count)
		return false;
	*place = (struct search_spot){
		.open = true,
		.has_bad = p->edges,
		.both = p->edges && !p->patches && end - start <= NEAR,
		.area = area_at(copy, p->area),
		.low = start,
		.high = end,
	};
	p->spot++;
	return true;
}

void spot_cut_off(struct search_spot *spot, struct search_side *side, uint32_t length)
{
	if (side == &spot->sides[1]) {
		side->start = spot->high -= length;
	} else {
		side->start = spot->low;
		spot->low += length;
	}
	side->end = side->start + length;
}

static struct search_side *any_side(struct sector_search *p, uint32_t sector, unsigned *retspot)
{
	struct search_side *side = NULL;

	for (*retspot = 0; *retspot < SEARCH_SPOTS; (*retspot)++)
		if ((side = free_side(p, &p->spots[*retspot], sector)))
			break;
	return side;
}

struct search_side *spots_next(const struct lane *lane, unsigned *retnumber)
{
	const struct copy *copy = lane->copy;
	struct search_side *side;

	while (!(side = any_side(copy->search, copy->plan->sector_size, retnumber)))
		if (!open_next(lane))
			return NULL;
	return side;
}
