/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "guard/storage.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/range.h"

bool storage_of_file(const char *path, struct storage *ret)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	*ret = (struct storage){ .devno = st.st_dev, .inode = st.st_ino };
	return true;
}

/* The name of the file, as sysfs has it. */
static bool backing_file(const char *directory, char ret[static PATH_MAX])
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/loop/backing_file", directory) >= (int)sizeof(path))
		return false;
	CLEANUP(fclose) FILE *file = fopen(path, "re");

	if (!file || !fgets(ret, PATH_MAX, file))
		return false;
	ret[strcspn(ret, "\n")] = '\0';
	return true;
}

/* The kernel is asked, since the name may be gone, or lead elsewhere by now: the file was removed
 * and has another one, or something is mounted over its folder. */
bool storage_of_loop(const char *directory, const char *node, struct storage *ret)
{
	char path[PATH_MAX];
	struct loop_info64 info;

	if (!backing_file(directory, path))
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
	return info.lo_rdevice == 0;
}

bool storage_of(const struct endpoint *endpoint, struct storage *ret)
{
	dev_t disk = endpoint->identity.devno;
	char directory[64];

	if (endpoint->kind == ENDPOINT_IMAGE)
		return storage_of_file(endpoint->node, ret);
	snprintf(directory, sizeof(directory), "/sys/dev/block/%u:%u", major(disk), minor(disk));
	return storage_of_loop(directory, endpoint->disk_node, ret);
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
