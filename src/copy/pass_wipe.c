/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes zeros where the copy holds something back, before any data is written:
 * an old table must not point into a half-made copy. Signatures are wiped and
 * flushed first, so that after a power cut nothing is found.
 */
#include <string.h>

#include "copy/job_private.h"
#include "copy/pass.h"
#include "copy/retry.h"
#include "io/io.h"

static int prepare(struct job *job, const struct range_list *list, bool descending)
{
	int r;

	if (job->stages.count == 0)
		return 0;
	pthread_mutex_lock(&job->map_lock);
	r = work_init(&job->work, job->plan, job->map, list, WORK_UNFINISHED, job->choice.chunk,
		      descending);
	pthread_mutex_unlock(&job->map_lock);
	return r < 0 ? r : job->work.chunks > 0;
}

static int key_prepare(struct job *job, unsigned round)
{
	return round > 0 ? 0 : prepare(job, &job->stages.wipe[0], false);
}

/* The heads are at the end of the disk by then, and the copy begins at the start. */
static int rest_prepare(struct job *job, unsigned round)
{
	return round > 0 ? 0 : prepare(job, &job->stages.wipe[1], true);
}

/* If the destination's sectors are larger, part of one may be copied already; it was wiped before
 * that. False: nothing is left. */
static bool cut_to_sectors(const struct lane *lane, struct piece *piece)
{
	uint32_t unit = io_sector_size(lane->destination->end);
	uint32_t skip = (uint32_t)((unit - piece->destination % unit) % unit);

	if (piece->length < skip + unit)
		return false;
	piece->source += skip;
	piece->destination += skip;
	piece->length = (piece->length - skip) / unit * unit;
	return true;
}

static void wipe_begin(struct lane *lane, struct slot *slot)
{
	if (!cut_to_sectors(lane, &slot->piece)) {
		lane_slot_report(lane, slot);
		return;
	}
	memset(slot->buffer, 0, slot->piece.length);
	slot->write_length = slot->piece.length;
	lane_slot_write(lane, slot);
}

void write_only_advance(struct lane *lane, struct slot *slot)
{
	if (slot->phase == SLOT_WRITE_SEARCH) {
		retry_write_searched(lane, slot);
	} else if (slot->request.result < 0) {
		retry_write_failed(lane, slot);
	} else {
		slot->finished = slot->write_length;
		lane_slot_report(lane, slot);
	}
}

/* For the map, nothing was written. */
bool write_only_report(struct lane *lane, struct slot *slot)
{
	struct report report = {
		.kind = REPORT_REFUSED,
		.source = slot->piece.source,
		.length = slot->piece.length,
		.code = slot->code,
		.sense = slot->sense,
	};

	if (slot->has_bad && !ring_push(&lane->ring, &report))
		return false;
	counter_add(&lane->counters.handled, slot->finished);
	return true;
}

static const struct pass_ops wipe_ops = {
	.begin = wipe_begin,
	.advance = write_only_advance,
	.give_up = retry_give_up,
	.report = write_only_report,
};

const struct pass pass_wipe_key = {
	.kind = PASS_WIPE,
	.traits = PASS_WRITES,
	.state = JOB_COPYING,
	.letter = '?',
	.ops = &wipe_ops,
	.prepare = key_prepare,
};

const struct pass pass_wipe_rest = {
	.kind = PASS_WIPE,
	.traits = PASS_WRITES,
	.state = JOB_COPYING,
	.letter = '?',
	.ops = &wipe_ops,
	.prepare = rest_prepare,
};
