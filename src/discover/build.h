/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list in the making: gathers all devices and what is known without opening them;
 * scan.c then reads the disks, and build_finish() puts both together.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "discover/disk.h"
#include "discover/scan_options.h"
#include "discover/table.h"
#include "discover/usage.h"

struct udev;
struct udev_device;

struct build {
	const struct scan_options *options;
	struct udev_device **blocks; /* disks and partitions, in no order */
	size_t block_count;
	struct nodes *nodes; /* the other nodes of disks */
	struct usage *usage;
	/* At first without uses and regions, partitions as the kernel has them. */
	struct disk_list *list;
	struct table *tables;    /* one per disk; empty: not read */
	const char **disk_paths; /* sysfs path of each disk, borrowed from blocks; NULL: sg only */
	dev_t *probed;           /* partitions whose contents are in udev's database */
	size_t probed_count;
};

/* Enumerates devices and gathers everything that needs no opening. */
int build_new(struct udev *udev, const struct scan_options *options, struct build **ret,
	      struct error *reterr);
/* A sentence for disk_list.missing: what could not be found out. 0 or -ENOMEM. */
int build_say_missing(struct build *build, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Hands the list over, complete and sorted. */
int build_finish(struct build *build, struct disk_list **ret, struct error *reterr);
void build_destroy(struct build *build); /* NULL is fine */
