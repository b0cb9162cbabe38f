/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout editor as data: what its keys make of a table, and what it says. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "line_test.h"
#include "base/text.h"
#include "ui/editor/model.h"

#define MIB   2048ULL /* sectors */
#define GIB   (1024 * MIB)
#define COUNT 4

static struct editor editor;
static struct editor_answer answer;

/* An ESP, a system that fills its partition, one with 1 GiB to spare, and one that boot code finds
 * by its place; from 20 GiB to a disk of 40. */
static void make_table(struct layout_table *ret)
{
	static const struct layout_part parts[COUNT] = {
		{ 1, MIB, 511 * MIB, MIB, 511 * MIB, 511 * MIB, NULL, "vfat" },
		{ 2, 512 * MIB, 8 * GIB, 512 * MIB, 8 * GIB, 8 * GIB, NULL, "ext4" },
		{ 3, 9 * GIB, 4 * GIB, 9 * GIB, 4 * GIB, 3 * GIB, NULL, "ntfs" },
		{ 4, 14 * GIB, GIB, 14 * GIB, GIB, GIB, NULL, "" },
	};

	*ret = (struct layout_table){ .count = COUNT,
				      .sector = 512,
				      .sectors = 20 * GIB,
				      .room = 40 * GIB,
				      .first = 34,
				      .usable = 40 * GIB - 34,
				      .movable = true };
	memcpy(ret->parts, parts, sizeof(parts));
}

static void open_with(struct editor *to, const struct plan_options *options)
{
	struct layout_table table;

	make_table(&table);
	editor_open(to, &table, NULL, NULL, options);
}

static void open_new(void)
{
	open_with(&editor, &PLAN_OPTIONS_DEFAULT);
}

static void check_sound(void)
{
	uint64_t end = editor.table.first;

	for (size_t i = 0; i < editor.table.count; i++) {
		const struct layout_part *part = &editor.parts[i];

		ck_assert_uint_ge(part->to, end);
		ck_assert_uint_ge(part->size, part->least);
		end = part->to + part->size;
	}
	ck_assert_uint_le(end, editor.table.usable);
	ck_assert_uint_eq(editor.parts[0].to, editor.parts[0].start);
}

/* The largest one gets all the room, and the others go to the end. */
TEST(test_opens_with_what_is_offered)
{
	struct plan_options options;

	open_new();
	check_sound();
	ck_assert_uint_eq(editor.at, 1);
	ck_assert_uint_gt(editor.parts[1].size, 26 * GIB);
	ck_assert_uint_eq(editor.parts[1].size % MIB, 0);
	/* That is no choice of before. */
	ck_assert(editor_options(&editor, &options));
	ck_assert_int_eq(options.table, TABLE_FIT);
	ck_assert_uint_eq(options.places[0].number, 2);
	ck_assert_uint_eq(options.places[0].size, editor.parts[1].size * 512);
	ck_assert_uint_eq(options.places[1].number, 0);
}

/* Opened again with what it gave, it has nothing new. */
TEST(test_opens_with_what_was_chosen)
{
	struct plan_options options, again;
	struct editor first, second;

	open_with(&first, &PLAN_OPTIONS_DEFAULT);
	editor_resize(&first, -(int64_t)editor_step(&first, true), &answer);
	first.at = 3;
	editor_move(&first, -(int64_t)editor_step(&first, false), &answer);
	ck_assert(editor_options(&first, &options));
	open_with(&second, &options);
	for (size_t i = 0; i < COUNT; i++) {
		ck_assert_uint_eq(first.parts[i].to, second.parts[i].to);
		ck_assert_uint_eq(first.parts[i].size, second.parts[i].size);
	}
	ck_assert(!editor_options(&second, &again));
	ck_assert_mem_eq(&again.places, &options.places, sizeof(options.places));
}

/* One that grows by --grow has a size here; where nothing is changed, the option stays. */
TEST(test_opens_with_one_that_grows)
{
	struct plan_options options = PLAN_OPTIONS_DEFAULT, same;
	const struct fitted fitted = { .grown = 4, .before = GIB, .after = 5 * GIB };
	struct layout_table table;

	make_table(&table);
	options.table = TABLE_FIT;
	options.grow = 4;
	editor_open(&editor, &table, NULL, &fitted, &options);
	ck_assert_uint_eq(editor.at, 3);
	ck_assert_uint_eq(editor.parts[3].size, 5 * GIB);
	ck_assert(!editor_options(&editor, &same));
	ck_assert_uint_eq(same.grow, 4);
	ck_assert_uint_eq(same.places[0].number, 0);
	editor_resize(&editor, (int64_t)GIB, &answer);
	ck_assert(editor_options(&editor, &same));
	ck_assert_uint_eq(same.grow, GROW_NO);
	ck_assert_uint_eq(same.places[0].size, 6 * GIB * 512);
}

TEST(test_no_less_than_the_file_system)
{
	open_new();
	editor_reset(&editor, &answer);
	ck_assert_uint_eq(editor.parts[1].size, 8 * GIB);
	editor.at = 2;
	editor_resize(&editor, -(int64_t)(2 * GIB), &answer);
	/* As far as it goes, and why not further. */
	ck_assert(answer.changed);
	ck_assert_uint_eq(editor.parts[2].size, 3 * GIB);
	ck_assert_ptr_nonnull(strstr(answer.said, "Partition 3 cannot become smaller"));
	editor_resize(&editor, -1, &answer);
	ck_assert(!answer.changed);
	ck_assert_ptr_nonnull(strstr(answer.said, "shrink that first"));
	ck_assert_uint_eq(editor.parts[2].size, 3 * GIB);
}

TEST(test_no_more_than_the_room)
{
	uint64_t size;

	open_new();
	editor_reset(&editor, &answer);
	editor_resize(&editor, (int64_t)(100 * GIB), &answer);
	ck_assert(answer.changed);
	ck_assert_ptr_nonnull(strstr(answer.said, "all the room there is"));
	check_sound();
	size = editor.parts[1].size;
	editor_resize(&editor, 1, &answer);
	ck_assert_uint_eq(editor.parts[1].size, size);
	/* The same by its own key; and again, the least. */
	editor_reset(&editor, &answer);
	ck_assert_uint_eq(editor.parts[1].size, 8 * GIB);
	editor_fill(&editor, &answer);
	ck_assert_uint_eq(editor.parts[1].size, size);
	editor_fill(&editor, &answer);
	ck_assert_uint_eq(editor.parts[1].size, 8 * GIB);
	/* Neither is possible. */
	for (size_t i = 1; i < COUNT; i++)
		editor.table.parts[i].fixed = editor.parts[i].fixed = "by its place";
	editor_reset(&editor, &answer);
	editor_reset(&editor, &answer);
	editor.at = 0;
	editor_fill(&editor, &answer);
	ck_assert(!answer.changed);
	ck_assert_ptr_nonnull(strstr(answer.said, "Partition 1 has all the room there is"));
}

/* A partition may end in what is left of the disk behind the last whole MiB, or even begin there.
 */
TEST_ROWS(test_fill_behind_the_last_mib, 2)
{
	static const uint64_t starts[] = { 39 * GIB, 40 * GIB - MIB + 63 };
	struct layout_part *last;
	struct layout_table table;

	make_table(&table);
	table.sectors = table.room;
	last = &table.parts[COUNT - 1];
	last->start = last->to = starts[_i];
	last->sectors = last->size = last->least = table.usable - starts[_i];
	editor_open(&editor, &table, NULL, NULL, &PLAN_OPTIONS_DEFAULT);
	editor.at = COUNT - 1;
	editor_fill(&editor, &answer);
	check_sound();
	ck_assert(!answer.changed);
	ck_assert_uint_eq(editor.parts[COUNT - 1].size, last->size);
	ck_assert_ptr_nonnull(strstr(answer.said, "Partition 4 has all the room there is"));
}

TEST(test_what_must_stay_is_said)
{
	char limit[256];

	open_new();
	editor_reset(&editor, &answer);
	editor.at = 0;
	editor_move(&editor, (int64_t)GIB, &answer);
	ck_assert(!answer.changed);
	ck_assert_ptr_nonnull(strstr(answer.said, "it is the first one"));
	editor.table.parts[3].fixed = "by its place";
	editor.parts[3].fixed = "by its place";
	editor.at = 1;
	editor_resize(&editor, (int64_t)(30 * GIB), &answer);
	/* Up to it, with what is between. */
	ck_assert(answer.changed);
	ck_assert_ptr_nonnull(strstr(answer.said, "partition 4 behind it must stay"));
	ck_assert_uint_eq(editor.parts[3].to, 14 * GIB);
	ck_assert_uint_gt(editor.parts[2].to, 9 * GIB);
	check_sound();
	editor.at = 3;
	editor_text_limit(&editor, UNITS_SI, limit, sizeof(limit));
	ck_assert_ptr_nonnull(strstr(limit, "by its place"));
}

TEST(test_typed)
{
	char text[32];

	open_new();
	editor_reset(&editor, &answer);
	editor.at = 2;
	ck_assert(editor_type(&editor, "6GiB@20GiB", &answer));
	ck_assert_uint_eq(editor.parts[2].size, 6 * GIB);
	ck_assert_uint_eq(editor.parts[2].to, 20 * GIB);
	check_sound();
	editor_print_typed(&editor, text, sizeof(text));
	ck_assert_str_eq(text, "6144MiB");
	/* In whole MiB. */
	ck_assert(editor_type(&editor, "7G", &answer));
	ck_assert_uint_eq(editor.parts[2].size % MIB, 0);
	ck_assert_uint_eq(editor.parts[2].to, 20 * GIB);
	ck_assert(editor_type(&editor, "@12GiB", &answer));
	for (const char *const *bad = (const char *const[]){ "", "x", "-1", "1G,4:2G", "1T", "1M",
							     "@100G", "1G@", NULL };
	     *bad; bad++) {
		ck_assert_msg(!editor_type(&editor, *bad, &answer), "%s", *bad);
		ck_assert(answer.said[0]);
		ck_assert_uint_eq(editor.parts[2].to, 12 * GIB);
	}
}

/* Whatever is pressed: in order, whole, inside, and the options make the same layout. */
TEST_ROWS(test_any_keys, 8)
{
	unsigned seed = (unsigned)_i;
	struct plan_options options;
	struct editor again;

	open_new();
	for (unsigned i = 0; i < 300; i++) {
		int64_t step = (int64_t)editor_step(&editor, rand_r(&seed) % 2);

		editor.at = (unsigned)rand_r(&seed) % COUNT;
		switch (rand_r(&seed) % 6) {
		case 0:
		case 1:
			editor_resize(&editor, rand_r(&seed) % 2 ? step : -step, &answer);
			break;
		case 2:
		case 3:
			editor_move(&editor, rand_r(&seed) % 2 ? step : -step, &answer);
			break;
		case 4:
			editor_fill(&editor, &answer);
			break;
		default:
			if (rand_r(&seed) % 8 == 0)
				editor_reset(&editor, &answer);
		}
		check_sound();
	}
	editor_options(&editor, &options);
	open_with(&again, &options);
	for (size_t i = 0; i < COUNT; i++) {
		ck_assert_uint_eq(editor.parts[i].to, again.parts[i].to);
		ck_assert_uint_eq(editor.parts[i].size, again.parts[i].size);
	}
}

/* At every width: no line is longer, every picture is complete, every partition is in it. */
TEST(test_text)
{
	struct used_part part = { .number = 2, .used_bytes = 1500000000 };
	const struct used used = { .parts = &part, .count = 1 };
	char source[513], copy[513], marks[513], limit[256];
	struct line line;

	open_new();
	for (int cols = 1; cols <= 250; cols++) {
		for (size_t i = 0; i < COUNT; i++) {
			line_start(&line, cols);
			editor_text_row(&editor, i, UNITS_SI, &line);
			ck_assert_int_le(text_width(line.text), cols);
		}
		line_start(&line, cols);
		editor_text_header(&line);
		ck_assert_int_le(text_width(line.text), cols);
		line_start(&line, cols);
		editor_text_free(&editor, UNITS_SI, &line);
		ck_assert_int_le(text_width(line.text), cols);
		editor_picture(&editor, cols, source, copy, marks);
		ck_assert_uint_eq(strlen(source), (size_t)cols);
		ck_assert_uint_eq(strlen(copy), (size_t)cols);
		ck_assert_uint_eq(strlen(marks), (size_t)cols);
		for (const char *p = "1234"; cols >= 8 && *p; p++)
			ck_assert(strchr(source, *p) && strchr(copy, *p));
		ck_assert(cols < 8 || (strchr(marks, '=') && strchr(marks, '+')));
	}
	line_has(80, editor_text_row(&editor, 1, UNITS_SI, &line), "grows ");
	ck_assert_ptr_nonnull(strstr(line.text, "      ?   8.59G"));
	editor_take_used(&editor, &used);
	line_has(80, editor_text_row(&editor, 1, UNITS_SI, &line), "  1.50G   8.59G");
	line_has(80, editor_text_row(&editor, 3, UNITS_SI, &line), "moves +");
	editor_text_limit(&editor, UNITS_SI, limit, sizeof(limit));
	ck_assert_ptr_nonnull(strstr(limit, "Space: it grows"));
	editor_toggle_fs(&editor, &answer);
	editor_text_limit(&editor, UNITS_SI, limit, sizeof(limit));
	ck_assert_ptr_nonnull(strstr(limit, "its ext4 with it"));
}

/* With more partitions changed than the option has room for. */
TEST(test_too_many)
{
	struct layout_table table = { .count = PLAN_PLACES_MAX + 1,
				      .sector = 512,
				      .sectors = 20 * GIB,
				      .room = 40 * GIB,
				      .first = 34,
				      .usable = 40 * GIB - 34,
				      .movable = true };

	for (unsigned i = 0; i < table.count; i++)
		table.parts[i] = (struct layout_part){ .number = i + 1,
						       .start = (i + 1) * GIB,
						       .to = (i + 1) * GIB,
						       .sectors = GIB,
						       .size = GIB,
						       .least = GIB };
	editor_open(&editor, &table, NULL, NULL, &PLAN_OPTIONS_DEFAULT);
	editor_reset(&editor, &answer);
	for (editor.at = 0; editor.at < PLAN_PLACES_MAX; editor.at++) {
		editor_resize(&editor, (int64_t)MIB, &answer);
		ck_assert(answer.changed);
	}
	editor_resize(&editor, (int64_t)MIB, &answer);
	ck_assert(!answer.changed);
	ck_assert_ptr_nonnull(strstr(answer.said, "No more than 8"));
}
