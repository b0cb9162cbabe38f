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
	ret->message = rect_cut_bottom(&rest, 1);
	ret->body = rest;
}

/* Lines of one detail pane without its title or border. */
#define DETAIL_LINES 8
#define DETAIL_MORE  2 /* where there is room: long tables, notes */
#define BOX_LINES    11
/* Fewer disks than this at once make a list hard to read. */
#define LIST_LINES  4
#define EVENT_LINES 4

void layout_disks(struct rect body, int wanted, struct layout_disks *ret)
{
	struct rect rest = body, bottom;
	bool wide = body.cols >= LAYOUT_WIDE_COLS;
	int detail = wide ? BOX_LINES + 2 : DETAIL_LINES + 1;
	int list;

	*ret = (struct layout_disks){ 0 };
	ret->columns = rect_cut_top(&rest, 1);
	if (wanted < 1)
		wanted = 1;
	/* The detail pane always has its place; the list takes what is left, but not more than
	 * it needs, so that the rest stands close below it. */
	list = rest.rows - detail - 3;
	if (list < LIST_LINES)
		list = LIST_LINES;
	if (list > wanted)
		list = wanted;
	ret->list = rect_cut_top(&rest, list);
	/* In narrow screens the legend takes two lines, and leaves the end of the second one. */
	if (wide)
		ret->place = rect_cut_top(&rest, 1);
	ret->legend = rect_cut_top(&rest, 1);
	if (!wide) {
		ret->marks = rect_cut_top(&rest, 1);
		ret->place = rect_cut_right(&ret->marks, 22);
	}
	if (wide)
		rect_cut_top(&rest, 1);
	if (rest.rows >= detail + DETAIL_MORE + EVENT_LINES)
		detail += DETAIL_MORE;
	bottom = rect_cut_top(&rest, detail);
	if (wide) {
		int half = (bottom.cols - 3) / 2;

		rect_cut_left(&bottom, 1);
		ret->source = rect_cut_left(&bottom, half);
		rect_cut_left(&bottom, 1);
		ret->destination = bottom;
		rect_cut_right(&ret->destination, 1);
	} else {
		/* What is too little for another pane makes this one larger. */
		if (rest.rows < EVENT_LINES)
			bottom.rows += rect_cut_top(&rest, rest.rows).rows;
		ret->detail = bottom;
	}
	if (rest.rows >= EVENT_LINES) {
		rect_cut_top(&rest, 1);
		ret->events = rest;
	}
}
