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

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "boot/fat.h"
#include "content/reader.h"

/* Entries of each width fill it, and sectors. */
#define CHUNK 196608U /* 3 * 64 KiB */

struct reading {
	const struct volume *volume;
	struct content *content;
	struct fat fat;
	uint64_t free_from, free_count; /* cluster numbers; free_from 0: no free run is open */
};

static uint32_t entry_at(const struct fat *fat, const unsigned char *table, uint32_t number)
{
	const unsigned char *p = table + (uint64_t)number * fat->bits / 8;

	if (fat->bits == 12)
		return (number & 1 ? p[0] >> 4 | p[1] << 4 : p[0] | p[1] << 8) & 0xfff;
	if (fat->bits == 16)
		return (uint32_t)bytes_little(p, 2);
	return bytes_little(p, 4) & 0x0fffffff;
}

static int close_run(struct reading *reading, uint64_t end)
{
	const struct fat *fat = &reading->fat;
	uint64_t from = reading->free_from;

	reading->free_from = 0;
	if (from == 0)
		return 0;
	reading->free_count += end - from;
	return content_add_free(reading->volume, reading->content,
				fat->data + (from - 2) * fat->cluster, (end - from) * fat->cluster);
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
static int take_entries(struct reading *reading, const unsigned char *chunk, uint32_t from,
			uint32_t to)
{
	const struct fat *fat = &reading->fat;
	/* Numbers below this one that are no clusters have no meaning. */
	uint32_t bad = fat->bits == 12 ? 0xff7 : fat->bits == 16 ? 0xfff7 : 0x0ffffff7;
	int r = 0;

	for (uint32_t number = from < 2 ? 2 : from; r == 0 && number < to; number++) {
		uint32_t entry = entry_at(fat, chunk, number - from);

		if (entry == 0) {
			if (reading->free_from == 0)
				reading->free_from = number;
			continue;
		}
		if (entry == 1 || (entry > fat->clusters + 1 && entry < bad))
			return content_doubt(reading->content, _("its table is damaged"));
		r = close_run(reading, number);
	}
	return r;
}

static int read_tables(struct reading *reading)
{
	const struct fat *fat = &reading->fat;
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

		r = volume_read(reading->volume, offset, chunk, size);
		if (r == 0 && fat->tables == 2)
			r = volume_read(reading->volume, offset + fat->table_length, other, size);
		if (r < 0)
			return r;
		if (fat->tables == 2 && memcmp(chunk, other, size) != 0)
			return content_doubt(reading->content, _("its two tables differ"));
		why = from == 0 ? first_entries(fat, chunk) : NULL;
		if (why)
			return content_doubt(reading->content, why);
		r = take_entries(reading, chunk, (uint32_t)from, (uint32_t)to);
	}
	return r < 0 ? r : close_run(reading, entries);
}

/* The count of free clusters beside the table is only a hint, but of a volume in order it fits. */
static int check_info(const struct reading *reading, uint16_t sector)
{
	const struct fat *fat = &reading->fat;
	unsigned char info[512];
	uint32_t words[2], count;
	int r;

	if (sector == 0 || sector == 0xffff)
		return 0;
	r = volume_read(reading->volume, (uint64_t)sector * fat->sector, info, sizeof(info));
	if (r < 0)
		return r;
	memcpy(&words[0], info, 4);
	memcpy(&words[1], info + 484, 4);
	memcpy(&count, info + 488, 4);
	if (le32toh(words[0]) != 0x41615252 || le32toh(words[1]) != 0x61417272)
		return 0;
	if (count != 0xffffffff && le32toh(count) != reading->free_count)
		return content_doubt(reading->content,
				     _("its count of free places does not fit its table"));
	return 0;
}

static int check_32(const struct reading *reading, uint16_t info)
{
	const struct fat *fat = &reading->fat;
	uint64_t root = fat->root_cluster;

	if (root < 2 || root - 2 >= fat->clusters ||
	    content_calls_free(reading->volume, reading->content,
			       fat->data + (root - 2) * fat->cluster, fat->cluster))
		return content_doubt(reading->content, _("its table is damaged"));
	return check_info(reading, info);
}

int content_fat(const struct volume *volume, struct content *content)
{
	struct reading reading = { .volume = volume, .content = content };
	const struct fat *fat = &reading.fat;
	unsigned char sector[512];
	uint16_t flags, version, info;
	int r = volume_read(volume, 0, sector, sizeof(sector));

	if (r < 0)
		return r;
	if (!fat_measure(sector, volume->size, &reading.fat))
		return content_doubt(content, _("its boot sector makes no sense"));
	memcpy(&flags, sector + 40, 2);
	memcpy(&version, sector + 42, 2);
	memcpy(&info, sector + 48, 2);

	uint8_t state = sector[fat->bits == 32 ? 65 : 37];

	if (state & 1)
		return content_doubt(content, _("it was not unmounted"));
	if (state & 2)
		return content_doubt(content, _("it notes read or write errors"));
	/* Bit 7: only one of the tables is kept up to date. */
	if (fat->bits == 32 && (version != 0 || le16toh(flags) & 0x80))
		return content_doubt(content, _("it is of a version that is not known"));
	r = read_tables(&reading);
	if (r == 0 && fat->bits == 32)
		r = check_32(&reading, le16toh(info));
	content->used_bytes =
		fat->data + (fat->clusters - reading.free_count) * (uint64_t)fat->cluster;
	return r;
}
