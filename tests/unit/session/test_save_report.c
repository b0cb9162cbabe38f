/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of a copy: its log, and the report wherever it is wanted. Root only. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "session/run.h"

#include "rig.h"

static bool holds(const char *path, const char *text)
{
	return succeeds("grep -qF '%s' %s", text, path);
}

SESSION_CASE(session_setup);

TEST(what_happens_around_a_copy_is_in_its_log)
{
	open_session("logs", NULL);
	session_note(session, "too early");
	plan_and_confirm(source, destination, 4 * 1024 * 1024);
	start_copy();
	session_note(session, "The terminal is gone");
	const struct report *report = finish();

	session_note(session, "too late");
	ck_assert(holds(report->files.log, "The terminal is gone"));
	ck_assert(!holds(report->files.log, "too "));
}

TEST(report_and_certificate_name_operator_and_ticket)
{
	open_session("logs", NULL);
	session_sign(session, "A. Operator", "T-17\033[31m", false, NULL);
	plan_and_confirm(source, destination, 0);
	start_copy();
	const struct report *report = finish();

	ck_assert_str_eq(report->operator_name, "A. Operator");
	ck_assert_str_eq(report->ticket, "T-17?[31m");
	ck_assert_str_eq(report->map_cells + REPORT_MAP_CELLS - 1, "+");
	ck_assert(holds(report->files.json, "A. Operator"));
	ck_assert(holds(report->files.json, report->files.certificate));
	ck_assert(holds(report->files.certificate, "A. Operator"));
	ck_assert(holds(report->files.certificate, "COMPLETE"));
}

/* Something else has got its name meanwhile. Where it was asked for, whoever looks at nothing but
 * the exit status learns it, too. */
TEST_ROWS(a_report_that_cannot_be_saved, 3)
{
	char report_path[160], certificate_path[160];
	struct session_options wanted = {
		.all = true,
		.log_dir = directory,
		.report_path = _i == 1 ? text_copy(report_path, 160, path_of("r.json")) : NULL,
		.certificate_path =
			_i == 2 ? text_copy(certificate_path, 160, path_of("c.html")) : NULL,
	};

	ck_assert_int_eq(session_new(&wanted, &session, &error), 0);
	ck_assert_int_eq(scan_once(), 0);
	plan_and_confirm(source, destination, 4 * 1024 * 1024);
	start_copy();
	if (_i == 0)
		run("cd %s && for i in *.log; do mkdir ${i%%.log}.json; done", directory);
	else
		ck_assert_int_eq(mkdir(path_of(_i == 1 ? "r.json" : "c.html"), 0700), 0);
	wait_for_end();
	ck_assert_int_eq(finish_and_wait(), -EINVAL);

	const struct report *report = session_copy(session).report;

	ck_assert_str_eq(report_result_word(report), "COMPLETE");
	ck_assert_int_eq(report_end_code(report), _i == 0 ? EXIT_COMPLETE : EXIT_BAD_AREAS);
	ck_assert_str_eq(_i == 2 ? report->files.certificate : report->files.json, "");
	/* The report was saved after the certificate, and knows. */
	if (_i == 2)
		ck_assert(holds(report->files.json, "\"exit_code\": 4"));
}

/* A later verification by the report needs them; no option asks for them. */
TEST(digests_that_cannot_be_saved_are_told)
{
	begin_copy(NULL, 4 * 1024 * 1024);
	run("cd %s && for i in *.log; do mkdir ${i%%.log}.digests; done", path_of("logs"));
	wait_for_end();
	ck_assert_int_eq(finish_and_wait(), -EEXIST);
	ck_assert(strstr(error.sentence, "The list of digests could not be saved as ") != NULL);

	const struct report *report = session_copy(session).report;

	ck_assert_str_eq(report_result_word(report), "COMPLETE");
	ck_assert_int_eq(report_end_code(report), EXIT_COMPLETE);
	ck_assert(holds(report->files.json, "The list of digests could not be saved as "));
	ck_assert(holds(report->files.json, "\"digests\": null"));

	char *text = NULL;

	ck_assert_int_eq(report_text(report, REPORT_SHORT, 200, &text, &error), 0);
	ck_assert(strstr(text, ".digests could not be written") != NULL);
	free(text);
}

TEST(a_report_is_saved_elsewhere_in_three_forms)
{
	char path[192], place[160];

	begin_copy(NULL, 0);
	const struct report *report = finish();

	text_copy(place, sizeof(place), path_of("place"));
	ck_assert_int_eq(mkdir(place, 0700), 0);
	ck_assert_int_eq(sign_report(NULL, "late", true), 0);
	ck_assert(holds(report->files.json, "\"ticket\": \"late\""));
	ck_assert(holds(report->files.certificate, "late"));
	check_done(save_report(place));
	ck_assert_int_eq(strncmp(report->files.json, place, strlen(place)), 0);
	ck_assert(holds(report->files.json, report->files.json));
	ck_assert(holds(report->files.json, report->files.digests));
	ck_assert_int_eq(strncmp(report->files.digests, place, strlen(place)), 0);
	ck_assert_int_eq(access(report->files.digests, R_OK), 0);
	ck_assert(holds(report->files.certificate, "late"));
	/* Named by one of the three, whichever. */
	static const char *const endings[] = { "", ".json", ".txt", ".html" };

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		snprintf(path, sizeof(path), "%s/name%s", place, endings[i]);
		ck_assert_int_eq(save_report(path), 0);
		for (size_t k = 1; k < ARRAY_SIZE(endings); k++) {
			snprintf(path, sizeof(path), "%s/name%s", place, endings[k]);
			ck_assert_int_eq(unlink(path), 0);
		}
	}
	/* What failed leaves the names of what there is. */
	text_copy(path, sizeof(path), report->files.json);
	ck_assert_int_eq(save_report("/proc/none/x"), -ENOENT);
	ck_assert_str_eq(report->files.json, path);
}

/* Where the log was is gone by then, as after the restart of a rescue system. */
TEST(what_was_saved_is_enough_to_verify_years_later)
{
	char place[160], saved[192], first[512];

	begin_copy(NULL, 0);
	const struct report *report = finish();

	text_copy(first, sizeof(first), report->files.digests);
	text_copy(place, sizeof(place), path_of("place"));
	ck_assert_int_eq(mkdir(place, 0700), 0);
	snprintf(saved, sizeof(saved), "%s/customer.json", place);
	check_done(save_report(saved));
	ck_assert_int_eq(sign_report(NULL, NULL, true), 0);
	ck_assert(holds(saved, "customer.digests"));
	ck_assert(!holds(first, "masked=yes"));
	/* Again with v: with the first list, wherever the stick is by now. */
	snprintf(saved, sizeof(saved), "%s/customer.digests", place);
	ck_assert(holds(saved, "masked=yes"));
	run("mv %s %s.away", saved, saved);
	check_done(session_verify(session, &error));
	while (session_state(session) == SESSION_VERIFYING) {
		if (session_can_finish(session))
			ck_assert_int_eq(session_finish(session, &error), 0);
		else
			wait_once();
	}
	ck_assert_ptr_nonnull(session_copy(session).verified);
	ck_assert_int_eq(session_copy(session).verified->result, JOB_RESULT_COMPLETE);
	/* Without the first list the rest is saved all the same, and it is told. */
	ck_assert_int_eq(unlink(first), 0);
	snprintf(saved, sizeof(saved), "%s/second", place);
	ck_assert_int_eq(save_report(saved), -ENOENT);
	snprintf(saved, sizeof(saved), "%s/second.json", place);
	ck_assert(holds(saved, "customer.digests"));
}

TEST(a_report_is_not_saved_onto_the_copy)
{
	run("mkfs.ext4 -q -F %s", source);
	begin_copy(NULL, 0);
	finish();
	ck_assert_int_eq(mkdir(path_of("copy-small"), 0700), 0);
	run("mount %s %s", destination, path_of("copy-small"));
	int r = save_report(path_of("copy-small"));

	run("umount %s", path_of("copy-small"));
	ck_assert_int_eq(r, -EACCES);
	ck_assert_int_eq(error.class, ERROR_CLASS_REFUSED);
	ck_assert_ptr_nonnull(strstr(error.sentence, destination));
}

/* A copy that has ended, and an ext4 stick of this size. */
static struct stick finish_with_stick(const char *size)
{
	struct stick stick = { .fs = "ext4", .model = "Stick" };
	struct stat st;

	begin_copy(NULL, 0);
	finish();
	run("truncate -s %s %s", size, path_of("stick.img"));
	run("mkfs.ext4 -q -O ^has_journal %s", path_of("stick.img"));
	attach("stick.img", stick.node, sizeof(stick.node));
	ck_assert_int_eq(stat(stick.node, &st), 0);
	stick.devno = st.st_rdev;
	return stick;
}

static int save_on(const struct stick *stick)
{
	int r = session_save(session, NULL, stick, &error);

	return r < 0 ? r : wait_for_save();
}

/* With tools that do not mount it. */
static bool stick_has(const char *name)
{
	return succeeds("debugfs -R 'ls /clonedeck' %s 2>&1 | grep -q '%s'", path_of("stick.img"),
			name);
}

TEST(all_is_saved_on_a_stick_that_can_be_pulled_then)
{
	struct stick stick = finish_with_stick("8M");
	char json[512];

	text_copy(json, sizeof(json), session_copy(session).report->files.json);
	check_done(save_on(&stick));
	detach(stick.node, "stick.img");
	ck_assert(stick_has(".json") && stick_has(".txt") && stick_has(".html"));
	ck_assert(stick_has(".log") && stick_has(".map") && stick_has(".digests"));
	run("e2fsck -fn %s >/dev/null 2>&1", path_of("stick.img"));
	/* What the report calls its files is where they stay. */
	ck_assert_str_eq(session_copy(session).report->files.json, json);
}

/* The log names the serial numbers, and is not changed. */
TEST(a_masked_report_is_saved_without_the_log)
{
	struct stick stick = finish_with_stick("8M");

	ck_assert_int_eq(sign_report(NULL, NULL, true), 0);
	check_done(save_on(&stick));
	ck_assert(stick_has(".html") && !stick_has(".log") && !stick_has(".map"));
}

TEST(a_full_stick_is_told_of)
{
	struct stick stick = finish_with_stick("1M");

	run("mkdir %s && mount %s %s", path_of("on-small"), stick.node, path_of("on-small"));
	run("dd if=/dev/zero of=%s/all status=none 2>/dev/null || :", path_of("on-small"));
	run("umount %s", path_of("on-small"));
	ck_assert_int_eq(save_on(&stick), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(error.sentence, "no room"));
	detach(stick.node, "stick.img");
}

TEST(a_stick_that_cannot_be_written_is_told_of)
{
	struct stick stick = finish_with_stick("8M"), other = stick;

	run("blockdev --setro %s", stick.node);
	ck_assert_int_lt(save_on(&stick), 0);
	ck_assert_msg(strstr(error.sentence, "write-protected") != NULL, "%s", error.sentence);
	run("blockdev --setrw %s", stick.node);
	run("mkdir %s && mount %s %s", path_of("on-small"), stick.node, path_of("on-small"));
	ck_assert_int_eq(save_on(&stick), -EBUSY);
	run("umount %s", path_of("on-small"));
	/* Another disk has its name by now. */
	other.devno++;
	ck_assert_int_eq(save_on(&other), -ESTALE);
	ck_assert_ptr_nonnull(strstr(error.sentence, "another one"));
	ck_assert(!stick_has("json"));
}

/* Its folder is a link to one of this machine. */
TEST(no_link_on_a_stick_is_followed)
{
	struct stick stick = finish_with_stick("8M");

	run("mkdir %s %s", path_of("on-small"), path_of("outside"));
	run("mount %s %s", stick.node, path_of("on-small"));
	run("ln -s %s %s/clonedeck", path_of("outside"), path_of("on-small"));
	run("umount %s", path_of("on-small"));
	ck_assert_int_lt(save_on(&stick), 0);
	run("rmdir %s", path_of("outside"));
	detach(stick.node, "stick.img");
}
