/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/overall.h"

#include <math.h>

#include "base/clock.h"

#define MEASURED_AFTER (2 * NSEC_PER_SEC) /* of a pass */
#define NOT_YET_ALL    0.9999             /* 1 is kept for the end of the job */

static uint64_t at_most(uint64_t value, uint64_t limit)
{
	return value < limit ? value : limit;
}

/* On the destination, or given up. */
static uint64_t copied(const struct job_snapshot *job)
{
	return at_most(job->rescue.rescued + job->rescue.bad_sector, job->total);
}

static bool reads_back(enum pass_kind kind)
{
	return kind == PASS_VERIFY || kind == PASS_COMPARE;
}

/* What was given up is not verified. */
static uint64_t to_verify(const struct job_snapshot *job)
{
	uint64_t all = job->total - at_most(job->rescue.bad_sector, job->total);
	uint64_t left = job->proof.asked ? all - at_most(job->proof.verified, all) : 0;
	const struct job_pass *pass;

	if (!job->pass_count || !reads_back(job->pass))
		return left;
	/* What such a pass has read counts as verified only at its end; after it comes what is
	 * held back. */
	pass = &job->passes[job->pass_count - 1];
	return at_most(pass->total - at_most(pass->done, pass->total) +
			       (job->armed ? 0 : job->held_bytes),
		       left);
}

static bool everything_was_done(const struct job_snapshot *job)
{
	return job->state == JOB_ENDED &&
	       (job->result == JOB_RESULT_COMPLETE || job->result == JOB_RESULT_PARTIAL ||
		job->result == JOB_RESULT_MISMATCH);
}

/* Of free places, bytes that take as long as those that are copied. */
static double free_bytes(const struct job_snapshot *job, bool left)
{
	const struct job_free *f = &job->free;
	uint64_t bytes = f->to_check + (left ? 0 : f->checked_bytes + f->wrong_bytes);

	if (f->as_written)
		bytes += left ? f->to_clear : f->bytes;
	return (double)bytes;
}

static double fraction(const struct job_snapshot *job)
{
	double left = (double)to_verify(job), all = (double)job->total;

	if (everything_was_done(job))
		return 1;
	if (!job->total)
		return 0;
	if (!job->only_reads) {
		left += (double)(job->total - copied(job));
		all += job->proof.asked ? (double)job->total : 0;
		left += free_bytes(job, true);
		all += free_bytes(job, false);
	}
	return fmin(1 - left / all, NOT_YET_ALL);
}

/* What failed is read again sector by sector, and each may take milliseconds or half a minute. */
static bool rescue_is_due(const struct job_snapshot *job, bool retries)
{
	return job->rescue.non_trimmed || job->rescue.non_scraped ||
	       (retries && job->rescue.bad_sector &&
		(job->rescue.non_tried || job->pass == PASS_RETRY));
}

/* What failed is not read again in this pass. */
static bool copying_left(const struct eta *copying, const struct job_snapshot *job, int64_t now,
			 double *ret)
{
	uint64_t unfinished = job->total - copied(job);

	*ret = (double)(copying->finish > now ? copying->finish - now : 0);
	if (job->rescue.trouble && unfinished)
		*ret *= (double)at_most(job->rescue.non_tried, unfinished) / (double)unfinished;
	return copying->known;
}

/* At the speed of the pass so far. */
static bool counted_left(const struct job_pass *pass, double average, double *ret)
{
	double seconds = (double)pass->ns / (double)NSEC_PER_SEC;

	if (pass->ns < MEASURED_AFTER || !pass->total || !pass->done || pass->done > pass->total)
		return false;
	/* That leaves pauses out. */
	if (reads_back(pass->kind) && average > 0)
		*ret = (double)(pass->total - pass->done) / average;
	else
		*ret = (double)(pass->total - pass->done) / (double)pass->done * seconds;
	return true;
}

/* Each round of it is a pass of its own that knows only its own end. */
static bool clearing_left(const struct job_snapshot *job, double *ret)
{
	const struct job_pass *pass = &job->passes[job->pass_count - 1];

	if (pass->ns < MEASURED_AFTER || !pass->done)
		return false;
	*ret = (double)job->free.to_clear / (double)pass->done * (double)pass->ns /
	       (double)NSEC_PER_SEC;
	return true;
}

/* Seconds; false: nobody knows. */
static bool pass_left(const struct eta *copying, const struct job_snapshot *job, int64_t now,
		      double *ret)
{
	if (!job->pass_count || (job->state != JOB_COPYING && job->state != JOB_VERIFYING))
		return false;
	switch (job->pass) {
	case PASS_COPY:
	case PASS_COPY_FREE:
		return copying_left(copying, job, now, ret);
	case PASS_CLEAR:
		return clearing_left(job, ret);
	case PASS_NONE:
	case PASS_FLUSH:
	case PASS_TRIM:
	case PASS_SCRAPE:
	case PASS_RETRY:
		return false;
	default:
		return counted_left(&job->passes[job->pass_count - 1], job->average, ret);
	}
}

/* Reading back during the copy goes on as before. The rest is read back at the speed of the copy,
 * as long as no other is known. */
static bool verifying_left(const struct job_snapshot *job, double meanwhile, double *ret)
{
	double bytes = (double)to_verify(job);
	double seconds = (double)job->copy_ns / (double)NSEC_PER_SEC;

	*ret = 0;
	if (bytes <= 0)
		return true;
	if (seconds > 0)
		bytes -= (double)job->proof.early / seconds * meanwhile;
	if (job->average <= 0)
		return false;
	*ret = fmax(bytes, 0) / job->average;
	return true;
}

/* What was held back is copied, and verified, when all else is verified. */
static double arming_left(const struct job_snapshot *job)
{
	double bytes = (double)job->held_bytes * (job->proof.asked ? 2 : 1);

	return job->average > 0 && !job->armed ? bytes / job->average : 0;
}

/* At the speed of the copy; a disk that clears by itself takes a moment. */
static double free_left(const struct job_snapshot *job)
{
	double bytes = (double)job->free.to_check;

	if (job->free.as_written && job->pass != PASS_CLEAR)
		bytes += (double)job->free.to_clear;
	return job->average > 0 ? bytes / job->average : 0;
}

static bool all_left(const struct job_snapshot *job, double pass, bool retries, double *ret)
{
	*ret = pass;
	switch (job->pass) {
	/* How fast the copy will be is not known yet. */
	case PASS_BASELINE:
	case PASS_PROBE:
	case PASS_WIPE:
		return false;
	case PASS_VERIFY:
	case PASS_COMPARE:
		*ret += arming_left(job) + free_left(job);
		return true;
	case PASS_ARM:
	case PASS_RECHECK:
	case PASS_LOOK:
	case PASS_DISARM:
		return true;
	default:
		if (rescue_is_due(job, retries))
			return false;
		if (!verifying_left(job, pass, ret))
			return false;
		*ret += pass + free_left(job);
		return true;
	}
}

static void show(struct eta_shown *shown, bool known, double seconds, int64_t now, struct eta *ret)
{
	*ret = (struct eta){ 0 };
	if (known)
		*ret = (struct eta){ .known = true,
				     .seconds = eta_steady(shown, seconds),
				     .finish = now + (int64_t)seconds };
	shown->known = known;
}

void overall_show(struct overall *overall, const struct eta *copying, bool retries, int64_t now,
		  struct job_snapshot *job)
{
	double pass = 0, all = 0;
	bool known = pass_left(copying, job, now, &pass);

	overall->fraction = fmax(overall->fraction, fraction(job));
	job->overall = overall->fraction;
	show(&overall->pass, known, pass, now, &job->pass_eta);
	known = known && all_left(job, pass, retries, &all);
	show(&overall->all, known, all, now, &job->eta);
}
