/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The held areas are read before anything is written, for two reasons: whether the
 * source changes meanwhile is seen by that (verify/recheck.h), and a source that dies
 * on the way has given its tables by then (copy/held_memory.h).
 */
#include <errno.h>

#include "copy/held_memory.h"
#include "copy/retry.h"
#include "job/core.h"
#include "job/pass.h"
#include "job/tables.h"
#include "verify/passes.h"
#include "verify/recheck.h"

/* One bad sector costs no more than that. */
#define CHUNK (128U << 10)
/* The rest of an area is left after its first failed read, and after so many of them all other
 * areas, too: they are read later. */
#define FAILED_MOST 4

static bool is_compared(const struct job *job)
{
	return job->verification.recheck->state == JOB_RECHECK_PENDING;
}

int baseline_prepare(struct job *job, unsigned round)
{
	uint32_t chunk = job->choice.chunk > CHUNK ? CHUNK : job->choice.chunk;
	struct range_list compared = { 0 };
	int r = recheck_want_first(&job->verification, &compared);

	if (r == 0 && compared.count > 0)
		r = job_make_work_of(job, &compared, "?+", chunk, false);
	else if (r == 0 && job->copy.held)
		r = job_make_work_of(job, held_memory_areas(job->copy.held), "?", chunk, false);
	range_list_done(&compared);
	if (r < 0)
		return r;
	job->baseline = (struct baseline){ 0 };
	return (compared.count > 0 || job->copy.held) && job->work.chunks > 0;
}

void baseline_end(struct job *job)
{
	if (is_compared(job))
		recheck_end(&job->verification);
	tables_read(job);
}

static bool take(struct lane *lane, struct piece *ret)
{
	const struct baseline *baseline = &lane->job->baseline;

	while (baseline->failed < FAILED_MOST && lane_take_chunk(lane, ret))
		if (lane->pending_tag >= baseline->skip_to)
			return true;
	lane->chunks_left = 0;
	return false;
}

static void leave_area(struct lane *lane, const struct slot *slot, enum job_recheck why)
{
	struct job *job = lane->job;

	if (is_compared(job))
		atomic_store(&job->verification.recheck->trouble, why);
	if (slot->tag < job->baseline.skip_to)
		return;
	job->baseline.skip_to = work_area_end(&job->work, slot->tag);
	job->baseline.failed++;
}

/* May a place that cannot be read be left for the passes that rescue? Not what an earlier part of
 * the copy has written already: they would fill it. Nor a single sector, which would count as bad.
 */
static bool may_be_left(const struct job *job, uint32_t length)
{
	return job->plan->options.on_error == ON_ERROR_MAP && job->already == 0 &&
	       length > job->plan->sector_size;
}

static void read_failed(struct lane *lane, struct slot *slot)
{
	uint32_t sector = lane->job->plan->sector_size, good;
	int code = slot->request.result;

	if (code == -ECANCELED || !retry_is_local(code)) {
		lane_slot_free(lane, slot);
		return;
	}
	counter_add(&lane->counters.errors, 1);
	leave_area(lane, slot, JOB_RECHECK_DAMAGED);
	good = (uint32_t)u64_align_down(slot->request.done, sector);
	if (good >= slot->piece.length)
		good = 0;
	if (lane->copy->held)
		held_memory_put(lane->copy->held, slot->piece.source, good, slot->buffer);
	if (!may_be_left(lane->job, slot->piece.length - good)) {
		lane_slot_free(lane, slot);
		return;
	}
	copy_tell_left(lane, slot);
	slot->code = code;
	slot->sense = slot->request.sense;
	slot->bad_status = MAP_NON_TRIMMED;
	slot_mark_bad(lane, slot, good, slot->piece.length - good);
	slot->report_end = slot->piece.length;
	lane_slot_report(lane, slot);
}

static void advance(struct lane *lane, struct slot *slot)
{
	const struct io_request *request = &slot->request;

	if (request->result < 0) {
		read_failed(lane, slot);
		return;
	}
	if (request->completed > request->submitted + SLOW_READ)
		leave_area(lane, slot, JOB_RECHECK_SLOW);
	if (lane->copy->held)
		held_memory_put(lane->copy->held, slot->piece.source, slot->piece.length,
				slot->buffer);
	if (is_compared(lane->job))
		lane_slot_inspect(lane, slot);
	else
		lane_slot_report(lane, slot);
}

static bool report(struct lane *lane, struct slot *slot)
{
	return slot->has_bad ? slot_report_map(lane, slot) : recheck_report(lane, slot);
}

const struct slot_ops baseline_ops = {
	.take = take,
	.depth = recheck_depth,
	.begin = lane_slot_read,
	.advance = advance,
	.inspect = recheck_inspect,
	.give_up = lane_slot_free,
	.report = report,
};
