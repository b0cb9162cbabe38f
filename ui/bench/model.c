/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/bench/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

#define LABEL_MOST 30
#define CELL_COLS  12 /* of a column, where there is room */
#define BESIDE     2  /* for the mark that there are more columns */
#define FOOT_ROWS  3
#define TALL_ROWS  30 /* of a screen that has room for more notes */
#define CHART_ROWS 8
#define SILENT     (5 * NSEC_PER_SEC) /* the user is told of it then */

int bench_row_at(const struct bench_result *result, unsigned table, int at)
{
	const struct bench_table *shown = &result->tables[table];

	return at >= 0 && at < (int)shown->row_count ? (int)shown->first_row + at : -1;
}

/* As wide as the longest; on a narrow screen it may be cut, so that there is a number beside it. */
static int label_cols(const struct bench_result *result, unsigned table, int cols)
{
	int most = cols < 2 * LABEL_MOST ? cols - 2 * CELL_COLS : LABEL_MOST, longest = 0;

	for (unsigned i = 0; i < result->tables[table].row_count; i++) {
		int width = text_width(result->rows[bench_row_at(result, table, (int)i)].label);

		longest = width > longest ? width : longest;
	}
	return longest < most ? longest : most > 0 ? most : 0;
}

/* Of each column: its figures, and its heading in brackets, as far as `heading_most` allows. */
static int cell_cols(const struct bench_result *result, struct bench_fit *fit, int least,
		     int heading_most)
{
	const struct bench_table *table = &result->tables[fit->table];
	int sum = fit->label;

	for (unsigned i = 0; i < table->column_count; i++) {
		int heading = text_width(table->columns[i].heading) + 3;

		heading = heading < heading_most ? heading : heading_most;
		fit->cells[i] = heading > least ? heading : least;
	}
	for (size_t i = 0; i < result->figure_count; i++) {
		const struct bench_figure *figure = &result->figures[i];
		char text[BENCH_TEXT_MAX];

		if (figure->table != fit->table)
			continue;
		int width = text_width(bench_print(figure->unit, figure->median, text)) + 2;

		if (width > fit->cells[figure->column])
			fit->cells[figure->column] = width;
	}
	for (unsigned i = 0; i < table->column_count; i++)
		sum += fit->cells[i];
	return sum;
}

void bench_fit(const struct bench_result *result, unsigned table, unsigned chosen, int cols,
	       struct bench_fit *ret)
{
	const unsigned count = result->tables[table].column_count;
	int room = cols - BESIDE;

	*ret = (struct bench_fit){ .table = table, .chosen = chosen, .past = count };
	ret->label = label_cols(result, table, cols);
	if (cell_cols(result, ret, CELL_COLS, cols) <= cols ||
	    cell_cols(result, ret, 0, CELL_COLS) <= cols)
		return;
	/* From the chosen one to the left, then what there is room for to the right. */
	room -= ret->label;
	ret->first = chosen;
	ret->past = chosen + 1;
	room -= ret->cells[chosen];
	while (ret->first > 0 && ret->cells[ret->first - 1] <= room)
		room -= ret->cells[--ret->first];
	while (ret->past < count && ret->cells[ret->past] <= room)
		room -= ret->cells[ret->past++];
}

static void put_heading(const struct bench_table *table, const struct bench_fit *fit, unsigned i,
			struct line *line)
{
	char text[sizeof(table->columns[i].heading) + 3];

	snprintf(text, sizeof(text), i == fit->chosen ? "[%s]" : "%s ", table->columns[i].heading);
	/* A heading may be cut, a number never is. */
	if (text_width(text) < fit->cells[i]) {
		line_put_right(line, fit->cells[i], text);
		return;
	}
	line_put(line, 1, "");
	line_put(line, fit->cells[i] - 1, text);
}

void bench_text_row(const struct bench_result *result, const struct bench_fit *fit, int row,
		    struct line *line)
{
	const struct bench_table *table = &result->tables[fit->table];
	char text[BENCH_TEXT_MAX];

	line_put(line, fit->label, row >= 0 ? result->rows[row].label : fit->first > 0 ? "<" : "");
	for (unsigned i = fit->first; i < fit->past; i++) {
		const struct bench_figure *figure =
			row < 0 ? NULL : bench_result_find(result, (unsigned)row, i);

		if (row < 0)
			put_heading(table, fit, i, line);
		else
			line_put_right(line, fit->cells[i],
				       figure ? bench_print(figure->unit, figure->median, text)
					      : "-");
	}
	if (row < 0 && fit->past < table->column_count)
		line_put(line, BESIDE, " >");
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
