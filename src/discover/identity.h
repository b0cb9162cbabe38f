/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The identity of a disk, read from udev's database and sysfs: for lists, and
 * for the guard, which verifies a disk again. Both use this, so the same disk
 * always gives the same text. The device is not opened.
 */
#ifndef CLONEDECK_DISCOVER_IDENTITY_H
#define CLONEDECK_DISCOVER_IDENTITY_H

#include <sys/types.h>

#include "discover/disk.h"

struct udev_device;

/* device: a whole disk of the block subsystem, or of scsi_generic where that has none; hardware: as
 * attr_hardware() finds it. */
void identity_from_udev(struct udev_device *device, const char *hardware, struct identity *ret);
/* By device number, of the whole disk, or of the sg node of a disk that has no other; thread-safe.
 * -ENODEV when there is none, -ENOMEM. */
int identity_read(dev_t devno, bool sg_only, struct identity *ret);

#endif
