/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The passes of a job as data: which are through, which one is under way and
 * how far, which are still to come. Pure; no curses.
 */
#ifndef CLONEDECK_UI_MODEL_PASSES_H
#define CLONEDECK_UI_MODEL_PASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "copy/job.h"

#include "line.h"

/* "copying > [trimming] > flushing": the one under way in brackets. Where there is no room for all,
 * those that are long through are left out. */
void passes_text(const struct job_snapshot *job, const struct plan_options *options,
		 struct line *line);
/* The pass under way, when what it does is counted and it is not the copy itself; else NULL. */
const struct job_pass *passes_now(const struct job_snapshot *job);
/* How far the pass under way is, 0..1; false: not to be known, as of a flush. Between two passes
 * and at the end of the job: how much of the copy is written. */
bool passes_fraction(const struct job_snapshot *job, double *ret);
/* "52.3%", never rounded up; "-" where it is not known. */
void passes_percent(const struct job_snapshot *job, char *buffer, size_t size);

#endif
