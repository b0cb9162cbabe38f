/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A copy that has ended is read back once more: what is found, and that its report stays. And a
 * plan whose ends are only compared. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

static const struct job_snapshot *found;

/* rate: a limit that is lifted as soon as it runs. */
static void copy_limited(const char *name, enum verify_choice verify, uint64_t rate)
{
	struct plan_options options = { .verify = verify, .rate = rate };

	open_session("logs", NULL);
	check_done(make_plan_with(source, name, &options));
	ck_assert_int_eq(session_confirm(session, session_choice(session).token, &error), 0);
	start_copy();
	if (rate)
		job_set_rate(session_copy(session).job, 0);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
}

static void copy(enum verify_choice verify)
{
	copy_limited(destination, verify, 0);
}

/* Until what verifies has ended; nothing else can be planned meanwhile. */
static void until_verified(enum session_state then)
{
	ck_assert_int_eq(make_plan(source, destination, 0), -EBUSY);
	while (session_state(session) == SESSION_VERIFYING) {
		if (session_can_finish(session))
			ck_assert_int_eq(session_finish(session, &error), 0);
		else
			wait_once();
	}
	ck_assert_int_eq(session_state(session), then);
}

/* Until it has ended, however that is; returns what is known of it then. */
static const struct job_snapshot *verify_again(void)
{
	check_done(session_verify(session, &error));
	ck_assert_int_eq(session_state(session), SESSION_VERIFYING);
	/* The front end shows the report meanwhile. */
	ck_assert_ptr_nonnull(session_copy(session).report);
	until_verified(SESSION_FINISHED);
	ck_assert_int_eq(report_exit_code(session_copy(session).report), EXIT_COMPLETE);
	return session_copy(session).verified;
}

static void spoil(const char *node, off_t at)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, "spoilt", 6, at), 6);
	ck_assert_int_eq(fsync(fd), 0);
	close(fd);
}

SESSION_CASE(session_setup);

TEST(against_the_digests)
{
	copy(VERIFY_DIGEST);
	/* What the source holds by now does not matter: what was read of it then does. */
	spoil(source, 4096);
	found = verify_again();
	ck_assert_msg(found != NULL, "%s", session_error(session, SESSION_TASK_VERIFY)->sentence);
	ck_assert_int_eq(found->result, JOB_RESULT_COMPLETE);
	ck_assert(found->proof.complete);
	ck_assert_uint_eq(found->proof.verified, SIZE);
	ck_assert_uint_eq(found->proof.compared, 0);
	/* A second time, and now the destination is not what it was. */
	spoil(destination, 3 << 20);
	found = verify_again();
	ck_assert_ptr_nonnull(found);
	ck_assert_int_eq(found->result, JOB_RESULT_MISMATCH);
	ck_assert_uint_eq(found->proof.areas, 1);
}

/* A limit that was lifted while it was copied is not there again. */
TEST(limit_as_it_was_wished_last)
{
	copy_limited(destination, VERIFY_DIGEST, 64 * 1024);
	found = verify_again();
	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(found->rate_limit, 0);
}

TEST(both_ends_without_digests)
{
	copy(VERIFY_OFF);
	found = verify_again();
	ck_assert_msg(found != NULL, "%s", session_error(session, SESSION_TASK_VERIFY)->sentence);
	ck_assert(found->proof.complete);
	ck_assert_uint_eq(found->proof.compared, SIZE);
	spoil(destination, 5 << 20);
	found = verify_again();
	ck_assert_ptr_nonnull(found);
	ck_assert_int_eq(found->result, JOB_RESULT_MISMATCH);
}

/* It was not there when the copy was planned. */
TEST(an_image_that_the_copy_made)
{
	for (int i = 0; i < 2; i++) {
		copy_limited(path_of("new"), i ? VERIFY_OFF : VERIFY_DIGEST, 0);
		found = verify_again();
		ck_assert_msg(found != NULL, "%s",
			      session_error(session, SESSION_TASK_VERIFY)->sentence);
		ck_assert_int_eq(found->result, JOB_RESULT_COMPLETE);
		ck_assert_uint_eq(found->proof.verified, SIZE);
		ck_assert_int_eq(truncate(path_of("new"), SIZE - 1), 0);
		ck_assert_ptr_null(verify_again());
		ck_assert_int_eq(session_error(session, SESSION_TASK_VERIFY)->code, -ESTALE);
		ck_assert_int_eq(unlink(path_of("new")), 0);
		close_session();
	}
}

/* What is mounted or gone proves nothing, and that is said. */
TEST(refused_with_a_reason)
{
	copy(VERIFY_DIGEST);
	ck_assert_int_eq(unlink(session_copy(session).report->files.digests), 0);
	ck_assert_ptr_null(verify_again());
	ck_assert_int_lt(session_error(session, SESSION_TASK_VERIFY)->code, 0);
	ck_assert_ptr_nonnull(
		strstr(session_error(session, SESSION_TASK_VERIFY)->sentence, "digests"));
}

/* The session goes while it is read back: that ends first. */
TEST(session_goes)
{
	copy(VERIFY_DIGEST);
	ck_assert_int_eq(session_verify(session, &error), 0);
	close_session();
}

static void plan_only(void)
{
	open_session("logs", NULL);
	check_done(make_plan(source, destination, 0));
}

/* As another tool would have made it. */
static void copy_with_dd(void)
{
	run("dd if=%s of=%s bs=64K conv=fsync status=none", source, destination);
}

static const struct job_snapshot *compare(enum session_state then)
{
	check_done(session_verify(session, &error));
	ck_assert_int_eq(session_state(session), SESSION_VERIFYING);
	ck_assert_ptr_null(session_copy(session).verified);
	until_verified(then);
	ck_assert_ptr_null(session_copy(session).report);
	return session_copy(session).verified;
}

/* No map, no report, no log: nothing was copied. */
static void check_no_files(void)
{
	run("[ -z \"$(ls -A %s 2>/dev/null)\" ]", path_of("logs"));
}

TEST(a_plan_without_copying)
{
	copy_with_dd();
	plan_only();
	found = compare(SESSION_FINISHED);
	ck_assert_ptr_nonnull(found);
	ck_assert_int_eq(found->result, JOB_RESULT_COMPLETE);
	ck_assert(found->only_reads && found->proof.complete);
	ck_assert_uint_eq(found->proof.compared, SIZE);
	check_no_files();
	/* Once more, and now one byte differs; it stays as it is. */
	spoil(destination, 3 << 20);
	run("cp %s %s", path_of("b.img"), path_of("before"));
	found = compare(SESSION_FINISHED);
	ck_assert_ptr_nonnull(found);
	ck_assert_int_eq(found->result, JOB_RESULT_MISMATCH);
	ck_assert_uint_eq(found->proof.areas, 1);
	ck_assert_uint_eq(found->proof.mismatches[0].lba, (3 << 20) / 512);
	ck_assert(same_files("b.img", "before"));
	check_no_files();
}

/* What asks for writing is for the copy. */
TEST(a_plan_that_would_rewrite)
{
	struct plan_options options = { .rewrite = true, .rate = 1 << 30 };

	copy_with_dd();
	spoil(destination, 3 << 20);
	run("cp %s %s", path_of("b.img"), path_of("before"));
	open_session("logs", NULL);
	check_done(make_plan_with(source, destination, &options));
	found = compare(SESSION_FINISHED);
	ck_assert_ptr_nonnull(found);
	ck_assert_int_eq(found->result, JOB_RESULT_MISMATCH);
	ck_assert_uint_eq(found->proof.rewritten, 0);
	ck_assert_uint_eq(found->rate_limit, 1 << 30);
	ck_assert(same_files("b.img", "before"));
}

/* What was found ends the plan: another one has to be made, and confirmed, before anything is
 * written. */
TEST(a_copy_after_comparing)
{
	struct job_snapshot job;

	plan_only();
	ck_assert_int_eq(compare(SESSION_FINISHED)->result, JOB_RESULT_MISMATCH);
	ck_assert_int_lt(session_confirm(session, session_choice(session).token, &error), 0);
	ck_assert_int_lt(session_start(session, &error), 0);
	plan_and_confirm(source, destination, 0);
	ck_assert_ptr_null(session_copy(session).verified);
	ck_assert(!session_snapshot(session, &job));
	start_copy();
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
}

/* The plan stays, and can be started yet. */
TEST(a_plan_that_cannot_be_compared)
{
	run("truncate -s %u %s", SIZE - 512, path_of("short"));
	open_session("logs", NULL);
	check_done(make_plan(source, path_of("short"), 0));
	ck_assert_ptr_null(compare(SESSION_PLANNED));
	ck_assert_int_eq(session_error(session, SESSION_TASK_VERIFY)->code, -ENOSPC);
	/* The checks are made again first. */
	while (session_confirm(session, session_choice(session).token, &error) == -EAGAIN)
		wait_once();
	ck_assert_int_eq(session_state(session), SESSION_CONFIRMED);
}

/* While it reads, and while its ends are still being opened. */
TEST_ROWS(comparing_is_stopped, 2)
{
	struct job_snapshot job;

	copy_with_dd();
	open_session("logs", NULL);
	check_done(make_plan(source, destination, 64 * 1024));
	ck_assert_int_eq(session_verify(session, &error), 0);
	while (!_i && !session_copy(session).job)
		wait_once();
	session_stop(session);
	do
		wait_once();
	while (!session_can_finish(session));
	ck_assert_int_eq(session_finish(session, &error), 0);
	wait_while(SESSION_VERIFYING);
	ck_assert_ptr_nonnull(session_copy(session).verified);
	ck_assert_int_eq(session_copy(session).verified->result, JOB_RESULT_STOPPED);
	ck_assert(!session_snapshot(session, &job));
	check_no_files();
}
