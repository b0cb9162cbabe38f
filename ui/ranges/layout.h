/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things go on screen 2. Pure; see ui/core/layout.h for the rules. */
#ifndef CLONEDECK_UI_LAYOUT_RANGES_H
#define CLONEDECK_UI_LAYOUT_RANGES_H

#include "ui/core/layout.h"

struct layout_ranges {
	struct rect title;   /* and a line for what part of the list shows */
	struct rect columns; /* heading of the list */
	struct rect list;
	struct rect map;     /* heading, the disk, what is ticked */
	struct rect heading; /* of the form */
	struct rect field;   /* one line: both fields */
	struct rect totals;  /* or the marks under what is wrong */
	struct rect grammar;
	struct rect error;
};

/* wanted: lines the list would like. */
void layout_ranges(struct rect body, int wanted, struct layout_ranges *ret);

#endif
