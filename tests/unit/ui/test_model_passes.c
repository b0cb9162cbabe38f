/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages in the head of screen 4: in their order, one marked, none that will not be. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

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

/* All stages in one line: v what is through, > the one under way, = held, . to come. */
static const char *text(void)
{
	static char line[512];
	struct run_stage stages[RUN_STAGES];
	int count = run_stages(&job, &options, stages);

	line[0] = '\0';
	for (int i = 0; i < count; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%c%s", i ? " " : "",
			 ".>v="[stages[i].state], stages[i].text);
	return line;
}

static void begin(enum pass_kind kind)
{
	job.pass = kind;
	job.passes[job.pass_count++] =
		(struct job_pass){ .kind = kind, .rounds = 1, .done = 250, .total = 1000 };
}

static const char *percent(void)
{
	static char buffer[16];

	passes_percent(&job, buffer, sizeof(buffer));
	return buffer;
}

UNIT_CASE(.setup = setup);

/* Of all passes of a stage together; a rescue is not counted in bytes. */
TEST(test_figures)
{
	struct run_stage stages[RUN_STAGES];

	job.passes[0].done = 1000;
	job.passes[0].ns = 5;
	begin(PASS_RETRY);
	begin(PASS_FLUSH);
	begin(PASS_VERIFY);
	job.passes[3].ns = 6;
	begin(PASS_REWRITE);
	job.passes[4].ns = 7;
	ck_assert_int_eq(run_stages(&job, &options, stages), 5);
	ck_assert_str_eq(stages[0].name, "copy");
	ck_assert_uint_eq(stages[0].ns, 5);
	ck_assert_uint_eq(stages[0].done, 1000);
	ck_assert_str_eq(stages[1].name, "rescue");
	ck_assert_uint_eq(stages[1].total, 0);
	ck_assert_str_eq(stages[3].name, "verify");
	ck_assert_uint_eq(stages[3].ns, 13);
	ck_assert_uint_eq(stages[3].total, 2000);
}

/* And not the last stage, which has no bytes of its own. */
TEST(test_in_the_end_what_was_copied_is_told)
{
	begin(PASS_FLUSH);
	job.state = JOB_ENDED;
	ck_assert_str_eq(run_stage_name(&job), "copy");
	ck_assert_double_eq_tol(run_stage_done(&job), 0.523, 1e-9);
}

TEST(test_copied_only)
{
	ck_assert_str_eq(text(), ">COPY 52.3% .rescue .flush .finish");
	ck_assert_str_eq(run_stage_name(&job), "copy");
	ck_assert_double_eq_tol(run_stage_done(&job), 0.523, 1e-9);
	job.state = JOB_PAUSED;
	ck_assert_str_eq(text(), "=COPY 52.3% .rescue .flush .finish");
	job.state = JOB_FLUSHING;
	begin(PASS_FLUSH);
	job.passes[1].total = 0;
	ck_assert_str_eq(text(), "vcopy >FLUSH .finish");
	ck_assert_double_eq(run_stage_done(&job), 0);
	job.state = JOB_WAITING;
	job.pass = PASS_NONE;
	ck_assert_str_eq(text(), ">COPY 52.3% .rescue .flush .finish");
	begin(PASS_ARM);
	job.state = JOB_COPYING;
	ck_assert_str_eq(text(), "vcopy vflush >FINISH 25.0%");
	job.state = JOB_ENDED;
	job.pass = PASS_NONE;
	ck_assert_str_eq(text(), "vcopy vflush vfinish");
	/* What did not happen is not shown as if it would. */
	job.pass_count = 1;
	ck_assert_str_eq(text(), "vcopy");
	job.pass_count = 0;
	ck_assert_str_eq(text(), "");
}

TEST(test_all_stages)
{
	options.verify = VERIFY_DIGEST;
	job.pass_count = 0;
	job.written = 0;
	begin(PASS_FLUSH);
	begin(PASS_WIPE);
	ck_assert_str_eq(text(), ">PREPARE 25.0% .copy .rescue .flush .verify .finish");
	begin(PASS_COPY);
	job.written = 523;
	begin(PASS_TRIM);
	begin(PASS_SCRAPE);
	job.rescue.non_scraped = 750;
	ck_assert_str_eq(text(), "vprepare vcopy >RESCUE 25.0% .flush .verify .finish");
	ck_assert(run_is_rescue(&job));
	begin(PASS_FLUSH);
	job.state = JOB_VERIFYING;
	begin(PASS_VERIFY);
	ck_assert_str_eq(text(), "vprepare vcopy vrescue vflush >VERIFY 25.0% .finish");
	ck_assert_str_eq(percent(), "25.0%");
	ck_assert_ptr_eq(job_pass_counted(&job), &job.passes[job.pass_count - 1]);
	/* What differs is copied once more: that is still verifying. */
	begin(PASS_REWRITE);
	begin(PASS_LOOK);
	ck_assert_str_eq(text(), "vprepare vcopy vrescue vflush vverify >FINISH 25.0%");
}

/* What is left falls from pass to pass, whatever each of them counts. */
TEST(test_a_rescue_never_goes_back)
{
	job.pass_count = 0;
	begin(PASS_COPY);
	begin(PASS_TRIM);
	job.rescue.non_trimmed = 900;
	job.rescue.non_scraped = 50;
	ck_assert_str_eq(percent(), "5.0%");
	begin(PASS_SCRAPE);
	job.passes[2] = (struct job_pass){ .kind = PASS_SCRAPE, .done = 25, .total = 400 };
	job.rescue.non_trimmed = 0;
	job.rescue.non_scraped = 375;
	ck_assert_str_eq(percent(), "62.5%");
	ck_assert_double_eq_tol(run_stage_done(&job), 0.625, 1e-9);
	job.rescue.non_scraped = 0;
	ck_assert_str_eq(percent(), "100.0%");
	/* A map that is resumed may leave more than the first pass takes. */
	job.rescue.non_scraped = 5000;
	ck_assert_str_eq(percent(), "0.0%");
}

/* Verifying alone writes nothing. */
TEST(test_only_verified)
{
	options.verify = VERIFY_DIGEST;
	job.only_reads = true;
	job.state = JOB_VERIFYING;
	job.pass_count = 0;
	begin(PASS_COMPARE);
	ck_assert_str_eq(text(), ">VERIFY 25.0%");
	job.state = JOB_ENDED;
	ck_assert_str_eq(text(), "vverify");
}

/* A flush has no percent, and the last write of the copy is not yet its end. */
TEST(test_percent)
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

/* Also with more passes than are kept. */
TEST(test_many_passes)
{
	for (unsigned count = 0; count <= JOB_PASSES_MAX + 2; count++) {
		job.pass_count = count;
		for (unsigned i = 0; i < JOB_PASSES_MAX; i++)
			job.passes[i].kind = i % 2 ? PASS_FLUSH : PASS_COPY;
		job.pass = count ? PASS_COPY : PASS_NONE;
		ck_assert_ptr_nonnull(strstr(text(), count > 1 ? "FLUSH"
						     : count   ? "COPY"
							       : "PREPARE"));
	}
}
