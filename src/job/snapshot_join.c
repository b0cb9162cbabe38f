/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a copy whose disk was away, added up. */
#include "job/snapshot.h"

void job_bad_area_explain(struct job_bad_area *area, const struct job_bad_area *seen, size_t count)
{
	for (size_t i = 0; i < count && !area->code; i++) {
		if (seen[i].write || seen[i].lba + seen[i].sectors <= area->lba ||
		    seen[i].lba >= area->lba + area->sectors)
			continue;
		area->code = seen[i].code;
		area->sense = seen[i].sense;
	}
}

/* The map says which sectors are bad; why was said to the part that read them. */
static void join_reasons(const struct job_snapshot *earlier, struct job_snapshot *job)
{
	for (size_t i = 0; i < job->bad_shown; i++)
		job_bad_area_explain(&job->bad[i], earlier->bad, earlier->bad_shown);
}

/* What cannot be added up (latencies, the engine, the error) stays that of the last part. */
void job_snapshot_join(const struct job_snapshot *earlier, struct job_snapshot *job)
{
	job->started_at = earlier->started_at;
	job->already = earlier->already;
	if (!job->map_saved_at)
		job->map_saved_at = earlier->map_saved_at;
	job->elapsed += earlier->elapsed;
	job->copy_ns += earlier->copy_ns;
	job->flush_ns += earlier->flush_ns;
	job->paused_ns += earlier->paused_ns;
	job->read += earlier->read;
	job->errors += earlier->errors;
	job->rescue.read_errors += earlier->rescue.read_errors;
	job->rescue.trouble |= earlier->rescue.trouble;
	join_reasons(earlier, job);
	job->retries += earlier->retries;
	job->slow_reads += earlier->slow_reads;
	job->process_cpu_user += earlier->process_cpu_user;
	job->process_cpu_system += earlier->process_cpu_system;
	if (earlier->overall > job->overall)
		job->overall = earlier->overall;
	if (earlier->peak > job->peak)
		job->peak = earlier->peak;
	job->source.requests += earlier->source.requests;
	job->destination.requests += earlier->destination.requests;
	io_stats_add(&job->source.stats, &earlier->source.stats);
	io_stats_add(&job->destination.stats, &earlier->destination.stats);
	/* Over the time spent copying, as within one part; a pass that reads back has its own. */
	if (!(job->state == JOB_VERIFYING && job->pass == PASS_VERIFY) && job->copy_ns > 0 &&
	    job->written > job->already)
		job->average = (double)(job->written - job->already) * 1e9 / (double)job->copy_ns;
}
