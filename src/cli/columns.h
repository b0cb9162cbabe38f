/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table on a terminal or in a pipe, by libsmartcols: what list and show share. */
#ifndef CLONEDECK_CLI_COLUMNS_H
#define CLONEDECK_CLI_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

enum column_flags {
	COLUMN_RIGHT = 1 << 0,
	COLUMN_SHRINKS = 1 << 1, /* is cut where the terminal is narrow */
};

struct column {
	const char *heading; /* N_() */
	unsigned flags;
	int most; /* longer texts keep their tail behind ".."; 0: no limit */
};

struct columns;

/* width 0: that of the terminal behind out, unlimited where there is none. */
int columns_new(const struct column *columns, size_t count, int width, FILE *out,
		struct columns **ret, struct error *reterr);
/* One text per column, "" is shown as "-". */
int columns_add(struct columns *table, const char *const *texts, struct error *reterr);
int columns_print(struct columns *table, struct error *reterr);
void columns_destroy(struct columns *table); /* NULL is fine */

/* Columns of the terminal behind out; 0 where there is none. */
int columns_width(FILE *out);

#endif
