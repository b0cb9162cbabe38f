/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "ui/report/model.h"

static struct extent extent = { 0, 0, 2048 };
static struct plan plan;
static struct report report;

static void setup(void)
{
	memset(&plan, 0, sizeof(plan));
	memset(&report, 0, sizeof(report));
	plan.extents = &extent;
	plan.extent_count = 1;
	plan.total_sectors = 2048;
	plan.sector_size = 512;
	plan.source.kind = plan.destinations[0].kind = ENDPOINT_DISK;
	report.plan = &plan;
	report.job.state = JOB_ENDED;
	report.job.result = JOB_RESULT_PARTIAL;
	report.job.flushed = true;
	report.job.total = report.job.written = 2048 * 512;
	report.job.bad_areas = report.job.bad_shown = 1;
	report.job.bad[0] = (struct job_bad_area){ .lba = 7, .sectors = 1, .code = -5 };
	strcpy(report.next[0], "Rebuild it:  sfdisk --dump /dev/sda | grep -v -e '^last-lba' -e "
			       "'start= *43008,' | sfdisk --wipe never /dev/sdb");
	report.next_count = 1;
}

UNIT_CASE(.setup = setup);

TEST(test_lines)
{
	struct report_lines lines = { 0 };
	bool heading = false, whole = false;

	for (int columns = 40; columns <= 250; columns += 10) {
		ck_assert_int_eq(report_lines_make(&lines, &report, false, columns, NULL), 0);
		ck_assert_uint_gt(lines.count, 8);
		for (size_t i = 0; i < lines.count; i++) {
			if (text_width(lines.items[i]) > columns)
				ck_abort_msg("%d: %s", columns, lines.items[i]);
			ck_assert_ptr_null(strchr(lines.items[i], '\n'));
			if (report_line_role(&report, &lines, i) == ROLE_STRONG)
				heading = true;
			/* The end of a command that is longer than the screen is wide. */
			whole |= strstr(lines.items[i], "/dev/sdb") != NULL;
		}
		ck_assert(whole);
		whole = false;
		ck_assert_ptr_nonnull(strstr(lines.items[0], "PARTIAL"));
		ck_assert_int_eq(report_line_role(&report, &lines, 0), ROLE_WARN);
	}
	ck_assert(heading);
	report_lines_done(&lines);
	report_lines_done(&lines);
}

/* The look follows the result that is said, also where the flush decides. */
TEST(test_roles)
{
	static const struct {
		enum job_result result;
		enum error_class class;
		enum role role;
	} cases[] = {
		{ JOB_RESULT_COMPLETE, ERROR_CLASS_NONE, ROLE_OK },
		{ JOB_RESULT_PARTIAL, ERROR_CLASS_NONE, ROLE_WARN },
		{ JOB_RESULT_STOPPED, ERROR_CLASS_NONE, ROLE_WARN },
		{ JOB_RESULT_FAILED, ERROR_CLASS_DESTINATION, ROLE_BAD },
	};

	report.job.bad_areas = 0;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		report.job.result = cases[i].result;
		report.job.bad_areas = cases[i].result == JOB_RESULT_PARTIAL;
		report.job.error.class = cases[i].class;
		report.job.error.code = cases[i].class ? -5 : 0;
		ck_assert_int_eq(report_result_role(&report), cases[i].role);
	}
	report.job.result = JOB_RESULT_COMPLETE;
	report.job.flushed = false;
	ck_assert_int_ne(report_result_role(&report), ROLE_OK);
}

/* What was not copied is blank in the graph, not zero. */
TEST(test_profile)
{
	float samples[300];

	for (int i = 0; i < RATES_PROFILE / 2; i++)
		report.rates.profile[i] = 200e6F;
	report.rates.profile[3] = 250e6F;
	for (int count = 1; count <= 300; count++) {
		ck_assert_float_eq(report_profile(&report.rates, samples, count), 250);
		ck_assert(!isnan(samples[0]));
		if (count > 1)
			ck_assert(isnan(samples[count - 1]));
	}
}

/* However few columns there are: it is what the graph is looked at for. */
TEST(test_no_dip_is_lost)
{
	float samples[300], least;

	for (int dip = 0; dip < RATES_PROFILE; dip++) {
		for (int i = 0; i < RATES_PROFILE; i++)
			report.rates.profile[i] = i == dip ? 20e6F : 200e6F;
		for (int count = 1; count <= 300; count++) {
			report_profile(&report.rates, samples, count);
			least = samples[0];
			for (int i = 1; i < count; i++)
				least = fminf(least, samples[i]);
			ck_assert_float_eq(least, 20);
		}
	}
}
