/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 3 from the inside: for its own folder only. */
#pragma once

#include "ui/core/app.h"
#include "ui/core/draw.h"
#include "ui/core/layout.h"
#include "ui/plan/model.h"
#include "ui/plan/options.h"
#include "ui/widgets/list.h"

struct plan_screen {
	struct gate gate;
	struct plan_lines lines; /* as drawn last */
	struct app *app;         /* that drew them */
	struct lost *lost;
	size_t lost_count;
	struct identifiers shared;  /* of both disks, if nothing is done about it */
	struct range_list finished; /* as session_list_finished() gives it */
	struct list list;           /* of entries; `top` counts lines */
	bool checking;              /* the plan is not judged yet */
	bool letters;               /* the user left the field for other keys */
	bool started;               /* what stands here was confirmed */
	bool anew;                  /* planned again, with other options */
	/* What was typed in full while the plan was being checked once more: it starts when that
	 * is done, if nothing has changed. "": nothing. */
	char typed[sizeof(((struct gate *)0)->token)];
	uint64_t typed_for; /* gate.about then */
	bool waits;         /* for what is used to be read, to plan with `preset` */
	enum preset preset;
	bool options_open;
	struct options_form form;
	char complaint[512]; /* about the options */
};

/* Can this plan still be started, as far as the session is concerned? */
bool plan_screen_startable(struct app *app);
/* With what was chosen just now; `chosen`: or why not was said. */
void plan_screen_anew(struct plan_screen *screen, struct app *app, bool chosen);
/* What has to be typed, as a phrase. */
const char *plan_screen_phrase(struct app *app, char *buffer, size_t size);
void plan_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body);
/* An entry of the list, also where its line is cut. */
bool plan_screen_holds(void *state, int entry, const char *text);

/* Where things go on screen 3. Pure; see ui/core/layout.h for the rules. */

struct layout_plan {
	struct rect ends;     /* SOURCE, ERASE, LOST, COPY, TABLE, IDS, PRESET, OPTIONS */
	struct rect picture;  /* before, touched, after, scale, legend; empty without a disk */
	struct rect heading;  /* of the checks */
	struct rect list;     /* checks, and what follows them */
	struct rect start;    /* what to do, and the field */
	struct rect files;    /* wide: box with the paths */
	struct rect estimate; /* wide and tall: box below it */
	struct rect lost;     /* tall: what will be lost, with its heading */
};

/* ends: lines on top; checks: lines that the checks take; lost: lines of the list of lost
 * partitions with heading. */
void layout_plan(struct rect body, int ends, bool picture, int checks, int lost,
		 struct layout_plan *ret);

/* start.c. */
/* Enter: starts when all is confirmed, and says what is missing. */
void plan_screen_enter(struct plan_screen *screen, struct app *app);
/* Into the field, where letters are text and no commands. */
void plan_screen_to_field(struct plan_screen *screen);
/* A start that waited for the checks: they have ended. */
void plan_screen_start_now(struct plan_screen *screen, struct app *app);

/* change.c. Takes the next preset; `waits` is set where what the source uses is read first. */
void plan_screen_preset(struct plan_screen *screen, struct app *app);
/* What was waited for is read, or cannot be. */
void plan_screen_preset_read(struct plan_screen *screen, struct app *app);
/* Why another preset is offered, or NULL. */
const char *plan_screen_offer(struct app *app, char *buffer, size_t size);
/* Chooses the next of the tables that are possible, and plans anew. */
bool plan_screen_fit_table(struct app *app);
/* Asks for the image in which what is too large is shrunk. */
void plan_screen_shrink(struct plan_screen *screen, struct app *app);
void plan_screen_allow(struct plan_screen *screen, struct app *app);
/* What both disks will share, and whether the copy gets new ones. */
void plan_screen_ids(struct plan_screen *screen, struct app *app);
