/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "after/after.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"

#define FILE_MAX  (4UL << 20)
#define FILES_MAX 32 /* of one pattern */

/* From the root folder of a file system, or of what may be a volume in it. */
static const char *const names[] = {
	"etc/fstab",
	"etc/crypttab",
	"etc/default/grub",
	"etc/kernel/cmdline",
	"etc/initramfs-tools/conf.d/resume",
	"etc/lvm/devices/system.devices",
	"boot/grub/grub.cfg",
	"boot/grub2/grub.cfg",
	"boot/loader/entries/*.conf",
	"boot/extlinux/extlinux.conf",
	/* Those of a partition that is mounted on /boot, or on a folder of it. */
	"grub/grub.cfg",
	"grub2/grub.cfg",
	"loader/entries/*.conf",
	"extlinux/extlinux.conf",
	"cmdline.txt",
	"EFI/*/grub.cfg",
	/* GRUB, as grub-install makes it, finds its folder by the UUID in it. */
	"EFI/*/*.efi",
	"EFI/*/*.EFI",
};
/* An initramfs that unlocks a LUKS has the UUID in its packed copy of crypttab. */
static const char *const initramfs[] = {
	"boot/initrd.img-*",
	"boot/initramfs-*",
	"initrd.img-*",
	"initramfs-*",
};
/* Volumes of a Btrfs, as installers call the one with the system: SUSE's is the default one. */
static const char *const folders[] = { "", "@/", "@rootfs/", "root/" };

struct search {
	const struct identifiers *changed;
	unsigned partition;
	bool rewrite;
	struct after_steps *steps;
};

int after_mount(const char *fs, const char *node, bool writable)
{
	CLEANUP(close) int context = fsopen(fs, FSOPEN_CLOEXEC);

	if (context < 0 || fsconfig(context, FSCONFIG_SET_STRING, "source", node, 0) < 0 ||
	    (!writable && fsconfig(context, FSCONFIG_SET_FLAG, "ro", NULL, 0) < 0) ||
	    fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	int fd = fsmount(context, FSMOUNT_CLOEXEC,
			 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC |
				 (writable ? 0 : MOUNT_ATTR_RDONLY));

	return fd < 0 ? -errno : fd;
}

/* The new one is as long as the old one, so the file keeps its owner and its place. */
static unsigned replace_one(const char *old, const char *new, char *text, size_t length)
{
	size_t part = strlen(old);
	unsigned count = 0;
	char *at = text;

	if (!part || strlen(new) != part)
		return 0;
	while ((at = memmem(at, length - (size_t)(at - text), old, part))) {
		memcpy(at, new, part);
		at += part;
		count++;
	}
	return count;
}

static void without_dashes(const char *uuid, char ret[static 64])
{
	size_t length = 0;

	for (; *uuid && length < 63; uuid++)
		if (*uuid != '-')
			ret[length++] = *uuid;
	ret[length] = '\0';
}

static unsigned replace(const struct identifiers *changed, char *text, size_t length)
{
	unsigned count = 0;

	for (size_t i = 0; i < changed->count; i++) {
		const struct identifier *item = &changed->items[i];
		char old[64], new[64];

		count += replace_one(item->value, item->changed_to, text, length);
		if (strcmp(item->fs, "crypto_LUKS") != 0 && !text_after(item->fs, "LVM2_"))
			continue;
		/* As in GRUB's "cryptomount -u", in LVM's list of devices, and in names of udev. */
		without_dashes(item->value, old);
		without_dashes(item->changed_to, new);
		count += replace_one(old, new, text, length);
	}
	return count;
}

static bool write_back(int fd, const char *text, size_t length)
{
	return pwrite(fd, text, length, 0) == (ssize_t)length && fsync(fd) == 0;
}

/* Links on the copy could lead to files of this machine: none is followed. */
static int open_beneath(int root, const char *name, bool writable)
{
	struct open_how how = { .flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK,
				.resolve =
					RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV };

	return (int)syscall(SYS_openat2, root, name, &how, sizeof(how));
}

/* Once for each partition. */
static void add_initramfs(const struct search *search, const char *said)
{
	struct after_steps *steps = search->steps;
	struct after_step *step =
		after_add(steps, search->partition,
			  _("initramfs of partition %u: not changed, it may name the old ones"),
			  search->partition);

	if (!step)
		return;
	step->left = true;
	text_copy(step->said, sizeof(step->said), said);
	for (const struct after_step *s = steps->items; s < step; s++)
		if (strcmp(s->what, step->what) == 0) {
			steps->count--;
			return;
		}
}

/* The initramfs holds a packed copy of the files that were rewritten. */
static void mention_initramfs(const struct search *search, const char *name)
{
	if (!search->rewrite)
		return;
	if (strstr(name, "etc/crypttab"))
		add_initramfs(search, _("Before it starts: update-initramfs -u, or dracut -f, in "
					"the copy."));
	else if (strstr(name, "conf.d/resume"))
		add_initramfs(search, _("It starts, after a wait for its old swap: then, "
					"update-initramfs -u."));
}

static void look_in_file(const struct search *search, int root, const char *name)
{
	CLEANUP(close) int fd = open_beneath(root, name, search->rewrite);
	char *text CLEANUP(free) = malloc(FILE_MAX);
	struct after_step *step;
	struct stat st;
	unsigned count;

	if (fd < 0 || !text || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	ssize_t length = pread(fd, text, FILE_MAX, 0);

	count = length > 0 ? replace(search->changed, text, (size_t)length) : 0;
	if (!count)
		return;
	step = after_add(search->steps, search->partition,
			 search->rewrite
				 ? P_("%.64s of partition %u: %u name rewritten",
				      "%.64s of partition %u: %u names rewritten", count)
				 : P_("%.64s of partition %u names %u old identifier",
				      "%.64s of partition %u names %u old identifiers", count),
			 name, search->partition, count);
	if (!step)
		return;
	text_sanitise(step->what, sizeof(step->what), step->what, sizeof(step->what));
	step->left = !search->rewrite;
	step->failed = search->rewrite && !write_back(fd, text, (size_t)length);
	mention_initramfs(search, name);
}

typedef void found_fn(const struct search *search, int root, const char *name);

static void look_for(const struct search *search, int root, const char *folder, const char *name,
		     found_fn *then)
{
	char here[48], pattern[160];
	glob_t found;

	snprintf(here, sizeof(here), "/proc/self/fd/%d/", root);
	snprintf(pattern, sizeof(pattern), "%s%s%s", here, folder, name);
	if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc && i < FILES_MAX; i++)
		then(search, root, found.gl_pathv[i] + strlen(here));
	globfree(&found);
}

static bool luks_changed(const struct identifiers *changed)
{
	for (size_t i = 0; i < changed->count; i++)
		if (strcmp(changed->items[i].fs, "crypto_LUKS") == 0 &&
		    changed->items[i].changed_to[0])
			return true;
	return false;
}

/* The system that it starts may be in the LUKS, which nobody has opened. */
static void note_initramfs(const struct search *search, int root, const char *name)
{
	CLEANUP(close) int fd = open_beneath(root, name, false);

	if (fd >= 0)
		add_initramfs(search, _("Before it starts: update-initramfs -u, or dracut -f, in "
					"the copy."));
}

/* A Btrfs that has its old UUID must not be mounted while the source is attached. */
static bool can_look(const struct identifier *item)
{
	return (item->length || !after_is_volume(item)) &&
	       (text_is_one_of(item->fs, "ext2", "ext3", "ext4", "xfs", "f2fs", "vfat") ||
		(strcmp(item->fs, "btrfs") == 0 && item->changed_to[0]));
}

/* May a system be in it, though nobody can look? */
static bool may_hide_system(const struct identifier *item)
{
	return strcmp(item->fs, "btrfs") == 0 || identifier_closed(item);
}

/* Its root folder, or a negative errno. The loop device goes with it. */
static int open_root(const struct after_disk *disk, const struct identifier *item, bool writable)
{
	uint64_t start, length;
	char node[LOOP_NODE_MAX];

	if (!after_item_range(disk, item, &start, &length))
		return -ERANGE;
	CLEANUP(close) int loop = after_loop(disk, start, length, node);

	return loop < 0 ? loop : after_mount(item->fs, node, writable);
}

/* True where it is not known, too: of a partition, that sector belongs to its disk. */
static bool may_have_grub_code(const struct after_disk *disk)
{
	CLEANUP(free) char *code = malloc(disk->sector_size);
	CLEANUP(close) int fd = file_open_again(disk->fd, O_RDONLY);

	return !disk->table || !code || fd < 0 ||
	       pread(fd, code, disk->sector_size, 0) != (ssize_t)disk->sector_size ||
	       memmem(code, 440, "GRUB", 4);
}

/* In the root folder, or in that of a Btrfs volume. */
static bool has_one_of(int root, const char *const *files, size_t count)
{
	char name[64];

	for (size_t f = 0; f < ARRAY_SIZE(folders); f++)
		for (size_t n = 0; n < count; n++) {
			snprintf(name, sizeof(name), "%s%s", folders[f], files[n]);
			CLEANUP(close) int fd = open_beneath(root, name, false);

			if (fd >= 0)
				return true;
		}
	return false;
}

bool after_has_fstab(const struct after_disk *disk, const struct identifiers *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct identifier *item = &list->items[i];
		bool looks = item->kind == IDENTIFIER_CONTENTS && can_look(item);
		CLEANUP(close) int root = looks ? open_root(disk, item, false) : -1;

		if (root >= 0 && has_one_of(root, (const char *const[]){ "etc/fstab" }, 1))
			return true;
	}
	return false;
}

bool after_grub_is_in(const struct after_disk *disk, const struct identifiers *changed,
		      const struct identifier *group)
{
	static const char *const places[] = { "boot/grub/i386-pc", "boot/grub2/i386-pc",
					      "grub/i386-pc", "grub2/i386-pc" };

	if (!may_have_grub_code(disk))
		return false;
	for (size_t i = 0; i < changed->count; i++) {
		const struct identifier *item = &changed->items[i];

		if (!after_is_volume(item) || item->partition != group->partition)
			continue;
		CLEANUP(close) int root = can_look(item) ? open_root(disk, item, false) : -1;

		if (root < 0 && !text_is_one_of(item->fs, "swap", "crypto_LUKS"))
			return true;
		if (root >= 0 && has_one_of(root, places, ARRAY_SIZE(places)))
			return true;
	}
	return false;
}

static int look_in(const struct after_disk *disk, const struct identifier *item,
		   const struct search *search)
{
	CLEANUP(close) int root = open_root(disk, item, search->rewrite);

	if (root < 0)
		return root;
	for (size_t f = 0; f < ARRAY_SIZE(folders); f++)
		for (size_t n = 0; n < ARRAY_SIZE(names); n++)
			look_for(search, root, folders[f], names[n], look_in_file);
	for (size_t n = 0; luks_changed(search->changed) && n < ARRAY_SIZE(initramfs); n++)
		look_for(search, root, "", initramfs[n], note_initramfs);
	return 0;
}

void after_files(const struct after_disk *disk, const struct identifiers *changed, bool rewrite,
		 struct after_steps *steps)
{
	for (size_t i = 0; i < changed->count; i++) {
		const struct identifier *item = &changed->items[i];
		const struct search search = { changed, item->partition, rewrite, steps };
		struct after_step *step;
		int r = 0;

		if (item->kind == IDENTIFIER_CONTENTS && can_look(item))
			r = look_in(disk, item, &search);
		else if (item->kind == IDENTIFIER_CONTENTS && may_hide_system(item))
			r = -EOPNOTSUPP;
		if (r == 0)
			continue;
		step = after_add(steps, item->partition,
				 _("partition %u (%s) was not searched for old identifiers"),
				 item->partition, item->fs);
		if (!step)
			return;
		step->left = true;
		text_copy(step->said, sizeof(step->said),
			  r == -ENODEV       ? _("This system cannot mount it.")
			  : r == -ERANGE     ? after_partly_copied()
			  : r == -EOPNOTSUPP ? _("If a system is in it: open it, put the new ones "
						 "into its fstab and crypttab; then, in it, "
						 "update-initramfs -u or dracut -f.")
					     : error_phrase(r));
	}
}
