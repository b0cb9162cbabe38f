/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The copy: every chunk is read from the source and written to the destination. */
#include <errno.h>

#include "copy/core.h"
#include "copy/pass.h"
#include "copy/retry.h"

static int copy_prepare(struct job *job, unsigned round)
{
	int r;

	if (round > 0)
		return 0;
	r = job_make_work(job, WORK_UNFINISHED, job->choice.chunk, false);
	return r < 0 ? r : job->work.chunks > 0;
}

static void read_done(struct lane *lane, struct slot *slot)
{
	slot->write_length = slot->piece.length;
	lane_slot_write(lane, slot);
}

static void write_done(struct lane *lane, struct slot *slot)
{
	slot->finished = slot->write_length;
	if (slot->report_end < slot->finished)
		slot->report_end = slot->finished;
	lane_slot_report(lane, slot);
}

static void copy_advance(struct lane *lane, struct slot *slot)
{
	bool good = slot->request.result == 0;

	switch (slot->phase) {
	case SLOT_READ:
		(good ? read_done : retry_read_failed)(lane, slot);
		break;
	case SLOT_READ_SEARCH:
		retry_read_searched(lane, slot);
		break;
	case SLOT_WRITE:
		(good ? write_done : retry_write_failed)(lane, slot);
		break;
	case SLOT_WRITE_SEARCH:
		retry_write_searched(lane, slot);
		break;
	case SLOT_REPORT:
		break;
	}
}

static bool copy_report(struct lane *lane, struct slot *slot)
{
	uint32_t sector = lane->job->plan->sector_size;

	while (slot->reported < slot->report_end) {
		uint32_t from = slot->reported, to = from;
		bool bad = slot->has_bad && slot_is_bad(slot, from / sector);

		if (!slot->has_bad) {
			to = slot->report_end;
		} else {
			while (to < slot->report_end && slot_is_bad(slot, to / sector) == bad)
				to += sector;
		}
		if (to > slot->report_end)
			to = slot->report_end;
		/* What is neither written nor bad stays to be done. */
		if (!bad && from < slot->finished && to > slot->finished)
			to = slot->finished;

		struct report report = {
			.kind = REPORT_MAP,
			.source = slot->piece.source + from,
			.length = to - from,
			.status = bad ? MAP_BAD : MAP_FINISHED,
			.code = bad ? slot->code : 0,
			.sense = bad ? slot->sense : (struct sense){ 0 },
		};

		if (bad || from < slot->finished) {
			if (!ring_push(&lane->ring, &report))
				return false;
			counter_add(&lane->counters.handled, to - from);
			if (!bad)
				counter_add(&lane->counters.written, to - from);
		}
		slot->reported = to;
	}
	if (slot->refused) {
		struct report report = {
			.kind = REPORT_REFUSED,
			.source = slot->piece.source + slot->refused_at,
			.length = slot->refused,
			.code = slot->code,
			.sense = slot->sense,
		};

		return ring_push(&lane->ring, &report);
	}
	return true;
}

const struct pass pass_copy = {
	.kind = PASS_COPY,
	.traits = PASS_WRITES,
	.state = JOB_COPYING,
	.letter = '?',
	.prepare = copy_prepare,
	.begin = lane_slot_read,
	.advance = copy_advance,
	.give_up = retry_give_up,
	.report = copy_report,
};
