/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From completed bytes to rates, a history and an ETA that can be believed.
 * Fed with (time, bytes) about ten times a second by one thread; pure
 * arithmetic, no clock is read here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RATES_HISTORY 600 /* one-second samples kept */
#define RATES_ALL     512 /* samples of the whole copy */
#define RATES_PROFILE 128 /* buckets over the bytes of the plan */
#define RATES_RECENT  16  /* updates kept for the rate of the last second */

struct rate_sample {
	float read, write; /* bytes per second of that second */
	float active;      /* share of it (0..1) that was not paused */
};

/* A figure of seconds left that was shown before. Starts as zeros. */
struct eta_shown {
	bool known;
	uint64_t seconds;
};

struct rates {
	uint64_t started, last;        /* monotonic ns */
	uint64_t paused;               /* ns spent paused, not counted in averages */
	uint64_t read, written, total; /* bytes; read and written by this run */
	uint64_t already;              /* bytes done before this run */
	struct rate_sample history[RATES_HISTORY];
	uint64_t seconds; /* samples ever taken; newest is (seconds - 1) % RATES_HISTORY */
	uint64_t second_started, second_read, second_written, second_paused;
	/* All of it: each sample the mean of all_step seconds. Where they are full, two become one.
	 */
	struct rate_sample all[RATES_ALL];
	unsigned all_count, all_step, all_seconds; /* all_seconds: of the one under way, all_sum */
	struct rate_sample all_sum;
	float profile[RATES_PROFILE]; /* bytes per second while that part was copied; 0 not yet */
	double peak;                  /* of any second, wherever it began */
	double now_read, now_write;   /* over about the last second */

	/* What follows is for rates.c alone. */
	struct {
		uint64_t ns, read, written;
	} recent[RATES_RECENT];
	unsigned recent_count;
	unsigned bucket; /* of the profile, being filled */
	uint64_t bucket_active, bucket_written;
	bool pausing;
	uint64_t moved_active; /* active ns when a byte was last written */
	struct {
		bool known;
		bool jump;   /* the next estimate replaces the countdown */
		double left; /* seconds, counting down smoothly */
		uint64_t at; /* monotonic ns that `left` is for */
		struct eta_shown shown;
		uint64_t since_second; /* what was measured before does not count */
		uint64_t begun;        /* active time at the first byte */
		unsigned since_bucket;
	} eta;
};

struct eta {
	bool known;       /* false for the first 10 s and while nothing moves */
	uint64_t seconds; /* left, rounded by eta_steady() */
	int64_t finish;   /* unix seconds */
};

/* already: bytes that were done before (resume); they count for the percentage only. */
void rates_start(struct rates *rates, uint64_t now, uint64_t total, uint64_t already);
void rates_update(struct rates *rates, uint64_t now, uint64_t read, uint64_t written, bool paused);
/* Since the last update nothing was copied (what was copied was verified): that time is left out.
 */
void rates_skip(struct rates *rates, uint64_t now);
/* For a picture: neighbouring parts of the profile that took less than half a second, in which a
 * burst would look like a speed, get one rate for all of them. Where even together they took less,
 * they count as not measured. */
void rates_level_profile(struct rates *rates);
/* The speed was changed on purpose (a rate limit): what was measured before says nothing
 * about what is left. */
void rates_forget_trend(struct rates *rates);

/* Written bytes per second; pauses do not count. 0 while nothing is known. */
double rates_minute(const struct rates *rates, uint64_t now); /* the last 60 s */
double rates_average(const struct rates *rates, uint64_t now);
/*
 * Believable on disks that get slower towards the end: the last two minutes
 * decide, damped by the last ten, and where the speed over the disk so far
 * follows a falling line, that line is drawn to the end. Shown late (after 10 s
 * of copying), rounded (1 s below a minute, 5 s below ten, 30 s below two
 * hours, else a minute), and moving smoothly.
 */
void rates_eta(const struct rates *rates, uint64_t now, int64_t unix_now, struct eta *ret);
/* What to show for `left` seconds: rounded as above; the figure shown before stays as long as it is
 * close enough. */
uint64_t eta_steady(struct eta_shown *shown, double left);
