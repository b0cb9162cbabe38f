/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which devices make up one btrfs. */
#include "discover/btrfs.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"

#define FILE_SYSTEMS "/sys/fs/btrfs"

DEFINE_CLEANUP(dir, DIR *, closedir)

static bool read_devno(const char *folder, const char *name, dev_t *ret)
{
	char path[PATH_MAX];
	unsigned major, minor;

	snprintf(path, sizeof(path), "%s/%s/dev", folder, name);
	CLEANUP(fclose) FILE *file = fopen(path, "re");

	if (!file || fscanf(file, "%u:%u", &major, &minor) != 2)
		return false;
	*ret = makedev(major, minor);
	return true;
}

/* The devices of one file system; 0 if `member` is none of them. */
static size_t list_members(const char *folder, dev_t member, dev_t ret[static BTRFS_MEMBERS_MAX])
{
	CLEANUP(dir) DIR *devices = opendir(folder);
	struct dirent *entry;
	size_t count = 0;
	bool ours = false;

	while (devices && count < BTRFS_MEMBERS_MAX && (entry = readdir(devices))) {
		if (entry->d_name[0] == '.' || !read_devno(folder, entry->d_name, &ret[count]))
			continue;
		ours = ours || ret[count] == member;
		count++;
	}
	return ours ? count : 0;
}

size_t btrfs_members(dev_t member, dev_t ret[static BTRFS_MEMBERS_MAX])
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
