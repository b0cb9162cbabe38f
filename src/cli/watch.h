/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking on while another process copies. */
#ifndef CLONEDECK_CLI_WATCH_H
#define CLONEDECK_CLI_WATCH_H

#include <stdio.h>

#include "discover/running.h"

/* Shows what the record of that copy tells, until it ends (returns its exit code) or a signal says
 * to leave. */
int watch(const struct running *job);
/* The node, or what else it is. */
const char *watch_end_name(const struct running_end *end);
/* How a copy has ended, in a sentence. */
void watch_print_end(FILE *out, const struct running *job);

#endif
