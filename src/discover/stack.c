/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/stack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libudev.h>

#include "base/array.h"
#include "base/text.h"
#include "discover/attr.h"

static int compare_devno(const void *a, const void *b, void *user)
{
	const struct stack *stack = user;
	dev_t x = stack->blocks[*(const size_t *)a].devno;
	dev_t y = stack->blocks[*(const size_t *)b].devno;

	return (x > y) - (x < y);
}

size_t stack_by_devno(const struct stack *stack, dev_t devno)
{
	size_t at = array_first(stack->count, i, stack->blocks[stack->by_devno[i]].devno >= devno);

	if (at < stack->count && stack->blocks[stack->by_devno[at]].devno == devno)
		return stack->by_devno[at];
	return STACK_NONE;
}

/* In the names of folders, '!' stands for the '/' of a device's name: "cciss!c0d0". */
static bool is_folder_of(const char *folder, const char *name)
{
	for (; *folder && (*folder == *name || (*folder == '!' && *name == '/')); folder++)
		name++;
	return !*folder && !*name;
}

static size_t by_folder(const struct stack *stack, const char *folder)
{
	for (size_t i = 0; i < stack->count; i++)
		if (is_folder_of(folder, stack->blocks[i].name))
			return i;
	return STACK_NONE;
}

int stack_link(struct stack *stack, size_t block, size_t below)
{
	struct stack_block *b = &stack->blocks[block];

	return array_append(b->below, b->below_count, below);
}

static int link_slaves(struct stack *stack, size_t block, struct udev_device *device)
{
	char path[512];
	CLEANUP(dir) DIR *directory = NULL;
	struct dirent *entry;
	int r = 0;

	snprintf(path, sizeof(path), "%s/slaves", udev_device_get_syspath(device));
	directory = opendir(path);
	while (r == 0 && directory && (entry = readdir(directory))) {
		size_t below =
			entry->d_name[0] == '.' ? STACK_NONE : by_folder(stack, entry->d_name);

		if (below != STACK_NONE)
			r = stack_link(stack, block, below);
	}
	return r;
}

static int read_backing_file(struct stack_block *block, struct udev_device *device)
{
	bool loop = disk_kind_of(block->name) == DISK_LOOP;
	char file[PATH_MAX];

	if ((!loop && !text_after(block->name, "zram")) ||
	    !attr_line(udev_device_get_syspath(device), loop ? "loop/backing_file" : "backing_dev",
		       file, sizeof(file)) ||
	    file[0] != '/')
		return 0;
	attr_cut_deleted(file);
	block->backing_file = strdup(file);
	return block->backing_file ? 0 : -ENOMEM;
}

/* A cache that no backing device uses, and a backing device whose cache is missing, have no holder
 * and are held all the same. */
static bool is_taken_by_bcache(struct udev_device *device)
{
	char path[512];

	/* bcache's own devices have such a directory, too. */
	if (strncmp(udev_device_get_sysname(device), "bcache", strlen("bcache")) == 0)
		return false;
	snprintf(path, sizeof(path), "%s/bcache", udev_device_get_syspath(device));
	return access(path, F_OK) == 0;
}

static int read_block(struct stack_block *block, struct udev_device *device, bool bcache)
{
	const char *name = udev_device_get_sysname(device);
	const char *node = udev_device_get_devnode(device);

	block->bcache = bcache && is_taken_by_bcache(device);
	block->devno = udev_device_get_devnum(device);
	block->disk = STACK_NONE;
	text_sanitise(block->name, sizeof(block->name), name, strlen(name));
	if (node)
		text_sanitise(block->node, sizeof(block->node), node, strlen(node));
	if (disk_kind_of(block->name) != DISK_DM ||
	    !attr_text(udev_device_get_syspath(device), "dm/name", block->holder_name,
		       sizeof(block->holder_name)))
		text_copy(block->holder_name, sizeof(block->holder_name), block->name);
	return read_backing_file(block, device);
}

/* A partition's directory is in that of its disk. */
static size_t disk_of(const struct stack *stack, struct udev_device *device)
{
	const char *type = udev_device_get_devtype(device);
	char path[512], *slash;

	if (!type || strcmp(type, "partition") != 0)
		return STACK_NONE;
	text_copy(path, sizeof(path), udev_device_get_devpath(device));
	slash = strrchr(path, '/');
	if (!slash)
		return STACK_NONE;
	*slash = '\0';
	slash = strrchr(path, '/');
	return slash ? by_folder(stack, slash + 1) : STACK_NONE;
}

int stack_new(struct udev_device *const *blocks, size_t count, struct stack **ret)
{
	struct stack *stack = calloc(1, sizeof(*stack));
	bool bcache = access("/sys/fs/bcache", F_OK) == 0;
	int r = 0;

	if (!stack)
		return -ENOMEM;
	stack->blocks = calloc(count ? count : 1, sizeof(*stack->blocks));
	stack->by_devno = calloc(count ? count : 1, sizeof(*stack->by_devno));
	if (!stack->blocks || !stack->by_devno) {
		stack_destroy(stack);
		return -ENOMEM;
	}
	stack->count = count;
	for (size_t i = 0; r == 0 && i < count; i++) {
		stack->by_devno[i] = i;
		r = read_block(&stack->blocks[i], blocks[i], bcache);
	}
	if (r == 0)
		qsort_r(stack->by_devno, count, sizeof(*stack->by_devno), compare_devno, stack);
	for (size_t i = 0; r == 0 && i < count; i++) {
		stack->blocks[i].disk = disk_of(stack, blocks[i]);
		/* Only virtual devices lie on other block devices. */
		if (stack->blocks[i].disk == STACK_NONE &&
		    strncmp(udev_device_get_devpath(blocks[i]), "/devices/virtual/", 17) == 0)
			r = link_slaves(stack, i, blocks[i]);
	}
	if (r < 0) {
		stack_destroy(stack);
		return r;
	}
	*ret = stack;
	return 0;
}

void stack_destroy(struct stack *stack)
{
	if (!stack)
		return;
	for (size_t i = 0; i < stack->count; i++) {
		free(stack->blocks[i].below);
		free(stack->blocks[i].backing_file);
	}
	free(stack->blocks);
	free(stack->by_devno);
	free(stack);
}

enum use_kind stack_holder_kind(const struct stack *stack, size_t block)
{
	switch (disk_kind_of(stack->blocks[block].name)) {
	case DISK_DM:
		return USE_DM;
	case DISK_MD:
		return USE_MD;
	case DISK_LOOP:
	case DISK_RAM:
		return USE_LOOP;
	case DISK_SCSI:
	case DISK_NVME:
	case DISK_VIRTIO:
	case DISK_MMC:
	case DISK_OTHER:
		break;
	}
	return USE_BCACHE;
}

/* A cycle, which a recorded or forged sysfs may have, ends at `most`. */
static unsigned height(const struct stack *stack, size_t block, unsigned most)
{
	const struct stack_block *b = &stack->blocks[block];
	unsigned highest = 0;

	for (size_t i = 0; most > 0 && i < b->below_count; i++) {
		unsigned h = 1 + height(stack, b->below[i], most - 1);

		highest = h > highest ? h : highest;
	}
	if (most > 0 && b->disk != STACK_NONE) {
		unsigned h = height(stack, b->disk, most - 1);

		highest = h > highest ? h : highest;
	}
	return highest;
}

unsigned stack_height(const struct stack *stack, size_t block)
{
	return height(stack, block, STACK_HEIGHT_MAX);
}
