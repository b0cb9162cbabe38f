/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By each file system's own tools. */
#include "after/grow_fs.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "after/after.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"

/* A check of a large file system takes its time; what hangs is ended all the same. */
#define TOOL_TIMEOUT 3600 /* seconds */
#define NODE_TIMEOUT 10

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
	for (size_t i = 0; i < sizeof(growers) / sizeof(growers[0]); i++)
		if (strncmp(fs, growers[i].fs, strlen(growers[i].fs)) == 0)
			return &growers[i];
	return NULL;
}

static uint64_t sysfs_number(const char *name, const char *what)
{
	char path[128];
	uint64_t number = UINT64_MAX;

	snprintf(path, sizeof(path), "/sys/class/block/%.64s/%s", name, what);

	CLEANUP(fclose) FILE *file = fopen(path, "re");

	if (!file || fscanf(file, "%" SCNu64, &number) != 1)
		return UINT64_MAX;
	return number;
}

/* Has the name been given to another disk meanwhile? */
static bool is_same_disk(const struct endpoint *disk)
{
	const char *name = node_short(disk->node);
	struct stat st;

	return stat(disk->node, &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == disk->devno &&
	       (!disk->identity.diskseq ||
		sysfs_number(name, "diskseq") == disk->identity.diskseq) &&
	       sysfs_number(name, "size") == disk->size / 512;
}

/* Does the kernel know it as it is now? */
static bool is_known(const struct plan *plan, const char *node)
{
	uint64_t units = plan->sector_size / 512;
	const char *name = node_short(node);
	struct stat st;

	return stat(node, &st) == 0 && S_ISBLK(st.st_mode) &&
	       sysfs_number(name, "start") == plan->fitted.start * units &&
	       sysfs_number(name, "size") == plan->fitted.after * units;
}

const char *grow_fs_node(const struct plan *plan, char *buffer, size_t size)
{
	const char *disk = plan->destinations[0].node;
	bool digit = isdigit((unsigned char)disk[strlen(disk) - 1]);

	snprintf(buffer, size, "%s%s%u", disk, digit ? "p" : "", plan->fitted.grown);
	return buffer;
}

static bool find_node(const struct plan *plan, char *node, size_t size, struct log *log)
{
	const char *const argv[] = { "partx", "--update", plan->destinations[0].node, NULL };
	uint64_t deadline = clock_monotonic() + NODE_TIMEOUT * NSEC_PER_SEC;
	char said[128];

	grow_fs_node(plan, node, size);
	if (!is_known(plan, node))
		after_tool(argv, NODE_TIMEOUT, log, said, sizeof(said));
	while (!is_known(plan, node) && clock_monotonic() < deadline)
		clock_sleep_until(clock_monotonic() + NSEC_PER_SEC / 10);
	return is_known(plan, node);
}

void grow_fs(const struct plan *plan, const char *fs, struct log *log, struct grown_fs *ret)
{
	const struct grower *grower = find(fs);
	char script[1024], said[128];
	int r;

	*ret = (struct grown_fs){ .state = GROWN_FS_BY_HAND };
	text_copy(ret->fs, sizeof(ret->fs), fs);
	if (!grower || !grower->script)
		return;
	ret->state = GROWN_FS_FAILED;
	/* Waiting for the node may take seconds, in which another disk may get the name. */
	if (!find_node(plan, ret->node, sizeof(ret->node), log) ||
	    !is_same_disk(&plan->destinations[0])) {
		log_line(log, LOG_LEVEL_WARNING, "after", "%s: the partition is not known there",
			 plan->destinations[0].node);
		ret->node[0] = '\0';
		return;
	}
	/* A tool that is missing is what a shell says with 127. */
	snprintf(script, sizeof(script),
		 "for t in $2; do command -v \"$t\" >/dev/null || exit 127; done; set -x; %s",
		 grower->script);
	r = after_tool(
		(const char *const[]){ "sh", "-ec", script, "sh", ret->node, grower->tools, NULL },
		TOOL_TIMEOUT, log, said, sizeof(said));
	if (r == 0)
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
