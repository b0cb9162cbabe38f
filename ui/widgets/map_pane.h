/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The map over the whole screen, with a cursor, zoom, and the list of areas
 * that are bad or differ: the same on screens 4 and 5.
 */
#pragma once

#include <stdbool.h>

#include "base/range.h"
#include "stats/rates.h"

#include "ui/core/app.h"
#include "ui/core/draw.h"
#include "ui/core/layout.h"
#include "ui/widgets/list.h"
#include "ui/widgets/map_model.h"

/* Zero-initialise. */
struct map_pane {
	bool open;
	struct map_view view;
	struct map_window window; /* as drawn last */
	bool list;                /* the keys move in the list, else in the map */
	struct list areas;
	uint64_t ticked; /* bad areas by their number; a bit each */
};

/* The copy that is looked at; all borrowed. */
struct map_scene {
	struct job *job;
	const struct job_snapshot *snapshot;
	const struct plan *plan;
	const struct disk *disk; /* the source's; may be NULL */
	bool ticks;              /* bad areas can be chosen */
};

void map_pane_draw(struct map_pane *pane, struct app *app, struct draw *draw, struct rect area,
		   const struct map_scene *scene);
/* False: not a key of the open pane. */
bool map_pane_command(struct map_pane *pane, const struct map_scene *scene, enum command command);
/* The bad areas that are ticked, in plan->sector_size. -ENOMEM. */
int map_pane_ticked(const struct map_pane *pane, const struct map_scene *scene,
		    struct range_list *ret);
/* A map of all of the source with its heading, without a cursor, as part of a screen: with its
 * partitions ruled below it, and where there is room with the speed by place above it. rates: NULL
 * for no speed. */
void map_pane_draw_whole(struct app *app, struct draw *draw, struct rect area,
			 const struct plan *plan, const struct rates *rates);

/* Where things go on the map pane of screens 4 and 5. Pure; see layout.h for the rules. */

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
