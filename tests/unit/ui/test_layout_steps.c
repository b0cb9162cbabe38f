/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screens 2 to 5 at every size: nothing outside, nothing on top of another. */
#include "unit.h"

#include "ui/widgets/map_pane.h"
#include "ui/plan/screen.h"
#include "ui/ranges/screen.h"
#include "ui/report/model.h"
#include "ui/run/screen.h"

#include "layout_check.h"

#define COLS 250
#define ROWS 100

START_TEST(test_all_sizes)
{
	for (int cols = 1; cols <= COLS; cols++)
		for (int rows = 1; rows <= ROWS; rows++) {
			struct rect body = { 1, 0, rows, cols };
			struct layout_ranges ranges;
			struct layout_plan plan;
			struct layout_run run;
			struct layout_report report;
			struct layout_map map;

			layout_map(body, (cols * 3 + rows) % 70, &map);
			CHECK(map, body);
			layout_ranges(body, 1 + (cols * rows) % 200, &ranges);
			CHECK(ranges, body);
			layout_plan(body, rows & 1, (cols * 7 + rows) % 60, (cols + rows) % 130,
				    &plan);
			CHECK(plan, body);
			layout_run(body, &run);
			CHECK(run, body);
			layout_report(body, &report);
			CHECK(report, body);
		}
}
END_TEST

/* Everything that the mock-ups have at 80x24 and 120x40 has its place, also below the banner of
 * practice mode. */
START_TEST(test_nothing_missing)
{
	for (int big = 0; big < 2; big++)
		for (int banner = 0; banner < 2; banner++) {
			struct rect body = { 1, 0, (big ? 37 : 21) - banner, big ? 120 : 80 };
			struct layout_ranges ranges;
			struct layout_plan plan;
			struct layout_run run;
			struct layout_report report;

			layout_ranges(body, 6, &ranges);
			ck_assert_int_eq(ranges.list.rows, 6);
			ck_assert_int_eq(ranges.map.rows, 3);
			ck_assert(!rect_empty(ranges.field) && !rect_empty(ranges.error) &&
				  !rect_empty(ranges.grammar) && !rect_empty(ranges.totals));
			layout_ranges(body, 130, &ranges);
			ck_assert_int_ge(ranges.list.rows, 7);

			layout_plan(body, true, 6, 3, &plan);
			ck_assert_int_eq(plan.ends.rows, 4);
			ck_assert_int_eq(plan.picture.rows, 5);
			ck_assert_int_eq(plan.start.rows, 2);
			ck_assert_int_ge(plan.list.rows, 6);
			ck_assert_int_eq(rect_empty(plan.files), !big);
			ck_assert_int_eq(rect_empty(plan.lost), !big);

			layout_run(body, &run);
			ck_assert_int_eq(run.head.rows, 3);
			ck_assert_int_ge(run.graph.rows, 8);
			ck_assert_int_ge(run.latency.rows, 8);
			ck_assert_int_ge(run.latency.cols, 38);
			ck_assert_int_ge(run.cpu.rows, 6);
			ck_assert_int_ge(run.queues.rows, 6);
			ck_assert_int_ge(run.map.rows, 2);
			ck_assert_int_eq(rect_empty(run.events), !big);
			ck_assert_int_eq(rect_empty(run.status), big);
			ck_assert_int_eq(rect_empty(run.alarm), !big);

			layout_report(body, &report);
			ck_assert_int_ge(report.text.rows, 20);
			ck_assert_int_eq(rect_empty(report.graph), !big);
			ck_assert_int_eq(rect_empty(report.map), !big);
		}
}
END_TEST

/* Below the head of screen 4, too: a map worth looking at, every bad area within reach. */
START_TEST(test_map_has_room)
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
END_TEST

/* More room is never less of anything. */
START_TEST(test_panes_grow)
{
	struct layout_run before, now;

	layout_run((struct rect){ 1, 0, 37, 120 }, &before);
	for (int rows = 38; rows <= ROWS; rows++) {
		layout_run((struct rect){ 1, 0, rows, 120 }, &now);
		ck_assert_int_ge(now.graph.rows, before.graph.rows);
		ck_assert_int_ge(now.map.rows, before.map.rows);
		ck_assert_int_ge(now.events.rows, before.events.rows);
		before = now;
	}
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("ui/layout_steps");
	TCase *tcase = tcase_create("sizes");

	tcase_add_test(tcase, test_all_sizes);
	tcase_add_test(tcase, test_nothing_missing);
	tcase_add_test(tcase, test_map_has_room);
	tcase_add_test(tcase, test_panes_grow);
	suite_add_tcase(suite, tcase);
	return suite;
}
