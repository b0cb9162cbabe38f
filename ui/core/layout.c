/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/layout.h"

static int at_most(int value, int limit)
{
	if (value > limit)
		value = limit;
	return value > 0 ? value : 0;
}

struct rect rect_cut_top(struct rect *rest, int rows)
{
	struct rect cut = *rest;

	cut.rows = at_most(rows, rest->rows);
	rest->row += cut.rows;
	rest->rows -= cut.rows;
	return cut;
}

struct rect rect_cut_bottom(struct rect *rest, int rows)
{
	struct rect cut = *rest;

	cut.rows = at_most(rows, rest->rows);
	rest->rows -= cut.rows;
	cut.row = rest->row + rest->rows;
	return cut;
}

struct rect rect_cut_left(struct rect *rest, int cols)
{
	struct rect cut = *rest;

	cut.cols = at_most(cols, rest->cols);
	rest->col += cut.cols;
	rest->cols -= cut.cols;
	return cut;
}

struct rect rect_cut_right(struct rect *rest, int cols)
{
	struct rect cut = *rest;

	cut.cols = at_most(cols, rest->cols);
	rest->cols -= cut.cols;
	cut.col = rest->col + rest->cols;
	return cut;
}

struct rect rect_inside(struct rect box)
{
	if (box.rows < 2 || box.cols < 2)
		return (struct rect){ box.row, box.col, 0, 0 };
	return (struct rect){ box.row + 1, box.col + 1, box.rows - 2, box.cols - 2 };
}

struct rect rect_centre(struct rect outer, int rows, int cols)
{
	struct rect r = { .rows = at_most(rows, outer.rows), .cols = at_most(cols, outer.cols) };

	r.row = outer.row + (outer.rows > r.rows ? (outer.rows - r.rows) / 2 : 0);
	r.col = outer.col + (outer.cols > r.cols ? (outer.cols - r.cols) / 2 : 0);
	return r;
}

int layout_scroll(int top, int cursor, int count, int rows)
{
	if (rows <= 0 || count <= rows)
		return 0;
	if (cursor < top)
		top = cursor;
	if (cursor >= top + rows)
		top = cursor - rows + 1;
	if (top > count - rows)
		top = count - rows;
	return top > 0 ? top : 0;
}

void layout_frame(int cols, int rows, bool banner, struct layout_frame *ret)
{
	struct rect rest = { 0, 0, at_most(rows, rows), at_most(cols, cols) };

	*ret = (struct layout_frame){ 0 };
	if (layout_too_small(cols, rows)) {
		ret->message = rect_cut_top(&rest, 2);
		return;
	}
	ret->header = rect_cut_top(&rest, 1);
	if (banner)
		ret->banner = rect_cut_top(&rest, 1);
	ret->footer = rect_cut_bottom(&rest, 1);
	ret->message = rect_cut_bottom(&rest, cols < LAYOUT_FULL_COLS && rows >= 12 ? 2 : 1);
	ret->body = rest;
}
