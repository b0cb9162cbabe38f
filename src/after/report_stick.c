/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "after/report_stick.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "after/after.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

#define RELEASE_TRIES 50 /* a tenth of a second apart: udev looks at what was written to */

static bool can_be_mounted(const char *fs)
{
	return text_is_one_of(fs, "vfat", "exfat", "ext2", "ext3", "ext4");
}

static bool is_of_plan(const struct disk *disk, const struct plan *plan)
{
	const struct endpoint *ends[] = { &plan->source, &plan->destinations[0] };

	for (int i = 0; i < 2; i++)
		if (strcmp(ends[i]->disk_node, disk->node) == 0 ||
		    identity_same(&ends[i]->identity, &disk->identity))
			return true;
	return false;
}

/* The disk on which an image of the plan lies is mounted, and so in use. */
static bool may_be_one(const struct disk *disk, const struct plan *plan, bool any)
{
	return (any || disk->removable == YES || strcmp(disk->transport, "usb") == 0) &&
	       !disk->in_use.count && !disk->read_by[0] && !disk->silent &&
	       disk->read_only != YES && !is_of_plan(disk, plan);
}

static void add(const struct disk *disk, const struct partition *p, struct stick *ret)
{
	*ret = (struct stick){ .devno = p ? p->devno : disk->identity.devno,
			       .diskseq = disk->identity.diskseq,
			       .size = p ? p->sectors * disk->identity.logical_sector_size
					 : disk->identity.size };
	text_copy(ret->node, sizeof(ret->node), p ? p->node : disk->node);
	text_copy(ret->fs, sizeof(ret->fs), p ? p->fs : disk->whole_fs);
	text_copy(ret->label, sizeof(ret->label), p ? p->label : disk->whole_label);
	text_copy(ret->model, sizeof(ret->model), disk->identity.model);
}

size_t stick_list(const struct disk_list *disks, const struct plan *plan, bool any,
		  struct stick ret[static STICKS_MAX])
{
	size_t count = 0;

	for (size_t i = 0; disks && i < disks->count; i++) {
		const struct disk *disk = &disks->disks[i];

		if (!may_be_one(disk, plan, any))
			continue;
		if (!disk->partition_count && can_be_mounted(disk->whole_fs) && count < STICKS_MAX)
			add(disk, NULL, &ret[count++]);
		for (size_t k = 0; k < disk->partition_count; k++)
			if (disk->partitions[k].node[0] && can_be_mounted(disk->partitions[k].fs) &&
			    count < STICKS_MAX)
				add(disk, &disk->partitions[k], &ret[count++]);
	}
	return count;
}

static const char *reason(int code)
{
	switch (-code) {
	case ENOSPC:
	case EDQUOT:
		return _("there is no room left on it");
	case EROFS:
	case EACCES:
		return _("it is write-protected");
	case EPERM:
		return _("only root can mount it");
	case ENODEV:
		return _("this kernel does not know its file system");
	case EBUSY:
		return _("it is in use");
	case ENXIO:
	case ENOENT:
	case ENOMEDIUM:
	case ESTALE:
		return _("it is gone, or another one is in its place");
	case EIO:
		return _("it takes no data, or was pulled; do not rely on what is on it");
	default:
		return error_phrase(code);
	}
}

int stick_refuse(const struct stick *stick, int code, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "save", stick->node,
			 _("Not saved on %s: %s."), stick->node, reason(code));
}

/* The node of the stick that was chosen: as long as it is open, no other disk gets its number.
 * flags O_EXCL: -EBUSY while anybody uses it. */
static int open_node(const struct stick *stick, int flags)
{
	CLEANUP(close) int fd = open(stick->node, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	uint64_t diskseq = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISBLK(st.st_mode) || st.st_rdev != stick->devno)
		return -ESTALE;
	if (stick->diskseq && ioctl(fd, BLKGETDISKSEQ, &diskseq) == 0 && diskseq != stick->diskseq)
		return -ESTALE;
	return cleanup_steal_fd(&fd);
}

static int wait_until_free(const struct stick *stick)
{
	for (int i = 0;; i++) {
		CLEANUP(close) int fd = open_node(stick, O_EXCL);

		if (fd != -EBUSY || i == RELEASE_TRIES)
			return fd < 0 ? fd : 0;
		clock_sleep_until(clock_monotonic() + NSEC_PER_SEC / 10);
	}
}

/* A link on the stick could lead anywhere: it is no folder. */
static int open_folder(int root)
{
	if (mkdirat(root, STICK_FOLDER, 0755) < 0 && errno != EEXIST)
		return -errno;
	int fd = openat(root, STICK_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void close_all(struct stick_mount *mount)
{
	const int fds[] = { mount->folder, mount->root, mount->device };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		fd_close(fds[i]);
	*mount = (struct stick_mount){ -1, -1, -1 };
}

int stick_mount(const struct stick *stick, struct stick_mount *ret, struct error *reterr)
{
	char source[32];
	int r = wait_until_free(stick);

	*ret = (struct stick_mount){ -1, -1, -1 };
	if (r == 0)
		r = ret->device = open_node(stick, 0);
	if (r >= 0) {
		snprintf(source, sizeof(source), "/proc/self/fd/%d", ret->device);
		r = ret->root = after_mount(stick->fs, source, true);
	}
	if (r >= 0)
		r = ret->folder = open_folder(ret->root);
	if (r >= 0)
		return 0;
	close_all(ret);
	return stick_refuse(stick, r, reterr);
}

int stick_unmount(const struct stick *stick, struct stick_mount *mount, struct error *reterr)
{
	int r = syncfs(mount->folder) < 0 ? -errno : 0;

	close(mount->folder);
	close(mount->root);
	mount->folder = mount->root = -1;
	/* Also what the unmounting wrote, and the disk's own cache. */
	if (fsync(mount->device) < 0 && r == 0)
		r = -errno;
	close_all(mount);
	if (r == 0)
		r = wait_until_free(stick);
	return r < 0 ? stick_refuse(stick, r, reterr) : 0;
}
