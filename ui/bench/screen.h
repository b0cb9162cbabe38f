/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 6 from the inside: for its own folder only. */
#ifndef CLONEDECK_UI_BENCH_SCREEN_H
#define CLONEDECK_UI_BENCH_SCREEN_H

#include "bench/bench.h"

#include "ui/core/app.h"
#include "ui/core/draw.h"
#include "ui/widgets/list.h"

struct bench_screen {
	struct bench *bench;          /* that runs or has ended; NULL: none */
	struct bench_options options; /* of it */
	struct bench_progress progress;
	bool has_result;
	struct bench_result result; /* as of the last tick */
	unsigned table, column;     /* shown; drawn as a chart */
	struct list rows;
};

bool bench_screen_runs(const struct bench_screen *screen);
void bench_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body);

#endif
