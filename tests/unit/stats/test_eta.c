/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ETA on simulated disks. A trace is run to its end once to learn when it
 * ends, then again with the ETA compared, second by second, with the truth.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "stats/rates.h"

#define MB   1e6
#define TICK (NSEC_PER_SEC / 10)

struct trace {
	double total; /* bytes */
	/* Bytes per second at this place and time; -1: paused. */
	double (*rate)(double done, double seconds, double total);
	double forget_at; /* rates_forget_trend() then; 0: never */
};

struct seen {
	double first_known;    /* seconds */
	double worst;          /* relative error of seconds in the window asked for */
	double worst_up;       /* largest growth of the shown figure from one second to the next */
	int direction_changes; /* of the shown figure */
};

/* Errors count from `from` seconds until 20 s before the end. */
static double replay(const struct trace *trace, double end, double from, struct seen *seen)
{
	static struct rates rates;
	uint64_t now = 1000 * NSEC_PER_SEC, begin = now;
	double done = 0, last_shown = -1, last_step = 0;

	*seen = (struct seen){ .first_known = -1 };
	rates_start(&rates, now, (uint64_t)trace->total, 0);
	for (int tick = 1; done < trace->total; tick++) {
		double seconds = (double)(now - begin) / NSEC_PER_SEC;
		double rate = trace->rate(done, seconds, trace->total);
		struct eta eta;

		now += TICK;
		if (rate > 0)
			done = fmin(done + rate / 10, trace->total);
		if (trace->forget_at > 0 && fabs(seconds - trace->forget_at) < 0.05)
			rates_forget_trend(&rates);
		rates_update(&rates, now, (uint64_t)done, (uint64_t)done, rate < 0);
		seconds += 0.1;
		rates_eta(&rates, now, 1000000 + (int64_t)seconds, &eta);
		if (eta.known && seen->first_known < 0)
			seen->first_known = seconds;
		if (tick % 10 != 0)
			continue;
		if (!eta.known) {
			last_shown = -1;
			continue;
		}
		if (end > 0 && seconds >= from && end - seconds > 20) {
			double error = ((double)eta.seconds - (end - seconds)) / (end - seconds);

			if (fabs(error) > fabs(seen->worst))
				seen->worst = error;
			ck_assert_double_eq_tol((double)eta.finish - 1000000 - seconds,
						(double)eta.seconds, 61);
		}
		if (last_shown >= 0 && (double)eta.seconds != last_shown) {
			double step = (double)eta.seconds - last_shown;

			if (seconds >= from)
				seen->worst_up = fmax(seen->worst_up, step);
			if (step * last_step < 0)
				seen->direction_changes++;
			last_step = step;
		}
		last_shown = (double)eta.seconds;
	}
	return (double)(now - begin) / NSEC_PER_SEC;
}

static struct seen judge(const struct trace *trace, double from)
{
	struct seen seen;
	double end = replay(trace, 0, 0, &seen);

	replay(trace, end, from, &seen);
	printf("# end %.0f s, known at %.1f s, worst error %+.1f %%, up %.0f s, %d turns\n", end,
	       seen.first_known, seen.worst * 100, seen.worst_up, seen.direction_changes);
	return seen;
}

static double constant(double done, double seconds, double total)
{
	return 200 * MB;
}

UNIT_CASE(.timeout = 30);

TEST(a_constant_disk)
{
	struct seen s = judge(&(struct trace){ 1e12, constant }, 10);

	ck_assert_double_ge(s.first_known, 10);
	ck_assert_double_le(s.first_known, 11.5);
	ck_assert_double_le(fabs(s.worst), 0.05);
	ck_assert_double_le(s.worst_up, 0);
	ck_assert_int_eq(s.direction_changes, 0);
}

static double after_the_tables(double done, double seconds, double total)
{
	return seconds < 30 ? 0 : constant(done, seconds, total);
}

/* Tables are read and wiped before the first byte is copied. */
TEST(what_comes_before_the_first_byte_is_no_speed)
{
	struct seen s = judge(&(struct trace){ 1e11, after_the_tables }, 40);

	ck_assert_double_ge(s.first_known, 40);
	ck_assert_double_le(s.first_known, 42);
	ck_assert_double_le(fabs(s.worst), 0.05);
}

/* Rough, as disks are: up to 10 % off from second to second. */
static double noisy(double done, double seconds, double total)
{
	unsigned s = (unsigned)seconds * 2654435761u;

	return 200 * MB * (0.9 + 0.2 * ((s >> 16) & 0xff) / 255);
}

TEST(a_noisy_disk)
{
	struct seen s = judge(&(struct trace){ 4e11, noisy }, 15);

	ck_assert_double_le(fabs(s.worst), 0.06);
	ck_assert_double_le(s.worst_up, 30);
	ck_assert_int_le(s.direction_changes, 12);
}

static double zones(double done, double seconds, double total)
{
	/* 20 zones from 210 down to 100 MB/s, as drives are made. */
	double zone = floor(done / total * 20) / 19;

	return (210 - 110 * fmin(zone, 1)) * MB * (0.98 + 0.04 * ((unsigned)seconds % 7) / 6);
}

TEST(a_disk_with_zones)
{
	/* Before it has shown its slope nothing can be known of it; the recent speed alone
	 * stays 30 % below the truth to the middle of the disk. */
	struct seen early = judge(&(struct trace){ 2e12, zones }, 15);
	struct seen later = judge(&(struct trace){ 2e12, zones }, 3000);

	ck_assert_double_le(fabs(early.worst), 0.32);
	ck_assert_double_le(fabs(later.worst), 0.08);
	ck_assert_double_le(later.worst_up, 60);
}

static double stall(double done, double seconds, double total)
{
	return seconds >= 600 && seconds < 640 ? 0 : 100 * MB;
}

TEST(a_stall)
{
	struct trace trace = { 2e11, stall };
	struct seen s = judge(&trace, 660);

	/* 40 s of nothing in the last two minutes are a third of them; damped. */
	ck_assert_double_le(fabs(s.worst), 0.45);
	ck_assert_double_le(s.worst_up, 60);
	s = judge(&trace, 1300);
	ck_assert_double_le(fabs(s.worst), 0.06);
}

TEST(nothing_moving_is_unknown)
{
	static struct rates rates;
	uint64_t now = NSEC_PER_SEC, written = 0;
	struct eta eta;

	rates_start(&rates, now, 1000000000000, 0);
	for (int i = 0; i < 600; i++) {
		now += TICK;
		written += 10000000;
		rates_update(&rates, now, written, written, false);
	}
	rates_eta(&rates, now, 0, &eta);
	ck_assert(eta.known);
	for (int i = 0; i < 115; i++) {
		now += TICK;
		rates_update(&rates, now, written, written, false);
	}
	rates_eta(&rates, now, 0, &eta);
	ck_assert(!eta.known);
	ck_assert_uint_eq(eta.seconds, 0);
}

static double paused(double done, double seconds, double total)
{
	return seconds >= 300 && seconds < 900 ? -1 : 150 * MB;
}

TEST(a_pause)
{
	struct seen s = judge(&(struct trace){ 2e11, paused }, 900);

	ck_assert_double_le(fabs(s.worst), 0.06);
	ck_assert_double_le(s.worst_up, 30);
}

static double limited(double done, double seconds, double total)
{
	return seconds < 500 ? 200 * MB : 50 * MB;
}

TEST(a_rate_limit_set_on_purpose)
{
	struct trace trace = { 2e11, limited, .forget_at = 500 };
	struct seen s = judge(&trace, 510);

	/* Known again within seconds, not after two minutes. */
	ck_assert_double_le(fabs(s.worst), 0.05);
	ck_assert_double_le(s.worst_up, 30);
}

TEST(a_disk_that_drops_by_itself)
{
	struct trace trace = { 2e11, limited };
	struct seen s = judge(&trace, 700);

	ck_assert_double_le(fabs(s.worst), 0.35);
	ck_assert_double_le(fabs(judge(&trace, 1120).worst), 0.06);
	/* It must not leap, and one step must not be taken for a slope to zero. */
	ck_assert_double_le(s.worst_up, 60);
}

TEST(a_short_copy_never_shows_one)
{
	struct seen s = judge(&(struct trace){ 9e8, constant }, 0);

	ck_assert(s.first_known < 0 || s.first_known >= 4.4);
}
