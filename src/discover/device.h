/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One block device as sysfs and udev's database describe it, without opening
 * it: transport, driver, limits, and what the kernel knows of its partitions.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "discover/disk.h"
#include "discover/scan_options.h"

struct udev_device;

/* Does it belong into a list with these options? practice_dir in them is a real path. */
bool device_is_listed(struct udev_device *device, const struct scan_options *options);
/* Fills everything about a whole disk but nodes, uses and table. */
void device_read_disk(struct udev_device *device, struct disk *ret);
/* A partition as the kernel and udev know it; sector_size is the disk's logical one. */
void device_read_partition(struct udev_device *device, uint32_t sector_size, struct partition *ret);

/* The identity of a disk, for lists, and for the guard, which verifies a disk again: the same disk
 * always gives the same text. */

/* device: a whole disk of the block subsystem, or of scsi_generic where that has none; hardware: as
 * attr_hardware() finds it. */
void identity_from_udev(struct udev_device *device, const char *hardware, struct identity *ret);
/* By device number, of the whole disk, or of the sg node of a disk that has no other; thread-safe.
 * -ENODEV when there is none, -ENOMEM. */
int identity_read(dev_t devno, bool sg_only, struct identity *ret);
