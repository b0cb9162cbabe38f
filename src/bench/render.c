/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/render.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "report/json.h"
#include "report/template.h"

const char *const bench_unit_words[] = {
	[BENCH_BYTES] = "B",     [BENCH_RATE] = "B/s",          [BENCH_PER_SECOND] = "1/s",
	[BENCH_SECONDS] = "s",   [BENCH_CPU_PER_GIB] = "s/GiB", [BENCH_SHARE] = "share",
	[BENCH_COUNT] = "count",
};
const char *const bench_path_words[] = {
	[BENCH_DIRECT] = "direct", [BENCH_INDIRECT] = "indirect", [BENCH_MAPPED] = "mmap",
	[BENCH_LEFT] = "none",     [BENCH_BUFFERED] = "buffered",
};
static const char *const end_words[] = {
	[BENCH_RUNNING] = "running",       [BENCH_COMPLETE] = "complete",
	[BENCH_BAD_PLACES] = "bad-places", [BENCH_STOPPED] = "stopped",
	[BENCH_FAILED] = "failed",
};

enum exit_code bench_exit_code(const struct bench_result *result)
{
	switch (result->end) {
	case BENCH_COMPLETE:
		return EXIT_COMPLETE;
	case BENCH_BAD_PLACES:
		return result->figure_count ? EXIT_BAD_AREAS : EXIT_STOPPED;
	case BENCH_FAILED:
		return error_exit_code(&result->error);
	default:
		return EXIT_STOPPED;
	}
}

/* ---- an earlier result ---- */

struct bench_earlier {
	json_object *document, *figures;
	size_t next; /* figures come in the same order: where to look first */
};

static const char *text_of(json_object *object, const char *key)
{
	const char *text = json_object_get_string(json_object_object_get(object, key));

	return text ? text : "";
}

static int refuse(const char *path, struct error *reterr, const char *what)
{
	return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "compare", path,
			 _("%s cannot be compared with: %s."), path, what);
}

static bool says_other(const char *then, const char *now)
{
	return *then && *now && strcmp(then, now) != 0;
}

static bool is_other_disk(json_object *then, const struct identity *disk)
{
	return says_other(text_of(then, "serial"), disk->serial) ||
	       says_other(text_of(then, "wwn"), disk->wwn) ||
	       says_other(text_of(then, "model"), disk->model) ||
	       json_object_get_uint64(json_object_object_get(then, "size")) != disk->size;
}

int bench_earlier_load(const char *path, const char *kind, const struct identity *disk,
		       struct bench_earlier **ret, struct error *reterr)
{
	json_object *document = json_object_from_file(path), *figures, *then;
	struct bench_earlier *earlier;
	char sentence[200], node[64];

	if (!json_object_is_type(document, json_type_object) ||
	    strcmp(text_of(document, "schema"), "clonedeck.bench/1") != 0 ||
	    !json_object_is_type(figures = json_object_object_get(document, "figures"),
				 json_type_array)) {
		json_object_put(document);
		return refuse(path, reterr, _("it is not a result that bench --json has printed"));
	}
	then = json_object_object_get(document, "disk");
	if (strcmp(text_of(document, "kind"), kind) != 0 || is_other_disk(then, disk)) {
		snprintf(sentence, sizeof(sentence),
			 _("it is bench %.16s of %s, another disk or kind"),
			 text_of(document, "kind"),
			 text_sanitise(node, sizeof(node), text_of(then, "node"),
				       strlen(text_of(then, "node"))));
		json_object_put(document);
		return refuse(path, reterr, sentence);
	}
	earlier = calloc(1, sizeof(*earlier));
	if (!earlier) {
		json_object_put(document);
		return error_nomem(reterr);
	}
	*earlier = (struct bench_earlier){ .document = document, .figures = figures };
	*ret = earlier;
	return 0;
}

void bench_earlier_destroy(struct bench_earlier *earlier)
{
	if (earlier)
		json_object_put(earlier->document);
	free(earlier);
}

const char *bench_earlier_words(const struct bench_earlier *earlier, char *buffer, size_t size)
{
	char text[300];

	snprintf(text, sizeof(text), "%s, %s", text_of(earlier->document, "started"),
		 text_of(earlier->document, "machine"));
	return text_sanitise(buffer, size, text, strlen(text));
}

double bench_earlier_find(struct bench_earlier *earlier, const struct bench_result *result,
			  const struct bench_figure *figure)
{
	const struct bench_table *table = &result->tables[figure->table];
	size_t count = earlier ? json_object_array_length(earlier->figures) : 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = (earlier->next + i) % count;
		json_object *then = json_object_array_get_idx(earlier->figures, at);

		if (strcmp(text_of(then, "row"), result->rows[figure->row].key) != 0 ||
		    strcmp(text_of(then, "column"), table->columns[figure->column].key) != 0 ||
		    strcmp(text_of(then, "table"), table->key) != 0)
			continue;
		earlier->next = at + 1;
		return json_object_get_double(json_object_object_get(then, "median"));
	}
	return -1;
}

/* ---- JSON ---- */

#define PLAIN_MAX 32

/* With a point in every locale; seven digits are more than any figure is worth. */
static const char *plain(double value, char buffer[static PLAIN_MAX])
{
	char *comma;

	snprintf(buffer, PLAIN_MAX, "%.7g", value);
	comma = strchr(buffer, ',');
	if (comma)
		*comma = '.';
	return buffer;
}

static json_object *json_double(double value)
{
	char text[PLAIN_MAX];

	return json_object_new_double_s(value, plain(value, text));
}

static void add(json_object *object, const char *key, json_object *value)
{
	json_object_object_add(object, key, value);
}

static json_object *json_disk(const struct bench_result *result)
{
	const struct identity *identity = &result->identity;
	json_object *object = json_object_new_object();

	add(object, "node", report_json_text(result->node));
	add(object, "model", report_json_text(identity->model));
	add(object, "serial", report_json_text(identity->serial));
	add(object, "wwn", report_json_text(identity->wwn));
	add(object, "firmware", report_json_text(identity->firmware));
	add(object, "transport", report_json_text(result->transport));
	add(object, "driver", report_json_text(result->driver));
	add(object, "size", report_json_positive_number(identity->size));
	add(object, "logical_sector_size",
	    report_json_positive_number(identity->logical_sector_size));
	return object;
}

static json_object *json_table(const struct bench_result *result, unsigned index)
{
	const struct bench_table *table = &result->tables[index];
	json_object *object = json_object_new_object(), *columns = json_object_new_array();
	json_object *rows = json_object_new_array();

	for (unsigned i = 0; i < table->column_count; i++) {
		json_object *column = json_object_new_object();

		add(column, "key", report_json_text(table->columns[i].key));
		add(column, "heading", report_json_text(table->columns[i].heading));
		json_object_array_add(columns, column);
	}
	for (size_t i = 0; i < result->row_count; i++) {
		const struct bench_row *row = &result->rows[i];
		json_object *item = row->table == index ? json_object_new_object() : NULL;

		if (!item)
			continue;
		add(item, "key", report_json_text(row->key));
		add(item, "label", report_json_text(row->label));
		add(item, "position", row->position < 0 ? NULL : json_double(row->position));
		json_object_array_add(rows, item);
	}
	add(object, "key", report_json_text(table->key));
	add(object, "title", report_json_text(table->title));
	add(object, "columns", columns);
	add(object, "rows", rows);
	return object;
}

static json_object *json_figure(const struct bench_result *result,
				const struct bench_figure *figure, struct bench_earlier *earlier)
{
	const struct bench_table *table = &result->tables[figure->table];
	double before = bench_earlier_find(earlier, result, figure);
	json_object *object = json_object_new_object();

	add(object, "table", report_json_text(table->key));
	add(object, "row", report_json_text(result->rows[figure->row].key));
	add(object, "column", report_json_text(table->columns[figure->column].key));
	add(object, "unit", report_json_text(bench_unit_words[figure->unit]));
	add(object, "median", json_double(figure->median));
	add(object, "smallest", json_double(figure->smallest));
	add(object, "largest", json_double(figure->largest));
	add(object, "rounds", json_object_new_int(figure->rounds));
	add(object, "engine", report_json_text(figure->how.engine));
	add(object, "request", report_json_positive_number(figure->how.request));
	add(object, "depth", report_json_positive_number(figure->how.depth));
	add(object, "path",
	    figure->how.path ? json_object_new_string(bench_path_words[figure->how.path]) : NULL);
	add(object, "before", before < 0 ? NULL : json_double(before));
	return object;
}

char *bench_json(const struct bench_result *result, struct bench_earlier *earlier)
{
	json_object *object = json_object_new_object(), *tables = json_object_new_array();
	json_object *figures = json_object_new_array(), *notes = json_object_new_array();

	for (unsigned i = 0; i < result->table_count; i++)
		json_object_array_add(tables, json_table(result, i));
	for (size_t i = 0; i < result->figure_count; i++)
		json_object_array_add(figures, json_figure(result, &result->figures[i], earlier));
	for (unsigned i = 0; i < result->note_count; i++)
		json_object_array_add(notes, report_json_text(result->notes[i]));
	add(object, "schema", json_object_new_string("clonedeck.bench/1"));
	add(object, "kind", report_json_text(result->kind));
	add(object, "title", report_json_text(result->title));
	add(object, "result", json_object_new_string(end_words[result->end]));
	add(object, "exit_code", json_object_new_int((int)bench_exit_code(result)));
	add(object, "error", report_json_error(&result->error));
	add(object, "disk", json_disk(result));
	add(object, "started", report_json_time(result->started));
	add(object, "machine", report_json_text(result->machine));
	add(object, "notes", notes);
	add(object, "tables", tables);
	add(object, "figures", figures);
	add(object, "conclusion", report_json_text(result->conclusion));
	char *text =
		report_json_print(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);

	json_object_put(object);
	return text;
}

/* ---- CSV ---- */

void bench_csv(const struct bench_result *result, struct bench_earlier *earlier, FILE *file)
{
	fputs("table,row,column,unit,median,smallest,largest,rounds,engine,request,depth,path,"
	      "before\n",
	      file);
	for (size_t i = 0; i < result->figure_count; i++) {
		const struct bench_figure *figure = &result->figures[i];
		const struct bench_table *table = &result->tables[figure->table];
		double before = bench_earlier_find(earlier, result, figure);
		char text[4][PLAIN_MAX];

		fprintf(file, "%s,%s,%s,%s,%s,%s,%s,%u,%s,%" PRIu32 ",%" PRIu32 ",%s,%s\n",
			table->key, result->rows[figure->row].key,
			table->columns[figure->column].key, bench_unit_words[figure->unit],
			plain(figure->median, text[0]), plain(figure->smallest, text[1]),
			plain(figure->largest, text[2]), figure->rounds, figure->how.engine,
			figure->how.request, figure->how.depth,
			figure->how.path ? bench_path_words[figure->how.path] : "",
			before < 0 ? "" : plain(before, text[3]));
	}
}

/* ---- a page ---- */

static const char template[] = {
#include "bench/bench.html.inc"
	'\0'
};

/* Of the drawing in it. */
#define CHART_WIDE 1000
#define CHART_HIGH 140
#define CHART_FOOT 164

/* A bar for each row, of the first column. */
static json_object *page_charts(const struct bench_result *result, unsigned table)
{
	json_object *charts = json_object_new_array(), *chart = json_object_new_object();
	json_object *bars = json_object_new_array();
	char top[BENCH_TEXT_MAX] = "", text[160];
	const char *first = NULL, *last = "";
	double most = 0;
	int count = 0, i = 0;

	for (size_t row = 0; row < result->row_count; row++) {
		if (result->rows[row].table != table)
			continue;
		const struct bench_figure *figure = bench_result_find(result, (unsigned)row, 0);

		count++;
		last = result->rows[row].label;
		first = first ? first : last;
		if (figure && figure->median > most) {
			most = figure->median;
			bench_print(figure->unit, most, top);
		}
	}
	for (size_t row = 0; row < result->row_count && most > 0; row++) {
		const struct bench_figure *figure = bench_result_find(result, (unsigned)row, 0);
		json_object *bar = json_object_new_object();
		int high = figure ? (int)(figure->median / most * CHART_HIGH) : 0;

		if (result->rows[row].table != table) {
			json_object_put(bar);
			continue;
		}
		add(bar, "x", json_object_new_int(CHART_WIDE * i / count));
		add(bar, "width",
		    json_object_new_int(CHART_WIDE * (i + 1) / count - CHART_WIDE * i / count));
		add(bar, "y", json_object_new_int(CHART_FOOT - high));
		add(bar, "height", json_object_new_int(high));
		add(bar, "label", json_object_new_string(result->rows[row].label));
		json_object_array_add(bars, bar);
		i++;
	}
	snprintf(text, sizeof(text), _("%s, highest %s"), result->tables[table].columns[0].heading,
		 top);
	add(chart, "top", json_object_new_string(text));
	add(chart, "first", json_object_new_string(first ? first : ""));
	add(chart, "last", json_object_new_string(last));
	add(chart, "bars", bars);
	if (most > 0)
		json_object_array_add(charts, chart);
	else
		json_object_put(chart);
	return charts;
}

static json_object *page_cell(const struct bench_result *result, unsigned row, unsigned column,
			      struct bench_earlier *earlier)
{
	const struct bench_figure *figure = bench_result_find(result, row, column);
	json_object *cell = json_object_new_object();
	char text[BENCH_TEXT_MAX] = "-", low[BENCH_TEXT_MAX], high[BENCH_TEXT_MAX], more[160] = "";
	double before = figure ? bench_earlier_find(earlier, result, figure) : -1;

	if (figure)
		bench_print(figure->unit, figure->median, text);
	if (before >= 0)
		snprintf(more, sizeof(more), _("before: %s"),
			 bench_print(figure->unit, before, low));
	else if (figure && figure->rounds > 1)
		snprintf(more, sizeof(more), _("%s to %s"),
			 bench_print(figure->unit, figure->smallest, low),
			 bench_print(figure->unit, figure->largest, high));
	add(cell, "text", json_object_new_string(text));
	add(cell, "more", json_object_new_string(more));
	return cell;
}

static json_object *page_table(const struct bench_result *result, unsigned table,
			       struct bench_earlier *earlier)
{
	json_object *object = json_object_new_object(), *headings = json_object_new_array();
	json_object *rows = json_object_new_array();
	unsigned columns = result->tables[table].column_count;

	for (unsigned i = 0; i < columns; i++)
		json_object_array_add(
			headings, json_object_new_string(result->tables[table].columns[i].heading));
	for (unsigned i = 0; i < result->row_count; i++) {
		if (result->rows[i].table != table)
			continue;
		json_object *row = json_object_new_object(), *cells = json_object_new_array();

		for (unsigned c = 0; c < columns; c++)
			json_object_array_add(cells, page_cell(result, i, c, earlier));
		add(row, "label", json_object_new_string(result->rows[i].label));
		add(row, "cells", cells);
		json_object_array_add(rows, row);
	}
	add(object, "title", json_object_new_string(result->tables[table].title));
	add(object, "charts", page_charts(result, table));
	add(object, "headings", headings);
	add(object, "rows", rows);
	return object;
}

int bench_page(const struct bench_result *result, struct bench_earlier *earlier, FILE *file)
{
	const struct identity *identity = &result->identity;
	json_object *page = json_object_new_object(), *tables = json_object_new_array();
	json_object *notes = json_object_new_array();
	char disk[400], then[300], before[340] = "";

	snprintf(disk, sizeof(disk), "%s %s %s", result->node, identity->model, identity->serial);
	if (earlier)
		snprintf(before, sizeof(before), _("before: %s"),
			 bench_earlier_words(earlier, then, sizeof(then)));
	for (unsigned i = 0; i < result->table_count; i++)
		json_object_array_add(tables, page_table(result, i, earlier));
	for (unsigned i = 0; i < result->note_count; i++)
		json_object_array_add(notes, json_object_new_string(result->notes[i]));
	/* The language of the page, for whoever reads it aloud. */
	add(page, "lang", json_object_new_string(_("en")));
	add(page, "kind", json_object_new_string(result->kind));
	add(page, "title", json_object_new_string(result->title));
	add(page, "disk", json_object_new_string(disk));
	add(page, "started", report_json_time(result->started));
	add(page, "machine", json_object_new_string(result->machine));
	add(page, "before", json_object_new_string(before));
	add(page, "conclusion", json_object_new_string(result->conclusion));
	add(page, "notes", notes);
	add(page, "tables", tables);
	int r = template_render(template, page, file);

	json_object_put(page);
	return r;
}
