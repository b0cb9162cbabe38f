/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 1 from the inside: for its own folder only. */
#ifndef CLONEDECK_UI_SCR_DISKS_H
#define CLONEDECK_UI_SCR_DISKS_H

#include "ui/core/app.h"
#include "ui/core/draw.h"
#include "ui/disks/model.h"

struct disks_state {
	struct disks_model model;
	struct disks_place place; /* of the cursor, for when the list is replaced */
	int top;
	int page;
	char wanted[128];          /* last text searched for */
	char file[FIELD_TEXT_MAX]; /* image file that was named, until it is found; "" none */
	bool file_destination;     /* what for */
	char complaint[512];
	bool notes_told;
	bool has_unfinished;
	struct session_unfinished unfinished; /* as of the last list */
};

/* The disk that the row under the cursor belongs to; NULL: none. */
const struct disk *disks_screen_at_cursor(const struct disks_state *state);
/* What is known of its health by now. */
struct disks_health disks_screen_health(struct app *app, const struct disk *disk);
/* The copy that f continues where nothing is chosen yet; NULL: none. */
const struct session_unfinished *disks_screen_unfinished(const struct disks_state *state,
							 struct app *app);
enum command disks_screen_wanted(void *data, struct app *app);
bool disks_screen_banner(void *data, struct app *app, struct line *line, enum role *retrole);
void disks_screen_draw(void *data, struct app *app, struct draw *draw, struct rect body);

#endif
