/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map in memory: against a plain array that says the same in a simple way. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "map/map.h"

#define SECTOR 512

static struct plan *make_plan(const struct extent *extents, size_t count)
{
	struct endpoint a = { .kind = ENDPOINT_DISK,
			      .node = "/dev/a",
			      .size = 1ULL << 50,
			      .logical_sector_size = SECTOR };
	struct endpoint b = a;
	struct plan *plan = NULL;
	struct error error = { 0 };

	strcpy(b.node, "/dev/b");
	ck_assert_msg(plan_from_extents(&a, &b, extents, count, NULL, NULL, &plan, &error) == 0,
		      "%s", error.sentence);
	return plan;
}

static struct map *make_map(struct plan **retplan, uint64_t sectors)
{
	struct map *map;

	*retplan = make_plan(&(struct extent){ 0, 0, sectors }, 1);
	ck_assert_int_eq(map_new(*retplan, &map, NULL), 0);
	return map;
}

UNIT_CASE(.timeout = 60);

TEST(a_new_map_is_the_plan)
{
	struct extent extents[] = { { 8, 8, 8 }, { 16, 24, 8 }, { 100, 108, 1 } };
	CLEANUP(plan) struct plan *plan = make_plan(extents, 3);
	CLEANUP(map) struct map *map = NULL;
	struct map_block block;

	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	/* The first two touch on the source. */
	ck_assert_uint_eq(map_areas(map, MAP_NON_TRIED), 2);
	ck_assert_uint_eq(map_bytes(map, MAP_NON_TRIED), 17 * SECTOR);
	ck_assert(map_next(map, 0, MAP_NON_TRIED, &block));
	ck_assert_uint_eq(block.start, 8 * SECTOR);
	ck_assert_uint_eq(block.size, 16 * SECTOR);
	ck_assert(map_next(map, 24 * SECTOR, MAP_NON_TRIED, &block));
	ck_assert_uint_eq(block.start, 100 * SECTOR);
	ck_assert(!map_next(map, 101 * SECTOR, MAP_NON_TRIED, &block));
	ck_assert(!map_next(map, 0, MAP_FINISHED, &block));
	map_destroy(NULL);
}

TEST(outside_the_domain_is_refused)
{
	struct extent extents[] = { { 8, 8, 8 }, { 32, 32, 8 } };
	CLEANUP(plan) struct plan *plan = make_plan(extents, 2);
	CLEANUP(map) struct map *map = NULL;

	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	ck_assert_int_eq(map_set(map, 7 * SECTOR, SECTOR, MAP_FINISHED), -ERANGE);
	ck_assert_int_eq(map_set(map, 15 * SECTOR, 2 * SECTOR, MAP_FINISHED), -ERANGE);
	ck_assert_int_eq(map_set(map, 8 * SECTOR, 32 * SECTOR, MAP_FINISHED), -ERANGE);
	ck_assert_int_eq(map_set(map, 39 * SECTOR, 2 * SECTOR, MAP_FINISHED), -ERANGE);
	ck_assert_int_eq(map_set(map, UINT64_MAX - 5, 10, MAP_FINISHED), -ERANGE);
	ck_assert_int_eq(map_set(map, 1ULL << 60, 10, MAP_FINISHED), -ERANGE);
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 20 * SECTOR, 0, MAP_FINISHED), 0);
}

#define CELLS 257

static void check_edges(const struct map *map, const char *model)
{
	size_t on = 0, off = 0, found_on, found_off;

	for (int i = 1; i < CELLS; i++) {
		if (model[i] == '?' || model[i - 1] == '?' ||
		    (model[i] == '+') == (model[i - 1] == '+'))
			continue;
		++*(i % 4 ? &off : &on);
	}
	map_edges(map, 4 * SECTOR, &found_on, &found_off);
	ck_assert_uint_eq(found_on, on);
	ck_assert_uint_eq(found_off, off);
}

static void compare(const struct map *map, const char *model)
{
	static const enum map_status all[] = { MAP_NON_TRIED, MAP_NON_TRIMMED, MAP_NON_SCRAPED,
					       MAP_BAD, MAP_FINISHED };
	char cells[CELLS + 1];
	size_t damaged = 0;

	for (int i = 0; i < CELLS; i++)
		damaged += strchr("*/-", model[i]) && (i == 0 || !strchr("*/-", model[i - 1]));
	ck_assert_uint_eq(map_damaged_areas(map), damaged);
	check_edges(map, model);
	map_cells(map, 0, CELLS * SECTOR, CELLS, cells);
	ck_assert_str_eq(cells, model);
	for (size_t s = 0; s < 5; s++) {
		uint64_t bytes = 0, pos = 0;
		size_t areas = 0;
		struct map_block block;

		for (int i = 0; i < CELLS; i++) {
			bytes += model[i] == (char)all[s] ? SECTOR : 0;
			areas += model[i] == (char)all[s] && (i == 0 || model[i - 1] != model[i]);
		}
		ck_assert_uint_eq(map_bytes(map, all[s]), bytes);
		ck_assert_uint_eq(map_areas(map, all[s]), areas);
		while (map_next(map, pos, all[s], &block)) {
			ck_assert_int_eq(model[block.start / SECTOR], (char)all[s]);
			pos = block.start + block.size;
			areas--;
		}
		ck_assert_uint_eq(areas, 0);
	}
}

TEST(any_sequence_of_changes_is_right)
{
	static const char letters[] = "?*/-+";
	unsigned seed = (unsigned)time(NULL);
	char model[CELLS + 1];
	CLEANUP(plan) struct plan *plan = NULL;
	CLEANUP(map) struct map *map = make_map(&plan, CELLS);

	printf("# seed %u\n", seed);
	srand(seed);
	memset(model, '?', CELLS);
	model[CELLS] = '\0';
	for (int round = 0; round < 3000; round++) {
		int start = rand() % CELLS, length = 1 + rand() % (rand() % 4 ? 9 : CELLS);
		char letter = letters[rand() % 5];

		if (start + length > CELLS)
			length = CELLS - start;
		memset(model + start, letter, (size_t)length);
		ck_assert_int_eq(map_set(map, (uint64_t)start * SECTOR, (uint64_t)length * SECTOR,
					 (enum map_status)letter),
				 0);
		compare(map, model);
	}

	CLEANUP(map) struct map *copy = NULL;

	ck_assert_int_eq(map_copy(map, &copy, NULL), 0);
	compare(copy, model);
}

TEST(cells_show_the_worst)
{
	CLEANUP(plan) struct plan *plan = NULL;
	CLEANUP(map) struct map *map = make_map(&plan, 1000);
	char cells[11];

	ck_assert_int_eq(map_set(map, 0, 300 * SECTOR, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 250 * SECTOR, SECTOR, MAP_BAD), 0);
	ck_assert_int_eq(map_set(map, 150 * SECTOR, SECTOR, MAP_NON_TRIMMED), 0);
	map_cells(map, 0, 1000 * SECTOR, 10, cells);
	ck_assert_str_eq(cells, "+*-???????");
	/* Beyond the end, more cells than bytes, nothing at all. */
	map_cells(map, 0, 2000 * SECTOR, 10, cells);
	ck_assert_str_eq(cells, "*-???.....");
	map_cells(map, 0, 3, 10, cells);
	ck_assert_str_eq(cells, "++++++++++");
	map_cells(map, UINT64_MAX - 100, 100, 10, cells);
	ck_assert_str_eq(cells, "..........");
	map_cells(map, 0, 1000, 0, cells);
	ck_assert_str_eq(cells, "");
}

TEST(taking_over_keeps_whole_sectors_only)
{
	struct plan *wide, *narrow;
	struct extent extents[] = { { 10, 10, 10 }, { 30, 30, 10 } };
	struct map *from = make_map(&wide, 100), *map;

	narrow = make_plan(extents, 2);
	ck_assert_int_eq(map_new(narrow, &map, NULL), 0);
	ck_assert_int_eq(map_set(from, 5 * SECTOR + 7, 10 * SECTOR, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(from, 35 * SECTOR, 50 * SECTOR, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(from, 36 * SECTOR, SECTOR, MAP_BAD), 0);
	ck_assert_int_eq(map_take_finished(map, from, SECTOR), 0);
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), (5 + 4) * SECTOR);
	ck_assert_uint_eq(map_bytes(map, MAP_BAD), 0);
	ck_assert_uint_eq(map_areas(map, MAP_FINISHED), 3);
	map_destroy(from);
	map_destroy(map);
	plan_destroy(wide);
	plan_destroy(narrow);
}

TEST(a_healthy_copy_needs_few_blocks)
{
	CLEANUP(plan) struct plan *plan = NULL;
	CLEANUP(map) struct map *map = make_map(&plan, 1ULL << 35);

	for (uint64_t i = 0; i < 100000; i++)
		ck_assert_int_eq(map_set(map, i << 20, 1 << 20, MAP_FINISHED), 0);
	ck_assert_uint_eq(map_areas(map, MAP_FINISHED), 1);
	ck_assert_uint_eq(map_areas(map, MAP_NON_TRIED), 1);
}

TEST(a_trimmed_map_is_the_same_and_can_grow)
{
	CLEANUP(plan) struct plan *plan = NULL;
	CLEANUP(map) struct map *map = make_map(&plan, 1ULL << 20);

	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_int_eq(map_set(map, i * 4096, 512, MAP_BAD), 0);
	ck_assert_int_eq(map_set(map, 0, 512, MAP_FINISHED), 0);
	map_trim(map, 2);
	map_trim(map, 100000);
	ck_assert_uint_eq(map_areas(map, MAP_BAD), 999);
	for (uint64_t i = 1000; i < 2000; i++)
		ck_assert_int_eq(map_set(map, i * 4096, 512, MAP_BAD), 0);
	ck_assert_int_eq(map_set(map, 4096, 512, MAP_FINISHED), 0);
	ck_assert_uint_eq(map_areas(map, MAP_BAD), 1998);
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), 1024);
}

TEST(reserving_cannot_overflow)
{
	CLEANUP(plan) struct plan *plan = NULL;
	CLEANUP(map) struct map *map = make_map(&plan, 10);

	ck_assert_int_eq(map_reserve(map, SIZE_MAX), -ENOMEM);
	ck_assert_int_eq(map_reserve(map, SIZE_MAX / 2), -ENOMEM);
	ck_assert_int_eq(map_reserve(map, 100), 0);
}
