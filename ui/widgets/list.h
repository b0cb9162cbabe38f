/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where one is in something that has more rows than there is room for: a list with a cursor, or a
 * text that is only scrolled through. The one place that says what Up, PgDn or End do, how rows are
 * searched and how they are sorted. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ui/core/keys.h"

/* Zero-initialise. */
struct list {
	int at;    /* the row under the cursor; of a text the first one shown */
	int top;   /* the first row shown */
	int count; /* rows there are */
	int rows;  /* rows that fit */
	bool text; /* there is no cursor */
	/* What / looks for; "": nothing. Of a text, the row that was found, counted from 1. */
	char wanted[128];
	int found;
	/* The column that it is sorted by, counted from 1; 0: in its own order. */
	int column;
	bool down; /* the largest first */
};

/* To be called before the rows are drawn: the cursor stays on a row that exists, and is shown. */
void list_fit(struct list *list, int count, int rows);
/* To a row, or to the nearest one that exists. */
void list_go(struct list *list, int row);
/* False: not a command that moves. */
bool list_move(struct list *list, enum command command);

typedef bool list_holds_fn(void *data, int row, const char *text);
/* To the nearest row that holds the wanted text: from here on with step 0, else behind this one (1)
 * or before it (-1), beyond the end from the other one. False: none does. */
bool list_find(struct list *list, int step, list_holds_fn *holds, void *data);

/* False: not a command that sorts. The caller sorts its rows then. */
bool list_sort_by(struct list *list, enum command command, int columns);
/* Less than, equal to or greater than 0, as for qsort(). */
typedef int list_compare_fn(const void *a, const void *b, int column);
#define LIST_ROW_MAX 64
/* Rows that are equal keep their order. Of at most LIST_ROW_MAX bytes each. */
void list_sort(const struct list *list, void *rows, size_t count, size_t size,
	       list_compare_fn *compare);
/* The heading of a column, marked when it is the one sorted by. */
const char *list_heading(const struct list *list, int column, const char *text, int cols,
			 char *buffer, size_t size);
