/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map pane: the cursor is always in the window, the cells are where they say. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "line_test.h"
#include "base/text.h"
#include "ui/widgets/map_model.h"
#include "ui/widgets/map_pane.h"

static struct plan plan;
static struct partition partitions[3];
static struct disk disk;

static void setup(void)
{
	memset(&plan, 0, sizeof(plan));
	plan.sector_size = 512;
	plan.source.kind = ENDPOINT_DISK;
	plan.source.size = 1000 * 512;
	memset(partitions, 0, sizeof(partitions));
	partitions[0] = (struct partition){ .number = 1, .start = 100, .sectors = 200 };
	partitions[1] =
		(struct partition){ .number = 2, .start = 300, .sectors = 600, .extended = true };
	partitions[2] = (struct partition){
		.number = 5, .start = 310, .sectors = 500, .fs = "ext4", .label = "boot"
	};
	disk = (struct disk){ .partitions = partitions, .partition_count = 3 };
}

static void check_window(const struct map_view *view, const struct map_window *window)
{
	uint64_t all = plan.source.size;

	ck_assert_uint_le(window->start + window->size, all);
	ck_assert_uint_ge(window->size, all < (uint64_t)window->cells * 512
						? all
						: (uint64_t)window->cells * 512);
	ck_assert_uint_eq(window->start % 512, 0);
	if (window->cells) {
		ck_assert_int_ge(window->cursor, 0);
		ck_assert_int_lt(window->cursor, window->cells);
	}
	if (all)
		ck_assert_uint_lt(view->at, all);
}

UNIT_CASE(.setup = setup);

TEST(test_window)
{
	struct map_view view = { 0 };
	struct map_window window;

	map_view_window(&view, &plan, 500 * 512, 2, 50, &window);
	ck_assert_uint_eq(window.size, 1000 * 512);
	ck_assert_int_eq(window.cursor, 50);
	/* The cursor goes with the copy … */
	map_view_window(&view, &plan, 700 * 512, 2, 50, &window);
	ck_assert_int_eq(window.cursor, 70);
	map_view_zoom(&view, 1);
	map_view_window(&view, &plan, 700 * 512, 2, 50, &window);
	ck_assert_uint_eq(window.size, 500 * 512);
	ck_assert_uint_eq(window.start, 450 * 512);
	/* … until it is moved. */
	map_view_move(&view, &window, &plan, 1);
	map_view_window(&view, &plan, 100 * 512, 2, 50, &window);
	ck_assert_uint_eq(window.start, 450 * 512);
	ck_assert_int_eq(window.cursor, 51);
}

/* Whatever is pressed, at every size and zoom. */
TEST(test_cursor_stays_inside)
{
	static const uint64_t sizes[] = { 0, 1, 512, 1000 * 512, 2000398934016, UINT64_MAX - 511 };
	static const int steps[] = { 1, -1, 78, -78, 780, -780 };

	for (size_t s = 0; s < 6; s++) {
		for (int rows = 0; rows < 40; rows += 3) {
			struct map_view view = { 0 };
			struct map_window window;

			plan.source.size = sizes[s];
			for (int i = 0; i < 600; i++) {
				map_view_window(&view, &plan, sizes[s] / 3, rows, 78, &window);
				check_window(&view, &window);
				map_view_move(&view, &window, &plan, steps[i * 7 / 5 % 6]);
				if (i % 17 == 3)
					map_view_zoom(&view, i % 2 ? 3 : -2);
				if (i % 71 == 9)
					map_view_go(&view, &window, (uint64_t)i * sizes[s] / 601);
			}
		}
	}
}

/* From the first cell to the last one by one, zoomed in: no cell is left out, none comes twice. */
TEST(test_every_cell_can_be_reached)
{
	struct map_view view = { .zoom = 40, .held = true };
	struct map_window window;
	uint64_t lba, sectors;

	for (uint64_t wanted = 0; wanted < 1000; wanted++) {
		map_view_window(&view, &plan, 0, 2, 10, &window);
		check_window(&view, &window);
		map_cell_sectors(&window, &plan, window.cursor, &lba, &sectors);
		ck_assert_uint_eq(lba, wanted);
		ck_assert_uint_eq(sectors, 1);
		map_view_move(&view, &window, &plan, 1);
	}
	for (uint64_t wanted = 1000; wanted-- > 0;) {
		map_view_window(&view, &plan, 0, 2, 10, &window);
		map_cell_sectors(&window, &plan, window.cursor, &lba, &sectors);
		ck_assert_uint_eq(lba, wanted);
		map_view_move(&view, &window, &plan, -1);
	}
}

/* Rows keep their columns when the window scrolls. */
TEST(test_scrolls_by_rows)
{
	struct map_view view = { .zoom = 40, .held = true };
	struct map_window window;

	for (int i = 0; i < 60; i++) {
		map_view_window(&view, &plan, 0, 2, 10, &window);
		ck_assert_uint_eq(window.start % (10 * 512), 0);
		map_view_move(&view, &window, &plan, i < 40 ? 7 : -9);
	}
}

TEST(test_cell_in_words)
{
	struct map_view view = { 0 };
	struct map_window window;
	struct line line;

	map_view_window(&view, &plan, 0, 1, 100, &window);
	line_is(78, map_text_cell(&plan, &disk, &window, '+', &line),
		" LBA 0-9 (10 sectors): copied");
	line_is(78, map_text_cell(&plan, &disk, &window, 'V', &line),
		" LBA 0-9 (10 sectors): verified");
	map_view_go(&view, &window, 400 * 512);
	map_view_window(&view, &plan, 0, 1, 100, &window);
	line_is(78, map_text_cell(&plan, &disk, &window, '-', &line),
		" LBA 400-409 (10 sectors): bad, partition 5 ext4 \"boot\"");
	line_is(27, map_text_cell(&plan, &disk, &window, '-', &line),
		" LBA 400-409: bad, partit..");
	map_view_zoom(&view, 40);
	map_view_window(&view, &plan, 0, 1, 100, &window);
	line_is(78, map_text_cell(&plan, NULL, &window, '*', &line), " LBA 400: to try");
	for (int width = 0; width < 100; width++) {
		line_start(&line, width);
		map_text_cell(&plan, &disk, &window, '/', &line);
		ck_assert_int_le(text_width(line.text), width);
	}
}

/* The extended partition only holds the others; a partition as source has none of its own. */
TEST(test_partition)
{
	ck_assert_ptr_null(map_partition(&plan, &disk, 99));
	ck_assert_ptr_eq(map_partition(&plan, &disk, 100), &partitions[0]);
	ck_assert_ptr_eq(map_partition(&plan, &disk, 299), &partitions[0]);
	ck_assert_ptr_null(map_partition(&plan, &disk, 300));
	ck_assert_ptr_eq(map_partition(&plan, &disk, 809), &partitions[2]);
	ck_assert_ptr_null(map_partition(&plan, &disk, 810));
	ck_assert_ptr_null(map_partition(&plan, NULL, 100));
	plan.source.kind = ENDPOINT_PARTITION;
	ck_assert_ptr_null(map_partition(&plan, &disk, 100));
}

static struct job_snapshot job;

static const char *area_text(size_t i, int width)
{
	static struct line line;
	struct map_area area;

	map_area_at(&job, i, &area);
	line_start(&line, width);
	map_text_area(&area, &line);
	return line.text;
}

TEST(test_bad_area)
{
	memset(&job, 0, sizeof(job));
	job.bad_shown = 1;
	job.bad[0] = (struct job_bad_area){ .lba = 1602117632,
					    .sectors = 8,
					    .partition = 3,
					    .sense = { true, 3, 0x11, 0, true, 1602117632 } };
	ck_assert_str_eq(area_text(0, 78),
			 "  1602117632 +8        3     medium error: unrecovered read "
			 "error (3/11/00)");
	job.bad[0] =
		(struct job_bad_area){ .lba = UINT64_MAX, .sectors = UINT64_MAX, .code = -EIO };
	for (int width = 0; width < 100; width++)
		ck_assert_int_le(text_width(area_text(0, width)), width);
}

/* What differs comes first, with all that is known of it in two lines of 76 columns. */
TEST(test_mismatch)
{
	const char digest[] = "0123456789abcdef0123456789abcdef";
	struct map_area area;
	char why[512];

	memset(&job, 0, sizeof(job));
	job.bad_shown = 2;
	job.bad[1].lba = 77;
	job.proof.shown = 2;
	job.proof.mismatches[0] = (struct job_mismatch){ .kind = MISMATCH_DESTINATION,
							 .lba = 1602117632,
							 .sectors = 8,
							 .partition = 3,
							 .has_byte = true,
							 .byte = 17,
							 .at_destination = 0xff,
							 .has_digests = true,
							 .region_lba = 1602117632,
							 .region_sectors = 2048 };
	strcpy(job.proof.mismatches[0].expected, digest);
	strcpy(job.proof.mismatches[0].found, digest);
	job.proof.mismatches[1] =
		(struct job_mismatch){ .kind = MISMATCH_UNREADABLE, .lba = 5, .code = -EIO };
	ck_assert_uint_eq(map_area_count(&job), 4);
	ck_assert_str_eq(area_text(0, 60),
			 "  1602117632 +8        3     DIFFERS: the destination does..");
	map_area_at(&job, 0, &area);
	map_text_why(&area, why, sizeof(why));
	ck_assert_str_eq(why, "Digests of LBA 1602117632 +2048: source "
			      "0123456789abcdef0123456789abcdef, destination "
			      "0123456789abcdef0123456789abcdef. First at byte 17: 00, ff.");
	ck_assert_int_le(strlen(why), 150);
	map_area_at(&job, 1, &area);
	ck_assert_str_ne(map_text_why(&area, why, sizeof(why)), "");
	map_area_at(&job, 3, &area);
	ck_assert_ptr_eq(area.bad, &job.bad[1]);
	ck_assert_uint_eq(area.number, 1);
	ck_assert_uint_eq(area.lba, 77);
}

/* Everything that a disk can answer has a sentence, and it fits into two lines of 76 columns. */
TEST(test_every_failure_is_explained)
{
	for (int key = -1; key < 16; key++) {
		for (int code = 0; code < 200; code++) {
			struct sense sense = { .known = key >= 0, .key = (uint8_t)key };

			ck_assert_int_gt(strlen(explain_failure(&sense, -code, code & 1)), 20);
			ck_assert_int_le(strlen(explain_failure(&sense, -code, code & 1)), 150);
		}
	}
	ck_assert_str_ne(explain_failure(&(struct sense){ true, 3, 0x11, 0, false, 0 }, 0, false),
			 explain_failure(&(struct sense){ true, 3, 0x0c, 0, false, 0 }, 0, true));
	/* Of a sense key that says nothing the error number still does. */
	ck_assert_str_eq(
		explain_failure(&(struct sense){ true, 0, 0, 0, false, 0 }, -ENODEV, false),
		explain_failure(&(struct sense){ 0 }, -ENODEV, false));
}

/* Between two frames, what was bad may be read after all. */
TEST(test_areas_may_become_fewer)
{
	static struct job_snapshot now;
	const struct map_scene scene = { .snapshot = &now, .plan = &plan, .ticks = true };
	struct map_pane pane = { .open = true,
				 .list = true,
				 .areas = { .at = 2, .count = 3, .rows = 3 } };

	now.bad[0] = (struct job_bad_area){ .lba = 70, .sectors = 1 };
	now.bad[2] = (struct job_bad_area){ .lba = 500, .sectors = 1 };
	now.bad_shown = 1;
	ck_assert(map_pane_command(&pane, &scene, COMMAND_TOGGLE));
	ck_assert_uint_eq(pane.ticked, 1);
	ck_assert_uint_eq(pane.view.at, 70 * 512);
	now.bad_shown = 0;
	ck_assert(!map_pane_command(&pane, &scene, COMMAND_ACCEPT));
	ck_assert_uint_eq(pane.view.at, 70 * 512);
}
