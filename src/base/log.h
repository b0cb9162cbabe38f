/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log: one text file per job, lines with time, level and module. An object
 * that is handed to whoever logs; there is no global one. Thread-safe. A log
 * that cannot be written is reported once through log_failed() and never stops
 * a copy.
 */
#ifndef CLONEDECK_BASE_LOG_H
#define CLONEDECK_BASE_LOG_H

#include <stdbool.h>

#include "base/error.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

struct log;

/* Opens (creates, appends) `path`, O_NOFOLLOW, mode 0600. debug_modules is a comma list
 * ("scan,io,all") or NULL; also taken from CLONEDECK_DEBUG by the caller. */
int log_open(const char *path, const char *debug_modules, struct log **ret, struct error *reterr);
void log_close(struct log *log); /* NULL is fine */

/* log may be NULL: then nothing happens. The text is sanitised. */
void log_line(struct log *log, enum log_level level, const char *module, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void log_error(struct log *log, const char *module, const struct error *error);

/* True once after writing to the log failed; fills *reterr. */
bool log_failed(struct log *log, struct error *reterr);

#endif
