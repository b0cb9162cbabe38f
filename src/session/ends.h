/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ends of a copy that was recorded, found in a list of disks by what they are: model, serial
 * number, WWN and size. Names, sequence numbers and device numbers change whenever a disk is
 * attached. Any thread; files and their disks are asked, which may take long.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "discover/disk.h"
#include "discover/endpoint.h"

/* Finds a recorded disk, partition or image. Among disks that look alike, it is the one that was
 * not detached since, and not that of `other`, the other recorded end. With -ESTALE, *ret is the
 * image that now has its name; -EAGAIN: the disk is attached, but its block node is not there yet.
 */
int ends_find(const struct disk_list *disks, const struct endpoint *recorded,
	      const struct endpoint *other, bool destination, struct endpoint *ret,
	      struct error *reterr);
/* Finds both ends that a map names. */
int ends_of_map(const struct disk_list *disks, const char *map_path, struct endpoint *source,
		struct endpoint *destination);
/* Is there anything but its name to tell this disk or partition from others? */
bool ends_have_label(const struct disk_list *disks, const struct endpoint *endpoint);
/* Was another medium than the recorded one perhaps put into the same drive? The serial number is
 * that of the drive. */
bool ends_medium_may_differ(const struct disk_list *disks, const struct endpoint *recorded,
			    const struct endpoint *found);
/* Is an image on the same file system, of the same disk, as according to another list? UNKNOWN:
 * that has no identity. */
enum tristate ends_same_file_system(const struct disk_list *before, const struct endpoint *recorded,
				    const struct disk_list *disks, const struct endpoint *found);
