/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/widgets/map_layout.h"

#define WHY_ROWS 2

void layout_map(struct rect body, int areas, struct layout_map *ret)
{
	struct rect rest = body;
	/* A third of the pane at most: the map is what was asked for. */
	int rows = body.rows / 3 < areas ? body.rows / 3 : areas;

	*ret = (struct layout_map){ .heading = rect_cut_top(&rest, 1) };
	rect_cut_left(&rest, 1);
	rect_cut_right(&rest, 1);
	ret->keys = rect_cut_bottom(&rest, 1);
	ret->legend = rect_cut_bottom(&rest, 1);
	if (areas > 0) {
		ret->why = rect_cut_bottom(&rest, WHY_ROWS);
		ret->areas = rect_cut_bottom(&rest, rows > 0 ? rows : 1);
		ret->columns = rect_cut_bottom(&rest, 1);
	}
	ret->cell = rect_cut_bottom(&rest, 1);
	ret->cells = rest;
}
