/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "boot/fat.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/letters.h"
#include "base/range.h"
#include "base/text.h"

#define ENTRY        32U
#define ENTRIES_MAX  4096U
#define CLUSTERS_MAX 0x0ffffff5U
#define LONG_NAME    0x0f /* attributes of a part of a long name */
#define VOLUME_LABEL 0x08
#define FOLDER       0x10
#define LOWER_NAME   0x08 /* in the byte that Windows NT added */
#define LOWER_END    0x10
#define PART_LETTERS 13U
#define PARTS_MAX    20U
#define LAST_PART    0x40
/* No boot loader has more. */
#define FILE_CLUSTERS_MAX (1U << 17)

static int read_at(const struct fat *fat, uint64_t place, void *to, size_t length)
{
	ssize_t n = pread(fat->fd, to, length, (off_t)(fat->start + place));

	if (n < 0)
		return -errno;
	return n == (ssize_t)length ? 0 : -ENODATA;
}

/* By the number of its clusters and nothing else, as every system decides it. */
static unsigned bits_of(uint32_t clusters)
{
	return clusters < 4085 ? 12 : clusters < 65525 ? 16 : 32;
}

bool fat_measure(const uint8_t first[static 512], uint64_t size, struct fat *fat)
{
	uint64_t sector = bytes_little(first + 11, 2), reserved = bytes_little(first + 14, 2),
		 tables = first[16];
	uint64_t sectors = bytes_little(first + 19, 2), length = bytes_little(first + 22, 2),
		 clusters;
	bool large = !length;

	sectors = sectors ? sectors : bytes_little(first + 32, 4);
	length = length ? length : bytes_little(first + 36, 4);
	if (first[510] != 0x55 || first[511] != 0xaa || !is_power_of_2(sector) || sector < 512 ||
	    sector > 4096 || !is_power_of_2(first[13]) || !reserved || !tables || tables > 2 ||
	    !length || sectors * sector > size)
		return false;
	fat->sector = (uint32_t)sector;
	fat->tables = (unsigned)tables;
	fat->table = reserved * sector;
	fat->table_length = length * sector;
	fat->root = fat->table + tables * fat->table_length;
	fat->root_length = bytes_little(first + 17, 2) * (uint64_t)ENTRY;
	fat->data = fat->root + (fat->root_length + sector - 1) / sector * sector;
	fat->cluster = (uint32_t)sector * first[13];
	if (fat->data >= sectors * sector)
		return false;
	clusters = (sectors * sector - fat->data) / fat->cluster;
	if (clusters == 0 || clusters > CLUSTERS_MAX)
		return false;
	fat->clusters = (uint32_t)clusters;
	fat->bits = bits_of(fat->clusters);
	fat->root_cluster = (uint32_t)bytes_little(first + 44, 4);
	/* A table that is too short would be read beyond its end. */
	return ((clusters + 2) * fat->bits + 7) / 8 <= fat->table_length &&
	       (fat->bits == 32) == (fat->root_length == 0) && (fat->bits == 32) == large;
}

int fat_open(int fd, uint64_t start, uint64_t size, struct fat *ret)
{
	uint8_t first[512];
	int r;

	*ret = (struct fat){ .fd = fd, .start = start };
	r = size < sizeof(first) ? -EINVAL : read_at(ret, 0, first, sizeof(first));
	if (r < 0)
		return r;
	return fat_measure(first, size, ret) ? 0 : -EINVAL;
}

static bool is_cluster(const struct fat *fat, uint32_t cluster)
{
	return cluster >= 2 && cluster - 2 < fat->clusters;
}

static uint64_t place_of(const struct fat *fat, uint32_t cluster)
{
	return fat->data + (uint64_t)(cluster - 2) * fat->cluster;
}

/* The cluster behind this one in its chain; 0: the end, or nothing that can be one. */
static uint32_t follow(const struct fat *fat, uint32_t cluster)
{
	uint64_t bit = (uint64_t)cluster * fat->bits;
	uint8_t entry[4] = { 0 };
	uint32_t next;

	if (read_at(fat, fat->table + bit / 8, entry, fat->bits == 32 ? 4 : 2) < 0)
		return 0;
	next = (uint32_t)bytes_little(entry, 4) & 0x0fffffff;
	if (fat->bits == 12)
		next = bit % 8 ? next >> 4 : next & 0x0fff;
	return is_cluster(fat, next) ? next : 0;
}

/* ---- folders ---- */

void fat_enter(const struct fat *fat, const struct fat_entry *folder, struct fat_folder *ret)
{
	*ret = (struct fat_folder){ .fat = fat, .entries_left = ENTRIES_MAX };
	if (!folder && fat->root_length) {
		ret->place = fat->root;
		ret->left = fat->root_length;
		return;
	}
	ret->at = folder ? folder->first : fat->root_cluster;
	if (!is_cluster(fat, ret->at))
		return;
	ret->place = place_of(fat, ret->at);
	ret->left = fat->cluster;
}

/* 1: `to` holds the next entry. */
static int read_entry(struct fat_folder *folder, uint8_t to[static ENTRY])
{
	const struct fat *fat = folder->fat;
	int r;

	if (!folder->left && folder->at) {
		folder->at = follow(fat, folder->at);
		folder->place = folder->at ? place_of(fat, folder->at) : 0;
		folder->left = folder->at ? fat->cluster : 0;
	}
	if (folder->left < ENTRY || !folder->entries_left)
		return 0;
	r = read_at(fat, folder->place, to, ENTRY);
	folder->place += ENTRY;
	folder->left -= ENTRY;
	folder->entries_left--;
	return r < 0 ? r : to[0] != 0;
}

/* The parts come before the short name, the last one first. */
static void take_part(struct fat_folder *folder, const uint8_t *entry)
{
	static const uint8_t places[PART_LETTERS] = {
		1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30
	};
	unsigned part = entry[0] & 0x3f;

	if (entry[0] & LAST_PART) {
		memset(folder->name, 0, sizeof(folder->name));
		folder->parts = part;
		folder->sum = entry[13];
	}
	folder->named =
		part && part < PARTS_MAX && part == folder->parts && entry[13] == folder->sum;
	if (!folder->named)
		return;
	folder->parts--;
	for (unsigned i = 0; i < PART_LETTERS; i++)
		folder->name[folder->parts * PART_LETTERS + i] =
			(uint16_t)bytes_little(entry + places[i], 2);
}

static size_t put_letter(char *to, uint16_t letter)
{
	if (letter < 0x80) {
		to[0] = (char)letter;
		return 1;
	}
	/* Halves of a pair become '?' with the rest that no terminal should get. */
	to[0] = (char)(letter < 0x800 ? 0xc0 | letter >> 6 : 0xe0 | letter >> 12);
	to[1] = (char)(0x80 | ((letter < 0x800 ? letter : letter >> 6) & 0x3f));
	to[2] = (char)(0x80 | (letter & 0x3f));
	return letter < 0x800 ? 2 : 3;
}

static uint8_t short_sum(const uint8_t *entry)
{
	uint8_t sum = 0;

	for (unsigned i = 0; i < 11; i++)
		sum = (uint8_t)((sum << 7 | sum >> 1) + entry[i]);
	return sum;
}

static void put_name(const struct fat_folder *folder, const uint8_t *entry, struct fat_entry *ret)
{
	char name[3 * 256 + 1];
	size_t length = 0;
	bool dot = false;

	if (folder->named && folder->parts == 0 && folder->sum == short_sum(entry)) {
		for (unsigned i = 0; i < 256 && folder->name[i]; i++)
			length += put_letter(name + length, folder->name[i]);
	} else {
		for (unsigned i = 0; i < 11; i++) {
			if (entry[i] == ' ')
				continue;
			if (i >= 8 && !dot)
				name[length++] = '.';
			dot = i >= 8;
			name[length++] = (entry[12] & (i < 8 ? LOWER_NAME : LOWER_END)
						  ? letter_lower((char)entry[i])
						  : (char)entry[i]);
		}
	}
	text_sanitise(ret->name, sizeof(ret->name), name, length);
}

int fat_next(struct fat_folder *folder, struct fat_entry *ret)
{
	uint8_t entry[ENTRY];
	int r;

	while ((r = read_entry(folder, entry)) > 0) {
		if (entry[11] == LONG_NAME) {
			take_part(folder, entry);
			continue;
		}
		put_name(folder, entry, ret);
		folder->named = false;
		/* Removed, this folder and the one above, the label. */
		if (entry[0] == 0xe5 || entry[0] == '.' || entry[11] & VOLUME_LABEL)
			continue;
		ret->folder = entry[11] & FOLDER;
		ret->first = (uint32_t)bytes_little(entry + 26, 2);
		if (folder->fat->bits == 32)
			ret->first |= (uint32_t)bytes_little(entry + 20, 2) << 16;
		ret->size = (uint32_t)bytes_little(entry + 28, 4);
		return 1;
	}
	return r;
}

/* ---- where a file lies ---- */

bool fat_pieces(const struct fat *fat, const struct fat_entry *file, fat_piece *piece, void *user)
{
	uint64_t left = ((uint64_t)file->size + fat->cluster - 1) / fat->cluster;
	uint32_t at = file->first;

	if (left > FILE_CLUSTERS_MAX)
		return false;
	while (left) {
		uint32_t first = at, count = 0;

		if (!is_cluster(fat, at))
			return false;
		while (left && at && at == first + count) {
			count++;
			left--;
			at = follow(fat, at);
		}
		if (!piece(user, fat->start + place_of(fat, first), (uint64_t)count * fat->cluster))
			return false;
	}
	return true;
}

bool fat_pieces_of_tables(const struct fat *fat, fat_piece *piece, void *user)
{
	return piece(user, fat->start, fat->table + fat->table_length) &&
	       (!fat->root_length || piece(user, fat->start + fat->root, fat->root_length));
}
