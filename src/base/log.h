/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log: one text file per job, lines with time, level and module. An object
 * that is handed to whoever logs; there is no global one. Thread-safe. A thread
 * of its own writes the file, so nobody who logs ever waits for its disk. A line
 * stays in memory until a sync has succeeded; after a failure these lines are written
 * again, to the same file or to another place. If lines no longer fit into memory, the
 * file says how many are missing. A log that cannot be written never stops a copy.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO };

struct log;

/* Opens (creates, appends) `path`, O_NOFOLLOW, mode 0600. */
int log_open(const char *path, struct log **ret, struct error *reterr);
/* Continues in a new file at another place: with the lines that may be missing in the old one, and
 * all that follow. Never waits; log_failing() tells if the file cannot be created, or is there
 * already. log may be NULL. */
int log_move(struct log *log, const char *path, struct error *reterr);
/* Waits half a minute at most for the lines in memory to be written. False: they were not, or the
 * disk of an earlier place still hangs; a thread that waits for it is abandoned. NULL is fine. */
bool log_close(struct log *log);

/* log may be NULL: then nothing happens. The text is sanitised. */
void log_line(struct log *log, enum log_level level, const char *module, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void log_error(struct log *log, const char *module, const struct error *error);

/* The last write or sync failed, or has waited for the disk for ten seconds; fills *reterr then.
 * log may be NULL. */
bool log_failing(struct log *log, struct error *reterr);
/* Tries once more and waits until all lines are on the medium or that failed. False: the time
 * (monotonic ns) came first. */
bool log_settle(struct log *log, uint64_t until);
