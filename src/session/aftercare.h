/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done to a copy once it is complete and verified, where asked for: a file system that
 * grows with its partition, new identifiers. */
#ifndef CLONEDECK_SESSION_AFTERCARE_H
#define CLONEDECK_SESSION_AFTERCARE_H

#include "base/log.h"
#include "report/report.h"

/* report->grown_fs, report->after, and what became of report->identifiers. The claims of the copy
 * are closed: the destination is claimed and its identity proven once more. source: as it was when
 * the copy began, NULL: unknown. Waits for it. */
void aftercare_run(struct log *log, const struct disk *source, struct report *report);

#define AFTERCARE_STEPS 3
/* As boot_check_step(). */
const char *aftercare_step(const struct report *report, unsigned index,
			   char step[static REPORT_STEP_MAX]);

#endif
