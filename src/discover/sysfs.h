/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links in sysfs from a device number or a class to the device. */
#ifndef CLONEDECK_DISCOVER_SYSFS_H
#define CLONEDECK_DISCOVER_SYSFS_H

#include <limits.h>
#include <sys/types.h>

/* Follows a link whose own folder has no links in its path ("/sys/dev/block/8:0"), with one system
 * call; realpath() and libudev need one or more for each of some ten folders. -ENOENT, or -EINVAL
 * if it is no link. */
int sysfs_follow(const char *link, char ret[static PATH_MAX]);
/* The folder of a device by its number; class: "block" or "char". */
int sysfs_by_number(const char *class, dev_t devno, char ret[static PATH_MAX]);

#endif
