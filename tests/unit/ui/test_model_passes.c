/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes in the head of screen 4: in their order, one marked, never wider than its place. */
#include "unit.h"

#include <string.h>

#include "base/text.h"
#include "ui/run/model.h"

static struct job_snapshot job;
static struct plan_options options;

static void setup(void)
{
	memset(&job, 0, sizeof(job));
	options = (struct plan_options){ .verify = VERIFY_OFF };
	job.state = JOB_COPYING;
	job.total = 1000;
	job.written = 523;
	job.pass = PASS_COPY;
	job.pass_count = 1;
	job.passes[0] = (struct job_pass){ .kind = PASS_COPY, .rounds = 1, .total = 1000 };
}

static const char *text(int width)
{
	static struct line line;

	line_start(&line, width);
	passes_text(&job, &options, &line);
	return line.text;
}

static const char *percent(void)
{
	static char buffer[16];

	passes_percent(&job, buffer, sizeof(buffer));
	return buffer;
}

START_TEST(test_one_is_marked)
{
	ck_assert_str_eq(text(60), " [copying 52.3%] > flushing");
	job.pass = PASS_NONE;
	ck_assert_str_eq(text(60), " copying > flushing");
	job.pass = PASS_FLUSH;
	job.passes[job.pass_count++].kind = PASS_FLUSH;
	ck_assert_str_eq(text(60), " copying > [flushing]");
	job.state = JOB_ENDED;
	job.pass = PASS_NONE;
	ck_assert_str_eq(text(60), " copying > flushing");
	/* What did not happen is not shown as if it would. */
	job.pass_count = 1;
	ck_assert_str_eq(text(60), " copying");
	job.pass_count = 0;
	ck_assert_str_eq(text(60), " ");
}
END_TEST

/* What is held back is told of in advance; after it only another flush comes. */
START_TEST(test_tables_last)
{
	job.held_areas = 5;
	ck_assert_str_eq(text(60), " [copying 52.3%] > flushing > writing tables");
	job.pass = PASS_ARM;
	job.passes[job.pass_count++].kind = PASS_FLUSH;
	job.passes[job.pass_count++] = (struct job_pass){ .kind = PASS_ARM, .done = 1, .total = 4 };
	ck_assert_str_eq(text(60), " copying > flushing > [writing tables 25.0%]");
	ck_assert_str_eq(percent(), "25.0%");
}
END_TEST

/* The time of the pass is told where it is not that of all. */
START_TEST(test_time_of_the_pass)
{
	job.pass_eta = (struct eta){ .known = true, .seconds = 1211 };
	ck_assert_str_eq(text(60), " [copying 52.3% 0:20:11] > flushing");
	job.eta = (struct eta){ .known = true, .seconds = 2400 };
	ck_assert_str_eq(text(60), " [copying 52.3% 0:20:11] > flushing");
	job.eta = job.pass_eta;
	ck_assert_str_eq(text(60), " [copying 52.3%] > flushing");
}
END_TEST

/* What comes before the copy is not all there is. */
START_TEST(test_before_the_copy)
{
	job.pass = job.passes[0].kind = PASS_PROBE;
	ck_assert_str_eq(text(60), " [testing size 0.0%] > copying > flushing");
	job.pass = job.passes[1].kind = PASS_WIPE;
	job.pass_count = 2;
	ck_assert_str_eq(text(79), " testing size > [wiping tables] > copying > flushing");
	ck_assert_str_eq(text(40), " .. > [wiping tables] > copying > ..");
	job.pass = job.passes[2].kind = PASS_COPY;
	job.pass_count = 3;
	ck_assert_ptr_nonnull(strstr(text(79), "> [copying 52.3%] > flushing"));
	ck_assert_ptr_null(strstr(text(79), "flushing >"));
}
END_TEST

/* What is sure to come is told in advance, and the proof has a bar of its own. */
START_TEST(test_proof)
{
	options.verify = VERIFY_DIGEST;
	ck_assert_str_eq(text(60), " [copying 52.3%] > flushing > verifying");
	options.verify = VERIFY_COMPARE;
	ck_assert_str_eq(text(60), " [copying 52.3%] > flushing > comparing");
	job.written = job.total;
	job.state = JOB_VERIFYING;
	job.pass = PASS_COMPARE;
	job.passes[1].kind = PASS_FLUSH;
	job.passes[2] =
		(struct job_pass){ .kind = PASS_COMPARE, .rounds = 1, .done = 250, .total = 1000 };
	job.pass_count = 3;
	ck_assert_str_eq(text(60), " copying > flushing > [comparing 25.0%]");
	ck_assert_str_eq(percent(), "25.0%");
	ck_assert_ptr_eq(job_pass_counted(&job), &job.passes[2]);
	job.passes[2].done = 1000;
	ck_assert_str_eq(percent(), "100.0%");
}
END_TEST

/* Verifying alone writes nothing; what was flushed before it is soon forgotten. */
START_TEST(test_only_verified)
{
	options.verify = VERIFY_DIGEST;
	job.state = JOB_FLUSHING;
	job.pass = job.passes[0].kind = PASS_FLUSH;
	job.passes[0].total = 0;
	ck_assert_str_eq(text(60), " [flushing] > verifying");
	job.state = JOB_VERIFYING;
	job.pass = job.passes[1].kind = PASS_VERIFY;
	job.pass_count = 2;
	ck_assert_str_eq(text(60), " [verifying]");
	/* There is no list of digests of it. */
	job.pass = job.passes[1].kind = PASS_COMPARE;
	ck_assert_str_eq(text(60), " [comparing]");
	job.pass = PASS_NONE;
	job.state = JOB_ENDED;
	ck_assert_str_eq(text(60), " comparing");
}
END_TEST

/* What is read before the copy tells nothing of what comes. */
START_TEST(test_baseline)
{
	options.verify = VERIFY_DIGEST;
	job.pass = job.passes[0].kind = PASS_BASELINE;
	ck_assert_str_eq(text(72), " [reading tables 0.0%] > copying > flushing > verifying");
	job.pass = PASS_COPY;
	job.passes[1].kind = PASS_COPY;
	job.pass_count = 2;
	ck_assert_str_eq(text(72), " reading tables > [copying 52.3%] > flushing > verifying");
	job.state = JOB_VERIFYING;
	job.pass = job.passes[1].kind = PASS_VERIFY;
	ck_assert_str_eq(text(72), " reading tables > [verifying]");
	job.pass = job.passes[2].kind = PASS_RECHECK;
	job.pass_count = 3;
	ck_assert_str_eq(text(72), " reading tables > verifying > [rechecking]");
}
END_TEST

/* A flush has no percent, and the last write of the copy is not yet its end. */
START_TEST(test_percent)
{
	ck_assert_str_eq(percent(), "52.3%");
	job.total = 1000000;
	job.written = 999999;
	ck_assert_str_eq(percent(), "99.9%");
	job.written = 1000000;
	ck_assert_str_eq(percent(), "100.0%");
	job.pass = PASS_FLUSH;
	job.passes[job.pass_count++] = (struct job_pass){ .kind = PASS_FLUSH };
	ck_assert_str_eq(percent(), "-");
	job.total = UINT64_MAX;
	job.written = UINT64_MAX - 1;
	job.pass = PASS_COPY;
	ck_assert_str_eq(percent(), "99.9%");
	job.total = job.written = 0;
	ck_assert_str_eq(percent(), "0.0%");
	job.state = JOB_ENDED;
	ck_assert_str_eq(percent(), "100.0%");
}
END_TEST

/* However many there are: the one under way is seen as soon as there is room for it alone. */
START_TEST(test_fits)
{
	for (unsigned count = 0; count <= JOB_PASSES_MAX; count++) {
		job.pass_count = count;
		for (unsigned i = 0; i < count; i++)
			job.passes[i].kind = i % 2 ? PASS_FLUSH : PASS_COPY;
		job.pass = count ? job.passes[count - 1].kind : PASS_NONE;
		for (int width = 0; width < 100; width++) {
			ck_assert_int_le(text_width(text(width)), width);
			if (width > 30 && count)
				ck_assert_ptr_nonnull(strchr(text(width), ']'));
		}
	}
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("ui/model_passes");
	TCase *tcase = tcase_create("passes");

	tcase_add_checked_fixture(tcase, setup, NULL);
	add_tests(tcase, test_one_is_marked, test_tables_last, test_time_of_the_pass,
		  test_before_the_copy, test_proof, test_only_verified, test_baseline, test_percent,
		  test_fits);
	suite_add_tcase(suite, tcase);
	return suite;
}
