/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures: nothing invisible, before and after, what is lost. */
#include "unit.h"

#include <string.h>

#include "disks.h"
#include "plan/picture.h"

#define SECTORS 3907029168U

/* The disk of the design: three partitions, a gap, tables at both ends. */
static struct partition parts[] = {
	{ .number = 1, .start = 2048, .sectors = 1048576 },
	{ .number = 2, .start = 1050624, .sectors = 2097152 },
	{ .number = 3, .start = 3147776, .sectors = 3903881216U },
};
static struct region regions[] = {
	{ .kind = REGION_TABLE, .start = 0, .sectors = 34, .partition = -1 },
	{ .kind = REGION_GAP, .start = 34, .sectors = 2014, .partition = -1 },
	{ .kind = REGION_PARTITION, .start = 2048, .sectors = 1048576, .partition = 0 },
	{ .kind = REGION_PARTITION, .start = 1050624, .sectors = 2097152, .partition = 1 },
	{ .kind = REGION_PARTITION, .start = 3147776, .sectors = 3903881216U, .partition = 2 },
	{ .kind = REGION_GAP, .start = 3907028992U, .sectors = 143, .partition = -1 },
	{ .kind = REGION_TABLE_BACKUP, .start = 3907029135U, .sectors = 33, .partition = -1 },
};

/* A disk of 1000 sectors with an MS-DOS table: 1, an extended one, 5 and 6 in it. */
static struct partition dos_parts[] = {
	{ .number = 1, .start = 100, .sectors = 200 },
	{ .number = 2, .start = 400, .sectors = 600, .extended = true },
	{ .number = 5, .start = 410, .sectors = 190 },
	{ .number = 6, .start = 610, .sectors = 290 },
};
static struct region dos_regions[] = {
	{ .kind = REGION_TABLE, .start = 0, .sectors = 1, .partition = -1 },
	{ .kind = REGION_GAP, .start = 1, .sectors = 99, .partition = -1 },
	{ .kind = REGION_PARTITION, .start = 100, .sectors = 200, .partition = 0 },
	{ .kind = REGION_GAP, .start = 300, .sectors = 100, .partition = -1 },
	{ .kind = REGION_TABLE, .start = 400, .sectors = 1, .partition = -1 },
	{ .kind = REGION_GAP, .start = 401, .sectors = 9, .partition = -1 },
	{ .kind = REGION_PARTITION, .start = 410, .sectors = 190, .partition = 2 },
	{ .kind = REGION_TABLE, .start = 600, .sectors = 1, .partition = -1 },
	{ .kind = REGION_GAP, .start = 601, .sectors = 9, .partition = -1 },
	{ .kind = REGION_PARTITION, .start = 610, .sectors = 290, .partition = 3 },
	{ .kind = REGION_GAP, .start = 900, .sectors = 100, .partition = -1 },
};

static struct disk gpt, dos, blank;
static struct plan *plan;
static char out[512];

static void setup(void)
{
	gpt = test_disk("sda", 0, SECTORS, 512);
	strcpy(gpt.table, "gpt");
	gpt.partitions = parts;
	gpt.partition_count = 3;
	gpt.regions = regions;
	gpt.region_count = ARRAY_SIZE(regions);
	dos = test_disk("sdb", 16, 1000, 512);
	strcpy(dos.table, "dos");
	dos.partitions = dos_parts;
	dos.partition_count = 4;
	dos.regions = dos_regions;
	dos.region_count = ARRAY_SIZE(dos_regions);
	blank = test_disk("sdc", 32, 2000, 512);
}

/* Of so many bytes. */
static void check_disk(const struct disk *disk, uint64_t size, const char *expected)
{
	memset(out, '~', sizeof(out));
	picture_disk(disk, size, (int)strlen(expected), out);
	ck_assert_str_eq(out, expected);
	ck_assert_int_eq(out[strlen(expected) + 1], '~'); /* no byte more */
}

static void check_ranges(const struct range_list *list, const char *expected)
{
	picture_ranges(&gpt, list, (int)strlen(expected), out);
	ck_assert_str_eq(out, expected);
}

static void teardown(void)
{
	plan_destroy(plan);
	plan = NULL;
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(disk_as_designed)
{
	check_disk(&gpt, gpt.identity.size, "G12333333333333333333333333333333333333G");
	/* On the scale of a disk twice as large. */
	check_disk(&gpt, 2 * gpt.identity.size, "G123333333333333333G                    ");
	/* On the scale of its own first half. */
	check_disk(&gpt, gpt.identity.size / 2, "G1233333333333333333");
}

/* What is not known to be free is not called so. */
TEST(table_that_could_not_be_read)
{
	strcpy(blank.table, "?");
	check_disk(&blank, blank.identity.size, "????????");
}

TEST(partitions_before_tables)
{
	check_disk(&gpt, gpt.identity.size, "G123G");
	check_disk(&gpt, gpt.identity.size, "1233");
	check_disk(&gpt, gpt.identity.size, "123");
	check_disk(&gpt, gpt.identity.size, "13"); /* the smallest in each */
	check_disk(&gpt, gpt.identity.size, "1");
	check_disk(&gpt, gpt.identity.size, "");
	picture_disk(&gpt, gpt.identity.size, -3, out);
	ck_assert_str_eq(out, "");
}

TEST(extended_and_logical)
{
	check_disk(&dos, dos.identity.size, "G.1111..G255G6666622");
	check_disk(&dos, dos.identity.size, "G11.G25G62");
}

TEST(no_table)
{
	check_disk(&blank, blank.identity.size, "..........");
	check_disk(&blank, 4 * blank.identity.size, "...       ");
	blank.identity.size = 0;
	check_disk(&blank, 0, "    ");
	check_disk(&blank, 100, "    ");
	/* More cells than bytes. */
	blank.identity.size = 512;
	check_disk(&blank, 3, ".........");
}

static char letter(unsigned number)
{
	if (number <= 9)
		return (char)('0' + number);
	return number < 36 ? (char)('a' + number - 10) : '#';
}

/* Partitions of wild sizes at wild places: all are seen wherever there are cells enough, in
 * the order of the disk, and never beyond it. */
TEST(no_partition_is_invisible)
{
	uint32_t state = 2463534242U;

	for (int round = 0; round < 3000; round++) {
		struct partition many[35] = { 0 };
		uint64_t at = 34;
		struct disk disk = gpt;
		int cells;

		state = state * 1664525 + 1013904223;
		disk.partition_count = 1 + (state >> 8) % 35;
		disk.partitions = many;
		for (size_t i = 0; i < disk.partition_count; i++) {
			state = state * 1664525 + 1013904223;
			at += (state >> 4) >> ((state >> 1) % 28);
			many[i].number = (unsigned)i + 1;
			many[i].start = at;
			state = state * 1664525 + 1013904223;
			many[i].sectors = 1 + ((state >> 4) >> ((state >> 1) % 28));
			at += many[i].sectors;
		}
		disk.identity.size = (at + 34) * 512;
		cells = (int)disk.partition_count + (int)((state >> 7) % 100);
		picture_disk(&disk, disk.identity.size, cells, out);
		ck_assert_int_eq((int)strlen(out), cells);

		const char *last = NULL;

		for (size_t i = 0; i < disk.partition_count; i++) {
			const char *seen = strchr(out, letter((unsigned)i + 1));

			ck_assert_msg(seen != NULL, "round %d: %zu not in %s", round, i + 1, out);
			ck_assert_msg(!last || seen > last, "round %d: %zu out of order in %s",
				      round, i + 1, out);
			last = seen;
		}
		ck_assert_ptr_null(strchr(out, ' '));
	}
}

TEST(more_partitions_than_cells)
{
	struct partition many[200] = { 0 };
	struct disk disk = gpt;

	for (unsigned i = 0; i < 200; i++)
		many[i] = (struct partition){ .number = i + 1, .start = 34 + i, .sectors = 1 };
	disk.partitions = many;
	disk.partition_count = 200;
	picture_disk(&disk, disk.identity.size, 60, out);
	ck_assert_int_eq((int)strlen(out), 60);
	ck_assert_int_eq(out[0], '1');
}

/* A table that lies: beyond the end, wrapping, empty, overlapping. */
TEST(broken_table)
{
	struct partition broken[] = {
		{ .number = 1, .start = 0, .sectors = UINT64_MAX },
		{ .number = 2, .start = 10, .sectors = 0 },
		{ .number = 3, .start = 500, .sectors = UINT64_MAX - 499 },
		{ .number = 4, .start = UINT64_MAX, .sectors = UINT64_MAX },
		{ .number = 0, .start = 1500, .sectors = 100 },
	};
	struct lost *lost;
	size_t count;

	blank.partitions = broken;
	blank.partition_count = 5;
	check_disk(&blank, blank.identity.size, "111113333333333#3333");

	struct endpoint source = test_whole(&gpt), destination = test_whole(&blank);
	struct range_list all = { 0 };

	ck_assert_int_eq(range_list_add(&all, (struct range){ 0, 2000 }), 0);
	ck_assert_int_eq(plan_new(&source, &destination, &all, NULL, NULL, NULL, &plan, NULL), 0);
	ck_assert_int_eq(picture_lost(plan, &blank, NULL, &lost, &count), 0);
	ck_assert_uint_eq(count, 3);
	free(lost);
	picture_touched(plan, NULL, &blank, 20, out);
	ck_assert_str_eq(out, "xxxxxxxxxxxxxxxxxxxx");
	range_list_done(&all);
}

TEST(ranges_lie_under_what_they_tick)
{
	struct range_list list = { 0 };

	range_list_add(&list, (struct range){ 2048, 1048576 });
	/* In truth partition 1 lies in the first cell; it is marked where it is shown. The
	 * first cell covers it too. */
	check_ranges(&list, "==                                      ");
	range_list_done(&list);
	range_list_add(&list, (struct range){ 1050624, 2097152 });
	check_ranges(&list, "= =                                     ");
	range_list_done(&list);
	range_list_add(&list, (struct range){ SECTORS / 2, 1 });
	check_ranges(&list, "                    =                   ");
	range_list_done(&list);
	range_list_add(&list, (struct range){ 0, SECTORS });
	check_ranges(&list, "========================================");
	range_list_done(&list);
	check_ranges(&list, "    ");
	gpt.identity.logical_sector_size = 0;
	check_ranges(&list, "    ");
}

#define ALL ((struct range){ 0 })

static void plan_of(struct endpoint source, struct endpoint destination, struct range range,
		    const uint64_t *at)
{
	struct range_list list = { 0 };
	struct error error = { 0 };

	plan_destroy(plan);
	plan = NULL;
	range_list_add(&list, range);
	ck_assert_msg(plan_new(&source, &destination, range.count ? &list : NULL, at, NULL, NULL,
			       &plan, &error) == 0,
		      "%s", error.sentence);
	range_list_done(&list);
}

static void check_after(const struct disk *source, const struct disk *destination,
			const char *after, const char *touched)
{
	int cells = (int)strlen(after);

	picture_after(plan, source, destination, cells, out);
	ck_assert_str_eq(out, after);
	picture_touched(plan, NULL, destination, cells, out);
	ck_assert_str_eq(out, touched);
}

static void check_lost(const struct disk *destination, const char *expected)
{
	static const char how[] = {
		[LOST_OVERWRITTEN] = 'x', [LOST_PARTLY] = 'p', [LOST_FROM_TABLE] = 't'
	};
	struct lost *lost;
	size_t count;
	char text[64] = "";

	ck_assert_int_eq(picture_lost(plan, destination, NULL, &lost, &count), 0);
	for (size_t i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u%c ",
			 lost[i].partition->number, how[lost[i].how]);
	ck_assert_str_eq(text, expected);
	ck_assert((lost == NULL) == (count == 0));
	free(lost);
}

/* What a copy that goes on has brought itself is not lost by it; what was there before is. */
TEST(the_half_made_copy_is_not_lost)
{
	struct partition of_source[] = { { .number = 1, .sectors = 100, .part_uuid = "a-1" },
					 { .number = 2, .sectors = 100, .part_uuid = "a-2" },
					 { .number = 3, .sectors = 100 } };
	struct partition of_copy[] = { { .number = 1, .sectors = 100, .part_uuid = "a-1" },
				       { .number = 2, .sectors = 200, .part_uuid = "a-2" },
				       { .number = 3, .sectors = 100 } };
	struct disk twin = gpt, copy = gpt;
	struct lost *lost;
	size_t count;

	plan_of(test_whole(&twin), test_whole(&copy), ALL, NULL);
	twin.partitions = of_source;
	copy.partitions = of_copy;
	twin.partition_count = copy.partition_count = 3;
	ck_assert_int_eq(picture_lost(plan, &copy, NULL, &lost, &count), 0);
	ck_assert_uint_eq(count, 3);
	free(lost);
	ck_assert_int_eq(picture_lost(plan, &copy, &twin, &lost, &count), 0);
	ck_assert_uint_eq(count, 2);
	ck_assert_uint_eq(lost[0].partition->number, 2);
	ck_assert_uint_eq(lost[1].partition->number, 3);
	free(lost);
}

/* A cell of which anything is left to be written is not done; bytes, not cells, are counted. */
TEST(what_is_copied_already)
{
	uint64_t cell = blank.identity.size / 40;
	struct range_list finished = { 0 };

	plan_of(test_whole(&dos), test_whole(&blank), ALL, NULL);
	ck_assert_int_eq(range_list_add(&finished, (struct range){ 512, 3 * cell - 512 }), 0);
	ck_assert_int_eq(range_list_add(&finished, (struct range){ 5 * cell, 2 * cell - 1 }), 0);
	picture_touched(plan, &finished, &blank, 40, out);
	ck_assert_str_eq(out, "x++xx+xxxxxxxxxxxxxx--------------------");
	range_list_done(&finished);
}

/* On a destination that begins elsewhere: the map counts on the source. */
TEST(what_is_copied_already_elsewhere)
{
	uint64_t at = blank.identity.size / 40 * 10 / 512, cell = blank.identity.size / 40;
	struct range_list finished = { 0 };

	plan_of(test_whole(&dos), test_whole(&blank), ALL, &at);
	ck_assert_int_eq(range_list_add(&finished, (struct range){ 0, 2 * cell }), 0);
	picture_touched(plan, &finished, &blank, 40, out);
	ck_assert_str_eq(out, "----------++xxxxxxxxxxxxxxxxxx----------");
	range_list_done(&finished);
}

TEST(whole_disk_to_a_larger_one)
{
	struct disk larger = gpt;

	plan_of(test_whole(&dos), test_whole(&blank), ALL, NULL);
	check_after(&dos, &blank, "G.1111..G255G6666622....................",
		    "xxxxxxxxxxxxxxxxxxxx--------------------");
	check_lost(&blank, "");

	/* Onto one with partitions of its own: those behind the copy vanish with the table. */
	plan_of(test_whole(&dos), test_whole(&larger), ALL, NULL);
	check_lost(&larger, "1t 2t 3t ");
	picture_touched(plan, NULL, &larger, 10, out);
	ck_assert_str_eq(out, "x---------");
}

TEST(whole_disk_to_a_smaller_one)
{
	struct disk small = test_disk("sdd", 48, 500, 512);

	plan_of(test_whole(&dos), test_whole(&small), ALL, NULL);
	/* What does not fit is cut off; the guard refuses such a plan. */
	check_after(&dos, &small, "G.1111.G25", "xxxxxxxxxx");
}

TEST(range_beside_the_table)
{
	const uint64_t at = 150;

	plan_of(test_whole(&blank), test_whole(&dos), (struct range){ 0, 100 }, &at);
	check_after(&blank, &dos, "G.1111..G255G6666622", "---xx---------------");
	check_lost(&dos, "1p ");

	/* All of partition 1 and a bit. */
	plan_of(test_whole(&blank), test_whole(&dos), (struct range){ 100, 250 }, NULL);
	check_after(&blank, &dos, "G.1111..G255G6666622", "--xxxxx-------------");
	check_lost(&dos, "1x ");

	/* Only gaps. */
	plan_of(test_whole(&blank), test_whole(&dos), (struct range){ 300, 50 }, NULL);
	check_lost(&dos, "");
}

TEST(broken_chain_of_extended_tables)
{
	plan_of(test_whole(&blank), test_whole(&dos), (struct range){ 600, 1 }, NULL);
	/* A link of the chain is overwritten: 5 and 6 are no longer found. */
	check_lost(&dos, "5t 6t ");
	picture_after(plan, &blank, &dos, 20, out);
	ck_assert_str_eq(out, "G.1111..G222G2222222");

	/* The table of the source comes, one link of its chain does not. */
	plan_of(test_whole(&dos), test_whole(&blank), (struct range){ 0, 500 }, NULL);
	picture_after(plan, &dos, &blank, 40, out);
	ck_assert_str_eq(out, "G.1111..G22222222222....................");
}

TEST(table_overwritten_by_none)
{
	plan_of(test_whole(&blank), test_whole(&dos), (struct range){ 0, 1 }, NULL);
	check_after(&blank, &dos, "....................", "x-------------------");
	check_lost(&dos, "1t 5t 6t ");

	/* The source's table, but elsewhere: no table there. */
	const uint64_t at = 1;

	plan_of(test_whole(&dos), test_whole(&blank), ALL, &at);
	picture_after(plan, &dos, &blank, 10, out);
	ck_assert_str_eq(out, "..........");

	/* A file system from a partition onto the whole disk. */
	plan_of(test_part(&dos, 1, 100, 200), test_whole(&gpt), ALL, NULL);
	picture_after(plan, &dos, &gpt, 10, out);
	ck_assert_str_eq(out, "..........");
	check_lost(&gpt, "1t 2t 3t ");
}

TEST(other_sector_size)
{
	struct disk big = test_disk("sdd", 48, 250, 4096);

	plan_of(test_whole(&dos), test_whole(&big), ALL, NULL);
	/* The LBAs in the table would mean other places: nobody finds these partitions. */
	picture_after(plan, &dos, &big, 10, out);
	ck_assert_str_eq(out, "..........");
}

TEST(partition_to_partition)
{
	plan_of(test_part(&dos, 1, 100, 200), test_part(&dos, 6, 610, 290), ALL, NULL);
	check_after(&dos, &dos, "G.1111..G255G6666622", "------------xxxxx---");
	check_lost(&dos, "6p ");

	/* A source too large for it: nothing behind the partition is written. */
	plan_of(test_part(&dos, 6, 610, 290), test_part(&dos, 1, 100, 200), ALL, NULL);
	check_after(&dos, &dos, "G.1111..G255G6666622", "--xxxx--------------");
	check_lost(&dos, "1x ");
}

TEST(images_are_unknown)
{
	plan_of(test_image("/srv/a.img", 500 * 512, true), test_whole(&dos), ALL, NULL);
	check_after(NULL, &dos, "????????????????????", "xxxxxxxxxx----------");
	check_lost(&dos, "1x 5p 6t ");

	/* Into a partition: the table is known, it stays. */
	plan_of(test_image("/srv/a.img", 500 * 512, true), test_part(&dos, 6, 610, 290),
		(struct range){ 0, 10 }, NULL);
	check_after(NULL, &dos, "G.1111..G255G6666622", "------------x-------");

	/* A disk to a new image: the image will hold the disk's table. */
	plan_of(test_whole(&dos), test_image("/srv/new.img", 0, false), ALL, NULL);
	check_after(&dos, NULL, "G.1111..G255G6666622", "xxxxxxxxxxxxxxxxxxxx");
	check_lost(NULL, "");

	/* What an image holds is known once it was read: as for a disk. */
	plan_of(test_image("/srv/a.img", 1000 * 512, true), test_whole(&blank), ALL, NULL);
	check_after(&dos, &blank, "G11.G25G62..........", "xxxxxxxxxx----------");
	plan_of(test_whole(&dos), test_image("/srv/old.img", 1000 * 512, true),
		(struct range){ 100, 200 }, NULL);
	check_after(&dos, &dos, "G.1111..G255G6666622", "--xxxx--------------");
	check_lost(&dos, "1x ");
	/* It becomes longer: the picture is of what it will be. */
	plan_of(test_image("/srv/a.img", 2000 * 512, true),
		test_image("/srv/old.img", 1000 * 512, true), (struct range){ 1000, 1000 }, NULL);
	check_after(NULL, &dos, "G11.G25G62..........", "----------xxxxxxxxxx");

	/* A range into an image that is there: what else it holds is not known. */
	plan_of(test_whole(&dos), test_image("/srv/old.img", 1000 * 512, true),
		(struct range){ 100, 200 }, NULL);
	check_after(&dos, NULL, "????????????????????", "--xxxx--------------");
}
