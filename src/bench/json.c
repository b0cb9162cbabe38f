/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result as JSON, and as CSV, which has the same figures. */
#include "base/array.h"
#include "bench/render.h"

#include <string.h>

#include "report/json.h"

static const char *const unit_words[BENCH_UNIT_COUNT] = {
	[BENCH_BYTES] = "B",     [BENCH_RATE] = "B/s",          [BENCH_PER_SECOND] = "1/s",
	[BENCH_SECONDS] = "s",   [BENCH_CPU_PER_GIB] = "s/GiB", [BENCH_SHARE] = "share",
	[BENCH_COUNT] = "count",
};
static const char *const path_words[BENCH_PATH_COUNT] = {
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

/* A double, with a point in every locale; seven digits are more than any figure is worth. Negative
 * is null. */
static json_object *number(const void *member)
{
	double value = *(const double *)member;
	char text[32], *comma;

	snprintf(text, sizeof(text), "%.7g", value);
	comma = strchr(text, ',');
	if (comma)
		*comma = '.';
	return value < 0 ? NULL : json_object_new_double_s(value, text);
}

static void add(json_object *object, const char *key, json_object *value)
{
	json_object_object_add(object, key, value);
}

static json_object *json_disk(const void *member)
{
#define DISK(name, kind, path) JSON_FIELD(name, kind, struct bench_result, path)
	static const struct json_field fields[] = {
		DISK("node", JSON_TEXT, node),
		DISK("model", JSON_TEXT, identity.model),
		DISK("serial", JSON_TEXT, identity.serial),
		DISK("wwn", JSON_TEXT, identity.wwn),
		DISK("firmware", JSON_TEXT, identity.firmware),
		DISK("transport", JSON_TEXT, transport),
		DISK("driver", JSON_TEXT, driver),
		DISK("start", JSON_NUMBER, start),
		DISK("size", JSON_POSITIVE, identity.size),
		DISK("logical_sector_size", JSON_POSITIVE, identity.logical_sector_size),
	};

	return report_json_of(fields, member);
}

static json_object *json_table(const struct bench_result *result, unsigned index)
{
	static const struct json_field column_fields[] = {
		JSON_FIELD("key", JSON_TEXT, struct bench_column, key),
		JSON_FIELD("heading", JSON_TEXT, struct bench_column, heading),
	};
	static const struct json_field row_fields[] = {
		JSON_FIELD("key", JSON_TEXT, struct bench_row, key),
		JSON_FIELD("label", JSON_TEXT, struct bench_row, label),
		JSON_PART_OF("position", number, struct bench_row, position),
	};
	const struct bench_table *table = &result->tables[index];
	const struct bench_row *rows = result->rows + table->first_row;
	json_object *object = json_object_new_object();

	add(object, "key", report_json_text(table->key));
	add(object, "title", report_json_text(table->title));
	add(object, "columns",
	    report_json_list_of(column_fields, table->columns, table->column_count));
	add(object, "rows", report_json_list_of(row_fields, rows, table->row_count));
	return object;
}

static json_object *json_figure(const struct bench_result *result,
				const struct bench_figure *figure)
{
#define FIGURE(name, kind, path) JSON_FIELD(name, kind, struct bench_figure, path)
	static const struct json_field fields[] = {
		JSON_WORD_OF("unit", unit_words, struct bench_figure, unit),
		JSON_PART_OF("median", number, struct bench_figure, median),
		JSON_PART_OF("smallest", number, struct bench_figure, smallest),
		JSON_PART_OF("largest", number, struct bench_figure, largest),
		FIGURE("rounds", JSON_NUMBER, rounds),
		FIGURE("engine", JSON_TEXT, how.engine),
		FIGURE("request", JSON_POSITIVE, how.request),
		FIGURE("depth", JSON_POSITIVE, how.depth),
		JSON_WORD_OF("path", path_words, struct bench_figure, how.path),
		JSON_PART_OF("before", number, struct bench_figure, before),
	};
	const struct bench_table *table = &result->tables[figure->table];
	json_object *object = json_object_new_object();

	add(object, "table", report_json_text(table->key));
	add(object, "row", report_json_text(result->rows[figure->row].key));
	add(object, "column", report_json_text(table->columns[figure->column].key));
	report_json_add_fields(object, fields, ARRAY_SIZE(fields), figure);
	return object;
}

json_object *bench_json_document(const struct bench_result *result)
{
	json_object *object = json_object_new_object(), *tables = json_object_new_array();
	json_object *figures = json_object_new_array();

	for (unsigned i = 0; i < result->table_count; i++)
		json_object_array_add(tables, json_table(result, i));
	for (size_t i = 0; i < result->figure_count; i++)
		json_object_array_add(figures, json_figure(result, &result->figures[i]));
	add(object, "schema", json_object_new_string("clonedeck.bench/1"));
	add(object, "kind", report_json_text(result->kind));
	add(object, "title", report_json_text(result->title));
	add(object, "result", json_object_new_string(end_words[result->end]));
	add(object, "exit_code", json_object_new_int((int)bench_exit_code(result)));
	add(object, "error", report_json_error(&result->error));
	add(object, "disk", json_disk(result));
	add(object, "started", report_json_time(result->started));
	add(object, "machine", report_json_text(result->machine));
	add(object, "notes", report_json_texts_of(result->notes, result->note_count));
	add(object, "tables", tables);
	add(object, "figures", figures);
	add(object, "conclusion", report_json_text(result->conclusion));
	return object;
}

char *bench_json(const struct bench_result *result)
{
	return report_json_print(bench_json_document(result),
				 JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* Nothing in it needs quotes: keys, words and numbers. */
void bench_csv(const struct bench_result *result, FILE *file)
{
	fputs("table,row,column,unit,median,smallest,largest,rounds,engine,request,depth,path,"
	      "before\n",
	      file);
	for (size_t i = 0; i < result->figure_count; i++) {
		json_object *figure = json_figure(result, &result->figures[i]);
		const char *comma = "";

		json_object_object_foreach(figure, key, value)
		{
			fprintf(file, "%s%s", comma, value ? json_object_get_string(value) : "");
			comma = ",";
			(void)key;
		}
		putc('\n', file);
		json_object_put(figure);
	}
}
