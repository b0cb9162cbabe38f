/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What measurements have found out about disks, kept for the plans and copies that follow: one file
 * in the log directory, a line for each disk. Waits for the disk of that directory.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "discover/disk.h"

struct io_end;

/* 0: not known, or not to be changed. */
struct measured {
	double read, write; /* bytes per second over all of the disk */
	/* A copy is faster with this request size and so many in flight than with those that it
	 * would choose; of this boot. */
	uint32_t request, depth;
};

/* False: nothing is known of it. A disk with neither serial number nor WWN is only known until it
 * is detached. */
bool measured_find(const char *directory, const struct identity *disk, struct measured *ret);
/* A copy from or to this disk is to use what was found best for it. */
void measured_apply(const char *directory, const struct identity *disk, struct io_end *end);
/* Adds to what is known; with `sizes`, request and depth replace what was known even if they are 0.
 * 0 or a negative errno. */
int measured_keep(const char *directory, const struct identity *disk, const struct measured *found,
		  bool sizes);
