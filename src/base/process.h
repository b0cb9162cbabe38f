/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This process's own standard streams, and other programs that it runs. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * If the program is started without standard output or error, a disk could be
 * opened as descriptor 1 or 2, and output be written to it. Replaces missing
 * descriptors by ones that fail with EBADF. To be called before anything is
 * opened, by the only thread. 0 or a negative errno.
 */
int standard_fill(void);
/* /dev/null, for reading and writing: a descriptor, or a negative errno. */
int standard_null(void);

/* The signals that end a program, as SIGTERM does, unless it takes them: all that do so but those
 * of its own faults and of a timer (SIGALRM), SIGPIPE, SIGXFSZ, SIGHUP, SIGUSR1 and SIGUSR2. */
void signals_that_stop(sigset_t *ret);

/*
 * Another program, run beside: no signal blocked, and in a process group of its own,
 * since Ctrl-C is for this process. input, output: what becomes its standard input
 * and output, -1: /dev/null, as is its standard error. environment: NULL gives it a
 * small one, in English. argv and environment end with NULL. 0 or a negative errno.
 */
int child_start(const char *program, const char *const *argv, const char *const *environment,
		int input, int output, pid_t *ret);
/* Ends it with all that it started, and waits a moment for it. One that waits for a disk in the
 * kernel cannot be ended: it is left to itself. */
void child_end(pid_t pid);
/* Has a signal stopped that process, whosever it is? What cannot be found out is no. */
bool process_is_stopped(pid_t pid);
