/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asking disks for their health through smartctl (smartmontools), where that
 * is installed: it knows how ATA, SCSI, NVMe and a hundred USB bridges want to
 * be asked. It runs as a program of its own, without a shell, and is stopped after
 * a time limit: a disk that hangs must not hold up the caller.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "health/health.h"

/* Where a disk is asked for its health. */
struct health_end {
	/* For smartctl: "/dev/sg0", "/dev/nvme0n1"; "" for a kind that has no health (loop, RAM,
	 * virtual). The sg node if that works, because opening it triggers no udev event. */
	char node[64];
	/* It keeps the SCSI error counters. To an ATA disk the same question costs a log that
	 * nobody reads, and a disk behind a USB bridge may not survive it. */
	bool error_counters;
	char disk[64]; /* a program that writes to it holds its lock */
};

/* disk NULL: an empty node. */
void health_address(const struct disk *disk, struct health_end *ret);
/* Does another program hold the disk's lock? Then it is not asked: some answers (a deferred write
 * error, a reset) are given only once, and that program must get them. */
bool health_is_written_to(const char *node);
/* Not one that another program is writing to. Waits five seconds at most; any thread. */
void health_ask(const struct health_end *end, struct health *ret);
/* The source and the destination of a copy of this process, at once; waits as long. */
void health_ask_both(const struct health_end ends[2], struct health answers[2]);

/* Asks all of them at once and waits, `timeout` ns at most. Each answer is what the disk says, or
 * why nothing is known. program NULL: smartctl where distributions install it (never what PATH
 * says). Any thread that may wait. */
void smartctl_ask(const char *program, const struct health_end *ends, struct health *answers,
		  size_t count, uint64_t timeout);
