/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measurement as a table. */
#include <math.h>

#include "base/i18n.h"
#include "base/text.h"
#include "bench/result.h"
#include "cli/cli.h"
#include "cli/inspect.h"

#define CELL_MAX (BENCH_TEXT_MAX + 32)

/* Columns of a cell with all its figures; a narrow terminal has no room for many cells. */
#define CELL_COLUMNS 17

/* Less is "±0%". */
#define SCATTER_LEAST 0.005

static bool is_narrow(const struct bench_table *table)
{
	return columns_width() > 0 &&
	       (unsigned)columns_width() < CELL_COLUMNS * (table->column_count + 1);
}

/* "193 MB/s ±4%"; beside an earlier one, the change instead: "193 MB/s -4%". A depth or a number of
 * calls has no change in percent: what it was stands below it. */
static void print_cell(const struct bench_figure *figure, bool narrow, char ret[static CELL_MAX])
{
	char more[24] = "";

	if (figure->before > 0 && figure->unit != BENCH_COUNT)
		snprintf(more, sizeof(more), " %+.0f%%",
			 (figure->median / figure->before - 1) * 100);
	else if (figure->before < 0 && bench_scatter(figure) >= SCATTER_LEAST && !narrow)
		snprintf(more, sizeof(more), " ±%.0f%%", bench_scatter(figure) * 100);
	snprintf(ret, CELL_MAX, "%s%s", BENCH_PRINT(figure->unit, figure->median), more);
}

static int print_row(const struct bench_result *result, unsigned row, struct columns *columns,
		     struct error *reterr)
{
	const struct bench_table *table = &result->tables[result->rows[row].table];
	char cells[BENCH_COLUMNS_MAX][CELL_MAX] = { "" },
	     then[BENCH_COLUMNS_MAX][CELL_MAX] = { "" };
	const char *texts[BENCH_COLUMNS_MAX + 1] = { result->rows[row].label };
	bool known = false;

	for (unsigned c = 0; c < table->column_count; c++) {
		const struct bench_figure *figure = bench_result_find(result, row, c);

		texts[c + 1] = cells[c];
		if (figure)
			print_cell(figure, is_narrow(table), cells[c]);
		if (!figure || figure->before < 0)
			continue;
		bench_print(figure->unit, figure->before, then[c]);
		known = true;
	}
	int r = columns_add(columns, texts, reterr);

	if (!known || r < 0)
		return r;
	texts[0] = _("  before");
	for (unsigned c = 0; c < table->column_count; c++)
		texts[c + 1] = then[c];
	return columns_add(columns, texts, reterr);
}

static int print_table(const struct bench_result *result, unsigned index, struct error *reterr)
{
	const struct bench_table *table = &result->tables[index];
	struct column headings[BENCH_COLUMNS_MAX + 1] = { { "", 0, 0 } };
	struct columns *columns = NULL;
	char how[240];
	const char *words = bench_print_table_how(result, index, how, sizeof(how));
	int r;

	headings[0].heading = " ";
	for (unsigned c = 0; c < table->column_count; c++)
		headings[c + 1] = (struct column){ table->columns[c].heading, COLUMN_RIGHT, 0 };
	printf("\n%s\n", table->title);
	r = columns_new(headings, table->column_count + 1, &columns, reterr);
	for (unsigned i = 0; i < table->row_count && r == 0; i++)
		r = print_row(result, table->first_row + i, columns, reterr);
	if (r == 0)
		r = columns_print(columns, reterr);
	columns_destroy(columns);
	if (r == 0 && *words)
		printf("(%s)\n", words);
	return r;
}

static void print_heading(const struct bench_result *result)
{
	const struct identity *identity = &result->identity;

	printf("%s: %s\n", result->kind, result->title);
	if (result->node[0])
		printf("%s  %s  %s  %s  %s\n", result->node, text_or_dash(identity->model),
		       text_or_dash(identity->serial), text_or_dash(result->transport),
		       text_or_dash(result->driver));
	printf("%s\n", result->machine);
	if (result->before[0]) {
		printf(_("before: %s"), result->before);
		putchar('\n');
	}
}

int bench_print_text(const struct bench_result *result, struct error *reterr)
{
	int r = 0;

	print_heading(result);
	for (unsigned i = 0; i < result->table_count && r == 0; i++)
		r = print_table(result, i, reterr);
	if (result->note_count || result->conclusion[0])
		putchar('\n');
	for (unsigned i = 0; i < result->note_count; i++)
		text_paragraph(stdout, columns_width(), "- ", result->notes[i]);
	if (result->conclusion[0])
		text_paragraph(stdout, columns_width(), "", result->conclusion);
	return r;
}
