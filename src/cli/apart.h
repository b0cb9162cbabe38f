/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs work that may get stuck in the kernel in a child process. A process with
 * a thread that waits for a dead disk cannot end, and neither could a shell
 * that waits for it; the child may linger while the command itself has ended.
 */
#ifndef CLONEDECK_CLI_APART_H
#define CLONEDECK_CLI_APART_H

#include "base/error.h"

/* Runs work(data, reterr) in a child and returns its result. What it prints through stdio is
 * printed; what it changes in memory stays there. Only while the program has one thread. */
int apart_run(int (*work)(void *data, struct error *reterr), void *data, struct error *reterr);

#endif
