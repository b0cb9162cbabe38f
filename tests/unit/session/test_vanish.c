/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disks that are taken away under a running copy. The loop devices really go,
 * as soon as the session lets go of them; that they are gone before is what the
 * wrapped claim_present() says.
 */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "guard/claim.h"

#include "rig.h"

#define RATE (4 * 1024 * 1024)
#define HELD (32 * 1024)

static atomic_bool source_gone, destination_gone;
static bool one_reader; /* all cards say that they are one disk */

bool __real_claim_present(const struct claim *claim);
bool __wrap_claim_present(const struct claim *claim);

bool __wrap_claim_present(const struct claim *claim)
{
	const char *node = claim_endpoint(claim)->node;

	return !(atomic_load(&source_gone) && strcmp(node, source) == 0) &&
	       !(atomic_load(&destination_gone) && strcmp(node, destination) == 0) &&
	       __real_claim_present(claim);
}

bool __real_identity_same(const struct identity *a, const struct identity *b);
bool __wrap_identity_same(const struct identity *a, const struct identity *b);

bool __wrap_identity_same(const struct identity *a, const struct identity *b)
{
	return one_reader || __real_identity_same(a, b);
}

static void setup(void)
{
	one_reader = false;
	atomic_store(&source_gone, false);
	atomic_store(&destination_gone, false);
	on_vanish = SESSION_VANISH_WAIT;
	session_setup();
}

static void copy_for_a_while(void)
{
	struct job_snapshot job;

	begin_copy("copy.map", RATE);
	do {
		usleep(20000);
		ck_assert(session_snapshot(session, &job));
	} while (job.written < SIZE / 4);
	/* The rest takes minutes, unless somebody lets it go. */
	job_set_rate(session_copy(session).job, HELD);
}

/* Pulled: the number is free as soon as the session has closed it. */
static void unplug(bool both)
{
	run("losetup -d %s", source);
	if (both)
		run("losetup -d %s", destination);
	atomic_store(&source_gone, true);
	atomic_store(&destination_gone, both);
}

static void until_ended(void)
{
	wait_for_end();
	check_done(finish_and_wait());
}

static void until(bool (*done)(void))
{
	uint64_t end = clock_monotonic() + 200 * NSEC_PER_SEC;

	while (!done()) {
		struct pollfd fd = { .fd = session_fd(session), .events = POLLIN };

		ck_assert_msg(
			clock_monotonic() < end, "%s / %s",
			session_copy(session).waiting ? session_copy(session).waiting->who : "",
			session_copy(session).waiting ? session_copy(session).waiting->note : "");
		poll(&fd, 1, 100);
		session_dispatch(session);
	}
}

static bool goes_on(void)
{
	return session_state(session) == SESSION_RUNNING;
}

static void until_back_and_let_go(void)
{
	until(goes_on);
	job_set_rate(session_copy(session).job, 0);
}

static bool noted(void)
{
	return session_copy(session).waiting && session_copy(session).waiting->note[0];
}

/* Somebody who looks at the disk that went keeps it a little longer: then it is tried, in vain. */
static bool noted_a_stranger(void)
{
	return noted() && strstr(session_copy(session).waiting->note, "another disk");
}

static bool is_back(void)
{
	return session_copy(session).waiting && session_copy(session).waiting->back;
}

static bool was_tried(void)
{
	return goes_on() || (!session_copy(session).waiting->trying && noted());
}

static bool told(const struct report *report, const char *text)
{
	for (size_t i = 0; i < report->event_count; i++)
		if (strstr(report->events[i].text, text))
			return true;
	return false;
}

/* The old name belongs to another disk meanwhile, as far as nobody else was quicker. */
static bool take_the_name(const char *node, unsigned seed)
{
	make_file("stranger.img", seed);
	run("cp %s %s", path_of("stranger.img"), path_of("stranger.before"));
	return succeeds("losetup %s %s 2>/dev/null", node, path_of("stranger.img"));
}

SESSION_CASE(setup);

TEST(source_comes_back_under_another_name)
{
	char before[64];

	copy_for_a_while();
	unplug(false);
	text_copy(before, sizeof(before), source);
	until_ended();
	ck_assert_int_eq(session_state(session), SESSION_WAITING);
	const struct session_waiting *waiting = session_copy(session).waiting;

	ck_assert(waiting->source && !waiting->destination);
	ck_assert_ptr_nonnull(strstr(waiting->who, before));
	struct job_snapshot job, later;

	ck_assert(session_snapshot(session, &job));
	ck_assert_int_eq(job.state, JOB_WAITING);
	ck_assert(session_snapshot(session, &later));
	ck_assert_uint_gt(later.elapsed, job.elapsed);

	bool taken = take_the_name(before, 9);

	if (taken) {
		until(noted_a_stranger);
	}
	atomic_store(&source_gone, false);
	attach("a.img", source, sizeof(source));
	until_back_and_let_go();
	ck_assert_str_eq(session_choice(session).plan->source.node, source);
	const struct report *report = finish();

	ck_assert_int_eq(report_exit_code(report), EXIT_COMPLETE);
	ck_assert_uint_eq(report->job.written, SIZE);
	ck_assert_uint_eq(report->job.already, 0);
	ck_assert_uint_ge(report->job.read, SIZE);
	ck_assert_msg(told(report, "is gone") && told(report, "It is back"), "events");
	ck_assert(same_files("a.img", "b.img"));
	if (taken)
		ck_assert(same_files("stranger.img", "stranger.before"));
}

TEST(destination_comes_back_under_another_name)
{
	char node[64];

	copy_for_a_while();
	run("losetup -d %s", destination);
	atomic_store(&destination_gone, true);
	until_ended();
	ck_assert_int_eq(session_state(session), SESSION_WAITING);
	ck_assert(session_copy(session).waiting->destination);
	text_copy(node, sizeof(node), destination);
	bool taken = take_the_name(node, 9);

	atomic_store(&destination_gone, false);
	attach("b.img", destination, sizeof(destination));
	until_back_and_let_go();
	const struct report *report = finish();

	ck_assert_int_eq(report_exit_code(report), EXIT_COMPLETE);
	ck_assert_uint_ge(report->job.elapsed, report->job.copy_ns);
	ck_assert(same_files("a.img", "b.img"));
	if (taken)
		ck_assert(same_files("stranger.img", "stranger.before"));
}

/* The same name, model and size, but not what was copied before: refused, and left as it is. */
TEST(look_alike_is_refused)
{
	copy_for_a_while();
	unplug(true);
	until_ended();
	ck_assert_int_eq(session_state(session), SESSION_WAITING);
	ck_assert(session_copy(session).waiting->source &&
		  session_copy(session).waiting->destination);
	/* The source's bytes are others now: what was confirmed on the destination shows it. */
	run("cp %s %s", path_of("b.img"), path_of("b.before"));
	make_file("a.img", 7);
	atomic_store(&source_gone, false);
	atomic_store(&destination_gone, false);
	attach("a.img", source, sizeof(source));
	attach("b.img", destination, sizeof(destination));
	until(noted);
	if (same_files("b.img", "b.before") &&
	    strstr(session_copy(session).waiting->note, "another disk"))
		ck_assert_int_eq(session_state(session), SESSION_WAITING);
	/* It is not tried again and again. */
	for (int i = 0; i < 20; i++) {
		usleep(50000);
		session_dispatch(session);
	}
	ck_assert_int_eq(session_state(session), SESSION_WAITING);
	ck_assert(same_files("b.img", "b.before"));

	ck_assert_int_eq(finish_and_wait(), 0);
	ck_assert_int_eq(session_state(session), SESSION_FINISHED);
}

/* The file of the source, with a partition from this sector on; that becomes the source. Not every
 * kernel reads the table, but all can be told of it; not while somebody looks at the device. */
static void attach_partition(unsigned start)
{
	char command[256];

	run("echo %u,12000 | sfdisk -q %s", start, path_of("a.img"));
	snprintf(command, sizeof(command),
		 "d=$(losetup -P -f --show %s); for i in $(seq 100); do partx -u $d && break; "
		 "sleep 0.1; done 2>/dev/null; echo ${d}p1",
		 path_of("a.img"));
	FILE *f = popen(command, "re");

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(source, sizeof(source), f));
	source[strcspn(source, "\n")] = '\0';
	ck_assert_int_eq(pclose(f), 0);
}

static bool noted_another_table(void)
{
	return noted() && strstr(session_copy(session).waiting->note, "no longer where it was");
}

/* As another card in the same reader, which has the reader's serial number and the same size. */
TEST(another_table_is_refused_with_its_reason)
{
	detach(source, "a.img");
	attach_partition(2048);
	copy_for_a_while();
	run("losetup -d $(losetup -n -O NAME -j %s)", path_of("a.img"));
	atomic_store(&source_gone, true);
	until_ended();
	ck_assert_int_eq(session_state(session), SESSION_WAITING);
	one_reader = true;
	attach_partition(3000);
	until(noted_another_table);
	ck_assert_int_eq(session_state(session), SESSION_WAITING);
}

/* Somebody who looks at the disk that went keeps it a little longer: then it is tried, in vain. */
static bool has_looked_again(void)
{
	static unsigned looked;
	const struct session_waiting *waiting = session_copy(session).waiting;

	if (session_can_finish(session))
		ck_assert_int_eq(session_finish(session, NULL), 0);
	ck_assert(!waiting || !strstr(waiting->note, " of 0 B"));
	return waiting && !waiting->trying && ++looked > 50;
}

TEST(an_empty_reader_is_no_other_disk)
{
	char node[64], command[384];

	copy_for_a_while();
	text_copy(node, sizeof(node), source);
	unplug(false);
	until_ended();
	ck_assert_int_eq(session_state(session), SESSION_WAITING);
	run(": > %s", path_of("nothing.img"));
	/* Somebody may have been quicker to take the number. */
	snprintf(command, sizeof(command), "losetup %s %s 2>/dev/null", node,
		 path_of("nothing.img"));
	if (system(command) == 0)
		until(has_looked_again);
}

TEST(nobody_waits)
{
	on_vanish = SESSION_VANISH_STOP;
	copy_for_a_while();
	unplug(false);
	const struct report *report = finish();

	ck_assert_int_eq(report->job.error.code, -ENODEV);
	ck_assert_int_eq(report_exit_code(report), EXIT_STOPPED);
}

TEST(giving_up_tells_of_the_disk)
{
	copy_for_a_while();
	unplug(false);
	until_ended();
	ck_assert_int_eq(session_state(session), SESSION_WAITING);
	ck_assert_int_eq(finish_and_wait(), 0);
	ck_assert_int_eq(session_state(session), SESSION_FINISHED);
	ck_assert_int_eq(report_exit_code(session_copy(session).report), EXIT_STOPPED);
	ck_assert_ptr_nonnull(strstr(session_copy(session).report->next[0], "resume"));
}

static bool map_failed(void)
{
	struct job_snapshot job;

	return session_snapshot(session, &job) && job.map_failed;
}

/* The stick that the map was on went with the disk: without another place nobody could resume. */
TEST(giving_up_saves_a_map_that_has_no_place)
{
	const struct report *report;

	run("mkdir %s", path_of("stick"));
	map_interval = 1;
	begin_copy("stick/copy.map", RATE);
	run("mv %s %s", path_of("stick"), path_of("pulled"));
	until(map_failed);
	unplug(false);
	until_ended();
	ck_assert_int_eq(session_state(session), SESSION_WAITING);
	ck_assert_int_eq(finish_and_wait(), 0);
	report = session_copy(session).report;
	ck_assert_int_eq(access(report->files.map, F_OK), 0);
	ck_assert_ptr_nonnull(strstr(report->next[0], "resume"));
}

TEST(asks_first)
{
	on_vanish = SESSION_VANISH_ASK;
	copy_for_a_while();
	unplug(false);
	until_ended();
	ck_assert_int_eq(session_start(session, &error), -EAGAIN);
	atomic_store(&source_gone, false);
	attach("a.img", source, sizeof(source));
	/* What is found first may be the disk that went, kept open by another program: once it is
	 * released, the attempt ends with a note, and the user asks again. */
	while (!goes_on()) {
		until(is_back);
		ck_assert_int_eq(session_state(session), SESSION_WAITING);
		check_done(session_start(session, &error));
		until(was_tried);
	}
	job_set_rate(session_copy(session).job, 0);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	ck_assert(same_files("a.img", "b.img"));
}

static bool is_paused(void)
{
	struct job_snapshot job;

	return session_snapshot(session, &job) && job.state == JOB_PAUSED;
}

/* Whoever pauses a copy to pull its disk finds it paused, and as fast as it was told to be. */
TEST(wishes_outlive_the_wait)
{
	struct job_snapshot job;

	copy_for_a_while();
	job_set_rate(session_copy(session).job, RATE + 4096);
	job_pause(session_copy(session).job, true);
	until(is_paused);
	unplug(false);
	until_ended();
	ck_assert_int_eq(session_state(session), SESSION_WAITING);
	atomic_store(&source_gone, false);
	attach("a.img", source, sizeof(source));
	until(goes_on);
	until(is_paused);
	ck_assert(session_snapshot(session, &job));
	ck_assert_uint_eq(job.rate_limit, RATE + 4096);
	job_set_rate(session_copy(session).job, 0);
	job_pause(session_copy(session).job, false);
	ck_assert_int_eq(report_exit_code(finish()), EXIT_COMPLETE);
	ck_assert(same_files("a.img", "b.img"));
}
