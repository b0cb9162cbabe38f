/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples, averages, pauses, gaps and the profile over the disk. */
#include "unit.h"

#include <string.h>

#include "base/clock.h"
#include "stats/rates.h"

#define MB   1000000ULL
#define TICK (NSEC_PER_SEC / 10)

static struct feed {
	struct rates rates;
	uint64_t now, read, written;
} f;

static void start(uint64_t total, uint64_t already)
{
	f = (struct feed){ .now = 5 * NSEC_PER_SEC };
	rates_start(&f.rates, f.now, total, already);
}

static void run(double seconds, uint64_t rate, bool paused)
{
	for (int i = 0; i < (int)(seconds * 10 + 0.5); i++) {
		f.now += TICK;
		f.written += rate / 10;
		f.read = f.written + MB;
		rates_update(&f.rates, f.now, f.read, f.written, paused);
	}
}

static struct rate_sample newest(const struct rates *rates)
{
	return rates->history[(rates->seconds - 1) % RATES_HISTORY];
}

TEST(a_steady_copy)
{
	start(100000 * MB, 0);
	ck_assert_double_eq(rates_average(&f.rates, f.now), 0);
	run(30, 200 * MB, false);
	ck_assert_uint_eq(f.rates.seconds, 30);
	ck_assert_double_eq_tol((double)newest(&f.rates).write, 200e6, 1e4);
	ck_assert_double_eq_tol((double)newest(&f.rates).active, 1, 1e-6);
	ck_assert_double_eq_tol(f.rates.now_write, 200e6, 1e3);
	ck_assert_double_eq_tol(rates_average(&f.rates, f.now), 200e6, 1);
	ck_assert_double_eq_tol(rates_minute(&f.rates, f.now), 200e6, 1e4);
	ck_assert_double_eq_tol(f.rates.peak, 200e6, 1e6);
}

TEST(pauses_do_not_count)
{
	start(100000 * MB, 0);
	run(20, 100 * MB, false);
	run(300, 0, true);
	ck_assert_double_eq_tol((double)newest(&f.rates).write, 0, 1);
	ck_assert_double_eq_tol((double)newest(&f.rates).active, 0, 1e-3);
	run(20, 100 * MB, false);
	ck_assert_uint_eq(f.rates.paused, 300 * NSEC_PER_SEC);
	ck_assert_double_eq_tol(rates_average(&f.rates, f.now), 100e6, 1);
	ck_assert_double_eq_tol(rates_minute(&f.rates, f.now), 100e6, 3e6);
}

TEST(a_gap_is_spread_over_its_seconds)
{
	start(100000 * MB, 0);
	run(10, 100 * MB, false);
	f.now += 50 * NSEC_PER_SEC;
	f.written += 500 * MB;
	rates_update(&f.rates, f.now, f.written, f.written, false);
	ck_assert_uint_eq(f.rates.seconds, 60);
	ck_assert_double_eq_tol((double)newest(&f.rates).write, 10e6, 1e5);

	/* A machine that slept for a week. */
	f.now += 7 * 86400 * NSEC_PER_SEC;
	rates_update(&f.rates, f.now, f.written, f.written, false);
	ck_assert_uint_eq(f.rates.seconds, 60 + 7 * 86400);
	ck_assert_double_eq_tol((double)newest(&f.rates).write, 0, 1);
}

TEST(a_clock_that_stands_still_is_ignored)
{
	start(1000 * MB, 0);
	run(2, 10 * MB, false);

	uint64_t seconds = f.rates.seconds;

	for (int i = 0; i < 100; i++)
		rates_update(&f.rates, f.now, f.read, f.written, false);
	rates_update(&f.rates, f.now - NSEC_PER_SEC, f.read, f.written, false);
	ck_assert_uint_eq(f.rates.seconds, seconds);
}

TEST(the_profile_follows_the_disk)
{
	start(1280 * MB, 0);
	run(64, 10 * MB, false);
	ck_assert_double_eq_tol((double)f.rates.profile[0], 10e6, 1e6);
	ck_assert_double_eq_tol((double)f.rates.profile[60], 10e6, 1e6);
	ck_assert_double_eq((double)f.rates.profile[80], 0);
	run(32, 20 * MB, false);
	ck_assert_double_eq_tol((double)f.rates.profile[100], 20e6, 2e6);
	ck_assert_double_eq_tol((double)f.rates.profile[127], 20e6, 2e6);
}

/* The last sectors of a disk come when hours were spent on verifying it. */
TEST(what_is_skipped_counts_for_nothing)
{
	start(1280 * MB, 0);
	run(127.5, 10 * MB, false);
	f.now += 3 * 3600 * NSEC_PER_SEC;
	rates_skip(&f.rates, f.now);
	ck_assert_double_eq_tol(rates_average(&f.rates, f.now), 10e6, 1);
	run(0.5, 10 * MB, false);
	for (int i = 0; i < RATES_PROFILE; i++)
		ck_assert_double_eq_tol((double)f.rates.profile[i], 10e6, 1e4);
	ck_assert_double_eq_tol(f.rates.now_write, 10e6, 1e4);
	ck_assert_double_eq_tol(rates_average(&f.rates, f.now), 10e6, 1);
	ck_assert_double_eq_tol(f.rates.peak, 10e6, 1e4);
	ck_assert_uint_eq(f.rates.seconds, 128);
	ck_assert_double_eq_tol((double)newest(&f.rates).active, 1, 1e-6);
}

/* Lanes report when they have a moment. */
TEST(a_burst_is_no_speed)
{
	start(1280 * MB, 0);
	run(126, 10 * MB, false);
	f.now += NSEC_PER_MSEC / 2;
	f.written += 20 * MB;
	rates_update(&f.rates, f.now, f.written, f.written, false);
	ck_assert_double_eq((double)f.rates.profile[127], 0);
	f.now += 2 * NSEC_PER_SEC;
	rates_update(&f.rates, f.now, f.written, f.written, false);
	ck_assert_double_eq_tol((double)f.rates.profile[126], 10e6, 1e4);
	ck_assert_double_eq_tol((double)f.rates.profile[127], 10e6, 1e4);
}

TEST(a_resumed_copy_has_no_profile_before_its_start)
{
	start(1280 * MB, 640 * MB);
	run(10, 10 * MB, false);
	ck_assert_double_eq((double)f.rates.profile[0], 0);
	ck_assert_double_eq((double)f.rates.profile[63], 0);
	ck_assert_double_eq_tol((double)f.rates.profile[66], 10e6, 1e6);
	/* What was done before counts for nothing but the percentage. */
	ck_assert_double_eq_tol(rates_average(&f.rates, f.now), 10e6, 1);
}

static double seconds_of(const struct rates *rates)
{
	double seconds = 0;

	for (int i = 0; i < RATES_PROFILE; i++)
		if (rates->profile[i] > 0)
			seconds += (double)rates->total / RATES_PROFILE / (double)rates->profile[i];
	return seconds;
}

/* A picture of a small disk is no picture of its bursts: one part at 100 MB/s, one at 300. */
TEST(a_small_disk_is_levelled)
{
	static struct rates r;
	double seconds;

	r = (struct rates){ .total = 1280 * MB };
	for (int i = 0; i < RATES_PROFILE; i++)
		r.profile[i] = i % 2 ? 100e6F : 300e6F;
	/* Not copied by this run. */
	r.profile[100] = r.profile[101] = 0;
	seconds = seconds_of(&r);
	rates_level_profile(&r);
	ck_assert_double_eq_tol(seconds_of(&r), seconds, 1e-3);
	for (int i = 0; i < 100; i++)
		ck_assert_double_eq_tol((double)r.profile[i], 150e6, 12e6);
	ck_assert_double_eq((double)r.profile[100], 0);

	/* A tenth of a second by itself says nothing. */
	memset(r.profile, 0, sizeof(r.profile));
	r.profile[127] = 100e6F;
	rates_level_profile(&r);
	ck_assert_double_eq((double)r.profile[127], 0);

	/* What took its time stays as it is. */
	r.total = 1280000 * MB;
	for (int i = 0; i < RATES_PROFILE; i++)
		r.profile[i] = i % 2 ? 100e6F : 300e6F;
	rates_level_profile(&r);
	for (int i = 0; i < RATES_PROFILE; i++)
		ck_assert_double_eq_tol((double)r.profile[i], i % 2 ? 100e6 : 300e6, 100);
	memset(&r, 0, sizeof(r));
	rates_level_profile(&r);
	for (int i = 0; i < RATES_PROFILE; i++)
		ck_assert_double_eq((double)r.profile[i], 0);
}

TEST(a_tiny_plan_fills_the_profile_at_once)
{
	start(512, 0);
	f.now += TICK;
	rates_update(&f.rates, f.now, 512, 512, false);
	ck_assert_double_gt((double)f.rates.profile[0], 0);
	ck_assert_double_gt((double)f.rates.profile[127], 0);
}
