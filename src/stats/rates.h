/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From completed bytes to rates, a history and an ETA that can be believed.
 * Fed with (time, bytes) about ten times a second by one thread; pure
 * arithmetic, no clock is read here.
 */
#ifndef CLONEDECK_STATS_RATES_H
#define CLONEDECK_STATS_RATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RATES_HISTORY  600 /* one-second samples kept */
#define RATES_PROFILE  128 /* buckets over the bytes of the plan */

struct rate_sample {
	float read;  /* bytes per second */
	float write;
};

struct rates {
	uint64_t started, last;	       /* monotonic ns */
	uint64_t paused;	       /* ns spent paused, not counted in averages */
	uint64_t read, written, total; /* bytes */
	struct rate_sample history[RATES_HISTORY];
	uint64_t seconds;	       /* samples ever taken; newest is (seconds - 1) % RATES_HISTORY */
	uint64_t second_started, second_read, second_written, second_paused;
	float profile[RATES_PROFILE];  /* bytes per second while that part was copied; 0 not yet */
	double peak;
	double now_read, now_write;    /* over about the last second */
};

struct eta {
	bool known;	      /* false for the first 10 s and while nothing moves */
	uint64_t seconds;     /* left for what is being done and all that is to follow */
	int64_t finish;	      /* unix seconds */
};

/* already: bytes that were done before (resume); they count for the percentage only. */
void rates_start(struct rates *rates, uint64_t now, uint64_t total, uint64_t already);
void rates_update(struct rates *rates, uint64_t now, uint64_t read, uint64_t written, bool paused);
double rates_minute(const struct rates *rates, uint64_t now); /* written, over the last 60 s */
double rates_average(const struct rates *rates, uint64_t now);
/*
 * Believable on disks that get slower towards the end: the last two minutes
 * decide, damped by the average; shown late, rounded, and moving smoothly.
 */
void rates_eta(const struct rates *rates, uint64_t now, int64_t unix_now, struct eta *ret);

#endif
