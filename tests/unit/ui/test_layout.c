/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame, the disks screen and the arithmetic of rectangles. */
#include "unit.h"

#include "ui/disks/screen.h"
#include "ui/widgets/list.h"

#include "layout_check.h"

START_TEST(test_all_sizes)
{
	for (int cols = 1; cols <= 250; cols++) {
		for (int rows = 1; rows <= 100; rows++) {
			struct rect screen = { 0, 0, rows, cols };
			struct layout_frame frame;
			struct layout_disks disks;

			layout_frame(cols, rows, (cols + rows) & 1, &frame);
			CHECK(frame, screen);
			layout_disks(frame.body, (cols * rows) % 210, &disks);
			CHECK(disks, frame.body);
			/* Also for bodies that the frame would never make. */
			layout_disks(screen, (cols * 3 + rows) % 210, &disks);
			CHECK(disks, screen);
		}
	}
}
END_TEST

START_TEST(test_frame)
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
	layout_frame(79, 24, false, &frame);
	ck_assert(rect_empty(frame.body));
	ck_assert(!rect_empty(frame.message));
	layout_frame(80, 23, true, &frame);
	ck_assert(rect_empty(frame.body));
	ck_assert_int_eq(frame.message.row, 0);
}
END_TEST

/* The detail of a disk keeps its place however many disks there are. */
START_TEST(test_disks_narrow)
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
END_TEST

START_TEST(test_disks_wide)
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
END_TEST

START_TEST(test_cut)
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
END_TEST

START_TEST(test_scroll)
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
END_TEST

/* Rows of a list of 30 where 10 fit: where the cursor (of a text: the first line) goes from `at`.
 */
START_TEST(test_list_moves)
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
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("ui/layout");
	TCase *tests = tcase_create("layout");

	tcase_add_test(tests, test_all_sizes);
	tcase_add_test(tests, test_frame);
	tcase_add_test(tests, test_disks_narrow);
	tcase_add_test(tests, test_disks_wide);
	tcase_add_test(tests, test_cut);
	tcase_add_test(tests, test_scroll);
	tcase_add_test(tests, test_list_moves);
	suite_add_tcase(suite, tests);
	return suite;
}
