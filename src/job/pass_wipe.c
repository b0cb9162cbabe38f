/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes zeros where the copy holds something back, before any data is written:
 * an old table must not point into a half-made copy. Signatures are wiped and
 * flushed first, so that after a power cut nothing is found.
 *
 * The same once more if the copy turns out to differ when some of that was written
 * already: a clone that is known to differ must not boot.
 */
#include <errno.h>

#include "base/i18n.h"
#include "base/thread.h"
#include "copy/retry.h"
#include "io/io.h"
#include "job/core.h"
#include "job/pass.h"
#include "verify/verdict.h"

/* Old signatures in free places that are left out: they are in the plan, but not in the map. */
static int add_left_out(struct job *job, const struct range_list *list)
{
	const struct range_list *left_out = plan_left_out(job->plan);
	struct range_list rest = { 0 }, parts = { 0 };
	int r = 0;

	if (left_out)
		r = range_list_without(list, left_out, &rest);
	if (left_out && r == 0)
		r = range_list_without(list, &rest, &parts);
	pthread_mutex_lock(&job->map_lock);
	if (r == 0)
		r = work_add_places(&job->work, job->plan, &parts);
	pthread_mutex_unlock(&job->map_lock);
	range_list_done(&rest);
	range_list_done(&parts);
	return r;
}

static int prepare(struct job *job, const struct range_list *list, bool descending)
{
	int r = job_make_work_of(job, list, WORK_UNFINISHED, job->choice.chunk, descending);

	if (r == 0)
		r = add_left_out(job, list);
	return r < 0 ? r : job->work.chunks > 0;
}

int wipe_key_prepare(struct job *job, unsigned round)
{
	return prepare(job, &job->stages.wipe[0], false);
}

/* The heads are at the end of the disk by then, and the copy begins at the start. */
int wipe_rest_prepare(struct job *job, unsigned round)
{
	return prepare(job, &job->stages.wipe[1], true);
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

/* Each round takes away one stage, the last one first: without its keys nobody finds the rest. */
int disarm_prepare(struct job *job, unsigned round)
{
	struct stages *stages = &job->stages;

	if (round >= stages->now)
		return 0;
	return job_make_work_of(job, &stages->domain[stages->now - round], WORK_ALL,
				job->choice.chunk, false) < 0
		       ? -ENOMEM
		       : 1;
}

static int forget_domain(struct job *job, const struct range_list *domain)
{
	uint32_t sector = job->plan->sector_size;
	int r = 0;

	SCOPED_LOCK(&job->map_lock);
	for (size_t i = 0; r == 0 && i < domain->count; i++)
		r = map_set(job->map, domain->items[i].start * sector,
			    domain->items[i].count * sector, MAP_NON_TRIED);
	return r;
}

/* A resume copies it again. */
void disarm_end(struct job *job)
{
	struct stages *stages = &job->stages;
	const struct range_list *domain = &stages->domain[stages->now - job->round];

	if (job_gate(job) >= GATE_STOP || forget_domain(job, domain) < 0)
		return;
	job->map_changed = true;
	if (job->round == 0)
		job_event_add(job, LOG_LEVEL_WARNING,
			      _("The partition table, boot sectors and superblocks were taken off "
				"%s again: a clone that is known to differ must not boot."),
			      job->setup.destination.name);
	stages->written = false;
	/* If the source changed, nothing counts as copied anyway. */
	if (map_bytes(job->map, MAP_FINISHED))
		proof_take_away(&job->verification);
}

static void wipe_begin(struct lane *lane, struct slot *slot)
{
	if (!cut_to_sectors(lane, &slot->piece)) {
		lane_slot_report(lane, slot);
		return;
	}
	lane_slot_write_zeros(lane, slot);
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
	struct lane_report report = {
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

const struct slot_ops wipe_ops = {
	.begin = wipe_begin,
	.advance = write_only_advance,
	.give_up = retry_give_up,
	.report = write_only_report,
};
