/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NTFS (the layout as the Linux-NTFS project wrote it down, ntfs-3g's layout.h and logfile.h): the
 * file $Bitmap has one bit for each cluster. Windows may hold more in its head than on the disk
 * (hibernation, fast start), and then the map is not believed.
 */
#include "base/array.h"
#include "content/ntfs_private.h"

#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "content/reader.h"

enum { FILE_LOG = 2, FILE_VOLUME = 3, FILE_ROOT = 5, FILE_BITMAP = 6 };

/* Dirty, log to be resized, upgrade, repair of identifiers, chkdsk under way or done. */
#define DOUBTFUL_VOLUME 0xc027

#define ROOT_INDEX_MAX (16U << 20) /* a root directory that has more is not looked through */
#define BITMAP_PIECE   (1U << 20)

struct boot {
	uint8_t jump[3], name[8];
	uint16_t sector_size;
	uint8_t cluster_sectors, unused[26];
	uint64_t sectors, mft, mirror;
	int8_t record_clusters;
} __attribute__((packed));

struct restart_page {
	uint8_t magic[4];
	uint16_t fixups, fixup_count;
	uint64_t checked;
	uint32_t system_page, log_page;
	uint16_t area, minor, major;
} __attribute__((packed));

struct restart_area {
	uint64_t number;
	uint16_t clients, free_client, client_in_use, flags;
} __attribute__((packed));

struct index_header {
	uint32_t entries, length, allocated; /* from this header on */
	uint8_t flags, unused[3];
} __attribute__((packed));

struct index_root {
	uint32_t type, collation, block_size;
	uint8_t block_clusters, unused[3];
	struct index_header header;
} __attribute__((packed));

struct index_entry {
	uint64_t file; /* its record; the upper 16 bits count how often that was given away */
	uint16_t length, key_length, flags, unused;
	uint8_t directory[8], times[32], sizes[16], attributes[8]; /* the key: a file name */
	uint8_t name_length, name_space;
	uint16_t name[];
} __attribute__((packed));

#define BLOCK_HEADER 24 /* before its index_header */
#define ENTRY_HEADER 16 /* without the key */
#define LAST_ENTRY   2

#define LOG_PAGE_MIN 4096
#define WIPED        "\xff\xff\xff\xff"
#define NO_CLIENT    0xffff
#define CLEAN        2

/* Bytes of a size that is given in clusters, or, if negative, as a power of two. */
static uint64_t size_of(int8_t clusters, uint64_t cluster_size)
{
	if (clusters > 0)
		return (uint64_t)clusters * cluster_size;
	return clusters >= -31 && clusters < 0 ? 1ULL << -clusters : 0;
}

static bool understand(const struct boot *boot, struct ntfs *fs)
{
	uint64_t sector = le16toh(boot->sector_size), per_cluster = boot->cluster_sectors;
	uint64_t sectors = le64toh(boot->sectors), record;

	if (per_cluster > 128)
		per_cluster = per_cluster > 255 - 24 ? 1ULL << (256 - per_cluster) : 0;
	if (memcmp(boot->name, "NTFS    ", sizeof(boot->name)) != 0 || !is_power_of_2(sector) ||
	    sector < 512 || sector > 4096 || !is_power_of_2(per_cluster))
		return false;
	fs->cluster_size = sector * per_cluster;
	record = size_of(boot->record_clusters, fs->cluster_size);
	fs->record_size = (uint32_t)record;
	fs->clusters = sectors / per_cluster;
	fs->mft = le64toh(boot->mft);
	fs->mirror = le64toh(boot->mirror);
	return fs->cluster_size <= 2U << 20 && sectors <= fs->volume->size / sector &&
	       fs->mft < fs->clusters && fs->mirror < fs->clusters && is_power_of_2(record) &&
	       record >= 512 && record <= NTFS_RECORD_MAX;
}

/* ---- was it left in order? ---- */

/* One of the files that every volume has: its record and an attribute that must be there. */
static int open_system_file(struct ntfs *fs, uint64_t number, enum ntfs_type type,
			    unsigned char *record, struct ntfs_attribute *ret)
{
	int r = ntfs_read_record(fs, number, record);

	if (r == 0)
		r = ntfs_find(fs, record, type, ret);
	if (r == 0 && (ret->size == 0 || !(le16toh(((struct ntfs_record *)record)->flags) & 1)))
		return ntfs_damaged(fs);
	return r;
}

static int check_volume(struct ntfs *fs, unsigned char *record)
{
	struct ntfs_attribute information = { 0 };
	unsigned char value[12] = { 0 };
	uint16_t flags;
	int r = open_system_file(fs, FILE_VOLUME, NTFS_VOLUME_INFORMATION, record, &information);

	if (r == 0)
		r = ntfs_read(fs, &information, 0, value, sizeof(value));
	ntfs_close(&information);
	if (r < 0)
		return r;
	if (value[8] != 3 || value[9] > 1)
		return content_doubt(fs->content, _("it is of a version that is not known"));
	memcpy(&flags, value + 10, sizeof(flags));
	if (le16toh(flags) & DOUBTFUL_VOLUME)
		return content_doubt(fs->content, _("it was not unmounted or waits for a check"));
	return 0;
}

/* A page that is wiped, as is done to a log that was in order, stays as it is. */
static int read_restart_page(struct ntfs *fs, const struct ntfs_attribute *log, uint64_t offset,
			     unsigned char *page)
{
	const struct restart_page *header = (const void *)page;
	uint32_t size;
	int r = ntfs_read(fs, log, offset, page, LOG_PAGE_MIN);

	if (r < 0 || memcmp(page, WIPED, 4) == 0)
		return r;
	size = le32toh(header->system_page);
	if (memcmp(page, "RSTR", 4) != 0 || !is_power_of_2(size) || size < LOG_PAGE_MIN ||
	    size > NTFS_RECORD_MAX)
		return ntfs_damaged(fs);
	r = ntfs_read(fs, log, offset, page, size);
	if (r < 0)
		return r;
	if (!ntfs_fix(page, size) || le16toh(header->area) > size - sizeof(struct restart_area))
		return ntfs_damaged(fs);
	return 0;
}

static int check_pages(struct ntfs *fs, unsigned char *const pages[2])
{
	const struct restart_page *header[2] = { (const void *)pages[0], (const void *)pages[1] };
	struct restart_area area[2];

	for (size_t i = 0; i < 2; i++) {
		memcpy(&area[i], pages[i] + le16toh(header[i]->area), sizeof(area[i]));
		/* Windows turns newer ones back into this version when it leaves the volume. */
		if (le16toh(header[i]->major) != 1)
			return content_doubt(fs->content,
					     _("Windows still has it open (fast start)"));
	}
	/* The younger page counts, and both of the same age. */
	for (size_t i = 0; i < 2; i++)
		if (le64toh(area[i].number) >= le64toh(area[1 - i].number) &&
		    le16toh(area[i].client_in_use) != NO_CLIENT &&
		    !(le16toh(area[i].flags) & CLEAN))
			return content_doubt(fs->content, _("its log holds work not finished"));
	return 0;
}

static int check_log(struct ntfs *fs, unsigned char *record)
{
	CLEANUP(free) unsigned char *first = calloc(1, NTFS_RECORD_MAX);
	CLEANUP(free) unsigned char *second = calloc(1, NTFS_RECORD_MAX);
	struct ntfs_attribute log = { 0 };
	uint64_t page = LOG_PAGE_MIN;
	int r = first && second ? open_system_file(fs, FILE_LOG, NTFS_DATA, record, &log) : -ENOMEM;

	if (r == 0)
		r = read_restart_page(fs, &log, 0, first);
	if (r == 0) {
		if (memcmp(first, WIPED, 4) != 0)
			page = le32toh(((const struct restart_page *)first)->system_page);
		r = read_restart_page(fs, &log, page, second);
	}
	ntfs_close(&log);
	if (r < 0)
		return r;

	bool wiped = memcmp(first, WIPED, 4) == 0;

	if (wiped != (memcmp(second, WIPED, 4) == 0))
		return ntfs_damaged(fs);
	return wiped ? 0 : check_pages(fs, (unsigned char *[]){ first, second });
}

/* ---- does Windows sleep? ---- */

static bool is_hiberfil(const struct index_entry *entry)
{
	static const char name[] = "hiberfil.sys";

	if (le16toh(entry->length) < sizeof(*entry) + 2 * strlen(name) ||
	    entry->name_length != strlen(name))
		return false;
	for (size_t i = 0; name[i]; i++) {
		unsigned c = le16toh(entry->name[i]);

		if ((c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c) != (unsigned char)name[i])
			return false;
	}
	return true;
}

/* Its first bytes are "HIBR" while Windows sleeps, zeros or "WAKE" when it is up or shut down. */
static int check_hiberfil(struct ntfs *fs, uint64_t file)
{
	CLEANUP(free) unsigned char *record = malloc(NTFS_RECORD_MAX);
	const struct ntfs_record *header = (const void *)record;
	struct ntfs_attribute data = { 0 };
	unsigned char magic[4] = { 0 };
	int r = record ? ntfs_read_record(fs, file & 0xffffffffffff, record) : -ENOMEM;

	if (r < 0)
		return r;
	/* An entry that was left over by one that is gone. */
	if (!(le16toh(header->flags) & 1) || le16toh(header->sequence) != file >> 48)
		return 0;
	r = ntfs_find(fs, record, NTFS_DATA, &data);
	if (r == 0 && data.size >= sizeof(magic))
		r = ntfs_read(fs, &data, 0, magic, sizeof(magic));
	ntfs_close(&data);
	if (r == 0 && memcmp(magic, "\0\0\0\0", 4) != 0 && memcmp(magic, "WAKE", 4) != 0 &&
	    memcmp(magic, "wake", 4) != 0)
		return content_doubt(fs->content,
				     _("Windows is hibernated (or its fast start is on)"));
	return r;
}

/* The entries behind this header, which has `room` bytes with them. */
static int look_through(struct ntfs *fs, const unsigned char *header_at, size_t room)
{
	struct index_header header;
	const struct index_entry *entry;
	size_t at, end;
	int r = 0;

	memcpy(&header, header_at, sizeof(header));
	at = le32toh(header.entries);
	end = le32toh(header.length);
	if (end > room || at > end || at % 8 != 0)
		return ntfs_damaged(fs);
	for (; r == 0; at += le16toh(entry->length)) {
		entry = (const void *)(header_at + at);
		if (end - at < ENTRY_HEADER || le16toh(entry->length) < ENTRY_HEADER ||
		    le16toh(entry->length) > end - at)
			return ntfs_damaged(fs);
		if (le16toh(entry->flags) & LAST_ENTRY)
			break;
		if (is_hiberfil(entry))
			r = check_hiberfil(fs, le64toh(entry->file));
	}
	return r;
}

/* Reads block after block, as the order of names cannot be trusted; other data is unused. */
static int look_through_blocks(struct ntfs *fs, const struct ntfs_attribute *blocks, size_t size)
{
	CLEANUP(free) unsigned char *block = malloc(NTFS_RECORD_MAX);
	int r = block ? 0 : -ENOMEM;

	if (blocks->size > ROOT_INDEX_MAX)
		return content_doubt(fs->content,
				     _("its root directory is too large to look for hibernation"));
	for (uint64_t at = 0; r == 0 && at + size <= blocks->size; at += size) {
		r = ntfs_read(fs, blocks, at, block, size);
		if (r < 0 || memcmp(block, "\0\0\0\0", 4) == 0)
			continue;
		if (memcmp(block, "INDX", 4) != 0 || !ntfs_fix(block, size))
			return ntfs_damaged(fs);
		r = look_through(fs, block + BLOCK_HEADER, size - BLOCK_HEADER);
	}
	return r;
}

static int check_root(struct ntfs *fs, unsigned char *record)
{
	struct ntfs_attribute index = { 0 }, blocks = { 0 };
	struct index_root root;
	int r = open_system_file(fs, FILE_ROOT, NTFS_INDEX_ROOT, record, &index);

	if (r == 0 && (!index.value || index.size < sizeof(root) ||
		       ntfs_has(fs, record, NTFS_ATTRIBUTE_LIST)))
		r = ntfs_damaged(fs);
	if (r == 0)
		r = look_through(fs, index.value + offsetof(struct index_root, header),
				 index.size - offsetof(struct index_root, header));
	if (r == 0)
		r = ntfs_find(fs, record, NTFS_INDEX_ALLOCATION, &blocks);
	if (r == 0 && blocks.size > 0) {
		memcpy(&root, index.value, sizeof(root));

		uint32_t size = le32toh(root.block_size);

		r = is_power_of_2(size) && size >= 512 && size <= NTFS_RECORD_MAX
			    ? look_through_blocks(fs, &blocks, size)
			    : ntfs_damaged(fs);
	}
	ntfs_close(&index);
	ntfs_close(&blocks);
	return r;
}

/* ---- the map ---- */

static bool calls_free(const struct ntfs *fs, const struct ntfs_attribute *attribute)
{
	for (size_t i = 0; i < attribute->run_count; i++)
		if (content_calls_free(fs->volume, fs->content,
				       attribute->runs[i].cluster * fs->cluster_size,
				       attribute->runs[i].count * fs->cluster_size))
			return true;
	return false;
}

static int read_bitmap(struct ntfs *fs, const struct ntfs_attribute *bitmap)
{
	CLEANUP(free) unsigned char *bits = malloc(BITMAP_PIECE);
	uint64_t bytes = (fs->clusters + 7) / 8;
	int r = bits ? 0 : -ENOMEM;

	if (bitmap->size < bytes || bitmap->written < bytes)
		return ntfs_damaged(fs);
	for (uint64_t at = 0; r == 0 && at < bytes; at += BITMAP_PIECE) {
		size_t size = bytes - at < BITMAP_PIECE ? (size_t)(bytes - at) : BITMAP_PIECE;
		uint64_t left = fs->clusters - at * 8;

		r = ntfs_read(fs, bitmap, at, bits, size);
		if (r == 0)
			r = content_add_bitmap(fs->volume, fs->content, at * 8 * fs->cluster_size,
					       fs->cluster_size, bits,
					       left < size * 8ULL ? left : size * 8ULL);
	}
	return r;
}

static int take_bitmap(struct ntfs *fs, unsigned char *record)
{
	struct ntfs_attribute bitmap = { 0 };
	int r = open_system_file(fs, FILE_BITMAP, NTFS_DATA, record, &bitmap);

	if (r == 0)
		r = read_bitmap(fs, &bitmap);
	if (r == 0 &&
	    (calls_free(fs, &bitmap) || calls_free(fs, &fs->table) ||
	     content_calls_free(fs->volume, fs->content, 0, 512) ||
	     content_calls_free(fs->volume, fs->content, fs->mirror * fs->cluster_size, 512)))
		r = content_doubt(fs->content, _("the map of its used places is damaged"));
	ntfs_close(&bitmap);
	return r;
}

int content_ntfs(const struct volume *volume, struct content *content)
{
	static int (*const steps[])(struct ntfs *, unsigned char *) = { ntfs_open, check_volume,
									check_log, check_root,
									take_bitmap };
	CLEANUP(free) unsigned char *record = malloc(NTFS_RECORD_MAX);
	struct ntfs fs = { .volume = volume, .content = content };
	struct boot boot;
	int r = record ? volume_read(volume, 0, &boot, sizeof(boot)) : -ENOMEM;

	if (r < 0)
		return r;
	if (!understand(&boot, &fs))
		return content_doubt(content, _("its boot sector makes no sense"));
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(steps); i++)
		r = steps[i](&fs, record);
	ntfs_close(&fs.table);
	return r;
}
