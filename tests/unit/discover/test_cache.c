/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What disks have told is kept as long as they stay what they were. */
#include "discover/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static struct cache *cache;
static struct partition partitions[2];
static struct disk disk;
static struct table told, found;
static int error;

static void setup(void)
{
	cache = cache_new();
	ck_assert_ptr_nonnull(cache);
	partitions[0] = (struct partition){ .number = 1, .start = 2048, .sectors = 4096 };
	partitions[1] = (struct partition){ .number = 2, .start = 6144, .sectors = 4096 };
	disk = (struct disk){
		.identity = { .devno = 7,
			      .diskseq = 3,
			      .size = 1 << 20,
			      .logical_sector_size = 512 },
		.partitions = partitions,
		.partition_count = 2,
	};
	told = (struct table){ .type = "gpt" };
	ck_assert_int_eq(table_add_note(&told, "%s", "It is torn."), 0);
	ck_assert_int_eq(table_add_area(&told, REGION_TABLE, 0, 34), 0);
	found = (struct table){ 0 };
}

static void teardown(void)
{
	table_done(&told);
	table_done(&found);
	cache_destroy(cache);
}

static struct cache_key key(void)
{
	struct cache_key key;

	cache_key(&disk, &key);
	return key;
}

static void keep(int code)
{
	struct cache_key of = key();

	cache_keep(cache, &of, cache_moment(cache), code, &told);
}

static bool find(void)
{
	struct cache_key of = key();

	table_done(&found);
	return cache_find(cache, &of, &error, &found);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(what_was_told_is_kept)
{
	ck_assert(!find());
	keep(-EIO);
	/* As often as it is asked for; each is a copy. */
	for (int i = 0; i < 2; i++) {
		ck_assert(find());
		ck_assert_int_eq(error, -EIO);
		ck_assert_str_eq(found.type, "gpt");
		ck_assert_uint_eq(found.note_count, 1);
		ck_assert_str_eq(found.notes[0].text, "It is torn.");
		ck_assert_ptr_ne(found.notes, told.notes);
		ck_assert_uint_eq(found.areas[0].sectors, 34);
	}
	keep(0);
	ck_assert(find());
	ck_assert_int_eq(error, 0);
}

TEST(another_disk_is_asked)
{
	uint64_t *const numbers[] = { &disk.identity.diskseq, &disk.identity.size,
				      &partitions[0].start, &partitions[1].sectors };

	keep(0);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		++*numbers[i];
		ck_assert(!find());
		--*numbers[i];
		ck_assert(find());
	}
	disk.partition_count = 1;
	ck_assert(!find());
	disk.partition_count = 2;
	disk.identity.logical_sector_size = 4096;
	ck_assert(!find());
	disk.identity.logical_sector_size = 512;
	disk.identity.devno++;
	ck_assert(!find());
}

TEST(what_changed_is_forgotten)
{
	struct cache_key first = key(), second;

	keep(0);
	disk.identity.devno = 8;
	second = key();
	keep(0);
	cache_forget(cache, 7);
	ck_assert(!cache_find(cache, &first, &error, &found));
	ck_assert(cache_find(cache, &second, &error, &found));
	table_done(&found);
	cache_forget(cache, 0);
	ck_assert(!cache_find(cache, &second, &error, &found));
	keep(0);
	ck_assert(cache_find(cache, &second, &error, &found));
}

/* It was read before it changed, and has an entry only now. */
TEST(an_answer_may_be_too_late)
{
	struct cache_key of = key();
	uint64_t before = cache_moment(cache);

	cache_forget(cache, 8);
	cache_keep(cache, &of, before, 0, &told);
	ck_assert(find());
	cache_forget(cache, 7);
	cache_keep(cache, &of, before, 0, &told);
	ck_assert(!find());
	before = cache_moment(cache);
	cache_forget(cache, 0);
	cache_keep(cache, &of, before, 0, &told);
	ck_assert(!find());
}

TEST(nothing_is_kept_without_a_place)
{
	cache_destroy(cache);
	cache = NULL;
	keep(0);
	ck_assert(!find());
	cache_forget(cache, 0);
}
