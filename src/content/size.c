/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How large a file system says it is: what lies behind that in its partition is nobody's. */
#include <endian.h>
#include <string.h>

#include "base/array.h"
#include "content/content.h"

#define FIRST 4096U /* bytes: what most of them say about themselves lies in these */

static uint64_t little(const unsigned char *p, unsigned bytes)
{
	uint64_t n = 0;

	while (bytes--)
		n = n << 8 | p[bytes];
	return n;
}

/* Each: bytes, 0 if it cannot be. `first`: the first bytes of the volume, or from `at` on. */

static uint64_t size_of_ext(const unsigned char *first)
{
	const unsigned char *super = first + 1024;
	uint64_t blocks = little(super + 4, 4), bytes;

	if (little(super + 0x38, 2) != 0xef53 || little(super + 0x18, 4) > 6)
		return 0;
	if (little(super + 0x60, 4) & 0x80) /* 64bit */
		blocks |= little(super + 0x150, 4) << 32;
	return u64_mul(blocks, 1024ULL << little(super + 0x18, 4), &bytes) ? bytes : 0;
}

static uint64_t size_of_xfs(const unsigned char *first)
{
	uint32_t block;
	uint64_t blocks, bytes;

	memcpy(&block, first + 4, sizeof(block));
	memcpy(&blocks, first + 8, sizeof(blocks));
	return memcmp(first, "XFSB", 4) == 0 && u64_mul(be64toh(blocks), be32toh(block), &bytes)
		       ? bytes
		       : 0;
}

/* With the backup of its boot sector, which it does not count. */
static uint64_t size_of_ntfs(const unsigned char *first)
{
	uint64_t sectors = little(first + 0x28, 8), bytes;

	return memcmp(first + 3, "NTFS    ", 8) == 0 && u64_add(sectors, 1, &sectors) &&
			       u64_mul(sectors, little(first + 0x0b, 2), &bytes)
		       ? bytes
		       : 0;
}

static uint64_t size_of_fat(const unsigned char *first)
{
	uint64_t sectors = little(first + 0x13, 2);

	if (!sectors)
		sectors = little(first + 0x20, 4);
	return little(first + 510, 2) == 0xaa55 ? sectors * little(first + 0x0b, 2) : 0;
}

static uint64_t size_of_exfat(const unsigned char *first)
{
	uint64_t bytes;

	return memcmp(first + 3, "EXFAT   ", 8) == 0 && first[0x6c] >= 9 && first[0x6c] <= 12 &&
			       u64_mul(little(first + 0x48, 8), 1ULL << first[0x6c], &bytes)
		       ? bytes
		       : 0;
}

static uint64_t size_of_f2fs(const unsigned char *first)
{
	const unsigned char *super = first + 1024;
	uint64_t bytes;

	return little(super, 4) == 0xf2f52010 && little(super + 16, 4) == 12 &&
			       u64_mul(little(super + 36, 8), 4096, &bytes)
		       ? bytes
		       : 0;
}

/* The bytes on this device alone: a file system may have several. */
static uint64_t size_of_btrfs(const unsigned char *first)
{
	return memcmp(first + 0x40, "_BHRfS_M", 8) == 0 ? little(first + 0xc9 + 8, 8) : 0;
}

static uint64_t size_of_swap(const unsigned char *first)
{
	return memcmp(first + FIRST - 10, "SWAPSPACE2", 10) == 0 && little(first + 1024, 4) == 1
		       ? (little(first + 1028, 4) + 1) * FIRST
		       : 0;
}

static const struct {
	const char *fs;
	uint64_t at;
	uint64_t (*size)(const unsigned char *first);
} sizes[] = {
	{ "ext2", 0, size_of_ext },        { "ext3", 0, size_of_ext },  { "ext4", 0, size_of_ext },
	{ "xfs", 0, size_of_xfs },         { "ntfs", 0, size_of_ntfs }, { "vfat", 0, size_of_fat },
	{ "exfat", 0, size_of_exfat },     { "f2fs", 0, size_of_f2fs }, { "swap", 0, size_of_swap },
	{ "btrfs", 65536, size_of_btrfs },
};

uint64_t content_size(const struct volume *volume, const char *fs)
{
	unsigned char first[FIRST];

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (strcmp(sizes[i].fs, fs) != 0)
			continue;
		if (volume_read(volume, sizes[i].at, first, sizeof(first)) < 0)
			return volume->size;
		uint64_t bytes = sizes[i].size(first);

		return bytes ? bytes : volume->size;
	}
	return volume->size;
}
