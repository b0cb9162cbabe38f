/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nothing that waits for a disk or a file hinders the front end: what looks at
 * mounts, closes disks and saves files hangs here until it is let go, and the
 * session answers all the same.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/text.h"
#include "guard/claim.h"
#include "session/outcome.h"
#include "session/run.h"

#include "rig.h"

void __real_facts_gather(const struct plan *plan, const struct disk_list *disks,
			 const char *log_dir, const char *map_path, struct guard_facts *ret);
void __wrap_facts_gather(const struct plan *plan, const struct disk_list *disks,
			 const char *log_dir, const char *map_path, struct guard_facts *ret);
int __real_claim_close(struct claim *claim, bool reread, struct error *reterr);
int __wrap_claim_close(struct claim *claim, bool reread, struct error *reterr);
int __real_report_save(struct report *report, enum report_form form, const char *path,
		       struct file_timeout *timeout, struct error *reterr);
int __wrap_report_save(struct report *report, enum report_form form, const char *path,
		       struct file_timeout *timeout, struct error *reterr);
void __real_aftercare_run(struct log *log, const struct disk *copied,
			  const struct layout_shrink *shrink, struct report *report);
void __wrap_aftercare_run(struct log *log, const struct disk *copied,
			  const struct layout_shrink *shrink, struct report *report);

bool __real_facts_is_storage(const char *path, const struct endpoint *endpoint);
bool __wrap_facts_is_storage(const char *path, const struct endpoint *endpoint);
int __real_job_start(struct job *job, struct error *reterr);
int __wrap_job_start(struct job *job, struct error *reterr);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool held, hangs; /* whoever comes is to wait; and somebody does */

static void hold(bool hold)
{
	pthread_mutex_lock(&lock);
	held = hold;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void pass(void)
{
	pthread_mutex_lock(&lock);
	hangs = held;
	pthread_cond_broadcast(&changed);
	while (held)
		pthread_cond_wait(&changed, &lock);
	hangs = false;
	pthread_mutex_unlock(&lock);
}

static void wait_until_it_hangs(void)
{
	pthread_mutex_lock(&lock);
	while (!hangs)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

void __wrap_facts_gather(const struct plan *plan, const struct disk_list *disks,
			 const char *log_dir, const char *map_path, struct guard_facts *ret)
{
	pass();
	__real_facts_gather(plan, disks, log_dir, map_path, ret);
}

int __wrap_claim_close(struct claim *claim, bool reread, struct error *reterr)
{
	if (claim)
		pass();
	return __real_claim_close(claim, reread, reterr);
}

int __wrap_report_save(struct report *report, enum report_form form, const char *path,
		       struct file_timeout *timeout, struct error *reterr)
{
	pass();
	return __real_report_save(report, form, path, timeout, reterr);
}

bool __wrap_facts_is_storage(const char *path, const struct endpoint *endpoint)
{
	pass();
	return __real_facts_is_storage(path, endpoint);
}

/* The job runs, and the session does not know it yet. */
int __wrap_job_start(struct job *job, struct error *reterr)
{
	int r = __real_job_start(job, reterr);

	pass();
	return r;
}

static bool came, said_changing; /* to what is done to a complete copy; and what was told then */

void __wrap_aftercare_run(struct log *log, const struct disk *copied,
			  const struct layout_shrink *shrink, struct report *report)
{
	came = true;
	said_changing = session_copy(session).changing;
	__real_aftercare_run(log, copied, shrink, report);
}

static void begin_plan(const char *from, const char *to)
{
	struct plan_options options = { 0 };
	struct endpoint a, b;

	ck_assert_int_eq(endpoint_resolve(session_disks(session), from, false, &a, &error), 0);
	ck_assert_int_eq(endpoint_resolve(session_disks(session), to, true, &b, &error), 0);
	ck_assert_int_eq(session_plan(session,
				      &(struct session_wish){ .source = &a,
							      .destination = &b,
							      .options = &options },
				      &error),
			 0);
}

static void begin_plan_that_hangs(void)
{
	open_session("logs", NULL);
	hold(true);
	begin_plan(source, destination);
	wait_until_it_hangs();
}

SESSION_CASE(session_setup);

TEST(a_plan_is_checked_meanwhile)
{
	begin_plan_that_hangs();
	ck_assert_int_eq(session_state(session), SESSION_CHECKING);
	ck_assert_uint_eq(session_choice(session).verdicts->count, 0);
	ck_assert_int_lt(session_confirm(session, destination, NULL), 0);
	ck_assert_uint_eq(session_dispatch(session) & SESSION_CHANGE_STATE, 0);
	hold(false);
	wait_while(SESSION_CHECKING);
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert_uint_gt(session_choice(session).verdicts->count, 0);
	ck_assert_str_eq(session_choice(session).token, destination);
}

/* A file system that does not answer, as that of a server that is gone: until the descriptor that
 * this returns is closed. */
static int mount_dead(const char *at)
{
	char options[64];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	run("mkdir %s", at);
	ck_assert_int_eq(mount("dead", at, "fuse", 0, options), 0);
	return fd;
}

/* From the first look at a file that the user named. */
TEST(a_named_file_is_looked_at_meanwhile)
{
	const char *at = path_of("dead");
	int dead = mount_dead(at);

	open_session("logs", "dead/new.map");
	begin_plan(source, destination);
	ck_assert(!session_wait(session, -1, 500));
	ck_assert_int_eq(session_state(session), SESSION_CHECKING);
	close(dead);
	ck_assert(session_wait(session, -1, TIMEOUT));
	ck_assert_int_eq(session_state(session), SESSION_CHOOSING);
	ck_assert_int_lt(session_error(session, SESSION_TASK_PLAN)->code, 0);
	ck_assert_int_eq(umount2(at, MNT_DETACH), 0);
}

/* Who leaves does not wait for what never answers, and is told so. */
TEST(leaving_waits_for_a_moment_only)
{
	begin_plan_that_hangs();
	ck_assert(!session_wait(session, -1, 50));
	hold(false);
	ck_assert(session_wait(session, -1, TIMEOUT));
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
}

/* As the command line waits: a signal ends it, however long a disk hangs. */
TEST(a_descriptor_ends_the_waiting)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	begin_plan_that_hangs();
	ck_assert_int_eq(write(ends[1], "", 1), 1);
	ck_assert(!session_wait(session, ends[0], -1));
	ck_assert_int_eq(session_state(session), SESSION_CHECKING);
	hold(false);
	ck_assert(session_wait(session, -1, -1));
	close(ends[0]);
	close(ends[1]);
}

/* What is found out of the first plan must never be taken for the second one's. */
TEST(another_plan_takes_its_place)
{
	begin_plan_that_hangs();
	session_discard_plan(session);
	ck_assert_int_eq(session_state(session), SESSION_CHOOSING);
	begin_plan(destination, source);
	hold(false);
	wait_while(SESSION_CHECKING);
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert_str_eq(session_choice(session).token, source);
	for (size_t i = 0; i < session_choice(session).verdicts->count; i++)
		ck_assert_int_ne(session_choice(session).verdicts->items[i].kind, VERDICT_REFUSE);
}

TEST(one_that_is_given_up_comes_to_nothing)
{
	begin_plan_that_hangs();
	session_discard_plan(session);
	hold(false);
	session_scan(session, NULL);
	wait_for_change(SESSION_CHANGE_DISKS);
	ck_assert_int_eq(session_state(session), SESSION_CHOOSING);
	ck_assert_ptr_null(session_choice(session).plan);
}

/* While what was agreed to is looked at again, nothing can be agreed to. */
TEST(what_is_checked_again_cannot_be_confirmed)
{
	open_session("logs", NULL);
	plan_and_confirm(source, destination, 0);
	hold(true);
	session_scan(session, NULL);
	wait_for_change(SESSION_CHANGE_DISKS);
	wait_until_it_hangs();
	ck_assert_int_eq(session_confirm(session, destination, &error), -EAGAIN);
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	hold(false);
	while (session_confirm(session, destination, &error) == -EAGAIN)
		wait_once();
	ck_assert_int_eq(session_state(session), SESSION_CONFIRMED);
}

TEST(what_is_stopped_as_it_begins_to_run_stops)
{
	open_session("logs", NULL);
	plan_and_confirm(source, destination, SIZE / 10);
	hold(true);
	ck_assert_int_eq(session_start(session, &error), 0);
	wait_until_it_hangs();
	/* The names of its files are not known yet: the thread that starts it makes them. */
	ck_assert_str_eq(session_copy(session).map_path, "");
	session_stop(session);
	hold(false);
	wait_while(SESSION_STARTING);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_STOPPED);
}

TEST(a_place_for_the_map_is_looked_at_meanwhile)
{
	char path[192];

	text_copy(path, sizeof(path), path_of("moved.map"));
	begin_copy(NULL, SIZE / 10);
	hold(true);
	ck_assert_int_eq(session_move_map(session, path, &error), 0);
	wait_until_it_hangs();
	session_dispatch(session);
	ck_assert_int_eq(session_move_map(session, path, &error), -EBUSY);
	hold(false);
	wait_for_change(SESSION_CHANGE_MAP);
	ck_assert_int_eq(session_error(session, SESSION_TASK_MOVE)->code, 0);
	ck_assert_str_eq(session_copy(session).map_path, path);
}

TEST(a_copy_is_finished_meanwhile)
{
	struct job_snapshot job;

	begin_copy(NULL, 0);
	wait_for_end();
	while (!session_can_finish(session))
		wait_once();
	hold(true);
	ck_assert_int_eq(session_finish(session, &error), 0);
	wait_until_it_hangs();
	ck_assert_int_eq(session_state(session), SESSION_FINISHING);
	ck_assert_ptr_null(session_copy(session).report);
	ck_assert(session_snapshot(session, &job));
	ck_assert_int_eq(job.state, JOB_ENDED);
	session_discard_plan(session);
	ck_assert_ptr_nonnull(session_choice(session).plan);
	hold(false);
	wait_while(SESSION_FINISHING);
	ck_assert_int_eq(session_state(session), SESSION_FINISHED);
	ck_assert_int_eq(session_error(session, SESSION_TASK_FINISH)->code, 0);
	ck_assert_ptr_nonnull(session_copy(session).report);
	ck_assert(same_files("a.img", "b.img"));
}

/* What has the image's name then is not what was copied to. */
TEST(a_file_system_is_shrunk_in_no_other_file)
{
	const struct layout_shrink shrink = {
		.number = 1, .fs = "ext4", .length = SIZE, .bytes = SIZE / 2
	};
	const struct after_steps *after;

	open_session("logs", NULL);
	plan_and_confirm(source, path_of("new.img"), 0);
	session_shrink_after(session, &shrink);
	start_copy();
	wait_for_end();
	while (!session_can_finish(session))
		wait_once();
	hold(true);
	ck_assert_int_eq(session_finish(session, &error), 0);
	wait_until_it_hangs();
	run("mv %s %s", path_of("new.img"), path_of("moved.img"));
	make_file("new.img", 3);
	hold(false);
	wait_while(SESSION_FINISHING);
	after = &session_copy(session).report->after;
	ck_assert_uint_eq(after->count, 1);
	ck_assert(after->items[0].failed);
	ck_assert_ptr_nonnull(strstr(after->items[0].said, "no longer the file"));
}

TEST(a_report_is_saved_meanwhile)
{
	char path[192];

	begin_copy(NULL, 0);
	finish();
	hold(true);
	text_copy(path, sizeof(path), path_of("kept"));
	ck_assert_int_eq(session_save(session, path, NULL, &error), 0);
	wait_until_it_hangs();
	ck_assert_int_eq(session_sign(session, "A", "B", false, &error), -EBUSY);
	/* Another choice takes the report away; what is being saved is a copy of it. */
	session_discard_plan(session);
	hold(false);
	wait_for_change(SESSION_CHANGE_SAVED);
	ck_assert_msg(session_error(session, SESSION_TASK_SAVE)->code == 0, "%s",
		      session_error(session, SESSION_TASK_SAVE)->sentence);
	ck_assert(exists("kept.json"));
	ck_assert(exists("kept.txt"));
	ck_assert(exists("kept.html"));
}

TEST(the_report_stays_until_a_map_was_read)
{
	char path[512];

	begin_copy(NULL, 0);
	text_copy(path, sizeof(path), finish()->files.map);
	ck_assert_int_eq(
		session_plan(session, &(struct session_wish){ .map = path_of("none.map") }, &error),
		0);
	wait_while(SESSION_CHECKING);
	ck_assert_int_eq(session_state(session), SESSION_FINISHED);
	ck_assert_int_ne(session_error(session, SESSION_TASK_PLAN)->code, 0);
	ck_assert_ptr_nonnull(session_copy(session).report);
	ck_assert_ptr_nonnull(session_copy(session).job);
	ck_assert_int_eq(session_plan(session, &(struct session_wish){ .map = path }, &error), 0);
	session_give_up_plan(session);
	ck_assert_int_eq(session_state(session), SESSION_FINISHED);
	ck_assert(!session_choice(session).resumes);
	ck_assert_int_eq(session_plan(session, &(struct session_wish){ .map = path }, &error), 0);
	ck_assert_ptr_nonnull(session_copy(session).report);
	wait_while(SESSION_CHECKING);
	ck_assert_int_eq(session_state(session), SESSION_PLANNED);
	ck_assert(session_choice(session).resumes);
	ck_assert_ptr_null(session_copy(session).report);
}

static void replace_list(void)
{
	const struct disk_list *before = session_disks(session);

	session_scan(session, NULL);
	while (session_disks(session) == before)
		wait_once();
}

/* Whoever works with a list of disks keeps it, whatever comes after it: the copy that has ended,
 * and a check that goes on, or that nobody waits for any more. */
TEST(a_list_in_use_outlives_those_that_follow)
{
	struct session_wish wish = { .map = NULL };
	char path[512];

	begin_copy(NULL, 0);
	wish.map = text_copy(path, sizeof(path), finish()->files.map);
	for (int given_up = 0; given_up < 2; given_up++) {
		hold(true);
		ck_assert_int_eq(session_plan(session, &wish, &error), 0);
		wait_until_it_hangs();
		replace_list();
		if (given_up)
			session_discard_plan(session);
		replace_list();
		hold(false);
		wait_while(SESSION_CHECKING);
		replace_list();
		ck_assert(session_wait(session, -1, TIMEOUT));
		ck_assert_int_eq(session_state(session),
				 given_up ? SESSION_CHOOSING : SESSION_PLANNED);
	}
	ck_assert_int_eq(plan_from_map(path), 0);
	ck_assert_ptr_eq(session_choice(session).source,
			 disk_list_find(session_disks(session), source));
}

TEST(a_name_is_looked_for_meanwhile)
{
	struct endpoint endpoint;

	open_session("logs", NULL);
	ck_assert_int_eq(session_find(session, path_of("a.img"), false, &error), 0);
	/* Only the last one that was asked for counts. */
	ck_assert_int_eq(session_find(session, path_of("new.img"), true, &error), 0);
	wait_for_change(SESSION_CHANGE_FOUND);
	ck_assert_int_eq(session_found(session, &endpoint, &error), 0);
	ck_assert_int_eq(endpoint.kind, ENDPOINT_IMAGE);
	ck_assert_str_eq(endpoint.node, path_of("new.img"));
	ck_assert_int_eq(session_find(session, path_of("new.img"), false, &error), 0);
	wait_for_change(SESSION_CHANGE_FOUND);
	ck_assert_int_lt(session_found(session, &endpoint, &error), 0);
	ck_assert(error.sentence[0]);
}

/* Whoever leaves at that moment would be told that half of it is not done. */
TEST(nothing_is_said_to_be_changed_that_nobody_asked_for)
{
	open_session("logs", NULL);
	plan_and_confirm(source, destination, 0);
	start_copy();
	wait_for_end();
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	ck_assert(came);
	ck_assert(!said_changing);
}
