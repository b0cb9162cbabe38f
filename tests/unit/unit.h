/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One main for every unit test: runs the suite that unit_suite() makes, each
 * test in a process of its own (CK_FORK=no turns that off under a debugger),
 * and prints TAP for Meson.
 */
#pragma once

#include <check.h>
#include <locale.h>
#include <stdlib.h>

Suite *unit_suite(void);

/* Several tests at once. */
#define add_tests(tcase, ...)                                                                      \
	do {                                                                                       \
		const TTest *const tests_[] = { __VA_ARGS__ };                                     \
                                                                                                   \
		for (size_t i_ = 0; i_ < sizeof(tests_) / sizeof(tests_[0]); i_++)                 \
			tcase_add_test(tcase, tests_[i_]);                                         \
	} while (0)

/* How often to run a loop of tests whose later runs differ in their data, not in what threads do:
 * ThreadSanitizer, which takes long, sees nothing new in those. */
#ifdef __SANITIZE_THREAD__
#define loop_of_data(all, of_threads) (of_threads)
#else
#define loop_of_data(all, of_threads) (all)
#endif

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	/* Check's own limits are for hangs; a busy machine or a sanitizer is none. */
	setenv("CK_TIMEOUT_MULTIPLIER", "5", 0);
	/* Of the units alone: programs run as a whole are to see a real disk. */
	if (getenv("CLONEDECK_UNIT_DISKS"))
		setenv("TMPDIR", getenv("CLONEDECK_UNIT_DISKS"), 1);
	SRunner *runner = srunner_create(unit_suite());

	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
