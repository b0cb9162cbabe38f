/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "copy/prober_spots.h"

#include "copy/core.h"

/* Areas no longer than this are read from both edges at once: heads need not move for it. */
#define NEAR (2u << 20)
/* Of an area that is cut: a failed cluster makes four, of which two are open at once. */
#define SPOT (16u << 10)

bool spots_fit(const struct job *job)
{
	return job->setup.source.rotational == NO && SPOT % job->plan->sector_size == 0;
}

const struct work_area *spots_area(const struct job *job)
{
	size_t number = job->prober.area;

	return &job->work.areas[job->prober.backwards ? job->work.count - 1 - number : number];
}

static bool is_busy(const struct prober_spot *spot)
{
	return spot->sides[0].busy || spot->sides[1].busy;
}

static bool is_through(const struct prober *p, const struct prober_side *side)
{
	return p->edges && side->failed;
}

/* Nothing beside a sector that is being read. */
bool spot_has_room(const struct prober_spot *spot, uint32_t sector)
{
	return spot->high > spot->low && (spot->high - spot->low > sector || !is_busy(spot));
}

/* NULL: none may go on at this moment. */
static struct prober_side *free_side(const struct prober *p, struct prober_spot *spot,
				     uint32_t sector)
{
	struct prober_side *first = &spot->sides[p->backwards];
	struct prober_side *second = &spot->sides[!p->backwards];

	if (!spot->open || !spot_has_room(spot, sector))
		return NULL;
	if (!first->busy && !is_through(p, first))
		return first;
	if (!p->edges || second->busy || is_through(p, second))
		return NULL;
	return spot->both || first->failed ? second : NULL;
}

/* What of the area is cut into spots now: the rest, or as much of it as lies together. */
static uint64_t part_now(const struct job *job)
{
	const struct prober *p = &job->prober;
	uint64_t left = spots_area(job)->length - p->done;

	return p->cuts && left > NEAR ? NEAR : left;
}

/* Every second spot of the part, then those between them, so that those that are open do not
 * touch. False: all of them were opened. */
static bool next_spot(const struct job *job, uint64_t *retstart, uint64_t *retend)
{
	const struct prober *p = &job->prober;
	const struct work_area *area = spots_area(job);
	uint64_t part = part_now(job), size = p->cuts ? SPOT : part;
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

static void next_part(struct job *job)
{
	struct prober *p = &job->prober;

	p->done += part_now(job);
	p->spot = 0;
	if (p->done < spots_area(job)->length)
		return;
	p->done = 0;
	p->area++;
}

/* A place for it. NULL: there is none, or one that is open touches it. */
static struct prober_spot *place_for(struct prober *p, uint64_t start, uint64_t end)
{
	struct prober_spot *place = NULL;

	for (unsigned i = 0; i < PROBER_SPOTS; i++) {
		struct prober_spot *spot = &p->spots[i];

		if (!spot->open)
			place = spot;
		else if (start <= spot->end && spot->start <= end)
			return NULL;
	}
	return place;
}

/* No side of any is free: those of which nothing is under way are through. True: all are. */
static bool close_spots(struct prober *p)
{
	bool all = true;

	for (unsigned i = 0; i < PROBER_SPOTS; i++) {
		p->spots[i].open &= is_busy(&p->spots[i]);
		all &= !p->spots[i].open;
	}
	return all;
}

/* False: there is none, or not before something came back. */
static bool open_next(struct job *job)
{
	struct prober *p = &job->prober;
	bool idle = close_spots(p);
	struct prober_spot *place;
	uint64_t start = 0, end = 0;

	while (p->area < job->work.count && !next_spot(job, &start, &end)) {
		/* Not two areas at once: they may lie far apart. */
		if (!idle)
			return false;
		next_part(job);
	}
	if (p->area == job->work.count || !(place = place_for(p, start, end)))
		return false;
	*place = (struct prober_spot){
		.open = true,
		.both = p->edges && !p->patches && end - start <= NEAR,
		.start = start,
		.end = end,
		.low = start,
		.high = end,
	};
	p->spot++;
	return true;
}

/* Takes the outermost bytes off the spot, seen from that side. */
uint64_t spot_cut_off(struct prober_spot *spot, const struct prober_side *side, uint32_t length)
{
	uint64_t at = spot->low;

	if (side == &spot->sides[1])
		at = spot->high -= length;
	else
		spot->low += length;
	return at;
}

static struct prober_side *any_side(struct prober *p, uint32_t sector, unsigned *retspot)
{
	struct prober_side *side = NULL;

	for (*retspot = 0; *retspot < PROBER_SPOTS; (*retspot)++)
		if ((side = free_side(p, &p->spots[*retspot], sector)))
			break;
	return side;
}

struct prober_side *spots_next(struct job *job, unsigned *retnumber)
{
	struct prober_side *side;

	while (!(side = any_side(&job->prober, job->plan->sector_size, retnumber)))
		if (!open_next(job))
			return NULL;
	return side;
}
