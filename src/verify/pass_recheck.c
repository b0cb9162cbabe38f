/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The passes that read areas of the source for recheck.h, before the copy and after
 * it. Nothing is tried twice: at the first trouble they end.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "job/core.h"
#include "verify/passes.h"
#include "verify/recheck.h"
#include "verify/verdict.h"

/* Enough to keep a spinning disk busy. */
#define DEPTH 2
/* As for reads that are counted as slow. */
#define SLOW NSEC_PER_SEC

static int make_work(struct job *job, int (*want)(struct job *job, struct range_list *ret))
{
	struct range_list areas = { 0 };
	int r = want(job, &areas);

	if (r == 0 && areas.count > 0)
		r = job_make_work_of(job, &areas, "?+", job->choice.chunk);
	if (r == 0)
		r = areas.count > 0 && job->work.chunks > 0;
	range_list_done(&areas);
	return r;
}

int baseline_prepare(struct job *job, unsigned round)
{
	return make_work(job, recheck_want_first);
}

/* In later stages nothing is read for this: what was held back has just been read to be written. */
int recheck_prepare(struct job *job, unsigned round)
{
	if (proof_differs(job->proof))
		return 0;
	if (job->stages.now == 0)
		return make_work(job, recheck_want_after);
	recheck_judge(job);
	return 0;
}

static bool recheck_take(struct lane *lane, struct piece *ret)
{
	if (!atomic_load(&lane->job->recheck->trouble))
		return lane_take_chunk(lane, ret);
	lane->chunks_left = 0;
	return false;
}

static uint32_t recheck_depth(const struct lane *lane)
{
	return lane->depth_read < DEPTH ? lane->depth_read : DEPTH;
}

static void recheck_advance(struct lane *lane, struct slot *slot)
{
	const struct io_request *request = &slot->request;

	if (request->result < 0) {
		if (request->result != -ECANCELED)
			atomic_store(&lane->job->recheck->trouble, JOB_RECHECK_DAMAGED);
		lane_slot_free(lane, slot);
		return;
	}
	if (request->completed > request->submitted + SLOW)
		atomic_store(&lane->job->recheck->trouble, JOB_RECHECK_SLOW);
	lane_slot_inspect(lane, slot);
}

static void recheck_inspect(struct lane *lane, struct slot *slot)
{
	lane->now = 0;
	slot->part_count = (uint8_t)proof_parts(lane->job, &slot->piece, slot->buffer, slot->parts);
	lane_slot_report(lane, slot);
}

static bool recheck_report(struct lane *lane, struct slot *slot)
{
	struct report report = {
		.kind = REPORT_PASS,
		.source = slot->piece.source,
		.length = slot->piece.length,
		.part_count = slot->part_count,
	};

	memcpy(report.parts, slot->parts, sizeof(report.parts));
	if (!ring_push(&lane->ring, &report))
		return false;
	counter_add(&lane->counters.handled, slot->piece.length);
	return true;
}

const struct slot_ops recheck_ops = {
	.take = recheck_take,
	.depth = recheck_depth,
	.begin = lane_slot_read,
	.advance = recheck_advance,
	.inspect = recheck_inspect,
	.give_up = lane_slot_free,
	.report = recheck_report,
};
