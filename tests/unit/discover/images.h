/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disk images for tests, made byte by byte so that they can be wrong in every
 * way: GPT, MS-DOS tables, swap signatures with any label.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct image {
	uint8_t *bytes;
	uint64_t sectors;
	uint32_t sector_size;
};

struct gpt_partition {
	uint64_t first, last;
	const uint16_t *name; /* up to 36 units, ends at 0 */
};

void image_new(struct image *image, uint64_t sectors, uint32_t sector_size);
void image_free(struct image *image);
/* A descriptor of a file without a name that holds the image. */
int image_fd(const struct image *image);
void image_write_file(const struct image *image, const char *path);

/* Both copies, in order; entries at LBA 2 and before the last one. */
void image_gpt(struct image *image, const struct gpt_partition *partitions, size_t count);
/* Entry 0…3 of the boot record at `lba`; start is what is written there. */
void image_dos_entry(struct image *image, uint64_t lba, int entry, uint8_t type, uint32_t start,
		     uint32_t sectors);
/* Swap space at the sector, label of up to 16 bytes. */
void image_swap(struct image *image, uint64_t lba, uint64_t sectors, const char *label);
/* A BSD disklabel of the whole disk: a file system in the first half, swap behind it. */
void image_bsd(struct image *image);
