/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/run/layout.h"

#define HEAD_ROWS 3
/* The boxes with their frames, and the map with its heading, in 21 rows … */
#define TOP_ROWS 8
#define MID_ROWS 6
#define MAP_ROWS 3
/* … and in 36. */
#define TALL_BODY     36
#define TALL_TOP_ROWS 12
#define TALL_MID_ROWS 9
#define TALL_MAP_ROWS 5
#define TALL_EVENTS   5

static void boxes(struct rect *rest, int rows, struct rect *left, struct rect *right)
{
	struct rect both = rect_cut_top(rest, rows);
	int right_cols = both.cols >= LAYOUT_WIDE_COLS ? 44 : 38;

	/* Very wide screens give the figures some air and the graph the rest. */
	if (both.cols > 160)
		right_cols = 56;
	*right = rect_cut_right(&both, right_cols);
	*left = both;
}

void layout_run(struct rect body, struct layout_run *ret)
{
	struct rect rest = body;
	int top = TOP_ROWS, mid = MID_ROWS, map = MAP_ROWS, events = 0;

	*ret = (struct layout_run){ .head = rect_cut_top(&rest, HEAD_ROWS) };
	if (body.rows >= TALL_BODY) {
		/* Of four more rows two go to the graph, one to the map, one to the events: in
		 * this order, so that a taller screen never has less of anything. */
		int more = body.rows - TALL_BODY, four = more / 4, left = more % 4;

		ret->alarm = rect_cut_top(&rest, 1);
		top = TALL_TOP_ROWS + 2 * four + (left < 2 ? left : 2);
		mid = TALL_MID_ROWS;
		map = TALL_MAP_ROWS + four + (left == 3);
		events = TALL_EVENTS + four;
	} else {
		/* Between the two, the graph and the map take what is there. */
		int more = body.rows - HEAD_ROWS - top - mid - map - 1;

		if (more > 0) {
			top += more / 2;
			map += more - more / 2;
		}
	}
	boxes(&rest, top, &ret->graph, &ret->latency);
	boxes(&rest, mid, &ret->cpu, &ret->queues);
	if (events)
		ret->events = rect_cut_bottom(&rest, events);
	else
		ret->status = rect_cut_bottom(&rest, 1);
	ret->map = rect_cut_top(&rest, map);
}
