/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table on a terminal or in a pipe. */
#include "cli/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <libsmartcols.h>

#include "base/i18n.h"
#include "base/text.h"

#define CELL_MAX 512

struct columns {
	struct libscols_table *table;
	const struct column *columns;
	size_t count;
	bool limited;
};

int columns_width(FILE *out)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");

	if (!isatty(fileno(out)))
		return 0;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? atoi(columns) : 80;
}

static int smartcols_error(int r, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "print", NULL,
			 _("The table cannot be printed: %s."), error_phrase(r));
}

static int add_columns(struct columns *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];
		int flags = 0;

		if (column->flags & COLUMN_RIGHT)
			flags |= SCOLS_FL_RIGHT;
		if (column->flags & COLUMN_SHRINKS)
			flags |= SCOLS_FL_TRUNC;
		if (!scols_table_new_column(table->table, _(column->heading), 0, flags))
			return -ENOMEM;
	}
	return 0;
}

int columns_new(const struct column *columns, size_t count, int width, FILE *out,
		struct columns **ret, struct error *reterr)
{
	struct columns *table = calloc(1, sizeof(*table));
	int r = 0;

	if (!table)
		return error_nomem(reterr);
	table->columns = columns;
	table->count = count;
	table->table = scols_new_table();
	if (width == 0)
		width = columns_width(out);
	table->limited = width > 0;
	if (!table->table || add_columns(table) < 0 ||
	    scols_table_set_stream(table->table, out) < 0) {
		columns_destroy(table);
		return error_nomem(reterr);
	}
	/* Without a terminal nothing is truncated. */
	r = scols_table_set_termforce(table->table, table->limited ? SCOLS_TERMFORCE_ALWAYS
								   : SCOLS_TERMFORCE_NEVER);
	if (r == 0 && table->limited)
		r = scols_table_set_termwidth(table->table, (size_t)width);
	if (r < 0) {
		columns_destroy(table);
		return smartcols_error(r, reterr);
	}
	*ret = table;
	return 0;
}

int columns_add(struct columns *table, const char *const *texts, struct error *reterr)
{
	struct libscols_line *line = scols_table_new_line(table->table, NULL);

	if (!line)
		return error_nomem(reterr);
	for (size_t i = 0; i < table->count; i++) {
		const char *text = texts[i][0] ? texts[i] : "-";
		int most = table->columns[i].most;
		char fitted[CELL_MAX];

		if (table->limited && most > 0 && text_width(text) > most)
			text = text_fit_tail(fitted, sizeof(fitted), text, most);
		if (scols_line_set_data(line, i, text) < 0)
			return error_nomem(reterr);
	}
	return 0;
}

int columns_print(struct columns *table, struct error *reterr)
{
	int r = scols_print_table(table->table);

	return r < 0 ? smartcols_error(r, reterr) : 0;
}

void columns_destroy(struct columns *table)
{
	if (!table)
		return;
	scols_unref_table(table->table);
	free(table);
}
