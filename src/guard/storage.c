/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "guard/storage.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <libmount/libmount.h>

#include "base/cleanup.h"
#include "base/range.h"
#include "discover/attr.h"

/* A file in an overlay is a file of one of its layers, which may be an overlay, too. */
#define LAYERS_MAX 8

DEFINE_CLEANUP(table, struct libmnt_table *, mnt_unref_table)

static bool stat_file(const char *path, struct storage *ret)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	*ret = (struct storage){ .devno = st.st_dev, .inode = st.st_ino };
	return true;
}

/* `length` bytes of a mount option; overlayfs has a backslash before what would end a layer. */
static bool layer_path(const char *layer, size_t length, const char *inside,
		       char ret[static PATH_MAX])
{
	size_t used = 0;

	for (size_t i = 0; i < length && used + 1 < PATH_MAX; i++) {
		if (layer[i] == '\\' && i + 1 < length)
			i++;
		ret[used++] = layer[i];
	}
	return (size_t)snprintf(ret + used, PATH_MAX - used, "%s", inside) < PATH_MAX - used;
}

/* The uppermost layer that has the file; below the first are those that are only read. */
static bool find_in_layers(const char *layers, size_t length, const char *inside,
			   char ret[static PATH_MAX])
{
	struct stat st;

	while (length > 0) {
		size_t end = 0;

		while (end < length && layers[end] != ':')
			end += layers[end] == '\\' && end + 1 < length ? 2 : 1;
		if (layer_path(layers, end, inside, ret) && stat(ret, &st) == 0 &&
		    S_ISREG(st.st_mode))
			return true;
		end += end < length;
		layers += end;
		length -= end;
	}
	return false;
}

/* The path of the file in the layer of an overlay that holds its bytes. False: it is in no overlay,
 * or the layers cannot be reached by a path (live systems); then no end can be below them either.
 */
static bool leave_overlay(const char *path, char ret[static PATH_MAX])
{
	CLEANUP(table) struct libmnt_table *mounts = NULL;
	char real[PATH_MAX], inside[PATH_MAX];
	const char *target, *root;
	struct libmnt_fs *mount;
	struct statfs fs;
	char *layers;
	size_t length;

	if (statfs(path, &fs) < 0 || fs.f_type != OVERLAYFS_SUPER_MAGIC || !realpath(path, real))
		return false;
	mounts = mnt_new_table_from_file("/proc/self/mountinfo");
	mount = mounts ? mnt_table_find_mountpoint(mounts, real, MNT_ITER_BACKWARD) : NULL;
	target = mount ? mnt_fs_get_target(mount) : NULL;
	root = mount ? mnt_fs_get_root(mount) : NULL;
	if (!target || !root || !mnt_fs_match_fstype(mount, "overlay"))
		return false;
	/* Only a part of it may be mounted there. */
	if (snprintf(inside, sizeof(inside), "%s%s", strcmp(root, "/") == 0 ? "" : root,
		     real + (strcmp(target, "/") == 0 ? 0 : strlen(target))) >= PATH_MAX)
		return false;
	if (mnt_fs_get_option(mount, "upperdir", &layers, &length) == 0 && layers &&
	    find_in_layers(layers, length, inside, ret))
		return true;
	return mnt_fs_get_option(mount, "lowerdir", &layers, &length) == 0 && layers &&
	       find_in_layers(layers, length, inside, ret);
}

bool storage_of_file(const char *path, struct storage *ret)
{
	char here[PATH_MAX], below[PATH_MAX];

	if (!stat_file(path, ret))
		return false;
	snprintf(here, sizeof(here), "%s", path);
	for (int i = 0; i < LAYERS_MAX && leave_overlay(here, below); i++) {
		memcpy(here, below, sizeof(here));
		stat_file(here, ret);
	}
	return true;
}

bool storage_is_swap(const struct endpoint *endpoint)
{
	CLEANUP(table) struct libmnt_table *swaps = mnt_new_table();
	struct libmnt_iter *walk = mnt_new_iter(MNT_ITER_FORWARD);
	struct storage own, swap;
	struct libmnt_fs *fs;
	bool found = false;

	if (swaps && walk && storage_of(endpoint, &own) && mnt_table_parse_swaps(swaps, NULL) == 0)
		while (!found && mnt_table_next_fs(swaps, walk, &fs) == 0) {
			const char *path = mnt_fs_get_source(fs);

			found = path && storage_of_file(path, &swap) && storage_same(&own, &swap);
		}
	mnt_free_iter(walk);
	return found;
}

/* The kernel is asked, because the name that sysfs has may lead to another file by now: the file
 * was removed or replaced, or something is mounted over its folder. */
bool storage_of_loop(const char *directory, const char *node, struct storage *ret)
{
	char path[PATH_MAX];
	struct loop_info64 info;

	if (!attr_line(directory, "loop/backing_file", path, sizeof(path)))
		return false;
	CLEANUP(close) int fd = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, LOOP_GET_STATUS64, &info) < 0)
		return storage_of_file(path, ret);
	*ret = (struct storage){
		.devno = (dev_t)info.lo_device,
		.inode = (ino_t)info.lo_inode,
		.start = info.lo_offset,
		.size = info.lo_sizelimit,
	};
	/* The kernel names the inode in the overlay; compared is the one in the layer. */
	struct storage named;

	if (stat_file(path, &named) && storage_same(&named, ret) && storage_of_file(path, &named)) {
		ret->devno = named.devno;
		ret->inode = named.inode;
	}
	return info.lo_rdevice == 0;
}

bool storage_of(const struct endpoint *endpoint, struct storage *ret)
{
	if (endpoint->kind == ENDPOINT_IMAGE)
		return storage_of_file(endpoint->node, ret);
	return storage_of_loop(SYSFS_FOLDER("block", endpoint->identity.devno), endpoint->disk_node,
			       ret);
}

bool storage_same(const struct storage *a, const struct storage *b)
{
	return a->devno == b->devno && a->inode == b->inode;
}

static struct range bytes_of(const struct storage *storage)
{
	return (struct range){ storage->start, storage->size ? storage->size : UINT64_MAX };
}

bool storage_shared(const struct storage *a, const struct storage *b)
{
	return storage_same(a, b) && range_overlaps(bytes_of(a), bytes_of(b));
}
