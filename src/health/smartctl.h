/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asking disks for their health through smartctl (smartmontools), where that
 * is installed: it knows how ATA, SCSI, NVMe and a hundred USB bridges want to
 * be asked. It runs as a program of its own, without a shell, and never longer
 * than it may: a disk that hangs must not hold up who asks.
 */
#ifndef CLONEDECK_HEALTH_SMARTCTL_H
#define CLONEDECK_HEALTH_SMARTCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "health/health.h"

struct smartctl_question {
	char node[64];         /* "/dev/sg0", "/dev/nvme0n1"; "" asks nothing */
	bool error_counters;   /* of smartctl_has_error_counters() */
	struct health *health; /* the answer, or why there is none */
};

/* Asks all of them at once and waits, `timeout` ns at most. program NULL: smartctl where
 * distributions install it (never what PATH says). Any thread that may wait. */
void smartctl_ask(const char *program, struct smartctl_question *questions, size_t count,
		  uint64_t timeout);
/* The node through which to ask this disk; "" if its kind has no health (loop, RAM, virtual).
 * Prefers the sg node if that works, because opening it triggers no udev event. */
const char *smartctl_node(const struct disk *disk);
/* Does it keep the SCSI error counters? To an ATA disk the same question costs a log that nobody
 * reads, and a disk behind a USB bridge may not survive it. */
bool smartctl_has_error_counters(const struct disk *disk);

#endif
