/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a copy is, in one line of JSON. */
#ifndef CLONEDECK_CLI_PROGRESS_H
#define CLONEDECK_CLI_PROGRESS_H

#include "job/snapshot.h"
#include "plan/plan.h"
#include "report/report.h"

/* One line of clonedeck.progress/1; report is NULL until the end. Malloc'd, NULL without memory. */
char *progress_json(const struct plan *plan, const struct job_snapshot *job,
		    const struct report *report);

#endif
