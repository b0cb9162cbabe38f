/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals while disks are looked at. Each test is a process of its own. */
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/headless.h"
#include "cli/interrupt.h"

#define TIMEOUT 20 /* s */

static int signals;

static void setup(void)
{
	signals = headless_block_signals();
	ck_assert_int_ge(signals, 0);
}

/* As a program that waits for a disk for ever. */
START_TEST(one_ends_the_program_at_once)
{
	struct interrupt interrupt;

	interrupt_allow(&interrupt);
	kill(getpid(), _i ? SIGTERM : SIGINT);
	for (;;)
		pause();
}
END_TEST

static unsigned taken(void)
{
	struct signalfd_siginfo info;
	struct pollfd fd = { .fd = signals, .events = POLLIN };

	if (poll(&fd, 1, 0) != 1 || read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return 0;
	return info.ssi_signo;
}

START_TEST(others_wait_for_their_turn)
{
	struct interrupt interrupt;

	interrupt_allow(&interrupt);
	kill(getpid(), SIGHUP);
	kill(getpid(), SIGUSR1);
	interrupt_forbid(&interrupt);
	kill(getpid(), SIGINT);
	ck_assert_uint_eq(taken(), SIGHUP);
	ck_assert_uint_eq(taken(), SIGINT);
	ck_assert_uint_eq(taken(), SIGUSR1);
	ck_assert_uint_eq(taken(), 0);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("cli/interrupt");
	TCase *tcase = tcase_create("interrupt");

	tcase_set_timeout(tcase, TIMEOUT);
	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_loop_exit_test(tcase, one_ends_the_program_at_once, EXIT_STOPPED, 0, 2);
	tcase_add_test(tcase, others_wait_for_their_turn);
	suite_add_tcase(suite, tcase);
	return suite;
}
