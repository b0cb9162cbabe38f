/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Uses spread downwards: what holds a logical volume holds the md array below
 * it, the crypt device below that and the partitions below that. So the block
 * devices are made into a graph (stack.h) and every use walks down from where
 * it was seen.
 */
#include "discover/usage.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <libmount.h>
#include <libudev.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "discover/attr.h"
#include "discover/scan_options.h"
#include "discover/stack.h"

struct usage {
	struct stack *stack;
	struct use_list *uses; /* one per block of the stack */
	unsigned walk;         /* number of the last one down the stack */
	struct libmnt_table *mounts, *swaps;
};

int use_list_add(struct use_list *list, enum use_kind kind, const char *what, const char *node)
{
	struct use use = { .kind = kind };

	text_sanitise(use.what, sizeof(use.what), what, strlen(what));
	text_copy(use.node, sizeof(use.node), node);
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].kind == kind && strcmp(list->items[i].what, use.what) == 0 &&
		    strcmp(list->items[i].node, use.node) == 0)
			return 0;
	return array_append(list->items, list->count, use);
}

/* To those of this walk that it did not reach yet: it also ends at a cycle, which a recorded or
 * forged sysfs may have. A partition stands on what its disk stands on. */
static int spread_from(struct usage *usage, size_t block, enum use_kind kind, const char *what)
{
	struct stack_block *blocks = usage->stack->blocks, *b = &blocks[block];
	const struct stack_block *disk = b->disk == STACK_NONE ? NULL : &blocks[b->disk];
	int r;

	if (b->visited == usage->walk)
		return 0;
	b->visited = usage->walk;
	r = use_list_add(&usage->uses[block], kind, what, b->node);
	for (size_t i = 0; r == 0 && i < b->below_count; i++)
		r = spread_from(usage, b->below[i], kind, what);
	for (size_t i = 0; r == 0 && disk && i < disk->below_count; i++)
		r = spread_from(usage, disk->below[i], kind, what);
	return r;
}

/* The use reaches the block and everything below it. */
static int spread(struct usage *usage, size_t block, enum use_kind kind, const char *what)
{
	usage->walk++;
	return spread_from(usage, block, kind, what);
}

static size_t blocks_of_mount(struct usage *usage, struct libmnt_fs *fs,
			      size_t ret[static BTRFS_MEMBERS_MAX])
{
	dev_t devices[BTRFS_MEMBERS_MAX];
	size_t found = mount_devices(fs, devices), count = 0;

	for (size_t i = 0; i < found; i++) {
		ret[count] = stack_by_devno(usage->stack, devices[i]);
		if (ret[count] != STACK_NONE)
			count++;
	}
	return count;
}

static int spread_mount(struct usage *usage, struct libmnt_fs *fs, enum use_kind kind,
			const char *what)
{
	size_t blocks[BTRFS_MEMBERS_MAX];
	size_t count = blocks_of_mount(usage, fs, blocks);
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = spread(usage, blocks[i], kind, what);
	return r;
}

/* The mount that contains a path. Only the text of the path counts: the file of a loop device may
 * be invisible (deleted, or mounted over) and still in use. */
static struct libmnt_fs *mount_of_path(struct usage *usage, const char *path)
{
	char place[PATH_MAX];
	size_t length = strlen(path);

	if (path[0] != '/' || length >= sizeof(place))
		return NULL;
	memcpy(place, path, length + 1);
	for (;;) {
		struct libmnt_fs *fs =
			mnt_table_find_target(usage->mounts, place, MNT_ITER_BACKWARD);
		char *slash = strrchr(place, '/');

		if (fs || strcmp(place, "/") == 0)
			return fs;
		slash[slash == place ? 1 : 0] = '\0';
	}
}

/* A whole device may back a loop device or zram, too. */
static size_t blocks_of_file(struct usage *usage, const char *path,
			     size_t ret[static BTRFS_MEMBERS_MAX])
{
	struct libmnt_fs *fs;
	struct stat st;

	if (stat(path, &st) == 0) {
		ret[0] = stack_by_devno(usage->stack, S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev);
		if (ret[0] != STACK_NONE)
			return 1;
	}
	fs = mount_of_path(usage, path);
	return fs ? blocks_of_mount(usage, fs, ret) : 0;
}

/* The device of the running system, or the medium of a live system. */
static bool is_boot_mount(const char *target)
{
	/* Debian, Fedora, Arch, Manjaro. */
	static const char *const trees[] = { "/run/live/", "/lib/live/mount/", "/run/initramfs/",
					     "/run/archiso/", "/run/miso/" };

	if (text_is_one_of(target, "/", "/usr", "/boot", "/efi", "/boot/efi", "/cdrom",
			   "/isodevice", "/livemnt/boot"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
		if (text_after(target, trees[i]))
			return true;
	return false;
}

/* A live system's root is an overlay: what counts is what its layers lie on. */
static int spread_overlay(struct usage *usage, struct libmnt_fs *fs)
{
	static const char *const layers[] = { "lowerdir", "upperdir" };
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(layers); i++) {
		char *value = NULL, *save = NULL, *copy;
		size_t size = 0;

		if (mnt_optstr_get_option(mnt_fs_get_options(fs), layers[i], &value, &size) != 0)
			continue;
		copy = strndup(value, size);
		if (!copy)
			return -ENOMEM;
		for (char *path = strtok_r(copy, ":", &save); r == 0 && path;
		     path = strtok_r(NULL, ":", &save)) {
			struct libmnt_fs *below = mount_of_path(usage, path);

			/* "/" again would be the overlay itself. */
			if (below && below != fs)
				r = spread_mount(usage, below, USE_BOOT, "/");
		}
		free(copy);
	}
	return r;
}

static int add_mounts(struct usage *usage)
{
	struct libmnt_iter *walk = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	int r = walk ? 0 : -ENOMEM;

	while (r == 0 && mnt_table_next_fs(usage->mounts, walk, &fs) == 0) {
		const char *target = mnt_fs_get_target(fs);
		const char *type = mnt_fs_get_fstype(fs);

		if (!target)
			continue;
		r = spread_mount(usage, fs, USE_MOUNT, target);
		if (r < 0 || !is_boot_mount(target))
			continue;
		r = spread_mount(usage, fs, USE_BOOT, target);
		if (r == 0 && type && strcmp(type, "overlay") == 0)
			r = spread_overlay(usage, fs);
	}
	mnt_free_iter(walk);
	return r;
}

static int add_swaps(struct usage *usage)
{
	struct libmnt_iter *walk = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	int r = walk ? 0 : -ENOMEM;

	while (r == 0 && mnt_table_next_fs(usage->swaps, walk, &fs) == 0) {
		const char *source = mnt_fs_get_source(fs);
		size_t blocks[BTRFS_MEMBERS_MAX], count;

		if (!source || source[0] != '/')
			continue;
		count = blocks_of_file(usage, source, blocks);
		for (size_t i = 0; r == 0 && i < count; i++)
			r = spread(usage, blocks[i], USE_SWAP, source);
	}
	mnt_free_iter(walk);
	return r;
}

/* The file behind a loop device, unless that is the device below itself. */
static const char *name_holder(const struct stack_block *holder, const struct stack_block *below)
{
	if (!holder->backing_file)
		return holder->holder_name;
	return strcmp(holder->backing_file, below->node) == 0 ? holder->node : holder->backing_file;
}

static int add_holder(struct usage *usage, size_t holder)
{
	const struct stack_block *block = &usage->stack->blocks[holder];

	for (size_t n = 0; n < block->below_count; n++) {
		size_t below = block->below[n];
		const char *what = name_holder(block, &usage->stack->blocks[below]);

		if (spread(usage, below, stack_holder_kind(usage->stack, holder), what) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* The highest device first: in this order a user has to release them. */
static int add_holders(struct usage *usage)
{
	size_t count = usage->stack->count;

	for (unsigned height = STACK_HEIGHT_MAX; height > 0; height--)
		for (size_t i = 0; i < count; i++)
			if (stack_height(usage->stack, i) == height && add_holder(usage, i) < 0)
				return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (usage->stack->blocks[i].bcache && !use_list_find(&usage->uses[i], USE_BCACHE) &&
		    spread(usage, i, USE_BCACHE, "bcache") < 0)
			return -ENOMEM;
	return 0;
}

/* Loop devices and zram lie on a file system: known only once the mounts are. */
static int link_backing_files(struct usage *usage)
{
	for (size_t i = 0; i < usage->stack->count; i++) {
		const char *file = usage->stack->blocks[i].backing_file;
		size_t blocks[BTRFS_MEMBERS_MAX];
		size_t count = file ? blocks_of_file(usage, file, blocks) : 0;

		for (size_t n = 0; n < count; n++)
			if (stack_link(usage->stack, i, blocks[n]) < 0)
				return -ENOMEM;
	}
	return 0;
}

static int read_tables(struct usage *usage, const char *mountinfo, const char *swaps,
		       struct error *reterr)
{
	int r;

	usage->mounts = mnt_new_table();
	usage->swaps = mnt_new_table();
	if (!usage->mounts || !usage->swaps)
		return error_nomem(reterr);
	if (!mountinfo)
		mountinfo = "/proc/self/mountinfo";
	r = mnt_table_parse_file(usage->mounts, mountinfo);
	if (r != 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r < 0 ? r : -EIO, "read",
				 mountinfo,
				 _("The list of mounts %s cannot be read, so no disk can be called "
				   "unused: %s."),
				 mountinfo, error_phrase(r < 0 ? r : -EIO));
	/* A kernel without swap has no such file. */
	r = mnt_table_parse_swaps(usage->swaps, swaps ? swaps : "/proc/swaps");
	if (r == -ENOMEM)
		return error_nomem(reterr);
	return 0;
}

/* The volume that the rescue stick was started from: its loader names it to the kernel. Nothing of
 * it is mounted, since all of it is in memory. "": this is no such system. */
static void find_stick(const char *cmdline, char ret[static 64])
{
	static const char key[] = "clonedeck.stick=";
	CLEANUP(fclose) FILE *file = fopen(cmdline ? cmdline : "/proc/cmdline", "re");
	char line[4096], *save = NULL;

	ret[0] = '\0';
	if (!file || !fgets(line, sizeof(line), file))
		return;
	for (char *word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save))
		if (text_after(word, key))
			text_copy(ret, 64, word + strlen(key));
}

/* All of the disk, since its tables and loader are beside that volume. */
static int add_stick(struct usage *usage, struct udev_device *const *blocks, size_t count,
		     const char *cmdline)
{
	char stick[64];
	int r = 0;

	find_stick(cmdline, stick);
	for (size_t i = 0; r == 0 && stick[0] && i < count; i++) {
		const char *uuid = udev_device_get_property_value(blocks[i], "ID_FS_UUID");

		if (!uuid || strcmp(uuid, stick) != 0)
			continue;
		struct udev_device *disk =
			udev_device_get_parent_with_subsystem_devtype(blocks[i], "block", "disk");
		size_t block = stack_by_devno(usage->stack,
					      udev_device_get_devnum(disk ? disk : blocks[i]));

		if (block != STACK_NONE)
			r = spread(usage, block, USE_BOOT, _("this rescue stick"));
	}
	return r;
}

int usage_new(struct udev_device *const *blocks, size_t count, const struct scan_options *options,
	      struct usage **ret, struct error *reterr)
{
	struct usage *usage = calloc(1, sizeof(*usage));
	int r;

	if (!usage)
		return error_nomem(reterr);
	r = read_tables(usage, options->mountinfo, options->swaps, reterr);
	if (r < 0)
		goto fail;
	r = stack_new(blocks, count, &usage->stack);
	if (r == 0) {
		usage->uses = calloc(count ? count : 1, sizeof(*usage->uses));
		r = usage->uses ? 0 : -ENOMEM;
	}
	if (r == 0)
		r = link_backing_files(usage);
	if (r == 0)
		r = add_mounts(usage);
	if (r == 0)
		r = add_swaps(usage);
	if (r == 0)
		r = add_stick(usage, blocks, count, options->cmdline);
	if (r == 0)
		r = add_holders(usage);
	if (r < 0) {
		error_nomem(reterr);
		goto fail;
	}
	*ret = usage;
	return 0;
fail:
	usage_destroy(usage);
	return r;
}

void usage_destroy(struct usage *usage)
{
	if (!usage)
		return;
	for (size_t i = 0; usage->uses && i < usage->stack->count; i++)
		use_list_done(&usage->uses[i]);
	free(usage->uses);
	stack_destroy(usage->stack);
	mnt_unref_table(usage->mounts);
	mnt_unref_table(usage->swaps);
	free(usage);
}

int usage_add_to(const struct usage *usage, dev_t devno, struct use_list *list)
{
	size_t block = stack_by_devno(usage->stack, devno);

	if (block == STACK_NONE)
		return 0;
	for (size_t i = 0; i < usage->uses[block].count; i++) {
		const struct use *use = &usage->uses[block].items[i];

		if (use_list_add(list, use->kind, use->what, use->node) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- what a mount lies on ---- */

#define FILE_SYSTEMS "/sys/fs/btrfs"

/* The devices of one file system; 0 if `member` is none of them. */
static size_t list_members(const char *folder, dev_t member, dev_t ret[static BTRFS_MEMBERS_MAX])
{
	CLEANUP(dir) DIR *devices = opendir(folder);
	struct dirent *entry;
	char device[PATH_MAX];
	size_t count = 0;
	bool ours = false;

	while (devices && count < BTRFS_MEMBERS_MAX && (entry = readdir(devices))) {
		snprintf(device, sizeof(device), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] == '.' || !attr_devno(device, &ret[count]))
			continue;
		ours = ours || ret[count] == member;
		count++;
	}
	return ours ? count : 0;
}

/* All members of the mounted file system that one of them belongs to: at least that one. */
static size_t btrfs_members(dev_t member, dev_t ret[static BTRFS_MEMBERS_MAX])
{
	CLEANUP(dir) DIR *systems = opendir(FILE_SYSTEMS);
	struct dirent *entry;
	size_t count = 0;

	while (systems && count == 0 && (entry = readdir(systems))) {
		char folder[512];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(folder, sizeof(folder), FILE_SYSTEMS "/%s/devices", entry->d_name);
		count = list_members(folder, member, ret);
	}
	if (count == 0)
		ret[count++] = member;
	return count;
}

size_t mount_devices(struct libmnt_fs *fs, dev_t ret[static BTRFS_MEMBERS_MAX])
{
	const char *source = mnt_fs_get_source(fs);
	struct stat st;

	ret[0] = mnt_fs_get_devno(fs);
	if (major(ret[0]) != 0)
		return 1;
	if (!source || source[0] != '/' || stat(source, &st) < 0 || !S_ISBLK(st.st_mode))
		return 0;
	ret[0] = st.st_rdev;
	return mnt_fs_match_fstype(fs, "btrfs") ? btrfs_members(st.st_rdev, ret) : 1;
}
