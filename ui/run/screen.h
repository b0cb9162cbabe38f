/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 4 from the inside: for its own folder only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "job/snapshot.h"
#include "plan/plan.h"

#include "ui/core/app.h"
#include "ui/core/draw.h"
#include "ui/core/layout.h"
#include "ui/run/model.h"
#include "ui/widgets/map_pane.h"

#define RUN_EVENTS (2UL * JOB_EVENTS_MAX)

/* Screen 4 for screen readers and braille lines (--simple): no moving panes, but a new line every
 * few seconds. */

#define SPOKEN_LINES 32
#define SPOKEN_COLS  320 /* all that can go wrong at once, in the longest words */

struct run_spoken {
	char lines[SPOKEN_LINES][4 * SPOKEN_COLS + 1]; /* on this page, oldest first */
	size_t count;
	bool fresh;           /* the newest one was not drawn yet */
	enum job_state state; /* as it says */
	enum pass_kind pass;
};

struct run_screen {
	struct rates rates;
	struct job_event events[RUN_EVENTS]; /* oldest first */
	size_t event_count;
	uint64_t events_seen; /* the job's count when they were taken */
	uint64_t events_told; /* number of the last one that was considered for the message line */
	char warned[512];     /* the last warning that was shown there */
	int64_t started_at;   /* which job all of this is about */
	unsigned cores;
	enum run_span span; /* of the graph */
	struct map_pane map;
	struct run_spoken spoken; /* instead of the panes, where that was asked for */
	bool rescue;              /* the rescue pane is shown instead of the CPU */
	bool rescue_told;         /* it was opened once, by an error or by the key */
	bool where;               /* latency by place instead of how long */
	bool where_told;          /* that was opened once, by a weak zone or by the key */
	bool map_failed;          /* the question for another place was shown */
	bool bell, rang;
	bool one_pair;        /* there is room for two boxes only, as drawn last … */
	bool middle;          /* … and those of the middle are shown */
	int64_t paused_since; /* unix seconds; 0: it is not paused */
};

/* What its map shows; only with a job. */
struct map_scene run_screen_scene(struct app *app);
/* What all panes are drawn from. */
struct run_view {
	struct run_screen *screen;
	struct app *app;
	struct draw *draw;
	const struct job_snapshot *job;
	const struct plan *plan;
	struct rect body;
	struct run_facts facts;
};

/* From so many rows on, percentage and speed are in large digits. */
#define RUN_LARGE_ROWS 9

void run_head_draw(const struct run_view *view, struct rect area);
void run_head_draw_small(const struct run_view *view, struct rect area);

/* A table of all stages in a box. */
void run_stages_draw(const struct run_view *view, struct rect box);
/* "✓", "▸" …, as the terminal can show it. */
const char *run_stage_mark(const struct draw *draw, enum run_stage_state state);
enum role run_stage_role(enum run_stage_state state);

void run_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body);

/* Where things go on screen 4. Pure; see ui/core/layout.h for the rules. */

struct layout_run {
	struct rect head;  /* ends and state, bars, figures */
	struct rect graph; /* boxes, with their frames */
	struct rect latency;
	struct rect cpu;    /* these two where there is room, else instead of those above: Tab */
	struct rect stages; /* beside them on very wide screens */
	struct rect queues;
	struct rect map;    /* with its heading */
	struct rect alarm;  /* large: blank unless there is an alarm */
	struct rect events; /* where there is room */
};

void layout_run(struct rect body, struct layout_run *ret);

/* Adds a line when one is due, or when state or pass have changed. Never the same line twice. */
void run_spoken_follow(struct run_spoken *spoken, const struct job_snapshot *job, bool due);
/* Draws both ends and the lines. A full page starts again at the top. */
void run_spoken_draw(struct run_spoken *spoken, const struct plan *plan, struct draw *draw,
		     struct rect body);
