/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Discovery: enumerates disks through libudev, asks libblkid for tables and
 * file systems and libmount for mounts, and follows hot-plug. Read-only:
 * devices are opened O_RDONLY (O_NONBLOCK), and never at all with probe unset.
 *
 * One scan belongs to one thread. The lists it hands out are independent of it.
 */
#ifndef CLONEDECK_DISCOVER_SCAN_H
#define CLONEDECK_DISCOVER_SCAN_H

#include <stdbool.h>

#include "base/error.h"
#include "discover/disk.h"

struct scan;

struct scan_options {
	bool all;                 /* also loop, RAM, dm and md devices that have a size */
	bool probe;               /* open the disks and read their tables */
	const char *practice_dir; /* only loop devices over files in this directory; NULL: the
				     machine */
	const char *mountinfo;    /* NULL: /proc/self/mountinfo */
	const char *swaps;        /* NULL: /proc/swaps */
};

int scan_new(const struct scan_options *options, struct scan **ret, struct error *reterr);
void scan_destroy(struct scan *scan);

/* A fresh, complete list; the caller destroys it. A disk that answers slowly or
 * not at all is listed without its table after a time limit (5 s for all). */
int scan_run(struct scan *scan, struct disk_list **ret, struct error *reterr);

/* Descriptor that becomes readable on a udev block or scsi_generic event, or -1. */
int scan_event_fd(struct scan *scan);
/* Reads one event; false when there was none. Fills text with a line for the
 * event log ("add sde SanDisk Ultra 31.0G") and *rescan when the list changed. */
bool scan_next_event(struct scan *scan, char *text, unsigned size, bool *rescan);

/* Temperature of a disk in degrees Celsius from hwmon; -ENODATA where there is none. */
int scan_temperature(const char *hwmon_file, int *ret);

#endif
