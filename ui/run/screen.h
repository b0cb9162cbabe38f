/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 4 from the inside: for its own folder only. */
#ifndef CLONEDECK_UI_SCR_RUN_H
#define CLONEDECK_UI_SCR_RUN_H

#include "job/job.h"

#include "ui/core/app.h"
#include "ui/core/draw.h"
#include "ui/widgets/map_pane.h"
#include "ui/run/model.h"
#include "ui/run/spoken.h"

#define RUN_EVENTS (2UL * JOB_EVENTS_MAX)

struct run_screen {
	struct rates rates;
	struct job_event events[RUN_EVENTS]; /* oldest first */
	size_t event_count;
	uint64_t events_seen; /* the job's count when they were taken */
	uint64_t events_told; /* the last one that the message line could tell of */
	char warned[512];     /* the last one that went wrong, as it was told there */
	int64_t started_at;   /* which job all of this is about */
	unsigned cores;
	unsigned graph_zoom;
	struct map_pane map;
	struct run_spoken spoken; /* instead of the panes, where that was asked for */
	bool rescue;              /* how the rescue stands is shown, where else the CPU is */
	bool rescue_told;         /* the first error has come, or it was asked for */
	bool map_failed;          /* another place for the map was asked for */
	bool bell, rang;
};

/* What its map shows; only with a job. */
struct map_scene run_screen_scene(struct app *app);
/* place.c */
void run_place_ask(struct app *app);
void run_place_follow(struct run_screen *screen, struct app *app, unsigned changes);

void run_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body);

#endif
