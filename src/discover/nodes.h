/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The other nodes of a disk: sg, bsg, NVMe generic, raw bindings, and the
 * hwmon file of its temperature. Collected in one pass over all devices, then
 * handed out disk by disk.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "discover/disk.h"

struct nodes;

struct nodes *nodes_new(void); /* NULL without memory */
void nodes_destroy(struct nodes *nodes);
/* Remembers a device of the class scsi_generic, bsg, nvme-generic or hwmon by its path
 * ("/sys/devices/…/0:0:0:0/bsg/0:0:0:0"). -ENOMEM. */
int nodes_add(struct nodes *nodes, const char *class, const char *path);
/* Asks the raw driver for all bindings. -ENOENT: this kernel has none; -EACCES. */
int nodes_add_raw(struct nodes *nodes);
/* Sets sg, bsg, nvme_generic, raw and hwmon of the disk; raw bindings of its partitions
 * count as the disk's. */
void nodes_give(const struct nodes *nodes, struct disk *disk);

/* The sg nodes of disks to which the kernel gave no block node (no upper-level driver), one after
 * the other as their paths in sysfs; *at is 0 at first. False: no more. Tapes, optical drives and
 * enclosures are no disks. */
bool nodes_next_sg_only(const struct nodes *nodes, size_t *at, char *path, size_t size);

/* The version of the sg driver, "" unknown or not loaded, and its allow_dio. */
void nodes_sg_driver(char *version, size_t size, enum tristate *retdirect);

/* The device to which /dev/raw/raw<minor> is bound. -ENODEV: none; otherwise as nodes_add_raw(). */
int raw_binding(unsigned minor, dev_t *ret);
