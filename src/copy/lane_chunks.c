/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a lane takes chunks from the shared work, and how many of them make a piece. */
#include "copy/job_private.h"
#include "copy/lane.h"

/* No disk that queues completes so many requests in a row within submit. */
#define INSIDE_SURE 16

bool lane_take_chunk(struct lane *lane, struct piece *ret)
{
	struct job *job = lane->job;

	if (lane->chunks_left == 0)
		lane->chunks_left = work_take(&job->work, lane->run, &lane->chunk);
	if (lane->chunks_left == 0)
		return false;
	lane->pending_tag = lane->chunk;
	work_piece(&job->work, lane->chunk++, ret);
	lane->chunks_left--;
	return true;
}

/* Digests and checksums need chunks, and a rate limit needs small steps. */
uint32_t lane_piece_size(const struct lane *lane)
{
	struct job *job = lane->job;
	bool wide = lane->inside[0] >= INSIDE_SURE && lane->inside[1] >= INSIDE_SURE &&
		    lane->counters.buffers_in_use == 0 && !job->proof && !job->sums.hasher &&
		    !rate_limit_get(&job->limit);

	return wide ? lane->widest : job->choice.chunk;
}

void lane_take_more(struct lane *lane, uint32_t most, struct piece *piece)
{
	struct work *work = &lane->job->work;

	for (uint64_t end; (end = piece->destination + piece->length) % most;) {
		struct piece next;

		if (lane->chunks_left == 0)
			lane->chunks_left =
				work_take(work, (most - end % most) / work->chunk, &lane->chunk);
		if (lane->chunks_left == 0)
			return;
		work_piece(work, lane->chunk, &next);
		if (next.destination != end || next.source != piece->source + piece->length)
			return;
		piece->length += next.length;
		lane->pending_tag = lane->chunk++;
		lane->chunks_left--;
	}
}
