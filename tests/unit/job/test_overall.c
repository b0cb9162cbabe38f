/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One figure over all passes, and times that are told only where they are known: whole copies,
 * played back snapshot by snapshot. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "job/overall.h"

#define MB   1000000ULL
#define ALL  (1000 * MB)
#define RATE (10 * MB) /* per second, of every pass */
#define NOW  1000000

static struct overall overall;
static struct job_snapshot job;
static struct eta copying; /* what is left of the copy, at its speed */
static struct plan plan;
static double before;

static void setup(void)
{
	overall = (struct overall){ 0 };
	job = (struct job_snapshot){ .state = JOB_COPYING, .total = ALL, .average = RATE };
	job.rescue.non_tried = ALL;
	job.proof.asked = true;
	copying = (struct eta){ 0 };
	plan = (struct plan){ .sector_size = 512 };
	before = 0;
}

static void begin(enum job_state state, enum pass_kind kind, uint64_t total)
{
	job.state = state;
	job.pass = kind;
	if (state == JOB_VERIFYING)
		copying.known = false;
	job.passes[job.pass_count++] = (struct job_pass){ .kind = kind, .total = total };
}

/* Looks as the coordinator does: it never goes back, and never reaches the end before the end. */
static void look(void)
{
	overall_show(&overall, &copying, &plan, NOW, &job);
	ck_assert_double_ge(job.overall, before);
	if (job.state != JOB_ENDED)
		ck_assert_double_lt(job.overall, 1);
	ck_assert(!job.eta.known || job.pass_eta.known);
	ck_assert(!job.eta.known || job.eta.seconds >= job.pass_eta.seconds);
	before = job.overall;
}

static void spend(uint64_t bytes)
{
	struct job_pass *pass = &job.passes[job.pass_count - 1];

	pass->done += bytes;
	pass->ns += bytes * NSEC_PER_SEC / RATE;
	job.elapsed += bytes * NSEC_PER_SEC / RATE;
}

static void copy(uint64_t bytes)
{
	uint64_t left;

	spend(bytes);
	job.rescue.non_tried -= bytes;
	job.rescue.rescued += bytes;
	job.written += bytes;
	job.copy_ns += bytes * NSEC_PER_SEC / RATE;
	left = (ALL - job.rescue.rescued - job.rescue.bad_sector) / RATE;
	copying = (struct eta){ .known = true, .seconds = left, .finish = NOW + (int64_t)left };
	look();
}

static void damage(uint64_t bytes)
{
	job.rescue.non_tried -= bytes;
	job.rescue.non_trimmed += bytes;
	job.rescue.trouble = true;
}

/* What is read back counts as proven at the end of the pass. */
static void verify(uint64_t bytes)
{
	const struct job_pass *pass = &job.passes[job.pass_count - 1];

	spend(bytes);
	if (pass->done == pass->total)
		job.proof.verified += pass->done;
	look();
}

static void unknown(void)
{
	look();
	ck_assert(!job.eta.known);
	ck_assert_uint_eq(job.eta.seconds, 0);
	ck_assert(!job.pass_eta.known);
}

static void end(enum job_result result)
{
	job.state = JOB_ENDED;
	job.pass = PASS_NONE;
	job.result = result;
	unknown();
}

UNIT_CASE(.setup = setup);

TEST(copied_and_verified)
{
	begin(JOB_COPYING, PASS_BASELINE, 8 * MB);
	unknown();
	spend(8 * MB);
	look();
	/* Of the whole nothing is known, even if that of the pass is. */
	job.passes[0].ns = 3 * NSEC_PER_SEC;
	job.passes[0].done = 6 * MB;
	look();
	ck_assert(job.pass_eta.known);
	ck_assert(!job.eta.known);
	ck_assert_double_eq(job.overall, 0);

	begin(JOB_COPYING, PASS_COPY, ALL);
	unknown();
	for (int i = 0; i < 10; i++)
		copy(50 * MB);
	ck_assert_double_eq_tol(job.overall, 0.25, 1e-6);
	ck_assert_uint_eq(job.pass_eta.seconds, 50);
	ck_assert_uint_eq(job.eta.seconds, 150);
	ck_assert_int_eq(job.eta.finish, NOW + 150);
	for (int i = 0; i < 10; i++)
		copy(50 * MB);
	ck_assert_double_eq_tol(job.overall, 0.5, 1e-6);
	ck_assert_uint_eq(job.eta.seconds, 100);

	begin(JOB_FLUSHING, PASS_FLUSH, 0);
	unknown();
	begin(JOB_VERIFYING, PASS_VERIFY, ALL);
	unknown();
	verify(500 * MB);
	ck_assert_double_eq_tol(job.overall, 0.75, 1e-6);
	ck_assert_uint_eq(job.eta.seconds, 50);
	ck_assert_uint_eq(job.pass_eta.seconds, 50);
	verify(500 * MB);
	begin(JOB_VERIFYING, PASS_RECHECK, 60 * MB);
	spend(30 * MB);
	look();
	ck_assert_uint_eq(job.eta.seconds, 3);
	end(JOB_RESULT_COMPLETE);
	ck_assert_double_eq(job.overall, 1);
}

/* The best and the worst case of bad sectors that are read again, beside all that is known. */
static void between(uint64_t others, uint64_t sectors, uint64_t fast_ms, uint64_t slow_ms)
{
	ck_assert(!job.eta.known);
	ck_assert(job.left.known);
	ck_assert_uint_ge(job.left.least + 1, others + sectors * fast_ms / 1000);
	ck_assert_uint_le(job.left.least, others + sectors * fast_ms / 1000 + 1);
	ck_assert_uint_ge(job.left.most + 2, others + sectors * slow_ms / 1000);
	ck_assert_uint_le(job.left.most, others + sectors * slow_ms / 1000 + 2);
}

/* Nobody knows how long a bad sector takes to be read: a range is what is known, and the figure
 * goes by what lies between. */
TEST(rescued)
{
	double whole;

	job.source.latency = (struct latency_summary){ .count = 1000,
						       .p50 = NSEC_PER_SEC / 100,
						       .max = 3 * NSEC_PER_SEC };
	begin(JOB_COPYING, PASS_COPY, ALL);
	copy(400 * MB);
	ck_assert(job.eta.known);
	damage(100 * MB);
	/* Copying the rest takes as long as it does, without what failed. */
	copy(250 * MB);
	ck_assert(!job.eta.known);
	ck_assert(job.pass_eta.known);
	ck_assert_uint_eq(job.pass_eta.seconds, 25);
	between(25 + 100, 100 * MB / 512, 10, 3000);
	whole = job.overall;
	copy(250 * MB);
	/* 25 s of copying, beside two hours in the best and a week in the worst case. */
	ck_assert_double_gt(job.overall, whole + 0.0001);
	whole = job.overall;

	begin(JOB_COPYING, PASS_TRIM, 100 * MB);
	for (int i = 0; i < 5; i++) {
		spend(10 * MB);
		job.rescue.non_trimmed -= 10 * MB;
		job.rescue.rescued += 10 * MB;
		unknown();
	}
	ck_assert_double_gt(job.overall, whole);
	job.rescue.non_scraped = job.rescue.non_trimmed;
	job.rescue.non_trimmed = 0;
	begin(JOB_COPYING, PASS_SCRAPE, 50 * MB);
	for (int i = 0; i < 5; i++) {
		spend(10 * MB);
		job.rescue.non_scraped -= 10 * MB;
		job.rescue.bad_sector += 10 * MB;
		unknown();
	}
	/* By now it is known how slow those are that fail. */
	job.rescue.bad_sector -= MB;
	job.rescue.non_scraped += MB;
	job.passes[job.pass_count - 1].errors = 10;
	look();
	between(95, MB / 512, 10, 500);
	job.rescue.since_good_read = 61 * NSEC_PER_SEC;
	look();
	ck_assert(!job.left.known);
	job.rescue.since_good_read = 0;
	job.rescue.bad_sector += MB;
	job.rescue.non_scraped -= MB;
	begin(JOB_COPYING, PASS_RETRY, 50 * MB);
	spend(25 * MB);
	unknown();
	begin(JOB_COPYING, PASS_FILL, 50 * MB);
	spend(25 * MB);
	look();
	/* All that can be verified is, at the speed of the copy. */
	ck_assert_uint_eq(job.pass_eta.seconds, 3);
	ck_assert_uint_ge(job.eta.seconds, 95);
	ck_assert_uint_le(job.eta.seconds, 100);

	begin(JOB_FLUSHING, PASS_FLUSH, 0);
	unknown();
	begin(JOB_VERIFYING, PASS_VERIFY, 950 * MB);
	verify(475 * MB);
	ck_assert_double_gt(job.overall, 0.6);
	ck_assert_double_lt(job.overall, 0.8);
	verify(475 * MB);
	end(JOB_RESULT_PARTIAL);
	ck_assert_double_eq(job.overall, 1);
}

/* What a map calls bad is read again at last, so the end is not known while the rest is copied. */
TEST(bad_sectors_of_a_map_that_are_due)
{
	job.rescue.non_tried -= 10 * MB;
	job.rescue.bad_sector = 10 * MB;
	job.rescue.trouble = true;
	begin(JOB_COPYING, PASS_COPY, ALL);
	copy(500 * MB);
	ck_assert(job.eta.known);
	plan.options.retry_passes = 1;
	copy(10 * MB);
	ck_assert(!job.eta.known);
	ck_assert(job.pass_eta.known);
}

/* What is verified during the copy is not verified after it. */
TEST(verified_meanwhile)
{
	job.proof.rolling = true;
	begin(JOB_COPYING, PASS_COPY, ALL);
	for (int i = 0; i < 9; i++) {
		job.proof.verified = job.proof.early = i * 100 * MB;
		copy(100 * MB);
	}
	/* At first nothing was verified yet, so more seemed to be left. */
	ck_assert_double_gt(job.overall, 0.75);
	ck_assert_double_lt(job.overall, 0.82);
	ck_assert_uint_eq(job.pass_eta.seconds, 10);
	ck_assert_uint_ge(job.eta.seconds, 20);
	ck_assert_uint_le(job.eta.seconds, 23);
}

/* A limit that is set on the way: to the copy, and to what is read back, at once. */
TEST(a_limit_counts_at_once)
{
	begin(JOB_COPYING, PASS_COPY, ALL);
	copy(ALL / 2);
	ck_assert_uint_eq(job.eta.seconds, 150);
	job.rate_limit = RATE / 2;
	look();
	ck_assert_uint_eq(job.pass_eta.seconds, 100);
	ck_assert_uint_eq(job.eta.seconds, 300);
	job.rate_limit = 2 * RATE;
	look();
	ck_assert_uint_eq(job.eta.seconds, 150);
	job.rate_limit = RATE / 2;
	copy(ALL / 2);
	begin(JOB_VERIFYING, PASS_VERIFY, ALL);
	verify(ALL / 2);
	ck_assert_uint_eq(job.eta.seconds, 100);
}

/* Without verification the copy is all there is. */
TEST(only_copied)
{
	job.proof.asked = false;
	begin(JOB_COPYING, PASS_COPY, ALL);
	copy(500 * MB);
	ck_assert_double_eq_tol(job.overall, 0.5, 1e-6);
	ck_assert_uint_eq(job.eta.seconds, 50);
	copy(500 * MB);
	begin(JOB_FLUSHING, PASS_FLUSH, 0);
	unknown();
	ck_assert_double_gt(job.overall, 0.999);
	end(JOB_RESULT_COMPLETE);
	ck_assert_double_eq(job.overall, 1);
}

/* And without a copy, verification is. */
TEST(only_verified)
{
	job.only_reads = true;
	job.rescue.non_tried = 0;
	job.rescue.rescued = job.written = ALL;
	begin(JOB_VERIFYING, PASS_COMPARE, ALL);
	look();
	ck_assert_double_eq(job.overall, 0);
	verify(250 * MB);
	ck_assert_double_eq_tol(job.overall, 0.25, 1e-6);
	ck_assert_uint_eq(job.eta.seconds, 75);
	end(JOB_RESULT_STOPPED);
	ck_assert_double_eq_tol(job.overall, 0.25, 1e-6);
}

/* What differs is written and verified again: late, but nothing done is undone. */
TEST(written_again)
{
	begin(JOB_COPYING, PASS_COPY, ALL);
	copy(ALL);
	begin(JOB_VERIFYING, PASS_VERIFY, ALL);
	verify(ALL);
	job.proof.verified -= 100 * MB;
	job.rescue.rescued -= 100 * MB;
	job.rescue.non_tried += 100 * MB;
	begin(JOB_COPYING, PASS_REWRITE, 100 * MB);
	look();
	ck_assert_double_gt(job.overall, 0.95);
	spend(50 * MB);
	look();
	ck_assert_uint_eq(job.pass_eta.seconds, 5);
	ck_assert_uint_ge(job.eta.seconds, 10);
}

/* Reading back at three times the speed: each stage has the weight of its time as soon as that is
 * known, and what was told is kept beside what it took. */
TEST(stages_weigh_what_they_take)
{
	double before_verify;

	begin(JOB_COPYING, PASS_COPY, ALL);
	for (int i = 0; i < 100; i++)
		copy(10 * MB);
	/* As fast as the copy is all that was known. */
	ck_assert_double_eq_tol(job.overall, 0.5, 0.01);
	before_verify = job.overall;
	job.average = 3 * RATE;
	begin(JOB_VERIFYING, PASS_VERIFY, ALL);
	for (int i = 0; i < 100; i++) {
		job.passes[1].done += 10 * MB;
		job.passes[1].ns += NSEC_PER_SEC / 3;
		job.elapsed += NSEC_PER_SEC / 3;
		look();
		if (i == 49)
			ck_assert_double_eq_tol(job.overall, (1 + before_verify) / 2, 0.03);
	}
	job.proof.verified = ALL;
	end(JOB_RESULT_COMPLETE);
	/* Told at 10 %: 180 s of 200; it took 113. At 50 %: read back in 33 s, not in 100. */
	ck_assert(job.forecasts[0].known);
	ck_assert_uint_eq(job.forecasts[0].at, 20);
	ck_assert_uint_eq(job.forecasts[0].told, 180);
	ck_assert_uint_eq(job.forecasts[0].took, 113);
	ck_assert(job.forecasts[1].known && job.forecasts[2].known);
	ck_assert_uint_le(job.forecasts[2].told, 7);
}

/* Of a spinning disk, from its outer to its inner zones: 210 to 100 MB/s. */
static uint64_t second_at(uint64_t done, uint64_t total)
{
	return (uint64_t)((210 - 110 * (double)done / (double)total) * MB);
}

static void modelled_second(uint64_t *now)
{
	*now += NSEC_PER_SEC;
	job.elapsed += NSEC_PER_SEC;
	job.passes[job.pass_count - 1].ns += NSEC_PER_SEC;
}

/* A healthy copy of 2 TB is told its time within a tenth from its tenth part on, and reading back,
 * which begins as fast as the disk is outside, does not fool it. */
TEST(a_modelled_disk)
{
	const uint64_t total = 2000000 * MB;
	struct rates *rates = calloc(1, sizeof(*rates));
	uint64_t now = 0, done = 0;

	ck_assert_ptr_nonnull(rates);
	rates_start(rates, 0, total, 0);
	job.total = job.rescue.non_tried = total;
	begin(JOB_COPYING, PASS_COPY, total);
	while (done < total) {
		done += second_at(done, total);
		done = done < total ? done : total;
		modelled_second(&now);
		job.copy_ns = now;
		rates_update(rates, now, done, done, false);
		job.written = job.rescue.rescued = done;
		job.rescue.non_tried = total - done;
		job.average = rates_average(rates, now);
		rates_eta(rates, now, NOW, &copying);
		look();
	}
	rates_start(rates, now, total, 0);
	begin(JOB_VERIFYING, PASS_VERIFY, total);
	for (done = 0; done < total;) {
		done += second_at(done, total);
		done = done < total ? done : total;
		modelled_second(&now);
		rates_update(rates, now, done, done, false);
		job.average = rates_average(rates, now);
		job.passes[1].done = done;
		rates_eta(rates, now, NOW, &copying);
		look();
	}
	job.proof.verified = total;
	end(JOB_RESULT_COMPLETE);
	free(rates);
	for (int i = 0; i < JOB_FORECASTS; i++) {
		const struct job_forecast *one = &job.forecasts[i];

		printf("# at %u%%: told %u s, took %u s\n", job_forecast_at[i], (unsigned)one->told,
		       (unsigned)one->took);
		ck_assert(one->known);
		ck_assert_double_eq_tol((double)one->told / (double)one->took, 1, 0.1);
	}
}

/* Known at 20 % first: that is not what was told at 10. */
TEST(what_is_told_late_is_no_forecast)
{
	begin(JOB_COPYING, PASS_COPY, ALL);
	copy(400 * MB);
	ck_assert(job.eta.known);
	ck_assert_double_ge(job.overall, 0.15);
	ck_assert_double_lt(job.overall, 0.5);
	for (int i = 0; i < 60; i++)
		copy(10 * MB);
	ck_assert(!job.forecasts[0].known);
	ck_assert(job.forecasts[1].known);
}

/* A pause is no time of the copy, and nothing moves in it. */
TEST(pauses_do_not_count)
{
	double then;

	begin(JOB_COPYING, PASS_COPY, ALL);
	copy(100 * MB);
	copy(100 * MB);
	then = job.overall;
	job.elapsed += 3600 * NSEC_PER_SEC;
	job.paused_ns += 3600 * NSEC_PER_SEC;
	copy(100 * MB);
	ck_assert_double_eq_tol(job.overall - then, 0.05, 0.001);
}

static void clear(uint64_t bytes)
{
	spend(bytes);
	job.free.to_clear -= bytes;
	job.free.cleared += bytes;
	look();
}

/* Zeros that are written take as long as data; a second round goes on where the first one ended. */
TEST(free_places_are_cleared)
{
	job.free = (struct job_free){ .bytes = 500 * MB, .to_clear = 500 * MB, .as_written = true };
	begin(JOB_COPYING, PASS_COPY, ALL);
	copy(500 * MB);
	ck_assert_double_eq_tol(job.overall, 0.2, 1e-6);
	ck_assert_uint_eq(job.eta.seconds, 200);
	copy(500 * MB);
	begin(JOB_COPYING, PASS_CLEAR, 250 * MB);
	clear(100 * MB);
	ck_assert_double_eq_tol(job.overall, 0.44, 1e-6);
	ck_assert_uint_eq(job.pass_eta.seconds, 40);
	ck_assert_uint_eq(job.eta.seconds, 140);
	clear(400 * MB);
	ck_assert_double_eq_tol(job.overall, 0.6, 1e-6);
}

/* A disk that forgets them in a moment: they are no part of the whole. All that is read back is. */
TEST(free_places_are_forgotten)
{
	job.free = (struct job_free){ .bytes = 500 * MB, .to_clear = 500 * MB };
	begin(JOB_COPYING, PASS_COPY, ALL);
	copy(500 * MB);
	ck_assert_double_eq_tol(job.overall, 0.25, 1e-6);
	ck_assert_uint_eq(job.eta.seconds, 150);
	job.free.to_check = 500 * MB;
	copy(100 * MB);
	ck_assert_uint_eq(job.eta.seconds, 190);
}

TEST(a_pause_has_no_end)
{
	begin(JOB_COPYING, PASS_COPY, ALL);
	copy(500 * MB);
	ck_assert(job.eta.known);
	job.state = JOB_PAUSED;
	unknown();
	job.state = JOB_STOPPING;
	unknown();
	job.state = JOB_WAITING;
	unknown();
}

TEST(nothing_divides_by_nothing)
{
	job = (struct job_snapshot){ .state = JOB_COPYING };
	look();
	begin(JOB_COPYING, PASS_COPY, 0);
	unknown();
	begin(JOB_VERIFYING, PASS_VERIFY, 0);
	unknown();
	end(JOB_RESULT_COMPLETE);
	ck_assert_double_eq(job.overall, 1);
}
