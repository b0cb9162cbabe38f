/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plan/layout.h"

#define ENDS_ROWS     4
#define PICTURE_ROWS  5
#define START_ROWS    2
#define FILES_COLS    44
#define FILES_ROWS    8
#define ESTIMATE_ROWS 8
/* Rows of the body from which on the list of lost partitions has a place of its own. */
#define TALL_ROWS 34

void layout_plan(struct rect body, bool picture, int checks, int lost, struct layout_plan *ret)
{
	struct rect rest = body, right;
	bool wide = body.cols >= LAYOUT_WIDE_COLS;

	*ret = (struct layout_plan){ .ends = rect_cut_top(&rest, ENDS_ROWS) };
	if (picture && rest.rows >= PICTURE_ROWS + START_ROWS + 6) {
		rect_cut_top(&rest, 1);
		ret->picture = rect_cut_top(&rest, PICTURE_ROWS);
	}
	rect_cut_top(&rest, rest.rows > START_ROWS + 3 ? 1 : 0);
	if (wide) {
		right = rect_cut_right(&rest, FILES_COLS);
		rect_cut_right(&rest, 1);
		ret->files = rect_cut_top(&right, FILES_ROWS);
		if (right.rows >= ESTIMATE_ROWS)
			ret->estimate = rect_cut_top(&right, ESTIMATE_ROWS);
	}
	ret->heading = rect_cut_top(&rest, 1);
	if (body.rows < TALL_ROWS) {
		ret->start = rect_cut_bottom(&rest, START_ROWS);
		ret->list = rest;
		return;
	}

	/* The lost list, with a blank row and its title, keeps up to a third; what the checks do
	 * not need falls to it. */
	int keep = lost ? lost + 2 : 0;

	if (keep > rest.rows / 3 && keep > rest.rows - checks - START_ROWS - 1)
		keep = rest.rows / 3;
	if (checks > rest.rows - keep - START_ROWS - 1)
		checks = rest.rows - keep - START_ROWS - 1;
	ret->list = rect_cut_top(&rest, checks);
	rect_cut_top(&rest, 1);
	ret->start = rect_cut_top(&rest, START_ROWS);
	if (!lost)
		return;
	rect_cut_top(&rest, 1);
	ret->lost = rest;
}
