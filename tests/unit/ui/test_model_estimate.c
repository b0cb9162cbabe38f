/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <string.h>

#include "line_test.h"
#include "base/text.h"
#include "ui/plan/estimate.h"

static struct extent extent;
static struct plan plan;

static void setup(void)
{
	extent = (struct extent){ .sectors = 2000000 };
	plan = (struct plan){ .sector_size = 512,
			      .extents = &extent,
			      .extent_count = 1,
			      .total_sectors = 2000000,
			      .options = PLAN_OPTIONS_DEFAULT };
	strcpy(plan.source.node, "/dev/sda");
	strcpy(plan.destinations[0].node, "/dev/sdb");
}

UNIT_CASE(.setup = setup);

/* 1,024,000,000 bytes: the slower end decides, and the destination alone how it is read back. */
TEST(test_seconds)
{
	const struct session_measured measured = { 200e6, 100e6 };
	struct estimate estimate;

	estimate_make(&plan, ROLLING_NO, &measured, &estimate);
	ck_assert(estimate.known);
	ck_assert_uint_eq(estimate.copy, 11);
	ck_assert_uint_eq(estimate.verify, 11);
	estimate_make(&plan, ROLLING_SPARE, &measured, &estimate);
	ck_assert_uint_eq(estimate.verify, 0);
	plan.options.rate = 10000000;
	estimate_make(&plan, ROLLING_NO, &measured, &estimate);
	ck_assert_uint_eq(estimate.copy, 103);
	ck_assert_uint_eq(estimate.verify, 103);
	/* Only what was asked for is read back meanwhile, and shares the limit with the copy. */
	estimate_make(&plan, ROLLING_SPARE, &measured, &estimate);
	ck_assert_uint_eq(estimate.copy, 103);
	ck_assert_uint_eq(estimate.verify, 103);
	estimate_make(&plan, ROLLING_ASKED, &measured, &estimate);
	ck_assert_uint_eq(estimate.copy, 205);
	ck_assert_uint_eq(estimate.verify, 0);
	plan.options.verify = VERIFY_COMPARE;
	estimate_make(&plan, ROLLING_NO, &measured, &estimate);
	ck_assert_uint_eq(estimate.verify, 103);
	plan.options.verify = VERIFY_OFF;
	estimate_make(&plan, ROLLING_NO, &measured, &estimate);
	ck_assert_uint_eq(estimate.verify, 0);
}

/* What is not known is not made up. */
TEST(test_unknown)
{
	const struct session_measured measured = { 200e6, 0 };
	struct estimate estimate;
	struct line line;
	char text[256];
	int count = 0;

	estimate_make(&plan, ROLLING_NO, &measured, &estimate);
	ck_assert(!estimate.known);
	for (;; count++) {
		line_start(&line, 42);
		if (!estimate_text(&plan, &measured, &estimate, 0, count, &line))
			break;
		ck_assert_ptr_null(strstr(line.text, "about"));
	}
	ck_assert_int_eq(count, 3);
	estimate_sentence(&plan, &measured, &estimate, 0, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "not known"));
}

TEST(test_words)
{
	const struct session_measured measured = { 200e6, 100e6 };
	static struct free_places places = { .left_out.count = 1 };
	struct estimate estimate;
	struct line line;
	char text[256];

	estimate_make(&plan, ROLLING_NO, &measured, &estimate);
	line_is(42, estimate_text(&plan, &measured, &estimate, 0, 1, &line), " sdb reads 100 MB/s");
	line_is(42, estimate_text(&plan, &measured, &estimate, 0, 2, &line),
		" copy    about 0:00:11");
	plan.free_places = &places;
	plan.chosen_sectors = plan.total_sectors + 2000000;
	line_has(42, estimate_text(&plan, &measured, &estimate, 0, 2, &line),
		 " copy    0:00:11 (up to 0:00:1");
	ck_assert_ptr_nonnull(strstr(line.text, "saved)"));
	plan.free_places = NULL;
	estimate_sentence(&plan, &measured, &estimate, 0, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "if sdb writes as fast as it reads"));
	ck_assert_int_le(text_width(text), 78);
}

/* A profile of its writing is not assumed but known. */
TEST(test_known_writing)
{
	const struct session_measured measured = { 200e6, 100e6, 50e6 };
	struct estimate estimate;
	struct line line;
	char text[256];

	estimate_make(&plan, ROLLING_NO, &measured, &estimate);
	ck_assert_uint_eq(estimate.copy, 21);
	ck_assert_uint_eq(estimate.verify, 11);
	line_is(42, estimate_text(&plan, &measured, &estimate, 0, 5, &line),
		" sdb writes 50.0 MB/s");
	estimate_sentence(&plan, &measured, &estimate, 0, text, sizeof(text));
	ck_assert_ptr_null(strstr(text, "writes as fast"));
}
