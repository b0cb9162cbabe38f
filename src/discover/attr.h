/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading one device's sysfs attributes and udev properties. All text that
 * comes out of here is sanitised. A udev_device remembers what it has read, so
 * one object shows one moment.
 */
#ifndef CLONEDECK_DISCOVER_ATTR_H
#define CLONEDECK_DISCOVER_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libudev.h>

#include "discover/disk.h"

/* device may be NULL in all of them: then nothing is known. `to` is "" where there is nothing;
 * true: there is something. */
bool attr_text(struct udev_device *device, const char *name, char *to, size_t size);
bool attr_u64(struct udev_device *device, const char *name, uint64_t *ret);
enum tristate attr_bool(struct udev_device *device, const char *name);

bool prop_text(struct udev_device *device, const char *name, char *to, size_t size);
bool prop_u64(struct udev_device *device, const char *name, uint64_t *ret);
/* For the ..._ENC properties, where udev writes odd bytes as \xNN. */
bool prop_encoded(struct udev_device *device, const char *name, char *to, size_t size);
bool prop_is(struct udev_device *device, const char *name, const char *value);

/* Reads a binary attribute; returns the bytes read, 0 when there is none. */
size_t attr_file(struct udev_device *device, const char *name, void *to, size_t size);
/* The device that has the hardware's attributes: SCSI device, NVMe controller, card; itself where
 * there is none. Borrowed from `device`. */
struct udev_device *attr_hardware(struct udev_device *device);

/* Cuts the mark that the kernel puts behind the path of a file without a name left. */
void attr_cut_deleted(char *path);

/* Turns \xNN into bytes and sanitises. */
char *attr_decode(char *to, size_t size, const char *encoded);

#endif
