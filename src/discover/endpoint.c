/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolves what the user named, in the list of disks or among the files. */
#include "discover/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "discover/nodes.h"

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

/* Documentation/admin-guide/devices.txt */
#define SCSI_GENERIC_MAJOR 21
#define RAW_MAJOR          162

#define TOKEN_LENGTH 6

void endpoint_from_disk(const struct disk *disk, struct endpoint *ret)
{
	*ret = (struct endpoint){
		.kind = ENDPOINT_DISK,
		.identity = disk->identity,
		.devno = disk->identity.devno,
		.size = disk->identity.size,
		.logical_sector_size = disk->identity.logical_sector_size,
		.physical_sector_size = disk->physical_sector_size,
		.exists = true,
	};
	text_copy(ret->node, sizeof(ret->node), disk->node);
	text_copy(ret->disk_node, sizeof(ret->disk_node), disk->node);
	text_copy(ret->sg, sizeof(ret->sg), disk->sg);
}

void endpoint_from_partition(const struct disk *disk, const struct partition *partition,
			     struct endpoint *ret)
{
	uint32_t unit = disk->identity.logical_sector_size;

	endpoint_from_disk(disk, ret);
	ret->kind = ENDPOINT_PARTITION;
	ret->devno = partition->devno;
	ret->partition = partition->number;
	/* A table may claim anything: what has no byte address has no size. */
	ret->size = 0;
	if (!u64_mul(partition->start, unit, &ret->start) ||
	    !u64_mul(partition->sectors, unit, &ret->size))
		ret->start = ret->size = 0;
	text_copy(ret->node, sizeof(ret->node), partition->node);
}

const struct disk *endpoint_disk(const struct disk_list *disks, const struct endpoint *endpoint)
{
	const struct disk *found = NULL;

	if (endpoint->kind != ENDPOINT_DISK && endpoint->kind != ENDPOINT_PARTITION)
		return NULL;
	for (size_t i = 0; i < disks->count; i++) {
		const struct disk *disk = &disks->disks[i];

		if (!identity_same(&disk->identity, &endpoint->identity))
			continue;
		/* Two that look the same (a bridge with a made-up serial): the one that is still
		 * where it was. */
		if (!found || disk->identity.devno == endpoint->identity.devno)
			found = disk;
	}
	return found;
}

bool endpoint_is_sg_only(const struct endpoint *endpoint)
{
	return endpoint->sg[0] && strcmp(endpoint->sg, endpoint->node) == 0;
}

static bool is_typeable(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static const char *tail_of(const char *serial)
{
	size_t length = strlen(serial);

	return length > TOKEN_LENGTH ? serial + length - TOKEN_LENGTH : serial;
}

const char *endpoint_typeable(const char *path, char *buffer, size_t size)
{
	text_show(buffer, size, path);
	return strcmp(buffer, path) == 0 ? buffer : text_encode(buffer, size, path);
}

const char *endpoint_token(const struct disk_list *disks, const struct endpoint *endpoint,
			   char buffer[static 512])
{
	const struct disk *own = endpoint_disk(disks, endpoint);
	const char *tail = tail_of(endpoint->identity.serial);
	bool alone = tail[0] != '\0' && is_typeable(tail);

	if (endpoint->kind == ENDPOINT_IMAGE)
		return endpoint_typeable(endpoint->node, buffer, 512);
	/* Another disk whose serial ends the same would accept the same token. */
	for (size_t i = 0; alone && i < disks->count; i++)
		if (&disks->disks[i] != own &&
		    strcmp(tail_of(disks->disks[i].identity.serial), tail) == 0)
			alone = false;
	return text_copy(buffer, 512, alone ? tail : endpoint->node);
}

static bool wwn_matches(const char *wwn, const char *text)
{
	const char *prefixes[] = { "0x", "naa.", "eui." };

	if (strcasecmp(wwn, text) == 0)
		return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t length = strlen(prefixes[i]);

		if (strncasecmp(wwn, prefixes[i], length) == 0)
			wwn += length;
		if (strncasecmp(text, prefixes[i], length) == 0)
			text += length;
	}
	return strcasecmp(wwn, text) == 0;
}

static void append_name(char *names, size_t size, const char *node)
{
	size_t used = strlen(names);

	snprintf(names + used, size - used, "%s%s", used ? ", " : "", node);
}

static int resolve_by_identity(const struct disk_list *disks, const char *text, const char *value,
			       bool by_serial, struct endpoint *ret, struct error *reterr)
{
	const struct disk *found = NULL;
	char names[200] = "";
	unsigned matches = 0;

	for (size_t i = 0; i < disks->count && value[0]; i++) {
		const struct disk *disk = &disks->disks[i];
		const char *own = by_serial ? disk->identity.serial : disk->identity.wwn;

		if (!own[0] || !(by_serial ? strcmp(own, value) == 0 : wwn_matches(own, value)))
			continue;
		found = disk;
		matches++;
		append_name(names, sizeof(names), disk->node);
	}
	if (matches > 1)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "find", text,
				 _("%s fits several disks: %s. Name the one you mean by its node."),
				 text, names);
	if (!found)
		return error_set(
			reterr, ERROR_CLASS_ENVIRONMENT, -ENODEV, "find", text,
			_("No attached disk has %s. 'clonedeck list' shows what is there."), text);
	endpoint_from_disk(found, ret);
	return 0;
}

static int not_listed(const char *text, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENODEV, "find", text,
			 _("%s is a device, but not one of the disks that can be used here. "
			   "'clonedeck list --all' shows them."),
			 text);
}

static int resolve_block(const struct disk_list *disks, const char *text, dev_t devno,
			 struct endpoint *ret, struct error *reterr)
{
	for (size_t i = 0; i < disks->count; i++) {
		const struct disk *disk = &disks->disks[i];

		if (disk->identity.devno == devno) {
			endpoint_from_disk(disk, ret);
			return 0;
		}
		for (size_t p = 0; p < disk->partition_count; p++) {
			if (disk->partitions[p].devno != devno || !disk->partitions[p].node[0])
				continue;
			endpoint_from_partition(disk, &disk->partitions[p], ret);
			return 0;
		}
	}
	return not_listed(text, reterr);
}

/* SCSI peripheral device types (SPC-4, 6.4.2) that sg gives nodes to. */
static const char *scsi_type_name(int type)
{
	switch (type) {
	case 1:
		return _("a tape drive");
	case 5:
		return _("an optical drive");
	case 8:
		return _("a media changer");
	case 12:
		return _("a RAID controller");
	case 13:
		return _("an enclosure");
	default:
		return _("not a disk");
	}
}

static int sg_type(unsigned minor)
{
	char path[64];
	CLEANUP(fclose) FILE *file = NULL;
	int type = -1;

	snprintf(path, sizeof(path), "/sys/class/scsi_generic/sg%u/device/type", minor);
	file = fopen(path, "re");
	if (file && fscanf(file, "%d", &type) != 1)
		type = -1;
	return type;
}

static int resolve_sg(const struct disk_list *disks, const char *text, unsigned minor,
		      struct endpoint *ret, struct error *reterr)
{
	char node[64];
	int type;

	snprintf(node, sizeof(node), "/dev/sg%u", minor);
	for (size_t i = 0; i < disks->count; i++) {
		if (strcmp(disks->disks[i].sg, node) == 0) {
			endpoint_from_disk(&disks->disks[i], ret);
			return 0;
		}
	}
	type = sg_type(minor);
	if (type > 0 && type != 14)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "find", text,
				 _("%s is an sg node, but not that of a disk (%s). 'clonedeck "
				   "list' shows the sg nodes of the disks."),
				 text, scsi_type_name(type));
	return not_listed(text, reterr);
}

static int resolve_raw(const struct disk_list *disks, const char *text, unsigned minor,
		       struct endpoint *ret, struct error *reterr)
{
	dev_t devno = 0;
	int r = raw_binding(minor, &devno);

	if (r == -ENODEV)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "find", text,
				 _("%s is not bound to a disk. Bind it with: raw %s DISK"), text,
				 text);
	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "find", text,
				 _("The binding of %s cannot be read: %s. Name the disk itself."),
				 text, error_phrase(r));
	r = resolve_block(disks, text, devno, ret, reterr);
	if (r == 0)
		snprintf(ret->raw, sizeof(ret->raw), "/dev/raw/raw%u", minor);
	return r;
}

static bool is_node(const char *node, dev_t devno)
{
	struct stat st;

	return node[0] && stat(node, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == devno;
}

static int resolve_char(const struct disk_list *disks, const char *text, dev_t devno,
			struct endpoint *ret, struct error *reterr)
{
	if (major(devno) == SCSI_GENERIC_MAJOR)
		return resolve_sg(disks, text, minor(devno), ret, reterr);
	if (major(devno) == RAW_MAJOR && minor(devno) > 0)
		return resolve_raw(disks, text, minor(devno), ret, reterr);
	for (size_t i = 0; i < disks->count; i++) {
		const struct disk *disk = &disks->disks[i];

		if (is_node(disk->bsg, devno) || is_node(disk->nvme_generic, devno)) {
			endpoint_from_disk(disk, ret);
			return 0;
		}
	}
	return not_listed(text, reterr);
}

static int lookup_failed(const char *text, int code, struct error *reterr)
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

static int resolve_image(const char *text, const struct stat *st, bool destination,
			 struct endpoint *ret, struct error *reterr)
{
	CLEANUP(free) char *path = realpath(text, NULL);

	if (!path)
		return lookup_failed(text, -errno, reterr);
	*ret = (struct endpoint){
		.kind = ENDPOINT_IMAGE,
		.identity = { .size = (uint64_t)st->st_size,
			      .devno = st->st_dev,
			      .inode = st->st_ino,
			      .born = endpoint_file_born(AT_FDCWD, path) },
		.devno = st->st_dev,
		.size = (uint64_t)st->st_size,
		.logical_sector_size = destination ? 0 : 512,
		.physical_sector_size = destination ? 0 : 512,
		.exists = true,
	};
	return set_image_node(path, ret, reterr);
}

static bool lies_below_dev(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0;
}

/* The folder as it really is, and the last name as typed. */
static char *real_path_of_new(const char *text)
{
	CLEANUP(free) char *folder = strdup(text);
	CLEANUP(free) char *real = NULL;
	char *slash = folder ? strrchr(folder, '/') : NULL;
	const char *name = strrchr(text, '/');
	char *path = NULL;

	if (!folder)
		return NULL;
	name = name ? name + 1 : text;
	if (slash)
		slash[slash == folder ? 1 : 0] = '\0';
	real = realpath(slash ? folder : ".", NULL);
	if (!real || asprintf(&path, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name) < 0)
		return NULL;
	return path;
}

static int resolve_new_image(const char *text, bool destination, struct endpoint *ret,
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
	/* It would have to be made where the link leads, and links may change. */
	if (lstat(text, &st) == 0 && S_ISLNK(st.st_mode))
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOENT, "find", text,
				 _("%s is a link to a file that does not exist. Name the new image "
				   "file itself."),
				 text);
	if (!path || length == 0 || text[length - 1] == '/')
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOENT, "find", text,
				 _("The image file %s cannot be made: its folder does not exist."),
				 text);
	*ret = (struct endpoint){ .kind = ENDPOINT_IMAGE };
	return set_image_node(path, ret, reterr);
}

/* "sdb" where "/dev/sdb" was meant would become a file in the current folder. */
static const struct disk *disk_of_bare_name(const struct disk_list *disks, const char *text)
{
	for (size_t i = 0; i < disks->count; i++)
		if (strcmp(disks->disks[i].name, text) == 0)
			return &disks->disks[i];
	return NULL;
}

static int resolve_path(const struct disk_list *disks, const char *text, bool destination,
			struct endpoint *ret, struct error *reterr)
{
	struct stat st;

	if (stat(text, &st) < 0)
		return errno == ENOENT ? resolve_new_image(text, destination, ret, reterr)
				       : lookup_failed(text, -errno, reterr);
	if (S_ISBLK(st.st_mode))
		return resolve_block(disks, text, st.st_rdev, ret, reterr);
	if (S_ISCHR(st.st_mode))
		return resolve_char(disks, text, st.st_rdev, ret, reterr);
	if (S_ISREG(st.st_mode))
		return resolve_image(text, &st, destination, ret, reterr);
	return error_set(reterr, ERROR_CLASS_USAGE, S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL, "find",
			 text, _("%s is neither a disk nor a file (a folder, a pipe or a socket)."),
			 text);
}

int endpoint_resolve(const struct disk_list *disks, const char *text, bool destination,
		     struct endpoint *ret, struct error *reterr)
{
	const struct disk *bare = disk_of_bare_name(disks, text);
	struct endpoint found = { 0 };
	int r;

	if (strncmp(text, "serial=", 7) == 0)
		r = resolve_by_identity(disks, text, text + 7, true, &found, reterr);
	else if (strncmp(text, "wwn=", 4) == 0)
		r = resolve_by_identity(disks, text, text + 4, false, &found, reterr);
	else if (bare)
		r = error_set(
			reterr, ERROR_CLASS_USAGE, -EINVAL, "find", text,
			_("%s is the name of a disk: write %s for the disk, or ./%s for a file "
			  "of that name."),
			text, bare->node, text);
	else
		r = resolve_path(disks, text, destination, &found, reterr);
	if (r == 0)
		*ret = found;
	return r;
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
