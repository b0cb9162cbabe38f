/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a lane takes chunks from the shared work, and how many of them make a piece. */
#include "copy/lane.h"

/* No disk that queues completes so many requests in a row within submit. */
#define INSIDE_SURE 16

bool lane_take_chunk(struct lane *lane, struct piece *ret)
{
	struct work *work = lane->copy->work;

	if (lane->chunks_left == 0)
		lane->chunks_left = work_take(work, lane->run, &lane->chunk);
	if (lane->chunks_left == 0)
		return false;
	lane->pending_tag = lane->chunk;
	work_piece(work, lane->chunk++, ret);
	lane->chunks_left--;
	return true;
}

/* Observers count on chunks, and a rate limit needs small steps. */
uint32_t lane_piece_size(const struct lane *lane)
{
	const struct copy *copy = lane->copy;
	bool wide = lane->inside[0] >= INSIDE_SURE && lane->inside[1] >= INSIDE_SURE &&
		    lane->counters.buffers_in_use == 0 && !copy->of_chunks &&
		    !rate_limit_get(copy->limit);

	return wide ? lane->widest : copy->choice->chunk;
}

/* Joins the next chunk in the order of taking, if it is contiguous on both ends. */
static bool join(const struct work *work, const struct piece *next, struct piece *piece)
{
	const struct piece *low = work->descending ? next : piece;
	const struct piece *high = work->descending ? piece : next;

	if (high->destination != low->destination + low->length ||
	    high->source != low->source + low->length)
		return false;
	*piece = (struct piece){ low->source, low->destination, low->length + high->length };
	return true;
}

void lane_take_more(struct lane *lane, uint32_t most, struct piece *piece)
{
	struct work *work = lane->copy->work;

	for (;;) {
		uint64_t end = piece->destination + piece->length;
		uint64_t left =
			work->descending ? piece->destination % most : (most - end % most) % most;
		struct piece next;

		if (left == 0)
			return;
		if (lane->chunks_left == 0)
			lane->chunks_left =
				work_take(work, (uint32_t)(left / work->chunk), &lane->chunk);
		if (lane->chunks_left == 0)
			return;
		work_piece(work, lane->chunk, &next);
		if (!join(work, &next, piece))
			return;
		lane->pending_tag = lane->chunk++;
		lane->chunks_left--;
	}
}
