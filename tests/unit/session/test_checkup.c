/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks are asked for their health and measured; the front end waits for none of it. */
#include "unit.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "content/content.h"

#include "rig.h"

int __real_content_read(const struct volume *volume, const char *fs, struct content *ret);
int __wrap_content_read(const struct volume *volume, const char *fs, struct content *ret);

static atomic_bool reading, given_up;

/* Takes its time, unless nobody wants it any more. */
int __wrap_content_read(const struct volume *volume, const char *fs, struct content *ret)
{
	atomic_store(&reading, true);
	for (int i = 0; i < 1000 && volume->cancel; i++) {
		if (atomic_load(volume->cancel)) {
			atomic_store(&given_up, true);
			return -ECANCELED;
		}
		usleep(10000);
	}
	return __real_content_read(volume, fs, ret);
}

static void setup(void)
{
	session_setup();
	open_session("logs", NULL);
}

/* One that is not there: whatever is asked of it, there is an answer. */
static struct disk pretended(unsigned number)
{
	struct disk disk = { .kind = DISK_NVME };

	snprintf(disk.name, sizeof(disk.name), "nvme%un1", 900 + number);
	snprintf(disk.node, sizeof(disk.node), "/dev/%s", disk.name);
	snprintf(disk.identity.serial, sizeof(disk.identity.serial), "SERIAL-%u", number);
	return disk;
}

static const struct health *answer_of(const struct disk *disk)
{
	const struct health *health;
	bool asking;

	for (;;) {
		health = session_health(session, disk, &asking);
		ck_assert_ptr_nonnull(health);
		if (!asking)
			return health;
		wait_once();
	}
}

SESSION_CASE(setup);

TEST(one_after_the_other)
{
	struct disk disks[3];
	bool asking;

	for (unsigned i = 0; i < 3; i++)
		disks[i] = pretended(i);
	ck_assert_ptr_null(session_health(session, &disks[0], &asking));
	ck_assert(!asking);
	for (unsigned i = 0; i < 3; i++)
		session_ask_health(session, &disks[i]);
	session_health(session, &disks[2], &asking);
	ck_assert(asking);
	for (unsigned i = 3; i-- > 0;)
		ck_assert(!health_is_known(answer_of(&disks[i])));
}

/* One that is being written to must not be disturbed: those whose turn has not come are not asked.
 */
TEST(none_while_a_copy_runs)
{
	struct disk disks[8];
	bool asking;

	plan_and_confirm(source, destination, 0);
	for (unsigned i = 0; i < 8; i++) {
		disks[i] = pretended(i);
		session_ask_health(session, &disks[i]);
	}
	check_done(session_start(session, &error));
	ck_assert_int_eq(session_state(session), SESSION_STARTING);
	wait_for_change(SESSION_CHANGE_HEALTH);
	ck_assert(session_copy(session).busy);
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_ptr_nonnull(session_health(session, &disks[i], &asking));
		ck_assert(!asking);
	}
	wait_while(SESSION_STARTING);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
}

/* What the source uses is read as soon as its ranges are looked at, and a large one takes long. */
TEST_ROWS(nothing_else_is_read_while_a_copy_runs, 2)
{
	struct endpoint from;

	plan_and_confirm(source, destination, 0);
	check_done(endpoint_resolve(session_disks(session), source, false, &from, &error));
	check_done(session_read_used(session, &from, &error));
	while (!atomic_load(&reading))
		usleep(1000);
	check_done(_i ? session_verify(session, &error) : session_start(session, &error));
	wait_for_change(SESSION_CHANGE_USED);
	ck_assert(atomic_load(&given_up));
	ck_assert_ptr_null(session_used(session, &from));
}

/* A loop device has no health: nothing is asked, nothing is shown. */
TEST(not_of_a_loop_device)
{
	const struct disk *disk = disk_list_find(session_disks(session), source);
	bool asking;

	ck_assert_ptr_nonnull(disk);
	session_ask_health(session, disk);
	ck_assert_ptr_null(session_health(session, disk, &asking));
	ck_assert(!asking);
}

/* How fast both ends read, of this plan and no other. */
TEST(ends_are_measured)
{
	const struct session_measured *measured;

	ck_assert_int_lt(session_measure(session, &error), 0);
	check_done(make_plan(source, destination, 0));
	ck_assert_int_eq(session_measure(session, &error), 0);
	while (session_choice(session).measuring) {
		ck_assert_ptr_null(session_choice(session).measured);
		wait_once();
	}
	measured = session_choice(session).measured;
	ck_assert_msg(measured != NULL, "%s",
		      session_error(session, SESSION_TASK_MEASURE)->sentence);
	ck_assert(measured->source > 0 && measured->destination > 0);
	/* A copy can start all the same, and another plan knows nothing of it. */
	ck_assert_int_eq(session_measure(session, &error), 0);
	ck_assert_int_eq(session_confirm(session, session_choice(session).token, &error), 0);
	start_copy();
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	ck_assert_ptr_null(session_choice(session).measured);
}

/* An image that is yet to be made cannot be read: unknown, and no error. */
TEST(what_is_not_there_is_not_measured)
{
	check_done(make_plan(source, path_of("new.img"), 0));
	ck_assert_int_eq(session_measure(session, &error), 0);
	while (session_choice(session).measuring)
		wait_once();
	ck_assert_ptr_nonnull(session_choice(session).measured);
	ck_assert(session_choice(session).measured->source > 0);
	ck_assert(session_choice(session).measured->destination <= 0);
}
