/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log in a folder of its own, and what is in its file. */
#pragma once

#include <check.h>

#include "base/log.h"

extern char dir[64], path[128]; /* the folder, and the log's place in it */
extern struct log *logfile;     /* NULL unless it is open */
extern struct error error;

/* Waits until all that was said is written, or has failed to be. */
void settle(void);
char *content(void);
/* "2026-09-21T14:12:20+02:00 error   io: …"; the rest follows the time. */
void check_line(const char *line, const char *rest);
/* Nothing of what the old place has not taken, a second line, is missing in the new one. */
void move_away(const char *moved);

/* With time for a disk that hangs. */
#define LOG_CASE UNIT_CASE(.setup = log_setup, .teardown = log_teardown, .timeout = 120)
void log_setup(void);
void log_teardown(void);
