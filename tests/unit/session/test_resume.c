/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies that go on from their map, and maps that none goes on from. Root only. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "discover/running.h"
#include "session/run.h"

#include "rig.h"

/* Stops a slow copy in its middle; returns the path of its map. */
static const char *stop_in_the_middle(void)
{
	static char path[160];
	struct job_snapshot job;

	begin_copy("a copy.map", 1024 * 1024);
	do {
		usleep(20000);
		job_snapshot(session_copy(session).job, &job);
	} while (job.written == 0);
	job_stop(session_copy(session).job);
	const struct report *report = finish();

	ck_assert_int_eq(report_exit_code(report), EXIT_STOPPED);
	ck_assert_uint_lt(report->job.written, SIZE);
	/* To be pasted into a shell. */
	ck_assert_ptr_nonnull(strstr(report->next[0], "clonedeck resume '/"));
	ck_assert_ptr_nonnull(strstr(report->next[0], "-a copy.map'"));
	close_session();
	return text_copy(path, sizeof(path), path_of("a copy.map"));
}

SESSION_CASE(session_setup);

TEST(stopped_copy_is_resumed)
{
	const char *map = stop_in_the_middle();

	open_session("logs", NULL);
	check_done(plan_from_map(map));
	ck_assert_int_eq(session_confirm(session, destination, &error), 0);
	start_copy();
	job_set_rate(session_copy(session).job, 0);
	const struct report *report = finish();

	ck_assert_int_eq(report_exit_code(report), EXIT_COMPLETE);
	ck_assert_uint_gt(report->job.already, 0);
	ck_assert_uint_eq(report->job.written, SIZE);
	ck_assert_str_eq(report->files.map, map);
	ck_assert(same_files("a.img", "b.img"));
}

/* That copy was of another plan: nothing of its table is the map's. Looked at again, with hot-plug,
 * its plan has no layout to be fitted any more. */
TEST_ROWS(a_map_after_a_table_that_was_made_to_fit, 2)
{
	const struct plan_options fit = { .table = TABLE_FIT, .verify = VERIFY_OFF };
	const char *map;
	char big[64];

	run("echo 2048,4096 | sfdisk -q -X gpt --no-reread --no-tell-kernel %s", source);
	map = stop_in_the_middle();
	make_file("big.img", 3);
	run("truncate -s %d %s", SIZE + SIZE / 2, path_of("big.img"));
	attach("big.img", big, sizeof(big));
	open_session("logs", NULL);
	session_scan(session, NULL);
	wait_for_change(SESSION_CHANGE_DISKS);
	check_done(make_plan_with(source, big, &fit));
	ck_assert_uint_gt(session_choice(session).plan->fitted.count, 0);
	if (_i) {
		session_scan(session, NULL);
		wait_for_change(SESSION_CHANGE_DISKS);
		ck_assert(session_wait(session, -1, TIMEOUT));
	}
	check_done(session_confirm(session, session_choice(session).token, &error));
	start_copy();
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	check_done(plan_from_map(map));
	ck_assert_uint_eq(session_choice(session).plan->extent_count, 1);
	ck_assert_uint_eq(plan_bytes(session_choice(session).plan), SIZE);
	ck_assert_ptr_null(session_choice(session).table);
	ck_assert_ptr_null(session_choice(session).offer);
}

static void write_to(const char *image)
{
	usleep(20000); /* times go by the clock's ticks */
	run("printf x | dd of=%s conv=notrunc status=none", image);
}

/* While it is copied, or while the copy is stopped: the copy is of two moments, wherever it was. */
TEST_ROWS(source_image_that_is_written_to_is_told_of, 2)
{
	char image[160], map[160];

	run("cp %s %s", path_of("a.img"), text_copy(image, sizeof(image), path_of("c.img")));
	open_session("logs", "image.map");
	plan_and_confirm(image, path_of("new.img"), _i ? 4 * 1024 * 1024 : 0);
	start_copy();
	if (!_i) {
		write_to(image);
		ck_assert_int_eq(report_exit_code(finish()), EXIT_BAD_AREAS);
		return;
	}
	usleep(500000);
	job_stop(session_copy(session).job);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_STOPPED);
	session_destroy(session);
	write_to(image);
	open_session("logs", NULL);
	text_copy(map, sizeof(map), path_of("image.map"));
	check_done(plan_from_map(map));
	ck_assert_int_eq(session_confirm(session, session_choice(session).token, &error), 0);
	start_copy();
	job_set_rate(session_copy(session).job, 0);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_BAD_AREAS);
}

static bool no_thread;

int __real_session_begin_task(struct session *s, enum session_task task, void (*body)(void *),
			      void *arg, struct error *reterr);
int __wrap_session_begin_task(struct session *s, enum session_task task, void (*body)(void *),
			      void *arg, struct error *reterr);
int __wrap_session_begin_task(struct session *s, enum session_task task, void (*body)(void *),
			      void *arg, struct error *reterr)
{
	return no_thread ? error_nomem(reterr)
			 : __real_session_begin_task(s, task, body, arg, reterr);
}

/* Nobody waits for a check that did not begin. */
TEST(a_map_that_cannot_be_checked_now)
{
	make_file("a.map", 1);
	open_session("logs", NULL);
	no_thread = true;
	ck_assert_int_eq(
		session_plan(session, &(struct session_wish){ .map = path_of("a.map") }, &error),
		-ENOMEM);
	no_thread = false;
	ck_assert_int_eq(session_state(session), SESSION_CHOOSING);
}

/* The copy is complete: so are its report and what is told of it. */
TEST(a_copy_that_ends_without_a_thread_for_its_report)
{
	begin_copy(NULL, 0);
	wait_for_end();
	while (!session_can_finish(session))
		wait_once();
	no_thread = true;
	ck_assert_int_eq(session_finish(session, &error), 0);
	no_thread = false;
	ck_assert_int_eq(session_state(session), SESSION_FINISHED);
	ck_assert_ptr_nonnull(session_copy(session).report);
	ck_assert_int_eq(report_end_code(session_copy(session).report), EXIT_COMPLETE);
	ck_assert_int_eq(access(session_copy(session).report->files.json, F_OK), 0);
}

/* Whoever is quick asks for it before the disks are known, on a busy machine most of all. */
TEST(a_map_needs_the_list_of_disks)
{
	const char *map = stop_in_the_middle();
	const struct session_wish wish = { .map = map };
	struct session_options options = { .all = true, .log_dir = directory };

	ck_assert_int_eq(session_new(&options, &session, &error), 0);
	ck_assert_int_eq(session_plan(session, &wish, &error), -EAGAIN);
	session_scan(session, NULL);
	ck_assert_int_eq(session_plan(session, &wish, &error), -EAGAIN);
	ck_assert_int_eq(session_state(session), SESSION_CHOOSING);
	while (!session_disks(session))
		wait_once();
	check_done(plan_from_map(map));
}

/* A loop device with another number is known by the file behind it. */
TEST(resume_finds_disks_under_other_names)
{
	const char *map = stop_in_the_middle();
	char blocker[64];

	detach(destination, "b.img");
	make_file("c.img", 3);
	attach("c.img", blocker, sizeof(blocker));
	attach("b.img", destination, sizeof(destination));
	open_session("logs", NULL);
	int r = plan_from_map(map);

	run("losetup -d %s", blocker);
	check_done(r);
	ck_assert_str_eq(session_choice(session).plan->destinations[0].node, destination);
}

TEST(resume_refuses_another_disk)
{
	const char *map = stop_in_the_middle();

	run("truncate -s 6M %s", path_of("c.img"));
	if (!replace(destination, "c.img"))
		return;
	open_session("logs", NULL);
	ck_assert_int_lt(plan_from_map(map), 0);
	ck_assert_int_eq(error_exit_code(&error), EXIT_REFUSED);
	ck_assert_ptr_null(session_choice(session).plan);
	ck_assert_int_eq(session_state(session), SESSION_CHOOSING);
}

static void confirm_and_run(void)
{
	check_done(session_confirm(session, session_choice(session).token, &error));
	start_copy();
	finish();
}

/* A copy that ends with bad areas, which its map names only: they can be read. */
static void end_with_bad_areas(void)
{
	struct plan_options options = PLAN_OPTIONS_DEFAULT;

	check_done(make_plan_with(source, destination, &options));
	confirm_and_run();
	ck_assert_int_eq(report_exit_code(session_copy(session).report), EXIT_COMPLETE);
	run("sed -i '/^0x/{/+$/d}' %s", path_of("copy.map"));
	run("printf '0 0x1000 +\\n0x1000 0x400 -\\n0x1400 0x600000 +\\n0x601400 0x200 -\\n"
	    "0x601600 0x1fea00 +\\n' >>%s",
	    path_of("copy.map"));
	check_done(plan_from_map(path_of("copy.map")));
	confirm_and_run();
	ck_assert_int_eq(report_exit_code(session_copy(session).report), EXIT_BAD_AREAS);
	ck_assert_uint_eq(session_copy(session).report->job.bad_areas, 2);
}

static void plan_from_its_map(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s", session_copy(session).map_path);
	check_done(plan_from_map(path));
}

TEST(chosen_bad_areas_are_read_again)
{
	static struct range items[] = { { 8, 2 } }, good[] = { { 100, 50 } };
	const struct range_list chosen = { items, 1, 1 }, nothing = { good, 1, 1 };

	open_session("logs", "copy.map");
	ck_assert_int_eq(session_retry_areas(session, &chosen, &error), -EINVAL);
	end_with_bad_areas();
	plan_from_its_map();
	check_done(session_retry_areas(session, &chosen, &error));
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert(session_choice(session).resumes);
	ck_assert_uint_eq(session_choice(session).retry->count, 1);
	ck_assert_uint_eq(session_choice(session).plan->options.retry_passes, 1);
	confirm_and_run();
	ck_assert_int_eq(report_exit_code(session_copy(session).report), EXIT_BAD_AREAS);
	ck_assert_uint_eq(session_copy(session).report->job.bad_areas, 1);
	ck_assert_uint_eq(session_copy(session).report->job.bad[0].lba, 0x601400 / 512);
	/* What is good there has no bad area, and without a plan none is left. */
	plan_from_its_map();
	ck_assert_int_eq(session_retry_areas(session, &nothing, &error), -ENODATA);
	session_discard_plan(session);
	ck_assert_uint_eq(session_choice(session).retry->count, 0);
}

static void check_unfinished(const char *expected)
{
	struct session_unfinished found;

	ck_assert(session_unfinished(session, &found) == (expected[0] != '\0'));
	ck_assert_str_eq(found.map, expected);
	ck_assert_str_eq(found.running, "");
}

/* After a power failure nobody remembers the name of the map. */
TEST(the_newest_map_is_found_where_its_copy_was_not_finished)
{
	open_session("logs", NULL);
	check_unfinished("");
	run("mkdir -p %s", path_of("logs"));
	check_unfinished("");
	run("printf '# of before\n0x0 + 1\n0x0 0x800000 +\n' >%s",
	    path_of("logs/20260101-000000.map"));
	check_unfinished("");
	run("printf '# pos\n0x1000 ? 1\n0x0 0x800000 ?\n' >%s",
	    path_of("logs/20260102-000000.map"));
	run("echo '0x0 ? 1' >%s", path_of("logs/20260103-000000.log"));
	check_unfinished(path_of("logs/20260102-000000.map"));
	run(": >%s", path_of("logs/20260103-000000.map"));
	check_unfinished("");
}

/* Another process goes on with it: then nobody else can. */
TEST(a_map_in_use_is_told_of)
{
	char path[560], expected[64], folder[512], byte = 0;
	struct session_unfinished found;
	struct running running = { .percent = 32 };
	struct running_record *record;
	int ready[2];
	pid_t child;

	open_session("logs", NULL);
	run("mkdir -p %s", path_of("logs"));
	run("printf '0x1000 ? 1\n0x0 0x800000 ?\n' >%s", path_of("logs/20260102-000000.map"));
	text_copy(running.map, sizeof(running.map), path_of("logs/20260102-000000.map"));
	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		running.pid = getpid();
		if (running_folder(folder, sizeof(folder)) &&
		    running_new(folder, &running, &record) == 0 && write(ready[1], &byte, 1) == 1) {
			/* Until the test has seen it. */
			close(ready[1]);
			pause();
		}
		_exit(1);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	ck_assert(session_unfinished(session, &found));
	ck_assert_str_eq(found.map, running.map);
	snprintf(expected, sizeof(expected), "clonedeck, process %ld, is copying: 32%%",
		 (long)child);
	ck_assert_str_eq(found.running, expected);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	check_unfinished(running.map);
	close(ready[0]);
	/* Its record stays until another clonedeck starts; one of another test may just have. */
	ck_assert(running_folder(folder, sizeof(folder)));
	run("rm -f %s", (snprintf(path, sizeof(path), "%s/%ld.job", folder, (long)child), path));
}

TEST(map_is_never_replaced)
{
	make_file("copy.map", 5);
	open_session("logs", "copy.map");
	ck_assert_int_eq(make_plan(source, destination, 0), -EEXIST);
	ck_assert_int_eq(session_state(session), SESSION_CHOOSING);
	ck_assert_ptr_nonnull(strstr(error.sentence, "resume"));
	/* Nor one that is there only since the plan was made. */
	session_destroy(session);
	open_session("logs", "later.map");
	plan_and_confirm(source, destination, 0);
	make_file("later.map", 5);
	start_copy();
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert_int_eq(session_error(session, SESSION_TASK_START)->code, -EEXIST);
}

TEST(foreign_map_is_refused)
{
	run("printf '0x0 ?\\n0x0 0x800000 ?\\n' > %s", path_of("foreign.map"));
	open_session("logs", NULL);
	ck_assert_int_lt(plan_from_map(path_of("foreign.map")), 0);
	ck_assert_int_eq(error.class, ERROR_CLASS_USAGE);
	ck_assert_int_lt(plan_from_map(path_of("none.map")), 0);
}
