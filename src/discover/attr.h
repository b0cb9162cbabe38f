/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading one device's sysfs attributes and udev properties. All text that
 * comes out of here is sanitised. libudev would ask the kernel five times for
 * every attribute, and make an object, with all that udev knows of it, of every
 * bridge and expander on the way up: so files are read as files.
 */
#pragma once

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <libudev.h>

#include "base/cleanup.h"
#include "discover/disk.h"

DEFINE_CLEANUP(dir, DIR *, closedir)

#define ATTR_PATH_MAX 512

/* By a device's directory in sysfs. `to` is "" and the result false if there is no such
 * attribute. */
bool attr_text(const char *folder, const char *name, char *to, size_t size);
bool attr_u64(const char *folder, const char *name, uint64_t *ret);
enum tristate attr_bool(const char *folder, const char *name);
/* A binary attribute; returns the bytes read, 0 when there is none. */
size_t attr_file(const char *folder, const char *name, void *to, size_t size);
/* The first line, not sanitised: the name of a file is to be looked up as it is. False, "": it is
 * empty, or there is none. */
bool attr_line(const char *folder, const char *name, char *to, size_t size);
/* The last name of what a link of that name leads to ("sd" of the link "driver"). */
bool attr_link(const char *folder, const char *name, char *to, size_t size);
/* The number of the device that the folder is of. */
bool attr_devno(const char *folder, dev_t *ret);

/* device may be NULL in all of them: then nothing is known. */
bool prop_text(struct udev_device *device, const char *name, char *to, size_t size);
bool prop_u64(struct udev_device *device, const char *name, uint64_t *ret);
/* For the ..._ENC properties, where udev writes odd bytes as \xNN. */
bool prop_encoded(struct udev_device *device, const char *name, char *to, size_t size);
bool prop_is(struct udev_device *device, const char *name, const char *value);

/* The folder of what has the hardware's attributes: SCSI device, NVMe controller, card; that of the
 * device itself where there is none. True: it is a SCSI device. */
bool attr_hardware(struct udev_device *device, char ret[static ATTR_PATH_MAX]);

/* "0:0:0:0": a SCSI device. */
bool attr_is_hctl(const char *name);

/* Removes the mark that the kernel appends to the path of a deleted file. */
void attr_cut_deleted(char *path);

/* Turns \xNN into bytes and sanitises. */
char *attr_decode(char *to, size_t size, const char *encoded);

/* Follows a link whose own folder has no links in its path ("/sys/dev/block/8:0"), with one system
 * call; realpath() and libudev need one or more for each of some ten folders. -ENOENT, or -EINVAL
 * if it is no link. */
int sysfs_follow(const char *link, char ret[static PATH_MAX]);
/* The folder of a device by its number; class: "block" or "char". The first names it by a link, and
 * is not looked at; the text lasts until the end of the block. */
#define SYSFS_FOLDER(class, devno) sysfs_folder((class), (devno), (char[64]){ "" })
const char *sysfs_folder(const char *class, dev_t devno, char buffer[static 64]);
int sysfs_by_number(const char *class, dev_t devno, char ret[static PATH_MAX]);
