/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 2 from the inside: for its own folder only. */
#pragma once

#include "ui/core/app.h"
#include "ui/core/draw.h"
#include "ui/core/layout.h"
#include "ui/ranges/model.h"
#include "ui/widgets/list.h"

enum focus { FOCUS_LIST, FOCUS_RANGE, FOCUS_DESTINATION };

struct ranges_screen {
	struct ranges_model *model; /* NULL: no source */
	struct list list;
	enum focus focus;
	char before[FIELD_TEXT_MAX]; /* of the field that is being edited, for Esc */
};

void ranges_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body);

/* Where things go on screen 2. Pure; see ui/core/layout.h for the rules. */

struct layout_ranges {
	struct rect title;   /* and a line for what part of the list shows */
	struct rect columns; /* heading of the list */
	struct rect list;
	struct rect used;    /* of the chosen row; empty where there is no room */
	struct rect map;     /* heading, the disk, what is ticked */
	struct rect heading; /* of the form */
	struct rect field;   /* one line: both fields */
	struct rect totals;  /* or the marks under what is wrong */
	struct rect grammar;
	struct rect error;
};

/* wanted: lines the list would like. */
void layout_ranges(struct rect body, int wanted, struct layout_ranges *ret);
