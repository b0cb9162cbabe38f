/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pass over sysfs. libudev's own enumeration makes an object of every
 * device it finds, sorts them, and leaves the caller to make each a second
 * time; with 200 disks that is most of the time that a list takes. So the
 * folders of the classes are read here, and only block devices become objects.
 */
#include "discover/gather.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libudev.h>

#include "discover/nodes.h"
#include "discover/sysfs.h"

struct visitor {
	struct udev *udev;
	struct gathered *gathered;
	const char *class;
	int (*visit)(const struct visitor *visitor, const char *path);
};

/* Visits every device of a class by its path, except those that disappear meanwhile. */
static int each_device(const struct visitor *visitor)
{
	char link[64 + NAME_MAX + 2], path[PATH_MAX];
	struct dirent *entry;
	DIR *directory;
	int r = 0;

	snprintf(link, sizeof(link), "/sys/class/%s", visitor->class);
	directory = opendir(link);
	if (!directory)
		return -errno;
	while (r == 0 && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(link, sizeof(link), "/sys/class/%s/%s", visitor->class, entry->d_name);
		if (sysfs_follow(link, path) == 0)
			r = visitor->visit(visitor, path);
	}
	closedir(directory);
	return r;
}

static int add_block(const struct visitor *visitor, const char *path)
{
	struct gathered *gathered = visitor->gathered;
	struct udev_device *device = udev_device_new_from_syspath(visitor->udev, path);
	struct udev_device **blocks;

	if (!device)
		return 0;
	blocks = reallocarray(gathered->blocks, gathered->count + 1, sizeof(*blocks));
	if (!blocks) {
		udev_device_unref(device);
		return -ENOMEM;
	}
	blocks[gathered->count++] = device;
	gathered->blocks = blocks;
	return 0;
}

static int add_node(const struct visitor *visitor, const char *path)
{
	return nodes_add(visitor->gathered->nodes, visitor->class, path);
}

int gather(struct udev *udev, struct gathered *ret)
{
	static const char *const others[] = { "scsi_generic", "bsg", "nvme-generic", "hwmon" };
	struct visitor visitor = { .udev = udev, .gathered = ret };
	int r;

	*ret = (struct gathered){ .nodes = nodes_new() };
	if (!ret->nodes)
		return -ENOMEM;
	visitor.class = "block";
	visitor.visit = add_block;
	r = each_device(&visitor);
	visitor.visit = add_node;
	for (size_t i = 0; r == 0 && i < sizeof(others) / sizeof(others[0]); i++) {
		visitor.class = others[i];
		r = each_device(&visitor);
		/* Drivers that are not loaded have no class. */
		if (r == -ENOENT)
			r = 0;
	}
	return r;
}

void gather_done(struct gathered *gathered)
{
	for (size_t i = 0; i < gathered->count; i++)
		udev_device_unref(gathered->blocks[i]);
	free(gathered->blocks);
	nodes_destroy(gathered->nodes);
	*gathered = (struct gathered){ 0 };
}
