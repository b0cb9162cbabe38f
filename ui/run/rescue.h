/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a rescue stands, in ddrescue's words: what is rescued, what was not even
 * tried, what is left to trim and to scrape, what is bad. Pure; no curses.
 */
#ifndef CLONEDECK_UI_MODEL_RESCUE_H
#define CLONEDECK_UI_MODEL_RESCUE_H

#include <stdbool.h>
#include <stddef.h>

#include "job/job.h"

#include "ui/core/line.h"

/* Columns that every line fits into without losing anything. */
#define RESCUE_COLS 74

/* Which pass goes over the source, its round, and which way: the pane's title. */
void rescue_title(const struct job_snapshot *job, char *buffer, size_t size);
/* Line `index` of the pane; false when there is none any more. The first four matter most. */
bool rescue_text(const struct job_snapshot *job, int index, struct line *line);

#endif
