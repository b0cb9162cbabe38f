/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks go forward; dates are written as ISO 8601 wants them. */
#include "unit.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

TEST(goes_forward)
{
	uint64_t before = clock_monotonic();

	ck_assert_uint_gt(before, 0);
	for (int i = 0; i < 1000; i++) {
		uint64_t now = clock_monotonic();

		ck_assert_uint_ge(now, before);
		before = now;
	}
}

/* Time of processor of this thread, ns. */
static uint64_t thread_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

TEST(sleeps_until)
{
	uint64_t until = clock_monotonic() + 20 * NSEC_PER_MSEC;
	uint64_t cpu = thread_cpu();

	clock_sleep_until(until);
	ck_assert_uint_ge(clock_monotonic(), until);
	/* It slept and did not spin. */
	ck_assert_uint_lt(thread_cpu() - cpu, 15 * NSEC_PER_MSEC);
	/* A time that is past is no wait. */
	clock_sleep_until(0);
}

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

TEST(iso)
{
	char text[CLOCK_TEXT_MAX];

	zone("UTC");
	ck_assert_str_eq(clock_print_iso(0, text), "1970-01-01T00:00:00+00:00");
	ck_assert_str_eq(clock_print_iso(-1, text), "1969-12-31T23:59:59+00:00");
	ck_assert_str_eq(clock_print_iso(4102444800, text), "2100-01-01T00:00:00+00:00");
	zone("XST-2");
	ck_assert_str_eq(clock_print_iso(1789992740, text), "2026-09-21T14:12:20+02:00");
	zone("XST9:30");
	ck_assert_str_eq(clock_print_iso(0, text), "1969-12-31T14:30:00-09:30");
}

TEST(beyond_the_calendar)
{
	char text[CLOCK_TEXT_MAX];

	zone("UTC");
	ck_assert_str_eq(clock_print_iso(INT64_MAX, text), "-");
	ck_assert_str_eq(clock_print_iso(INT64_MIN, text), "-");
	clock_print_iso(67767976233532799, text); /* the last second of the last year */
	ck_assert_uint_lt(strlen(text), CLOCK_TEXT_MAX);
}
