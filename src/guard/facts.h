/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts that rules need besides plan and disks: on which disks files are, how
 * much room there is, what is mounted for writing, what is still attached. Only
 * reads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "discover/disk.h"
#include "discover/lvm.h"
#include "guard/storage.h"
#include "plan/plan.h"

#define GUARD_BELOW_MAX 16
#define GUARD_SHOWS_MAX 160

/* Where a file lies or will lie, and every block device below its file system. */
struct guard_place {
	char path[512]; /* "" when there is no such file in this plan */
	bool in_memory; /* tmpfs, ramfs, or an overlay or loop file on one */
	bool complete;  /* all devices below it were found */
	bool gone;      /* a device below it is not attached any more */
	struct {
		dev_t devno;    /* partition or disk */
		char disk[64];  /* node of the whole disk */
		bool partition; /* of it */
		bool by_file;   /* a file lies between */
		bool bottom;    /* it lies on nothing else */
	} below[GUARD_BELOW_MAX];
	size_t below_count;
	/* That loop devices of those were put over, but for files on file systems on them. */
	struct storage files[GUARD_BELOW_MAX];
	size_t file_count;
};

/* How much of a disk there is, by its own word. */
struct guard_reach {
	uint64_t open;  /* bytes that the disk lets others reach; 0 unknown */
	uint64_t whole; /* bytes that there are, with what its settings hide; 0 unknown */
};

/* Who writes, or can write at any moment, to an end or a part of it: through everything that is
 * built upon it, or beside it to the same file. */
struct end_writers {
	char mount[256]; /* where it is mounted read-write; "" nowhere */
	char other[256]; /* "qemu-system-x86 (process 1944) has /dev/dm-3 open for writing",
			  * translated; "" nobody */
};

/* What rules need to know besides plan and disks. */
struct guard_facts {
	const struct disk_list *disks; /* borrowed */
	bool root;
	struct guard_place log_dir;
	struct guard_place map; /* a map file outside the log directory */
	struct guard_place source_image, destination_image;
	struct guard_place source_below; /* what a dm, md or loop source is made of */
	struct guard_place destination_below;
	uint64_t image_free; /* bytes free where a destination image goes */
	bool image_free_known;
	bool image_dense;          /* its file system has no holes: zeros take space, too */
	uint64_t image_limit;      /* bytes, largest file its file system can hold; 0 unknown */
	uint64_t source_allocated; /* bytes that a source image really takes */
	bool source_allocated_known;
	/* The disks in images at the ends; NULL: no image, or it could not be read. Not by
	 * facts_gather(). */
	const struct disk *source_contents, *destination_contents;
	/* Of the LVM members on the source, as far as they were read. Not by facts_gather(). */
	struct volumes volumes;
	/* The source has boot code or a loader. Not by facts_gather(). */
	bool starts;
	/* Both ends lead to one file, an image and a loop device over it, or to one device, two
	 * loop devices over that. */
	bool same_storage;
	/* A destination image, or the file of a loop device, is an active swap file. */
	bool destination_swap;
	/* The loop device over a destination image, or another one over a file that the destination
	 * is made of; "" none. */
	char destination_loop[64];
	struct end_writers source_writers, destination_writers;
	/* Not by facts_gather(): */
	struct guard_reach source_reach, destination_reach;
	bool source_fails;  /* it says so itself, has sectors that it moved or could not read, or
			     * the copy could not read some; not asked where the plan knows */
	bool table_can_fit; /* one for the size of the destination can be made; not asked for */
	/* What facts_look_at() has found on a destination that is half made, and on which nothing
	 * may show yet; "" nothing. */
	char shows[GUARD_SHOWS_MAX];
	/* What of the source can start a machine, translated; "" not known, or not copied. */
	char boots[400];
	/* Which partitions are copied whole although only what is used was asked for, or first, and
	 * why, translated; "" none. One of them has a known file system. */
	char whole[300];
	bool whole_known;
};

/* Uses only the ends of the plan. log_dir and map_path may be NULL and need not exist yet. */
void facts_gather(const struct plan *plan, const struct disk_list *disks, const char *log_dir,
		  const char *map_path, struct guard_facts *ret);

/* disks tells what each of them is; NULL: not known. Reads /proc: not for a thread that draws. */
void facts_find_writers(const struct endpoint *source, const struct disk_list *disks,
			struct end_writers *ret);

/* Reads what is recognised before this byte of a device: a table with its partitions, a file
 * system, as table_print() says it; "" nothing, or unreadable. */
void facts_look_at(const struct endpoint *endpoint, uint64_t end, char ret[static GUARD_SHOWS_MAX]);

/* What a file with this path, which need not exist yet, lies on. */
void facts_find_path(const char *path, struct guard_place *ret);
/* Does it lie on the endpoint's bytes? What cannot be found out is no. */
bool facts_path_on(const char *path, const struct endpoint *endpoint);
/* Is that file, under any name, the endpoint's own: the image, or the file of a loop device? False
 * for a file that does not exist. */
bool facts_is_storage(const char *path, const struct endpoint *endpoint);

/* What an end lies on: a device's own node and all below it, or all below an image that is
 * there. */
void facts_find_place(const struct endpoint *endpoint, struct guard_place *ret);
/* Is any device below the place the endpoint, or a part of it? */
bool facts_place_on(const struct guard_place *place, const struct endpoint *endpoint);
/* The same, but for what lies there as a file. */
bool facts_made_of(const struct guard_place *place, const struct endpoint *endpoint);
/* Is any device below the place on the same disk as the endpoint? */
bool facts_place_beside(const struct guard_place *place, const struct endpoint *endpoint);
/* Is any disk of the place still attached? Yes where not all of them are known. Asks the kernel
 * alone, never a disk. */
bool facts_place_present(const struct guard_place *place);
