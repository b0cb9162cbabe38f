/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The range text: what it means, where it points when it means nothing. */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "disks.h"
#include "plan/rangespec.h"

#define SECTORS 3907029168U /* 2 TB of 512 */

static struct partition partitions[] = {
	{ .number = 1, .start = 2048, .sectors = 1048576 },
	{ .number = 2, .start = 1050624, .sectors = 2097152 },
	{ .number = 3, .start = 3147776, .sectors = 3903881216U },
	{ .number = 7, .start = 3907028992U, .sectors = 0 },
	{ .number = 8, .start = 3907028992U, .sectors = 177 }, /* one beyond the end */
	{ .number = 9, .start = UINT64_MAX - 1, .sectors = UINT64_MAX },
	{ .number = 4294967295U, .start = 5, .sectors = 6 },
};

static struct disk disk;
static struct rangespec_context context;

static void setup(void)
{
	disk = test_disk("sda", 0, SECTORS, 512);
	disk.partitions = partitions;
	disk.partition_count = ARRAY_SIZE(partitions);
	context =
		(struct rangespec_context){ .sectors = SECTORS, .sector_size = 512, .disk = &disk };
}

struct good {
	const char *text;
	size_t items;
	struct range ranges[4]; /* ends with an empty one */
};

static const struct good goods[] = {
	{ "0-0", 1, { { 0, 1 } } },
	{ "2048-1050623", 1, { { 2048, 1048576 } } },
	{ "2048+1048576", 1, { { 2048, 1048576 } } },
	{ "@1", 1, { { 2048, 1048576 } } },
	{ "@4294967295", 1, { { 5, 6 } } },
	{ "@1,@2", 2, { { 2048, 3145728 } } },
	{ "-33", 1, { { SECTORS - 33, 33 } } },
	{ "-3907029168", 1, { { 0, SECTORS } } },
	{ "1-", 1, { { 1, SECTORS - 1 } } },
	{ "3907029167-", 1, { { SECTORS - 1, 1 } } },
	{ "3907029167-3907029167", 1, { { SECTORS - 1, 1 } } },
	{ "*", 1, { { 0, SECTORS } } },
	{ "*,5-6,@1", 3, { { 0, SECTORS } } },
	{ "2048-1050623,@3,1GiB+20GiB,-33",
	  4,
	  { { 2048, 1048576 }, { 2097152, SECTORS - 176 - 2097152 }, { SECTORS - 33, 33 } } },
	{ "1GiB+20GiB", 1, { { 2097152, 41943040 } } },
	{ "0x800-0xfff", 1, { { 2048, 2048 } } },
	{ "0X800+0x10", 1, { { 2048, 16 } } },
	{ "2048s+1M", 1, { { 2048, 2048 } } },
	{ "2048s-4095s", 1, { { 2048, 2048 } } },
	{ "1MiB-2MiB", 1, { { 2048, 2048 } } }, /* a boundary, not a sector */
	{ "0-512B", 1, { { 0, 1 } } },
	{ "1MiB-4095", 1, { { 2048, 2048 } } },
	{ "0-2000398934016B", 1, { { 0, SECTORS } } },
	{ "1.5K+1.5K", 1, { { 3, 3 } } },
	{ "10-20,5-15,30+1", 3, { { 5, 16 }, { 30, 1 } } },
	{ "10-19,20-29", 2, { { 10, 20 } } },
	{ "30+1,10+1,20+1", 3, { { 10, 1 }, { 20, 1 }, { 30, 1 } } },
	{ "  1 - 5 ,\t7 + 2 , - 3 ", 3, { { 1, 5 }, { 7, 2 }, { SECTORS - 3, 3 } } },
	{ "00000000000000000000000000000000000000005-6", 1, { { 5, 2 } } },
};

UNIT_CASE(.setup = setup);

TEST_ROWS(parses, ARRAY_SIZE(goods))
{
	const struct good *good = &goods[_i];
	struct range_list list = { 0 };
	struct rangespec_error error = { .column = -7 };
	size_t items = 99, count = 0;

	ck_assert_msg(rangespec_parse(good->text, &context, &list, &items, &error) == 0, "%s: %s",
		      good->text, error.sentence);
	ck_assert_int_eq(error.column, -7);
	ck_assert_uint_eq(items, good->items);
	while (count < 4 && good->ranges[count].count > 0)
		count++;
	ck_assert_msg(list.count == count, "%s: %zu ranges", good->text, list.count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(list.items[i].start, good->ranges[i].start);
		ck_assert_uint_eq(list.items[i].count, good->ranges[i].count);
	}
	range_list_done(&list);
}

struct bad {
	const char *text;
	int code, column, length;
};

static const struct bad bads[] = {
	{ "", -EINVAL, 0, 0 },
	{ "   ", -EINVAL, 3, 0 },
	{ ",", -EINVAL, 0, 1 },
	{ "1-2,", -EINVAL, 4, 0 },
	{ "1-2,,3-4", -EINVAL, 4, 1 },
	{ ",1-2", -EINVAL, 0, 1 },
	{ "5", -EINVAL, 0, 1 },
	{ "1,,2", -EINVAL, 0, 1 },
	{ "2048", -EINVAL, 0, 4 },
	{ "-", -EINVAL, 0, 1 },
	{ "--", -EINVAL, 1, 1 },
	{ "-0", -EINVAL, 1, 1 },
	{ "-3907029169", -ERANGE, 1, 10 },
	{ "+5", -EINVAL, 0, 1 },
	{ "5+", -EINVAL, 2, 0 },
	{ "5+0", -EINVAL, 2, 1 },
	{ "5+,6-7", -EINVAL, 2, 1 },
	{ "5-3", -EINVAL, 0, 3 },
	{ "1-2,5-3", -EINVAL, 4, 3 },
	{ "2MiB-1MiB", -EINVAL, 0, 9 },
	{ "1MiB-1MiB", -EINVAL, 0, 9 }, /* from a boundary to itself: nothing */
	{ "5-0B", -EINVAL, 0, 4 },
	{ "@", -EINVAL, 0, 1 },
	{ "@99", -EINVAL, 0, 3 },
	{ "@0", -EINVAL, 0, 2 },
	{ "@7", -EINVAL, 0, 2 },
	{ "@8", -ERANGE, 0, 2 },
	{ "@9", -ERANGE, 0, 2 },
	{ "@1K", -EINVAL, 0, 3 },
	{ "@-1", -EINVAL, 0, 2 },
	{ "@4294967296", -EINVAL, 0, 11 },
	{ "@18446744073709551617", -EINVAL, 0, 21 },
	{ "@1-5", -EINVAL, 2, 1 },
	{ "**", -EINVAL, 1, 1 },
	{ "*5", -EINVAL, 1, 1 },
	{ "3907029168-", -ERANGE, 0, 10 },
	{ "0-3907029168", -ERANGE, 2, 10 },
	{ "0-2000398934528B", -ERANGE, 2, 14 },
	{ "1+3907029168", -ERANGE, 2, 10 },
	{ "18446744073709551615+18446744073709551615", -ERANGE, 0, 20 },
	{ "1+18446744073709551615", -ERANGE, 2, 20 },
	{ "0-18446744073709551616", -ERANGE, 2, 20 },
	{ "99999999999999999999999999999999-", -ERANGE, 0, 32 },
	{ "16384P-", -ERANGE, 0, 6 },
	{ "1KB-", -EINVAL, 0, 3 }, /* 1000 bytes are no sectors */
	{ "1.5-2", -EINVAL, 0, 3 },
	{ "1.5s-2", -EINVAL, 0, 4 },
	{ "1Ki-2", -EINVAL, 0, 3 },
	{ "0x-5", -EINVAL, 0, 2 },
	{ "0xg-5", -EINVAL, 0, 3 },
	{ "abc", -EINVAL, 0, 3 },
	{ "1-2x", -EINVAL, 2, 2 },
	{ "1 2", -EINVAL, 0, 1 },
	{ "1-2 3", -EINVAL, 4, 1 },
	{ "1-2;3-4", -EINVAL, 2, 3 },
	{ "1-2-3", -EINVAL, 3, 1 },
	{ "1-2\n", -EINVAL, 2, 2 },
	{ "1--2", -EINVAL, 2, 1 },
	{ "\033[31m", -EINVAL, 0, 5 },
	{ "\xff\xfe", -EINVAL, 0, 2 },
	{ "%s%n-", -EINVAL, 0, 4 },
};

TEST_ROWS(refuses, ARRAY_SIZE(bads))
{
	const struct bad *bad = &bads[_i];
	struct range held = { 1, 2 };
	struct range_list list = { .items = &held, .count = 1, .capacity = 1 };
	struct rangespec_error error = { 0 };
	size_t items = 99;
	int code = rangespec_parse(bad->text, &context, &list, &items, &error);

	ck_assert_msg(code == bad->code, "'%s' gave %d", bad->text, code);
	ck_assert_msg(error.column == bad->column && error.length == bad->length,
		      "'%s' points at %d+%d: %s", bad->text, error.column, error.length,
		      error.sentence);
	ck_assert_uint_gt(strlen(error.sentence), 10);
	for (const char *c = error.sentence; *c; c++)
		ck_assert_msg((unsigned char)*c >= ' ' && *c != 0x7f, "'%s'", error.sentence);
	/* The list that the caller holds is not lost. */
	ck_assert_ptr_eq(list.items, &held);
	ck_assert_uint_eq(items, 99);
	ck_assert_int_eq(rangespec_parse(bad->text, &context, &list, NULL, NULL), bad->code);
}

TEST(speaks_of_what_was_typed)
{
	struct range_list list = { 0 };
	struct rangespec_error error;

	rangespec_parse("@99", &context, &list, NULL, &error);
	ck_assert_ptr_nonnull(strstr(error.sentence, "99"));
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/sda"));
	rangespec_parse("0-3907029168", &context, &list, NULL, &error);
	ck_assert_ptr_nonnull(strstr(error.sentence, "3907029167"));
	rangespec_parse("2048", &context, &list, NULL, &error);
	ck_assert_ptr_nonnull(strstr(error.sentence, "2048+N"));
}

TEST(needs_a_disk_for_partitions)
{
	struct range_list list = { 0 };
	struct rangespec_error error;

	context.disk = NULL;
	ck_assert_int_eq(rangespec_parse("@1", &context, &list, NULL, &error), -EINVAL);
	ck_assert_int_eq(rangespec_parse("0-5", &context, &list, NULL, &error), 0);
	range_list_done(&list);
	context.sectors = 0;
	ck_assert_int_eq(rangespec_parse("*", &context, &list, NULL, &error), -ERANGE);
	context = (struct rangespec_context){ .sectors = 5, .sector_size = 0 };
	ck_assert_int_eq(rangespec_parse("1K-", &context, &list, NULL, &error), -ERANGE);
}

TEST(knows_other_sectors)
{
	struct range_list list = { 0 };
	struct rangespec_error error;

	context = (struct rangespec_context){ .sectors = 1, .sector_size = 4096 };
	ck_assert_int_eq(rangespec_parse("0-", &context, &list, NULL, &error), 0);
	ck_assert_uint_eq(range_list_total(&list), 1);
	range_list_done(&list);
	ck_assert_int_eq(rangespec_parse("512B+4K", &context, &list, NULL, &error), -EINVAL);
	ck_assert_int_eq(error.column, 0);
	ck_assert_int_eq(rangespec_parse("0+4K", &context, &list, NULL, &error), 0);
	range_list_done(&list);
	/* 520 bytes, as some arrays format their disks. */
	context = (struct rangespec_context){ .sectors = 1000, .sector_size = 520 };
	ck_assert_int_eq(rangespec_parse("0+520B", &context, &list, NULL, &error), 0);
	ck_assert_uint_eq(range_list_total(&list), 1);
	range_list_done(&list);
	ck_assert_int_eq(rangespec_parse("0+1K", &context, &list, NULL, &error), -EINVAL);
	/* As many sectors as there can be. */
	context = (struct rangespec_context){ .sectors = UINT64_MAX, .sector_size = 512 };
	ck_assert_int_eq(rangespec_parse("18446744073709551614-", &context, &list, NULL, &error),
			 0);
	ck_assert_uint_eq(list.items[0].start, UINT64_MAX - 1);
	ck_assert_uint_eq(list.items[0].count, 1);
	range_list_done(&list);
	ck_assert_int_eq(rangespec_parse("18446744073709551615-", &context, &list, NULL, &error),
			 -ERANGE);
}

static void prints(const char *typed, const char *expected)
{
	struct range_list list = { 0 };
	struct rangespec_error error;

	ck_assert_msg(rangespec_parse(typed, &context, &list, NULL, &error) == 0, "%s: %s", typed,
		      error.sentence);
	char *text = rangespec_print(&list, &context);

	ck_assert_str_eq(text, expected);
	free(text);
	range_list_done(&list);
}

TEST(prints_short)
{
	struct range_list empty = { 0 };
	char *text = rangespec_print(&empty, &context);

	ck_assert_str_eq(text, "");
	free(text);
	prints("0-", "*");
	prints("0-3907029167", "*");
	prints("2048-1050623", "@1");
	prints("@1,@2", "2048-3147775");
	prints("@3,0-5", "0-5,@3");
	prints("7+1", "7-7");
	prints("1000+1", "1000+1");
	prints("3907029160-3907029167", "-8");
	prints("5-3907029167", "5-");
	context.disk = NULL;
	prints("2048-1050623", "2048-1050623");
}

/* A small generator of our own: the same seed must give the same ranges everywhere. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void make_list(uint64_t *state, struct range_list *list)
{
	uint64_t count = next_random(state) % 20;

	for (uint64_t i = 0; i <= count; i++) {
		unsigned shift = (unsigned)(next_random(state) % 64);
		struct range r = { .start = (next_random(state) >> shift) % context.sectors };
		uint64_t room = context.sectors - r.start;

		shift = (unsigned)(next_random(state) % 64);
		r.count = 1 + (next_random(state) >> shift) % room;
		ck_assert_int_eq(range_list_add(list, r), 0);
	}
}

TEST(prints_what_it_parses)
{
	static const uint64_t sizes[] = { 1, 2, 1000, SECTORS, 39062500000ULL, UINT64_MAX };
	const char *given = getenv("CLONEDECK_TEST_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761U + 1;
	uint64_t state = seed ? seed : 1;

	for (int round = 0; round < 3000; round++) {
		struct range_list list = { 0 }, back = { 0 };
		struct rangespec_error error = { 0 };

		context.sectors = sizes[next_random(&state) % 6];
		context.disk = next_random(&state) % 2 ? &disk : NULL;
		make_list(&state, &list);

		char *text = rangespec_print(&list, &context);

		ck_assert_ptr_nonnull(text);
		ck_assert_msg(rangespec_parse(text, &context, &back, NULL, &error) == 0,
			      "CLONEDECK_TEST_SEED=%llu: '%s': %s", (unsigned long long)seed, text,
			      error.sentence);
		ck_assert_msg(back.count == list.count &&
				      memcmp(back.items, list.items,
					     list.count * sizeof(*list.items)) == 0,
			      "CLONEDECK_TEST_SEED=%llu: '%s'", (unsigned long long)seed, text);
		free(text);
		range_list_done(&list);
		range_list_done(&back);
	}
}
