/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each file system's own tools, as children that end in time. */
#include "layout/grow_fs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/process.h"
#include "base/text.h"

/* A check of a large file system takes its time; what hangs is ended all the same. */
#define TOOL_TIMEOUT (3600 * NSEC_PER_SEC)
#define NODE_TIMEOUT (10 * NSEC_PER_SEC)
#define TOOL_MISSING 127 /* as the shell says it */

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

/* ---- a child ---- */

/* The whole lines of a text; what is left of it moves to its start. */
static size_t log_lines(struct log *log, char *text)
{
	char *end;

	while ((end = strpbrk(text, "\r\n"))) {
		*end = '\0';
		if (*text)
			log_line(log, LOG_LEVEL_INFO, "grow", "%s", text);
		text = end + 1;
	}
	return strlen(text);
}

/* Reads all that it says; false: it takes too long. */
static bool listen_to(int fd, uint64_t deadline, struct log *log)
{
	char text[2048];
	size_t used = 0, left;

	while (clock_monotonic() < deadline) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (poll(&ready, 1, 1000) <= 0)
			continue;
		n = read(fd, text + used, sizeof(text) - 1 - used);
		if (n <= 0)
			return true;
		text[used + (size_t)n] = '\0';
		n += (ssize_t)used;
		left = log_lines(log, text);
		used = left < sizeof(text) - 1 ? left : 0;
		memmove(text, text + (size_t)n - left, used);
	}
	return false;
}

/* Its exit status, or a negative errno. */
static int run(const char *script, const char *first, const char *second, uint64_t timeout,
	       struct log *log)
{
	static const char *const environment[] = {
		"PATH=/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin", "LC_ALL=C", NULL
	};
	const char *const argv[] = { "sh", "-ec", script, "sh", first, second, NULL };
	uint64_t deadline = clock_monotonic() + timeout;
	int pipes[2], status = 0, r;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	r = child_start("/bin/sh", argv, environment, -1, pipes[1], &pid);
	close(pipes[1]);
	if (r == 0 && !listen_to(pipes[0], deadline, log)) {
		child_end(pid);
		r = -ETIMEDOUT;
	}
	close(pipes[0]);
	if (r == 0)
		r = waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
									 : -EIO;
	return r;
}

/* ---- the partition ---- */

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
	uint64_t deadline = clock_monotonic() + NODE_TIMEOUT;

	grow_fs_node(plan, node, size);
	if (!is_known(plan, node))
		run("exec 2>&1; partx --update \"$1\"", plan->destinations[0].node, "",
		    NODE_TIMEOUT, log);
	while (!is_known(plan, node) && clock_monotonic() < deadline)
		clock_sleep_until(clock_monotonic() + NSEC_PER_SEC / 10);
	return is_known(plan, node);
}

void grow_fs(const struct plan *plan, const char *fs, struct log *log, struct grown_fs *ret)
{
	const struct grower *grower = find(fs);
	char script[1024];
	int r;

	*ret = (struct grown_fs){ .state = GROWN_FS_BY_HAND };
	text_copy(ret->fs, sizeof(ret->fs), fs);
	if (!grower || !grower->script)
		return;
	ret->state = GROWN_FS_FAILED;
	if (!is_same_disk(&plan->destinations[0]) ||
	    !find_node(plan, ret->node, sizeof(ret->node), log)) {
		log_line(log, LOG_LEVEL_WARNING, "grow", "%s: the partition is not known there",
			 plan->destinations[0].node);
		ret->node[0] = '\0';
		return;
	}
	snprintf(script, sizeof(script),
		 "exec 2>&1; for t in $2; do command -v \"$t\" >/dev/null || exit %d; done; set "
		 "-x; %s",
		 TOOL_MISSING, grower->script);
	r = run(script, ret->node, grower->tools, TOOL_TIMEOUT, log);
	log_line(log, r ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO, "grow", "%s on %s: %s %d", fs,
		 ret->node, r < 0 ? "error" : "exit status", r);
	if (r == 0)
		ret->state = GROWN_FS_DONE;
	else if (r == TOOL_MISSING)
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
