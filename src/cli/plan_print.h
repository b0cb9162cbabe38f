/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan as a dry run prints it: everything that would happen, and why it may not. */
#ifndef CLONEDECK_CLI_PLAN_PRINT_H
#define CLONEDECK_CLI_PLAN_PRINT_H

#include "session/run.h"

/* Text to standard output, at most `columns` wide. */
void plan_print_text(const struct session *session, int columns);
/* One JSON document (clonedeck.plan/1) on one line or, with `pretty`, on many. */
void plan_print_json(const struct session *session, bool pretty);

#endif
