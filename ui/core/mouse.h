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
	struct draw drawn; /* the screen; of what is drawn on top of it, only the keys */
	/* In its list: what goes to the row before, and to the next one. */
	enum command above, below;
};

void mouse_add(struct mouse *mouse, int row, int from, int to, enum command command);
/* The key whose name, or word, is there; SPECIAL_NONE: there is none. */
int mouse_key(const struct mouse *mouse, int row, int col);
/* `above`, `below`, COMMAND_LEFT and RIGHT are meant *rettimes times, everything else once.
 * COMMAND_NONE: there is nothing. */
enum command mouse_click(const struct mouse *mouse, int row, int col, int *rettimes);
