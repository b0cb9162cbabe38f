/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a lane and taking it apart again. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/thread.h"
#include "copy/lane.h"
#include "io/buffers.h"

static uint32_t per_lane(uint32_t depth, uint32_t lanes)
{
	uint32_t share = (depth + lanes - 1) / lanes;

	return share ? share : 1;
}

static int open_ends(struct lane *lane, const struct lane *first, struct error *reterr)
{
	const struct io_choice *choice = lane->copy->choice;
	struct io_setup setup = {
		.depth = lane->depth_read,
		.buffers = lane->buffers,
		.sibling = first ? first->source : NULL,
	};
	int r = io_open(choice->source, lane->copy->source, &setup, &lane->source, reterr);

	if (r < 0)
		return r;
	lane->shared =
		choice->source == choice->destination && choice->source->traits & IO_CAN_SHARE;
	setup.depth = lane->depth_write;
	setup.peer = lane->shared ? lane->source : NULL;
	setup.source = lane->source;
	setup.sibling = first ? first->destination : NULL;
	return io_open(choice->destination, lane->copy->destination, &setup, &lane->destination,
		       reterr);
}

static size_t round_up(size_t size)
{
	size_t unit = _Alignof(max_align_t);

	return (size + unit - 1) / unit * unit;
}

/* A place for each slot, one after the other: what the pass wants, and each observer. */
static int make_states(struct lane *lane, uint32_t count)
{
	const struct copy *copy = lane->copy;
	size_t own = round_up(copy->slot_size), size = own, at = 0;

	for (unsigned i = 0; i < copy->observer_count; i++)
		size += round_up(copy->observers[i]->slot_size);
	lane->states = calloc(count, size ? size : 1);
	if (!lane->states)
		return -ENOMEM;
	for (uint32_t s = 0; s < count; s++) {
		lane->slots[s].own = lane->states + at;
		at += own;
		for (unsigned i = 0; i < copy->observer_count; i++) {
			lane->slots[s].state[i] = lane->states + at;
			at += round_up(copy->observers[i]->slot_size);
		}
	}
	return 0;
}

static int make_slots(struct lane *lane, uint32_t count, struct error *reterr)
{
	const struct copy *copy = lane->copy;
	size_t words = slot_bad_words(copy->choice->chunk, copy->plan->sector_size);

	lane->slots = calloc(count, sizeof(*lane->slots));
	lane->bad_bits = calloc(count * words, sizeof(*lane->bad_bits));
	if (!lane->slots || !lane->bad_bits || make_states(lane, count) < 0)
		return error_nomem(reterr);
	lane->slot_count = count;
	/* Contiguous buffers and bits: a wide piece uses them all. */
	for (uint32_t i = 0; i < count; i++) {
		struct slot *slot = &lane->slots[i];

		slot->buffer = io_buffers_get(lane->buffers);
		slot->bad = &lane->bad_bits[i * words];
		slot->next = i + 1 < count ? slot + 1 : NULL;
	}
	lane->idle = lane->slots;
	return 0;
}

int lane_new(struct copy *copy, unsigned number, uint32_t slots, const struct lane *first,
	     struct lane **ret, struct error *reterr)
{
	const struct io_choice *choice = copy->choice;
	uint32_t all = slots * choice->chunk;
	struct lane *lane = aligned_alloc(64, sizeof(*lane));
	int r;

	if (!lane)
		return error_nomem(reterr);
	/* Not the ring itself: pages of it that are never used take no memory. */
	memset(lane, 0, offsetof(struct lane, ring.items));
	lane->copy = copy;
	lane->job = copy->job;
	lane->number = number;
	atomic_store(&lane->state, LANE_PARKED);
	lane->batch = 1;
	lane->widest = choice->widest < all ? choice->widest : all;
	lane->depth_read = per_lane(choice->source_depth, choice->lanes);
	lane->depth_write = per_lane(choice->destination_depth, choice->lanes);
	/* One chunk at a time keeps the lanes' requests closest to sequential; without seeks,
	 * longer runs reduce contention for the cursor. */
	lane->run = copy->source->rotational == YES || copy->destination->rotational == YES ? 1 : 4;
	slot_queue_init(&lane->to_source);
	slot_queue_init(&lane->to_destination);
	slot_queue_init(&lane->to_report);
	slot_queue_init(&lane->held);
	lane->inspect_last = &lane->inspect_first;

	r = lane->wake = eventfd_new(reterr);
	if (r >= 0)
		r = io_buffers_new(slots, choice->chunk, &lane->buffers, reterr);
	if (r >= 0)
		r = make_slots(lane, slots, reterr);
	if (r >= 0)
		r = open_ends(lane, first, reterr);
	if (r < 0) {
		lane_destroy(lane);
		return r;
	}
	*ret = lane;
	return 0;
}

void lane_destroy(struct lane *lane)
{
	if (!lane)
		return;
	io_close(lane->destination);
	io_close(lane->source);
	free(lane->slots);
	free(lane->bad_bits);
	free(lane->states);
	io_buffers_destroy(lane->buffers);
	fd_close(lane->wake);
	free(lane);
}

uint64_t lanes_sum_at(struct lane *const *lanes, unsigned count, size_t offset)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < count; i++) {
		const char *counters = (const char *)&lanes[i]->counters;

		total += counter_get((const uint64_t *)(const void *)(counters + offset));
	}
	return total;
}
