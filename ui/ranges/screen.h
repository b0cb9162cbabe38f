/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 2 from the inside: for its own folder only. */
#ifndef CLONEDECK_UI_SCR_RANGES_H
#define CLONEDECK_UI_SCR_RANGES_H

#include "ui/core/app.h"
#include "ui/core/draw.h"
#include "ui/ranges/model.h"

enum focus { FOCUS_LIST, FOCUS_RANGE, FOCUS_DESTINATION };

struct ranges_screen {
	struct ranges_model *model; /* NULL: no source */
	size_t cursor;
	int top, page;
	enum focus focus;
	char before[FIELD_TEXT_MAX]; /* of the field that is being edited, for Esc */
};

void ranges_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body);

#endif
