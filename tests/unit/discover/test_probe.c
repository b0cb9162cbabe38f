/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/probe.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "unit.h"

#define HANGING "/dev/zero"

static struct pending pending;
/* Whoever opens HANGING needs it. */
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;

/* Whichever the C library makes of it. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags);
int __wrap_open64(const char *path, int flags);

int __wrap_open(const char *path, int flags)
{
	if (strcmp(path, HANGING) == 0) {
		pthread_mutex_lock(&disk);
		pthread_mutex_unlock(&disk);
	}
	return __real_open(path, flags);
}

int __wrap_open64(const char *path, int flags)
{
	return __wrap_open(path, flags);
}

static void teardown(void)
{
	pending_done(&pending);
}

static uint64_t in_seconds(unsigned seconds)
{
	return clock_monotonic() + seconds * NSEC_PER_SEC;
}

UNIT_CASE(.teardown = teardown, .timeout = 60);

TEST(nothing_to_read)
{
	struct probe_result none;

	ck_assert_int_eq(probe_disks(NULL, 0, in_seconds(1), &pending, &none), 0);
	ck_assert_uint_eq(pending.count, 0);
}

TEST(wrong_device_and_none)
{
	struct probe_request requests[] = {
		{ .node = "/dev/no-such-disk", .size = 4096, .sector_size = 512 },
		{ .node = "/dev/null", .size = 4096, .sector_size = 512 },
	};
	struct probe_result results[2];

	requests[0].known = calloc(4, sizeof(struct range));
	ck_assert_int_eq(probe_disks(requests, 2, in_seconds(10), &pending, results), 0);
	ck_assert(results[0].answered);
	ck_assert_int_eq(results[0].error, -ENOENT);
	ck_assert(results[1].answered);
	ck_assert_int_eq(results[1].error, -ESTALE);
	ck_assert(!results[1].opened);
	ck_assert_uint_eq(pending.count, 0);
}

/* More disks than threads: everyone gets a turn. */
TEST(many_take_turns)
{
	static struct probe_request requests[1000];
	static struct probe_result results[1000];

	for (int i = 0; i < 1000; i++)
		strcpy(requests[i].node, "/dev/no-such-disk");
	ck_assert_int_eq(probe_disks(requests, 1000, in_seconds(30), &pending, results), 0);
	for (size_t i = 0; i < 1000; i++)
		ck_assert(results[i].answered);
}

/* A time that comes while they run; the sanitizers look on. */
TEST(abandoned_while_running)
{
	static struct probe_request requests[200];
	static struct probe_result results[200];

	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 200; i++) {
			requests[i] = (struct probe_request){ .node = "/dev/null" };
			requests[i].known = malloc(16);
		}
		ck_assert_int_eq(probe_disks(requests, 200, clock_monotonic() + NSEC_PER_MSEC,
					     round % 2 ? &pending : NULL, results),
				 0);
		pending_done(&pending);
	}
}

TEST(a_time_in_the_past_returns_at_once)
{
	struct probe_request request = { .node = "/dev/null" };
	uint64_t before = clock_monotonic();
	struct probe_result result;

	ck_assert_int_eq(probe_disks(&request, 1, 0, &pending, &result), 0);
	ck_assert(!result.answered);
	ck_assert_uint_lt(clock_monotonic() - before, 100 * NSEC_PER_SEC);
}

/* Who is pending is told by number, and by which of those that had it. */
TEST(one_that_hangs_is_pending_until_it_answers)
{
	struct probe_request requests[] = {
		{ .node = HANGING, .devno = 5, .diskseq = 7 },
		{ .node = "/dev/null", .devno = 6, .diskseq = 7 },
	};
	struct probe_result results[2];

	pthread_mutex_lock(&disk);
	ck_assert_int_eq(
		probe_disks(requests, 2, clock_monotonic() + NSEC_PER_SEC / 5, &pending, results),
		0);
	ck_assert(!results[0].answered);
	ck_assert(pending_has(&pending, 5, 7));
	ck_assert(!pending_has(&pending, 5, 8));
	ck_assert(!pending_has(&pending, 4, 7));
	pending_wait(&pending, 0);
	ck_assert(pending_has(&pending, 5, 7));
	pthread_mutex_unlock(&disk);
	pending_wait(&pending, in_seconds(30));
	ck_assert_uint_eq(pending.count, 0);
	ck_assert(!pending_has(&pending, 5, 7));
}
