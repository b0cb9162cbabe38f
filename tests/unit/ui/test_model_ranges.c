/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ticks and text say the same, whichever was changed; rows fit their width. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "line_test.h"
#include "base/text.h"
#include "ui/ranges/model.h"

#define SECTORS 10000

static struct partition partitions[3];
static struct region regions[] = {
	{ REGION_TABLE, 0, 34, -1 },         { REGION_GAP, 34, 2014, -1 },
	{ REGION_PARTITION, 2048, 2000, 0 }, { REGION_PARTITION, 4048, 1000, 1 },
	{ REGION_GAP, 5048, 952, -1 },       { REGION_PARTITION, 6000, 3000, 2 },
	{ REGION_GAP, 9000, 967, -1 },       { REGION_TABLE_BACKUP, 9967, 33, -1 },
};
static struct disk disk;
static struct endpoint source;
static struct ranges_model *model;

static void setup(void)
{
	memset(&disk, 0, sizeof(disk));
	memset(partitions, 0, sizeof(partitions));
	for (unsigned i = 0, p = 0; i < ARRAY_SIZE(regions); i++) {
		if (regions[i].kind != REGION_PARTITION)
			continue;
		partitions[p].number = p + 1;
		partitions[p].start = regions[i].start;
		partitions[p].sectors = regions[i].sectors;
		snprintf(partitions[p].fs, sizeof(partitions[p].fs), "ext4");
		p++;
	}
	snprintf(disk.name, sizeof(disk.name), "sda");
	snprintf(disk.node, sizeof(disk.node), "/dev/sda");
	snprintf(disk.table, sizeof(disk.table), "gpt");
	disk.identity.size = SECTORS * 512ULL;
	disk.identity.logical_sector_size = 512;
	disk.partitions = partitions;
	disk.partition_count = 3;
	disk.regions = regions;
	disk.region_count = ARRAY_SIZE(regions);
	endpoint_from_disk(&disk, &source);
	ck_assert_int_eq(ranges_model_new(&source, &disk, &model, NULL), 0);
}

static void teardown(void)
{
	ranges_model_destroy(model);
}

static void type(const char *text)
{
	ck_assert(field_set(ranges_model_field(model), text));
	ranges_model_typed(model);
}

/* The text, read by the grammar, is the list. */
static void check_in_step(void)
{
	struct range_list parsed = { 0 };

	if (!model->list.count) {
		ck_assert_str_eq(model->text.text, "");
		return;
	}
	ck_assert_int_eq(rangespec_parse(model->text.text, &model->context, &parsed, NULL, NULL),
			 0);
	if (!range_list_equal(&parsed, &model->list))
		ck_abort_msg("text %s does not say what is ticked", model->text.text);
	range_list_done(&parsed);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(test_starts_whole)
{
	ck_assert(ranges_model_is_whole(model));
	ck_assert_uint_eq(model->row_count, 8);
	for (size_t i = 0; i < model->row_count; i++)
		ck_assert_int_eq(ranges_model_mark(model, i), RANGES_FULL);
	check_in_step();
}

TEST(test_text_ticks)
{
	ranges_model_begin(model, RANGES_ENTRY_TEXT);
	type("2048-4047,4100+10");
	ck_assert_int_eq(ranges_model_mark(model, 1), RANGES_NONE);
	ck_assert_int_eq(ranges_model_mark(model, 2), RANGES_FULL);
	ck_assert_int_eq(ranges_model_mark(model, 3), RANGES_PARTLY);
	type("@1,@2");
	ck_assert_int_eq(ranges_model_mark(model, 3), RANGES_FULL);
	ck_assert_uint_eq(model->items, 2);
	ck_assert_uint_eq(model->list.count, 1);
}

TEST(test_partly_becomes_full)
{
	type("2050-2060");
	ck_assert_int_eq(ranges_model_toggle(model, 2), 0);
	ck_assert_int_eq(ranges_model_mark(model, 2), RANGES_FULL);
	ck_assert_int_eq(ranges_model_toggle(model, 2), 0);
	ck_assert_int_eq(ranges_model_mark(model, 2), RANGES_NONE);
	ck_assert_uint_eq(model->list.count, 0);
	check_in_step();
}

/* A broken text keeps the ticks of the last good one, complains at its column, and is not ready. */
TEST(test_broken_text)
{
	char reason[512] = "";

	ranges_model_begin(model, RANGES_ENTRY_TEXT);
	type("2048-4047");
	type("2048-4047,x");
	ck_assert_ptr_nonnull(ranges_model_error(model));
	ck_assert_int_eq(ranges_model_error(model)->column, 10);
	ck_assert_int_eq(ranges_model_mark(model, 2), RANGES_FULL);
	ck_assert(!ranges_model_ready(model, reason, sizeof(reason)));
	ck_assert_str_ne(reason, "");
	ck_assert(!ranges_model_accept(model));
	ranges_model_cancel(model);
	ck_assert_ptr_null(ranges_model_error(model));
	check_in_step();
	ck_assert(ranges_model_ready(model, reason, sizeof(reason)));
	type("");
	ck_assert_ptr_null(ranges_model_error(model));
	ck_assert(!ranges_model_ready(model, reason, sizeof(reason)));
}

TEST(test_add_and_remove)
{
	type("@1");
	ranges_model_begin(model, RANGES_ENTRY_ADD);
	type("9000+1");
	ck_assert(ranges_model_accept(model));
	ck_assert_uint_eq(model->list.count, 2);
	check_in_step();
	ranges_model_begin(model, RANGES_ENTRY_REMOVE);
	type("*");
	ranges_model_cancel(model);
	ck_assert_uint_eq(model->list.count, 2);
	ranges_model_begin(model, RANGES_ENTRY_REMOVE);
	ck_assert(!ranges_model_accept(model));
	type("3000-3009");
	ck_assert(ranges_model_accept(model));
	ck_assert_uint_eq(model->list.count, 3);
	ck_assert_int_eq(ranges_model_mark(model, 2), RANGES_PARTLY);
	check_in_step();
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

/* Whatever is done in whatever order, ticks and text stay in step. */
TEST(test_random_changes)
{
	unsigned random = 42;

	for (int i = 0; i < 20000; i++) {
		unsigned a = next_random(&random) % SECTORS, n = next_random(&random) % 2000 + 1;
		char text[64];

		switch (next_random(&random) % 7) {
		case 0:
			ranges_model_tick_partitions(model);
			break;
		case 1:
			ranges_model_tick_none(model);
			break;
		case 2:
			ranges_model_begin(model, RANGES_ENTRY_ADD);
			snprintf(text, sizeof(text), "%u+%u", a, n);
			type(text);
			/* Beyond the end it is an error, and nothing changes. */
			ck_assert_int_eq(ranges_model_accept(model), a + n <= SECTORS);
			ranges_model_cancel(model);
			break;
		case 3:
			ranges_model_begin(model, RANGES_ENTRY_REMOVE);
			snprintf(text, sizeof(text), "%u-", a);
			type(text);
			ranges_model_accept(model);
			break;
		default:
			ranges_model_toggle(model, next_random(&random) % model->row_count);
			break;
		}
		check_in_step();
	}
}

TEST(test_destination)
{
	static const struct {
		const char *text;
		bool valid, same;
		uint64_t lba;
	} cases[] = {
		{ "", true, true, 0 },
		{ "same", true, true, 0 },
		{ "4096", true, false, 4096 },
		{ "0x800", true, false, 2048 },
		{ "1MiB", true, false, 2048 },
		{ "2048s", true, false, 2048 },
		{ "1000s", true, false, 1000 },
		{ "1KB", false, false, 0 },
		{ "abc", false, false, 0 },
		{ "-1", false, false, 0 },
		{ "99999999999999999999", false, false, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		field_set(&model->destination, cases[i].text);
		ranges_model_destination_typed(model);
		ck_assert_msg(model->destination_valid == cases[i].valid, "%s", cases[i].text);
		ck_assert_int_eq(model->destination_same, cases[i].same);
		ck_assert_int_eq(model->destination_error[0] == '\0', cases[i].valid);
		if (cases[i].valid && !cases[i].same)
			ck_assert_uint_eq(model->destination_lba, cases[i].lba);
	}
}

/* The first range goes there, the others keep their distance. */
TEST(test_destination_of)
{
	uint64_t lba;

	type("@1,@3");
	ck_assert(ranges_model_destination_of(model, 6000, &lba));
	ck_assert_uint_eq(lba, 6000);
	field_set(&model->destination, "0");
	ranges_model_destination_typed(model);
	ck_assert(ranges_model_destination_of(model, 6000, &lba));
	ck_assert_uint_eq(lba, 6000 - 2048);
	field_set(&model->destination, "18446744073709551615");
	ranges_model_destination_typed(model);
	ck_assert(!model->destination_valid || !ranges_model_destination_of(model, 6000, &lba));
}

TEST(test_rows_fit)
{
	char what[513], ticked[513];
	struct line line;

	snprintf(partitions[1].label, sizeof(partitions[1].label),
		 "\xe4\xbd\xa0\xe5\xa5\xbd wide label that is much longer than any column it gets");
	snprintf(partitions[1].type_name, sizeof(partitions[1].type_name),
		 "Donaudampfschifffahrtsgesellschaftspartition");
	partitions[2].number = 128;
	for (int width = 0; width <= 250; width++) {
		line_start(&line, width);
		ranges_model_header(model, &line);
		ck_assert_int_le(text_width(line.text), width);
		for (size_t row = 0; row < model->row_count; row++) {
			line_start(&line, width);
			ranges_model_row(model, row, UNITS_SI, &line);
			if (text_width(line.text) > width)
				ck_abort_msg("row %zu at %d: %s", row, width, line.text);
		}
		line_start(&line, width);
		ranges_model_title(model, &line);
		ranges_model_totals(model, UNITS_IEC, &line);
		ranges_model_summary(model, UNITS_SECTORS, &line);
		ck_assert_int_le(text_width(line.text), width);
		if (width) {
			ranges_model_map(model, width, what, ticked);
			ck_assert_uint_eq(strlen(what), (size_t)width);
			ck_assert_uint_eq(strlen(ticked), (size_t)width);
		}
	}
}

TEST(test_row_text)
{
	struct line line;

	type("@2");
	line_has(80, ranges_model_row(model, 3, UNITS_SI, &line),
		 "[x] 2       4048       5047       1000");
	line_has(80, ranges_model_row(model, 0, UNITS_SI, &line),
		 "[ ] -          0         33         34");
}

/* In the place of the sectors where there is no room for both; nothing where a file system is not
 * understood. */
TEST(test_used)
{
	struct used_part parts[2] = { { .number = 1, .used_bytes = 90100000, .whole = "dirty" },
				      { .number = 2, .used_bytes = 123000 } };
	const struct used used = { .parts = parts, .count = 2 };
	struct line line;

	model->used = &used;
	for (int width = 50; width <= 250; width++) {
		line_start(&line, width);
		ranges_model_header(model, &line);
		ck_assert_int_le(text_width(line.text), width);
		ck_assert_ptr_nonnull(strstr(line.text, "USED"));
		ck_assert_int_eq(strstr(line.text, "SECTORS") != NULL, width >= 130);
		line_start(&line, width);
		ranges_model_row(model, 3, UNITS_SI, &line);
		ck_assert_int_le(text_width(line.text), width);
		ck_assert_ptr_nonnull(strstr(line.text, "  123K "));
		for (size_t row = 0; row < model->row_count; row++) {
			line_lacks(width, ranges_model_row(model, row, UNITS_SI, &line), "90.1M");
		}
	}
	/* A wide screen has room for names first. */
	strcpy(partitions[0].label, "Windows");
	line_start(&line, 120);
	ranges_model_row(model, 2, UNITS_SI, &line);
	ck_assert_msg(strstr(line.text, " Windows "), "%s", line.text);
}

/* 20 TB in 512-byte sectors: every digit is there, headings and numbers in line. */
TEST(test_big_disk)
{
	struct region one = { REGION_PARTITION, 2048, 39062497280, 0 };
	struct ranges_model *big;
	struct line head, row;

	disk.identity.size = 39062500000 * 512ULL;
	disk.regions = &one;
	disk.region_count = 1;
	partitions[0].start = one.start;
	partitions[0].sectors = one.sectors;
	endpoint_from_disk(&disk, &source);
	ck_assert_int_eq(ranges_model_new(&source, &disk, &big, NULL), 0);
	for (int width = 80; width <= 120; width += 40) {
		line_start(&head, width);
		ranges_model_header(big, &head);
		line_start(&row, width);
		ranges_model_row(big, 0, UNITS_SI, &row);
		ck_assert_ptr_nonnull(strstr(row.text, "39062499327"));
		ck_assert_ptr_nonnull(strstr(row.text, "39062497280"));
		ck_assert_ptr_null(strchr(row.text, '#'));
		ck_assert_int_eq(strstr(head.text, "SECTORS") + 7 - head.text,
				 strstr(row.text, "39062497280") + 11 - row.text);
	}
	ranges_model_destroy(big);
}

/* However long disks call themselves, the serial's tail and the size are there. */
TEST(test_title)
{
	struct line line;

	memset(model->source.identity.model, 'M', sizeof(model->source.identity.model) - 1);
	memset(model->source.identity.serial, 'S', 60);
	strcpy(model->source.identity.serial + 60, "TAIL");
	line_has(80, ranges_model_title(model, &line), "SSTAIL  gpt  10,000 sectors of 512");
	/* On a narrow screen, before anything else. */
	line_has(48, ranges_model_title(model, &line), "MM.. ");
	ck_assert_ptr_nonnull(strstr(line.text, "SSSSSSSTAIL"));
	model->source.identity.serial[0] = '\0';
	line_has(80, ranges_model_title(model, &line), "S/N -  gpt  10,000 sectors of 512");
	/* Where it goes stands below, and the WWN where there is room for all of it. */
	strcpy(model->source.identity.serial, "S1");
	strcpy(model->source.identity.model, "M1");
	strcpy(model->source.identity.wwn, "0x5000c500a1b2c3d4");
	line_has(80, ranges_text_destination(&model->source, &line), " Dest   sda  M1  S/N S1  ");
	ck_assert_ptr_null(strstr(line.text, "WWN"));
	line_has(120, ranges_text_destination(&model->source, &line),
		 "S/N S1  WWN 0x5000c500a1b2c3d4  ");
	line_start(&line, 80);
	ranges_text_destination(&(struct endpoint){ 0 }, &line);
	ck_assert_str_eq(line.text, "");
	/* Of a long path the end tells most. */
	model->source.kind = ENDPOINT_IMAGE;
	memset(model->source.node, '/', 200);
	strcpy(model->source.node + 200, "disk.img");
	line_start(&line, 80);
	ranges_model_title(model, &line);
	ck_assert_ptr_nonnull(
		strstr(line.text, "/disk.img  image file  gpt  10,000 sectors of 512"));
}

/* A partition or an image by itself is one row, whole. */
TEST(test_single_row)
{
	struct ranges_model *single;
	struct endpoint image = {
		.kind = ENDPOINT_IMAGE, .size = 1 << 20, .logical_sector_size = 512, .exists = true
	};
	char what[11], ticked[11];

	endpoint_from_partition(&disk, &partitions[1], &source);
	ck_assert_int_eq(ranges_model_new(&source, &disk, &single, NULL), 0);
	ck_assert_uint_eq(single->row_count, 1);
	ck_assert_uint_eq(single->rows[0].range.count, 1000);
	ck_assert_ptr_eq(single->rows[0].partition, &partitions[1]);
	ranges_model_map(single, 10, what, ticked);
	ck_assert_str_eq(what, "2222222222");
	ck_assert_str_eq(ticked, "==========");
	ranges_model_destroy(single);

	snprintf(image.node, sizeof(image.node), "/srv/a.img");
	ck_assert_int_eq(ranges_model_new(&image, NULL, &single, NULL), 0);
	ck_assert_uint_eq(single->row_count, 1);
	ck_assert_int_eq(ranges_model_tick_partitions(single), 0);
	ck_assert(ranges_model_is_whole(single));
	ranges_model_destroy(single);
}

/* An image that was read is a disk: rows, partitions by number, and what lies where. */
TEST(test_image_with_a_table)
{
	struct ranges_model *other;
	struct endpoint image = { .kind = ENDPOINT_IMAGE,
				  .size = SECTORS * 512ULL,
				  .logical_sector_size = 512,
				  .exists = true };
	char disk_what[21], what[21], ticked[21];

	ck_assert_int_eq(ranges_model_new(&image, &disk, &other, NULL), 0);
	ck_assert_uint_eq(other->row_count, model->row_count);
	ck_assert(field_set(&other->text, "@2"));
	ranges_model_typed(other);
	ck_assert_uint_eq(range_list_total(&other->list), 1000);
	ranges_model_map(model, 20, disk_what, ticked);
	ranges_model_map(other, 20, what, ticked);
	ck_assert_str_eq(what, disk_what);
	/* It came later, or cannot be read any more. */
	ck_assert_int_eq(ranges_model_rebase(other, NULL), 0);
	ck_assert_uint_eq(other->row_count, 1);
	ranges_model_destroy(other);
}

/* The list of disks was made anew: rows follow, the choice stays. */
TEST(test_rebase)
{
	struct disk again = disk;

	type("@2,@3");
	again.region_count = 3;
	ck_assert_int_eq(ranges_model_rebase(model, &again), 0);
	ck_assert_uint_eq(model->row_count, 3);
	ck_assert_uint_eq(range_list_total(&model->list), 4000);
	ck_assert_str_eq(model->text.text, "@2,@3");
}

TEST(test_beyond_the_destination)
{
	struct endpoint destination = { .kind = ENDPOINT_DISK, .size = SECTORS * 512ULL };

	ck_assert_uint_eq(ranges_model_beyond(model, &destination), 0);
	destination.size -= 1024;
	ck_assert_uint_eq(ranges_model_beyond(model, &destination), 1024);
	type("2048-4047");
	ck_assert_uint_eq(ranges_model_beyond(model, &destination), 0);
	ck_assert(field_set(&model->destination, "8000"));
	ranges_model_destination_typed(model);
	ck_assert_uint_eq(ranges_model_beyond(model, &destination), 1024);
	/* A file grows, and what is not known is not complained about. */
	destination.kind = ENDPOINT_IMAGE;
	ck_assert_uint_eq(ranges_model_beyond(model, &destination), 0);
	destination = (struct endpoint){ .kind = ENDPOINT_DISK };
	ck_assert_uint_eq(ranges_model_beyond(model, &destination), 0);
	type("");
	destination.size = 512;
	ck_assert_uint_eq(ranges_model_beyond(model, &destination), 0);
}
