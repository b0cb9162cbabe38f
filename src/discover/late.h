/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disks that hang: one that has not answered yet is not asked again for every
 * list, which would leave one more thread behind each time.
 */
#ifndef CLONEDECK_DISCOVER_LATE_H
#define CLONEDECK_DISCOVER_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discover/disk.h"

#define LATE_MAX 64

struct probe;

struct late {
	struct probe *probes[LATE_MAX];
	size_t count;
};

/* Takes over a probe (NULL: nothing), and keeps it as long as a disk of it has not answered. */
void late_add(struct late *late, struct probe *probe);
/* Waits for all of them, until a time (monotonic ns). Those that have answered may be read
 * again. */
void late_wait(struct late *late, uint64_t deadline);
bool late_has(const struct late *late, const struct identity *identity);
void late_done(struct late *late);

#endif
