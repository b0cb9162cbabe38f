/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/image.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "discover/container.h"
#include "discover/image_store.h"

/* Kernel headers of older releases lack some. */
#ifndef EXFAT_SUPER_MAGIC
#define EXFAT_SUPER_MAGIC 0x2011bab0
#endif
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif
#ifndef CIFS_SUPER_MAGIC
#define CIFS_SUPER_MAGIC 0xff534d42
#endif
#ifndef SMB2_SUPER_MAGIC
#define SMB2_SUPER_MAGIC 0xfe534d42
#endif

int image_lookup_failed(const char *text, int code, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "find", text,
			 _("%s cannot be looked up: %s."), text, error_phrase(code));
}

static int set_image_node(const char *path, struct endpoint *ret, struct error *reterr)
{
	if (strlen(path) >= sizeof(ret->node))
		return error_set(reterr, ERROR_CLASS_USAGE, -ENAMETOOLONG, "find", path,
				 _("The path of the image file is longer than %zu bytes."),
				 sizeof(ret->node) - 1);
	/* Not sanitised, because it is used for opening. */
	memcpy(ret->node, path, strlen(path) + 1);
	return 0;
}

uint64_t endpoint_file_born(int fd, const char *path)
{
	struct statx stx;

	if (statx(fd, path, AT_EMPTY_PATH, STATX_BTIME, &stx) < 0 ||
	    !(stx.stx_mask & STATX_BTIME) || stx.stx_btime.tv_sec < 0)
		return 0;
	return (uint64_t)stx.stx_btime.tv_sec * NSEC_PER_SEC + stx.stx_btime.tv_nsec;
}

/* A program's own output would be written into the image, or the image into that. */
static bool is_own_output(const struct stat *st)
{
	struct stat own;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &own) == 0 && own.st_dev == st->st_dev && own.st_ino == st->st_ino)
			return true;
	return false;
}

static bool lies_below_dev(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0;
}

/* File systems that have no disk below them: their files are settings and reports of the kernel. */
static bool is_made_up(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return false;
	switch ((unsigned long)fs.f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC:
	case SECURITYFS_MAGIC:
	case SELINUX_MAGIC:
	case CGROUP_SUPER_MAGIC:
	case CGROUP2_SUPER_MAGIC:
	case EFIVARFS_MAGIC:
	case PSTOREFS_MAGIC:
	case BPF_FS_MAGIC:
		return true;
	default:
		return false;
	}
}

static bool folder_is_made_up(const char *path)
{
	CLEANUP(free) char *folder = strdup(path);
	char *slash = folder ? strrchr(folder, '/') : NULL;

	if (!slash)
		return false;
	slash[slash == folder ? 1 : 0] = '\0';
	return is_made_up(folder);
}

static int refuse_made_up(const char *text, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_REFUSED, -EACCES, "find", text,
			 _("%s lies in a file system of the kernel (/proc, /sys and the like), "
			   "where there are no images. Name a disk, or a file on one."),
			 text);
}

/* A regular file in /dev is in memory: mostly left by a copy to a disk that was not attached. */
static bool is_among_nodes(const char *path, const struct stat *st)
{
	struct stat dev;

	return lies_below_dev(path) && stat("/dev", &dev) == 0 && dev.st_dev == st->st_dev;
}

static int judge(const char *text, int fd, uint64_t size, bool destination, struct error *reterr)
{
	const struct container *container = fd < 0 ? NULL : container_of_file(fd, size);

	if (container && destination)
		return container_refuse_destination(container, text, true, reterr);
	if (container)
		return container_refuse_source(container, text, reterr);
	container = destination && size == 0 ? container_of_name(text) : NULL;
	return container ? container_refuse_destination(container, text, false, reterr) : 0;
}

int image_resolve(const char *text, const struct stat *st, bool destination, bool judged,
		  struct endpoint *ret, struct error *reterr)
{
	CLEANUP(free) char *path = realpath(text, NULL);
	CLEANUP(close) int fd = -1;
	uint32_t sector_size = 0;
	int r = 0;

	if (!path)
		return image_lookup_failed(text, -errno, reterr);
	if (destination && is_own_output(st))
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "find", text,
				 _("%.160s is the file that this program's output goes to. Name "
				   "another file for the image."),
				 text);
	if (is_made_up(path))
		return refuse_made_up(text, reterr);
	if (is_among_nodes(path, st))
		return error_set(reterr, ERROR_CLASS_REFUSED, -EACCES, "find", text,
				 _("%s is no device, but a file that was left among them, in "
				   "memory. Remove it, or move it to a disk."),
				 text);
	/* Whether it can be opened at all is seen when it is claimed. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (judged)
		r = judge(text, fd, (uint64_t)st->st_size, destination, reterr);
	if (r < 0)
		return r;
	if (!destination)
		sector_size = fd < 0 ? 512 : image_store_sector_size(fd, (uint64_t)st->st_size);
	*ret = (struct endpoint){
		.kind = ENDPOINT_IMAGE,
		.identity = { .size = (uint64_t)st->st_size,
			      .devno = st->st_dev,
			      .inode = st->st_ino,
			      .born = endpoint_file_born(AT_FDCWD, path) },
		.devno = st->st_dev,
		.size = (uint64_t)st->st_size,
		.logical_sector_size = sector_size,
		.physical_sector_size = sector_size,
		.exists = true,
	};
	return set_image_node(path, ret, reterr);
}

/* The folder as it really is, and the last name as typed. */
static char *real_path_of_new(const char *text)
{
	CLEANUP(free) char *folder = strdup(text);
	CLEANUP(free) char *real = NULL;
	char *slash = folder ? strrchr(folder, '/') : NULL;
	char *path = NULL;

	if (!folder)
		return NULL;
	if (slash)
		slash[slash == folder ? 1 : 0] = '\0';
	real = realpath(slash ? folder : ".", NULL);
	if (!real ||
	    asprintf(&path, "%s/%s", strcmp(real, "/") == 0 ? "" : real, text_base_name(text)) < 0)
		return NULL;
	return path;
}

int image_resolve_new(const char *text, bool destination, struct endpoint *ret,
		      struct error *reterr)
{
	CLEANUP(free) char *path = real_path_of_new(text);
	size_t length = strlen(text);
	struct stat st;

	if (lies_below_dev(text) || (path && lies_below_dev(path)))
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENODEV, "find", text,
				 _("There is no device %s. 'clonedeck list' shows what is there."),
				 text);
	if (!destination)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOENT, "find", text,
				 _("%s does not exist: neither a device nor an image file. "
				   "'clonedeck list' shows the disks."),
				 text);
	/* The image would be made where the link leads, and that may change. */
	if (lstat(text, &st) == 0 && S_ISLNK(st.st_mode))
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOENT, "find", text,
				 _("%s is a link to a file that does not exist. Name the new image "
				   "file itself."),
				 text);
	if (!path || length == 0 || text[length - 1] == '/')
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOENT, "find", text,
				 _("The image file %s cannot be made: its folder does not exist."),
				 text);
	if (folder_is_made_up(path))
		return refuse_made_up(text, reterr);
	if (container_of_name(text))
		return container_refuse_destination(container_of_name(text), text, false, reterr);
	*ret = (struct endpoint){ .kind = ENDPOINT_IMAGE };
	return set_image_node(path, ret, reterr);
}

bool endpoint_inode_lasts(const struct endpoint *endpoint)
{
	struct statfs fs;

	if (statfs(endpoint->node, &fs) < 0)
		return true;
	switch ((unsigned long)fs.f_type) {
	case MSDOS_SUPER_MAGIC:
	case EXFAT_SUPER_MAGIC:
	case FUSE_SUPER_MAGIC:
	case OVERLAYFS_SUPER_MAGIC:
	case CIFS_SUPER_MAGIC:
	case SMB2_SUPER_MAGIC:
		return false;
	default:
		return true;
	}
}

bool image_is_clonezilla(const char *folder)
{
	static const char *const marks[] = { "clonezilla-img", "Info-saved-by-cmd.txt" };
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, marks[i]) <
			    sizeof(path) &&
		    access(path, F_OK) == 0)
			return true;
	return false;
}
