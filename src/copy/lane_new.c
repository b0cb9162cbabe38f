/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a lane and taking it apart again. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "job/job_private.h"
#include "copy/lane.h"
#include "io/buffers.h"

static uint32_t per_lane(uint32_t depth, uint32_t lanes)
{
	uint32_t share = (depth + lanes - 1) / lanes;

	return share ? share : 1;
}

static int open_ends(struct lane *lane, struct error *reterr)
{
	struct job *job = lane->job;
	const struct lane *first = lane->number > 0 ? job->lanes[0] : NULL;
	struct io_setup setup = {
		.depth = lane->depth_read,
		.buffers = lane->buffers,
		.sibling = first ? first->source : NULL,
	};
	int r = io_open(job->choice.source, &job->setup.source, &setup, &lane->source, reterr);

	if (r < 0)
		return r;
	lane->shared = job->choice.source == job->choice.destination &&
		       job->choice.source->traits & IO_CAN_SHARE;
	setup.depth = lane->depth_write;
	setup.peer = lane->shared ? lane->source : NULL;
	setup.sibling = first ? first->destination : NULL;
	return io_open(job->choice.destination, &job->setup.destination, &setup, &lane->destination,
		       reterr);
}

static int make_slots(struct lane *lane, uint32_t count, struct error *reterr)
{
	const struct job *job = lane->job;
	size_t words = slot_bad_words(job->choice.chunk, job->plan->sector_size);

	lane->slots = calloc(count, sizeof(*lane->slots));
	lane->bad_bits = calloc(count * words, sizeof(*lane->bad_bits));
	if (!lane->slots || !lane->bad_bits)
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

int lane_new(struct job *job, unsigned number, uint32_t slots, struct lane **ret,
	     struct error *reterr)
{
	struct lane *lane = aligned_alloc(64, sizeof(*lane));
	int r;

	if (!lane)
		return error_nomem(reterr);
	/* Not the ring itself: pages of it that are never used take no memory. */
	memset(lane, 0, offsetof(struct lane, ring.items));
	lane->job = job;
	lane->number = number;
	atomic_store(&lane->state, LANE_PARKED);
	lane->batch = 1;
	lane->widest = job->choice.widest < slots * job->choice.chunk ? job->choice.widest
								      : slots * job->choice.chunk;
	lane->depth_read = per_lane(job->choice.source_depth, job->choice.lanes);
	lane->depth_write = per_lane(job->choice.destination_depth, job->choice.lanes);
	/* One chunk at a time keeps the lanes' requests closest to sequential; without seeks,
	 * longer runs reduce contention for the cursor. */
	lane->run = job->setup.source.rotational == YES || job->setup.destination.rotational == YES
			    ? 1
			    : 4;
	slot_queue_init(&lane->to_source);
	slot_queue_init(&lane->to_destination);
	slot_queue_init(&lane->to_report);
	slot_queue_init(&lane->hashing);
	lane->inspect_last = &lane->inspect_first;

	r = lane->wake = eventfd_new(reterr);
	if (r >= 0)
		r = io_buffers_new(slots, job->choice.chunk, &lane->buffers, reterr);
	if (r >= 0)
		r = make_slots(lane, slots, reterr);
	if (r >= 0)
		r = open_ends(lane, reterr);
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
	io_buffers_destroy(lane->buffers);
	if (lane->wake >= 0)
		close(lane->wake);
	free(lane);
}
