/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Free places in a plan: cut, checked, part of its id, shared by its copies. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "plan/plan.h"

#define SECTORS 100000ULL
#define MANY    1000000U

static struct endpoint source, destination;
static struct free_places wanted;
static struct plan *plan;
static struct error error;

static void setup(void)
{
	source = (struct endpoint){
		.kind = ENDPOINT_DISK,
		.node = "/dev/sda",
		.disk_node = "/dev/sda",
		.size = SECTORS * 512,
		.logical_sector_size = 512,
		.exists = true,
	};
	destination = source;
	strcpy(destination.node, "/dev/sdb");
	strcpy(destination.disk_node, "/dev/sdb");
	wanted = (struct free_places){ 0 };
	plan = NULL;
}

static void teardown(void)
{
	free_places_done(&wanted);
	plan_destroy(plan);
}

static void add(struct range_list *list, uint64_t start, uint64_t count)
{
	ck_assert_int_eq(range_list_add(list, (struct range){ start, count }), 0);
}

static int make(const struct range *ranges, size_t count)
{
	struct range_list list = { 0 };
	int r;

	for (size_t i = 0; i < count; i++)
		add(&list, ranges[i].start, ranges[i].count);
	plan_destroy(plan);
	plan = NULL;
	r = plan_new(&source, &destination, count ? &list : NULL, NULL, &wanted, NULL, &plan,
		     &error);
	range_list_done(&list);
	return r;
}

static void check_next(struct plan_walk *walk, uint64_t start, uint64_t sectors)
{
	struct extent part;

	ck_assert(plan_walk(plan, walk, &part));
	ck_assert_uint_eq(part.source_lba, start);
	ck_assert_uint_eq(part.destination_lba, start);
	ck_assert_uint_eq(part.sectors, sectors);
}

/* A million of them, with a sanitizer on a busy machine. */
UNIT_CASE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(what_is_left_out_is_not_copied)
{
	struct plan_walk walk = { 0 };
	struct extent part;

	add(&wanted.left_out, 1000, 500);
	add(&wanted.left_out, 99000, 1000);
	ck_assert_int_eq(make(NULL, 0), 0);
	ck_assert(plan->whole);
	ck_assert_uint_eq(plan->extent_count, 1);
	ck_assert_uint_eq(plan_bytes(plan), (SECTORS - 1500) * 512);
	ck_assert_uint_eq(plan_chosen_bytes(plan), SECTORS * 512);
	ck_assert_uint_eq(plan_free_bytes(plan), 1500 * 512);
	check_next(&walk, 0, 1000);
	check_next(&walk, 1500, 97500);
	ck_assert(!plan_walk(plan, &walk, &part));
}

TEST(what_is_copied_later_is_copied)
{
	struct plan_walk walk = { 0 };

	add(&wanted.later, 1000, 500);
	ck_assert_int_eq(make(NULL, 0), 0);
	ck_assert_uint_eq(plan_bytes(plan), SECTORS * 512);
	ck_assert_uint_eq(plan_later_bytes(plan), 500 * 512);
	ck_assert_ptr_null(plan_left_out(plan));
	check_next(&walk, 0, SECTORS);
}

TEST(places_are_cut_to_the_ranges)
{
	const struct range ranges[] = { { 0, 1000 }, { 1200, 100 }, { 5000, 100 } };
	struct plan_walk walk = { 0 };
	struct extent part;

	add(&wanted.left_out, 500, 750);
	add(&wanted.left_out, 5000, 10);
	add(&wanted.left_out, 7000, UINT64_MAX - 7000);
	ck_assert_int_eq(make(ranges, 3), 0);
	ck_assert_uint_eq(plan->free_places->left_out.count, 3);
	check_next(&walk, 0, 500);
	check_next(&walk, 1250, 50);
	check_next(&walk, 5010, 90);
	ck_assert(!plan_walk(plan, &walk, &part));
}

TEST(parts_of_larger_sectors_count_as_used)
{
	destination.logical_sector_size = 4096;
	add(&wanted.left_out, 1001, 30);
	add(&wanted.left_out, 2001, 7);
	ck_assert_int_eq(make(NULL, 0), 0);
	ck_assert_uint_eq(plan->free_places->left_out.count, 1);
	ck_assert_uint_eq(plan->free_places->left_out.items[0].start, 1008);
	ck_assert_uint_eq(plan->free_places->left_out.items[0].count, 16);
}

TEST(nothing_but_free_places_is_nothing_to_copy)
{
	const struct range range = { 10, 10 };

	add(&wanted.left_out, 0, 100);
	ck_assert_int_eq(make(&range, 1), -EINVAL);
	ck_assert_ptr_null(plan);
}

TEST(the_lists_must_not_overlap)
{
	add(&wanted.left_out, 0, 100);
	add(&wanted.later, 50, 100);
	ck_assert_int_eq(make(NULL, 0), -EINVAL);
}

TEST(from_extents_all_must_lie_inside)
{
	const struct extent extent = { 0, 0, 1000 };

	add(&wanted.left_out, 900, 101);
	ck_assert_int_eq(
		plan_from_extents(&source, &destination, &extent, 1, &wanted, NULL, &plan, &error),
		-EINVAL);
	range_list_done(&wanted.left_out);
	add(&wanted.left_out, 900, 100);
	ck_assert_int_eq(
		plan_from_extents(&source, &destination, &extent, 1, &wanted, NULL, &plan, &error),
		0);
}

TEST(they_are_part_of_the_id)
{
	char ids[5][9];

	ck_assert_int_eq(make(NULL, 0), 0);
	plan_id(plan, ids[0]);
	add(&wanted.left_out, 1000, 500);
	ck_assert_int_eq(make(NULL, 0), 0);
	plan_id(plan, ids[1]);
	plan->options.free = FREE_LEAVE;
	plan_id(plan, ids[2]);
	add(&wanted.left_out, 5000, 1);
	ck_assert_int_eq(make(NULL, 0), 0);
	plan_id(plan, ids[3]);
	range_list_done(&wanted.left_out);
	add(&wanted.later, 1000, 500);
	ck_assert_int_eq(make(NULL, 0), 0);
	plan_id(plan, ids[4]);
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(ids[i], ids[j]);
}

TEST(copies_share_them)
{
	struct plan *copy;

	add(&wanted.left_out, 1000, 500);
	ck_assert_int_eq(make(NULL, 0), 0);
	ck_assert_int_eq(plan_copy(plan, &copy), 0);
	plan_destroy(plan);
	plan = copy;
	ck_assert_uint_eq(plan_left_out(plan)->items[0].start, 1000);
}

TEST(a_million_places_need_little_memory)
{
	struct plan_walk walk = { 0 };
	struct extent part;
	size_t parts = 0;
	char id[9];

	source.size = destination.size = 1000ULL << 30;
	for (uint64_t i = 0; i < MANY; i++)
		add(&wanted.left_out, i * 2000 + 500, 1000);
	ck_assert_int_eq(make(NULL, 0), 0);
	plan_id(plan, id);
	while (plan_walk(plan, &walk, &part))
		parts++;
	ck_assert_uint_eq(parts, MANY + 1);
	ck_assert_uint_eq(plan->extent_count, 1);
	ck_assert_uint_lt((wanted.left_out.capacity + plan_left_out(plan)->capacity) *
				  sizeof(struct range),
			  64 << 20);
}
