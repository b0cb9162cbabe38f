/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line: never done before it is done, unknown shown as unknown. */
#include "unit.h"

#include <string.h>

#include "base/text.h"
#include "cli/progress.h"

static struct job_snapshot job;
static char line[PROGRESS_LINE_MAX];

static void setup(void)
{
	job = (struct job_snapshot){ .state = JOB_COPYING,
				     .total = 2000398934016,
				     .written = 842000000000,
				     .now_write = 186e6,
				     .eta = { .known = true, .seconds = 5625 },
				     .errors = 2 };
}

START_TEST(line_says_where_it_is)
{
	progress_line(&job, line);
	ck_assert_ptr_nonnull(strstr(line, "copying"));
	ck_assert_ptr_nonnull(strstr(line, "42.1 %"));
	ck_assert_ptr_nonnull(strstr(line, "2.00 TB"));
	ck_assert_ptr_nonnull(strstr(line, "186 MB/s"));
	ck_assert_ptr_nonnull(strstr(line, "1:33:45"));
	ck_assert_ptr_nonnull(strstr(line, "errors 2"));
	ck_assert_int_le(text_width(line), 79);
}
END_TEST

/* Beside the copy; a pass of its own has the line for itself. */
START_TEST(what_is_verified_meanwhile_is_counted)
{
	ck_assert_ptr_null(strstr(progress_line(&job, line), "verified"));
	job.proof.asked = job.proof.rolling = true;
	job.proof.verified = 512000000000;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "  verified 25%"));
	job.state = JOB_VERIFYING;
	job.pass_count = 1;
	ck_assert_ptr_null(strstr(progress_line(&job, line), "verified"));
}
END_TEST

/* It comes first: a terminal cuts the end. */
START_TEST(what_hangs_is_named)
{
	job.hang = (struct job_hang){ .count = 1, .lba = 123456, .ns = 31000000000 };
	progress_line(&job, line);
	ck_assert_msg(strstr(line, "a read at LBA 123456 hangs for 0:00:31: copying") == line, "%s",
		      line);
	ck_assert_ptr_nonnull(strstr(line, "errors 2"));
	job.hang.write = true;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "a write at LBA 123456"));
}
END_TEST

START_TEST(hundred_is_kept_for_the_end)
{
	job.written = job.total - 512;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "99.9 %"));
	job.written = job.total;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "100.0 %"));
}
END_TEST

START_TEST(unknown_time_is_not_zero)
{
	job.eta.known = false;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "left -"));
}
END_TEST

START_TEST(nothing_to_copy_divides_by_nothing)
{
	job.total = job.written = 0;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "  0.0 %"));
}
END_TEST

START_TEST(every_state_has_a_word)
{
	for (int state = JOB_READY; state <= JOB_WAITING; state++) {
		job.state = (enum job_state)state;
		progress_line(&job, line);
		ck_assert(line[0] >= 'a' && line[0] <= 'z');
	}
}
END_TEST

/* Who waits for a disk that is dying wants to know what is done to it. */
START_TEST(passes_have_words_of_their_own)
{
	job.pass = PASS_SCRAPE;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "scraping"));
	for (int pass = PASS_NONE; pass <= PASS_RECHECK; pass++) {
		job.pass = (enum pass_kind)pass;
		ck_assert_int_le(text_width(progress_line(&job, line)), 79);
		ck_assert(line[0] >= 'a' && line[0] <= 'z');
	}
	job.pass = PASS_WIPE;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "wiping"));
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("cli/progress");
	TCase *tcase = tcase_create("progress");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, line_says_where_it_is);
	tcase_add_test(tcase, what_is_verified_meanwhile_is_counted);
	tcase_add_test(tcase, what_hangs_is_named);
	tcase_add_test(tcase, hundred_is_kept_for_the_end);
	tcase_add_test(tcase, unknown_time_is_not_zero);
	tcase_add_test(tcase, nothing_to_copy_divides_by_nothing);
	tcase_add_test(tcase, every_state_has_a_word);
	tcase_add_test(tcase, passes_have_words_of_their_own);
	suite_add_tcase(suite, tcase);
	return suite;
}
