/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log: one text file per job, lines with time, level and module. An object
 * that is handed to whoever logs; there is no global one. Thread-safe. A thread
 * of its own writes the file, so nobody who logs ever waits for its disk. A line
 * stays in memory until a sync has said that the medium has it; after one that
 * failed all of these are written again, to the file when it is back or to
 * another place. Where a line does not fit into memory any more, the file says
 * how many are missing. A log that cannot be written never stops a copy.
 */
#ifndef CLONEDECK_BASE_LOG_H
#define CLONEDECK_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

struct log;

/* Opens (creates, appends) `path`, O_NOFOLLOW, mode 0600. debug_modules is a comma list
 * ("scan,io,all") or NULL; also taken from CLONEDECK_DEBUG by the caller. */
int log_open(const char *path, const char *debug_modules, struct log **ret, struct error *reterr);
/* Another place, where no file of that name may be yet: what the old one is not known to hold, and
 * all that follows. Waits for neither; log_failing() tells if it cannot be made there. log may be
 * NULL. */
int log_move(struct log *log, const char *path, struct error *reterr);
/* Waits half a minute at most for what is still to be written. False: it is not, or a place that
 * was left still hangs; who waits for such a disk is left alone. NULL is fine. */
bool log_close(struct log *log);

/* log may be NULL: then nothing happens. The text is sanitised. */
void log_line(struct log *log, enum log_level level, const char *module, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void log_error(struct log *log, const char *module, const struct error *error);

/* What was last written or synced failed, or has been waiting for the disk for ten seconds; fills
 * *reterr then. log may be NULL. */
bool log_failing(struct log *log, struct error *reterr);
/* Waits until all lines are on the medium, or could not be brought there when tried once more, or
 * until a time (monotonic ns): then false. */
bool log_settle(struct log *log, uint64_t until);

#endif
