/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The passes of a job as data: which are through, which one is under way and
 * how far, which are still to come. Pure; no curses.
 */
#ifndef CLONEDECK_UI_MODEL_PASSES_H
#define CLONEDECK_UI_MODEL_PASSES_H

#include <stdbool.h>
#include <stddef.h>

#include "job/job.h"

#include "ui/core/line.h"

/* "copying > [trimming 12.3%] > flushing": the one under way in brackets, with how far it is and
 * how long it takes, as far as that is known. Where there is no room for all, those that are long
 * through are left out. */
void passes_text(const struct job_snapshot *job, const struct plan_options *options,
		 struct line *line);
/* Of the pass under way: "52.3%", never rounded up; "-" where it is not known, as of a flush.
 * Between two passes and at the end of the job: how much of the copy is written. */
void passes_percent(const struct job_snapshot *job, char *buffer, size_t size);
/* The same of all that is to be done. */
void passes_overall(const struct job_snapshot *job, char *buffer, size_t size);

#endif
