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

/* Bytes a second: the better part of a minute, so that nothing has to hurry; but the held areas
 * are read first, at this rate, too. The end goes at full speed. */
#define SLOW (256 * 1024)

static void setup(void)
{
	on_vanish = SESSION_VANISH_WAIT;
	map_interval = 1;
	session_setup();
}

/* As a whole: while files are removed one by one, the map is saved beside them. */
static void lose(const char *folder)
{
	run("mv %s %s.lost", folder, folder);
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
	check_done(session_move_map(session, path, &error));
	for (int i = 0; i < 20000; i++) {
		usleep(10000);
		if (session_dispatch(session) & SESSION_CHANGE_MAP)
			return session_error(session, SESSION_TASK_MOVE)->code;
	}
	ck_abort_msg("no answer");
	return 0;
}

SESSION_CASE(setup);

TEST(map_finds_another_place)
{
	char lost[160], place[160], moved[512];

	text_copy(lost, sizeof(lost), path_of("lost"));
	text_copy(place, sizeof(place), path_of("place"));
	ck_assert_int_eq(mkdir(lost, 0700), 0);
	ck_assert_int_eq(mkdir(place, 0700), 0);
	begin_copy("lost/copy.map", SLOW);
	ck_assert_ptr_nonnull(strstr(session_copy(session).map_path, "lost/copy.map"));
	lose(lost);
	ck_assert(!until(true).map_safe);
	/* Neither a place that does not exist nor a file that is somebody else's. */
	ck_assert_int_eq(move_to(path_of("nowhere/copy.map")), -ENOENT);
	ck_assert_int_eq(move_to(path_of("a.img")), -EEXIST);
	ck_assert_int_eq(move_to(place), 0);
	ck_assert(until(false).map_safe);
	text_copy(moved, sizeof(moved), session_copy(session).map_path);
	ck_assert_int_eq(strncmp(moved, place, strlen(place)), 0);
	job_stop(session_copy(session).job);
	const struct report *report = finish();

	ck_assert_int_eq(report_exit_code(report), EXIT_STOPPED);
	ck_assert_str_eq(report->files.map, moved);
	close_session();
	open_session("logs", NULL);
	check_done(plan_from_map(moved));
	ck_assert_int_eq(session_confirm(session, session_choice(session).token, &error), 0);
	start_copy();
	job_set_rate(session_copy(session).job, 0);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	ck_assert(same_files("a.img", "b.img"));
}

static bool holds(const char *path, const char *text)
{
	static char all[1 << 16];
	FILE *f = fopen(path, "re");

	ck_assert_msg(f != NULL, "%s", path);
	all[fread(all, 1, sizeof(all) - 1, f)] = '\0';
	fclose(f);
	return strstr(all, text) != NULL;
}

/* With the directory that is lost all of it is lost, so all of it goes to the new place. */
TEST(log_and_report_go_with_the_map)
{
	char lost[160], place[160], before[512];

	text_copy(lost, sizeof(lost), path_of("logs"));
	text_copy(place, sizeof(place), path_of("place"));
	ck_assert_int_eq(mkdir(place, 0700), 0);
	begin_copy(NULL, SLOW);
	text_copy(before, sizeof(before), session_copy(session).map_path);
	lose(lost);
	until(true);
	ck_assert_int_eq(move_to(place), 0);
	ck_assert(session_copy(session).log_moved);
	ck_assert(until(false).map_safe);
	job_set_rate(session_copy(session).job, 0);

	const struct report *report = finish();
	const char *const files[] = { report->files.log, report->files.json,
				      report->files.certificate, report->files.digests,
				      report->files.map };

	ck_assert_int_eq(report_exit_code(report), EXIT_COMPLETE);
	ck_assert(report->job.digests_saved);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		ck_assert_int_eq(strncmp(files[i], place, strlen(place)), 0);
		ck_assert_msg(access(files[i], F_OK) == 0, "%s", files[i]);
	}
	ck_assert_int_eq(access(lost, F_OK), -1);
	/* The new log can be read without the old one. */
	text_copy(strrchr(before, '.'), 5, ".log");
	ck_assert(holds(report->files.log, before));
	ck_assert(holds(report->files.log, destination));
	ck_assert(holds(report->files.log, "verified"));
}

TEST(nobodys_files_make_way)
{
	char place[160], name[700], log[700];

	text_copy(place, sizeof(place), path_of("place"));
	ck_assert_int_eq(mkdir(place, 0700), 0);
	begin_copy(NULL, SLOW);
	text_copy(name, sizeof(name), strrchr(session_copy(session).map_path, '/'));
	text_copy(strrchr(name, '.'), 6, ".json");
	snprintf(log, sizeof(log), "%s%s", place, name);
	run("echo precious >%s", log);
	/* The tables of the source would be saved under this name. */
	run("echo precious >%.*stables", (int)(strlen(log) - strlen("json")), log);
	ck_assert_int_eq(move_to(place), -EEXIST);
	run("rm %.*stables", (int)(strlen(log) - strlen("json")), log);
	ck_assert_int_eq(move_to(place), 0);
	ck_assert(!session_copy(session).log_moved);
	ck_assert_int_eq(strncmp(session_copy(session).map_path, place, strlen(place)), 0);
	job_set_rate(session_copy(session).job, 0);

	const struct report *report = finish();

	ck_assert_int_eq(report_exit_code(report), EXIT_COMPLETE);
	ck_assert_ptr_nonnull(strstr(report->files.log, "logs"));
	ck_assert_ptr_nonnull(strstr(report->files.json, "logs"));
	ck_assert_int_eq(access(report->files.map, F_OK), 0);
	ck_assert(holds(log, "precious"));
}

TEST(a_disk_of_the_copy_is_no_place)
{
	char small[160];

	text_copy(small, sizeof(small), path_of("small"));
	ck_assert_int_eq(mkdir(small, 0700), 0);
	/* Who mounts it for writing at the start is refused. */
	run("mkfs.ext4 -q -F %s && mount -o ro %s %s", source, source, small);
	begin_copy(NULL, SLOW);
	run("mount -o remount,rw %s", small);
	ck_assert_int_eq(move_to(small), -EXDEV);
	ck_assert_int_eq(session_error(session, SESSION_TASK_MOVE)->class, ERROR_CLASS_REFUSED);
	ck_assert_ptr_nonnull(strstr(session_copy(session).map_path, "logs"));
	job_set_rate(session_copy(session).job, 0);
	finish();
	run("umount %s", small);
}

/* Where a copy that began in the same second may have fallen back to, too. */
TEST_ROWS(it_falls_back_to_the_log_directory, 2)
{
	char other[700];

	begin_copy("copy.map", SLOW);
	snprintf(other, sizeof(other), "%s%s", path_of("logs"),
		 strrchr(session_copy(session).map_path, '/'));
	if (_i)
		run("echo precious >%s", other);
	ck_assert_int_eq(move_to(NULL), 0);
	ck_assert((strcmp(session_copy(session).map_path, other) == 0) == !_i);
	ck_assert(!_i || strstr(session_copy(session).map_path, "copy-2.map"));
	job_set_rate(session_copy(session).job, 0);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	ck_assert_int_eq(access(session_copy(session).report->files.map, F_OK), 0);
	ck_assert(!_i || holds(other, "precious"));
}

TEST(no_copy_no_map)
{
	open_session("logs", NULL);
	ck_assert_int_eq(session_move_map(session, "/tmp", &error), -EINVAL);
}
