/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/image_store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/thread.h"
#include "discover/regions.h"
#include "discover/table.h"

#define SMALL_SECTOR 512U
#define LARGE_SECTOR 4096U

/* An image as it was at one time. */
struct entry {
	struct entry *before; /* read earlier */
	struct stat seen;
	uint32_t sector_size;   /* that was asked for; 0: any */
	struct disk_list *list; /* of one disk */
};

struct image_store {
	pthread_mutex_t lock; /* protects `last` */
	struct entry *last;
};

struct image_store *image_store_new(void)
{
	struct image_store *images = calloc(1, sizeof(*images));

	if (images)
		pthread_mutex_init(&images->lock, NULL);
	return images;
}

static void destroy_entry(struct entry *entry)
{
	disk_list_destroy(entry->list);
	free(entry);
}

void image_store_destroy(struct image_store *images)
{
	struct entry *entry, *before;

	if (!images)
		return;
	for (entry = images->last; entry; entry = before) {
		before = entry->before;
		destroy_entry(entry);
	}
	pthread_mutex_destroy(&images->lock);
	free(images);
}

/* ---- the size of a sector ---- */

/* How many partitions are in a place where something is found? */
static unsigned count_found(int fd, uint64_t size, uint32_t sector_size)
{
	struct table_source source = { .fd = fd, .size = size, .sector_size = sector_size };
	struct table table;
	unsigned count = 0;

	if (table_read(&source, &table) == 0 && strcmp(table.type, "dos") == 0)
		for (size_t i = 0; i < table.partition_count; i++)
			count += table.partitions[i].fs[0] != '\0';
	table_done(&table);
	return count;
}

uint32_t image_store_sector_size(int fd, uint64_t size)
{
	uint32_t gpt = gpt_sector_size(fd, size);

	if (gpt)
		return gpt;
	/* An MS-DOS table does not tell its sector size, but only with the right one file systems
	 * are found where partitions begin. */
	return count_found(fd, size, LARGE_SECTOR) > count_found(fd, size, SMALL_SECTOR)
		       ? LARGE_SECTOR
		       : SMALL_SECTOR;
}

/* ---- reading ---- */

static void describe(const struct endpoint *image, uint64_t size, uint32_t sector_size,
		     struct disk *ret)
{
	const char *name = text_base_name(image->node);

	text_sanitise(ret->name, sizeof(ret->name), name, strlen(name));
	text_copy(ret->node, sizeof(ret->node), ret->name);
	ret->kind = DISK_OTHER;
	ret->identity = image->identity;
	ret->identity.size = size;
	ret->identity.logical_sector_size = sector_size;
	ret->rotational = ret->removable = ret->read_only = UNKNOWN;
	ret->write_cache = ret->unmap = ret->zeroes = UNKNOWN;
	ret->medium_present = YES;
}

static int read_table(int fd, struct disk *disk)
{
	struct table_source source = {
		.fd = fd,
		.size = disk->identity.size,
		.sector_size = disk->identity.logical_sector_size,
	};
	struct table table;
	int r = table_read(&source, &table);

	if (r == 0)
		r = merge_table(disk, &table);
	else if (r != -ENOMEM)
		text_copy(disk->table, sizeof(disk->table), "?");
	if (r != -ENOMEM)
		r = regions_make(disk, table.areas, table.area_count);
	table_done(&table);
	return r;
}

static struct entry *read_entry(int fd, const struct stat *st, const struct endpoint *image)
{
	struct entry *entry = calloc(1, sizeof(*entry));
	uint64_t size = (uint64_t)st->st_size;

	if (!entry)
		return NULL;
	entry->seen = *st;
	entry->sector_size = image->logical_sector_size;
	entry->list = calloc(1, sizeof(*entry->list));
	if (entry->list)
		entry->list->disks = calloc(1, sizeof(*entry->list->disks));
	if (!entry->list || !entry->list->disks) {
		destroy_entry(entry);
		return NULL;
	}
	entry->list->count = 1;
	describe(image, size,
		 image->logical_sector_size ? image->logical_sector_size
					    : image_store_sector_size(fd, size),
		 &entry->list->disks[0]);
	if (read_table(fd, &entry->list->disks[0]) < 0) {
		destroy_entry(entry);
		return NULL;
	}
	return entry;
}

/* The newest of an image, or NULL. */
static struct entry *find(struct image_store *images, dev_t devno, uint64_t inode,
			  uint32_t sector_size)
{
	SCOPED_LOCK(&images->lock);
	for (struct entry *entry = images->last; entry; entry = entry->before)
		if (entry->seen.st_dev == devno && entry->seen.st_ino == inode &&
		    entry->sector_size == sector_size)
			return entry;
	return NULL;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool unchanged(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && same_time(a->st_mtim, b->st_mtim) &&
	       same_time(a->st_ctim, b->st_ctim);
}

static bool is_readable_image(const struct image_store *images, const struct endpoint *image)
{
	return images && image->kind == ENDPOINT_IMAGE && image->exists;
}

const struct disk *image_store_read(struct image_store *images, const struct endpoint *image)
{
	CLEANUP(close) int fd = -1;
	struct entry *entry;
	struct stat st;

	if (!is_readable_image(images, image))
		return NULL;
	fd = open(image->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	entry = find(images, st.st_dev, st.st_ino, image->logical_sector_size);
	if (entry && unchanged(&entry->seen, &st))
		return entry->list->disks;
	entry = read_entry(fd, &st, image);
	if (!entry)
		return NULL;
	pthread_mutex_lock(&images->lock);
	entry->before = images->last;
	images->last = entry;
	pthread_mutex_unlock(&images->lock);
	return entry->list->disks;
}

const struct disk *image_store_known(struct image_store *images, const struct endpoint *image)
{
	struct entry *entry = NULL;

	if (is_readable_image(images, image))
		entry = find(images, image->identity.devno, image->identity.inode,
			     image->logical_sector_size);
	return entry ? entry->list->disks : NULL;
}
