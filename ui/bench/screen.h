/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 6 from the inside: for its own folder only. */
#pragma once

#include "bench/bench.h"
#include "bench/render.h"

#include "ui/core/app.h"
#include "ui/core/draw.h"
#include "ui/widgets/gate.h"
#include "ui/widgets/list.h"

/* A copy between the two disks that were chosen, from its plan to the end of what it measures. */
struct bench_pair {
	struct session *session; /* NULL: none */
	const struct bench_kind *kind;
	struct endpoint source, destination;
	bool planned, asked;
	struct gate gate; /* as it was asked for */
	char said[512];   /* why what was typed is not taken */
};

struct bench_screen {
	struct bench *bench;          /* that runs or has ended; NULL: none */
	struct bench_options options; /* of it */
	struct endpoint measured;     /* of the result; kind NONE: practice disks */
	struct endpoint chosen;       /* what b had chosen when it was started */
	struct bench_progress progress;
	bool has_result;
	struct bench_result result; /* as of the last tick */
	struct json_object *before; /* of the same kind and disk, to be put beside; NULL: none */
	unsigned table, column;     /* shown; drawn as a chart */
	struct list rows;
	struct bench_pair pair;
};

/* `confirmed`: the plan to copy by, which stays there until it ends; NULL: none. */
void bench_screen_start(struct bench_screen *screen, struct app *app, const struct bench_kind *kind,
			const struct session *confirmed);

/* ---- disk_pair.c ---- */

/* Are source and destination both disks? */
bool bench_pair_is_chosen(const struct app *app);
/* Checks both and then asks for what has to be typed. */
void bench_pair_begin(struct bench_screen *screen, struct app *app, const struct bench_kind *kind);
/* How far are the checks? */
void bench_pair_look(struct bench_screen *screen, struct app *app);
void bench_pair_end(struct bench_screen *screen);

void bench_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body);
