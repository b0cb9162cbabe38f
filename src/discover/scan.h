/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Discovery: enumerates disks through libudev, asks libblkid for tables and
 * file systems and libmount for mounts, and follows hot-plug. Read-only:
 * devices are opened O_RDONLY (O_NONBLOCK), and never at all with probe unset.
 *
 * One scan belongs to one thread. The lists it hands out are independent of it. It
 * remembers which disks have not answered: they are read again once they have.
 */
#ifndef CLONEDECK_DISCOVER_SCAN_H
#define CLONEDECK_DISCOVER_SCAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/range.h"
#include "discover/disk.h"

struct scan;

struct scan_options {
	bool all;                 /* also loop, RAM, dm and md devices that have a size */
	bool probe;               /* open the disks and read their tables */
	const char *practice_dir; /* only loop devices over files in this directory; NULL: the
				     machine */
	const char *mountinfo;    /* NULL: /proc/self/mountinfo */
	const char *swaps;        /* NULL: /proc/swaps */
	bool only_some;           /* with probe: open no other disks than these */
	dev_t only[2];
	struct scan_spared { /* with probe: never these; a number of 0: none */
		dev_t devno;
		uint64_t diskseq;
	} spared[2];
	struct answers *answers; /* kept and taken from there (borrowed); NULL: all are read */
	dev_t bad_on;            /* the disk with these places */
	struct range_list bad;   /* logical sectors, known to be unreadable: not tried again */
};

int scan_new(const struct scan_options *options, struct scan **ret, struct error *reterr);
void scan_destroy(struct scan *scan);
/* From now on at most these disks are opened (a number of 0: none); what there is to know of the
 * others comes from udev and sysfs. NULL: all again. */
void scan_only(struct scan *scan, const dev_t *only);

/* From now on these disks are not opened: they are being copied, and may be dying. */
void scan_spare(struct scan *scan, const struct scan_spared spared[2]);
/* From now on these places of a disk (logical sectors; borrowed for the call) are not read. -ENOMEM
 */
int scan_avoid(struct scan *scan, dev_t disk, const struct range_list *bad);

/* A fresh, complete list; the caller destroys it. A disk that answers slowly or
 * not at all is listed without its table after a time limit (5 s for all). */
int scan_run(struct scan *scan, struct disk_list **ret, struct error *reterr);
/* Like scan_run(), but calls choose() before any disk is opened. It gets what udev and sysfs tell,
 * which is enough to find a disk by any of its names, and may call scan_only() and scan_avoid(). */
typedef void (*scan_choice)(void *user, struct scan *scan, const struct disk_list *named);
int scan_run_chosen(struct scan *scan, scan_choice choose, void *user, struct disk_list **ret,
		    struct error *reterr);
/* As scan_run(), for whoever wants a list at once: after a second what has not answered is listed
 * as udev knows it, and disk.silent. */
int scan_glance(struct scan *scan, struct disk_list **ret, struct error *reterr);

/* Descriptor that becomes readable on a udev block or scsi_generic event, or -1. */
int scan_event_fd(struct scan *scan);
/* Reads one event; false when there was none. Fills text with a line for the
 * event log ("add sde SanDisk Ultra 31.0G") and *rescan when the list changed.
 * What was kept of a disk that has changed is forgotten. */
bool scan_next_event(struct scan *scan, char *text, unsigned size, bool *rescan);

#endif
