/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The passes that read areas of the source for recheck.h, before the copy and after
 * it. Nothing is tried twice: at the first trouble they end.
 */
#include <errno.h>
#include <string.h>

#include "verify/verification.h"
#include "verify/passes.h"
#include "verify/recheck.h"
#include "verify/verdict.h"

/* Enough to keep a spinning disk busy. */
#define DEPTH 2

static bool recheck_take(struct lane *lane, struct piece *ret)
{
	if (!atomic_load(&lane->copy->verification->recheck->trouble))
		return lane_take_chunk(lane, ret);
	lane->chunks_left = 0;
	return false;
}

uint32_t recheck_depth(const struct lane *lane)
{
	return lane->depth_read < DEPTH ? lane->depth_read : DEPTH;
}

static void recheck_advance(struct lane *lane, struct slot *slot)
{
	const struct io_request *request = &slot->request;

	if (request->result < 0) {
		if (request->result != -ECANCELED)
			atomic_store(&lane->copy->verification->recheck->trouble,
				     JOB_RECHECK_DAMAGED);
		lane_slot_free(lane, slot);
		return;
	}
	if (request->completed > request->submitted + SLOW_READ)
		atomic_store(&lane->copy->verification->recheck->trouble, JOB_RECHECK_SLOW);
	lane_slot_inspect(lane, slot);
}

void recheck_inspect(struct lane *lane, struct slot *slot)
{
	lane->now = 0;
	slot->part_count = (uint8_t)proof_parts(lane->copy->verification, &slot->piece,
						slot->buffer, slot->parts);
	lane_slot_report(lane, slot);
}

bool recheck_report(struct lane *lane, struct slot *slot)
{
	struct lane_report report = {
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
