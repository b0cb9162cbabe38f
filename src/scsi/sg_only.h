/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disks that have only an sg node: no upper-level driver took them, as with the
 * members of a RAID controller's volumes, or it was unbound. What the block
 * layer says of other disks they are asked themselves, by SCSI commands.
 *
 * Such a disk's own node is its sg node (disk_is_sg_only(), endpoint_is_sg_only()).
 */
#pragma once

#include <stdint.h>

struct sg_only_size {
	uint64_t bytes;
	uint32_t logical_sector_size;  /* bytes */
	uint32_t physical_sector_size; /* bytes */
	uint32_t max_command;          /* bytes; 0 unknown */
};

/* READ CAPACITY by a descriptor of the sg node, which may be open for reading only. -EMEDIUMTYPE
 * for sectors of a size that is no power of two from 512 to 65,536; what the driver says, or what
 * scsi_judge() makes of the disk's answer: -EIO, -EACCES, -ENODEV, … */
int sg_only_measure(int fd, struct sg_only_size *ret);
/* Reads whole sectors; offset and length in bytes. 0 or negative errno. */
int sg_only_read(int fd, uint32_t sector_size, uint64_t offset, void *to, uint32_t length);
