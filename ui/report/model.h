/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 5 as data: the report's own text, cut into lines, and its profile as
 * samples of a graph. Pure; no curses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "report/report.h"

#include "ui/core/layout.h"
#include "ui/core/line.h"
#include "ui/core/term.h"

/* Zero-initialise. */
struct report_lines {
	char *text; /* the lines point into it */
	const char **items;
	size_t count;
};

/* The report as text of at most `columns`; what was there before is released. compared: it is of
 * two ends that were only compared. */
int report_lines_make(struct report_lines *lines, const struct report *report, bool compared,
		      int columns, struct error *reterr);
void report_lines_done(struct report_lines *lines);
enum role report_result_role(const struct report *report);
/* How a line looks: the result, a heading, plain text. */
enum role report_line_role(const struct report *report, const struct report_lines *lines,
			   size_t at);

/* Throughput over what was copied, MB/s, in `count` samples: each the slowest of the parts it
 * stands for, NaN where nothing was copied. Returns the largest of all parts. */
float report_profile(const struct rates *rates, float *samples, int count);

/* Where things go on screen 5. Pure; see ui/core/layout.h for the rules. */

struct layout_report {
	struct rect text;
	struct rect graph; /* wide: box, throughput over the disk */
	struct rect map;   /* tall: with its legend */
};

void layout_report(struct rect body, struct layout_report *ret);
