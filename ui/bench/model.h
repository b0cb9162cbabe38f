/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 6 as data: which rows and columns of a result are shown where, and its chart. Pure. */
#pragma once

#include "bench/bench.h"

#include "ui/core/layout.h"
#include "ui/core/line.h"

/* The index in result->rows of row `at` of the table; negative: there is none. */
int bench_row_at(const struct bench_result *result, unsigned table, int at);

/* What of a table is shown side by side: the labels, and the columns from `first` to before `past`,
 * the chosen one among them. */
struct bench_fit {
	unsigned table, chosen, first, past;
	int label, cells[BENCH_COLUMNS_MAX]; /* widths */
};

/* Into so many screen columns. Where not all of them fit, they are only as wide as their numbers
 * and short headings need. */
void bench_fit(const struct bench_result *result, unsigned table, unsigned chosen, int cols,
	       struct bench_fit *ret);
/* The label and the figures of a row; row negative: the headings, the chosen one in brackets, and
 * '<' and '>' where more columns are beside those. */
void bench_text_row(const struct bench_result *result, const struct bench_fit *fit, int row,
		    struct line *line);

/* That of the figure in row `at` of the table, or else of any in the column: rows of one table may
 * have several. BENCH_UNIT_COUNT: there is no figure. */
enum bench_unit bench_unit_at(const struct bench_result *result, unsigned table, unsigned column,
			      int at);
/* What of the column has this unit, over the rows of its table in `count` samples, NaN elsewhere;
 * returns the largest. */
float bench_chart(const struct bench_result *result, unsigned table, unsigned column,
		  enum bench_unit unit, float *samples, int count);

/* "profile, 41 %: place 27 of 64, 0:33 left", or how it ended. */
void bench_text_state(const struct bench_result *result, const struct bench_progress *progress,
		      struct line *line);

struct layout_bench {
	struct rect head;    /* disk, and how far the measurement is */
	struct rect chart;   /* box */
	struct rect heading; /* of the table */
	struct rect table;
	struct rect foot; /* what it means */
};

/* chart: is there to be one? */
void layout_bench(struct rect body, bool chart, struct layout_bench *ret);
