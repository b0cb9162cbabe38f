/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/bench/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

#define LABEL_COLS 30
#define FOOT_ROWS  3
#define TALL_ROWS  30 /* of a screen that has room for more notes */
#define CHART_ROWS 8
#define SILENT     (5 * NSEC_PER_SEC) /* the user is told of it then */

int bench_row_at(const struct bench_result *result, unsigned table, int at)
{
	const struct bench_table *shown = &result->tables[table];

	return at >= 0 && at < (int)shown->row_count ? (int)shown->first_row + at : -1;
}

/* On a narrow screen a label may be cut, so that there is a number beside it. */
static int label_cols(int cols)
{
	return cols < 2 * LABEL_COLS ? cols - 2 * BENCH_CELL_COLS : LABEL_COLS;
}

/* Of each column: where all of them have room for it, as wide as the longest heading in brackets.
 */
static int cell_cols(const struct bench_table *table, int cols)
{
	int room = table->column_count ? (cols - label_cols(cols)) / (int)table->column_count : 0;
	int width = BENCH_CELL_COLS;

	for (unsigned i = 0; i < table->column_count; i++) {
		int heading = text_width(table->columns[i].heading) + 3;

		width = heading > width ? heading : width;
	}
	return room >= width ? width : room > BENCH_CELL_COLS ? room : BENCH_CELL_COLS;
}

static int columns_that_fit(const struct bench_table *table, int cols)
{
	int fit = (cols - label_cols(cols)) / cell_cols(table, cols);

	return fit > 1 ? fit : 1;
}

unsigned bench_first_column(const struct bench_result *result, unsigned table, unsigned chosen,
			    int cols)
{
	unsigned fit = (unsigned)columns_that_fit(&result->tables[table], cols);

	if (fit >= result->tables[table].column_count || chosen < fit)
		return 0;
	return chosen - fit + 1;
}

void bench_text_row(const struct bench_result *result, unsigned table, int row, unsigned first,
		    unsigned chosen, struct line *line)
{
	const struct bench_table *shown = &result->tables[table];
	int width = cell_cols(shown, line->limit);
	char text[BENCH_TEXT_MAX];

	line_put(line, label_cols(line->limit), row < 0 ? "" : result->rows[row].label);
	for (unsigned i = first; i < shown->column_count && line->columns + width <= line->limit;
	     i++) {
		const struct bench_figure *figure =
			row < 0 ? NULL : bench_result_find(result, (unsigned)row, i);

		if (row < 0)
			snprintf(text, sizeof(text), i == chosen ? "[%s]" : "%s ",
				 shown->columns[i].heading);
		else if (figure)
			bench_print(figure->unit, figure->median, text);
		else
			text_copy(text, sizeof(text), "-");
		/* A heading may be cut, a number never is. */
		if (row < 0 && text_width(text) >= width) {
			line_put(line, 1, "");
			line_put(line, width - 1, text);
		} else {
			line_put_right(line, width, text);
		}
	}
}

enum bench_unit bench_unit_at(const struct bench_result *result, unsigned table, unsigned column,
			      int at)
{
	int row = bench_row_at(result, table, at);
	const struct bench_figure *figure =
		row < 0 ? NULL : bench_result_find(result, (unsigned)row, column);

	return figure ? figure->unit : bench_result_unit(result, table, column);
}

float bench_chart(const struct bench_result *result, unsigned table, unsigned column,
		  enum bench_unit unit, float *samples, int count)
{
	int rows = (int)result->tables[table].row_count;
	float largest = 0;

	for (int i = 0; i < count; i++) {
		int row = bench_row_at(result, table, (int)((int64_t)i * rows / count));
		const struct bench_figure *figure =
			row < 0 ? NULL : bench_result_find(result, (unsigned)row, column);

		bool shown = figure && figure->unit == unit;

		samples[i] = shown ? (float)figure->median : NAN;
		if (shown)
			largest = fmaxf(largest, samples[i]);
	}
	return largest;
}

void bench_text_state(const struct bench_result *result, const struct bench_progress *progress,
		      struct line *line)
{
	char left[UNITS_TEXT_MAX];

	line_add(line, "%s: ", result->kind);
	if (result->end == BENCH_FAILED) {
		line_fit(line, result->error.sentence);
	} else if (result->end != BENCH_RUNNING) {
		line_fit(line, bench_print_end(result->end));
	} else {
		line_add(line, "%d %%  %s", (int)(progress->done * 100), progress->what);
		if (progress->eta >= 0)
			line_piece(line, _("%s left"),
				   units_print_duration((uint64_t)progress->eta, left));
		if (progress->silent_ns > SILENT)
			line_add(line, _("  no answer for %u s"),
				 (unsigned)(progress->silent_ns / NSEC_PER_SEC));
	}
}

void layout_bench(struct rect body, bool chart, struct layout_bench *ret)
{
	struct rect rest = body;

	*ret = (struct layout_bench){ .head = rect_cut_top(&rest, 2) };
	ret->foot = rect_cut_bottom(&rest, rest.rows > TALL_ROWS       ? 2 * FOOT_ROWS
					   : rest.rows > 2 * FOOT_ROWS ? FOOT_ROWS
								       : 0);
	if (chart && rest.rows > CHART_ROWS + 3)
		ret->chart = rect_cut_top(&rest, CHART_ROWS + (rest.rows - CHART_ROWS - 3) / 3);
	ret->heading = rect_cut_top(&rest, 1);
	ret->table = rest;
}
