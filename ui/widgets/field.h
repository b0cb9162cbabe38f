/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line of text being typed: editing only, no curses (draw.h draws it, the app
 * feeds it keys). Control characters never get in; the cursor is a byte index
 * that always stands at the start of a character or at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The ranges of a disk with more than a hundred partitions, some ticked and some not. */
#define FIELD_TEXT_MAX 8192

/* Zero-initialise. */
struct field {
	char text[FIELD_TEXT_MAX]; /* UTF-8 */
	size_t cursor;
};

/* False, and nothing changed, when the text does not fit. The cursor goes to its end. */
bool field_set(struct field *field, const char *text);
void field_clear(struct field *field);
/* One character (or more) at the cursor; false for control characters and without room. */
bool field_insert(struct field *field, const char *bytes);

/* What to draw in `columns` cells: the text, scrolled so that the cursor shows, padded with '_'.
 * ret must hold 4 * columns + 1; *retcursor is the cursor's column, *retfirst the first byte shown.
 */
void field_view(const struct field *field, int columns, char *ret, int *retcursor,
		size_t *retfirst);
/* Column of byte `at` when byte `first` is shown in column 0; negative when it is left of it. */
int field_column(const struct field *field, size_t first, size_t at);

enum field_event {
	FIELD_NOT_TAKEN, /* not for the field: look the key up as a command */
	FIELD_MOVED,
	FIELD_CHANGED,
	FIELD_ACCEPTED,  /* Enter */
	FIELD_CANCELLED, /* Esc */
	FIELD_NEXT,      /* Tab */
	FIELD_PREVIOUS,
	FIELD_FULL, /* the character found no room */
};

/* Characters, Backspace, Delete, Left, Right, Home/Ctrl-A, End/Ctrl-E, Ctrl-U (all), Ctrl-K (the
 * rest), Enter, Esc, Tab. Function keys, Up, Down and paging are not taken. */
enum field_event field_key(struct field *field, int key);
