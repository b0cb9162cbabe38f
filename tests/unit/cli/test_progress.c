/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line: never done before it is done, unknown shown as unknown. */
#include "unit.h"

#include <string.h>

#include "base/text.h"
#include "session/progress.h"

static struct job_snapshot job;
static char line[PROGRESS_LINE_MAX];

static void setup(void)
{
	job = (struct job_snapshot){ .state = JOB_COPYING,
				     .total = 2000398934016,
				     .written = 842000000000,
				     .now_pass = 186e6,
				     .overall = 0.2105,
				     .eta = { .known = true, .seconds = 5625 },
				     .errors = 2 };
}

UNIT_CASE(.setup = setup);

TEST(line_says_where_it_is)
{
	progress_line(&job, line);
	ck_assert_str_eq(line, "21.0 %  left 1:33:45  copying 42.0 %  842 GB of 2.00 TB  "
			       "186 MB/s  errors 2");
	ck_assert_int_le(text_width(line), 79);
}

/* Beside the copy; a pass of its own has the line for itself. */
TEST(what_is_verified_meanwhile_is_counted)
{
	ck_assert_ptr_null(strstr(progress_line(&job, line), "verified"));
	job.proof.asked = job.proof.rolling = true;
	job.proof.verified = 512000000000;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "  verified 25%"));
	job.state = JOB_VERIFYING;
	job.pass = PASS_VERIFY;
	job.pass_count = 1;
	job.passes[0].total = job.total;
	ck_assert_ptr_null(strstr(progress_line(&job, line), "verified"));
}

/* It comes first: a terminal cuts the end. */
TEST(what_hangs_is_named)
{
	job.hang = (struct job_hang){ .count = 1, .lba = 123456, .ns = 31000000000 };
	progress_line(&job, line);
	ck_assert_msg(strstr(line, "a read at LBA 123456 hangs for 0:00:31: 21.0 %") == line, "%s",
		      line);
	ck_assert_ptr_nonnull(strstr(line, "errors 2"));
	job.hang.write = true;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "a write at LBA 123456"));
}

TEST(hundred_is_kept_for_the_end)
{
	job.written = job.total - 512;
	job.overall = 0.9999;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "copying 99.9 %"));
	ck_assert_int_eq(strncmp(line, "99.9 %", 6), 0);
	job.written = job.total;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "copying 100.0 %"));
	ck_assert_int_eq(strncmp(line, "99.9 %", 6), 0);
}

TEST(unknown_time_is_not_zero)
{
	job.eta.known = false;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "left unknown"));
	job.left = (struct job_range){ .known = true, .least = 70, .most = 1500 };
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "left 0:01:10 to 0:25:00  "));
	/* Nor is the speed of a flush. */
	job.state = JOB_FLUSHING;
	job.now_pass = 0;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "TB  -  errors"));
}

TEST(nothing_to_copy_divides_by_nothing)
{
	job.total = job.written = 0;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "copying 0.0 %"));
}

/* In front of the second percentage. */
static void check_word(void)
{
	const char *left = strstr(line, "left ");

	ck_assert_ptr_nonnull(left);
	left = strstr(left, "  ");
	ck_assert_ptr_nonnull(left);
	ck_assert_msg(left[2] >= 'a' && left[2] <= 'z', "%s", line);
}

TEST(every_state_has_a_word)
{
	for (int state = JOB_READY; state <= JOB_WAITING; state++) {
		job.state = (enum job_state)state;
		progress_line(&job, line);
		check_word();
	}
}

/* Who waits for a disk that is dying wants to know what is done to it. */
TEST(passes_have_words_of_their_own)
{
	job.pass = PASS_SCRAPE;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "scraping"));
	for (int pass = PASS_NONE; pass <= PASS_DISARM; pass++) {
		job.pass = (enum pass_kind)pass;
		ck_assert_int_le(text_width(progress_line(&job, line)), 79);
		check_word();
	}
	job.pass = PASS_WIPE;
	ck_assert_ptr_nonnull(strstr(progress_line(&job, line), "wiping"));
}
