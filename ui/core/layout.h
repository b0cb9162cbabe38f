/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where things go: rectangles as a pure function of the terminal's size. No
 * curses here, so that every size can be tested.
 *
 * Rules every layout keeps (tests/unit/ui/test_layout.c proves them for all
 * sizes from 1x1 to 250x100): rectangles lie inside the screen and do not
 * overlap; one that has no room is empty (rows or cols 0), never negative;
 * between 80x24 and 120x40 text keeps its place, above that panes grow. Below
 * 80x24, down to 40x8, each screen keeps what matters first.
 *
 * A screen's layout is a struct made of rects only, filled by
 * layout_NAME(), which stands with the drawing of that screen.
 */
#pragma once

#include <stdbool.h>

#define LAYOUT_MIN_COLS  40
#define LAYOUT_MIN_ROWS  8
#define LAYOUT_FULL_COLS 80
#define LAYOUT_FULL_ROWS 24
#define LAYOUT_WIDE_COLS 120

struct rect {
	int row, col, rows, cols;
};

static inline bool rect_empty(struct rect r)
{
	return r.rows <= 0 || r.cols <= 0;
}

/* Cuts `rows` lines off the top (bottom) of *rest and returns them: fewer, down to none, when
 * there are fewer. */
struct rect rect_cut_top(struct rect *rest, int rows);
struct rect rect_cut_bottom(struct rect *rest, int rows);
/* The same with columns off the left (right). */
struct rect rect_cut_left(struct rect *rest, int cols);
struct rect rect_cut_right(struct rect *rest, int cols);
/* Inside of a box; empty when the box is smaller than 2x2. */
struct rect rect_inside(struct rect box);
/* A rectangle of the wanted size in the middle of `outer`, cut to fit into it. */
struct rect rect_centre(struct rect outer, int rows, int cols);
/* The first line to show of a list of `count` lines so that `cursor` is visible in `rows`
 * lines, moving `top` as little as possible. */
int layout_scroll(int top, int cursor, int count, int rows);

/* What surrounds each of the screens. */
struct layout_frame {
	struct rect header;  /* name, tabs, host */
	struct rect banner;  /* practice mode; empty otherwise */
	struct rect body;    /* the screen's own */
	struct rect message; /* the newest message: two lines where it is narrow */
	struct rect footer;  /* keys */
};

static inline bool layout_too_small(int cols, int rows)
{
	return cols < LAYOUT_MIN_COLS || rows < LAYOUT_MIN_ROWS;
}

/* Is the body of a screen smaller than that of 80x24 below a banner? */
static inline bool layout_is_small(struct rect body)
{
	return body.cols < LAYOUT_FULL_COLS || body.rows < LAYOUT_FULL_ROWS - 4;
}

/* Also for sizes that are too small: then everything but `message` is empty. */
void layout_frame(int cols, int rows, bool banner, struct layout_frame *ret);
