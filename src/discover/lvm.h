/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a member of an LVM group says of the group: its volumes, where they lie, and what they hold.
 * Read from the member itself: without LVM's tools or the device mapper, and without a look at any
 * other disk. Only reads; everything read is hostile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_source;
struct partition;

#define LVM_NAME_MAX    128
#define LVM_GROUPS_MAX  8
#define LVM_VOLUMES_MAX 32

struct volume_group {
	unsigned partition; /* of the member */
	char name[LVM_NAME_MAX];
	char uuid[64];
	size_t members; /* on whatever disks */
	bool reachable; /* each of its volumes lies in one piece on this member */
};

/* One that is no part of another. */
struct logical_volume {
	unsigned partition;          /* of the member */
	char name[2 * LVM_NAME_MAX]; /* "group/volume" */
	uint64_t start, length;      /* bytes, from the partition's start: its first piece here */
	bool reachable;              /* it has no other one, and no snapshot depends on it */
	char fs[32], label[128], uuid[64]; /* as of a partition */
};

struct volumes {
	struct volume_group groups[LVM_GROUPS_MAX];
	size_t group_count;
	struct logical_volume items[LVM_VOLUMES_MAX];
	size_t count;
};

/* Of all members among these partitions. What cannot be read, or is damaged, is left out. */
void lvm_find(const struct table_source *source, const struct partition *partitions, size_t count,
	      struct volumes *ret);
/* Of the member that is this partition; NULL: it is none, or nothing is known of its group. */
const struct volume_group *lvm_group(const struct volumes *volumes, unsigned partition);
