/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules that every layout keeps: nothing outside, nothing on top of another. */
#ifndef CLONEDECK_TESTS_UNIT_UI_LAYOUT_CHECK_H
#define CLONEDECK_TESTS_UNIT_UI_LAYOUT_CHECK_H

#include <check.h>
#include <stddef.h>

#include "ui/core/layout.h"

static inline void check_rects(const struct rect *rects, size_t count, struct rect body,
			       const char *what)
{
	for (size_t i = 0; i < count; i++) {
		struct rect a = rects[i];

		if (a.rows < 0 || a.cols < 0)
			ck_abort_msg("%s: rect %zu negative in %dx%d", what, i, body.cols,
				     body.rows);
		if (rect_empty(a))
			continue;
		if (a.row < body.row || a.col < body.col || a.row + a.rows > body.row + body.rows ||
		    a.col + a.cols > body.col + body.cols)
			ck_abort_msg("%s: rect %zu outside of %dx%d", what, i, body.cols,
				     body.rows);
		for (size_t j = 0; j < i; j++) {
			struct rect b = rects[j];

			if (rect_empty(b))
				continue;
			if (a.row + a.rows > b.row && b.row + b.rows > a.row &&
			    a.col + a.cols > b.col && b.col + b.cols > a.col)
				ck_abort_msg("%s: rects %zu and %zu overlap in %dx%d", what, i, j,
					     body.cols, body.rows);
		}
	}
}

/* A layout is made of rects only, so it can be walked as an array of them. */
#define CHECK(layout, body)                                                                        \
	check_rects((const struct rect *)&(layout), sizeof(layout) / sizeof(struct rect), body,    \
		    #layout)

#endif
