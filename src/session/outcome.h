/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What became of a copy: what it lacks, what it can be started from, what is done to it once it is
 * complete, and what is left to do. The report has the plan, the verdicts and the job's last
 * snapshot by then. source: the disk, or what the image held, as it was when the copy began; NULL:
 * unknown. Waits for the destination.
 */
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "boot/boot.h"
#include "discover/disk.h"
#include "job/job.h"
#include "layout/arrange.h"
#include "report/report.h"

/* damaged_tables.c: report->hurt, of a copy with bad areas, the tables and superblocks that are not
 * on it. */
void outcome_find_hurt(struct job *job, const struct disk *source, struct report *report);
/* report->next, once the rest of the report is known. close_error: of the destination. */
void outcome_say_next(const struct disk *source, const struct error *close_error,
		      struct report *report);

/* ---- for the files beside this one ---- */

/* Appends to report->next. */
void outcome_add(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Opens an end anew, to be read through the page cache; negative: it is not what it was. */
int outcome_open(const struct endpoint *end);
/* The first part of these bytes of the source that was to be copied and was not. False: none. */
bool outcome_missing(const struct map *map, uint64_t start, uint64_t end, uint64_t *retfrom,
		     uint64_t *retto);

/* ---- boot_check.c: what a copy of a whole disk can be started from ---- */

/* Of the source, open on this descriptor, before it is copied: reads a few places. Nothing is read,
 * and *ret stays, where the copy is not of a whole disk, or its table has no partitions. */
void boot_check_source(const struct plan *plan, const struct disk *source, int fd,
		       struct boot_look *ret);
/* report->boot, and the boot entries of this machine that name a partition of the source. */
void boot_check_copy(struct job *job, const struct disk *source, struct report *report);
/* What to do so that it starts. */
void boot_check_say(struct report *report);

/* ---- aftercare.c: a file system that grows with its partition, new identifiers ---- */

/* Something is changed on the copy: it is asked for, and the copy is complete. */
bool aftercare_asked(const struct layout_shrink *shrink, const struct report *report);
/* Where that is so: report->grown_fs, report->after, and what became of report->identifiers.
 * shrink: in the image that was made; number 0: nothing is. The claims of the copy are closed: the
 * destination is claimed and its identity proven once more. */
void aftercare_run(struct log *log, const struct disk *source, const struct layout_shrink *shrink,
		   struct report *report);
void aftercare_say(struct report *report);
