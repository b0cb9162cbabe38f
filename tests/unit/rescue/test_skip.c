/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the copy goes on after a failure, and what it learns from damage for the next one. */
#include "unit.h"

#include "rescue/skip.h"

#define CHUNK  (64u << 10)
#define CHUNKS (1u << 14)

static struct work_area area = { .length = (uint64_t)CHUNKS * CHUNK };
static struct work work;
static struct skip skip;

static void setup(void)
{
	work = (struct work){
		.areas = &area, .count = 1, .chunks = CHUNKS, .bytes = area.length, .chunk = CHUNK
	};
	skip_init(&skip);
	skip_reset(&skip, SKIP_SOME, &work);
}

static void teardown(void)
{
	skip_done(&skip);
}

/* So many chunks are good, and the one after them is bad. Returns how many are skipped then. */
static uint64_t fail_after(uint64_t good)
{
	uint64_t first = 0;

	while (good-- > 0) {
		ck_assert_uint_eq(work_take(&work, 1, &first), 1);
		skip_good(&skip, &work, first);
	}
	ck_assert_uint_eq(work_take(&work, 1, &first), 1);
	skip_bad(&skip, &work, first);
	return work.next - first - 1;
}

UNIT_CASE(.setup = setup, .teardown = teardown);

/* As ddrescue does, which never skips more for one spot far from all others. */
TEST(single_spots_cost_the_shortest_skip)
{
	for (unsigned i = 0; i < 20; i++)
		ck_assert_uint_eq(fail_after(100), 1);
}

TEST(a_region_is_left_in_a_few_failures)
{
	static const uint64_t skipped[] = { 1, 4, 16, 64, 256 };

	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(fail_after(i ? 0 : 100), skipped[i]);
}

/* The tracks of a dead head: the second time, one failure is enough. */
TEST(what_left_one_region_leaves_the_next)
{
	fail_after(100);
	fail_after(0);
	ck_assert_uint_eq(fail_after(0), 16);
	ck_assert_uint_eq(fail_after(100), 16);
	/* And a little less each time. */
	ck_assert_uint_eq(fail_after(100), 12);
}

/* Three spots that happen to be close make one region; but the fourth, far away, is as single as
 * the first: else each would cost a longer skip than the one before, up to the longest. */
TEST(scattered_spots_teach_nothing)
{
	ck_assert_uint_eq(fail_after(100), 1);
	ck_assert_uint_eq(fail_after(1), 4);
	ck_assert_uint_eq(fail_after(4), 16);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(fail_after(40), 1);
}

/* Where spots are a few megabytes apart a long skip would never be over if it took as much good
 * ground again: it ends with a share of what is usually good between two failures. */
TEST(a_long_skip_ends_on_usual_ground)
{
	for (unsigned i = 0; i < 10; i++)
		ck_assert_uint_eq(fail_after(100), 1);
	ck_assert_uint_eq(fail_after(1), 4);
	ck_assert_uint_eq(fail_after(1), 16);
	ck_assert_uint_eq(fail_after(0), 64);
	ck_assert_uint_eq(fail_after(0), 256);
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(fail_after(100), 1);
}

/* The next sweep begins behind what ended the first one. */
static uint64_t begin_after(uint64_t failed, uint64_t good_behind)
{
	struct work_area rest;

	skip_reset(&skip, SKIP_ALL, &work);
	work.next = failed + 8;
	for (uint64_t i = 0; i < failed; i++)
		skip_bad(&skip, &work, 8 + i);
	rest = (struct work_area){ .source = (8 + failed + good_behind) * CHUNK };
	rest.destination = rest.source;
	rest.length = area.length - rest.source;
	work.areas = &rest;
	work.bytes = rest.length;
	work.chunks = rest.length / CHUNK;
	work.next = 0;
	skip_reset(&skip, SKIP_SOME, &work);
	work.areas = &area;
	return work.next;
}

/* As far behind it as that was long; but where one request failed alone, or others in flight behind
 * it were good, it was a spot. */
TEST(the_first_failure_is_left_as_far_as_it_reached)
{
	ck_assert_uint_eq(begin_after(4, 0), 4);
	setup();
	ck_assert_uint_eq(begin_after(1, 0), 1);
	setup();
	ck_assert_uint_eq(begin_after(4, 2), 0);
	ck_assert_uint_eq(skip.size, 0);
}
