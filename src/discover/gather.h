/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass over sysfs: all block devices, and the other nodes of disks. */
#ifndef CLONEDECK_DISCOVER_GATHER_H
#define CLONEDECK_DISCOVER_GATHER_H

#include <stddef.h>

struct nodes;
struct udev;
struct udev_device;

struct gathered {
	struct udev_device **blocks; /* disks and partitions, in no order */
	size_t count;
	struct nodes *nodes;
};

/* -ENOMEM, or why /sys/class/block cannot be read; ret is always to be released. */
int gather(struct udev *udev, struct gathered *ret);
void gather_done(struct gathered *gathered);

#endif
