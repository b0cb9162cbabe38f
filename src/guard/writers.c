/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who writes to the source of a copy while it is read: mounts, programs, arrays that rebuild. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <libmount/libmount.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "discover/attr.h"
#include "discover/usage.h"
#include "guard/facts.h"
#include "guard/storage.h"

#define NBD_MAJOR 43
/* Tools that set up or look at devices often open them for writing, and are gone in a moment. */
#define IN_PASSING (NSEC_PER_SEC / 2)
#define LOOK_AGAIN (NSEC_PER_SEC / 20)

DEFINE_CLEANUP(table, struct libmnt_table *, mnt_unref_table)
DEFINE_CLEANUP(iter, struct libmnt_iter *, mnt_free_iter)

struct search {
	const struct endpoint *source;
	struct storage storage; /* of an image, or of a loop device's file */
	bool has_storage;
	char file[PATH_MAX]; /* its path, "" none */
};

static void begin(const struct endpoint *source, struct search *ret)
{
	*ret = (struct search){ .source = source };
	ret->has_storage = storage_of(source, &ret->storage);
	if (!ret->has_storage)
		return;
	if (source->kind == ENDPOINT_IMAGE) {
		if (!realpath(source->node, ret->file))
			ret->file[0] = '\0';
		return;
	}
	attr_line(SYSFS_FOLDER("block", source->identity.devno), "loop/backing_file", ret->file,
		  sizeof(ret->file));
}

/* Do writes to the device change the source: because it is a part of it, is built upon it, or is
 * another loop device over the same bytes? */
static bool reaches(const struct search *search, dev_t devno)
{
	const struct endpoint device = { .kind = ENDPOINT_DISK, .devno = devno };
	struct guard_place place;

	facts_find_place(&device, &place);
	/* Partitions first: another partition of the same loop device has the same file, but other
	 * bytes of it. */
	if (facts_place_beside(&place, search->source))
		return facts_place_on(&place, search->source);
	for (size_t i = 0; search->has_storage && i < place.file_count; i++)
		if (storage_shared(&place.files[i], &search->storage))
			return true;
	return false;
}

/* ---- mounts ---- */

static bool mount_reaches(const struct search *search, struct libmnt_fs *fs)
{
	dev_t devices[BTRFS_MEMBERS_MAX];
	size_t count = mount_devices(fs, devices);

	for (size_t i = 0; i < count; i++)
		if (reaches(search, devices[i]))
			return true;
	return false;
}

/* A bind mount may be read-only while the file system is not: its own options decide. */
static bool is_writable(struct libmnt_fs *fs)
{
	const char *options = mnt_fs_get_fs_options(fs);

	if (!options)
		options = mnt_fs_get_options(fs);
	return !options || !mnt_match_options(options, "ro");
}

static void find_mount(const struct search *search, char *ret, size_t size)
{
	CLEANUP(table)
	struct libmnt_table *mounts = mnt_new_table_from_file("/proc/self/mountinfo");
	CLEANUP(iter) struct libmnt_iter *iter = mounts ? mnt_new_iter(MNT_ITER_FORWARD) : NULL;
	struct libmnt_fs *fs;

	while (iter && mnt_table_next_fs(mounts, iter, &fs) == 0) {
		const char *where = mnt_fs_get_target(fs);

		if (!where || !is_writable(fs) || !mount_reaches(search, fs))
			continue;
		text_sanitise(ret, size, where, strlen(where));
		return;
	}
}

/* ---- programs ---- */

/* The access mode that a descriptor was opened with; -1 unknown. */
static int mode_of(const char *process, const char *descriptor)
{
	char path[64], line[128];
	int flags = -1;

	if ((size_t)snprintf(path, sizeof(path), "/proc/%.20s/fdinfo/%.20s", process, descriptor) >=
	    sizeof(path))
		return -1;
	CLEANUP(fclose) FILE *file = fopen(path, "re");

	while (file && flags < 0 && fgets(line, sizeof(line), file))
		if (strncmp(line, "flags:", 6) == 0)
			flags = (int)strtoul(line + 6, NULL, 8) & O_ACCMODE;
	return flags;
}

/* Only files that may be the source are looked at: stat() of one on a server that does not answer
 * would hang. A network block device is held open for writing by its own server: that is no
 * writer. */
static bool descriptor_reaches(const struct search *search, int folder, const char *name,
			       const char *target)
{
	struct stat st;

	if (strncmp(target, "/dev/", 5) == 0)
		return fstatat(folder, name, &st, 0) == 0 && S_ISBLK(st.st_mode) &&
		       major(st.st_rdev) != NBD_MAJOR && reaches(search, st.st_rdev);
	return search->file[0] && strcmp(target, search->file) == 0;
}

static void say_program(const char *process, const char *target, char *ret, size_t size)
{
	char folder[64], name[64], node[128];

	snprintf(folder, sizeof(folder), "/proc/%.20s", process);
	snprintf(ret, size, _("%s (process %s) has %s open for writing"),
		 attr_text(folder, "comm", name, sizeof(name)) ? name : "?", process,
		 text_sanitise(node, sizeof(node), target, strlen(target)));
}

/* True once one is found. */
static bool look_at_process(const struct search *search, const char *process, char *ret,
			    size_t size)
{
	char path[64], target[PATH_MAX];
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", process);
	CLEANUP(dir) DIR *folder = opendir(path);

	while (folder && (entry = readdir(folder))) {
		ssize_t length =
			readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
		int mode;

		if (length <= 0 || target[0] != '/')
			continue;
		target[length] = '\0';
		if (!descriptor_reaches(search, dirfd(folder), entry->d_name, target))
			continue;
		mode = mode_of(process, entry->d_name);
		if (mode != O_WRONLY && mode != O_RDWR)
			continue;
		say_program(process, target, ret, size);
		return true;
	}
	return false;
}

static bool stays(const struct search *search, const char *process, char *ret, size_t size)
{
	uint64_t since = clock_monotonic(), now = since;

	while (look_at_process(search, process, ret, size)) {
		if (now - since >= IN_PASSING)
			return true;
		now += LOOK_AGAIN;
		clock_sleep_until(now);
	}
	ret[0] = '\0';
	return false;
}

static bool is_other_process(const char *name)
{
	char own[32];

	snprintf(own, sizeof(own), "%d", (int)getpid());
	return name[0] >= '1' && name[0] <= '9' && strcmp(name, own) != 0;
}

static void find_program(const struct search *search, char *ret, size_t size)
{
	CLEANUP(dir) DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes)))
		if (is_other_process(entry->d_name) && stays(search, entry->d_name, ret, size))
			return;
}

/* ---- what the kernel does by itself ---- */

/* "check" only reads. */
static bool rebuilds(const struct disk *array, char action[static 32])
{
	char folder[128];

	snprintf(folder, sizeof(folder), "/sys/block/%.64s", array->name);
	return attr_line(folder, "md/sync_action", action, 32) && strcmp(action, "idle") != 0 &&
	       strcmp(action, "frozen") != 0 && strcmp(action, "check") != 0;
}

/* Arrays and volumes built upon the source. A ZFS pool on an encrypted partition shows only as an
 * exclusive open of that volume. */
static void find_holder(const struct search *search, const struct disk_list *disks, char *ret,
			size_t size)
{
	char action[32];

	for (size_t i = 0; disks && i < disks->count && !ret[0]; i++) {
		const struct disk *disk = &disks->disks[i];

		if ((disk->kind != DISK_MD && disk->kind != DISK_DM) ||
		    strcmp(disk->node, search->source->disk_node) == 0 ||
		    !reaches(search, disk->identity.devno))
			continue;
		if (disk->kind == DISK_MD && rebuilds(disk, action))
			snprintf(ret, size, _("the array %s is at work: %s"), disk->node, action);
		else if (use_list_find(&disk->in_use, USE_EXCLUSIVE))
			snprintf(ret, size, _("something holds %s open exclusively"), disk->node);
	}
}

void facts_find_writers(const struct endpoint *source, const struct disk_list *disks,
			struct end_writers *ret)
{
	struct search search;

	*ret = (struct end_writers){ 0 };
	if (endpoint_is_sg_only(source))
		return;
	if (storage_is_swap(source)) {
		text_copy(ret->other, sizeof(ret->other), _("it is an active swap file"));
		return;
	}
	begin(source, &search);
	find_mount(&search, ret->mount, sizeof(ret->mount));
	find_program(&search, ret->other, sizeof(ret->other));
	if (!ret->other[0])
		find_holder(&search, disks, ret->other, sizeof(ret->other));
}
