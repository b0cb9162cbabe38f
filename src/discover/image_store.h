/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Image files read as the disks that they hold: partition table, partitions, file
 * systems. Everything in them is as little trusted as what a disk holds.
 *
 * What was read is kept, unchanged, until the end of the store: any thread may
 * borrow it, and a plan shows what was there when it was made. A file that has
 * changed is read again.
 */
#pragma once

#include <stdint.h>

#include "discover/disk.h"
#include "discover/endpoint.h"

struct image_store;

struct image_store *image_store_new(void);            /* NULL without memory */
void image_store_destroy(struct image_store *images); /* NULL is fine */

/*
 * The disk in this image, in sectors of the endpoint's logical size, or of the one that its table
 * was made for where the endpoint has none. Its node is the name of the file, shortened. Waits for
 * the file. NULL: no image, it does not exist, or there is no memory. A table that cannot be read
 * is "?".
 */
const struct disk *image_store_read(struct image_store *images, const struct endpoint *image);
/* The same as it was last read, without looking at the file; NULL: it was not. */
const struct disk *image_store_known(struct image_store *images, const struct endpoint *image);

/* The logical sector size, bytes, that the partition table in a file was made for; 512 where there
 * is none. */
uint32_t image_store_sector_size(int fd, uint64_t size);
