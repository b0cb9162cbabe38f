/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "guard/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <libmount/libmount.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "discover/attr.h"
#include "discover/table.h"
#include "discover/usage.h"

/* dm on md on loop on a file on dm …: real machines have fewer levels. */
#define DEPTH_MAX 8

#define MOUNTS "/proc/self/mountinfo"

/* Kernel headers of older releases lack it. */
#ifndef EXFAT_SUPER_MAGIC
#define EXFAT_SUPER_MAGIC 0x2011bab0
#endif
#define FAT_LIMIT 4294967295ULL /* bytes, FAT32 */

DEFINE_CLEANUP(table, struct libmnt_table *, mnt_unref_table)

struct search {
	struct libmnt_table **mounts; /* read on first use */
	struct guard_place *place;
	bool by_file; /* a file lies above what is found now */
};

static void below_path(struct search *search, const char *path, unsigned depth);

/* NULL if they cannot be read. */
static struct libmnt_table *read_mounts(struct libmnt_table **mounts)
{
	if (!*mounts)
		*mounts = mnt_new_table_from_file(MOUNTS);
	return *mounts;
}

static void add_below(struct search *search, dev_t devno, const char *disk_name, bool partition)
{
	struct guard_place *place = search->place;

	for (size_t i = 0; i < place->below_count; i++) {
		if (place->below[i].devno != devno)
			continue;
		place->below[i].by_file &= search->by_file;
		return;
	}
	if (place->below_count == GUARD_BELOW_MAX) {
		place->complete = false;
		return;
	}
	place->below[place->below_count].devno = devno;
	place->below[place->below_count].partition = partition;
	place->below[place->below_count].by_file = search->by_file;
	char *node = place->below[place->below_count++].disk;

	snprintf(node, sizeof(place->below[0].disk), "/dev/%s", disk_name);
	for (char *p = node; *p; p++)
		if (*p == '!')
			*p = '/';
}

/* place->files has only loop devices that were reached without a file in between. */
static void add_file(struct search *search, const char *directory, const char *name)
{
	struct guard_place *place = search->place;
	char node[64];

	snprintf(node, sizeof(node), "/dev/%s", name);
	if (!search->by_file && place->file_count < GUARD_BELOW_MAX &&
	    storage_of_loop(directory, node, &place->files[place->file_count]))
		place->file_count++;
}

static void below_device(struct search *search, dev_t devno, unsigned depth)
{
	char directory[PATH_MAX], path[PATH_MAX + 16], line[PATH_MAX];
	struct guard_place *place = search->place;
	size_t before = place->below_count, with_it;
	int r = depth > DEPTH_MAX ? -ELOOP : sysfs_by_number("block", devno, directory);

	if (r < 0) {
		place->complete = false;
		/* A file system stays mounted after its disk is gone. */
		if (r == -ENOENT && access("/sys/dev/block", F_OK) == 0)
			place->gone = true;
		return;
	}
	/* A partition's directory is inside that of its disk. */
	if (attr_line(directory, "partition", line, sizeof(line))) {
		*strrchr(directory, '/') = '\0';
		add_below(search, devno, strrchr(directory, '/') + 1, true);
	} else {
		add_below(search, devno, strrchr(directory, '/') + 1, false);
	}
	with_it = place->below_count;
	const char *name = strrchr(directory, '/') + 1;

	if (strncmp(name, "zram", 4) == 0 || strncmp(name, "ram", 3) == 0)
		search->place->in_memory = true;
	if (attr_line(directory, "loop/backing_file", line, sizeof(line))) {
		add_file(search, directory, name);
		below_path(search, line, depth + 1);
	}
	snprintf(path, sizeof(path), "%s/slaves", directory);
	CLEANUP(dir) DIR *slaves = opendir(path);
	struct dirent *entry;

	while (slaves && (entry = readdir(slaves))) {
		char slave[PATH_MAX + 16 + NAME_MAX + 2];
		dev_t slave_devno;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(slave, sizeof(slave), "%s/%s", path, entry->d_name);
		if (attr_devno(slave, &slave_devno))
			below_device(search, slave_devno, depth + 1);
	}
	if (with_it > before)
		place->below[before].bottom = place->below_count == with_it;
}

/* Resolves the longest part of a path (absolute or relative) that exists. */
static bool nearest_existing(const char *path, char resolved[static PATH_MAX])
{
	char part[PATH_MAX];

	if (strlen(path) >= sizeof(part))
		return false;
	text_copy(part, sizeof(part), path);
	while (!realpath(part, resolved)) {
		char *slash = strrchr(part, '/');

		if (errno != ENOENT && errno != ENOTDIR)
			return false;
		if (slash == part)
			return realpath("/", resolved) != NULL;
		if (!slash)
			return realpath(".", resolved) != NULL;
		*slash = '\0';
	}
	return true;
}

/* For file systems without a device number of their own: overlay, btrfs, network. */
static void below_anonymous(struct search *search, const char *path, unsigned depth)
{
	struct libmnt_table *mounts = read_mounts(search->mounts);
	struct libmnt_fs *fs =
		mounts ? mnt_table_find_mountpoint(mounts, path, MNT_ITER_BACKWARD) : NULL;
	dev_t devices[BTRFS_MEMBERS_MAX];
	struct stat st;
	char *upper = NULL;
	size_t length = 0, count;

	if (!fs) {
		search->place->complete = false;
		return;
	}
	if (mnt_fs_match_fstype(fs, "overlay") &&
	    mnt_fs_get_option(fs, "upperdir", &upper, &length) == 0 && upper) {
		char directory[PATH_MAX];

		if (length >= sizeof(directory)) {
			search->place->complete = false;
			return;
		}
		snprintf(directory, sizeof(directory), "%.*s", (int)length, upper);
		/* Often the overlay is mounted over its own upper directory and hides it. */
		if (stat(directory, &st) == 0)
			below_path(search, directory, depth + 1);
		else
			search->place->complete = false;
		return;
	}
	count = mount_devices(fs, devices);
	for (size_t i = 0; i < count; i++)
		below_device(search, devices[i], depth + 1);
	if (count == 0)
		search->place->complete = false;
}

static void below_file(struct search *search, const char *path, unsigned depth);

/* The path is a device if a loop device was set up over one. */
static void below_path(struct search *search, const char *path, unsigned depth)
{
	bool by_file = search->by_file;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISBLK(st.st_mode)) {
		below_device(search, st.st_rdev, depth);
		return;
	}
	search->by_file = true;
	below_file(search, path, depth);
	search->by_file = by_file;
}

static void below_file(struct search *search, const char *path, unsigned depth)
{
	char resolved[PATH_MAX];
	struct statfs fs;
	struct stat st;

	if (depth > DEPTH_MAX || !nearest_existing(path, resolved) || statfs(resolved, &fs) < 0 ||
	    stat(resolved, &st) < 0) {
		search->place->complete = false;
		return;
	}
	/* Where f_type has 32 bits, it is signed, and this number is negative. */
	if (fs.f_type == TMPFS_MAGIC || (uint32_t)fs.f_type == RAMFS_MAGIC)
		search->place->in_memory = true;
	else if (major(st.st_dev) != 0)
		below_device(search, st.st_dev, depth + 1);
	else
		below_anonymous(search, resolved, depth);
}

static void find_place(struct libmnt_table **mounts, const char *path, struct guard_place *ret)
{
	struct search search = { .mounts = mounts, .place = ret };

	text_copy(ret->path, sizeof(ret->path), path);
	ret->complete = true;
	below_path(&search, path, 0);
}

/* A user of the whole disk uses the sectors of each partition, too. */
static bool stands_on(const struct guard_place *place, size_t i, const struct endpoint *endpoint)
{
	if (endpoint->kind == ENDPOINT_DISK)
		return strcmp(place->below[i].disk, endpoint->disk_node) == 0;
	return endpoint->kind == ENDPOINT_PARTITION &&
	       (place->below[i].devno == endpoint->devno ||
		place->below[i].devno == endpoint->identity.devno);
}

bool facts_place_on(const struct guard_place *place, const struct endpoint *endpoint)
{
	for (size_t i = 0; i < place->below_count; i++)
		if (stands_on(place, i, endpoint))
			return true;
	return false;
}

bool facts_made_of(const struct guard_place *place, const struct endpoint *endpoint)
{
	for (size_t i = 0; i < place->below_count; i++)
		if (!place->below[i].by_file && stands_on(place, i, endpoint))
			return true;
	return false;
}

bool facts_place_beside(const struct guard_place *place, const struct endpoint *endpoint)
{
	if (!endpoint_is_device(endpoint))
		return false;
	for (size_t i = 0; i < place->below_count; i++)
		if (strcmp(place->below[i].disk, endpoint->disk_node) == 0)
			return true;
	return false;
}

void facts_find_path(const char *path, struct guard_place *ret)
{
	CLEANUP(table) struct libmnt_table *mounts = NULL;

	*ret = (struct guard_place){ 0 };
	find_place(&mounts, path, ret);
}

bool facts_path_on(const char *path, const struct endpoint *endpoint)
{
	struct guard_place place;

	facts_find_path(path, &place);
	return facts_place_on(&place, endpoint);
}

void facts_find_place(const struct endpoint *endpoint, struct guard_place *ret)
{
	CLEANUP(table) struct libmnt_table *mounts = NULL;
	struct search search = { .mounts = &mounts, .place = ret };

	/* Nothing is known of what lies below a disk without a block node. */
	*ret = (struct guard_place){ .complete = !endpoint_is_sg_only(endpoint) };
	if (endpoint->kind == ENDPOINT_IMAGE)
		find_place(&mounts, endpoint->node, ret);
	else if (ret->complete)
		below_device(&search, endpoint->devno, 0);
}

/* What a device is made of, not including itself. */
static void find_below(struct libmnt_table **mounts, const struct endpoint *endpoint,
		       struct guard_place *ret)
{
	struct search search = { .mounts = mounts, .place = ret };
	size_t kept = 0;

	ret->complete = true;
	below_device(&search, endpoint->devno, 0);
	for (size_t i = 0; i < ret->below_count; i++)
		if (strcmp(ret->below[i].disk, endpoint->disk_node) != 0)
			ret->below[kept++] = ret->below[i];
	ret->below_count = kept;
}

/* Free space and file size limit at the place of a destination image. */
static void measure_image(const char *path, struct guard_facts *ret)
{
	char resolved[PATH_MAX];
	struct statvfs vfs;
	struct statfs fs;

	if (!nearest_existing(path, resolved))
		return;
	if (statvfs(resolved, &vfs) == 0) {
		fsblkcnt_t blocks = ret->root ? vfs.f_bfree : vfs.f_bavail;

		ret->image_free_known = u64_mul(blocks, vfs.f_frsize, &ret->image_free);
	}
	if (statfs(resolved, &fs) < 0)
		return;
	if (fs.f_type == MSDOS_SUPER_MAGIC)
		ret->image_limit = FAT_LIMIT;
	ret->image_dense = fs.f_type == MSDOS_SUPER_MAGIC || fs.f_type == EXFAT_SUPER_MAGIC;
}

bool facts_is_storage(const char *path, const struct endpoint *endpoint)
{
	struct storage storage, file;

	return storage_of(endpoint, &storage) && storage_of_file(path, &file) &&
	       storage_same(&storage, &file);
}

/* Do both ends lead to one file? Two partitions of one loop device share its file, too, but are
 * judged by their place on the device. */
static bool same_storage(const struct plan *plan)
{
	const struct endpoint *a = &plan->source, *b = &plan->destinations[0];
	struct storage from, to;

	/* The disk that has this name now is another one, perhaps the destination. */
	if (a->gone[0])
		return false;
	if (a->kind != ENDPOINT_IMAGE && b->kind != ENDPOINT_IMAGE &&
	    a->identity.devno == b->identity.devno)
		return false;
	return storage_of(a, &from) && storage_of(b, &to) && storage_same(&from, &to);
}

/* Is the endpoint an image that holds what the other end is made of, such as a logical volume on
 * the loop device over it? Then one end is a part of the other. */
static bool made_of_file(const struct guard_place *below, const struct endpoint *endpoint)
{
	struct storage file;

	if (endpoint->kind != ENDPOINT_IMAGE || !storage_of(endpoint, &file))
		return false;
	for (size_t i = 0; i < below->file_count; i++)
		if (storage_same(&below->files[i], &file))
			return true;
	return false;
}

static bool is_loop(const struct endpoint *endpoint)
{
	return strncmp(endpoint->disk_node, "/dev/loop", strlen("/dev/loop")) == 0;
}

/* Are both ends loop devices over the same device, or over a disk and a partition of it? */
static bool same_device_below(const struct plan *plan, const struct guard_facts *facts)
{
	const struct guard_place *from = &facts->source_below, *to = &facts->destination_below;

	if (!is_loop(&plan->source) || !is_loop(&plan->destinations[0]))
		return false;
	for (size_t i = 0; i < from->below_count; i++) {
		for (size_t j = 0; j < to->below_count; j++) {
			bool whole = !from->below[i].partition || !to->below[j].partition;

			if (from->below[i].by_file || to->below[j].by_file)
				continue;
			if (from->below[i].devno == to->below[j].devno ||
			    (whole && strcmp(from->below[i].disk, to->below[j].disk) == 0))
				return true;
		}
	}
	return false;
}

static bool lies_on(const struct guard_place *below, dev_t devno)
{
	for (size_t i = 0; i < below->below_count; i++)
		if (below->below[i].devno == devno)
			return true;
	return false;
}

/* A loop device over a file that the destination is or is made of: its users would see its contents
 * change. A file may be attached to several. */
static void find_loop(const struct endpoint *destination, const struct guard_place *below,
		      const struct disk_list *disks, char ret[static 64])
{
	struct storage files[GUARD_BELOW_MAX + 1], other;
	size_t count = below->file_count;

	memcpy(files, below->files, count * sizeof(*files));
	count += storage_of(destination, &files[count]);
	for (size_t i = 0; i < disks->count; i++) {
		const struct disk *disk = &disks->disks[i];
		struct endpoint loop;

		if (disk->kind != DISK_LOOP || lies_on(below, disk->identity.devno) ||
		    (destination->kind != ENDPOINT_IMAGE &&
		     disk->identity.devno == destination->identity.devno))
			continue;
		endpoint_from_disk(disk, &loop);
		if (!storage_of(&loop, &other))
			continue;
		for (size_t file = 0; file < count; file++)
			if (storage_shared(&files[file], &other))
				text_copy(ret, 64, loop.node);
	}
}

void facts_look_at(const struct endpoint *endpoint, uint64_t end, char ret[static GUARD_SHOWS_MAX])
{
	CLEANUP(close) int fd = open(endpoint->node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct table_source source = { .fd = fd,
				       .size = endpoint->size,
				       .sector_size = endpoint->logical_sector_size };
	struct table table = { 0 };
	bool shows = false;

	ret[0] = '\0';
	/* What was written through another node does not show in the page cache of this one. */
	if (fd < 0 || endpoint_is_sg_only(endpoint) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		return;
	if (table_read(&source, &table) == 0)
		shows = table.type[0] != '\0';
	for (size_t i = 0; i < table.signature_count; i++)
		shows = shows || table.signatures[i] < end;
	if (shows)
		table_print(&table, source.sector_size, ret, GUARD_SHOWS_MAX);
	table_done(&table);
}

void facts_gather(const struct plan *plan, const struct disk_list *disks, const char *log_dir,
		  const char *map_path, struct guard_facts *ret)
{
	CLEANUP(table) struct libmnt_table *mounts = NULL;
	struct stat st;

	*ret = (struct guard_facts){ .disks = disks, .root = geteuid() == 0 };
	ret->same_storage = same_storage(plan);
	if (log_dir)
		find_place(&mounts, log_dir, &ret->log_dir);
	if (map_path)
		find_place(&mounts, map_path, &ret->map);
	if (plan->source.kind == ENDPOINT_IMAGE) {
		find_place(&mounts, plan->source.node, &ret->source_image);
		if (stat(plan->source.node, &st) == 0)
			ret->source_allocated_known =
				u64_mul((uint64_t)st.st_blocks, 512, &ret->source_allocated);
	}
	if (plan->destinations[0].kind == ENDPOINT_IMAGE) {
		find_place(&mounts, plan->destinations[0].node, &ret->destination_image);
		measure_image(plan->destinations[0].node, ret);
	}
	if (endpoint_is_device(&plan->destinations[0]))
		find_below(&mounts, &plan->destinations[0], &ret->destination_below);
	if (plan->destinations[0].kind != ENDPOINT_IMAGE)
		facts_find_writers(&plan->destinations[0], disks, &ret->destination_writers);
	if (!plan->source.gone[0]) {
		if (endpoint_is_device(&plan->source))
			find_below(&mounts, &plan->source, &ret->source_below);
		facts_find_writers(&plan->source, disks, &ret->source_writers);
	}
	ret->destination_swap = storage_is_swap(&plan->destinations[0]);
	find_loop(&plan->destinations[0], &ret->destination_below, disks, ret->destination_loop);
	ret->same_storage |= same_device_below(plan, ret) ||
			     made_of_file(&ret->destination_below, &plan->source) ||
			     made_of_file(&ret->source_below, &plan->destinations[0]);
}
