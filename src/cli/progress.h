/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a copy is, in one line: for people and as JSON. */
#ifndef CLONEDECK_CLI_PROGRESS_H
#define CLONEDECK_CLI_PROGRESS_H

#include "copy/job.h"
#include "plan/plan.h"
#include "report/report.h"

#define PROGRESS_LINE_MAX 1024

/* "21.0 %  left 1:33:45  copying 42.1 %  842 GB of 2.00 TB  186 MB/s  errors 0": first of all that
 * is to be done, then of the pass under way, so that a narrow terminal cuts the least of it.
 * Returns buffer. */
const char *progress_line(const struct job_snapshot *job, char buffer[static PROGRESS_LINE_MAX]);
/* One line of clonedeck.progress/1; report is NULL until the end. Malloc'd, NULL without memory. */
char *progress_json(const struct plan *plan, const struct job_snapshot *job,
		    const struct report *report);

#endif
