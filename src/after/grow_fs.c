/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "after/grow_fs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"

/* A check of a large file system takes its time; what hangs is ended all the same. */
#define TOOL_TIMEOUT 3600 /* seconds */

/* $1 is the partition. Mounted, where the tool needs that, in a name space that goes with it. */
static const struct grower {
	const char *fs, *tools, *script, *by_hand;
} growers[] = {
	{ "ext", "e2fsck resize2fs",
	  "e2fsck -fp \"$1\" || [ $? -eq 1 ]; resize2fs \"$1\"; e2fsck -fn \"$1\"",
	  "e2fsck -f %s && resize2fs %s" },
	{ "ntfs", "ntfsresize",
	  "ntfsresize -n -f \"$1\"; ntfsresize -f -f \"$1\"; ntfsresize -i -f \"$1\"",
	  "ntfsresize %s" },
	{ "f2fs", "fsck.f2fs resize.f2fs",
	  "fsck.f2fs --dry-run \"$1\"; resize.f2fs \"$1\"; fsck.f2fs --dry-run \"$1\"",
	  "resize.f2fs %s" },
	{ "xfs", "xfs_repair xfs_growfs unshare",
	  "xfs_repair -n \"$1\"; unshare -m --propagation private sh -ec 'mount -t xfs -o nouuid "
	  "\"$1\" /mnt; xfs_growfs /mnt; umount /mnt' sh \"$1\"; xfs_repair -n \"$1\"",
	  "mount %s /mnt && xfs_growfs /mnt" },
	/* The kernel could take the source for its other half while both are there. */
	{ "btrfs", NULL, NULL, "mount %s /mnt && btrfs filesystem resize max /mnt" },
	{ "vfat", NULL, NULL, "fatresize -s max %s" },
};

static const struct grower *find(const char *fs)
{
	for (size_t i = 0; i < ARRAY_SIZE(growers); i++)
		if (strncmp(fs, growers[i].fs, strlen(growers[i].fs)) == 0)
			return &growers[i];
	return NULL;
}

const char *grow_fs_node(const struct plan *plan, unsigned number, char *buffer, size_t size)
{
	const char *disk = plan->destinations[0].node;
	bool digit = isdigit((unsigned char)disk[strlen(disk) - 1]);

	snprintf(buffer, size, "%s%s%u", disk, digit ? "p" : "", number);
	return buffer;
}

void grow_fs(const struct after_disk *disk, unsigned partition, const char *fs,
	     struct grown_fs *ret)
{
	const struct grower *grower = find(fs);
	char script[1024], said[128], node[LOOP_NODE_MAX];
	uint64_t start, length;
	int r = -ERANGE;

	if (!grower || !grower->script) {
		ret->state = GROWN_FS_BY_HAND;
		return;
	}
	if (after_range(disk, partition, &start, &length))
		r = after_loop(disk, start, length, node);
	CLEANUP(close) int loop = r;

	if (r < 0) {
		log_line(disk->log, LOG_LEVEL_WARNING, "after", "no loop for partition %u: %s",
			 partition, error_phrase(r));
		return;
	}
	/* A tool that is missing is what a shell says with 127. */
	snprintf(script, sizeof(script),
		 "for t in $2; do command -v \"$t\" >/dev/null || exit 127; done; set -x; %s",
		 grower->script);
	r = after_tool(
		(const char *const[]){ "sh", "-ec", script, "sh", node, grower->tools, NULL },
		TOOL_TIMEOUT, disk->log, said, sizeof(said));
	if (r == 0 && fsync(loop) == 0)
		ret->state = GROWN_FS_DONE;
	else if (r == -ENOENT)
		ret->state = GROWN_FS_BY_HAND;
	else if (r == -ETIMEDOUT)
		ret->state = GROWN_FS_HANGS;
}

const char *grow_fs_by_hand(const char *fs, const char *node, char *buffer, size_t size)
{
	const struct grower *grower = find(fs);
	size_t length = 0;

	buffer[0] = '\0';
	for (const char *p = grower ? grower->by_hand : ""; *p && length + 1 < size;) {
		bool place = strncmp(p, "%s", 2) == 0;
		int n = snprintf(buffer + length, size - length, "%.*s", place ? 64 : 1,
				 place ? node : p);

		length += n > 0 ? (size_t)n : 0;
		p += place ? 2 : 1;
	}
	return buffer;
}
