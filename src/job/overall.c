/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/overall.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

#define MEASURED_AFTER (2 * NSEC_PER_SEC)  /* of a pass */
#define GIVEN_UP       (60 * NSEC_PER_SEC) /* without a good read: anything may happen */
#define NOT_YET_ALL    0.9999              /* 1 is kept for the end of the job */
#define FORECAST_LATE  0.05

const unsigned job_forecast_at[JOB_FORECASTS] = { 10, 50, 90 };

static double in_seconds(uint64_t ns)
{
	return (double)ns / (double)NSEC_PER_SEC;
}

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
	/* Data that such a pass has read counts as verified when the pass ends; the held areas
	 * follow. */
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

/* Free places, as the number of copied bytes that take the same time. */
static double free_bytes(const struct job_snapshot *job, bool left)
{
	const struct job_free *f = &job->free;
	uint64_t bytes = f->to_check + (left ? 0 : f->checked_bytes + f->wrong_bytes);

	if (f->as_written)
		bytes += left ? f->to_clear : f->bytes;
	return (double)bytes;
}

/* By bytes. */
static double fraction(const struct job_snapshot *job)
{
	double left = (double)to_verify(job), all = (double)job->total;

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

/* What failed is read again sector by sector, and each may take milliseconds or half a minute.
 * Returns those bytes. */
static uint64_t rescue_due(const struct job_snapshot *job, bool retries)
{
	const struct job_pass *pass = job->pass_count ? &job->passes[job->pass_count - 1] : NULL;
	uint64_t bytes = job->rescue.non_trimmed + job->rescue.non_scraped;

	if (pass && pass->kind == PASS_RETRY && job->pass == PASS_RETRY)
		return bytes + pass->total - at_most(pass->done, pass->total);
	return bytes + (retries && job->rescue.non_tried ? job->rescue.bad_sector : 0);
}

/* As fast as reads usually are, or as slow as those that failed in this pass; before one did, as
 * the slowest read so far. */
static bool rescue_range(const struct job_snapshot *job, uint64_t due, uint32_t sector_size,
			 double ret[static 2])
{
	const struct job_pass *pass = job->pass_count ? &job->passes[job->pass_count - 1] : NULL;
	const struct latency_summary *reads = &job->source.latency;
	double sectors = (double)due / sector_size, slowest = in_seconds(reads->max);

	if (!reads->count || job->rescue.since_good_read > GIVEN_UP)
		return false;
	if (pass && pass->errors && pass->ns >= MEASURED_AFTER && job->pass != PASS_COPY)
		slowest = in_seconds(pass->ns) / (double)pass->errors;
	ret[0] = sectors * in_seconds(reads->p50);
	ret[1] = fmax(sectors * slowest, ret[0]);
	return true;
}

/* Not sooner than the limit that is set now allows, however fast it was before. */
static double limited(const struct job_snapshot *job, double bytes, double seconds)
{
	return job->rate_limit ? fmax(seconds, bytes / (double)job->rate_limit) : seconds;
}

/* What failed is not read again in this pass. */
static bool copying_left(const struct eta *copying, const struct job_snapshot *job, int64_t now,
			 double *ret)
{
	uint64_t unfinished = job->total - copied(job);

	*ret = (double)(copying->finish > now ? copying->finish - now : 0);
	if (job->rescue.trouble && unfinished)
		*ret *= (double)at_most(job->rescue.non_tried, unfinished) / (double)unfinished;
	*ret = limited(job, (double)job->rescue.non_tried, *ret);
	return copying->known;
}

/* Of the copy, from its first byte to its last, if what is left takes `meanwhile` seconds: a
 * spinning disk gets slower towards its end. 0: not known. */
static double mean_rate(const struct job_snapshot *job, double meanwhile)
{
	const struct job_pass *pass = NULL;
	double bytes = (double)(job->written - at_most(job->already, job->written));

	if (job->pass == PASS_COPY)
		return job->copy_ns ? (bytes + (double)job->rescue.non_tried) /
					      (in_seconds(job->copy_ns) + meanwhile)
				    : job->average;
	/* Where bad sectors were read for hours, the average says nothing about good ones. */
	for (unsigned i = 0; i < job->pass_count && i < JOB_PASSES_MAX; i++)
		if (job->passes[i].kind == PASS_COPY)
			pass = &job->passes[i];
	if (job->rescue.trouble && pass && pass->ns >= MEASURED_AFTER && pass->done)
		return (double)pass->done / in_seconds(pass->ns);
	return job->average;
}

/* At the speed of the pass so far. Reading back, which begins where a spinning disk is fastest,
 * goes by the copy at first, unless it is something else that limits it. */
static bool counted_left(const struct job_pass *pass, const struct job_snapshot *job,
			 const struct eta *reading, int64_t now, double *ret)
{
	double done, left, copied_in;

	if (pass->ns < MEASURED_AFTER || !pass->total || !pass->done || pass->done > pass->total)
		return false;
	done = (double)pass->done / (double)pass->total;
	left = (double)(pass->total - pass->done);
	*ret = left / (double)pass->done * in_seconds(pass->ns);
	if (!reads_back(pass->kind))
		return true;
	/* That leaves pauses out. */
	if (reading->known)
		*ret = (double)(reading->finish > now ? reading->finish - now : 0);
	else if (job->average > 0)
		*ret = left / job->average;
	copied_in =
		job->copy_ns && job->written > job->already && !job->rescue.trouble
			? left / (double)(job->written - job->already) * in_seconds(job->copy_ns)
			: 0;
	if (copied_in > 0 && *ret > copied_in / 1.5 && *ret < copied_in * 1.5)
		*ret = done * *ret + (1 - done) * copied_in;
	*ret = limited(job, left, *ret);
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
		return counted_left(&job->passes[job->pass_count - 1], job, copying, now, ret);
	}
}

/* Reading back during the copy goes on as before. The rest is read back at the speed of the copy,
 * as long as no other is known. */
static bool verifying_left(const struct job_snapshot *job, double meanwhile, double *ret)
{
	double bytes = (double)to_verify(job), rate = mean_rate(job, meanwhile);
	double seconds = in_seconds(job->copy_ns);

	*ret = 0;
	if (bytes <= 0)
		return true;
	if (seconds > 0)
		bytes -= (double)job->proof.early / seconds * meanwhile;
	if (rate <= 0)
		return false;
	*ret = limited(job, fmax(bytes, 0), fmax(bytes, 0) / rate);
	return true;
}

/* The held areas are copied, and verified, when all else is verified. */
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

/* Without what bad sectors take. */
static bool all_left(const struct job_snapshot *job, double pass, double *ret)
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

/* What these passes read is in rescue_due(). */
static bool is_rescue(enum pass_kind kind)
{
	return kind == PASS_TRIM || kind == PASS_SCRAPE || kind == PASS_RETRY;
}

static void show_range(const struct job_snapshot *job, bool known, double others,
		       const struct plan *plan, uint64_t due, struct job_range *ret)
{
	double range[2];

	*ret = (struct job_range){ 0 };
	if (!known || !rescue_range(job, due, plan->sector_size, range))
		return;
	*ret = (struct job_range){ .known = true,
				   .least = (uint64_t)(others + range[0]),
				   .most = (uint64_t)ceil(others + range[1]) };
}

/* left: seconds; below 0: nobody knows. */
static void advance(struct overall *overall, double left, const struct job_snapshot *job)
{
	uint64_t active = job->elapsed - at_most(job->paused_ns, job->elapsed);
	double passed = in_seconds(active - at_most(overall->active, active));

	if (!overall->timed)
		overall->fraction = fmax(overall->fraction, fraction(job));
	else if (left >= 0 && passed > 0)
		overall->fraction += (1 - overall->fraction) * passed / (passed + left);
	overall->timed |= left >= 0;
	overall->fraction = everything_was_done(job) ? 1 : fmin(overall->fraction, NOT_YET_ALL);
	overall->active = active;
}

/* The first one at or soon behind each mark: what is told later is none of that mark. */
static void forecast(struct overall *overall, const struct job_snapshot *job)
{
	uint64_t now = overall->active / NSEC_PER_SEC;

	for (int i = 0; i < JOB_FORECASTS; i++) {
		struct job_forecast *one = &overall->forecasts[i];
		double behind = overall->fraction - job_forecast_at[i] / 100.0;

		if (!one->known && job->eta.known && behind >= 0 && behind < FORECAST_LATE)
			*one = (struct job_forecast){ true, job->eta.seconds, now, 0 };
		if (one->known)
			one->took = now - one->at;
	}
}

void overall_show(struct overall *overall, const struct eta *copying, const struct plan *plan,
		  int64_t now, struct job_snapshot *job)
{
	uint64_t due = rescue_due(job, plan->options.retry_passes > 0);
	double pass = 0, all = 0, left = -1;
	bool known = pass_left(copying, job, now, &pass), others;

	show(&overall->pass, known, pass, now, &job->pass_eta);
	others = (known || (is_rescue(job->pass) && job->state == JOB_COPYING)) &&
		 all_left(job, pass, &all);
	show(&overall->all, others && !due && known, all, now, &job->eta);
	show_range(job, others && due, all, plan, due, &job->left);
	if (job->eta.known)
		left = all;
	else if (job->left.known)
		/* Most areas hold few bad sectors: by the worst case the bar would hardly move. */
		left = sqrt((double)job->left.least * (double)job->left.most);
	advance(overall, left, job);
	forecast(overall, job);
	job->overall = overall->fraction;
	memcpy(job->forecasts, overall->forecasts, sizeof(job->forecasts));
}
