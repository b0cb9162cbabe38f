/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where one is in something that has more rows than there is room for: a list with a cursor, or a
 * text that is only scrolled through. The one place that says what Up, PgDn or End do. Pure.
 */
#ifndef CLONEDECK_UI_WIDGETS_LIST_H
#define CLONEDECK_UI_WIDGETS_LIST_H

#include <stdbool.h>

#include "ui/core/keys.h"

/* Zero-initialise. */
struct list {
	int at;    /* the row under the cursor; of a text the first one shown */
	int top;   /* the first row shown */
	int count; /* rows there are */
	int rows;  /* rows that fit */
	bool text; /* there is no cursor */
};

/* To be called before the rows are drawn: the cursor stays on a row that exists, and is shown. */
void list_fit(struct list *list, int count, int rows);
/* To a row, or to the nearest one that exists. */
void list_go(struct list *list, int row);
/* False: not a command that moves. */
bool list_move(struct list *list, enum command command);

#endif
