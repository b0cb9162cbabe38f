/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of screen 3: from the plan itself, and never wider than the screen. */
#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "line_test.h"
#include "base/text.h"
#include "plan/preset.h"
#include "ui/plan/model.h"

static struct line line;
static struct plan_lines lines;

static struct extent extents[3];
static struct plan plan;
static struct verdict items[3];
static struct verdict_list verdicts;

static void setup(void)
{
	memset(&plan, 0, sizeof(plan));
	memset(items, 0, sizeof(items));
	extents[0] = (struct extent){ 0, 0, 3907029168 };
	plan.extents = extents;
	plan.extent_count = 1;
	plan.total_sectors = 3907029168;
	plan.sector_size = 512;
	plan.whole = true;
	plan.source = (struct endpoint){ .kind = ENDPOINT_DISK,
					 .node = "/dev/sda",
					 .identity = { .model = "ST2000DM008-2FR102",
						       .serial = "ZFL1A2B3" },
					 .size = 2000398934016,
					 .exists = true };
	plan.destinations[0] = (struct endpoint){ .kind = ENDPOINT_DISK,
						  .node = "/dev/sdb",
						  .identity = { .model = "WDC WD40EFAX-68JH4N1",
								.serial = "WD-WX12D3456789" },
						  .size = 4000787030016,
						  .exists = true };
	items[0].kind = VERDICT_WARN;
	snprintf(items[0].sentence, sizeof(items[0].sentence),
		 "/dev/sdb holds three partitions that will be lost, one of which was written in "
		 "March, and a word thatislongerthanawholelineofthescreencouldeverbeonasmallone.");
	items[1].kind = VERDICT_WARN;
	snprintf(items[1].sentence, sizeof(items[1].sentence), "short");
	items[2].kind = VERDICT_OK;
	snprintf(items[2].sentence, sizeof(items[2].sentence), "fine");
	verdicts = (struct verdict_list){ items, 3 };
}

static void teardown(void)
{
	plan_lines_done(&lines);
}

/* Of all verdicts, and of nothing else. */
static void checks(int columns, int room, size_t at)
{
	plan_lines_done(&lines);
	plan_lines_add_checks(&lines, &verdicts, columns, room, at);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

/* The serial number is all there, and that there is none is said. */
TEST(test_long_model)
{
	memset(plan.source.identity.model, 'M', sizeof(plan.source.identity.model) - 1);
	strcpy(plan.source.identity.serial, "ZFL1A2B34567");
	line_has(80, plan_text_source(&plan, &line), "MM.. S/N ZFL1A2B34567 ");
	plan.source.identity.serial[0] = plan.destinations[0].identity.serial[0] = '\0';
	line_has(80, plan_text_source(&plan, &line), "MM.. S/N - ");
}

TEST(test_mock_up)
{
	/* Where there is less room, the model is cut, and says so. */
	line_start(&line, 60);
	plan_text_source(&plan, &line);
	ck_assert_msg(strstr(line.text, ".. S/N") != NULL, "%s", line.text);

	line_has(80, plan_text_source(&plan, &line), " SOURCE  sda");
	ck_assert_ptr_nonnull(strstr(line.text, "S/N ZFL1A2B3"));
	ck_assert_ptr_nonnull(strstr(line.text, "2,000,398,934,016 B"));
	ck_assert_int_le(text_width(line.text), 80);

	/* Both serial numbers are in one column, whatever the sizes. */
	long column = strstr(line.text, "S/N") - line.text;
	uint64_t size = plan.destinations[0].size;

	plan.destinations[0].size = 512;
	line_start(&line, 80);
	plan_text_destination(&plan, true, &line);
	ck_assert_int_eq(strstr(line.text, "S/N") - line.text, column);
	plan.destinations[0].size = size;
	line_has(80, plan_text_destination(&plan, true, &line), "S/N WD-WX12D3456789");
	line_is(80, plan_text_copy(&plan, 0, 0, &line),
		" COPY    whole disk, LBA 0-3907029167 -> LBA 0, 2.00 TB");
	line_is(80, plan_text_copy(&plan, 12, 0, &line),
		" COPY    whole disk, LBA 0-3907029167 -> LBA 0, 2.00 TB, "
		"12 areas written last");
	line_is(80, plan_text_copy(&plan, 12, 1046208642482, &line),
		" COPY    whole disk, LBA 0-3907029167 -> LBA 0, 2.00 TB, "
		"1.05 TB finished before");
	line_start(&line, 80);
	plan_text_options(&plan.options, ROLLING_NO, &line);
	ck_assert_str_eq(line.text,
			 " OPTIONS engine chosen at the start; errors: retry 0, stop; read back");
	line_start(&line, 120);
	plan_text_options(&plan.options, ROLLING_SPARE, &line);
	ck_assert_ptr_nonnull(strstr(line.text, "; read back meanwhile"));
	plan.options.rate = 1000000;
	line_lacks(120, plan_text_options(&plan.options, ROLLING_SPARE, &line), "meanwhile");
	plan.options.rate = 0;
	/* What is not as usual comes first, and what is cut off is not hidden. */
	plan.options.max_bad_areas = 10;
	plan.options.fill = FILL_MARK;
	line_start(&line, 80);
	plan_text_options(&plan.options, ROLLING_NO, &line);
	ck_assert_str_eq(
		line.text,
		" OPTIONS fill mark; max-bad-areas 10; engine auto; errors: retry 0, stop; read..");
	plan.options.max_bad_areas = 0;
	plan.options.fill = FILL_ZERO;
	plan.options.chunk = 1000 << 10;
	plan.options.queue_depth = PLAN_DEPTH_MAX;
	line_start(&line, 80);
	plan_text_options(&plan.options, ROLLING_NO, &line);
	ck_assert_str_eq(
		line.text,
		" OPTIONS depth 256 chunk 1000K engine auto; errors: retry 0, stop; read back");
	plan.options.lanes = PLAN_LANES_MAX;
	plan.options.source_backend = BACKEND_THREADS;
	plan.options.destination_backend = BACKEND_BUFFERED;
	plan.options.retries = 3;
	line_start(&line, 120);
	plan_text_options(&plan.options, ROLLING_NO, &line);
	ck_assert_ptr_nonnull(strstr(line.text, "; errors: retry 3, stop"));
}

TEST(test_kinds)
{
	plan.whole = false;
	extents[0] = (struct extent){ 2048, 4096, 1 };
	plan.total_sectors = 1;
	line_has(80, plan_text_copy(&plan, 0, 0, &line), "LBA 2048-2048 -> LBA 4096");
	plan.extent_count = 3;
	line_has(80, plan_text_copy(&plan, 0, 0, &line), "3 extents");
	/* Half an address would be another address. */
	extents[0].source_lba = extents[0].destination_lba = 3907029160;
	plan.total_sectors = 3907029160;
	line_start(&line, 80);
	plan_text_copy(&plan, 4, 0, &line);
	ck_assert_str_eq(line.text + strlen(line.text) - 2, "..");

	/* It has to be typed from there. */
	struct plan odd = { .source = { .kind = ENDPOINT_IMAGE, .node = "/a/\xe4\t%.img" } };

	line_has(80, plan_text_source(&odd, &line), " /a/%E4%09%25.img ");

	/* A file that does not exist yet has no size, whatever the plan will make of it. */
	plan.destinations[0] =
		(struct endpoint){ .kind = ENDPOINT_IMAGE, .size = 77, .exists = false };
	snprintf(plan.destinations[0].node, sizeof(plan.destinations[0].node),
		 "/a/very/long/path/that/does/not/fit/on/the/line/at/all/in/80/columns/disk.img");
	line_has(80, plan_text_destination(&plan, true, &line), "disk.img");
	ck_assert_ptr_nonnull(strstr(line.text, "new file"));
	ck_assert_ptr_null(strstr(line.text, "77"));
}

/* In full or cut, every verdict has its line, and in full nothing of it is missing. */
TEST(test_checks)
{
	struct gate gate = { 0 };

	gate_update(&gate, "p", &verdicts, "456789");
	for (int columns = 12; columns < 200; columns++)
		for (int open = -1; open < 3; open++) {
			char said[512] = "", wanted[512] = "";
			size_t first, last, verdict = open < 0 ? 0 : (size_t)open;

			checks(columns, open < 0 ? INT_MAX : 0, verdict);
			ck_assert_uint_eq(lines.entries, 3);
			plan_lines_find(&lines, verdict, &first, &last);
			for (size_t i = 0; i < lines.count; i++) {
				enum role role;

				line_start(&line, columns);
				plan_text_check(&gate, &lines.items[i], &line, &role);
				if (text_width(line.text) > columns)
					ck_abort_msg("%d: %s", columns, line.text);
				if (i >= first && i <= last && columns > 30)
					strcat(said, line.text + PLAN_CHECK_INDENT);
				if (open >= 0 && lines.items[i].index != verdict)
					ck_assert(lines.items[i].first);
			}
			if (columns <= 100)
				continue;
			for (char *from = said, *to = said;; from++)
				if (*from != ' ' && !(*to++ = *from))
					break;
			for (const char *from = items[verdict].sentence; *from; from++)
				if (*from != ' ')
					wanted[strlen(wanted)] = *from;
			ck_assert_str_eq(said, wanted);
		}
	gate_done(&gate);
}

/* What there is room for is read without going there. */
TEST(test_checks_take_the_room)
{
	int all;

	checks(40, INT_MAX, 1);
	all = (int)lines.count;
	ck_assert_int_gt(all, 3);
	checks(40, all, 1);
	ck_assert_int_eq((int)lines.count, all);
	checks(40, all - 1, 1);
	ck_assert_uint_eq(lines.count, 3);
	/* Under the cursor it is in full wherever that ends. */
	checks(40, 1, 0);
	ck_assert_int_eq((int)lines.count, all);
}

TEST(test_check_text)
{
	struct gate gate = { 0 };
	enum role role;

	gate_update(&gate, "p", &verdicts, "456789");
	checks(80, 0, 1);
	ck_assert_uint_eq(lines.count, 3);
	line_start(&line, 80);
	plan_text_check(&gate, &lines.items[0], &line, &role);
	ck_assert_int_eq(role, ROLE_WARN);
	ck_assert_ptr_nonnull(strstr(line.text, "  note    /dev/sdb holds"));
	ck_assert_str_eq(line.text + strlen(line.text) - 2, "..");
	items[1].lifted = true;
	line_is(80, plan_text_check(&gate, &lines.items[1], &line, &role), "  LIFTED  short");
	ck_assert_int_eq(role, ROLE_BAD);
	line_is(80, plan_text_check(&gate, &lines.items[2], &line, &role), "  ok      fine");
	items[0].kind = VERDICT_REFUSE;
	line_start(&line, 80);
	plan_text_check(&gate, &lines.items[0], &line, &role);
	ck_assert_int_eq(role, ROLE_BAD);
	ck_assert_int_eq(strncmp(line.text, "  STOP", 6), 0);
	gate_done(&gate);
}

TEST(test_start_text)
{
	struct gate gate = { 0 };

	gate_update(&gate, "p", &verdicts, "456789");
	line_has(80, plan_text_start(&gate, false, &line), "press Tab, type");
	gate_set_typing(&gate, true);
	field_set(&gate.typed, "456");
	line_has(80, plan_text_start(&gate, false, &line), "3 of 6 characters");
	field_set(&gate.typed, "457");
	line_has(80, plan_text_start(&gate, false, &line), "DOES NOT MATCH");
	field_set(&gate.typed, "456789");
	line_has(80, plan_text_start(&gate, false, &line), "Enter starts to write");
	items[2].kind = VERDICT_REFUSE;
	line_has(80, plan_text_start(&gate, false, &line), "REFUSED");
	/* What fits helps only where nothing else refuses. */
	items[2].fits = 4096;
	line_has(80, plan_text_start(&gate, false, &line), "f takes the range");
	items[2].means = MEANS_TOO_SMALL;
	line_has(80, plan_text_start(&gate, true, &line),
		 "s shrinks what is too large, in an image.");
	items[1].kind = VERDICT_REFUSE;
	line_has(80, plan_text_start(&gate, false, &line), "cannot be started");
	gate_done(&gate);
}

TEST(test_sections)
{
	size_t first, last;

	plan.extent_count = 3;
	checks(80, 0, 2);
	plan_lines_add_lost(&lines, 2);
	plan_lines_add_extents(&lines, &plan);
	ck_assert_uint_eq(lines.entries, 3 + 2 + 3);
	ck_assert_uint_eq(lines.count, 3 + 1 + 2 + 1 + 3);
	plan_lines_find(&lines, 3, &first, &last);
	ck_assert_int_eq(lines.items[first].kind, PLAN_LINE_LOST);
	ck_assert_uint_eq(first, last);
	plan_lines_done(&lines);
	plan.extent_count = 1;
	plan_lines_add_extents(&lines, &plan);
	ck_assert_uint_eq(lines.count, 0);
}

/* What the table's change says, one line each; what stays as it is says nothing. */
TEST(test_table_lines)
{
	static const char *const says[] = { "partition 3 grows", "partition 4 moves",
					    "backup GPT at LBA 999" };
	const struct fitted fitted = { .grown = 3,
				       .before = 100,
				       .after = 200,
				       .backup = 999,
				       .parts = { { 4, 500, 8, 700, 8 }, { 5, 800, 8, 800, 8 } },
				       .part_count = 2 };
	size_t found = 0;

	plan_lines_add_table(&lines, &fitted);
	ck_assert_uint_eq(lines.count, 4);
	for (size_t i = 0; i < 3; i++) {
		line_start(&line, 100);
		plan_text_table(&fitted, i, 512, &line);
		for (size_t k = 0; k < 3; k++)
			found += strstr(line.text, says[k]) != NULL;
	}
	ck_assert_uint_eq(found, 3);
}

/* Both ends and what differs are said in a line each, with the key that tells more where there is
 * room for it. */
TEST(test_changes_in_a_line)
{
	struct plan made = { .sector_size = 512, .options = PLAN_OPTIONS_DEFAULT };
	static struct identifiers shared = {
		.items = { { IDENTIFIER_TABLE, 0, "gpt", "", "AAAA", "" },
			   { IDENTIFIER_CONTENTS, 2, "ext4", "root", "BBBB", "" },
			   { IDENTIFIER_CONTENTS, 3, "LVM2_member", "", "CCCC", "" } },
		.count = 3
	};
	char *text;

	line_has(80, plan_text_layout(&made, true, false, UNITS_SI, &line),
		 " TABLE   as on the source");
	ck_assert_ptr_nonnull(strstr(line.text, "t=fit  l=layout"));
	made.options.table = TABLE_FIT;
	made.fitted = (struct fitted){ .grown = 2,
				       .before = 2000000,
				       .after = 4000000,
				       .parts = { { 3, 500, 8, 700, 8 }, { 5, 800, 8, 900, 8 } },
				       .part_count = 2 };
	line_start(&line, 80);
	plan_text_layout(&made, false, false, UNITS_SI, &line);
	ck_assert_ptr_nonnull(
		strstr(line.text, "made to fit; 2 grows from 1.02G to 2.05G; 3, 5 move  l=layout"));
	for (int cols = 1; cols < 130; cols++) {
		line_start(&line, cols);
		plan_text_layout(&made, false, false, UNITS_SI, &line);
		ck_assert_int_le(text_width(line.text), cols);
		line_start(&line, cols);
		plan_text_ids(&made.options, &shared, false, &line);
		ck_assert_int_le(text_width(line.text), cols);
	}
	ck_assert_ptr_nonnull(strstr(line.text, "the same on both: unplug one"));
	ck_assert_ptr_nonnull(strstr(line.text, "i=which"));
	line_lacks(130, plan_text_ids(&made.options, &shared, true, &line), "i=which");
	text = plan_ids_everything(&made.options, &shared);
	ck_assert_ptr_nonnull(strstr(text, "Both disks will have the same IDs. Unplug one"));
	ck_assert_ptr_nonnull(strstr(text, "disk GUID AAAA\n"));
	ck_assert_ptr_nonnull(strstr(text, "2 ext4 BBBB \"root\"\n"));
	ck_assert_ptr_nonnull(strstr(text, "vgimportclone"));
	free(text);
	made.options.identities = IDENTITIES_REWRITE;
	line_has(80, plan_text_ids(&made.options, &shared, false, &line),
		 "new on the copy, but for ");
	/* What a system in a LUKS may name. */
	shared.hidden = true;
	line_start(&line, 80);
	plan_text_ids(&made.options, &shared, false, &line);
	ck_assert_ptr_nonnull(
		strstr(line.text, "if the system is in LUKS, RAID or LVM, mostly kept"));
	text = plan_ids_everything(&made.options, &shared);
	ck_assert_ptr_nonnull(strstr(text, "disk GUID AAAA\n   new by sfdisk"));
	ck_assert_ptr_nonnull(
		strstr(text, "\"root\"\n   Kept if the system is in what is closed."));
	free(text);
}

/* In one line: how many, how much, and the largest first; what has no room is counted. */
TEST(test_losses)
{
	struct partition parts[3] = {
		{ .number = 1, .sectors = 204800, .fs = "vfat", .label = "ESP" },
		{ .number = 2, .sectors = 32768, .name = "reserved", .node = "/dev/sdb2" },
		{ .number = 3, .sectors = 3906789376, .fs = "ntfs", .node = "/dev/sdb3" },
	};
	struct lost lost[3] = { { &parts[0], LOST_OVERWRITTEN },
				{ &parts[1], LOST_FROM_TABLE },
				{ &parts[2], LOST_PARTLY } };
	struct disk disk = { .identity.logical_sector_size = 512, .table = "gpt" };

	line_is(120, plan_text_losses(&disk, lost, 3, false, UNITS_SI, &line),
		" LOST    3 partitions, 2.00 TB: sdb3 ntfs 2.00T (partly), "
		"\"ESP\" vfat 105M, \"reserved\" 16.8M (its entry)");
	line_is(70, plan_text_losses(&disk, lost, 3, false, UNITS_SI, &line),
		" LOST    3 partitions, 2.00 TB: sdb3 ntfs 2.00T (partly), 2 more");
	/* As large as each other: each once. */
	parts[1].sectors = parts[2].sectors = parts[0].sectors;
	line_has(120, plan_text_losses(&disk, lost, 3, false, UNITS_SI, &line),
		 "\"ESP\" vfat 105M, \"reserved\" 105M (its entry), "
		 "sdb3 ntfs 105M (partly)");
	/* A label cannot make room for itself. */
	memset(parts[0].label, '"', sizeof(parts[0].label) - 1);
	for (int width = 0; width < 200; width++) {
		line_start(&line, width);
		plan_text_losses(&disk, lost, 3, false, UNITS_SI, &line);
		ck_assert_int_le(text_width(line.text), width);
	}
	line_is(80, plan_text_losses(&disk, NULL, 0, false, UNITS_SI, &line),
		" LOST    no file system is known there");
	line_is(80, plan_text_losses(NULL, NULL, 0, false, UNITS_SI, &line),
		" LOST    what it holds is not known");
	snprintf(disk.whole_fs, sizeof(disk.whole_fs), "ext4");
	snprintf(disk.whole_label, sizeof(disk.whole_label), "stick");
	line_is(80, plan_text_losses(&disk, NULL, 0, false, UNITS_SI, &line),
		" LOST    ext4 \"stick\", without a partition table");
}

/* What stands in the line of losses is not said twice, but a refusal is never left out. */
TEST(test_losses_are_no_check)
{

	items[0].means = MEANS_ERASES;
	checks(80, 9, 0);
	ck_assert_uint_eq(lines.entries, 2);
	ck_assert_uint_eq(lines.items[0].index, 1);
	ck_assert_uint_eq(lines.items[0].entry, 0);
	items[0].kind = VERDICT_REFUSE;
	checks(80, 9, 0);
	ck_assert_uint_eq(lines.entries, 3);
}

/* What it does, or, where the source's health speaks against it, why another one is offered. */
TEST(test_preset)
{
	struct plan_options options = PLAN_OPTIONS_DEFAULT;

	for (enum preset preset = 0; preset < PRESETS; preset++) {
		preset_apply(&options, preset, 0);
		line_has(80, plan_text_preset(&options, NULL, false, &line), preset_title(preset));
		ck_assert_ptr_nonnull(strstr(line.text, preset_summary(preset)));
		ck_assert_ptr_nonnull(strstr(line.text, "Ctrl-P"));
	}
	preset_apply(&options, PRESET_HEALTHY, 0);
	line_lacks(80, plan_text_preset(&options, NULL, true, &line), "Ctrl-P");
	line_start(&line, 80);
	plan_text_preset(&options, "sda has 24 weak sectors", false, &line);
	ck_assert_str_eq(
		line.text,
		" PRESET  Healthy. sda has 24 weak sectors: Ctrl-P takes the preset Failing");
}

/* What it is known by is never cut where there is room; an axis is not taken for bytes. */
TEST(test_lost)
{
	struct partition partition = {
		.number = 1, .start = 2048, .sectors = 655360, .fs = "ext4", .label = "archive-2019"
	};
	struct lost lost = { &partition, LOST_OVERWRITTEN };

	line_has(80, plan_text_lost(&lost, 512, UNITS_SI, &line), "archive-2019 overwritten");
	/* Half a name would be that of another one. */
	strcpy(partition.node, "/dev/nvme0n1p128");
	line_has(80, plan_text_lost(&lost, 512, UNITS_SI, &line), " nvme0n1p128       2048 -");
	partition.start = 99999999999;
	line_has(80, plan_text_lost(&lost, 512, UNITS_SI, &line), " nvme0n1p128");
	ck_assert_ptr_nonnull(strstr(line.text, "99999999999 -"));
	partition.start = 2048;
	/* Nor is what becomes of it. */
	lost.how = LOST_FROM_TABLE;
	line_has(75, plan_text_lost(&lost, 512, UNITS_SI, &line), " entry only");
	line_has(118, plan_text_lost(&lost, 512, UNITS_SI, &line), "its table entry vanishes");
	line_has(69, plan_text_axis(4096 * 3000ULL, UNITS_SECTORS, 4096, &line), "1,500s");
	ck_assert_ptr_nonnull(strstr(line.text, "3,000s"));
}

TEST(test_everything_fits)
{
	struct partition partition = { .number = UINT32_MAX,
				       .start = UINT64_MAX / 2,
				       .sectors = UINT64_MAX / 2 };
	struct lost lost = { &partition, LOST_FROM_TABLE };

	memset(partition.label, 'L', sizeof(partition.label) - 1);
	memset(partition.node, 'n', sizeof(partition.node) - 1);
	memset(plan.source.identity.model, 'M', sizeof(plan.source.identity.model) - 1);
	memset(plan.source.identity.serial, 'S', sizeof(plan.source.identity.serial) - 1);
	memset(plan.source.node, 'N', sizeof(plan.source.node) - 1);
	plan.source.size = UINT64_MAX;
	plan.total_sectors = UINT64_MAX;
	extents[0] = (struct extent){ UINT64_MAX / 2, UINT64_MAX / 2, UINT64_MAX / 2 };
	plan.options = (struct plan_options){ .chunk = UINT32_MAX,
					      .queue_depth = UINT32_MAX,
					      .lanes = UINT32_MAX,
					      .source_backend = BACKEND_THREADS,
					      .destination_backend = BACKEND_BUFFERED,
					      .rate = UINT64_MAX,
					      .on_error = ON_ERROR_MAP,
					      .retries = UINT32_MAX };
	for (int width = 0; width <= 250; width++) {
		line_start(&line, width);
		plan_text_source(&plan, &line);
		ck_assert_int_le(text_width(line.text), width);
		line_start(&line, width);
		plan_text_copy(&plan, 0, 0, &line);
		ck_assert_int_le(text_width(line.text), width);
		line_start(&line, width);
		plan_text_options(&plan.options, ROLLING_NO, &line);
		ck_assert_int_le(text_width(line.text), width);
		line_start(&line, width);
		plan_text_lost(&lost, 512, UNITS_SI, &line);
		ck_assert_int_le(text_width(line.text), width);
		line_start(&line, width);
		plan_text_extent(&plan, 0, &line);
		plan_text_axis(UINT64_MAX, UNITS_IEC, 512, &line);
		ck_assert_int_le(text_width(line.text), width);
	}
}
