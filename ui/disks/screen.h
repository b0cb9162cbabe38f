/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 1 from the inside: for its own folder only. */
#pragma once

#include "ui/core/app.h"
#include "ui/core/draw.h"
#include "ui/disks/model.h"

struct disks_state {
	struct disks_model model;
	struct disks_place place;  /* of the cursor, for when the list is replaced */
	char file[FIELD_TEXT_MAX]; /* image file that was named, until it is found; "" none */
	bool file_destination;     /* what for */
	char complaint[512];
	struct endpoint shown; /* the disk whose details were opened last */
	bool notes_told;
	bool has_unfinished;
	struct session_unfinished unfinished; /* as of the last list */
};

/* The disk that the row under the cursor belongs to; NULL: none. */
const struct disk *disks_screen_at_cursor(const struct disks_state *state);
/* What is known of its health by now. */
struct disk_health disks_screen_health(struct app *app, const struct disk *disk);
/* The copy that can be continued, where nothing is chosen yet; NULL: none. */
const struct session_unfinished *disks_screen_unfinished(const struct disks_state *state,
							 struct app *app);
enum command disks_screen_wanted(void *data, struct app *app);
bool disks_screen_banner(void *data, struct app *app, struct line *line, enum role *retrole);
void disks_screen_draw(void *data, struct app *app, struct draw *draw, struct rect body);

struct layout_disks {
	struct rect columns; /* heading of the list */
	struct rect list;
	struct rect place; /* which part of the list is shown */
	struct rect legend;
	struct rect marks;  /* narrow: the rest of the legend, beside the place */
	struct rect detail; /* narrow: of the disk under the cursor, with a title line */
	struct rect source; /* wide: boxes */
	struct rect destination;
	struct rect events; /* hot-plug log, with a title line; tall screens only */
};

/* body: layout_frame()'s; wanted: lines the list would like. */
void layout_disks(struct rect body, int wanted, struct layout_disks *ret);

/* Shows what is chosen now, in the list and in words. */
void disks_screen_update(struct disks_state *state, struct app *app);

/* choose.c: an endpoint for one end; false: it is not, or was already. */
bool disks_screen_choose(struct disks_state *state, struct app *app,
			 const struct endpoint *endpoint, bool destination);
void disks_screen_choose_row(struct disks_state *state, struct app *app, bool destination);
/* One of the two; false: there is none. */
bool disks_screen_take_back(struct disks_state *state, struct app *app);
