/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 6 as data: which rows and columns of a result are shown where, and its chart. Pure. */
#pragma once

#include "bench/bench.h"

#include "ui/core/layout.h"
#include "ui/core/line.h"

#define BENCH_CELL_COLS 12

/* The index in result->rows of row `at` of the table; negative: there is none. */
int bench_row_at(const struct bench_result *result, unsigned table, int at);

/* The label and, from column `first` on, as many columns as fit, right-aligned, each at least
 * BENCH_CELL_COLS wide; row negative: their headings, the chosen one in brackets. */
void bench_text_row(const struct bench_result *result, unsigned table, int row, unsigned first,
		    unsigned chosen, struct line *line);
/* The first column to show, so that the chosen one is among those that fit into `cols`. */
unsigned bench_first_column(const struct bench_result *result, unsigned table, unsigned chosen,
			    int cols);

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
