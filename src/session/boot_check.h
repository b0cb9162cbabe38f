/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a copy of a whole disk can be started from: of the source before it, of the copy after. */
#ifndef CLONEDECK_SESSION_BOOT_CHECK_H
#define CLONEDECK_SESSION_BOOT_CHECK_H

#include "boot/boot.h"
#include "discover/disk.h"
#include "job/job.h"
#include "report/report.h"

/* Reads a few places of the source. Nothing is read where the copy is not of a whole disk, or its
 * table (NULL: unknown) has no partitions. */
void boot_check_source(const struct plan *plan, const struct disk *source, struct boot_look *ret);
/* report->boot, and the boot entries of this machine that name a partition of the source, a disk or
 * what an image held. */
void boot_check_copy(struct job *job, const struct disk *source, struct report *report);

#define BOOT_CHECK_STEPS 2
/* What to do so that it starts: sentences for report->next, "" where there is nothing to do. */
const char *boot_check_step(const struct report *report, unsigned index,
			    char step[static REPORT_STEP_MAX]);

#endif
