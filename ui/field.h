/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line of text being typed: editing only, no curses (draw.h draws it).
 * Control characters never get in; the cursor is a byte index that always
 * stands at a character.
 */
#ifndef CLONEDECK_UI_FIELD_H
#define CLONEDECK_UI_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#define FIELD_TEXT_MAX 512

struct field {
	char text[FIELD_TEXT_MAX]; /* UTF-8 */
	size_t length;             /* bytes */
	size_t cursor;             /* byte index */
	size_t limit;              /* most bytes, 0: as many as fit */
};

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

/* The cursor goes behind the text. */
void field_set(struct field *field, const char *text);
/* Characters, Backspace, Delete, Left, Right, Home/Ctrl-A, End/Ctrl-E, Ctrl-U (all), Ctrl-K (rest),
 * Enter, Esc, Tab. Function keys, Up, Down and paging are not taken. */
enum field_event field_key(struct field *field, int key);
/* Columns of the text before the cursor. */
int field_cursor_column(const struct field *field);

#endif
