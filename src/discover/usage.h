/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What uses block devices: mounts, swap, holders at any depth, files behind
 * loop devices and zram, and the running system. Read from sysfs, mountinfo and
 * swaps; no device is opened.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "discover/disk.h"

struct libmnt_fs;
struct scan_options;
struct udev_device;
struct usage;

/*
 * blocks: every device of the block subsystem, partitions too; borrowed as long
 * as the call lasts. Of the options only the names of the files in /proc count.
 * -ENOMEM, or what reading mountinfo failed with: then nothing may be called unused.
 */
int usage_new(struct udev_device *const *blocks, size_t count, const struct scan_options *options,
	      struct usage **ret, struct error *reterr);
void usage_destroy(struct usage *usage);
/* Adds the uses of one device to the list. -ENOMEM. */
int usage_add_to(const struct usage *usage, dev_t devno, struct use_list *list);

int use_list_add(struct use_list *list, enum use_kind kind, const char *what, const char *node);

#define BTRFS_MEMBERS_MAX 64

/* The devices of a mounted file system; returns how many. Most mounts have the number of their
 * device; btrfs and the like make one up, and name one of possibly several devices. */
size_t mount_devices(struct libmnt_fs *fs, dev_t ret[static BTRFS_MEMBERS_MAX]);
