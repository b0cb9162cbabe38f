/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a result, and figures in words. */
#include "bench/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

unsigned bench_result_table(struct bench_result *result, const char *key, const char *title)
{
	unsigned index = result->table_count;
	struct bench_table *table = &result->tables[index];

	if (index == BENCH_TABLES_MAX)
		return index - 1;
	text_copy(table->key, sizeof(table->key), key);
	text_copy(table->title, sizeof(table->title), title);
	result->table_count++;
	return index;
}

void bench_result_column(struct bench_result *result, unsigned index, const char *key,
			 const char *heading)
{
	struct bench_table *table = &result->tables[index];
	struct bench_column *column = &table->columns[table->column_count];

	if (table->column_count == BENCH_COLUMNS_MAX)
		return;
	text_copy(column->key, sizeof(column->key), key);
	text_copy(column->heading, sizeof(column->heading), heading);
	table->column_count++;
}

int bench_result_row(struct bench_result *result, const char *key, const char *label,
		     double position)
{
	unsigned index = result->table_count - 1;
	struct bench_table *table = &result->tables[index];
	struct bench_row row = { .table = index, .position = position };

	text_copy(row.key, sizeof(row.key), key);
	text_copy(row.label, sizeof(row.label), label);
	if (array_append(result->rows, result->row_count, row) < 0)
		return -ENOMEM;
	if (table->row_count++ == 0)
		table->first_row = (unsigned)result->row_count - 1;
	table->chart |= position >= 0;
	return (int)result->row_count - 1;
}

struct bench_figure *bench_result_find(const struct bench_result *result, unsigned row,
				       unsigned column)
{
	/* Those that were added last are asked for most often. */
	for (size_t i = result->figure_count; i-- > 0;)
		if (result->figures[i].row == row && result->figures[i].column == column)
			return &result->figures[i];
	return NULL;
}

enum bench_unit bench_result_unit(const struct bench_result *result, unsigned table,
				  unsigned column)
{
	for (size_t i = 0; i < result->figure_count; i++)
		if (result->figures[i].table == table && result->figures[i].column == column)
			return result->figures[i].unit;
	return BENCH_UNIT_COUNT;
}

double bench_result_median(const struct bench_result *result, unsigned row, unsigned column)
{
	const struct bench_figure *figure = bench_result_find(result, row, column);

	return figure ? figure->median : 0;
}

double bench_scatter(const struct bench_figure *figure)
{
	double off = fmax(figure->largest - figure->median, figure->median - figure->smallest);

	return figure->median > 0 ? off / figure->median : 0;
}

static void take_sample(struct bench_figure *figure, double value)
{
	unsigned at = figure->rounds;
	double *samples = figure->samples;

	if (at == BENCH_ROUNDS_MAX)
		return;
	for (; at > 0 && samples[at - 1] > value; at--)
		samples[at] = samples[at - 1];
	samples[at] = value;

	unsigned count = ++figure->rounds;

	figure->median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
	figure->smallest = samples[0];
	figure->largest = samples[count - 1];
}

int bench_result_add(struct bench_result *result, unsigned row, unsigned column,
		     enum bench_unit unit, double value, const struct bench_how *how)
{
	struct bench_figure *figure = bench_result_find(result, row, column);

	if (!isfinite(value))
		return 0;
	if (!figure) {
		const struct bench_figure none = {
			.table = result->rows[row].table, .row = row, .column = column, .before = -1
		};

		if (array_append(result->figures, result->figure_count, none) < 0)
			return -ENOMEM;
		figure = &result->figures[result->figure_count - 1];
	}
	figure->unit = unit;
	if (how)
		figure->how = *how;
	take_sample(figure, value);
	return 0;
}

void bench_result_note(struct bench_result *result, const char *format, ...)
{
	char *note;

	if (result->note_count == BENCH_NOTES_MAX)
		return;
	note = result->notes[result->note_count];
	text_vprint(note, sizeof(result->notes[0]), format);
	/* Not the same twice, such as one for each of several copies. */
	result->note_count +=
		result->note_count == 0 || strcmp(note, result->notes[result->note_count - 1]) != 0;
}

int bench_result_copy(const struct bench_result *from, struct bench_result *ret)
{
	*ret = *from;
	ret->rows = array_copy(from->rows, from->row_count);
	ret->figures = array_copy(from->figures, from->figure_count);
	if (ret->rows && ret->figures)
		return 0;
	bench_result_done(ret);
	return -ENOMEM;
}

void bench_result_done(struct bench_result *result)
{
	free(result->rows);
	free(result->figures);
	*result = (struct bench_result){ 0 };
}

/* ---- in words ---- */

/* Three significant digits and an SI prefix. */
static const char *print_scaled(double value, const char *unit, char buffer[static BENCH_TEXT_MAX])
{
	static const char *const prefixes[] = { "n", "u", "m", "", "k", "M", "G" };
	int prefix = 3;

	for (; value >= 999.5 && prefix < 6; prefix++)
		value /= 1000;
	for (; value > 0 && value < 0.9995 && prefix > 0; prefix--)
		value *= 1000;
	snprintf(buffer, BENCH_TEXT_MAX, "%.*f %s%s",
		 value >= 99.95 || value == 0 ? 0
		 : value >= 9.995             ? 1
					      : 2,
		 value, prefixes[prefix], unit);
	return buffer;
}

/* "64 KiB": sizes of requests have no fractions worth a word; "13.6 GiB" of others. */
static const char *print_bytes(double value, char buffer[static BENCH_TEXT_MAX])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
	unsigned unit = 0;

	for (; unit < 3 && value >= 1024 && (fmod(value, 1 << 10) == 0 || value >= 1 << 20); unit++)
		value /= 1024;
	snprintf(buffer, BENCH_TEXT_MAX, "%.*f %s", value != floor(value), value, units[unit]);
	return buffer;
}

const char *bench_print(enum bench_unit unit, double value, char buffer[static BENCH_TEXT_MAX])
{
	char text[UNITS_TEXT_MAX];

	switch (unit) {
	case BENCH_BYTES:
		return print_bytes(value, buffer);
	case BENCH_RATE:
		units_print_rate(value, text);
		break;
	case BENCH_PER_SECOND:
		return print_scaled(value, "/s", buffer);
	case BENCH_SECONDS:
		if (value >= 600)
			units_print_duration((uint64_t)(value + 0.5), text);
		else
			return print_scaled(value, "s", buffer);
		break;
	case BENCH_CPU_PER_GIB:
		return print_scaled(value, "s/GiB", buffer);
	case BENCH_SHARE:
		snprintf(text, sizeof(text), "%.*f %%", value < 0.0995 ? 1 : 0, value * 100);
		break;
	default:
		snprintf(text, sizeof(text), "%.*f", value < 100 && value != floor(value) ? 2 : 0,
			 value);
	}
	return text_copy(buffer, BENCH_TEXT_MAX, text);
}

const char *bench_print_end(enum bench_end end)
{
	switch (end) {
	case BENCH_COMPLETE:
		return _("complete");
	case BENCH_BAD_PLACES:
		return _("complete but for places that could not be read");
	case BENCH_STOPPED:
		return _("stopped: what was measured so far");
	case BENCH_FAILED:
		return _("failed: what was measured until then");
	default:
		return _("running");
	}
}

static const char *path_words(enum bench_path path)
{
	switch (path) {
	case BENCH_DIRECT:
		return _("direct");
	case BENCH_INDIRECT:
		return _("copied by the driver");
	case BENCH_MAPPED:
		return _("mapped");
	case BENCH_LEFT:
		return _("left in the kernel");
	case BENCH_BUFFERED:
		return _("through the page cache");
	default:
		return "";
	}
}

const char *bench_print_how(const struct bench_how *how, char *buffer, size_t size)
{
	char request[BENCH_TEXT_MAX + 2] = "", depth[32] = "";
	const char *path = path_words(how->path);

	if (how->request)
		snprintf(request, sizeof(request), ", %s", BENCH_PRINT(BENCH_BYTES, how->request));
	if (how->depth)
		snprintf(depth, sizeof(depth), _(", depth %u"), how->depth);
	snprintf(buffer, size, "%s%s%s%s%s", how->engine, request, depth, *path ? ", " : "", path);
	return buffer;
}

const char *bench_print_table_how(const struct bench_result *result, unsigned table, char *buffer,
				  size_t size)
{
	const struct bench_how *first = NULL;
	struct bench_how how = { 0 };
	bool alike = true;
	double most = 0;
	size_t used;

	for (size_t i = 0; i < result->figure_count; i++) {
		const struct bench_how *one = &result->figures[i].how;

		if (result->figures[i].table != table || !one->engine[0])
			continue;
		if (!first)
			how = *(first = one);
		alike &= strcmp(first->engine, one->engine) == 0;
		how.request = first->request == one->request ? how.request : 0;
		how.depth = first->depth == one->depth ? how.depth : 0;
		how.path = first->path == one->path ? how.path : BENCH_PATH_UNKNOWN;
		most = fmax(most, bench_scatter(&result->figures[i]));
	}
	if (!alike)
		text_copy(how.engine, sizeof(how.engine), _("various"));
	buffer[0] = '\0';
	if (first && (alike || how.request || how.depth || how.path))
		bench_print_how(&how, buffer, size);
	used = strlen(buffer);
	if (most > 0)
		snprintf(buffer + used, size - used,
			 _("; rounds differ by up to %.0f %% from the median"), most * 100);
	return buffer + strspn(buffer, "; ");
}
