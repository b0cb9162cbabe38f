/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What GNU ddrescue does with what failed, in its words and in its order:
 * trimming takes what is good from both edges of a failed area, scraping takes
 * the rest sector by sector, retrying tries the bad ones again.
 */
#include <errno.h>

#include "copy/core.h"
#include "copy/pass.h"
#include "copy/retry.h"

static bool survives(const struct job *job)
{
	return job->plan->options.on_error == ON_ERROR_MAP;
}

static int prepare(struct job *job, const char *statuses, bool backwards, bool edges)
{
	int r;

	if (!survives(job))
		return 0;
	r = job_make_work(job, statuses, job->choice.chunk, backwards);
	if (r < 0)
		return r;
	prober_reset(job, backwards, edges);
	return job->work.count > 0;
}

static int trim_prepare(struct job *job, unsigned round)
{
	return round > 0 ? 0 : prepare(job, "*", false, true);
}

/* What is left between the edges. A trimming that was stopped begins anew: it reads nothing
 * twice. */
static void trim_end(struct job *job)
{
	struct map_block block;

	if (job_gate(job) >= GATE_STOP)
		return;
	pthread_mutex_lock(&job->map_lock);
	/* Whole blocks change their letter, so no memory is needed for it. */
	while (map_next(job->map, 0, MAP_NON_TRIMMED, &block))
		if (map_set(job->map, block.start, block.size, MAP_NON_SCRAPED) < 0)
			break;
	pthread_mutex_unlock(&job->map_lock);
	job->keeper.map_changed = true;
}

static int scrape_prepare(struct job *job, unsigned round)
{
	return round > 0 ? 0 : prepare(job, "/", false, false);
}

static int retry_prepare(struct job *job, unsigned round)
{
	if (round >= job->plan->options.retry_passes)
		return 0;
	/* The pass before this one went forwards. */
	return prepare(job, "-", round % 2 == 0, false);
}

const struct pass pass_trim = {
	.kind = PASS_TRIM,
	.traits = PASS_WRITES | PASS_ONE_LANE,
	.state = JOB_COPYING,
	.letter = '*',
	.prepare = trim_prepare,
	.take = prober_take,
	.depth = prober_depth,
	.begin = lane_slot_read,
	.advance = prober_advance,
	.give_up = probe_give_up,
	.report = slot_report_map,
	.end = trim_end,
};

const struct pass pass_scrape = {
	.kind = PASS_SCRAPE,
	.traits = PASS_WRITES | PASS_ONE_LANE,
	.state = JOB_COPYING,
	.letter = '/',
	.prepare = scrape_prepare,
	.take = prober_take,
	.depth = prober_depth,
	.begin = lane_slot_read,
	.advance = prober_advance,
	.give_up = probe_give_up,
	.report = slot_report_map,
};

const struct pass pass_retry = {
	.kind = PASS_RETRY,
	.traits = PASS_WRITES | PASS_ONE_LANE,
	.state = JOB_COPYING,
	.letter = '-',
	.prepare = retry_prepare,
	.take = prober_take,
	.depth = prober_depth,
	.begin = lane_slot_read,
	.advance = prober_advance,
	.give_up = probe_give_up,
	.report = slot_report_map,
};
