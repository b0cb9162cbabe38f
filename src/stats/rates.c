/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From completed bytes to one-second samples, a profile over the disk, and averages. */
#include "stats/rates.h"

#include <string.h>

#include "base/clock.h"
#include "stats/eta.h"

#define MINUTE 60 /* samples */
/* Bursts are briefly faster than any disk, so a part of the profile covers a longer time. */
#define PROFILE_LEAST (50 * NSEC_PER_MSEC)
#define LEVEL_SECONDS 0.5

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
}

/* Gives the part that ended now its rate. One update may jump over several parts of a
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

	rates->seconds += seconds - stored;
	for (uint64_t i = 0; i < stored; i++)
		rates->history[rates->seconds++ % RATES_HISTORY] = sample;
	rates->second_started += seconds * NSEC_PER_SEC;
	rates->second_read += part(read, share);
	rates->second_written += part(written, share);
	rates->second_paused += part(paused, share);
}

void rates_update(struct rates *rates, uint64_t now, uint64_t read, uint64_t written, bool paused)
{
	if (now <= rates->last)
		return;
	if (paused)
		rates->paused += now - rates->last;
	rates->pausing = paused;
	rates->last = now;

	uint64_t active = now - rates->started - rates->paused;

	if (written > rates->written)
		rates->moved_active = active;
	rates->read = read;
	rates->written = written;
	update_recent(rates, now);
	update_profile(rates, active);

	uint64_t seconds = rates->seconds;

	update_history(rates, now);
	if (rates->seconds != seconds || !rates->eta.known)
		eta_update(rates, now, active);
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

/* All of them are of one size, so what they took together gives them the harmonic mean. */
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
		/* What is too little for itself goes with what was before it. */
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
	/* The part being filled holds both speeds. */
	rates->eta.since_bucket = rates->bucket + 1;
	rates->eta.jump = true;
}

double rates_recent(const struct rates *rates, uint64_t since, unsigned seconds, double *retactive)
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
	double rate = rates_recent(rates, 0, MINUTE, &active);

	return active > 0 ? rate : rates_average(rates, now);
}
