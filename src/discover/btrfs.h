/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The devices of a mounted btrfs. Its mount has a device number of its own
 * making and names one member of possibly several; the kernel lists them all
 * below /sys/fs/btrfs.
 */
#ifndef CLONEDECK_DISCOVER_BTRFS_H
#define CLONEDECK_DISCOVER_BTRFS_H

#include <stddef.h>
#include <sys/types.h>

#define BTRFS_MEMBERS_MAX 64

/* All members of the mounted file system that one of them belongs to; returns how many, at least
 * that one itself. */
size_t btrfs_members(dev_t member, dev_t ret[static BTRFS_MEMBERS_MAX]);

#endif
