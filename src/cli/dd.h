/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dd's operands (if=, of=, bs=, …) are recognised, and answered with the command that does it. */
#ifndef CLONEDECK_CLI_DD_H
#define CLONEDECK_CLI_DD_H

#include <stdbool.h>

/* Is the argument "dd", or an operand of it? */
bool dd_speaks(const char *argument);
/* Prints the command, or why there is none, to standard error. Returns EXIT_USAGE. */
int dd_translate(int argc, char **argv);

#endif
