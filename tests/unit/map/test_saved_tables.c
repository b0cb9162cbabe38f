/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a source beside its map: kept as they are, and nothing in the file is trusted. */
#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "map/saved_tables.h"
#include "map_rig.h"

#define SECTOR  512U
#define SECTORS 256U /* of the plan */

static struct plan *plan;
static char path[PATH_MAX];
static uint8_t first[8 * SECTOR], second[2 * SECTOR];
static uint8_t taken[SECTORS * SECTOR]; /* by load(), at their places */
static uint64_t taken_bytes;

static void save(void)
{
	struct range_list stages[2] = { 0 };
	struct saved_area areas[2] = { { { 1, 7 }, first + SECTOR }, { { 100, 2 }, second } };
	const struct saved_tables tables = { stages, 2, areas, 2 };
	struct error error = { 0 };

	ck_assert_int_eq(range_list_add(&stages[0], (struct range){ 1, 7 }), 0);
	/* Its last sectors could not be read. */
	ck_assert_int_eq(range_list_add(&stages[0], (struct range){ 100, 4 }), 0);
	ck_assert_int_eq(range_list_add(&stages[1], (struct range){ 0, 1 }), 0);
	ck_assert_msg(saved_tables_save(&tables, plan, path, NULL, &error) == 0, "%s",
		      error.sentence);
	range_list_done(&stages[0]);
	range_list_done(&stages[1]);
}

static void setup(void)
{
	const struct extent extent = { 0, 0, SECTORS };

	map_rig_make_dir();
	plan = map_rig_plan(&extent, 1);
	ck_assert_uint_eq(plan->sector_size, SECTOR);
	saved_tables_path(map_path, path);
	for (size_t i = 0; i < sizeof(first); i++)
		first[i] = (uint8_t)(i * 7 + 1);
	for (size_t i = 0; i < sizeof(second); i++)
		second[i] = (uint8_t)(i * 11 + 3);
	save();
}

static void teardown(void)
{
	plan_destroy(plan);
	unlink(path);
	map_rig_remove_dir();
}

static void take(void *user, uint64_t offset, uint32_t length, const void *data)
{
	ck_assert_uint_le(offset, sizeof(taken));
	ck_assert_uint_le(length, sizeof(taken) - offset);
	memcpy(taken + offset, data, length);
	taken_bytes += length;
}

static int load(struct held *ret)
{
	struct error error = { 0 };
	int r;

	memset(taken, 0, sizeof(taken));
	taken_bytes = 0;
	r = saved_tables_load(path, plan, take, NULL, ret, &error);
	ck_assert_int_eq(r, error.code);
	ck_assert((r < 0) == (error.sentence[0] != '\0'));
	return r;
}

UNIT_CASE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(they_come_back_as_they_were)
{
	struct held held;

	ck_assert_int_eq(load(&held), 0);
	ck_assert_uint_eq(taken_bytes, 9 * SECTOR);
	ck_assert_mem_eq(taken + SECTOR, first + SECTOR, 7 * SECTOR);
	ck_assert_mem_eq(taken + 100 * SECTOR, second, sizeof(second));
	ck_assert_uint_eq(range_list_total(&held.areas), 12);
	ck_assert_uint_eq(range_list_total(&held.key[0]), 0);
	ck_assert(range_list_contains(&held.key[1], (struct range){ 0, 1 }));
	ck_assert_uint_eq(range_list_total(&held.key[1]), 1);
	held_done(&held);
}

TEST(those_of_another_plan_are_refused)
{
	struct held held;

	strcpy(plan->source.identity.serial, "ANOTHER");
	ck_assert_int_eq(load(&held), -EINVAL);
	ck_assert_uint_eq(taken_bytes, 0);
	ck_assert_uint_eq(held.areas.count, 0);
}

TEST(no_file_is_told_apart)
{
	unlink(path);
	ck_assert_int_eq(load(NULL), -ENOENT);
}

static size_t read_file(char *buffer, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t n;

	ck_assert_ptr_nonnull(file);
	n = fread(buffer, 1, size, file);
	fclose(file);
	return n;
}

static void write_file(const char *data, size_t length)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, length, file), length);
	fclose(file);
}

/* Whatever byte of it is another one, and wherever it ends: only right data is taken, and only
 * where it belongs. */
TEST(a_damaged_file_gives_nothing_wrong)
{
	static char file[16384], bad[16384];
	size_t length = read_file(file, sizeof(file));
	static const char others[] = { 0, '9', ' ', '\n', (char)0xff };
	struct held held;

	ck_assert_uint_gt(length, 9 * SECTOR);
	ck_assert_uint_lt(length, sizeof(file));
	for (size_t i = 0; i < length; i += i < 300 ? 1 : 97) {
		for (size_t k = 0; k < sizeof(others); k++) {
			memcpy(bad, file, length);
			bad[i] = others[k];
			write_file(bad, length);
			if (load(&held) == 0)
				held_done(&held);
			for (size_t at = 0; at < sizeof(taken); at++)
				ck_assert(!taken[at] ||
					  (at < sizeof(first) && taken[at] == first[at]) ||
					  (at >= 100 * SECTOR && at < 102 * SECTOR &&
					   taken[at] == second[at - 100 * SECTOR]));
		}
		write_file(file, i);
		ck_assert_int_lt(load(NULL), 0);
	}
}

static const char *const refused[] = {
	"stage 0 0 1\nstage 2 5 1\nend\n",                               /* a stage is left out */
	"stage 0 0 1\nstage 1 0 1\nend\n",                               /* twice */
	"stage 0 255 2\nend\n",                                          /* beyond the plan */
	"stage 0 18446744073709551615 2\nend\n",                         /* beyond all numbers */
	"stage 0 0 18446744073709551615\nend\n",                         /* the same */
	"stage 0 0 0\nend\n",                                            /* nothing */
	"stage 4 0 1\nend\n",                                            /* too many */
	"end\n",                                                         /* no held areas */
	"stage 0 0 1\ndata 0 2 00000000000000000000000000000000\nend\n", /* in no held area */
	"stage 0 0 1\ndata 0 1 0\nend\n",                                /* no digest */
	"stage 0 0 1\nstage 0 1 1 \nend\n",
	"stage 0 0 1\nmore\nend\n",
	"stage 0 0 1\n",
};

TEST_ROWS(a_hostile_file_is_refused, ARRAY_SIZE(refused))
{
	char text[1024], id[9];
	struct held held;

	snprintf(text, sizeof(text), "# clonedeck tables %s 512\n%s", plan_id(plan, id),
		 refused[_i]);
	write_file(text, strlen(text));
	ck_assert_int_eq(load(&held), -EINVAL);
	ck_assert_uint_eq(held.areas.count, 0);
	ck_assert_uint_eq(taken_bytes, 0);
}
