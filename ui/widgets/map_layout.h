/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things go on the map pane of screens 4 and 5. Pure; see layout.h for the rules. */
#ifndef CLONEDECK_UI_LAYOUT_MAP_H
#define CLONEDECK_UI_LAYOUT_MAP_H

#include "ui/core/layout.h"

struct layout_map {
	struct rect heading; /* which part, and the size of a cell */
	struct rect cells;
	struct rect cell;    /* what the one under the cursor is */
	struct rect columns; /* heading of the bad areas; empty without them */
	struct rect areas;
	struct rect why; /* what the one under the cursor means */
	struct rect legend;
	struct rect keys;
};

/* areas: how many there are to list. */
void layout_map(struct rect body, int areas, struct layout_map *ret);

#endif
