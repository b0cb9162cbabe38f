/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/rates.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

#define MINUTE 60 /* samples */
/* A cache takes short bursts faster than any disk, so a rate of the profile covers at least this.
 */
#define PROFILE_LEAST (50 * NSEC_PER_MSEC)
#define LEVEL_SECONDS 0.5

#define FIRST_SHOWN   (10 * NSEC_PER_SEC) /* of copying */
#define STALLED       (10 * NSEC_PER_SEC) /* without a byte written */
#define WINDOW        120                 /* seconds that decide */
#define WINDOW_LEAST  5
#define WINDOW_WEIGHT 0.8 /* the rest is that of the last ten minutes, or of the line */

/*
 * Fewer parts of the profile than this say nothing about a slope, and a fit
 * must explain this much of the variance. A single step (another rate limit, a
 * cache that filled up) never explains more than 0.75, so it is not taken for a
 * slope.
 */
#define TREND_PARTS    12
#define TREND_R2       0.8
#define TREND_FALL     0.02 /* of the mean, over the parts seen */
#define TREND_END_PART 3    /* no disk is assumed to fall below this part of its speed */

static double per_second(uint64_t bytes, uint64_t ns)
{
	return ns == 0 ? 0 : (double)bytes * (double)NSEC_PER_SEC / (double)ns;
}

/* Cuts a quotient of counters down to the whole bytes or nanoseconds that it stands for. */
static uint64_t part(uint64_t whole, double share)
{
	return (uint64_t)((double)whole * share);
}

static unsigned profile_bucket(const struct rates *rates)
{
	uint64_t done = rates->already + rates->written;

	if (rates->total == 0 || done >= rates->total)
		return RATES_PROFILE - 1;
	return (unsigned)((double)done / (double)rates->total * RATES_PROFILE);
}

void rates_start(struct rates *rates, uint64_t now, uint64_t total, uint64_t already)
{
	memset(rates, 0, sizeof(*rates));
	rates->started = rates->last = rates->second_started = now;
	rates->total = total;
	rates->already = already;
	rates->bucket = profile_bucket(rates);
	rates->eta.since_bucket = rates->bucket;
	rates->recent[0].ns = now;
	rates->recent_count = 1;
	rates->all_step = 1;
}

/* Sets the rate of the part that has just ended. One update may jump over several parts of a
 * small plan: they were copied together and share a rate. */
static void update_profile(struct rates *rates, uint64_t active)
{
	unsigned bucket = profile_bucket(rates);
	double rate =
		per_second(rates->written - rates->bucket_written, active - rates->bucket_active);

	if (active - rates->bucket_active < PROFILE_LEAST)
		return;
	if (rates->written > rates->bucket_written)
		for (unsigned i = rates->bucket; i <= bucket; i++)
			if (i == rates->bucket || i < bucket || rates->profile[i] == 0)
				rates->profile[i] = (float)rate;
	if (bucket == rates->bucket)
		return;
	rates->bucket = bucket;
	rates->bucket_active = active;
	rates->bucket_written = rates->written;
}

static void update_recent(struct rates *rates, uint64_t now)
{
	unsigned count = rates->recent_count;
	unsigned oldest = 0;

	if (count == RATES_RECENT) {
		memmove(&rates->recent[0], &rates->recent[1],
			(RATES_RECENT - 1) * sizeof(rates->recent[0]));
		count--;
	}
	rates->recent[count].ns = now;
	rates->recent[count].read = rates->read;
	rates->recent[count].written = rates->written;
	rates->recent_count = count + 1;

	/* The youngest one that is at least a second old, or the oldest there is. */
	for (unsigned i = 0; i < count; i++)
		if (now - rates->recent[i].ns >= NSEC_PER_SEC)
			oldest = i;

	uint64_t span = now - rates->recent[oldest].ns;

	rates->now_read = per_second(rates->read - rates->recent[oldest].read, span);
	rates->now_write = per_second(rates->written - rates->recent[oldest].written, span);
	if (span >= NSEC_PER_SEC && rates->now_write > rates->peak)
		rates->peak = rates->now_write;
}

static void keep_for_all(struct rates *rates, struct rate_sample second)
{
	rates->all_sum.read += second.read;
	rates->all_sum.write += second.write;
	rates->all_sum.active += second.active;
	if (++rates->all_seconds < rates->all_step)
		return;
	if (rates->all_count == RATES_ALL) {
		for (unsigned i = 0; i < RATES_ALL / 2; i++) {
			const struct rate_sample *two = &rates->all[2 * (size_t)i];

			rates->all[i] = (struct rate_sample){
				.read = (two[0].read + two[1].read) / 2,
				.write = (two[0].write + two[1].write) / 2,
				.active = (two[0].active + two[1].active) / 2,
			};
		}
		rates->all_count = RATES_ALL / 2;
		rates->all_step *= 2;
		return;
	}
	rates->all[rates->all_count++] = (struct rate_sample){
		.read = rates->all_sum.read / (float)rates->all_step,
		.write = rates->all_sum.write / (float)rates->all_step,
		.active = rates->all_sum.active / (float)rates->all_step,
	};
	rates->all_sum = (struct rate_sample){ 0 };
	rates->all_seconds = 0;
}

/* Closes every second that is over. After a gap (a suspended machine) what happened in it
 * is spread evenly over its seconds. */
static void update_history(struct rates *rates, uint64_t now)
{
	uint64_t span = now - rates->second_started;
	uint64_t seconds = span / NSEC_PER_SEC;

	if (seconds == 0)
		return;

	uint64_t read = rates->read - rates->second_read;
	uint64_t written = rates->written - rates->second_written;
	uint64_t paused = rates->paused - rates->second_paused;
	double share = (double)(seconds * NSEC_PER_SEC) / (double)span;
	struct rate_sample sample = {
		.read = (float)per_second(read, span),
		.write = (float)per_second(written, span),
		.active = 1.0f - (float)paused / (float)span,
	};
	uint64_t stored = seconds < RATES_HISTORY ? seconds : RATES_HISTORY;

	for (uint64_t i = 0; i < seconds; i++)
		keep_for_all(rates, sample);
	rates->seconds += seconds - stored;
	for (uint64_t i = 0; i < stored; i++)
		rates->history[rates->seconds++ % RATES_HISTORY] = sample;
	rates->second_started += seconds * NSEC_PER_SEC;
	rates->second_read += part(read, share);
	rates->second_written += part(written, share);
	rates->second_paused += part(paused, share);
}

/* ---- the time left ---- */

/* Bytes written per active second over the newest `seconds` active ones, of samples numbered
 * `since` and later; *retactive: how many there were. */
static double average_of(const struct rates *rates, uint64_t since, unsigned seconds,
			 double *retactive)
{
	uint64_t oldest = rates->seconds > RATES_HISTORY ? rates->seconds - RATES_HISTORY : 0;
	double bytes = 0, active = 0;

	if (oldest < since)
		oldest = since;
	for (uint64_t i = rates->seconds; i > oldest && active < seconds; i--) {
		const struct rate_sample *sample = &rates->history[(i - 1) % RATES_HISTORY];

		bytes += (double)sample->write;
		active += (double)sample->active;
	}
	*retactive = active;
	return active > 0 ? bytes / active : 0;
}

/*
 * The time left. Three steps: an estimate from the recent speed and, where the
 * disk has shown one, its slope from outer to inner zones; a damped countdown
 * that follows the estimate; a rounded figure that moves only when the
 * countdown has clearly left it.
 */

struct trend {
	double here;  /* bytes per second where the copy is now, on the line */
	double slope; /* bytes per second per part of the profile */
};

static bool find_trend(const struct rates *rates, struct trend *ret)
{
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;

	for (unsigned i = rates->eta.since_bucket; i < rates->bucket; i++) {
		double x = i, y = (double)rates->profile[i];

		if (y <= 0)
			continue;
		n++;
		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
		syy += y * y;
	}
	if (n < TREND_PARTS)
		return false;

	double vx = sxx - sx * sx / n, vy = syy - sy * sy / n, cov = sxy - sx * sy / n;
	double slope = cov / vx;

	if (-slope * n < TREND_FALL * sy / n || cov * cov < TREND_R2 * vx * vy)
		return false;
	ret->slope = slope;
	ret->here = sy / n + slope * (rates->bucket - sx / n);
	return true;
}

/* Seconds for `bytes` at a speed that falls evenly over them from `first` to `last`. */
static double seconds_for(double bytes, double first, double last)
{
	if (first - last < 0.001 * first)
		return bytes / first;
	return bytes * log(first / last) / (first - last);
}

static bool estimate(const struct rates *rates, double *ret)
{
	double left = (double)(rates->total - rates->already - rates->written);
	double window, recent = average_of(rates, rates->eta.since_second, WINDOW, &window);
	struct trend trend;

	if (window < WINDOW_LEAST || recent <= 0)
		return false;
	if (find_trend(rates, &trend) && trend.here > 0) {
		double first = WINDOW_WEIGHT * recent + (1 - WINDOW_WEIGHT) * trend.here;
		double last = first + trend.slope * (RATES_PROFILE - rates->bucket);

		*ret = seconds_for(left, first, fmax(last, first / TREND_END_PART));
		return true;
	}

	double longer = average_of(rates, rates->eta.since_second, RATES_HISTORY, &window);

	*ret = left / (WINDOW_WEIGHT * recent + (1 - WINDOW_WEIGHT) * longer);
	return true;
}

static double rounding_step(double left)
{
	if (left < 60)
		return 1;
	if (left < 600)
		return 5;
	if (left < 7200)
		return 30;
	return 60;
}

uint64_t eta_steady(struct eta_shown *shown, double left)
{
	double step = rounding_step(left);

	/* Three quarters of a step: a countdown that hovers between two figures keeps one. */
	if (!shown->known || fabs(left - (double)shown->seconds) > 0.75 * step)
		shown->seconds = (uint64_t)(round(left / step) * step);
	shown->known = true;
	return shown->seconds;
}

/* Far from the end a single bad second must not show; near it the figure must be right. */
static double smoothing_time(double left)
{
	return fmin(fmax(left / 8, 2), 20);
}

static void follow(struct rates *rates, uint64_t now, double target)
{
	double passed = (double)(now - rates->eta.at) / (double)NSEC_PER_SEC;
	double left = rates->eta.left - passed;

	if (!rates->eta.known || rates->eta.jump)
		left = target;
	else
		left += (target - left) * passed / (passed + smoothing_time(target));
	rates->eta.left = fmax(left, 0);
	rates->eta.at = now;
	rates->eta.jump = false;

	eta_steady(&rates->eta.shown, rates->eta.left);
	rates->eta.known = true;
}

static void update_eta(struct rates *rates, uint64_t now, uint64_t active)
{
	double target;

	if (rates->already + rates->written >= rates->total) {
		rates->eta.known = true;
		rates->eta.left = 0;
		rates->eta.shown = (struct eta_shown){ .known = true };
		rates->eta.at = now;
		return;
	}
	if (active - rates->eta.begun < FIRST_SHOWN || rates->pausing ||
	    active - rates->moved_active > STALLED) {
		rates->eta.known = rates->eta.shown.known = false;
		return;
	}
	if (estimate(rates, &target))
		follow(rates, now, target);
}

void rates_eta(const struct rates *rates, uint64_t now, int64_t unix_now, struct eta *ret)
{
	*ret = (struct eta){ .known = rates->eta.known };
	if (!ret->known)
		return;

	double passed = now > rates->eta.at ? (double)(now - rates->eta.at) / NSEC_PER_SEC : 0;

	ret->seconds = rates->eta.shown.seconds;
	ret->finish = unix_now + (int64_t)round(fmax(rates->eta.left - passed, 0));
}

/* ---- together ---- */

void rates_update(struct rates *rates, uint64_t now, uint64_t read, uint64_t written, bool paused)
{
	if (now <= rates->last)
		return;
	if (paused)
		rates->paused += now - rates->last;
	rates->pausing = paused;
	rates->last = now;

	uint64_t active = now - rates->started - rates->paused;

	/* Where tables are read and wiped first, that is no speed of the copy. */
	if (written && !rates->written && rates->seconds) {
		rates->eta.begun = active;
		rates_forget_trend(rates);
	}
	if (written > rates->written)
		rates->moved_active = active;
	rates->read = read;
	rates->written = written;
	update_recent(rates, now);
	update_profile(rates, active);

	uint64_t seconds = rates->seconds;

	update_history(rates, now);
	if (rates->seconds != seconds || !rates->eta.known)
		update_eta(rates, now, active);
}

void rates_skip(struct rates *rates, uint64_t now)
{
	uint64_t gap = now > rates->last ? now - rates->last : 0;

	rates->last += gap;
	rates->paused += gap;
	rates->second_started += gap;
	rates->second_paused += gap;
	for (unsigned i = 0; i < rates->recent_count; i++)
		rates->recent[i].ns += gap;
	rates->eta.at += gap;
}

/* All parts have the same size, so their common rate is the harmonic mean. */
static void level(float *parts, unsigned count)
{
	double sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += 1 / (double)parts[i];
	for (unsigned i = 0; i < count; i++)
		parts[i] = (float)(count / sum);
}

void rates_level_profile(struct rates *rates)
{
	double part = (double)rates->total / RATES_PROFILE, seconds = 0;
	unsigned from = 0, before = 0;

	for (unsigned i = 0; i <= RATES_PROFILE; i++) {
		bool end = i == RATES_PROFILE || rates->profile[i] <= 0;

		if (seconds >= LEVEL_SECONDS) {
			level(&rates->profile[from], i - from);
			before = from;
			from = i;
			seconds = 0;
		}
		if (!end) {
			seconds += part / (double)rates->profile[i];
			continue;
		}
		/* A rest that took too little time is levelled with the parts before it. */
		if (before < from)
			level(&rates->profile[before], i - before);
		else
			for (; from < i; from++)
				rates->profile[from] = 0;
		before = from = i + 1;
		seconds = 0;
	}
}

void rates_forget_trend(struct rates *rates)
{
	rates->eta.since_second = rates->seconds + 1;
	/* The part that is being filled has bytes at both speeds. */
	rates->eta.since_bucket = rates->bucket + 1;
	rates->eta.jump = true;
}

double rates_average(const struct rates *rates, uint64_t now)
{
	uint64_t active = now - rates->started - rates->paused;

	if (now < rates->started + rates->paused)
		return 0;
	return per_second(rates->written, active);
}

double rates_minute(const struct rates *rates, uint64_t now)
{
	double active;
	double rate = average_of(rates, 0, MINUTE, &active);

	return active > 0 ? rate : rates_average(rates, now);
}
