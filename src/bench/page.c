/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result as a page: its tables, and a chart above each that is a curve. */
#include "bench/render.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "report/json.h"
#include "report/template.h"

static const char template[] = {
#include "bench/bench.html.inc"
	'\0'
};

/* Of a chart, as the template draws it: a curve lies between LEFT and LEFT + WIDE, and between TOP
 * and FOOT. */
#define LEFT    110
#define WIDE    860
#define TOP     14
#define FOOT    204
#define MARKS   9 /* labels below it */
#define COLOURS 8

/* ---- charts ---- */

struct chart {
	const struct bench_result *result;
	const struct bench_table *table;
	enum bench_unit unit;
	double most;
};

/* Of a row of the table. Negative: not measured. */
static double value_at(const struct chart *chart, unsigned row, unsigned column, bool then)
{
	const struct bench_figure *figure =
		bench_result_find(chart->result, chart->table->first_row + row, column);

	return !figure ? -1 : then ? figure->before : figure->median;
}

static int x_of(const struct chart *chart, unsigned row)
{
	unsigned last = chart->table->row_count - 1;

	return LEFT + (int)(last ? WIDE * row / last : 0);
}

/* As a path of SVG; it breaks where nothing was measured. NULL: nothing was, or no memory. */
static char *curve(const struct chart *chart, unsigned column, bool then)
{
	char *path = NULL, letter = 'M';
	size_t size = 0;
	FILE *file = open_memstream(&path, &size);

	for (unsigned i = 0; file && i < chart->table->row_count; i++) {
		double value = value_at(chart, i, column, then);
		double share = value / chart->most;

		if (value >= 0)
			fprintf(file, "%c%d %d", letter, x_of(chart, i),
				FOOT - (int)(share * (FOOT - TOP)));
		letter = value >= 0 ? 'L' : 'M';
	}
	if (file && fclose(file) == 0 && size > 0)
		return path;
	free(path);
	return NULL;
}

static void add_curves(const struct chart *chart, unsigned table, json_object *lines,
		       json_object *names)
{
	for (unsigned c = 0; c < chart->table->column_count; c++) {
		if (bench_result_unit(chart->result, table, c) != chart->unit)
			continue;
		json_object *name = json_object_new_object();

		json_object_object_add(name, "colour", json_object_new_int((int)c % COLOURS));
		json_add_text(name, "name", chart->table->columns[c].heading);
		json_object_array_add(names, name);
		for (int then = 0; then < 2; then++) {
			CLEANUP(free) char *path = curve(chart, c, then);
			json_object *line = path ? json_object_new_object() : NULL;

			if (!line)
				continue;
			json_object_object_add(line, "colour",
					       json_object_new_int((int)c % COLOURS));
			json_object_object_add(line, "then", json_object_new_boolean(then));
			json_add_text(line, "path", path);
			json_object_array_add(lines, line);
		}
	}
}

/* Labels of rows, as many as there is room for. */
static json_object *marks(const struct chart *chart)
{
	json_object *list = json_object_new_array();
	unsigned count = chart->table->row_count, step = (count + MARKS - 1) / MARKS;

	for (unsigned i = 0; i < count; i += step) {
		json_object *mark = json_object_new_object();
		const char *label = chart->result->rows[chart->table->first_row + i].label;

		json_object_object_add(mark, "x", json_object_new_int(x_of(chart, i)));
		/* Of "12.5 %  250G", the place. */
		json_add_text(mark, "label", strstr(label, "  ") ? strrchr(label, ' ') + 1 : label);
		json_object_array_add(list, mark);
	}
	return list;
}

/* Of the columns that have the unit of the first; NULL: the table is no curve, or empty. */
static json_object *page_chart(const struct bench_result *result, unsigned table)
{
	struct chart chart = { .result = result,
			       .table = &result->tables[table],
			       .unit = BENCH_UNIT_COUNT };
	json_object *object, *lines, *names;

	for (unsigned c = 0; c < chart.table->column_count && chart.unit == BENCH_UNIT_COUNT; c++)
		chart.unit = bench_result_unit(result, table, c);
	for (size_t i = 0; i < result->figure_count; i++) {
		const struct bench_figure *figure = &result->figures[i];

		if (figure->table == table && figure->unit == chart.unit)
			chart.most = fmax(chart.most, fmax(figure->before, figure->median));
	}
	if (!chart.table->chart || chart.most <= 0)
		return NULL;
	object = json_object_new_object();
	lines = json_object_new_array();
	names = json_object_new_array();
	add_curves(&chart, table, lines, names);
	json_add_text(object, "most", BENCH_PRINT(chart.unit, chart.most));
	json_add_text(object, "half", BENCH_PRINT(chart.unit, chart.most / 2));
	json_object_object_add(object, "lines", lines);
	json_object_object_add(object, "names", names);
	json_object_object_add(object, "marks", marks(&chart));
	return object;
}

/* ---- tables ---- */

/* The largest of a column, for the bars in its cells; 0: they are not of one kind, or few. */
#define BARS_LEAST 4
static double longest(const struct bench_result *result, unsigned table, unsigned column)
{
	enum bench_unit unit = bench_result_unit(result, table, column);
	unsigned count = 0;
	double most = 0;

	for (size_t i = 0; i < result->figure_count; i++) {
		const struct bench_figure *figure = &result->figures[i];

		if (figure->table != table || figure->column != column)
			continue;
		if (figure->unit != unit || unit == BENCH_COUNT)
			return 0;
		most = fmax(most, figure->median);
		count++;
	}
	return count < BARS_LEAST || result->tables[table].chart ? 0 : most;
}

static json_object *page_cell(const struct bench_result *result, unsigned row, unsigned column,
			      double most)
{
	const struct bench_figure *figure = bench_result_find(result, row, column);
	json_object *cell = json_object_new_object();
	char words[BENCH_TEXT_MAX] = "-", more[160] = "";

	if (figure)
		bench_print(figure->unit, figure->median, words);
	if (figure && figure->smallest < figure->largest)
		text_join(more, sizeof(more), _("%s to %s"),
			  BENCH_PRINT(figure->unit, figure->smallest),
			  BENCH_PRINT(figure->unit, figure->largest));
	if (figure && figure->before >= 0)
		text_join(more, sizeof(more), _("before: %s"),
			  BENCH_PRINT(figure->unit, figure->before));
	json_add_text(cell, "text", words);
	json_add_text(cell, "more", more);
	json_object_object_add(cell, "bar",
			       figure && most > 0
				       ? json_object_new_int((int)(figure->median / most * 100))
				       : NULL);
	return cell;
}

static json_object *page_table(const struct bench_result *result, unsigned index)
{
	const struct bench_table *table = &result->tables[index];
	json_object *object = json_object_new_object(), *headings = json_object_new_array();
	json_object *rows = json_object_new_array();
	double most[BENCH_COLUMNS_MAX];
	char how[240];

	for (unsigned c = 0; c < table->column_count; c++) {
		json_object_array_add(headings, json_object_new_string(table->columns[c].heading));
		most[c] = longest(result, index, c);
	}
	for (unsigned i = table->first_row; i < table->first_row + table->row_count; i++) {
		json_object *row = json_object_new_object(), *cells = json_object_new_array();

		for (unsigned c = 0; c < table->column_count; c++)
			json_object_array_add(cells, page_cell(result, i, c, most[c]));
		json_add_text(row, "label", result->rows[i].label);
		json_object_object_add(row, "cells", cells);
		json_object_array_add(rows, row);
	}
	json_add_text(object, "title", table->title);
	json_object_object_add(object, "chart", page_chart(result, index));
	json_object_object_add(object, "headings", headings);
	json_object_object_add(object, "rows", rows);
	json_add_text(object, "how", bench_print_table_how(result, index, how, sizeof(how)));
	return object;
}

int bench_page(const struct bench_result *result, FILE *file)
{
	const struct identity *identity = &result->identity;
	json_object *page = json_object_new_object(), *tables = json_object_new_array();
	json_object *notes = json_object_new_array();
	char disk[400], before[340] = "";

	snprintf(disk, sizeof(disk), "%s %s %s", result->node, identity->model, identity->serial);
	if (result->before[0])
		snprintf(before, sizeof(before), _("before: %s"), result->before);
	for (unsigned i = 0; i < result->table_count; i++)
		json_object_array_add(tables, page_table(result, i));
	if (result->end == BENCH_FAILED)
		json_object_array_add(notes, json_object_new_string(result->error.sentence));
	else if (result->end != BENCH_COMPLETE)
		json_object_array_add(notes, json_object_new_string(bench_print_end(result->end)));
	for (unsigned i = 0; i < result->note_count; i++)
		json_object_array_add(notes, json_object_new_string(result->notes[i]));
	/* The language of the page, for whoever reads it aloud. */
	json_add_text(page, "lang", _("en"));
	json_add_text(page, "kind", result->kind);
	json_add_text(page, "title", result->title);
	json_add_text(page, "disk", disk);
	json_object_object_add(page, "started", report_json_time(result->started));
	json_add_text(page, "machine", result->machine);
	json_add_text(page, "before", before);
	json_add_text(page, "earlier", result->before[0] ? _("before") : "");
	json_add_text(page, "conclusion", result->conclusion);
	json_object_object_add(page, "notes", notes);
	json_object_object_add(page, "tables", tables);
	int r = template_render(template, page, file);

	json_object_put(page);
	return r;
}
