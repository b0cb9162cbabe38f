/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks disks for their health through smartctl. Waits five seconds at most; any thread. */
#ifndef CLONEDECK_SESSION_HEALTH_H
#define CLONEDECK_SESSION_HEALTH_H

#include <stdbool.h>

#include "discover/disk.h"
#include "health/health.h"

/* Where a disk is asked for its health. */
struct health_end {
	char node[64]; /* for smartctl; "" has no health */
	bool error_counters;
	char disk[64]; /* a program that writes to it holds its lock */
};

/* Does another program hold the disk's lock? Then it is not asked: some answers (a deferred write
 * error, a reset) are given only once, and that program must get them. */
bool health_is_written_to(const char *node);
/* disk NULL, or of a kind that has no health: an empty node. */
void health_address(const struct disk *disk, struct health_end *ret);
/* Not one that another program is writing to. */
void health_ask(const struct health_end *end, struct health *ret);
/* The source and the destination of a copy of this process, at once. */
void health_ask_both(const struct health_end ends[2], struct health answers[2]);

#endif
