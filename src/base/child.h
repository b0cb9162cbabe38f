/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Another program, run beside: with an environment of its own, no signal
 * blocked, and in a process group of its own, for Ctrl-C is for us.
 */
#ifndef CLONEDECK_BASE_CHILD_H
#define CLONEDECK_BASE_CHILD_H

#include <sys/types.h>

/* input, output: what becomes its standard input and output, -1: /dev/null, as is its standard
 * error. argv ends with NULL. */
int child_start(const char *program, const char *const *argv, int input, int output, pid_t *ret);
/* Ends it with all that it started, and waits a moment for it. One that waits for a disk in the
 * kernel cannot be ended: it is left to itself. */
void child_end(pid_t pid);

#endif
