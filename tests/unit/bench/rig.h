/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a kind of measurement works with (bench/kind.h), in the thread of the test. */
#pragma once

#include "bench/kind.h"

extern struct bench_run run;
extern struct bench_options options;
extern struct bench_result result;
extern unsigned bad_places;
extern unsigned stops_after; /* questions of bench_stops(); 0: never */

void rig_set_up(void);
void rig_tear_down(void);
/* By their keys; NULL: none. */
const struct bench_figure *figure_at(const char *table, const char *row, const char *column);
