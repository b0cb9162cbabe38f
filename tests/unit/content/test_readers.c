/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Readers on file systems that their own tools made: what they take, what they doubt, and bytes
 * that are not as they should be.
 */
#include "unit.h"

#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "content/content.h"

#define MIB   (1ULL << 20)
#define SMALL (512U << 10) /* free places below it are nobody's concern, on either side of one */

struct made {
	const char *fs, *command;
	uint64_t size;
	/* Nothing but the boot sector itself says whether its numbers are right. */
	uint64_t trusted;
};

static const struct made made[] = {
	{ "vfat", "mkfs.vfat -F 12", 15 * MIB, 512 },
	{ "vfat", "mkfs.vfat -F 16", 40 * MIB, 512 },
	{ "vfat", "mkfs.vfat -F 32", 70 * MIB, 512 },
	{ "exfat", "mkfs.exfat", 40 * MIB, 0 },
	{ "ntfs", "mkntfs -F -Q -q -s 512", 40 * MIB, 512 },
	{ "btrfs", "mkfs.btrfs -q", 200 * MIB, 0 },
	{ "f2fs", "mkfs.f2fs -q", 100 * MIB, 0 },
	{ "ext4", "mke2fs -q -F -t ext4", 100 * MIB, 0 },
	{ "ext4", "mke2fs -q -F -t ext4 -O bigalloc,meta_bg,^resize_inode", 100 * MIB, 0 },
	/* Groups that nothing was written to, with bitmaps and tables of their own. */
	{ "ext4", "mke2fs -q -F -t ext4 -b 1024 -O ^flex_bg", 100 * MIB, 0 },
	{ "ext4", "mke2fs -q -F -t ext3 -b 1024 -O uninit_bg", 100 * MIB, 0 },
	{ "xfs", "mkfs.xfs -q -f", 320 * MIB, 0 },
};
enum {
	FAT_12,
	FAT_16,
	FAT_32,
	EXFAT,
	NTFS,
	BTRFS,
	F2FS,
	EXT4,
	EXT4_CLUSTERS,
	EXT4_GROUPS,
	EXT3_GROUPS,
	XFS,
	KINDS
};

static char path[256];

static struct volume volume;

static void make(int kind)
{
	const char *folder = getenv("TMPDIR");
	char command[512];

	volume = (struct volume){ .size = made[kind].size, .sector_size = 512 };
	snprintf(path, sizeof(path), "%s/readers.XXXXXX", folder ? folder : "/tmp");
	volume.fd = mkstemp(path);
	ck_assert_int_ge(volume.fd, 0);
	ck_assert_int_eq(ftruncate(volume.fd, (off_t)volume.size), 0);
	snprintf(command, sizeof(command), "%s %s >/dev/null", made[kind].command, path);
	ck_assert_int_eq(system(command), 0);
	unlink(path);
}

static void get(uint64_t offset, void *bytes, size_t size)
{
	ck_assert_int_eq(pread(volume.fd, bytes, size, (off_t)offset), (ssize_t)size);
}

static void put(uint64_t offset, const void *bytes, size_t size)
{
	ck_assert_int_eq(pwrite(volume.fd, bytes, size, (off_t)offset), (ssize_t)size);
}

static void put_byte(uint64_t offset, uint8_t byte)
{
	put(offset, &byte, 1);
}

static struct content read_it(int kind)
{
	struct content content;

	ck_assert_int_eq(content_read(&volume, made[kind].fs, &content), 0);
	return content;
}

static void assert_whole(int kind, const char *why)
{
	struct content content = read_it(kind);

	ck_assert_str_eq(content.whole, why);
	ck_assert_uint_eq(content.free.count, 0);
	ck_assert_uint_eq(content.used_bytes, volume.size);
	content_done(&content);
}

static void assert_taken(int kind)
{
	struct content content = read_it(kind);

	ck_assert_str_eq(content.whole, "");
	ck_assert_uint_gt(content.free.count, 0);
	content_done(&content);
}

static void teardown(void)
{
	close(volume.fd);
}

UNIT_CASE(.teardown = teardown, .timeout = 60);

TEST_ROWS(new_ones_are_taken, KINDS)
{
	make(_i);
	struct content content = read_it(_i);

	ck_assert_str_eq(content.whole, "");
	ck_assert_uint_lt(content.used_bytes, volume.size - volume.size / 3);
	content_done(&content);
	/* Clusters smaller than a sector of the disk. */
	volume.sector_size = 4096;
	content = read_it(_i);
	ck_assert_str_eq(content.whole, "");
	ck_assert_uint_lt(content.used_bytes, volume.size - volume.size / 3);
	content_done(&content);
}

TEST_ROWS(larger_than_its_partition, KINDS)
{
	make(_i);
	struct content content;

	for (int i = 0; i < 3; i++) {
		volume.size = i == 0 ? volume.size - 1 * MIB : i == 1 ? 70000 : 300;
		content = read_it(_i);
		ck_assert_str_ne(content.whole, "");
		content_done(&content);
	}
}

/* Places that hold anything, of the first that do. */
static size_t find_sectors(uint64_t *places, size_t room)
{
	static const unsigned char none[512];
	unsigned char sector[512];
	size_t count = 0;
	off_t at = 0;

	while (count < room && (at = lseek(volume.fd, at, SEEK_DATA)) >= 0 &&
	       (uint64_t)at < volume.size) {
		get((uint64_t)at, sector, sizeof(sector));
		if (memcmp(sector, none, sizeof(sector)) != 0)
			places[count++] = (uint64_t)at;
		at += 512;
	}
	return count;
}

/* Nothing, or hardly more than a byte of a map can say, is free that was not. */
static void assert_no_more_free(const struct content *before, const struct content *after,
				uint64_t place)
{
	struct range_list more = { 0 };

	ck_assert_int_eq(range_list_copy(&after->free, &more), 0);
	ck_assert_int_eq(range_list_subtract_all(&more, &before->free), 0);
	ck_assert_msg(range_list_total(&more) * 512 <= 8 * 4096 + 2 * SMALL,
		      "a byte at %llu frees %llu bytes", (unsigned long long)place,
		      (unsigned long long)range_list_total(&more) * 512);
	range_list_done(&more);
}

TEST_ROWS(damaged_bytes_free_nothing, KINDS)
{
	make(_i);
	struct content before = read_it(_i), after;
	static uint64_t places[4096];
	size_t count = find_sectors(places, 4096);
	uint64_t state = 17;

	ck_assert_uint_gt(count, 2);
	for (int i = 0; i < 300; i++) {
		uint64_t random = splitmix64(state++);
		uint64_t place = places[random % count] + (random >> 32) % 512;
		uint8_t byte, damaged;

		get(place, &byte, 1);
		damaged = random >> 60 ? byte ^ (uint8_t)(1U << (random >> 56) % 8)
				       : (uint8_t)(random >> 48);
		put_byte(place, damaged);
		after = read_it(_i);
		if (place >= made[_i].trusted)
			assert_no_more_free(&before, &after, place);
		content_done(&after);
		put_byte(place, byte);
	}
	content_done(&before);
}

TEST(fat_that_was_not_left_in_order)
{
	make(FAT_16);
	uint16_t entry, reserved;
	uint64_t table;

	put_byte(0x25, 1);
	assert_whole(FAT_16, "it was not unmounted");
	put_byte(0x25, 2);
	assert_whole(FAT_16, "it notes read or write errors");
	put_byte(0x25, 0);
	get(14, &reserved, 2);
	table = le16toh(reserved) * 512ULL;
	for (int copy = 0; copy < 2; copy++) {
		uint16_t sectors;

		get(22, &sectors, 2);
		entry = htole16(0x7fff);
		put(table + copy * le16toh(sectors) * 512ULL + 2, &entry, 2);
		assert_whole(FAT_16, copy == 0 ? "its two tables differ" : "it was not unmounted");
	}
}

TEST(fat_12_knows_its_entries)
{
	/* Clusters 2 to 1001 are used, 1002 to the end free: the border lies in the middle of a
	 * byte. */
	make(FAT_12);
	unsigned char table[3000];
	uint16_t reserved, sectors;
	struct content content;

	memset(table, 0xff, sizeof(table));
	get(14, &reserved, 2);
	get(22, &sectors, 2);
	for (int copy = 0; copy < 2; copy++)
		put((le16toh(reserved) + copy * le16toh(sectors)) * 512ULL + 3, table, 1500);
	content = read_it(FAT_12);
	ck_assert_str_eq(content.whole, "");
	ck_assert_uint_eq(content.free.count, 1);
	/* Behind the tables, 512 entries of the root directory and 1,000 clusters of 4 KiB. */
	ck_assert_uint_eq(content.free.items[0].start,
			  le16toh(reserved) + 2 * le16toh(sectors) + 32 + 1000 * 8);
	content_done(&content);
}

TEST(exfat_that_was_not_left_in_order)
{
	make(EXFAT);
	uint8_t serial;

	put_byte(106, 2);
	assert_whole(EXFAT, "it was not unmounted");
	put_byte(106, 4);
	assert_whole(EXFAT, "it notes read or write errors");
	put_byte(106, 0);
	put_byte(110, 2);
	assert_whole(EXFAT, "it is of a version that is not known");
	put_byte(110, 1);
	assert_taken(EXFAT);
	/* In its serial number, which is another one each time. */
	get(100, &serial, sizeof(serial));
	put_byte(100, (uint8_t)~serial);
	assert_whole(EXFAT, "the checksum of its boot sectors is wrong");
}

TEST(ntfs_log_that_holds_work)
{
	/* Record 2 of the table, at cluster 4, is the log; made by mkntfs it is wiped. Two restart
	 * pages, of version 1.1, with a client, first clean, then not. */
	make(NTFS);
	unsigned char page[4096] = "RSTR";
	uint64_t log = 0;

	static const unsigned char wiped[4096] = { [0 ... 4095] = 0xff };
	unsigned char found[4096];

	for (uint64_t at = 0; at < volume.size && log == 0; at += 4096) {
		get(at, found, sizeof(found));
		if (memcmp(found, wiped, sizeof(found)) == 0)
			log = at;
	}
	ck_assert_uint_gt(log, 0);
	page[4] = 30; /* fixups: here, and how many */
	page[6] = 9;
	page[17] = page[21] = 0x10; /* pages of 4096 */
	page[24] = 48;
	page[26] = page[28] = 1;
	page[48 + 14] = 2; /* clean */
	put(log, page, sizeof(page));
	assert_whole(NTFS, "its file table is damaged");
	put(log + 4096, page, sizeof(page));
	assert_taken(NTFS);
	put_byte(log + 48 + 14, 0);
	assert_whole(NTFS, "its log holds work not finished");
	/* Older than the other: that one counts. */
	put_byte(log + 4096 + 48, 1);
	assert_taken(NTFS);
	put_byte(log + 4096 + 28, 2);
	assert_whole(NTFS, "Windows still has it open (fast start)");
}

/* The checksum of the superblock after a change. */
static void btrfs_put(uint64_t offset, uint64_t value)
{
	static unsigned char super[4096];
	uint64_t le = htole64(value);

	get(65536, super, sizeof(super));
	memcpy(super + offset, &le, sizeof(le));
	uint32_t crc = htole32(~crc32(~0U, 0x82f63b78U, super + 32, sizeof(super) - 32));

	memcpy(super, &crc, sizeof(crc));
	put(65536, super, sizeof(super));
}

TEST(btrfs_that_is_in_doubt)
{
	static const struct {
		uint64_t offset, value;
		const char *why;
	} cases[] = {
		{ 0x60, 1 << 20, "it was not unmounted" },
		{ 0x88, 2, "it lies on several devices" },
		{ 0xb4, 1ULL << 40, "it has features that are not known" },
		{ 0xbc, 1ULL << 12, "it has features that are not known" },
		{ 0x38, 1ULL << 32 | 1, "it notes errors or work not finished" },
		{ 0x58, 12345, "its tree of chunks is damaged" },
		{ 0xc9 + 16, 4096, "its tree of chunks is damaged" },
	};
	make(BTRFS);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t before;

		get(65536 + cases[i].offset, &before, sizeof(before));
		btrfs_put(cases[i].offset, cases[i].value);
		assert_whole(BTRFS, cases[i].why);
		btrfs_put(cases[i].offset, le64toh(before));
		assert_taken(BTRFS);
	}
	put_byte(65536 + 100, 0x77);
	assert_whole(BTRFS, "the checksum of its superblock is wrong");
}

/* In both blocks of both packs, with their checksums. */
static void f2fs_flags(uint32_t set, uint32_t clear)
{
	static unsigned char block[4096];
	uint32_t flags, blocks, crc;

	for (uint64_t pack = 0; pack < 2; pack++)
		for (int last = 0; last < 2; last++) {
			uint64_t at = (512 + pack * 512) * 4096;

			get(at + 136, &blocks, 4);
			at += last ? (le32toh(blocks) - 1) * 4096ULL : 0;
			get(at, block, sizeof(block));
			memcpy(&flags, block + 132, 4);
			flags = htole32((le32toh(flags) | set) & ~clear);
			memcpy(block + 132, &flags, 4);
			crc = htole32(crc32(0xf2f52010U, CRC32_IEEE, block, 4092));
			memcpy(block + 4092, &crc, 4);
			put(at, block, sizeof(block));
		}
}

TEST(f2fs_that_is_in_doubt)
{
	static const uint32_t doubtful[] = { 0x2, 0x8, 0x10, 0x800, 0x1000, 0x4000 };
	make(F2FS);

	f2fs_flags(0, 1);
	assert_whole(F2FS, "it was not unmounted");
	f2fs_flags(1, 0);
	assert_taken(F2FS);
	for (size_t i = 0; i < ARRAY_SIZE(doubtful); i++) {
		f2fs_flags(doubtful[i], 0);
		assert_whole(F2FS, "it notes errors or work not finished");
		f2fs_flags(0, doubtful[i]);
	}
	/* A node that was made safe after the checkpoint, at the next free place of its kind. */
	uint32_t main_block, segment;
	uint16_t offset;
	uint64_t version[2], at;

	get(1024 + 92, &main_block, 4);
	get(512 * 4096, &version[0], 8);
	get(1024 * 4096, &version[1], 8);
	at = le64toh(version[1]) > le64toh(version[0]) ? 1024 * 4096 : 512 * 4096;
	get(at, &version[0], 8);
	get(at + 40, &segment, 4);
	get(at + 70, &offset, 2);
	at = (le32toh(main_block) + le32toh(segment) * 512ULL + le16toh(offset) + 1) * 4096 - 12;
	put(at, &version[0], 8);
	assert_whole(F2FS, "it was not unmounted");
	put(at, "\0\0\0\0\0\0\0\0", 8);
	assert_taken(F2FS);
	put_byte(512 * 4096 + 8, 0x99);
	put_byte(1024 * 4096 + 8, 0x99);
	assert_whole(F2FS, "none of its checkpoints is whole");
}

/* In a partition that is larger: they end where they did, to the last block or cluster. */
TEST_ROWS(its_own_size, KINDS)
{
	make(_i);
	unsigned char noise[4096];
	struct content content;

	volume.size += 8 * MIB;
	ck_assert_int_eq(ftruncate(volume.fd, (off_t)volume.size), 0);
	ck_assert_uint_le(content_size(&volume, made[_i].fs), made[_i].size);
	ck_assert_uint_gt(content_size(&volume, made[_i].fs), made[_i].size - 4 * MIB);
	/* One that is larger than its partition is copied whole. */
	volume.size = made[_i].size / 2;
	ck_assert_uint_gt(content_size(&volume, made[_i].fs), volume.size);
	ck_assert_int_eq(content_read(&volume, made[_i].fs, &content), 0);
	ck_assert_str_eq(content.whole, "it is larger than the partition or disk in which it lies");
	ck_assert_uint_eq(content.used_bytes, volume.size);
	content_done(&content);
	/* One that another one is said to be, or that has no sense, says nothing. */
	ck_assert_uint_eq(content_size(&volume, "swap"), volume.size);
	ck_assert_uint_eq(content_size(&volume, ""), volume.size);
	memset(noise, 0xff, sizeof(noise));
	put(0, noise, sizeof(noise));
	put(65536, noise, sizeof(noise));
	ck_assert_uint_eq(content_size(&volume, made[_i].fs), volume.size);
}
