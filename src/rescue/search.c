/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rescue/search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "copy/retry.h"

/* Good sectors in a row are written together: at most this many bytes, read in this time. */
#define RUN_BYTES (64u << 10)
#define RUN_TIME  NSEC_PER_SEC
/* After so many runs without an unexpected failure, the next one can probably be read, too. */
#define EXPECTED_RUNS 16

/* The tag of a slot: which edge it reads from, whether it reports a sector known to be bad, and the
 * number of its spot. */
#define TAG_BACK 1
#define TAG_BAD  2
#define TAG_SPOT 4

void search_reset(const struct copy *copy, bool backwards, bool edges)
{
	struct sector_search *p = copy->search;
	void *spare = p->spare;
	bool patches = p->patches;
	*p = (struct sector_search){
		.backwards = backwards,
		.edges = edges,
		.cuts = !patches && spots_fit(copy),
		.spare = spare,
		.patches = patches,
	};
}

bool search_must_wait(const struct lane *lane)
{
	return lane->copy->search->patches && lane->counters.buffers_in_use > 0;
}

static void put_piece(const struct search_spot *spot, const struct search_side *side,
		      struct piece *ret)
{
	ret->source = side->start;
	ret->destination = spot->area->destination + (side->start - spot->area->source);
	ret->length = (uint32_t)(side->end - side->start);
}

/* The bad sector that ended a run is reported by a slot of its own. */
static bool take_bad(struct lane *lane, struct piece *ret)
{
	struct sector_search *p = lane->copy->search;

	for (unsigned i = 0; i < 2 * SEARCH_SPOTS; i++) {
		struct search_side *side = &p->spots[i / 2].sides[i % 2];

		if (!side->bad.length)
			continue;
		*ret = side->bad;
		side->bad.length = 0;
		lane->pending_tag = i / 2 * TAG_SPOT | i % 2 | TAG_BAD;
		return true;
	}
	return false;
}

static uint32_t run_most(const struct lane *lane)
{
	const struct copy *copy = lane->copy;

	if (copy->search->patches)
		return 0;
	return copy->choice->chunk < RUN_BYTES ? copy->choice->chunk : RUN_BYTES;
}

/* Every request of the copy that failed here had a bad sector in it; between those of two
 * neighbours is less than this. */
static bool was_away(const struct lane *lane)
{
	return lane->copy->search->good > 2ULL * lane->widest;
}

/* Are the next bytes on that side probably good? In scraping, which comes last, a run of good ones
 * before them is enough. If reads of this disk take long, a failed one costs more than reading
 * sector by sector does. */
static bool is_probably_good(const struct lane *lane, const struct search_spot *spot,
			     const struct search_side *side)
{
	const struct sector_search *p = lane->copy->search;
	uint64_t run = run_most(lane);

	if (counter_get(&lane->counters.slow_reads) || spot->has_bad)
		return false;
	return p->as_expected >= EXPECTED_RUNS * run || (!p->edges && side->as_expected >= run);
}

/* Bytes of the next request on that side. */
static uint32_t next_length(const struct lane *lane, const struct search_spot *spot,
			    const struct search_side *side)
{
	const struct sector_search *p = lane->copy->search;
	uint32_t sector = lane->copy->plan->sector_size, run = run_most(lane);
	uint64_t left = spot->high - spot->low;

	if (run > left)
		run = (uint32_t)left;
	if (run > sector && (was_away(lane) || is_probably_good(lane, spot, side)) &&
	    spot_has_room(p, spot, side, run))
		return run;
	return left < sector ? (uint32_t)left : sector;
}

static bool search_take(struct lane *lane, struct piece *ret)
{
	const struct copy *copy = lane->copy;
	struct sector_search *p = copy->search;
	struct search_spot *spot;
	struct search_side *side;
	unsigned number;

	if (search_must_wait(lane))
		return false;
	if (take_bad(lane, ret))
		return true;
	side = spots_next(lane, &number);
	if (!side)
		return false;
	spot = &p->spots[number];
	spot_cut_off(spot, side, next_length(lane, spot, side));
	side->busy = true;
	put_piece(spot, side, ret);
	lane->pending_tag = number * TAG_SPOT | (side == &spot->sides[1] ? TAG_BACK : 0);
	return true;
}

static uint32_t search_depth(const struct lane *lane)
{
	return lane->copy->search->cuts ? 2 * SEARCH_SPOTS : 2;
}

static struct search_spot *spot_of(struct lane *lane, const struct slot *slot)
{
	return &lane->copy->search->spots[slot->tag / TAG_SPOT];
}

static struct search_side *side_of(struct lane *lane, const struct slot *slot)
{
	return &spot_of(lane, slot)->sides[slot->tag & TAG_BACK];
}

/* Reads the sector last added to the run of the slot: forwards, it is placed after the others in
 * the buffer; backwards, before them. */
static void read_sector(struct lane *lane, struct slot *slot, uint32_t length)
{
	uint32_t before = slot->search.pos, place = before;
	uint64_t source = slot->piece.source + before;

	if (slot->tag & TAG_BACK && run_most(lane)) {
		place = run_most(lane) - before - length;
		source = slot->piece.source;
	}
	slot->phase = SLOT_READ;
	slot->request = (struct io_request){
		.direction = IO_READ,
		.offset = source,
		.length = length,
		.buffer = (char *)slot->buffer + place,
	};
	slot_queue_push(&lane->to_source, slot);
}

static void mark(const struct plan *plan, void *buffer, const struct piece *piece)
{
	uint32_t sector = plan->sector_size;

	for (uint32_t at = 0; at < piece->length; at += sector)
		snprintf((char *)buffer + at, sector,
			 "clonedeck: LBA %" PRIu64 " of %s %s could not be read\n",
			 (piece->source + at) / sector, plan->source.identity.model,
			 plan->source.identity.serial);
}

void fill_buffer(const struct plan *plan, void *buffer, const struct piece *piece)
{
	memset(buffer, 0, piece->length);
	if (plan->options.fill == FILL_MARK)
		mark(plan, buffer, piece);
}

/* Fill bad sectors at once, since the destination is idle anyway. Those being retried were filled
 * before. */
static bool fills_at_once(const struct lane *lane)
{
	return lane->copy->plan->options.fill != FILL_LEAVE && !(lane->traits & PASS_FILLED);
}

/* Adds to a failed sector, read forwards, the rest of its physical sector, as far as the spot goes:
 * that is not read any more. */
static void add_its_whole(struct sector_search *p, struct search_spot *spot, bool behind_good,
			  struct piece *bad)
{
	uint64_t end = spot->low, to;

	/* Part of a physical sector was good: this disk does not lose them as a whole after all. */
	if (p->whole && behind_good && bad->source % p->whole)
		p->whole = 0;
	if (!p->whole || !u64_align_up(end, p->whole, &to))
		return;
	spot->low = to < spot->high ? to : spot->high;
	bad->length += (uint32_t)(spot->low - end);
}

/* Is the slot writing what fills a bad place? */
static bool *is_filling(struct slot *slot)
{
	return slot->own;
}

static void report_bad(struct lane *lane, struct slot *slot)
{
	slot_mark_bad(lane, slot, 0, slot->piece.length);
	slot->report_end = slot->piece.length;
	if (!fills_at_once(lane)) {
		lane_slot_report(lane, slot);
		return;
	}
	*is_filling(slot) = true;
	fill_buffer(lane->copy->plan, slot->buffer, &slot->piece);
	search_write(lane, slot);
}

/* If filling failed, the fill pass tries again; here it is just one more bad place. */
static void end_fill(struct lane *lane, struct slot *slot, bool good)
{
	slot->filled = good;
	slot->write_length = 0;
	lane_slot_report(lane, slot);
}

static void search_begin(struct lane *lane, struct slot *slot)
{
	struct search_side *side = side_of(lane, slot);

	slot->search.pos = 0;
	if (slot->tag & TAG_BAD) {
		slot->code = side->code;
		slot->sense = side->sense;
		report_bad(lane, slot);
		return;
	}
	side->since = clock_monotonic();
	read_sector(lane, slot, slot->piece.length);
}

/* One more sector for the run, if it may grow. */
static bool extend(struct lane *lane, struct slot *slot)
{
	const struct copy *copy = lane->copy;
	struct search_spot *spot = spot_of(lane, slot);
	struct search_side *side = side_of(lane, slot);
	uint32_t sector = copy->plan->sector_size;
	uint64_t now = clock_monotonic(), wait;

	if (slot->piece.length + sector > run_most(lane) || now - side->since > RUN_TIME ||
	    copy_gate(copy) != GATE_RUN)
		return false;
	side->busy = false;
	bool room = spot_has_room(copy->search, spot, side, sector) &&
		    next_length(lane, spot, side) == sector;
	side->busy = true;
	if (!room || !rate_limit_take(copy->limit, sector, now, &wait))
		return false;
	spot_cut_off(spot, side, sector);
	if (slot->tag & TAG_BACK) {
		slot->piece.source -= sector;
		slot->piece.destination -= sector;
	}
	slot->piece.length += sector;
	slot->tries = 0;
	read_sector(lane, slot, sector);
	return true;
}

static void end_run(struct lane *lane, struct slot *slot)
{
	side_of(lane, slot)->busy = false;
	if (slot->tag & TAG_BACK && run_most(lane))
		memmove(slot->buffer, (char *)slot->buffer + run_most(lane) - slot->piece.length,
			slot->piece.length);
	search_write(lane, slot);
}

/* Takes the sector that failed off the end of the run. */
static void drop_last(struct slot *slot, struct piece *ret)
{
	uint32_t length = slot->piece.length - slot->search.pos;
	bool back = slot->tag & TAG_BACK;

	*ret = slot->piece;
	ret->length = length;
	slot->piece.length -= length;
	if (back) {
		slot->piece.source += length;
		slot->piece.destination += length;
	} else {
		ret->source += slot->piece.length;
		ret->destination += slot->piece.length;
	}
}

static void put_back(const struct slot *slot, struct search_spot *spot, uint32_t length)
{
	if (slot->tag & TAG_BACK)
		spot->high += length;
	else
		spot->low -= length;
}

/* A part that failed as a whole is expected to have one bad sector. */
static void note_failure(struct lane *lane, const struct slot *slot)
{
	struct sector_search *p = lane->copy->search;
	struct search_spot *spot = spot_of(lane, slot);
	bool large = slot->request.length > lane->copy->plan->sector_size;

	p->good = 0;
	if (large || !spot->has_bad)
		p->as_expected = side_of(lane, slot)->as_expected = 0;
	spot->has_bad = large;
}

static void note_good(struct lane *lane, const struct slot *slot)
{
	uint32_t length = slot->request.length;

	lane->copy->search->good += length;
	lane->copy->search->as_expected += length;
	side_of(lane, slot)->as_expected += length;
}

/* The run up to the failed sector is good; the sector itself is reported, or read again, on its
 * own. */
static void run_failed(struct lane *lane, struct slot *slot)
{
	struct search_spot *spot = spot_of(lane, slot);
	struct search_side *side = side_of(lane, slot);
	struct piece last;

	drop_last(slot, &last);
	note_failure(lane, slot);
	if (retry_is_damage(slot)) {
		counter_add(&lane->counters.errors, 1);
		side->failed = true;
		add_its_whole(lane->copy->search, spot, slot->piece.length > 0, &last);
		side->bad = last;
		side->code = slot->request.result;
		side->sense = slot->request.sense;
	} else {
		put_back(slot, spot, last.length);
	}
	end_run(lane, slot);
}

static void read_failed(struct lane *lane, struct slot *slot)
{
	struct search_spot *spot = spot_of(lane, slot);
	struct search_side *side = side_of(lane, slot);

	if (slot->search.pos > 0) {
		run_failed(lane, slot);
		return;
	}
	if (retry_read_at_once(lane, slot))
		return;
	note_failure(lane, slot);
	side->busy = false;
	if (slot->piece.length > lane->copy->plan->sector_size) {
		/* Read again sector by sector; nothing is reported. */
		put_back(slot, spot, slot->piece.length);
		lane_slot_report(lane, slot);
		return;
	}
	side->failed = true;
	if (retry_is_damage(slot))
		add_its_whole(lane->copy->search, spot, false, &slot->piece);
	report_bad(lane, slot);
}

static void read_done(struct lane *lane, struct slot *slot)
{
	slot->search.pos = slot->piece.length;
	note_good(lane, slot);
	if (!extend(lane, slot))
		end_run(lane, slot);
}

/* The whole sectors of the destination that contain the piece. */
static void patch_range(const struct lane *lane, const struct slot *slot, struct piece *ret)
{
	uint32_t unit = io_sector_size(lane->destination->end);
	uint32_t before = (uint32_t)(slot->piece.destination % unit);
	uint32_t length = before + slot->piece.length;

	ret->source = slot->piece.source - before;
	ret->destination = slot->piece.destination - before;
	ret->length = (length + unit - 1) / unit * unit;
}

static bool fits(const struct lane *lane, const struct slot *slot)
{
	uint32_t unit = io_sector_size(lane->destination->end);

	return slot->piece.destination % unit == 0 && slot->piece.length % unit == 0;
}

static void patch_request(struct lane *lane, struct slot *slot, enum io_direction direction)
{
	struct piece piece;

	patch_range(lane, slot, &piece);
	slot->phase = direction == IO_READ ? SLOT_PATCH_READ : SLOT_PATCH_WRITE;
	slot->request = (struct io_request){
		.direction = direction,
		.offset = piece.destination,
		.length = piece.length,
		.buffer = slot->buffer,
	};
	slot_queue_push(&lane->to_destination, slot);
}

void search_write(struct lane *lane, struct slot *slot)
{
	struct piece piece;

	slot->write_length = slot->piece.length;
	slot->tries = 0;
	patch_range(lane, slot, &piece);
	/* A sector not entirely in the plan must not be patched; lane_slot_write() refuses it. */
	if (fits(lane, slot) || !work_allowed(lane->copy->plan, &piece)) {
		lane_slot_write(lane, slot);
		return;
	}
	lane_slot_observe(lane, slot);
	memcpy(lane->copy->search->spare, slot->buffer, slot->piece.length);
	patch_request(lane, slot, IO_READ);
}

static void patch_failed(struct lane *lane, struct slot *slot)
{
	const struct copy *copy = lane->copy;
	int code = slot->request.result;

	if (code == -ECANCELED) {
		lane_slot_report(lane, slot);
		return;
	}
	if (retry_is_local(code) &&
	    retry_again(lane, slot, copy->plan->options.retries, &lane->to_destination))
		return;
	counter_add(&lane->counters.errors, 1);
	slot->code = code;
	slot->sense = slot->request.sense;
	if (!retry_is_local(code) || copy->plan->options.on_write_error == ON_ERROR_STOP)
		slot_fail(lane, FAILURE_DESTINATION, lane->destination, slot);
	slot_mark_bad(lane, slot, 0, slot->piece.length);
	slot->finished = slot->report_end = slot->piece.length;
	lane_slot_report(lane, slot);
}

void search_written(struct lane *lane, struct slot *slot)
{
	bool good = slot->request.result == 0;
	struct piece piece;

	switch (slot->phase) {
	case SLOT_PATCH_READ:
		if (!good) {
			patch_failed(lane, slot);
			break;
		}
		patch_range(lane, slot, &piece);
		memcpy((char *)slot->buffer + (slot->piece.destination - piece.destination),
		       lane->copy->search->spare, slot->piece.length);
		patch_request(lane, slot, IO_WRITE);
		break;
	case SLOT_PATCH_WRITE:
		(good ? slot_write_done : patch_failed)(lane, slot);
		break;
	case SLOT_WRITE:
		(good ? slot_write_done : retry_write_failed)(lane, slot);
		break;
	case SLOT_WRITE_SEARCH:
		retry_write_searched(lane, slot);
		break;
	case SLOT_READ:
	case SLOT_READ_SEARCH:
	case SLOT_READ_BACK:
	case SLOT_REPORT:
		break;
	}
}

static void search_advance(struct lane *lane, struct slot *slot)
{
	if (*is_filling(slot) && (slot->phase != SLOT_PATCH_READ || slot->request.result < 0))
		end_fill(lane, slot, slot->request.result == 0);
	else if (slot->phase != SLOT_READ)
		search_written(lane, slot);
	else if (slot->request.result == 0)
		read_done(lane, slot);
	else
		read_failed(lane, slot);
}

void search_give_up(struct lane *lane, struct slot *slot)
{
	struct piece last;

	if (*is_filling(slot)) {
		end_fill(lane, slot, false);
	} else if (slot->phase == SLOT_WRITE_SEARCH) {
		retry_give_up(lane, slot);
	} else if (slot->phase == SLOT_READ && slot->search.pos > 0) {
		drop_last(slot, &last);
		end_run(lane, slot);
	} else {
		lane_slot_report(lane, slot);
	}
}

const struct slot_ops search_ops = {
	.slot_size = SEARCH_SLOT,
	.take = search_take,
	.depth = search_depth,
	.begin = search_begin,
	.advance = search_advance,
	.give_up = search_give_up,
	.report = slot_report_map,
};
