/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/probe.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "unit.h"

static struct probe *probe;

static void teardown(void)
{
	probe_release(probe);
}

START_TEST(nothing_to_read)
{
	ck_assert_int_eq(probe_start(NULL, 0, &probe), 0);
	probe_wait(probe, clock_monotonic() + NSEC_PER_SEC);
}
END_TEST

START_TEST(wrong_device_and_none)
{
	struct probe_request requests[] = {
		{ .node = "/dev/no-such-disk", .size = 4096, .sector_size = 512 },
		{ .node = "/dev/null", .size = 4096, .sector_size = 512 },
	};
	struct probe_result result;

	requests[0].known = calloc(4, sizeof(struct range));
	ck_assert_int_eq(probe_start(requests, 2, &probe), 0);
	probe_wait(probe, clock_monotonic() + 10 * NSEC_PER_SEC);
	ck_assert(probe_take(probe, 0, &result));
	ck_assert_int_eq(result.error, -ENOENT);
	ck_assert(probe_take(probe, 1, &result));
	ck_assert_int_eq(result.error, -ESTALE);
	ck_assert(!result.opened);
}
END_TEST

/* More disks than threads: everyone gets a turn. */
START_TEST(many_take_turns)
{
	static struct probe_request requests[1000];
	struct probe_result result;

	for (int i = 0; i < 1000; i++)
		strcpy(requests[i].node, "/dev/no-such-disk");
	ck_assert_int_eq(probe_start(requests, 1000, &probe), 0);
	probe_wait(probe, clock_monotonic() + 30 * NSEC_PER_SEC);
	for (size_t i = 0; i < 1000; i++)
		ck_assert(probe_take(probe, i, &result));
}
END_TEST

/* The answers of threads that outlive their caller go nowhere; the sanitizers look on. */
START_TEST(released_while_running)
{
	static struct probe_request requests[200];

	for (int round = 0; round < 20; round++) {
		struct probe *short_lived;

		for (int i = 0; i < 200; i++) {
			strcpy(requests[i].node, "/dev/null");
			requests[i].known = malloc(16);
		}
		ck_assert_int_eq(probe_start(requests, 200, &short_lived), 0);
		probe_release(short_lived);
	}
}
END_TEST

START_TEST(deadline_in_the_past_returns_at_once)
{
	struct probe_request request = { .node = "/dev/null" };
	uint64_t before = clock_monotonic();

	ck_assert_int_eq(probe_start(&request, 1, &probe), 0);
	probe_wait(probe, 0);
	ck_assert_uint_lt(clock_monotonic() - before, 100 * NSEC_PER_SEC);
}
END_TEST

/* Who is still to answer is told by number, and by which of those that had it. */
START_TEST(who_has_answered_is_not_waited_for)
{
	struct probe_request request = { .node = "/dev/null", .devno = 5, .diskseq = 7 };

	ck_assert_int_eq(probe_start(&request, 1, &probe), 0);
	ck_assert(!probe_waits_for(probe, 5, 8));
	ck_assert(!probe_waits_for(probe, 6, 7));
	probe_wait(probe, clock_monotonic() + 30 * NSEC_PER_SEC);
	ck_assert(!probe_waits_for(probe, 5, 7));
	ck_assert(probe_is_done(probe));
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("probe");
	TCase *tests = tcase_create("probe");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, nothing_to_read);
	tcase_add_test(tests, wrong_device_and_none);
	tcase_add_test(tests, many_take_turns);
	tcase_add_test(tests, released_while_running);
	tcase_add_test(tests, deadline_in_the_past_returns_at_once);
	tcase_add_test(tests, who_has_answered_is_not_waited_for);
	suite_add_tcase(suite, tests);
	return suite;
}
