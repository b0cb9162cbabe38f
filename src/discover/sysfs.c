/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		*slash = '\0';
}

int sysfs_follow(const char *link, char ret[static PATH_MAX])
{
	static const char up[] = "../";
	char folder[PATH_MAX], target[PATH_MAX];
	const char *rest = target;
	ssize_t length = readlink(link, target, sizeof(target) - 1);

	if (length < 0)
		return -errno;
	target[length] = '\0';
	if ((size_t)snprintf(folder, sizeof(folder), "%s", link) >= sizeof(folder))
		return -ENAMETOOLONG;
	cut_last(folder);
	for (; strncmp(rest, up, strlen(up)) == 0; rest += strlen(up))
		cut_last(folder);
	return snprintf(ret, PATH_MAX, "%s/%s", folder, rest) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int sysfs_by_number(const char *class, dev_t devno, char ret[static PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/sys/dev/%s/%u:%u", class, major(devno), minor(devno));
	return sysfs_follow(link, ret);
}
