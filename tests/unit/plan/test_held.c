/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The held areas: the places of tables and signatures, and nothing outside the plan. */
#include "unit.h"

#include <string.h>

#include "disks.h"
#include "plan/held.h"
#include "plan/preset.h"

#define MIB     (1ULL << 20)
#define SECTORS (1000 * MIB / 512)

static struct disk sda, sdb;
static struct partition parts[600], old_parts[4];
static struct region regions[8];
static struct held held;
static struct plan *plan;

static void setup(void)
{
	sda = test_disk("sda", 0, SECTORS, 512);
	sdb = test_disk("sdb", 16, 2 * SECTORS, 512);
	memset(parts, 0, sizeof(parts));
	memset(old_parts, 0, sizeof(old_parts));
	memset(regions, 0, sizeof(regions));
	sda.partitions = parts;
	sdb.partitions = old_parts;
	sda.regions = regions;
}

static void teardown(void)
{
	held_done(&held);
	plan_destroy(plan);
	plan = NULL;
}

static void find(const struct disk *source, const struct disk *destination)
{
	struct endpoint a = test_whole(&sda), b = test_whole(&sdb);

	ck_assert_int_eq(plan_new(&a, &b, NULL, NULL, NULL, NULL, &plan, NULL), 0);
	ck_assert_int_eq(held_find(plan, source, destination, &held), 0);
	for (size_t i = 0; i < held.areas.count; i++)
		ck_assert(!range_list_overlaps(&held.old, held.areas.items[i]));
	ck_assert_uint_gt(held.key[0].count + held.key[1].count, 0);
	for (size_t k = 0; k < HELD_KEYS; k++)
		for (size_t i = 0; i < held.key[k].count; i++) {
			ck_assert(range_list_contains(&held.areas, held.key[k].items[i]));
			ck_assert(!range_list_overlaps(&held.key[1 - k], held.key[k].items[i]));
		}
}

static void add_partition(struct disk *disk, uint64_t start, uint64_t sectors)
{
	disk->partitions[disk->partition_count++] = (struct partition){
		.number = (unsigned)disk->partition_count,
		.start = start,
		.sectors = sectors,
	};
}

static void add_table(enum region_kind kind, uint64_t start, uint64_t sectors)
{
	regions[sda.region_count++] = (struct region){ kind, start, sectors, -1 };
}

static bool holds(uint64_t lba, uint64_t sectors)
{
	return range_list_contains(&held.areas, (struct range){ lba, sectors });
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(both_ends_of_a_disk_without_a_table)
{
	find(&sda, &sdb);
	ck_assert_uint_eq(held.areas.count, 2);
	ck_assert(holds(0, 2048));
	ck_assert(!holds(2048, 1));
	ck_assert(holds(SECTORS - 2048, 2048));
	ck_assert_uint_eq(held.old.count, 0);
}

/* Nothing waits for the end, and what has a copy elsewhere comes in its turn. */
TEST(a_failing_disk_has_what_comes_first)
{
	struct plan_options options = PLAN_OPTIONS_DEFAULT;
	struct endpoint a = test_whole(&sda), b = test_whole(&sdb);

	preset_apply(&options, PRESET_FAILING, 0);
	memcpy(sda.table, "gpt", 4);
	add_table(REGION_TABLE, 0, 34);
	add_table(REGION_TABLE_BACKUP, SECTORS - 33, 33);
	add_partition(&sda, 1000000, 500000);
	ck_assert_int_eq(plan_new(&a, &b, NULL, NULL, NULL, &options, &plan, NULL), 0);
	ck_assert_int_eq(held_find(plan, &sda, &sdb, &held), 0);
	ck_assert_uint_eq(held.areas.count + held.key[0].count + held.key[1].count, 0);
	ck_assert_uint_eq(held.found.count + held.old.count, 0);
	ck_assert_uint_eq(held.first.count, 2);
	ck_assert(range_list_contains(&held.first, (struct range){ 0, 256 }));
	ck_assert(range_list_contains(&held.first, (struct range){ 1000000, 2048 }));
}

TEST(an_image_has_its_ends_too)
{
	find(NULL, NULL);
	ck_assert(holds(0, 2048));
	ck_assert(holds(SECTORS - 2048, 2048));
}

static void check_key(size_t which, const struct range *ranges, size_t count)
{
	ck_assert_uint_eq(held.key[which].count, count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(held.key[which].items[i].start, ranges[i].start);
		ck_assert_uint_eq(held.key[which].items[i].count, ranges[i].count);
	}
}

TEST(the_first_sector_of_a_table_is_last)
{
	memcpy(sda.table, "gpt", 4);
	find(&sda, &sdb);
	check_key(0, (struct range[]){ { 0, 1 } }, 1);
	check_key(1, NULL, 0);
	teardown();
	sdb = test_disk("sdb", 16, 2 * SECTORS / 8, 4096);
	find(&sda, &sdb);
	check_key(0, (struct range[]){ { 0, 8 } }, 1);
}

/* Nothing that anybody knows, or nobody could look: the end is there before the beginning. */
TEST_ROWS(where_nothing_is_known_the_first_sector_is_last, 3)
{
	const char *const tables[] = { "", "?" };

	snprintf(sda.table, sizeof(sda.table), "%s", tables[_i % 2]);
	find(_i < 2 ? &sda : NULL, &sdb);
	check_key(0, (struct range[]){ { 1, 255 } }, 1);
	check_key(1, (struct range[]){ { 0, 1 } }, 1);
}

static const struct {
	const char *type;
	uint64_t at; /* libblkid's SBMAGIC_OFFSET */
	struct range last;
} signatures[] = {
	{ "ext4", 0x438, { 0, 8 } },
	{ "xfs", 0, { 0, 8 } },
	{ "vfat", 0x36, { 0, 8 } },
	{ "swap", 0xff6, { 0, 8 } },
	{ "btrfs", 0x10040, { 128, 8 } },
	{ "LVM2_member", 0x218, { 0, 8 } },
	{ "linux_raid_member", 0x1000, { 8, 8 } },                              /* 1.2 */
	{ "linux_raid_member", SECTORS * 512 - 0x2000, { SECTORS - 16, 8 } },   /* 1.0 */
	{ "linux_raid_member", SECTORS * 512 - 0x10000, { SECTORS - 128, 8 } }, /* 0.90 */
	{ "isw_raid_member", SECTORS * 512 - 1024, { SECTORS - 8, 8 } },
	{ "udf", 2 * MIB, { 4096, 8 } },
};

/* Whichever end it is at: the other one is on the medium before anybody recognises the disk. */
TEST_ROWS(a_signature_is_last, ARRAY_SIZE(signatures))
{
	snprintf(sda.whole_fs, sizeof(sda.whole_fs), "%s", signatures[_i].type);
	sda.signatures[0] = signatures[_i].at;
	sda.signature_count = 1;
	find(&sda, &sdb);
	check_key(0, NULL, 0);
	check_key(1, &signatures[_i].last, 1);
	ck_assert(holds(0, 2048));
	ck_assert(holds(SECTORS - 2048, 2048));
}

/* It is no member before its table is there, and what is inside the array whole. */
TEST(an_array_with_a_table_inside)
{
	memcpy(sda.table, "dos", 4);
	memcpy(sda.whole_fs, "isw_raid_member", 16);
	sda.signatures[0] = SECTORS * 512 - 1024;
	sda.signatures[1] = 0x8001; /* an image of a disc, over all */
	sda.signature_count = 2;
	find(&sda, &sdb);
	check_key(0, (struct range[]){ { 0, 1 } }, 1);
	check_key(1, (struct range[]){ { 64, 8 }, { SECTORS - 8, 8 } }, 2);
}

TEST(copies_of_a_signature_are_last_as_well)
{
	memcpy(sda.whole_fs, "zfs_member", 11);
	sda.signatures[0] = 128 * 1024;
	sda.signature_count = 1;
	find(&sda, &sdb);
	check_key(1, (struct range[]){ { 0, 1024 }, { SECTORS - 1024, 1024 } }, 2);
	teardown();
	memcpy(sda.whole_fs, "crypto_LUKS", 12);
	sda.signatures[0] = 0;
	find(&sda, &sdb);
	ck_assert_uint_eq(range_list_total(&held.key[1]), 10 * 8);
	ck_assert(range_list_contains(&held.key[1], (struct range){ 0x400000 / 512, 8 }));
}

/* A label that lies is nothing to read beyond the end for. */
TEST(a_signature_beyond_the_end_is_none)
{
	sda.signatures[0] = SECTORS * 512;
	sda.signatures[1] = UINT64_MAX;
	sda.signatures[2] = SECTORS * 512 - 1;
	sda.signature_count = 3;
	find(&sda, &sdb);
	check_key(1, (struct range[]){ { SECTORS - 8, 8 } }, 1);
}

TEST(what_the_destination_is_found_by_goes_first)
{
	memcpy(sda.table, "gpt", 4);
	sdb.signatures[0] = 0x438;
	sdb.signatures[1] = 100 * MIB;
	sdb.signatures[2] = 2 * SECTORS * 512 - 0x2000; /* behind the plan */
	sdb.signature_count = 3;
	find(&sda, &sdb);
	ck_assert_uint_eq(held.found.count, 2);
	ck_assert(range_list_contains(&held.found, (struct range){ 0, 8 }));
	ck_assert(range_list_contains(&held.found, (struct range){ 100 * 2048, 8 }));
}

/* Longer than 1 MiB, but made of odd sectors: the list does not leave the disk. */
TEST(a_disk_of_odd_size_is_held_to_its_end)
{
	sda.identity.size = (SECTORS - 5) * 512;
	find(&sda, &sdb);
	ck_assert(holds(SECTORS - 6, 1));
	ck_assert(!range_list_overlaps(&held.areas, (struct range){ SECTORS - 5, 1 }));
}

TEST(a_small_disk_is_held_whole)
{
	sda.identity.size = 1000 * 512;
	find(&sda, &sdb);
	ck_assert_uint_eq(held.areas.count, 1);
	ck_assert_uint_eq(range_list_total(&held.areas), 1000);
}

TEST(both_edges_of_partitions)
{
	add_partition(&sda, 4096, 200 * 2048);
	add_partition(&sda, 300 * 2048, 100);
	find(&sda, &sdb);
	ck_assert(holds(4096, 2048));
	ck_assert(!holds(4096 + 2048, 1));
	ck_assert(holds(4096 + 199 * 2048, 2048));
	ck_assert(!holds(4096 + 198 * 2048, 1));
	/* All of a small one, and whole blocks of the medium. */
	ck_assert(holds(300 * 2048, 104));
	ck_assert(!holds(300 * 2048 + 104, 1));
}

/* A logical partition's link lies a track before it, and no partition begins there. */
TEST(tables_wherever_they_are)
{
	add_table(REGION_TABLE, 0, 1);
	add_table(REGION_TABLE, 500001, 1);
	add_table(REGION_TABLE_BACKUP, 700000, 33);
	add_table(REGION_TABLE, 800000, 100000);
	find(&sda, &sdb);
	ck_assert(holds(500001, 1));
	ck_assert(holds(700000, 33));
	/* A table of 50 MB is none. */
	ck_assert(holds(800000, 2048));
	ck_assert(!holds(800000 + 4096, 1));
}

TEST(a_partition_beyond_the_end_is_cut)
{
	add_partition(&sda, SECTORS - 10000, UINT64_MAX - SECTORS);
	add_partition(&sda, UINT64_MAX - 5, 3);
	add_partition(&sda, 5000 * 2048, UINT64_MAX / 512);
	find(&sda, &sdb);
	ck_assert(holds(SECTORS - 10000, 2048));
	for (size_t i = 0; i < held.areas.count; i++)
		ck_assert_uint_le(held.areas.items[i].start + held.areas.items[i].count, SECTORS);
}

TEST(never_more_than_the_limits)
{
	for (uint64_t i = 0; i < 600; i++)
		add_partition(&sda, 4096 + i * 3000, 2800);
	find(&sda, &sdb);
	ck_assert_uint_le(held.areas.count, HELD_AREAS_MAX);
	ck_assert_uint_gt(held.areas.count, HELD_AREAS_MAX / 2);
	ck_assert_uint_le(range_list_total(&held.areas) * 512, HELD_BYTES_MAX);
	ck_assert(holds(0, 2048));
	ck_assert(holds(SECTORS - 2048, 2048));
}

TEST(a_full_gpt_fits)
{
	for (uint64_t i = 0; i < 120; i++)
		add_partition(&sda, 4096 + i * 16000, 15900);
	find(&sda, &sdb);
	for (uint64_t i = 0; i < 120; i++) {
		ck_assert(holds(4096 + i * 16000, 256));
		ck_assert(holds(4096 + i * 16000 + 15899 - 255, 256));
	}
}

/* The destination is larger: what lies behind the plan is not touched. */
TEST(old_partitions_inside_the_plan_are_wiped)
{
	add_partition(&sdb, 100000, 50000);
	add_partition(&sdb, SECTORS - 50000, 100000);
	add_partition(&sdb, SECTORS + 4096, 50000);
	find(&sda, &sdb);
	ck_assert(range_list_contains(&held.old, (struct range){ 100000, 2048 }));
	ck_assert(range_list_contains(&held.old, (struct range){ 150000 - 2048, 2048 }));
	ck_assert(range_list_contains(&held.old, (struct range){ SECTORS - 50000, 2048 }));
	for (size_t i = 0; i < held.old.count; i++)
		ck_assert_uint_le(held.old.items[i].start + held.old.items[i].count, SECTORS);
}

TEST(sectors_of_4096_bytes)
{
	sda = test_disk("sda", 0, SECTORS / 8, 512);
	sdb = test_disk("sdb", 16, SECTORS / 8, 4096);
	sda.partitions = parts;
	add_partition(&sda, 100001, 10001);
	find(&sda, &sdb);
	for (size_t i = 0; i < held.areas.count; i++) {
		ck_assert_uint_eq(held.areas.items[i].start % 8, 0);
		ck_assert_uint_eq(held.areas.items[i].count % 8, 0);
	}
	ck_assert(holds(100001, 2048));
}

static size_t areas_of(const struct endpoint *source, const struct endpoint *destination,
		       const struct range *range, const struct plan_options *options)
{
	struct range_list list = { 0 };
	size_t count;

	if (range)
		ck_assert_int_eq(range_list_add(&list, *range), 0);
	ck_assert_int_eq(plan_new(source, destination, range ? &list : NULL, NULL, NULL, options,
				  &plan, NULL),
			 0);
	range_list_done(&list);
	ck_assert_int_eq(held_find(plan, &sda, &sdb, &held), 0);
	count = held.areas.count + held.old.count;
	teardown();
	return count;
}

TEST(only_whole_disks_are_armed)
{
	struct endpoint a = test_whole(&sda), b = test_whole(&sdb);
	struct endpoint part = test_part(&sda, 1, 2048, 4096), image = test_image("/i", 0, false);
	struct endpoint other_part = test_part(&sdb, 1, 2048, SECTORS);
	struct endpoint old_image = test_image("/o", SECTORS * 512, true);

	add_partition(&sdb, 100000, 50000);
	ck_assert_uint_gt(areas_of(&a, &b, NULL, NULL), 0);
	ck_assert_uint_gt(areas_of(&old_image, &b, NULL, NULL), 0);
	ck_assert_uint_eq(areas_of(&a, &b, NULL, &(struct plan_options){ .arm_at_once = true }), 0);
	ck_assert_uint_eq(areas_of(&a, &b, &(struct range){ 0, 4096 }, NULL), 0);
	ck_assert_uint_eq(areas_of(&part, &b, NULL, NULL), 0);
	ck_assert_uint_eq(areas_of(&a, &other_part, NULL, NULL), 0);
	ck_assert_uint_eq(areas_of(&a, &image, NULL, NULL), 0);
}
