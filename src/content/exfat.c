/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exFAT (Microsoft, "exFAT file system specification", 2019): the root directory names the
 * allocation bitmap, a chain of clusters like a file.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "content/reader.h"

/* Clusters of the root directory that are looked through: the bitmap is in its first lines. */
#define ROOT_CLUSTERS 1024

enum { VOLUME_DIRTY = 2, MEDIA_FAILURE = 4 };

struct boot {
	uint8_t jump[3], name[8], zero[53];
	uint64_t partition_offset, sectors;
	uint32_t fat_offset, fat_sectors, heap_offset, clusters, root_cluster, serial;
	uint16_t revision, flags;
	uint8_t sector_shift, cluster_shift, fats, drive, percent_in_use;
} __attribute__((packed));

struct entry {
	uint8_t type, flags, reserved[18];
	uint32_t first_cluster;
	uint64_t bytes;
} __attribute__((packed));

struct exfat {
	const struct volume *volume;
	struct content *content;
	uint32_t clusters, root; /* the first is number 2 */
	uint64_t sector_size, cluster_size, fat, heap;
};

static uint64_t place(const struct exfat *fs, uint32_t cluster)
{
	return fs->heap + (cluster - 2ULL) * fs->cluster_size;
}

static bool has_cluster(const struct exfat *fs, uint32_t cluster)
{
	return cluster >= 2 && cluster - 2 < fs->clusters;
}

/* The one behind in its chain; what is no cluster ends it. */
static int next_cluster(const struct exfat *fs, uint32_t *cluster)
{
	uint32_t next;
	int r = volume_read(fs->volume, fs->fat + *cluster * 4ULL, &next, sizeof(next));

	*cluster = r < 0 ? 0 : le32toh(next);
	return r;
}

static bool understand(const struct boot *boot, struct exfat *fs)
{
	uint64_t sectors = le64toh(boot->sectors);
	uint64_t fat = le32toh(boot->fat_offset), heap = le32toh(boot->heap_offset);

	if (boot->sector_shift < 9 || boot->sector_shift > 12 ||
	    boot->cluster_shift > 25 - boot->sector_shift)
		return false;
	fs->sector_size = 1ULL << boot->sector_shift;
	fs->cluster_size = fs->sector_size << boot->cluster_shift;
	fs->clusters = le32toh(boot->clusters);
	fs->root = le32toh(boot->root_cluster);
	fs->fat = fat * fs->sector_size;
	fs->heap = heap * fs->sector_size;
	if (sectors > fs->volume->size / fs->sector_size || fat < 24 || heap > sectors ||
	    fs->clusters == 0 || fs->clusters > 0xfffffff5 ||
	    ((uint64_t)fs->clusters << boot->cluster_shift) > sectors - heap)
		return false;
	return fat + le32toh(boot->fat_sectors) <= heap &&
	       le32toh(boot->fat_sectors) * fs->sector_size >= (fs->clusters + 2ULL) * 4 &&
	       has_cluster(fs, fs->root);
}

/* Sector 11 holds the checksum of those before it, again and again; flags and the percentage
 * change too often to be in it. */
static int check_boot_region(struct exfat *fs)
{
	size_t sector = (size_t)fs->sector_size;
	CLEANUP(free) unsigned char *region = malloc(12 * sector);
	uint32_t sum = 0, said;
	int r = region ? volume_read(fs->volume, 0, region, 12 * sector) : -ENOMEM;

	if (r < 0)
		return r;
	for (size_t i = 0; i < 11 * sector; i++)
		if (i != 106 && i != 107 && i != 112)
			sum = (sum >> 1 | sum << 31) + region[i];
	for (size_t i = 11 * sector; i < 12 * sector; i += 4) {
		memcpy(&said, region + i, sizeof(said));
		if (le32toh(said) != sum)
			return content_doubt(fs->content,
					     _("the checksum of its boot sectors is wrong"));
	}
	return 0;
}

/* ret->type is 0 where there is none. */
static int find_bitmap(const struct exfat *fs, struct entry *ret)
{
	CLEANUP(free) struct entry *entries = malloc(fs->cluster_size);
	uint32_t cluster = fs->root;
	int r = entries ? 0 : -ENOMEM;

	ret->type = 0;
	for (unsigned i = 0; r == 0 && i < ROOT_CLUSTERS && has_cluster(fs, cluster); i++) {
		r = volume_read(fs->volume, place(fs, cluster), entries, fs->cluster_size);
		for (size_t k = 0; r == 0 && k < fs->cluster_size / sizeof(*entries); k++) {
			if (entries[k].type == 0x81)
				*ret = entries[k];
			if (entries[k].type == 0x81 || entries[k].type == 0)
				return 0;
		}
		if (r == 0)
			r = next_cluster(fs, &cluster);
	}
	return r;
}

/* Sets *retwhole when the chain of the bitmap, all of it, was read. Whoever makes it lays it out in
 * ascending order; what leads back would be a circle. */
static int read_bitmap(const struct exfat *fs, uint32_t cluster, bool *retwhole)
{
	CLEANUP(free) unsigned char *bits = malloc(fs->cluster_size);
	uint64_t per_cluster = fs->cluster_size * 8, done = 0;
	uint32_t last = 0;
	int r = bits ? 0 : -ENOMEM;

	while (r == 0 && done < fs->clusters && has_cluster(fs, cluster) && cluster > last) {
		uint64_t count = fs->clusters - done;

		if (count > per_cluster)
			count = per_cluster;
		r = volume_read(fs->volume, place(fs, cluster), bits, (count + 7) / 8);
		if (r == 0)
			r = content_add_bitmap(fs->volume, fs->content,
					       fs->heap + done * fs->cluster_size, fs->cluster_size,
					       bits, count);
		done += count;
		last = cluster;
		if (r == 0)
			r = next_cluster(fs, &cluster);
	}
	*retwhole = done == fs->clusters && !has_cluster(fs, cluster);
	return r;
}

static int take_bitmap(struct exfat *fs)
{
	struct entry entry;
	bool whole = false;
	int r = find_bitmap(fs, &entry);

	if (r < 0)
		return r;
	/* Bit 0 of its flags: that of the second table. */
	if (entry.type == 0 || entry.flags & 1 || le64toh(entry.bytes) != (fs->clusters + 7ULL) / 8)
		return content_doubt(fs->content, _("the map of its used places is not found"));
	r = read_bitmap(fs, le32toh(entry.first_cluster), &whole);
	if (r < 0)
		return r;
	if (!whole ||
	    content_calls_free(fs->volume, fs->content, place(fs, fs->root), fs->cluster_size) ||
	    content_calls_free(fs->volume, fs->content, place(fs, le32toh(entry.first_cluster)),
			       fs->cluster_size))
		return content_doubt(fs->content, _("the map of its used places is damaged"));
	return 0;
}

int content_exfat(const struct volume *volume, struct content *content)
{
	struct exfat fs = { .volume = volume, .content = content };
	struct boot boot;
	int r = volume_read(volume, 0, &boot, sizeof(boot));

	if (r < 0)
		return r;
	if (memcmp(boot.name, "EXFAT   ", sizeof(boot.name)) != 0 || !understand(&boot, &fs))
		return content_doubt(content, _("its boot sector makes no sense"));
	if (le16toh(boot.revision) >> 8 != 1 || boot.fats != 1)
		return content_doubt(content, _("it is of a version that is not known"));
	if (le16toh(boot.flags) & VOLUME_DIRTY)
		return content_doubt(content, _("it was not unmounted"));
	if (le16toh(boot.flags) & MEDIA_FAILURE)
		return content_doubt(content, _("it notes read or write errors"));
	r = check_boot_region(&fs);
	return r < 0 ? r : take_bitmap(&fs);
}
