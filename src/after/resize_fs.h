/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file system is made as large as its partition, which has grown, or smaller in an image, by its
 * own tool. */
#pragma once

#include "after/after.h"
#include "plan/plan.h"

/*
 * The file system `fs` in this partition: checked, grown, checked again, with what the tools say
 * in the log. Sets ret->state, which says before what is true of a failure.
 */
void grow_fs(const struct after_disk *disk, unsigned partition, const char *fs,
	     struct grown_fs *ret);
/* A partition of the destination, as Linux calls it; "PARTITION" of an image, where that depends on
 * how it is attached. */
const char *grow_fs_node(const struct plan *plan, unsigned number, char *buffer, size_t size);
/* What to type to do so; "" not known for this file system. */
const char *grow_fs_by_hand(const char *fs, const char *node, char *buffer, size_t size);

/* Why it cannot be grown here, translated; "" it can. */
const char *grow_fs_obstacle(const char *fs, char *buffer, size_t size);
/* What its tools are in, as Debian calls it; "" none. */
const char *resize_fs_package(const char *fs);

/* The file system `fs` in these bytes of an image file becomes so small, checked before and after.
 * As after_tool(): `said` is its last line. */
struct shrink_fs {
	int image; /* open for writing, without O_DIRECT */
	const char *fs;
	uint64_t start, length, bytes;
	uint32_t sector_size;
	struct log *log;
};
int shrink_fs(const struct shrink_fs *shrink, char *said, size_t size);

/* The UUID of a Btrfs, from the first bytes of its superblock; "" that is none. */
#define BTRFS_SUPER_PLACE 65536 /* bytes, from where the file system begins */
#define BTRFS_SUPER_HEAD  4096
void btrfs_uuid(const void *super, char ret[static UUID_TEXT_MAX]);
