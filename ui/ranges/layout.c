/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/ranges/layout.h"

/* Everything but the list, with the blank lines between. */
#define FIXED_ROWS 13

void layout_ranges(struct rect body, int wanted, struct layout_ranges *ret)
{
	struct rect rest = body;
	int list = body.rows - FIXED_ROWS;

	if (list > wanted)
		list = wanted;
	/* A list of no lines would show nothing to choose: the map gives way first. */
	if (list < 1)
		list = 1;
	ret->title = rect_cut_top(&rest, body.rows >= FIXED_ROWS ? 2 : 1);
	ret->columns = rect_cut_top(&rest, 1);
	ret->list = rect_cut_top(&rest, list);
	rect_cut_top(&rest, rest.rows > 9 ? 1 : 0);
	ret->map = rect_cut_top(&rest, rest.rows >= 8 ? 3 : 0);
	rect_cut_top(&rest, rest.rows > 5 ? 1 : 0);
	ret->heading = rect_cut_top(&rest, 1);
	ret->field = rect_cut_top(&rest, 1);
	ret->totals = rect_cut_top(&rest, 1);
	ret->error = rect_cut_top(&rest, 1);
	ret->grammar = rect_cut_top(&rest, 1);
}
