/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work that may get stuck in the kernel, done in a process apart. A process
 * with a thread that waits for a dead disk cannot end, and whoever waits for
 * it, a shell, say, would wait as long; the one started here may linger
 * while the command itself is over.
 */
#ifndef CLONEDECK_CLI_APART_H
#define CLONEDECK_CLI_APART_H

#include "base/error.h"

/* Runs work(data, reterr) in a child and returns its result. What it prints through stdio is
 * printed; what it changes in memory stays there. Only while the program has one thread. */
int apart_run(int (*work)(void *data, struct error *reterr), void *data, struct error *reterr);

#endif
