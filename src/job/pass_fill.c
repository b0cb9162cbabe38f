/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Filling: unreadable sectors get zeros on the destination, or a text that says
 * so, so that nothing old is taken for data. In the map they stay bad. Trimming
 * and scraping fill what they find (search.c) while reading continues; this
 * pass is for everything else: bad sectors of a resumed map, what the destination
 * refused at first, and what a source that is gone has not given.
 */
#include "job/core.h"
#include "job/pass.h"
#include "rescue/search.h"

/* The held areas may have bad sectors of their own. */
static void fill_done(struct job *job)
{
	if (stages_last(&job->stages))
		job->fill_due = false;
}

/* Of a source that is gone, all that is missing; in the map it stays what it is, so that it is read
 * if that source comes back after all. */
static const char *statuses(const struct job *job)
{
	return job->setup.source_gone ? WORK_UNFINISHED : "-";
}

static uint64_t unread_bytes(const struct job *job)
{
	return job->setup.source_gone ? job->total - map_bytes(job->map, MAP_FINISHED)
				      : map_bytes(job->map, MAP_BAD);
}

/* This pass is reached twice per stage; in between, bad sectors are only added. */
static bool filled_before(const struct job *job)
{
	return job->filled_bytes && job->filled_stage == job->stages.now &&
	       job->filled_bytes == unread_bytes(job);
}

int fill_prepare(struct job *job, unsigned round)
{
	int r;

	if (!job->fill_due || filled_before(job))
		return 0;
	/* A held area that was not saved stays wiped. */
	if (job->setup.source_gone && job->stages.now > 0) {
		fill_done(job);
		return 0;
	}
	search_reset(&job->copy, false, false);
	r = job_make_work(job, statuses(job),
			  job->search->patches ? job->plan->sector_size : job->choice.chunk, false);
	if (r == 0 && job->work.chunks == 0)
		fill_done(job);
	return r < 0 ? r : job->work.chunks > 0;
}

static bool fill_take(struct lane *lane, struct piece *ret)
{
	return !search_must_wait(lane) && lane_take_chunk(lane, ret);
}

static void fill_begin(struct lane *lane, struct slot *slot)
{
	fill_buffer(lane->job->plan, slot->buffer, &slot->piece);
	search_write(lane, slot);
}

void fill_end(struct job *job)
{
	if (job_gate(job) >= GATE_STOP)
		return;
	job->filled_stage = job->stages.now;
	job->filled_bytes = unread_bytes(job);
	fill_done(job);
}

const struct slot_ops fill_ops = {
	.slot_size = SEARCH_SLOT,
	.take = fill_take,
	.begin = fill_begin,
	.advance = search_written,
	.give_up = search_give_up,
	.report = write_only_report,
};
