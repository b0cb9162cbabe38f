/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is done to a copy that is complete and verified, because it was asked for: by the tools
 * made for it, each on a loop device over its part of the destination, which whoever calls holds
 * claimed. That needs no partition nodes, and reaches nothing but that part.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "after/loop_device.h"
#include "base/log.h"
#include "discover/disk.h"
#include "plan/identifiers.h"

#define AFTER_STEPS_MAX 48

struct after_step {
	unsigned partition; /* 0: the disk */
	bool failed;        /* it was not done, or not to its end */
	bool left;          /* a file that still names what the disk does not have any more */
	char what[128];     /* translated */
	char said[256];     /* why not, or the last words of the tool; "" nothing */
};

struct after_steps {
	struct after_step items[AFTER_STEPS_MAX];
	size_t count;
	bool more; /* there was no room for */
};

/* Returns NULL where there is no more room. */
struct after_step *after_add(struct after_steps *steps, unsigned partition, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The destination. */
struct after_disk {
	int fd; /* claimed */
	uint64_t size;
	/* Bytes from its start that the copy of a disk with its table takes. 0: the table is no
	 * part of the copy. */
	uint64_t table;
	uint32_t sector_size;
	/* What was copied as a whole, where it lies here. */
	const struct partition *partitions;
	size_t count;
	struct log *log;
};

/* Bytes of a partition; number 0: of the table and what it describes. False: that is not, or not as
 * a whole, what was copied. */
bool after_range(const struct after_disk *disk, unsigned partition, uint64_t *retstart,
		 uint64_t *retlength);

/* ---- identities.c ---- */

/* Gives each of them a new value that is not kept for a hidden system, except the groups of LVM:
 * after_groups() needs to know what became of the others. */
void after_identities(const struct after_disk *disk, const struct identifiers *old,
		      struct after_steps *steps);
void after_groups(const struct after_disk *disk, const struct identifiers *changed,
		  struct after_steps *steps);
/* The bytes that hold what the identifier names: a partition, a volume in it, or the whole disk. */
bool after_item_range(const struct after_disk *disk, const struct identifier *item,
		      uint64_t *retstart, uint64_t *retlength);
/* Why there is no such range: only a part was copied, or to another place; translated. */
const char *after_partly_copied(void);
/* A volume of LVM, and not a member or a group of it. */
bool after_is_volume(const struct identifier *item);

/* How one of them gets a new value. */
struct identity_way {
	const char *tool; /* "": none, and `why` says so */
	bool missing;     /* it is not installed */
	const char *why;  /* translated; "" */
};
void after_identity_way(const struct identifiers *list, size_t index, struct identity_way *ret);

/* ---- files.c ---- */

/* The files by which the system on the copy finds its disks, and that name an old identifier;
 * rewrite: by the one that took its place. */
void after_files(const struct after_disk *disk, const struct identifiers *changed, bool rewrite,
		 struct after_steps *steps);

/* Does a file system that can be looked into have an etc/fstab? A Btrfs cannot, before it has a new
 * UUID. */
bool after_has_fstab(const struct after_disk *disk, const struct identifiers *list);
/* Does GRUB for a BIOS have its folder in a volume of this group? Also where that cannot be told.
 */
bool after_grub_is_in(const struct after_disk *disk, const struct identifiers *changed,
		      const struct identifier *group);
/* A mount that nobody else sees: it has no place in the tree, and goes with its descriptor, however
 * this process ends. Its root, or a negative errno. */
int after_mount(const char *fs, const char *node, bool writable);

/* Of part of the disk: loop_attach(). */
static inline int after_loop(const struct after_disk *disk, uint64_t start, uint64_t length,
			     char node[static LOOP_NODE_MAX])
{
	return loop_attach(disk->fd,
			   &(struct loop_window){ .start = start,
						  .length = length,
						  .sector_size = disk->sector_size },
			   node);
}

/* ---- tool.c ---- */

/* In the system's own directories. */
bool after_tool_missing(const char *name);
/* Runs a tool from there for at most so long. Its exit status; -ENOENT: it
 * is not installed, -ETIMEDOUT, or another negative errno. `said`: its last line. argv ends with
 * NULL. */
int after_tool(const char *const *argv, unsigned seconds, struct log *log, char *said, size_t size);
