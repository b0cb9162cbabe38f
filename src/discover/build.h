/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The making of one list: gather all devices, read the disks, put together.
 * Used by scan.c alone.
 */
#ifndef CLONEDECK_DISCOVER_BUILD_H
#define CLONEDECK_DISCOVER_BUILD_H

#include "base/error.h"
#include "discover/disk.h"
#include "discover/scan.h"

struct udev;
struct build;
struct late;

/* Enumerates devices and gathers everything that needs no opening. */
int build_new(struct udev *udev, const struct scan_options *options, struct build **ret,
	      struct error *reterr);
/* The list before any disk was opened: without uses and regions, partitions as the kernel has them.
 * Borrowed. */
const struct disk_list *build_named(const struct build *build);
/* Opens and reads the disks; those that have not answered after `timeout` (ns) stay unread, and
 * are late from then on. Those that are late already are waited for first, but not for a glance. */
int build_probe(struct build *build, struct late *late, uint64_t timeout, bool glance,
		struct error *reterr);
/* Hands the list over, complete and sorted. */
int build_finish(struct build *build, struct disk_list **ret, struct error *reterr);
void build_destroy(struct build *build); /* NULL is fine */

#endif
