/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The latencies of screen 4: no sample is lost, nothing unknown looks measured. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "line_test.h"
#include "base/clock.h"
#include "base/text.h"
#include "ui/run/latency.h"

static struct job_snapshot job;

static void setup(void)
{
	memset(&job, 0, sizeof(job));
}

UNIT_CASE(.setup = setup);

/* Also of figures that no disk ever has. */
TEST(test_fits)
{
	const struct latency_summary all[] = {
		{ 0 },
		{ UINT64_MAX,
		  UINT64_MAX,
		  UINT64_MAX,
		  UINT64_MAX,
		  UINT64_MAX,
		  UINT64_MAX,
		  UINT64_MAX,
		  { 1 } },
	};
	struct line line;

	for (int width = 0; width <= 250; width++)
		for (int i = 0; i < 4; i++) {
			line_start(&line, width);
			run_text_latency(i & 1 ? "read" : "", "10s", &all[i / 2], &line);
			ck_assert_int_le(text_width(line.text), width);
		}
}

/* Seconds long, in the columns of the smallest pane, each is still read as a figure of its own. */
TEST(test_long_waits_do_not_touch)
{
	const struct latency_summary slow = {
		.count = 1,
		.p50 = 554 * NSEC_PER_MSEC,
		.p99 = 1758 * NSEC_PER_MSEC,
		.max = 24300 * NSEC_PER_MSEC,
	};
	struct line line;

	line_is(27, run_text_latency("read", "10s", &slow, &line), " read  10s   554 1758   24s");
	line_has(40, run_text_latency("read", "10s", &slow, &line), " 554    1,758    24,300");
}

TEST(test_unknown_is_a_dash)
{
	struct line line;
	char text[96];

	line_start(&line, 80);
	run_text_latency("read", "all", &job.source.latency, &line);
	ck_assert_ptr_null(strchr(line.text, '0'));
	ck_assert_str_eq(run_text_ms(0, 0, text, sizeof(text)), "-");
}

/* However few columns there are, no slow place disappears; what was not read stays blank. */
TEST(test_places)
{
	float samples[300];

	ck_assert_int_eq(run_places(&job.zones, false, 30, samples), 0);
	job.zones = (struct zones_shown){ .cell = 1 << 20, .count = 200 };
	for (unsigned i = 0; i < 150; i++)
		job.zones.cells[i] = (struct zone_latency){ 7000, 9000 };
	job.zones.cells[77] = (struct zone_latency){ 84000, 99000 };
	for (int count = 1; count <= 300; count += 7) {
		float most = 0;

		ck_assert_int_eq(run_places(&job.zones, false, count, samples), count);
		for (int i = 0; i < count; i++)
			if (samples[i] > most)
				most = samples[i];
		ck_assert(most > 0.8F && most < 1);
		if (count > 10) {
			ck_assert(samples[0] > 0 && samples[0] < 0.5F);
			ck_assert(isnan(samples[count - 1]));
		}
		run_places(&job.zones, true, count, samples);
		ck_assert(count > 1 || samples[0] >= 1);
	}
}

TEST(test_slowest_in_words)
{
	struct slow_zone slow = { 0 };
	struct line line;

	line_is(40, run_text_slowest(&slow, 512, &line), " too little was read to compare");
	slow = (struct slow_zone){ .known = true,
				   .weak = true,
				   .first = 512ULL * 411648,
				   .median = 872000000,
				   .factor = 15.65 };
	line_is(40, run_text_slowest(&slow, 512, &line), " WEAK? LBA 411648: 872 ms, 16x");
	slow.weak = false;
	slow.factor = 1.25;
	line_is(40, run_text_slowest(&slow, 512, &line), " slowest LBA 411648: 872 ms, 1.2x");
}

/* However few lines there are, no sample disappears. */
TEST(test_histogram)
{
	struct run_bucket buckets[LATENCY_COARSE];
	struct run_latency latency;

	run_latency(&job, &latency);
	for (int i = 0; i < LATENCY_COARSE; i++)
		job.source.latency.coarse[i] = 0.1;
	job.destination.latency.coarse[4] = 0.7;
	job.destination.latency.coarse[5] = 0.3;
	for (int rows = 1; rows < 15; rows++) {
		int count = run_histogram(&latency, rows, buckets);
		double sums[2] = { 0 };

		ck_assert_int_eq(count, rows < LATENCY_COARSE ? rows : LATENCY_COARSE);
		for (int i = 0; i < count; i++) {
			sums[0] += buckets[i].shares[0];
			sums[1] += buckets[i].shares[1];
		}
		ck_assert_double_eq_tol(sums[0], 1, 1e-9);
		ck_assert_double_eq_tol(sums[1], 1, 1e-9);
	}
	run_histogram(&latency, 2, buckets);
	ck_assert_str_eq(buckets[0].label, "<16");
	ck_assert_str_eq(buckets[1].label, ">=16");
	run_histogram(&latency, 10, buckets);
	ck_assert_str_eq(buckets[0].label, "<1");
	ck_assert_str_eq(buckets[1].label, "1-2");
	ck_assert_str_eq(buckets[9].label, ">=256");
}

/* The figures of the copy, which stand still while it is read back, are no news then. */
TEST(test_latency_of_the_pass)
{
	struct run_latency latency;

	job.pass = PASS_COPY;
	run_latency(&job, &latency);
	ck_assert_int_eq(latency.count, 2);
	ck_assert_ptr_eq(latency.ends[0].summary, &job.source.latency);
	ck_assert_ptr_eq(latency.ends[1].summary, &job.destination.latency);
	ck_assert_ptr_eq(latency.ends[1].recent, &job.destination.recent);
	job.pass = PASS_VERIFY;
	run_latency(&job, &latency);
	ck_assert_int_eq(latency.count, 1);
	ck_assert_ptr_eq(latency.ends[0].summary, &job.read_back);
	ck_assert_ptr_eq(latency.ends[0].recent, &job.recent_back);
	job.pass = PASS_COMPARE;
	run_latency(&job, &latency);
	ck_assert_int_eq(latency.count, 2);
	ck_assert_ptr_eq(latency.ends[0].summary, &job.source.latency);
	ck_assert_ptr_eq(latency.ends[1].summary, &job.read_back);
}
