/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The place of the map goes away under a running copy: it goes on, and the map finds another. */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

#include "rig.h"

/* Bytes a second: minutes, so that nothing has to hurry. The end goes at full speed. */
#define SLOW (64 * 1024)

static void setup(void)
{
	on_vanish = SESSION_VANISH_WAIT;
	map_interval = 1;
	session_setup();
}

static struct job_snapshot until(bool failed)
{
	uint64_t end = clock_monotonic() + 200 * NSEC_PER_SEC;
	struct job_snapshot job;

	do {
		ck_assert_uint_lt(clock_monotonic(), end);
		usleep(20000);
		session_dispatch(session);
		ck_assert(session_snapshot(session, &job));
		ck_assert_int_ne(job.state, JOB_ENDED);
	} while (job.map_failed != failed);
	return job;
}

static int move_to(const char *path)
{
	struct error error = { 0 };

	ck_assert_msg(session_move_map(session, path, &error) == 0, "%s", error.sentence);
	for (int i = 0; i < 20000; i++) {
		usleep(10000);
		if (session_dispatch(session) & SESSION_CHANGE_MAP)
			return session_move_error(session)->code;
	}
	ck_abort_msg("no answer");
	return 0;
}

START_TEST(map_finds_another_place)
{
	struct error error = { 0 };
	char lost[160], place[160], moved[512];

	text_copy(lost, sizeof(lost), path_of("lost"));
	text_copy(place, sizeof(place), path_of("place"));
	ck_assert_int_eq(mkdir(lost, 0700), 0);
	ck_assert_int_eq(mkdir(place, 0700), 0);
	open_session("logs", "lost/copy.map");
	plan_and_confirm(source, destination, SLOW);
	start_copy();
	ck_assert_ptr_nonnull(strstr(session_map_path(session), "lost/copy.map"));
	run("rm -rf %s", lost);
	ck_assert(!until(true).map_safe);
	/* Neither a place that does not exist nor a file that is somebody else's. */
	ck_assert_int_eq(move_to(path_of("nowhere/copy.map")), -ENOENT);
	ck_assert_int_eq(move_to(path_of("a.img")), -EEXIST);
	ck_assert_int_eq(move_to(place), 0);
	ck_assert(until(false).map_safe);
	text_copy(moved, sizeof(moved), session_map_path(session));
	ck_assert_int_eq(strncmp(moved, place, strlen(place)), 0);
	job_stop(session_job(session));
	const struct report *report = finish();

	ck_assert_int_eq(report_exit_code(report), EXIT_STOPPED);
	ck_assert_str_eq(report->map_path, moved);
	session_destroy(session);
	session = NULL;
	open_session("logs", NULL);
	ck_assert_msg(session_plan_from_map(session, moved, &error) == 0, "%s", error.sentence);
	ck_assert_int_eq(session_confirm(session, session_token(session), &error), 0);
	start_copy();
	job_set_rate(session_job(session), 0);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	ck_assert(same_files("a.img", "b.img"));
}
END_TEST

START_TEST(usual_places_are_tried_in_turn)
{
	open_session("logs", "copy.map");
	plan_and_confirm(source, destination, SLOW);
	start_copy();
	ck_assert_int_eq(move_to(NULL), 0);
	/* The log directory is the first of them. */
	ck_assert_ptr_nonnull(strstr(session_map_path(session), "logs"));
	job_set_rate(session_job(session), 0);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	ck_assert_int_eq(access(session_report(session)->map_path, F_OK), 0);
}
END_TEST

START_TEST(no_copy_no_map)
{
	struct error error = { 0 };

	open_session("logs", NULL);
	ck_assert_int_eq(session_move_map(session, "/tmp", &error), -EINVAL);
}
END_TEST

Suite *unit_suite(void)
{
	TCase *tcase;
	Suite *suite = session_suite("move", setup, &tcase);

	tcase_add_test(tcase, map_finds_another_place);
	tcase_add_test(tcase, usual_places_are_tried_in_turn);
	tcase_add_test(tcase, no_copy_no_map);
	return suite;
}
