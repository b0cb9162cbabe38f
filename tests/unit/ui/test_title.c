/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window's title: what is sent, when, and never a byte that a name of a file brings along. */
#include "unit.h"

#include <string.h>

#include "ui/core/title.h"

static struct title of(const struct job_snapshot *job)
{
	struct title title;

	title_of(job, "/dev/sda", "/dev/sdb", &title);
	return title;
}

TEST(in_words)
{
	struct job_snapshot job = { .state = JOB_COPYING, .overall = 0.419 };
	struct title title = of(&job);

	ck_assert_str_eq(title.text, "41% sda -> sdb");
	ck_assert_int_eq(title.progress, TITLE_RUNNING);
	job.eta.known = true;
	job.eta.seconds = 3600;
	ck_assert_str_eq(of(&job).text, "41% sda -> sdb, 1:00:00 left");
	job.state = JOB_PAUSED;
	ck_assert_int_eq(of(&job).progress, TITLE_PAUSED);
	job.state = JOB_ENDED;
	job.result = JOB_RESULT_PARTIAL;
	ck_assert_int_eq(of(&job).progress, TITLE_FAILED);
	job.result = JOB_RESULT_COMPLETE;
	ck_assert_int_eq(of(&job).progress, TITLE_NONE);
	ck_assert_str_eq(of(NULL).text, "");
}

/* All of it is done only when it is. */
TEST(hundred_is_the_end)
{
	struct job_snapshot job = { .overall = 0.99999 };

	ck_assert_uint_eq(title_percent(&job), 99);
	job.overall = 1;
	ck_assert_uint_eq(title_percent(&job), 100);
}

TEST(sent_when_it_changes)
{
	struct job_snapshot job = { .state = JOB_COPYING, .overall = 0.415 };
	struct title none = of(NULL), now = of(&job), next;
	char bytes[TITLE_BYTES_MAX];

	ck_assert_str_eq(title_sequence(&none, &none, bytes), "");
	ck_assert_str_eq(title_sequence(&none, &now, bytes),
			 "\033[22;0t\033]0;41% sda -> sdb\a\033]9;4;1;41\a");
	ck_assert_str_eq(title_sequence(&now, &now, bytes), "");
	job.overall = 0.425;
	next = of(&job);
	ck_assert_str_eq(title_sequence(&now, &next, bytes),
			 "\033]0;42% sda -> sdb\a\033]9;4;1;42\a");
	ck_assert_str_eq(title_sequence(&next, &none, bytes), "\033[23;0t\033]9;4;0;0\a");
}

TEST(names_bring_no_sequences)
{
	struct job_snapshot job = { .state = JOB_COPYING };
	struct title title;

	title_of(&job, "/tmp/a\033]0;evil\a.img", "/dev/sdb", &title);
	for (const char *p = title.text; *p; p++)
		ck_assert_int_ge((unsigned char)*p, ' ');
	ck_assert_ptr_nonnull(strstr(title.text, "evil"));
}
