/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a copy with bad areas lacks, and what is left to do after any copy. The
 * report has the plan, the verdicts and the job's last snapshot by then. */
#ifndef CLONEDECK_SESSION_OUTCOME_H
#define CLONEDECK_SESSION_OUTCOME_H

#include "base/error.h"
#include "job/job.h"
#include "discover/disk.h"
#include "report/report.h"

/* report->hurt. source: the disk, or what the image held, as it was when the copy began; NULL:
 * unknown. Waits for the destination. */
void outcome_find_hurt(struct job *job, const struct disk *source, struct report *report);
/* report->next, once the rest of the report is known. close_error: of the destination. */
void outcome_say_next(const struct disk *source, const struct error *close_error,
		      struct report *report);

#endif
