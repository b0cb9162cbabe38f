/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One main for every unit test: runs each test of its file in a process of its own (CK_FORK=no
 * turns that off under a debugger), and prints TAP for Meson. What is written is run, nothing else
 * names it:
 *
 *	UNIT_CASE(.setup = make, .teardown = unmake, .timeout = 60);
 *
 *	TEST(what_holds)
 *	{
 *	}
 *
 * TEST_ROWS(what_holds, ARRAY_SIZE(table)) is run for each row, whose number is _i.
 */
#pragma once

#include <check.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"

/* For all tests that follow, up to the next such line. */
struct unit_case {
	void (*setup)(void), (*teardown)(void);       /* of each test, in its process */
	void (*before_all)(void), (*after_all)(void); /* in that of the program */
	bool (*possible)(void);                       /* or these tests are not run */
	int timeout;                                  /* seconds, or 0 for the usual */
};

/* A test, or where a case begins. */
struct unit_part {
	int order, first, end;
	const TTest *test;
	struct unit_case fixture;
	struct unit_part *next;
};

static struct unit_part *unit_parts;

/* In the order of the file, which is not that of its constructors. */
static inline void unit_add(struct unit_part *part)
{
	struct unit_part **at = &unit_parts;

	while (*at && (*at)->order < part->order)
		at = &(*at)->next;
	part->next = *at;
	*at = part;
}

#define UNIT_PART(name, ...)                                                                       \
	__attribute__((constructor)) static void name(void)                                        \
	{                                                                                          \
		static struct unit_part part;                                                      \
                                                                                                   \
		part = (struct unit_part){ .order = __COUNTER__, __VA_ARGS__ };                    \
		unit_add(&part);                                                                   \
	}

#define UNIT_CASE(...)          UNIT_CASE_AT(__LINE__, __VA_ARGS__)
#define UNIT_CASE_AT(line, ...) UNIT_CASE_NAME(line, __VA_ARGS__)
#define UNIT_CASE_NAME(line, ...)                                                                  \
	UNIT_PART(unit_case_##line, .fixture = { __VA_ARGS__ })                                    \
	struct unit_case

/* _i goes from first to the one before last. */
#define TEST_LOOP(name, from, to)                                                                  \
	static const TTest *name;                                                                  \
	UNIT_PART(name##_is_run, .test = name, .first = from, .end = to)                           \
	START_TEST(name)
#define TEST_ROWS(name, rows) TEST_LOOP(name, 0, rows)
#define TEST(name)            TEST_LOOP(name, 0, 1)

/* How often to run a loop of tests whose later runs differ in their data, not in what threads do:
 * ThreadSanitizer, which takes long, sees nothing new in those. */
#ifdef __SANITIZE_THREAD__
#define loop_of_data(all, of_threads) (of_threads)
#else
#define loop_of_data(all, of_threads) (all)
#endif

static inline bool unit_has_loops(void)
{
	return geteuid() == 0 && access("/dev/loop-control", F_OK) == 0;
}

static inline TCase *unit_begin(Suite *suite, const struct unit_case *fixture)
{
	TCase *tcase = tcase_create("unit");

	if (fixture->timeout)
		tcase_set_timeout(tcase, fixture->timeout);
	if (fixture->before_all || fixture->after_all)
		tcase_add_unchecked_fixture(tcase, fixture->before_all, fixture->after_all);
	if (fixture->setup || fixture->teardown)
		tcase_add_checked_fixture(tcase, fixture->setup, fixture->teardown);
	suite_add_tcase(suite, tcase);
	return tcase;
}

static inline Suite *unit_suite(void)
{
	Suite *suite = suite_create("unit");
	TCase *tcase = NULL;
	bool possible = true, any = false;

	for (const struct unit_part *part = unit_parts; part; part = part->next) {
		if (!part->test) {
			possible = !part->fixture.possible || part->fixture.possible();
			tcase = unit_begin(suite, &part->fixture);
		} else if (possible) {
			tcase = tcase ? tcase : unit_begin(suite, &part->fixture);
			tcase_add_loop_test(tcase, part->test, part->first, part->end);
			any = true;
		}
	}
	if (!any) {
		puts("1..0 # SKIP what these tests need is not here");
		exit(EXIT_SUCCESS);
	}
	return suite;
}

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
