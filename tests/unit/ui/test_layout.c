/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every screen at every size: nothing outside, nothing on top of another; lists that are moved in.
 */
#include "unit.h"

#include <stddef.h>

#include "ui/bench/model.h"
#include "ui/disks/screen.h"
#include "ui/editor/screen.h"
#include "ui/plan/screen.h"
#include "ui/ranges/screen.h"
#include "ui/report/model.h"
#include "ui/run/screen.h"
#include "ui/widgets/list.h"
#include "ui/widgets/map_pane.h"

static void check_rects(const struct rect *rects, size_t count, struct rect body, const char *what)
{
	for (size_t i = 0; i < count; i++) {
		struct rect a = rects[i];

		if (a.rows < 0 || a.cols < 0)
			ck_abort_msg("%s: rect %zu negative in %dx%d", what, i, body.cols,
				     body.rows);
		if (rect_empty(a))
			continue;
		if (a.row < body.row || a.col < body.col || a.row + a.rows > body.row + body.rows ||
		    a.col + a.cols > body.col + body.cols)
			ck_abort_msg("%s: rect %zu outside of %dx%d", what, i, body.cols,
				     body.rows);
		for (size_t j = 0; j < i; j++) {
			struct rect b = rects[j];

			if (rect_empty(b))
				continue;
			if (a.row + a.rows > b.row && b.row + b.rows > a.row &&
			    a.col + a.cols > b.col && b.col + b.cols > a.col)
				ck_abort_msg("%s: rects %zu and %zu overlap in %dx%d", what, i, j,
					     body.cols, body.rows);
		}
	}
}

/* A layout is made of rects only, so it can be walked as an array of them. */
#define CHECK(layout, body)                                                                        \
	check_rects((const struct rect *)&(layout), sizeof(layout) / sizeof(struct rect), body,    \
		    #layout)

#define COLS 250
#define ROWS 100

TEST(test_all_sizes)
{
	for (int cols = 1; cols <= COLS; cols++)
		for (int rows = 1; rows <= ROWS; rows++) {
			struct rect body = { 1, 0, rows, cols }, screen = { 0, 0, rows, cols };
			struct layout_frame frame;
			struct layout_disks disks;
			struct layout_ranges ranges;
			struct layout_plan plan;
			struct layout_run run;
			struct layout_report report;
			struct layout_bench bench;
			struct layout_map map;
			struct layout_editor editor;

			layout_frame(cols, rows, (cols + rows) & 1, &frame);
			CHECK(frame, screen);
			layout_disks(frame.body, (cols * rows) % 210, &disks);
			CHECK(disks, frame.body);
			/* Also for bodies that the frame would never make. */
			layout_disks(screen, (cols * 3 + rows) % 210, &disks);
			CHECK(disks, screen);
			layout_map(body, (cols * 3 + rows) % 70, &map);
			CHECK(map, body);
			layout_ranges(body, 1 + (cols * rows) % 200, &ranges);
			CHECK(ranges, body);
			layout_plan(body, 6 + cols % 3, rows & 1, (cols * 7 + rows) % 60,
				    (cols + rows) % 130, &plan);
			CHECK(plan, body);
			layout_editor(body, 1 + (cols * 3 + rows) % 64, &editor);
			CHECK(editor, body);
			ck_assert(rows < 2 || !rect_empty(editor.list));
			ck_assert(rows < 2 || !rect_empty(editor.picture));
			layout_run(body, &run);
			CHECK(run, body);
			layout_report(body, &report);
			CHECK(report, body);
			layout_bench(body, rows & 1, &bench);
			CHECK(bench, body);
		}
}

/* Everything that the mock-ups have at 80x24 and 120x40 has its place, also below the banner of
 * practice mode. */
TEST(test_nothing_missing)
{
	for (int big = 0; big < 2; big++)
		for (int banner = 0; banner < 2; banner++) {
			struct rect body = { 1, 0, (big ? 37 : 21) - banner, big ? 120 : 80 };
			struct layout_ranges ranges;
			struct layout_plan plan;
			struct layout_run run;
			struct layout_report report;
			struct layout_bench bench;

			layout_ranges(body, 6, &ranges);
			ck_assert_int_eq(ranges.list.rows, 6);
			ck_assert_int_eq(ranges.map.rows, 3);
			ck_assert(!rect_empty(ranges.field) && !rect_empty(ranges.error) &&
				  !rect_empty(ranges.grammar) && !rect_empty(ranges.totals));
			layout_ranges(body, 130, &ranges);
			ck_assert_int_ge(ranges.list.rows, 7);

			for (int ends = 6; ends <= 8; ends++) {
				layout_plan(body, ends, true, 6, 3, &plan);
				ck_assert_int_eq(plan.ends.rows, ends);
				ck_assert_int_eq(plan.picture.rows,
						 5 - (!big && ends + banner > 6));
				ck_assert_int_eq(plan.start.rows, 2);
				ck_assert_int_ge(plan.list.rows, 6 - banner);
			}
			ck_assert_int_eq(rect_empty(plan.files), !big);
			ck_assert_int_eq(rect_empty(plan.lost), !big);

			layout_run(body, &run);
			ck_assert_int_eq(run.head.rows, big ? RUN_LARGE_ROWS : 6);
			ck_assert_int_ge(run.graph.rows, 8);
			ck_assert_int_ge(run.latency.rows, 8);
			ck_assert_int_ge(run.latency.cols, 30);
			ck_assert_int_eq(run.cpu.rows, big ? 7 : 0);
			ck_assert_int_eq(run.queues.rows, big ? 7 : 0);
			ck_assert_int_ge(run.map.rows, 6);
			ck_assert_int_eq(rect_empty(run.alarm), !big);

			layout_report(body, &report);
			ck_assert_int_ge(report.text.rows, 20);
			ck_assert_int_eq(rect_empty(report.graph), !big);
			ck_assert_int_eq(rect_empty(report.map), !big);

			layout_bench(body, true, &bench);
			ck_assert_int_eq(bench.head.rows, 2);
			ck_assert_int_ge(bench.chart.rows, 8);
			ck_assert_int_ge(bench.table.rows, 5);
		}
}

/* Below the head of screen 4, too: a map worth looking at, every bad area within reach. */
TEST(test_map_has_room)
{
	for (int areas = 0; areas <= 64; areas++) {
		struct rect body = { 4, 0, 17, 80 };
		struct layout_map map;

		layout_map(body, areas, &map);
		ck_assert_int_ge(map.cells.rows, 5);
		ck_assert(!rect_empty(map.heading) && !rect_empty(map.cell) &&
			  !rect_empty(map.legend) && !rect_empty(map.keys));
		ck_assert_int_eq(rect_empty(map.areas), !areas);
		ck_assert_int_eq(rect_empty(map.why), !areas);
		ck_assert(areas < 5 || map.areas.rows == 5);
	}
}

/* More room is never less of anything. */
static void panes_grow(int cols)
{
	struct layout_run before, now;

	layout_run((struct rect){ 1, 0, 37, cols }, &before);
	for (int rows = 38; rows <= ROWS; rows++) {
		layout_run((struct rect){ 1, 0, rows, cols }, &now);
		ck_assert_int_eq(rect_empty(now.stages), cols < 200);
		ck_assert_int_ge(now.stages.rows, before.stages.rows);
		ck_assert_int_ge(now.graph.rows, before.graph.rows);
		ck_assert_int_ge(now.map.rows, before.map.rows);
		ck_assert_int_ge(now.events.rows, before.events.rows);
		before = now;
	}
}

TEST(test_panes_grow)
{
	panes_grow(120);
	panes_grow(200);
}

TEST(test_frame)
{
	struct layout_frame frame;

	layout_frame(80, 24, false, &frame);
	ck_assert_int_eq(frame.body.rows, 21);
	ck_assert_int_eq(frame.message.row, 22);
	ck_assert_int_eq(frame.footer.row, 23);
	ck_assert(rect_empty(frame.banner));
	layout_frame(80, 24, true, &frame);
	ck_assert_int_eq(frame.banner.row, 1);
	ck_assert_int_eq(frame.body.rows, 20);
	/* A long message has two lines on a narrow screen, unless it is a low one, too. */
	layout_frame(79, 24, false, &frame);
	ck_assert_int_eq(frame.message.rows, 2);
	ck_assert_int_eq(frame.body.rows, 20);
	layout_frame(40, 8, true, &frame);
	ck_assert_int_eq(frame.message.rows, 1);
	ck_assert_int_eq(frame.body.rows, 4);
	layout_frame(39, 24, false, &frame);
	ck_assert(rect_empty(frame.body));
	ck_assert(!rect_empty(frame.message));
	layout_frame(80, 7, true, &frame);
	ck_assert(rect_empty(frame.body));
	ck_assert_int_eq(frame.message.row, 0);
}

/* Whatever gives way: of no screen what it is for. Above all, nothing is typed to start a copy
 * without what is erased beside it. */
TEST(test_what_matters)
{
	for (int cols = LAYOUT_MIN_COLS; cols <= COLS; cols++)
		for (int rows = LAYOUT_MIN_ROWS; rows <= ROWS; rows++) {
			struct layout_frame frame;
			struct layout_disks disks;
			struct layout_ranges ranges;
			struct layout_plan plan;
			struct layout_run run;
			struct layout_report report;
			struct layout_bench bench;
			struct layout_map map;

			layout_frame(cols, rows, (cols + rows) & 1, &frame);
			ck_assert_int_ge(frame.body.rows, 4);
			ck_assert(!rect_empty(frame.message) && !rect_empty(frame.footer));
			layout_plan(frame.body, 6 + cols % 3, rows & 1, 1 + (cols * 7 + rows) % 60,
				    (cols + rows) % 130, &plan);
			ck_assert_int_ge(plan.ends.rows, 1);
			ck_assert_int_ge(plan.list.rows, 1);
			ck_assert_int_eq(plan.start.rows, 2);
			layout_disks(frame.body, 6, &disks);
			ck_assert_int_ge(disks.list.rows, 3);
			layout_ranges(frame.body, 6, &ranges);
			ck_assert(!rect_empty(ranges.list) && !rect_empty(ranges.field) &&
				  !rect_empty(ranges.error));
			layout_run(frame.body, &run);
			ck_assert_int_ge(run.head.rows, layout_is_small(frame.body) ? 4 : 6);
			layout_report(frame.body, &report);
			ck_assert_int_ge(report.text.rows, 4);
			layout_bench(frame.body, true, &bench);
			ck_assert_int_ge(bench.table.rows, 1);
			layout_map(frame.body, 3, &map);
			ck_assert(!rect_empty(map.cells) && !rect_empty(map.areas));
		}
}

/* The detail of a disk keeps its place however many disks there are. */
TEST(test_disks_narrow)
{
	struct layout_frame frame;
	struct layout_disks disks;

	for (int banner = 0; banner <= 1; banner++) {
		layout_frame(80, 24, banner, &frame);
		for (int wanted = 0; wanted < 300; wanted++) {
			layout_disks(frame.body, wanted, &disks);
			ck_assert_int_ge(disks.detail.rows, 9);
			ck_assert_int_ge(disks.list.rows, wanted < 7 ? (wanted ? wanted : 1) : 7);
			ck_assert(!rect_empty(disks.legend));
			ck_assert(rect_empty(disks.source));
		}
	}
}

TEST(test_disks_wide)
{
	struct layout_frame frame;
	struct layout_disks disks;

	layout_frame(120, 40, false, &frame);
	layout_disks(frame.body, 6, &disks);
	ck_assert_int_eq(disks.list.rows, 6);
	ck_assert_int_ge(disks.source.rows, 12);
	ck_assert_int_eq(disks.source.rows, disks.destination.rows);
	ck_assert_int_ge(disks.events.rows, 4);
	layout_disks(frame.body, 200, &disks);
	ck_assert_int_ge(disks.list.rows, 18);
	ck_assert_int_ge(disks.source.rows, 12);
	/* More room makes panes grow. */
	layout_frame(200, 60, false, &frame);
	layout_disks(frame.body, 200, &disks);
	ck_assert_int_ge(disks.list.rows, 38);
	ck_assert_int_ge(disks.source.cols, 96);
}

TEST(test_cut)
{
	struct rect rest = { 2, 3, 10, 20 };
	struct rect cut = rect_cut_top(&rest, 4);

	ck_assert_int_eq(cut.row, 2);
	ck_assert_int_eq(cut.rows, 4);
	ck_assert_int_eq(rest.row, 6);
	cut = rect_cut_bottom(&rest, 2);
	ck_assert_int_eq(cut.row, 10);
	cut = rect_cut_right(&rest, 5);
	ck_assert_int_eq(cut.col, 18);
	cut = rect_cut_left(&rest, 100);
	ck_assert_int_eq(cut.cols, 15);
	ck_assert(rect_empty(rest));
	cut = rect_cut_top(&rest, -1);
	ck_assert_int_eq(cut.rows, 0);
	ck_assert(rect_empty(rect_inside((struct rect){ 0, 0, 1, 50 })));
	cut = rect_centre((struct rect){ 1, 0, 21, 80 }, 5, 40);
	ck_assert_int_eq(cut.row, 9);
	ck_assert_int_eq(cut.col, 20);
	cut = rect_centre((struct rect){ 1, 0, 3, 10 }, 5, 40);
	ck_assert_int_eq(cut.rows, 3);
	ck_assert_int_eq(cut.cols, 10);
}

TEST(test_scroll)
{
	/* Everything fits. */
	ck_assert_int_eq(layout_scroll(3, 2, 5, 10), 0);
	/* As little as possible. */
	ck_assert_int_eq(layout_scroll(0, 9, 100, 10), 0);
	ck_assert_int_eq(layout_scroll(0, 10, 100, 10), 1);
	ck_assert_int_eq(layout_scroll(50, 49, 100, 10), 49);
	/* No blank lines at the end. */
	ck_assert_int_eq(layout_scroll(99, 99, 100, 10), 90);
	ck_assert_int_eq(layout_scroll(95, 96, 100, 10), 90);
	ck_assert_int_eq(layout_scroll(5, 5, 100, 0), 0);
}

/* Rows of a list of 30 where 10 fit: where the cursor (of a text: the first line) goes from `at`.
 */
TEST(test_list_moves)
{
	static const struct {
		bool text;
		int at;
		enum command command;
		int wanted, top;
	} rows[] = {
		{ false, 0, COMMAND_UP, 0, 0 },         { false, 0, COMMAND_DOWN, 1, 0 },
		{ false, 29, COMMAND_DOWN, 29, 20 },    { false, 3, COMMAND_PAGE_DOWN, 12, 3 },
		{ false, 25, COMMAND_PAGE_UP, 16, 16 }, { false, 5, COMMAND_LAST, 29, 20 },
		{ false, 29, COMMAND_FIRST, 0, 0 },     { true, 0, COMMAND_UP, 0, 0 },
		{ true, 0, COMMAND_PAGE_DOWN, 9, 9 },   { true, 15, COMMAND_PAGE_DOWN, 20, 20 },
		{ true, 4, COMMAND_LAST, 20, 20 },      { true, 20, COMMAND_DOWN, 20, 20 },
	};
	struct list none = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct list list = { .at = rows[i].at, .text = rows[i].text };

		list_fit(&list, 30, 10);
		ck_assert(list_move(&list, rows[i].command));
		list_fit(&list, 30, 10);
		ck_assert_int_eq(list.at, rows[i].wanted);
		ck_assert_int_eq(list.top, rows[i].top);
	}
	/* Rows that went take the cursor with them; in a list of none there is a place for it. */
	list_fit(&none, 30, 10);
	list_move(&none, COMMAND_LAST);
	list_fit(&none, 5, 10);
	ck_assert_int_eq(none.at, 4);
	list_fit(&none, 0, 10);
	list_move(&none, COMMAND_DOWN);
	ck_assert_int_eq(none.at, 0);
	ck_assert(!list_move(&none, COMMAND_ACCEPT));
}
