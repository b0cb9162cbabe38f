/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Discovery: lists the disks through libudev, gets tables and file systems from
 * libblkid and mounts from libmount, and follows hot-plug. Read-only: devices are
 * opened O_RDONLY (O_NONBLOCK), and not at all if probe is not set.
 *
 * A scan belongs to one thread. The lists that it returns do not depend on it. It
 * remembers which disks have not answered, and does not read them again until they
 * have.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "discover/disk.h"
#include "discover/scan_options.h"

struct scan;

int scan_new(const struct scan_options *options, struct scan **ret, struct error *reterr);
void scan_destroy(struct scan *scan);
/* Each of these holds for all later scans, until it is called again. */

/* Opens only these disks (devno 0: none); about the others, only udev and sysfs are asked. NULL:
 * all disks. */
void scan_only(struct scan *scan, const dev_t *only);

/* Does not open these disks: they are being copied, and may be failing. What they told
 * before stays in the list; of a destination, that is what was there before the copy. */
void scan_spare(struct scan *scan, const struct scan_spared spared[2]);
/* Does not read these logical sectors of a disk. The list is copied. 0 or -ENOMEM. */
int scan_avoid(struct scan *scan, dev_t disk, const struct range_list *bad);

/* Returns a new, complete list, to be destroyed by the caller. Disks that have not answered after 5
 * seconds (all together) are listed without their tables. */
int scan_run(struct scan *scan, struct disk_list **ret, struct error *reterr);
/* Like scan_run(), but calls choose() before it opens any disk. `named` has what udev and sysfs
 * know, enough to find a disk by any of its names; choose() may call scan_only() and scan_avoid().
 */
typedef void (*scan_choice)(void *user, struct scan *scan, const struct disk_list *named);
int scan_run_chosen(struct scan *scan, scan_choice choose, void *user, struct disk_list **ret,
		    struct error *reterr);
/* Like scan_run(), but waits one second only. Disks that have not answered by then are listed as
 * udev knows them, with disk.silent set. */
int scan_glance(struct scan *scan, struct disk_list **ret, struct error *reterr);

/* A descriptor that becomes readable when a block or scsi_generic device changes, or -1. */
int scan_event_fd(struct scan *scan);
/* Is there an event when a program has written to a disk? The kernel alone tells of none. */
bool scan_hears_writes(const struct scan *scan);
/* Reads one event; false if there is none. Fills `text` with a line for the event log ("add sde
 * SanDisk Ultra 31.0G"; "" for none) and sets *rescan if the list may have changed. Removes from
 * the cache what a changed disk told before. */
bool scan_next_event(struct scan *scan, char *text, unsigned size, bool *rescan);
