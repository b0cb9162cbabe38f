/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rescue pane: nothing is rounded away, nothing is wider than its place. */
#include "unit.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "ui/run/model.h"

static struct job_snapshot job;

static void setup(void)
{
	memset(&job, 0, sizeof(job));
	job.state = JOB_COPYING;
	job.total = 2000398934016;
	job.written = 1046208642482;
	job.retries = 5;
	job.slow_reads = 7;
	job.bad_areas = 3;
	job.rescue = (struct job_rescue){
		.trouble = true,
		.rescued = 1046208642482,
		.non_tried = 954190211054,
		.non_trimmed = 65536,
		.non_scraped = 8192,
		.bad_sector = 6656,
		.bad_areas = 5, /* with those that are still to be tried */
		.read_errors = 2,
		.good_read_known = true,
		.since_good_read = 125 * NSEC_PER_SEC,
	};
}

static const char *text(int index)
{
	static struct line line;

	line_start(&line, RESCUE_COLS);
	rescue_text(&job, index, &line);
	return line.text;
}

/* Something is said on some line. */
static bool said(const char *words)
{
	for (int i = 0; i < 10; i++)
		if (strstr(text(i), words))
			return true;
	return false;
}

UNIT_CASE(.setup = setup);

TEST(test_words)
{
	ck_assert_str_eq(text(0),
			 " copied          1,046,208,642,482 B  52.29%  read errors      2");
	ck_assert(said("not read yet      954,190,211,054 B  47.69%  bad areas        3"));
	ck_assert(said("to try                     73,728 B  <0.01%  retries"));
	ck_assert(said("bad                         6,656 B  <0.01%"));
	ck_assert(said("bad areas        3"));
	ck_assert(said("retries          5"));
	ck_assert(said("last good read   2 min ago"));
	ck_assert(said("slow reads >1 s  7"));
}

/* How much of what was read back is right is known when all of it was. */
TEST(test_verified)
{
	job.proof.asked = true;
	ck_assert(said("verified                        0 B   0.00%"));
	job.state = JOB_VERIFYING;
	ck_assert(said("verified                          -     "));
	job.proof.verified = job.total;
	ck_assert(said("verified        2,000,398,934,016 B 100.00%"));
}

/* All but one sector is not all of it; nothing is not less than a hundredth. */
TEST(test_nothing_is_rounded_away)
{
	job.rescue = (struct job_rescue){ .rescued = job.total - 512, .non_scraped = 512 };
	ck_assert_ptr_nonnull(strstr(text(0), " 99.99%"));
	ck_assert(said("512 B  <0.01%"));
	ck_assert(said("last good read   -"));
	job.rescue = (struct job_rescue){ .rescued = job.total };
	ck_assert_ptr_nonnull(strstr(text(0), "100.00%"));
	ck_assert(said(" 0 B   0.00%"));
	job.total = job.rescue.rescued = 0;
	ck_assert_ptr_nonnull(strstr(text(0), "0 B       -"));
}

TEST(test_fits)
{
	struct line line;

	job.total = job.retries = job.slow_reads = UINT64_MAX;
	job.rescue =
		(struct job_rescue){ true,       UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
				     UINT64_MAX, UINT64_MAX, UINT64_MAX, true,       UINT64_MAX };
	for (int width = 0; width < 120; width++) {
		int index = 0;

		do {
			line_start(&line, width);
			if (index > 20)
				ck_abort_msg("it never ends");
		} while (rescue_text(&job, index++, &line) && text_width(line.text) <= width);
		ck_assert_int_le(text_width(line.text), width);
		/* The first four are all that the smallest screen shows. */
		ck_assert_int_gt(index, 4);
	}
}
