/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A copy in several parts: the snapshot of a job, added to those of the parts before it. */
#include "session/parts.h"

static void add_end(struct job_end *to, const struct job_end *part)
{
	to->requests += part->requests;
	to->stats.known |= part->stats.known;
	to->stats.direct += part->stats.direct;
	to->stats.indirect += part->stats.indirect;
	to->stats.mapped += part->stats.mapped;
	to->stats.recovered += part->stats.recovered;
	to->stats.retried += part->stats.retried;
	to->stats.waited += part->stats.waited;
	to->stats.from_medium |= part->stats.from_medium;
}

/* What cannot be added up (latencies, the engine, the error) stays that of the last part. */
void parts_join(const struct parts *earlier, struct job_snapshot *job)
{
	const struct job_snapshot *sum = &earlier->sum;

	if (!earlier->count)
		return;
	job->started_at = sum->started_at;
	job->already = sum->already;
	job->elapsed += sum->elapsed;
	job->copy_ns += sum->copy_ns;
	job->flush_ns += sum->flush_ns;
	job->paused_ns += sum->paused_ns;
	job->read += sum->read;
	job->errors += sum->errors;
	job->retries += sum->retries;
	job->slow_reads += sum->slow_reads;
	job->process_cpu_user += sum->process_cpu_user;
	job->process_cpu_system += sum->process_cpu_system;
	if (sum->overall > job->overall)
		job->overall = sum->overall;
	if (sum->peak > job->peak)
		job->peak = sum->peak;
	add_end(&job->source, &sum->source);
	add_end(&job->destination, &sum->destination);
	/* Over the time spent copying, as within one part. */
	if (job->copy_ns > 0 && job->written > job->already)
		job->average = (double)(job->written - job->already) * 1e9 / (double)job->copy_ns;
}

void parts_add(struct parts *earlier, const struct job_snapshot *part, uint64_t away)
{
	struct job_snapshot sum = *part;

	parts_join(earlier, &sum);
	sum.elapsed += away;
	earlier->sum = sum;
	earlier->count++;
}
