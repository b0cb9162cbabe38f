/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any sectors as a file system: the first byte says of which kind, then come records of the number
 * of a sector (32 bits, little endian) and its 512 bytes; what no record names is zero. Checksums
 * are made to fit, since no fuzzer finds them. What is called free lies within the volume.
 */
#include "replay.h"

#include <endian.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "content/content.h"

#define SIZE   (128U << 20)
#define RECORD 516

static const char *const kinds[] = { "vfat", "exfat", "ntfs", "btrfs", "f2fs", "ext4", "xfs" };

static void get(int fd, uint64_t offset, void *bytes, size_t size)
{
	memset(bytes, 0, size);
	FUZZ_CHECK(pread(fd, bytes, size, (off_t)(offset % SIZE)) >= 0);
}

static void put(int fd, uint64_t offset, const void *bytes, size_t size)
{
	if (offset <= SIZE - size)
		FUZZ_CHECK(pwrite(fd, bytes, size, (off_t)offset) == (ssize_t)size);
}

static void mend_exfat(int fd)
{
	unsigned char region[11 * 512];
	uint32_t sum = 0, sums[128];

	get(fd, 0, region, sizeof(region));
	for (size_t i = 0; i < sizeof(region); i++)
		if (i != 106 && i != 107 && i != 112)
			sum = (sum >> 1 | sum << 31) + region[i];
	for (size_t i = 0; i < 128; i++)
		sums[i] = htole32(sum);
	put(fd, sizeof(region), sums, sizeof(sums));
}

static void mend_btrfs_block(int fd, uint64_t offset, size_t size)
{
	static unsigned char block[16384];
	uint32_t crc;

	get(fd, offset, block, size);
	crc = htole32(~crc32(~0U, 0x82f63b78U, block + 32, size - 32));
	put(fd, offset, &crc, sizeof(crc));
}

/* The superblock, and the root of the chunk tree by the first chunk that it knows. */
static void mend_btrfs(int fd)
{
	uint64_t root, logical, physical;

	mend_btrfs_block(fd, 65536, 4096);
	get(fd, 65536 + 0x58, &root, 8);
	get(fd, 65536 + 0x32b + 9, &logical, 8);
	get(fd, 65536 + 0x32b + 17 + 48 + 8, &physical, 8);
	physical = le64toh(physical) + le64toh(root) - le64toh(logical);
	if (physical < SIZE - 16384)
		mend_btrfs_block(fd, physical, 16384);
}

static void mend_f2fs(int fd)
{
	unsigned char block[4096];
	uint32_t crc, blocks;

	for (uint64_t at = 512; at <= 1024; at += 512) {
		get(fd, at * 4096 + 136, &blocks, sizeof(blocks));
		for (int last = 0; last < 2; last++) {
			uint64_t offset = (at + (last ? le32toh(blocks) % 512 - 1 : 0)) * 4096;

			get(fd, offset, block, sizeof(block));
			crc = htole32(crc32(0xf2f52010U, CRC32_IEEE, block, 4092));
			put(fd, offset + 4092, &crc, sizeof(crc));
		}
	}
}

static void check(const struct volume *volume, const char *fs)
{
	struct content content;
	uint64_t end = 0;

	FUZZ_CHECK(content_read(volume, fs, &content) == 0);
	FUZZ_CHECK(memchr(content.whole, '\0', sizeof(content.whole)));
	FUZZ_CHECK(!content.whole[0] || content.free.count == 0);
	for (size_t i = 0; i < content.free.count; i++) {
		FUZZ_CHECK(content.free.items[i].start >= end && content.free.items[i].count > 0);
		FUZZ_CHECK(range_end(content.free.items[i], &end));
		FUZZ_CHECK(end <= SIZE / volume->sector_size);
	}
	FUZZ_CHECK(content.used_bytes ==
		   SIZE - range_list_total(&content.free) * volume->sector_size);
	content_done(&content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct volume volume = { .size = SIZE, .sector_size = 512 };
	const char *fs;

	if (size == 0)
		return 0;
	volume.fd = memfd_create("volume", MFD_CLOEXEC);
	FUZZ_CHECK(volume.fd >= 0 && ftruncate(volume.fd, SIZE) == 0);
	fs = kinds[data[0] % (sizeof(kinds) / sizeof(kinds[0]))];
	for (data++, size--; size >= RECORD; data += RECORD, size -= RECORD) {
		uint32_t sector;

		memcpy(&sector, data, sizeof(sector));
		put(volume.fd, le32toh(sector) * 512ULL, data + 4, 512);
	}
	if (strcmp(fs, "exfat") == 0)
		mend_exfat(volume.fd);
	if (strcmp(fs, "btrfs") == 0)
		mend_btrfs(volume.fd);
	if (strcmp(fs, "f2fs") == 0)
		mend_f2fs(volume.fd);
	check(&volume, fs);
	volume.sector_size = 4096;
	check(&volume, fs);
	close(volume.fd);
	return 0;
}
