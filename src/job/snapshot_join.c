/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a copy whose disk was away, added up. */
#include "job/snapshot.h"

/* The map says which sectors are bad; why was said to the part that read them. */
static void join_reasons(const struct job_snapshot *earlier, struct job_snapshot *job)
{
	for (size_t i = 0; i < job->bad_shown; i++) {
		struct job_bad_area *area = &job->bad[i];

		for (size_t k = 0; !area->code && k < earlier->bad_shown; k++) {
			const struct job_bad_area *seen = &earlier->bad[k];

			if (seen->write || seen->lba + seen->sectors <= area->lba ||
			    seen->lba >= area->lba + area->sectors)
				continue;
			area->code = seen->code;
			area->sense = seen->sense;
		}
	}
}

/* What cannot be added up (latencies, the engine, the error) stays that of the last part. */
void job_snapshot_join(const struct job_snapshot *sum, struct job_snapshot *job)
{
	job->started_at = sum->started_at;
	job->already = sum->already;
	job->elapsed += sum->elapsed;
	job->copy_ns += sum->copy_ns;
	job->flush_ns += sum->flush_ns;
	job->paused_ns += sum->paused_ns;
	job->read += sum->read;
	job->errors += sum->errors;
	job->rescue.read_errors += sum->rescue.read_errors;
	job->rescue.trouble |= sum->rescue.trouble;
	join_reasons(sum, job);
	job->retries += sum->retries;
	job->slow_reads += sum->slow_reads;
	job->process_cpu_user += sum->process_cpu_user;
	job->process_cpu_system += sum->process_cpu_system;
	if (sum->overall > job->overall)
		job->overall = sum->overall;
	if (sum->peak > job->peak)
		job->peak = sum->peak;
	job->source.requests += sum->source.requests;
	job->destination.requests += sum->destination.requests;
	io_stats_add(&job->source.stats, &sum->source.stats);
	io_stats_add(&job->destination.stats, &sum->destination.stats);
	/* Over the time spent copying, as within one part; a pass that reads back has its own. */
	if (!(job->state == JOB_VERIFYING && job->pass == PASS_VERIFY) && job->copy_ns > 0 &&
	    job->written > job->already)
		job->average = (double)(job->written - job->already) * 1e9 / (double)job->copy_ns;
}
