/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a copy is, in one line for people: on a terminal, and in the log. */
#pragma once

#include "discover/running.h"
#include "job/snapshot.h"

#define PROGRESS_LINE_MAX 1024

/* "21.0 %  left 1:33:45  copying 42.1 %  842 GB of 2.00 TB  186 MB/s  errors 0": first of all that
 * is to be done, then of the pass under way, so that a narrow terminal cuts the least of it.
 * Translated. Returns buffer. */
const char *progress_line(const struct job_snapshot *job, char buffer[static PROGRESS_LINE_MAX]);
/* The line of another process's copy, as far as its record tells. */
const char *progress_of_record(const struct running *running,
			       char buffer[static PROGRESS_LINE_MAX]);
/* The time that is left: "1:33:45", "0:01:10 to 0:25:00" as long as bad areas are to be read again,
 * or "unknown"; translated. */
const char *progress_left(const struct job_snapshot *job, char *buffer, size_t size);
const char *progress_left_of_record(const struct running *running, char *buffer, size_t size);
/* What it does now, in the words of the deck: "copying", "reading back"; translated. */
const char *progress_doing(const struct running *running);
/* Never rounded up: 100.0 is kept for what is really complete. */
double progress_percent(double fraction);
