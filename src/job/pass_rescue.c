/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rescue passes of GNU ddrescue, with its names and in its order: trimming reads
 * each failed area from both edges up to the first bad sector, scraping reads the
 * rest sector by sector, retrying reads the bad ones again.
 */

#include "base/i18n.h"
#include "job/core.h"
#include "job/pass.h"
#include "rescue/search.h"

#define WHOLE_EDGES 4

/* parts: of the stage, or those that were chosen of it. */
static int prepare(struct job *job, const struct range_list *parts, const char *statuses,
		   bool backwards, bool edges)
{
	int r = job_make_work_of(job, parts, statuses, job->choice.chunk, backwards);

	if (r < 0)
		return r;
	search_reset(&job->copy, backwards, edges);
	return job->work.count > 0;
}

int trim_prepare(struct job *job, unsigned round)
{
	return prepare(job, stages_domain(&job->stages), "*", false, true);
}

/* What is left between the edges becomes non-scraped. If trimming was stopped, the rest stays
 * non-trimmed, and nothing is read twice. */
void trim_end(struct job *job)
{
	struct map_block block;
	uint64_t pos = 0;

	if (job_gate(job) >= GATE_STOP)
		return;
	pthread_mutex_lock(&job->map_lock);
	/* Whole blocks change, so this needs no memory. */
	for (; map_next(job->map, pos, MAP_NON_TRIMMED, &block); pos = block.start + block.size)
		if (map_set(job->map, block.start, block.size, MAP_NON_SCRAPED) < 0)
			break;
	pthread_mutex_unlock(&job->map_lock);
	job->map_changed = true;
}

/*
 * After trimming, every damaged area begins and ends with a bad sector next to a
 * good one. If all these edges are edges of physical sectors, the disk loses whole
 * physical sectors: the logical sectors in one share a checksum. At least two areas
 * are required, since the edges of one could be aligned by chance.
 */
static uint32_t lost_as_a_whole(const struct job *job)
{
	uint32_t physical = job->setup.source.physical_sector_size;
	size_t on, off;

	if (physical <= job->plan->sector_size || physical % job->plan->sector_size ||
	    job->search->patches)
		return 0;
	map_edges(job->map, physical, &on, &off);
	return on >= WHOLE_EDGES && off == 0 ? physical : 0;
}

int scrape_prepare(struct job *job, unsigned round)
{
	uint32_t whole = lost_as_a_whole(job);
	int r = prepare(job, stages_domain(&job->stages), "/", false, false);

	if (r <= 0)
		return r;
	job->search->whole = whole;
	if (whole)
		job_event_add(job, LOG_LEVEL_INFO,
			      _("All damage on %s so far covers whole physical sectors of %u "
				"bytes: one failed read counts for the rest of its sector."),
			      job->setup.source.name, whole);
	return r;
}

/* The parts of the chosen areas that belong to this stage. */
static int chosen_parts(const struct job *job, struct range_list *ret)
{
	const struct range_list *chosen = job->setup.retry, *domain = stages_domain(&job->stages);
	struct range part;
	int r = 0;

	for (size_t i = 0; r == 0 && i < chosen->count; i++) {
		if (!domain)
			r = range_list_add(ret, chosen->items[i]);
		for (size_t j = 0; domain && r == 0 && j < domain->count; j++)
			if (range_intersect(chosen->items[i], domain->items[j], &part))
				r = range_list_add(ret, part);
	}
	return r;
}

int retry_prepare(struct job *job, unsigned round)
{
	struct range_list chosen = { 0 };
	/* The pass before this one went forwards. */
	bool backwards = round % 2 == 0;
	int r = 0;

	if (round >= job->plan->options.retry_passes)
		return 0;
	if (job->setup.retry)
		r = chosen_parts(job, &chosen);
	if (r == 0)
		r = prepare(job, job->setup.retry ? &chosen : stages_domain(&job->stages), "-",
			    backwards, false);
	range_list_done(&chosen);
	return r;
}

unsigned retry_number(const struct job *job)
{
	return job->round + 1;
}
