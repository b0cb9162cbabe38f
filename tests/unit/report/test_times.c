/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report says of the time that requests took, where the source was slow, and how good the
 * forecasts were. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "report/facts.h"
#include "report/parts.h"
#include "report/sample.h"

SAMPLE_CASE;

/* Three digits that count, however long a request took; p99.9 is never above the longest. */
TEST(latencies_are_read_at_a_glance)
{
	sample.report.job.source.latency = (struct latency_summary){ 0 };
	check_parts(text_of(&sample.report, 80), "read ms  unknown", NULL);

	sample.report.job.source.latency = (struct latency_summary){ .count = 1000,
								     .p50 = 127000,
								     .p90 = 2000000,
								     .p99 = 43210000,
								     .p999 = 999400000,
								     .max = 12345678901 };
	/* Nothing was read back. */
	check_parts(text_of(&sample.report, 100),
		    "p50 0.127  p90 2.00  p99 43.2  p99.9 999  max 12,346", "!back ms", NULL);
	sample.report.job.read_back = sample.report.job.source.latency;
	check_parts(text_of(&sample.report, 100), "back ms  p50 0.127  p90 2.00", NULL);
}

TEST(a_weak_zone_is_named)
{
	char *page;

	check_parts(text_of(&sample.report, 80), "!weak zone", "!slowest at", NULL);
	sample_add_zones(&sample);
	check_parts(text_of(&sample.report, 200),
		    "slow     The source was slow at LBA 4096 +2048: reads there took 12 times as "
		    "long as elsewhere, 84.0 ms. This disk may have a weak zone.",
		    NULL);
	ck_assert_int_eq(report_html(&sample.report, &page, NULL), 0);
	check_parts(page, "This disk may have a weak zone.",
		    "slowest at LBA 4096 +2048: p50 84.0  max 240, 12.0 times the rest",
		    "Latency over the source", ">100 ms</text>", ">1 ms</text>", NULL);
	/* Just the slowest place of a sound disk. */
	sample.report.job.zones.slowest.weak = false;
	sample.report.job.zones.slowest.factor = 1.25;
	check_parts(text_of(&sample.report, 80), "!weak zone", NULL);
}

TEST(a_forecast_of_a_copy_that_ended)
{
	struct job_snapshot *job = &sample.report.job;

	job->forecasts[0] =
		(struct job_forecast){ .known = true, .told = 180, .at = 20, .took = 113 };
	check_parts(text_of(&sample.report, 80), "at 10% left 0:03:00, took 0:01:53", NULL);
	job->result = JOB_RESULT_STOPPED;
	check_parts(text_of(&sample.report, 80), "!forecast", NULL);
}
