/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source is looked at before the copy and behind it (changed.h). Nothing is
 * tried twice: at the first trouble of the source no more is looked at.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "copy/job_private.h"
#include "copy/pass.h"

/* As many as keep a disk that spins in its stride. */
#define DEPTH 2
/* As reads are counted as slow. */
#define SLOW NSEC_PER_SEC

static int make_work(struct job *job, int (*want)(struct job *job, struct range_list *ret))
{
	struct range_list parts = { 0 };
	int r = want(job, &parts);

	if (r == 0 && parts.count > 0)
		r = job_make_work_of(job, &parts, "?+", job->choice.chunk);
	if (r == 0)
		r = parts.count > 0 && job->work.chunks > 0;
	range_list_done(&parts);
	return r;
}

static int first_prepare(struct job *job, unsigned round)
{
	return round > 0 ? 0 : make_work(job, changed_want_first);
}

/* What was held back is judged by what was read of it to be written. */
static int again_prepare(struct job *job, unsigned round)
{
	if (round > 0 || proof_differs(job->proof))
		return 0;
	if (job->stages.now == 0)
		return make_work(job, changed_want_again);
	changed_judge(job);
	return 0;
}

static bool look_take(struct lane *lane, struct piece *ret)
{
	if (!atomic_load(&lane->job->changed.sick))
		return lane_take_chunk(lane, ret);
	lane->chunks_left = 0;
	return false;
}

static uint32_t look_depth(const struct lane *lane)
{
	return lane->depth_read < DEPTH ? lane->depth_read : DEPTH;
}

static void look_advance(struct lane *lane, struct slot *slot)
{
	const struct io_request *request = &slot->request;

	if (request->result < 0 || request->completed > request->submitted + SLOW)
		atomic_store(&lane->job->changed.sick, true);
	if (request->result < 0)
		lane_slot_free(lane, slot);
	else
		lane_slot_inspect(lane, slot);
}

static void look_inspect(struct lane *lane, struct slot *slot)
{
	lane->now = 0;
	slot->part_count = (uint8_t)proof_parts(lane->job, &slot->piece, slot->buffer, slot->parts);
	lane_slot_report(lane, slot);
}

static bool look_report(struct lane *lane, struct slot *slot)
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

static const struct pass_ops look_ops = {
	.take = look_take,
	.depth = look_depth,
	.begin = lane_slot_read,
	.advance = look_advance,
	.inspect = look_inspect,
	.give_up = lane_slot_free,
	.report = look_report,
};

const struct pass pass_look = {
	.kind = PASS_LOOK,
	.traits = PASS_ONE_LANE,
	.state = JOB_COPYING,
	.letter = '?',
	.ops = &look_ops,
	.prepare = first_prepare,
	.collect = changed_collect,
	.end = changed_end,
};

const struct pass pass_look_again = {
	.kind = PASS_LOOK,
	.traits = PASS_ONE_LANE,
	.state = JOB_VERIFYING,
	.letter = '+',
	.ops = &look_ops,
	.prepare = again_prepare,
	.collect = changed_collect,
	.end = changed_end,
};
