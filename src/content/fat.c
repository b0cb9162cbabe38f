/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FAT12, FAT16 and FAT32 (Microsoft, "FAT: General Overview of On-Disk Format", 1.03): a cluster is
 * free where its entry in the table is 0. Nothing else of the tables is followed, but a table
 * with values that no driver writes is not believed.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "content/reader_private.h"

/* Whole entries of each width, and whole sectors. */
#define CHUNK 196608U /* 3 * 64 KiB */

struct boot {
	uint8_t jump[3], name[8];
	uint16_t sector_size;
	uint8_t cluster_sectors;
	uint16_t reserved;
	uint8_t tables;
	uint16_t root_entries, sectors_16;
	uint8_t media;
	uint16_t table_sectors_16, geometry[2];
	uint32_t hidden, sectors_32;
	union {
		struct {
			uint8_t drive, state;
		} old; /* FAT12, FAT16 */
		struct {
			uint32_t table_sectors;
			uint16_t flags, version;
			uint32_t root_cluster;
			uint16_t info_sector, backup;
			uint8_t reserved[12], drive, state;
		} fat32;
	};
} __attribute__((packed));

struct fat {
	const struct volume *volume;
	struct content *content;
	unsigned bits; /* of an entry */
	unsigned tables;
	uint32_t clusters; /* the first is number 2 */
	uint32_t sector_size;
	uint64_t cluster_size, table, table_size, data;
	uint64_t free_from, free_count; /* cluster numbers; free_from 0: no free run is open */
};

/* The number of clusters alone says which FAT it is. */
static unsigned width(uint64_t clusters)
{
	return clusters < 4085 ? 12 : clusters < 65525 ? 16 : 32;
}

static bool understand(const struct boot *boot, struct fat *fat)
{
	uint64_t sector = le16toh(boot->sector_size);
	uint64_t per_cluster = boot->cluster_sectors, tables = boot->tables;
	uint64_t total = boot->sectors_16 ? le16toh(boot->sectors_16) : le32toh(boot->sectors_32);
	bool large = boot->table_sectors_16 == 0;
	uint64_t table =
		large ? le32toh(boot->fat32.table_sectors) : le16toh(boot->table_sectors_16);
	uint64_t first = le16toh(boot->reserved), data;

	if (!is_power_of_2(sector) || sector < 512 || sector > 4096 ||
	    !is_power_of_2(per_cluster) || first == 0 || tables < 1 || tables > 2 || table == 0)
		return false;
	data = first + tables * table + (le16toh(boot->root_entries) * 32ULL + sector - 1) / sector;
	if (data >= total || total > fat->volume->size / sector)
		return false;

	uint64_t clusters = (total - data) / per_cluster;

	fat->bits = width(clusters);
	if (clusters == 0 || clusters > 0x0ffffff5 || large != (fat->bits == 32) ||
	    table * sector < ((clusters + 2) * fat->bits + 7) / 8)
		return false;
	fat->tables = boot->tables;
	fat->clusters = (uint32_t)clusters;
	fat->sector_size = (uint32_t)sector;
	fat->cluster_size = per_cluster * sector;
	fat->table = first * sector;
	fat->table_size = table * sector;
	fat->data = data * sector;
	return true;
}

static uint32_t entry_at(const struct fat *fat, const unsigned char *table, uint32_t number)
{
	const unsigned char *p = table + (uint64_t)number * fat->bits / 8;

	if (fat->bits == 12)
		return (number & 1 ? p[0] >> 4 | p[1] << 4 : p[0] | p[1] << 8) & 0xfff;
	if (fat->bits == 16)
		return (uint32_t)(p[0] | p[1] << 8);
	return (p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24) &
	       0x0fffffff;
}

static int close_run(struct fat *fat, uint64_t end)
{
	uint64_t from = fat->free_from;

	fat->free_from = 0;
	if (from == 0)
		return 0;
	fat->free_count += end - from;
	return content_add_free(fat->volume, fat->content,
				fat->data + (from - 2) * fat->cluster_size,
				(end - from) * fat->cluster_size);
}

/* Entry 1 is where a driver notes, in its two highest bits, that all was put in order. */
static const char *first_entries(const struct fat *fat, const unsigned char *table)
{
	uint32_t entry = entry_at(fat, table, 1);

	if (fat->bits == 12)
		return NULL;
	if (!(entry >> (fat->bits == 32 ? 27 : 15) & 1))
		return _("it was not unmounted");
	if (!(entry >> (fat->bits == 32 ? 26 : 14) & 1))
		return _("it notes read or write errors");
	return NULL;
}

/* Numbers [from, to) of the table, which lie in this chunk. */
static int take_entries(struct fat *fat, const unsigned char *chunk, uint32_t from, uint32_t to)
{
	/* What is below it, and no cluster, means nothing. */
	uint32_t bad = fat->bits == 12 ? 0xff7 : fat->bits == 16 ? 0xfff7 : 0x0ffffff7;
	int r = 0;

	for (uint32_t number = from < 2 ? 2 : from; r == 0 && number < to; number++) {
		uint32_t entry = entry_at(fat, chunk, number - from);

		if (entry == 0) {
			if (fat->free_from == 0)
				fat->free_from = number;
			continue;
		}
		if (entry == 1 || (entry > fat->clusters + 1 && entry < bad))
			return doubt(fat->content, _("its table is damaged"));
		r = close_run(fat, number);
	}
	return r;
}

static int read_tables(struct fat *fat)
{
	CLEANUP(free) unsigned char *chunk = malloc(CHUNK);
	CLEANUP(free) unsigned char *other = malloc(CHUNK);
	uint64_t entries = (uint64_t)fat->clusters + 2, step = CHUNK * 8ULL / fat->bits;
	const char *why;
	int r = 0;

	if (!chunk || !other)
		return -ENOMEM;
	for (uint64_t from = 0; r == 0 && from < entries; from += step) {
		uint64_t to = from + step < entries ? from + step : entries;
		uint64_t offset = fat->table + from * fat->bits / 8;
		size_t size = (size_t)(((to - from) * fat->bits + 7) / 8);

		r = volume_read(fat->volume, offset, chunk, size);
		if (r == 0 && fat->tables == 2)
			r = volume_read(fat->volume, offset + fat->table_size, other, size);
		if (r < 0)
			return r;
		if (fat->tables == 2 && memcmp(chunk, other, size) != 0)
			return doubt(fat->content, _("its two tables differ"));
		why = from == 0 ? first_entries(fat, chunk) : NULL;
		if (why)
			return doubt(fat->content, why);
		r = take_entries(fat, chunk, (uint32_t)from, (uint32_t)to);
	}
	return r < 0 ? r : close_run(fat, entries);
}

/* The count of free clusters beside the table is only a hint, but of a volume in order it fits. */
static int check_info(const struct fat *fat, uint16_t sector)
{
	unsigned char info[512];
	uint32_t words[2], count;
	int r;

	if (sector == 0 || sector == 0xffff)
		return 0;
	r = volume_read(fat->volume, (uint64_t)sector * fat->sector_size, info, sizeof(info));
	if (r < 0)
		return r;
	memcpy(&words[0], info, 4);
	memcpy(&words[1], info + 484, 4);
	memcpy(&count, info + 488, 4);
	if (le32toh(words[0]) != 0x41615252 || le32toh(words[1]) != 0x61417272)
		return 0;
	if (count != 0xffffffff && le32toh(count) != fat->free_count)
		return doubt(fat->content, _("its count of free places does not fit its table"));
	return 0;
}

static int check_32(const struct fat *fat, const struct boot *boot)
{
	uint64_t root = le32toh(boot->fat32.root_cluster);

	if (root < 2 || root - 2 >= fat->clusters ||
	    content_calls_free(fat->volume, fat->content,
			       fat->data + (root - 2) * fat->cluster_size, fat->cluster_size))
		return doubt(fat->content, _("its table is damaged"));
	return check_info(fat, le16toh(boot->fat32.info_sector));
}

int content_fat(const struct volume *volume, struct content *content)
{
	struct fat fat = { .volume = volume, .content = content };
	unsigned char sector[512];
	struct boot boot;
	int r = volume_read(volume, 0, sector, sizeof(sector));

	if (r < 0)
		return r;
	memcpy(&boot, sector, sizeof(boot));
	if (sector[510] != 0x55 || sector[511] != 0xaa || !understand(&boot, &fat))
		return doubt(content, _("its boot sector makes no sense"));

	uint8_t state = fat.bits == 32 ? boot.fat32.state : boot.old.state;

	if (state & 1)
		return doubt(content, _("it was not unmounted"));
	if (state & 2)
		return doubt(content, _("it notes read or write errors"));
	/* Bit 7: only one of the tables is kept up to date. */
	if (fat.bits == 32 && (boot.fat32.version != 0 || le16toh(boot.fat32.flags) & 0x80))
		return doubt(content, _("it is of a version that is not known"));
	r = read_tables(&fat);
	if (r == 0 && fat.bits == 32)
		r = check_32(&fat, &boot);
	content->used_bytes = fat.data + (fat.clusters - fat.free_count) * fat.cluster_size;
	return r;
}
