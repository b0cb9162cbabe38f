/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a click means, as the screen was drawn last: a tab or a key of the footer is that key, a row
 * of a list, a field or a cell of a map goes there. Nothing is started or erased by it alone. Rows
 * and columns are the terminal's. */
#pragma once

#include "ui/core/draw.h"
#include "ui/core/keys.h"
#include "ui/core/layout.h"

struct mouse {
	struct hit {
		int row, from, to; /* columns; `to` is behind the last */
		enum command command;
	} hits[SCREEN_STEPS + FOOTER_ITEMS_MAX];
	int count;
	struct draw_key keys[DRAW_KEYS_MAX];
	int key_count;
	struct rect list;          /* of rows that the cursor moves over; empty: none */
	int cursor;                /* the row that it is in; a row elsewhere: it is in none */
	enum command above, below; /* what goes to the row before, and to the next one */
	struct rect field;         /* what Tab goes to; empty: none */
	struct rect range;         /* what e edits; empty: none */
	struct rect map;           /* of a disk; empty: none */
	int map_cell; /* that its cursor is on, row after row; -1: it has none, and is opened */
};

void mouse_add(struct mouse *mouse, int row, int from, int to, enum command command);
/* The key whose name, or word, is there; SPECIAL_NONE: there is none. */
int mouse_key(const struct mouse *mouse, int row, int col);
/* `above`, `below`, COMMAND_LEFT and RIGHT are meant *rettimes times, everything else once.
 * COMMAND_NONE: there is nothing. */
enum command mouse_click(const struct mouse *mouse, int row, int col, int *rettimes);
