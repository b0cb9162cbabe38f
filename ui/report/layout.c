/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/report/layout.h"

#define GRAPH_COLS 38
#define GRAPH_ROWS 10
#define MAP_ROWS   4
/* Rows of the body from which on there is a place for the map. */
#define TALL_ROWS 34

void layout_report(struct rect body, struct layout_report *ret)
{
	struct rect rest = body;

	*ret = (struct layout_report){ 0 };
	if (body.rows >= TALL_ROWS) {
		ret->map = rect_cut_bottom(&rest, MAP_ROWS + (body.rows - TALL_ROWS) / 4);
		rect_cut_bottom(&rest, 1);
	}
	if (body.cols >= LAYOUT_WIDE_COLS) {
		struct rect right =
			rect_cut_right(&rest, GRAPH_COLS + (body.cols - LAYOUT_WIDE_COLS) / 3);

		rect_cut_right(&rest, 1);
		ret->graph = rect_cut_top(&right, GRAPH_ROWS);
	}
	ret->text = rest;
}
