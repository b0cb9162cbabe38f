/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a report: itself, whole or not at all, and the lists of checksums beside it. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/sample.h"

static void check_line(const char *path, const char *wanted)
{
	char text[1024];
	FILE *file = fopen(path, "r");
	bool found = false;

	ck_assert_ptr_nonnull(file);
	while (fgets(text, sizeof(text), file))
		found = found || strcmp(text, wanted) == 0;
	fclose(file);
	ck_assert_msg(found, "%s is not in %s", wanted, path);
}

SAMPLE_CASE;

TEST(lists_of_checksums_are_as_md5sum_reads_them)
{
	char directory[] = "/tmp/clonedeck-checksums-XXXXXX", path[512];
	struct error error = { 0 };

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(sample.report.files.checksums, sizeof(sample.report.files.checksums), "%s/x",
		 directory);
	/* Not known: no file. */
	sample_add_checksums(&sample, JOB_SUMS_INCOMPLETE);
	ck_assert_int_eq(report_save_sums(&sample.report, NULL, &error), 0);
	ck_assert(!report_sum_path(&sample.report, CHECKSUM_MD5, path, sizeof(path)));

	sample_add_checksums(&sample, JOB_SUMS_OF_SOURCE);
	strcpy(sample.plan->source.node, "/tmp/a\\b\nc");
	ck_assert_int_eq(report_save_sums(&sample.report, NULL, &error), 0);
	ck_assert(report_sum_path(&sample.report, CHECKSUM_MD5, path, sizeof(path)));
	check_line(path, "\\bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb  /tmp/a\\\\b\\nc\n");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert(report_sum_path(&sample.report, CHECKSUM_SHA512, path, sizeof(path)));
	ck_assert_int_eq(unlink(path), 0);

	/* With zeros in it nobody finds it on the source, and on the destination is more. */
	sample.report.job.sums.state = JOB_SUMS_OF_DESTINATION;
	sample.report.job.sums.zeros = 512;
	ck_assert_int_eq(report_save_sums(&sample.report, NULL, &error), 0);
	ck_assert(report_sum_path(&sample.report, CHECKSUM_MD5, path, sizeof(path)));
	check_line(path, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb  -\n");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert(report_sum_path(&sample.report, CHECKSUM_SHA512, path, sizeof(path)));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(directory), 0);
	/* The folder is gone. */
	ck_assert_int_eq(report_save_sums(&sample.report, NULL, &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.sentence, directory));
}

TEST(saving_replaces_the_file_whole)
{
	char directory[] = "/tmp/test-report.XXXXXX", path[64], name[128];
	struct error error = { 0 };
	struct stat st;

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/r.json", directory);
	ck_assert_int_eq(report_save(&sample.report, REPORT_JSON, path, NULL, &error), 0);
	ck_assert_int_eq(report_save(&sample.report, REPORT_JSON, path, NULL, &error), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_gt(st.st_size, 1000);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(report_save(&sample.report, REPORT_TEXT, path, NULL, &error), 0);
	ck_assert_int_eq(report_save(&sample.report, REPORT_HTML, path, NULL, &error), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_gt(st.st_size, 1000);
	ck_assert_int_eq(unlink(path), 0);
	/* Nothing was left beside it. */
	ck_assert_int_eq(rmdir(directory), 0);

	snprintf(name, sizeof(name), "%s/no/such/r.json", directory);
	ck_assert_int_eq(report_save(&sample.report, REPORT_JSON, name, NULL, &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.sentence, name));
	ck_assert_int_eq(report_save(&sample.report, REPORT_JSON, "/dev/full", NULL, &error),
			 -EINVAL);
}
