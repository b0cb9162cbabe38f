/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An endpoint: one side of a copy, as chosen. It says which bytes of which
 * device or file are meant, and which identity was seen when it was chosen;
 * the guard compares that again on the opened descriptor.
 *
 * Plain data, owns nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "discover/disk.h"

enum endpoint_kind {
	ENDPOINT_NONE,
	ENDPOINT_DISK,
	ENDPOINT_PARTITION, /* opened through its own node; start is where it lies on the disk */
	ENDPOINT_IMAGE,     /* regular file; as a destination it may not exist yet */
};

struct endpoint {
	enum endpoint_kind kind;
	char node[512];                /* what is opened: "/dev/sda", "/dev/sda2", "/srv/a.img" */
	char disk_node[64];            /* whole disk it lies on ("" for images) */
	char sg[64];                   /* sg node of that disk, "" none */
	char raw[32];                  /* raw binding that the user named, "" none */
	struct identity identity;      /* of the whole disk, or of the file */
	dev_t devno;                   /* of `node` itself */
	unsigned partition;            /* its number, 0 for a whole disk */
	uint64_t start;                /* bytes from the start of the disk (partitions), else 0 */
	uint64_t size;                 /* bytes; 0 for an image that does not exist yet */
	uint32_t logical_sector_size;  /* bytes; images: of the source what its table
					* was made for, 0 (any) as destination */
	uint32_t physical_sector_size; /* bytes */
	bool exists;                   /* false: an image file to be created */
	char gone[64]; /* of a recorded device that is not attached any more: what was its
			* disk_node; of an image that is lost: its path, perhaps cut; "" it is
			* there */
};

/* A disk or a partition. */
static inline bool endpoint_is_device(const struct endpoint *endpoint)
{
	return endpoint->kind == ENDPOINT_DISK || endpoint->kind == ENDPOINT_PARTITION;
}

/* A whole disk, or an image of one. */
static inline bool endpoint_is_whole_disk(const struct endpoint *endpoint)
{
	return endpoint->kind == ENDPOINT_DISK || endpoint->kind == ENDPOINT_IMAGE;
}

/*
 * Finds what the user named: a node, a partition, /dev/sgN, /dev/raw/rawN, any
 * symbolic link to them, serial=…, wwn=…, or the path of an image file. A path
 * below /dev that does not exist is an error, never a new file. A serial or
 * wwn that fits several disks is an error that names them. A file that is no raw
 * image (container.h), a pipe and "-" are errors that say what to do instead.
 * -ENODEV, -EINVAL, -EACCES, …; class USAGE or ENVIRONMENT.
 */
int endpoint_resolve(const struct disk_list *disks, const char *text, bool destination,
		     struct endpoint *ret, struct error *reterr);
/* The same for an image file that a copy was begun with: what it holds was judged then, and may by
 * now be the beginning of anything. */
int endpoint_resolve_recorded(const struct disk_list *disks, const char *path, bool destination,
			      struct endpoint *ret, struct error *reterr);

void endpoint_from_disk(const struct disk *disk, struct endpoint *ret);
void endpoint_from_partition(const struct disk *disk, const struct partition *partition,
			     struct endpoint *ret);
/* The disk in the list that contains the endpoint, by identity (among several that look alike, by
 * device number), or NULL. */
const struct disk *endpoint_disk(const struct disk_list *disks, const struct endpoint *endpoint);
/* Of a recorded device that is not attached any more: only what it is called and what is on its
 * label stays, since its node and numbers may be another disk's by now. */
void endpoint_set_gone(struct endpoint *endpoint);
/* disk_is_sg_only() */
bool endpoint_is_sg_only(const struct endpoint *endpoint);
/* When the inode of a file was made (struct identity), by descriptor, or by path with AT_FDCWD. */
uint64_t endpoint_file_born(int fd, const char *path);
/* For an image: false if its file system invents inode numbers at every mount (FAT, exFAT, most of
 * FUSE and SMB) or at the first write (overlay), so that neither they nor their age can be relied
 * on later. */
bool endpoint_inode_lasts(const struct endpoint *endpoint);
/* A path as a keyboard can enter it: as it is or, with anything else in it, as text_encode() writes
 * it (base/text.h). Returns `buffer`. */
const char *endpoint_typeable(const char *path, char *buffer, size_t size);
/* What must be typed to confirm writing to it: the end of the serial number; the node, if another
 * disk's serial number ends alike; the path of an image file, as endpoint_typeable() writes it. */
const char *endpoint_token(const struct disk_list *disks, const struct endpoint *endpoint,
			   char buffer[static 512]);
