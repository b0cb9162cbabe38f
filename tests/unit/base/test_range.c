/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges at the edges of 64 bits, and lists against a plain bitmap. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/range.h"

#define MAX UINT64_MAX

TEST(checked_arithmetic)
{
	uint64_t value = 7;

	ck_assert(u64_add(MAX - 1, 1, &value));
	ck_assert_uint_eq(value, MAX);
	value = 7;
	ck_assert(!u64_add(MAX, 1, &value));
	ck_assert(!u64_mul(1ULL << 32, 1ULL << 32, &value));
	ck_assert_uint_eq(value, 7);
	ck_assert(u64_mul(1ULL << 32, (1ULL << 32) - 1, &value));
	ck_assert_uint_eq(value, 0xffffffff00000000ULL);
}

TEST(alignment)
{
	uint64_t value = 7;

	ck_assert_uint_eq(u64_align_down(0, 4096), 0);
	ck_assert_uint_eq(u64_align_down(4095, 4096), 0);
	ck_assert_uint_eq(u64_align_down(4096, 4096), 4096);
	ck_assert_uint_eq(u64_align_down(MAX, 4096), MAX - 4095);
	ck_assert_uint_eq(u64_align_down(1039, 520), 520); /* no power of two */
	ck_assert(u64_align_up(1, 520, &value));
	ck_assert_uint_eq(value, 520);
	ck_assert(u64_align_up(0, 520, &value));
	ck_assert_uint_eq(value, 0);
	ck_assert(u64_align_up(MAX, 1, &value));
	ck_assert_uint_eq(value, MAX);
	ck_assert(u64_align_up(MAX - 4095, 4096, &value));
	ck_assert_uint_eq(value, MAX - 4095);
	ck_assert(!u64_align_up(MAX - 4094, 4096, &value));
	ck_assert_uint_eq(value, MAX - 4095);
}

TEST(ends)
{
	uint64_t end = 7;

	ck_assert(range_end((struct range){ MAX - 1, 1 }, &end));
	ck_assert_uint_eq(end, MAX);
	end = 7;
	ck_assert(!range_end((struct range){ MAX, 1 }, &end));
	ck_assert(!range_end((struct range){ 1, MAX }, &end));
	ck_assert_uint_eq(end, 7);
}

TEST(overlap)
{
	const struct range a = { 10, 10 };

	ck_assert(range_overlaps(a, a));
	ck_assert(range_overlaps(a, (struct range){ 19, 1 }));
	ck_assert(!range_overlaps(a, (struct range){ 20, 1 }));
	ck_assert(range_overlaps(a, (struct range){ 0, 11 }));
	ck_assert(!range_overlaps(a, (struct range){ 0, 10 }));
	ck_assert(range_overlaps(a, (struct range){ 0, MAX }));
	ck_assert(!range_overlaps(a, (struct range){ 15, 0 }));
	ck_assert(!range_overlaps((struct range){ 15, 0 }, a));
	/* Also where the ends wrap. */
	ck_assert(range_overlaps((struct range){ 5, MAX }, (struct range){ MAX, MAX }));
	ck_assert(!range_overlaps((struct range){ MAX, MAX }, (struct range){ 0, 5 }));
}

TEST(containment)
{
	const struct range a = { 10, 10 };

	ck_assert(range_contains(a, a));
	ck_assert(range_contains(a, (struct range){ 19, 1 }));
	ck_assert(!range_contains(a, (struct range){ 19, 2 }));
	ck_assert(!range_contains(a, (struct range){ 9, 2 }));
	ck_assert(!range_contains(a, (struct range){ 15, MAX }));
	ck_assert(!range_contains(a, (struct range){ MAX, MAX }));
	ck_assert(range_contains(a, (struct range){ 20, 0 }));
	ck_assert(!range_contains(a, (struct range){ 21, 0 }));
}

TEST(intersection)
{
	struct range out = { 1, 2 };

	ck_assert(!range_intersect((struct range){ 0, 10 }, (struct range){ 10, 10 }, &out));
	ck_assert_uint_eq(out.start, 1);
	ck_assert(range_intersect((struct range){ 0, 10 }, (struct range){ 5, MAX }, &out));
	ck_assert_uint_eq(out.start, 5);
	ck_assert_uint_eq(out.count, 5);
	ck_assert(range_intersect((struct range){ 5, MAX }, (struct range){ 7, MAX }, &out));
	ck_assert_uint_eq(out.start, 7);
	ck_assert_uint_eq(out.count, MAX - 2);
}

static void check_list(const struct range_list *list, const char *expected)
{
	char text[512] = "";

	for (size_t i = 0; i < list->count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%llu+%llu",
			 i ? " " : "", (unsigned long long)list->items[i].start,
			 (unsigned long long)list->items[i].count);
	ck_assert_str_eq(text, expected);
}

TEST(adding_merges)
{
	struct range_list list = { 0 };

	ck_assert_int_eq(range_list_add(&list, (struct range){ 100, 10 }), 0);
	ck_assert_int_eq(range_list_add(&list, (struct range){ 10, 10 }), 0);
	ck_assert_int_eq(range_list_add(&list, (struct range){ 50, 10 }), 0);
	check_list(&list, "10+10 50+10 100+10");
	ck_assert_int_eq(range_list_add(&list, (struct range){ 20, 1 }), 0);
	check_list(&list, "10+11 50+10 100+10");
	ck_assert_int_eq(range_list_add(&list, (struct range){ 49, 1 }), 0);
	check_list(&list, "10+11 49+11 100+10");
	ck_assert_int_eq(range_list_add(&list, (struct range){ 21, 28 }), 0);
	check_list(&list, "10+50 100+10");
	ck_assert_int_eq(range_list_add(&list, (struct range){ 12, 3 }), 0);
	ck_assert_int_eq(range_list_add(&list, (struct range){ 70, 0 }), 0);
	ck_assert_int_eq(range_list_add(&list, (struct range){ MAX, 0 }), 0);
	check_list(&list, "10+50 100+10");
	ck_assert_int_eq(range_list_add(&list, (struct range){ 0, MAX }), 0);
	check_list(&list, "0+18446744073709551615");
	range_list_done(&list);
	ck_assert_uint_eq(list.count, 0);
	range_list_done(&list);
}

TEST(overflow_changes_nothing)
{
	struct range_list list = { 0 };

	ck_assert_int_eq(range_list_add(&list, (struct range){ MAX - 1, 1 }), 0);
	ck_assert_int_eq(range_list_add(&list, (struct range){ MAX, 1 }), -EOVERFLOW);
	ck_assert_int_eq(range_list_add(&list, (struct range){ 2, MAX - 1 }), -EOVERFLOW);
	ck_assert_int_eq(range_list_subtract(&list, (struct range){ 2, MAX }), -EOVERFLOW);
	check_list(&list, "18446744073709551614+1");
	ck_assert(range_list_contains(&list, (struct range){ MAX - 1, 1 }));
	ck_assert(!range_list_contains(&list, (struct range){ MAX - 1, 2 }));
	ck_assert(range_list_overlaps(&list, (struct range){ 0, MAX }));
	range_list_done(&list);
}

TEST(subtracting_splits)
{
	struct range_list list = { 0 };

	range_list_add(&list, (struct range){ 10, 90 });
	ck_assert_int_eq(range_list_subtract(&list, (struct range){ 40, 10 }), 0);
	check_list(&list, "10+30 50+50");
	ck_assert_int_eq(range_list_subtract(&list, (struct range){ 0, 11 }), 0);
	check_list(&list, "11+29 50+50");
	ck_assert_int_eq(range_list_subtract(&list, (struct range){ 39, 12 }), 0);
	check_list(&list, "11+28 51+49");
	ck_assert_int_eq(range_list_subtract(&list, (struct range){ 200, 5 }), 0);
	ck_assert_int_eq(range_list_subtract(&list, (struct range){ 60, 0 }), 0);
	check_list(&list, "11+28 51+49");
	ck_assert_int_eq(range_list_subtract(&list, (struct range){ 0, MAX }), 0);
	check_list(&list, "");
	range_list_done(&list);
}

TEST(whole_lists)
{
	struct range_list list = { 0 }, other = { 0 };

	range_list_add(&list, (struct range){ 10, 10 });
	ck_assert_int_eq(range_list_add_all(&list, &other), 0);
	ck_assert_int_eq(range_list_subtract_all(&list, &other), 0);
	check_list(&list, "10+10");
	range_list_add(&other, (struct range){ 15, 10 });
	range_list_add(&other, (struct range){ 40, 5 });
	ck_assert_int_eq(range_list_add_all(&list, &other), 0);
	check_list(&list, "10+15 40+5");
	ck_assert_int_eq(range_list_subtract_all(&list, &other), 0);
	check_list(&list, "10+5");
	range_list_done(&list);
	range_list_done(&other);
}

TEST(copies_are_apart)
{
	struct range_list list = { 0 }, copy = { 0 };

	ck_assert_int_eq(range_list_copy(&list, &copy), 0);
	check_list(&copy, "");
	range_list_add(&list, (struct range){ 0, 5 });
	range_list_add(&list, (struct range){ 10, 5 });
	ck_assert(!range_list_equal(&list, &copy));
	ck_assert_int_eq(range_list_copy(&list, &copy), 0);
	ck_assert(range_list_equal(&list, &copy));
	range_list_add(&list, (struct range){ 50, 1 });
	check_list(&copy, "0+5 10+5");
	range_list_add(&copy, (struct range){ 70, 1 });
	ck_assert(!range_list_equal(&list, &copy));
	check_list(&copy, "0+5 10+5 70+1");
	check_list(&list, "0+5 10+5 50+1");
	range_list_done(&copy);
	range_list_done(&list);
}

#define BITS 300

static bool covered(const bool *bits, uint64_t start, uint64_t count, bool all)
{
	for (uint64_t i = start; i < start + count; i++)
		if (bits[i] != all)
			return !all;
	return all;
}

static uint64_t how_many(const bool *bits, uint64_t start, uint64_t count)
{
	uint64_t total = 0;

	for (uint64_t i = start; i < start + count; i++)
		total += bits[i];
	return total;
}

/* A thousand random steps beside a bitmap, at the bottom and at the top of 64 bits. */
static void compare_with_bitmap(uint64_t base, uint32_t seed)
{
	struct range_list list = { 0 };
	bool bits[BITS] = { false };
	uint32_t state = seed;

	for (int step = 0; step < 1000; step++) {
		state = state * 1664525 + 1013904223;
		uint64_t start = (state >> 8) % BITS;

		state = state * 1664525 + 1013904223;
		uint64_t count = (state >> 8) % 20;
		bool add = (state >> 4) % 5 < 3;

		if (count > BITS - start)
			count = BITS - start;
		struct range r = { base + start, count };

		ck_assert(range_list_contains(&list, r) ==
			  (count == 0 || covered(bits, start, count, true)));
		ck_assert(range_list_overlaps(&list, r) == covered(bits, start, count, false));
		ck_assert_uint_eq(range_list_common(&list, r), how_many(bits, start, count));
		ck_assert_int_eq(add ? range_list_add(&list, r) : range_list_subtract(&list, r), 0);
		for (uint64_t i = start; i < start + count; i++)
			bits[i] = add;

		uint64_t total = 0;

		for (int i = 0; i < BITS; i++) {
			struct range one = { base + (uint64_t)i, 1 };

			total += bits[i];
			/* No ck_assert: it talks to the runner each time. */
			if (range_list_contains(&list, one) != bits[i])
				ck_abort_msg("step %d: bit %d", step, i);
		}
		ck_assert_uint_eq(range_list_total(&list), total);
		for (size_t i = 0; i < list.count; i++) {
			const struct range *item = &list.items[i];

			if (item->count == 0 ||
			    (i > 0 && item->start <= item[-1].start + item[-1].count))
				ck_abort_msg("step %d: item %zu", step, i);
		}
	}
	range_list_done(&list);
}

TEST(like_a_bitmap)
{
	compare_with_bitmap(0, 1);
	compare_with_bitmap(MAX - BITS, 2);
	compare_with_bitmap(39062500000ULL, 3);
}

TEST(without_is_like_subtracting_each)
{
	uint64_t seed = 88172645463325252ULL;

	for (int round = 0; round < 300; round++) {
		struct range_list from = { 0 }, what = { 0 }, one = { 0 }, other;

		for (int i = 0; i < 40; i++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			ck_assert_int_eq(
				range_list_add(i % 2 ? &from : &what,
					       (struct range){ seed % 300, seed / 300 % 12 }),
				0);
		}
		ck_assert_int_eq(range_list_without(&from, &what, &one), 0);
		ck_assert_int_eq(range_list_copy(&from, &other), 0);
		ck_assert_int_eq(range_list_subtract_all(&other, &what), 0);
		ck_assert(range_list_equal(&one, &other));
		range_list_done(&one);
		range_list_done(&other);
		range_list_done(&from);
		range_list_done(&what);
	}
}
