/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/endpoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/letters.h"
#include "base/range.h"
#include "base/text.h"
#include "discover/attr.h"
#include "discover/image.h"
#include "discover/nodes.h"

/* Documentation/admin-guide/devices.txt */
#define MEMORY_MAJOR       1 /* null, zero, full, random */
#define TERMINAL_MAJOR     4
#define CONSOLE_MAJOR      5
#define SCSI_GENERIC_MAJOR 21
#define PTY_MAJOR_FIRST    136
#define PTY_MAJOR_LAST     143
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

	if (!endpoint_is_device(endpoint))
		return NULL;
	for (size_t i = 0; i < disks->count; i++) {
		const struct disk *disk = &disks->disks[i];

		if (!identity_same(&disk->identity, &endpoint->identity))
			continue;
		/* If two disks look the same (a bridge with an invented serial number), it is the
		 * one that still has its number. */
		if (!found || disk->identity.devno == endpoint->identity.devno)
			found = disk;
	}
	return found;
}

void endpoint_set_gone(struct endpoint *endpoint)
{
	bool image = endpoint->kind == ENDPOINT_IMAGE;

	text_copy(endpoint->gone, sizeof(endpoint->gone),
		  image ? endpoint->node : endpoint->disk_node);
	/* If it comes back, it is recognised by its inode. */
	if (image)
		return;
	endpoint->disk_node[0] = endpoint->raw[0] = '\0';
	endpoint->devno = endpoint->identity.devno = 0;
	endpoint->identity.diskseq = 0;
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

	if (letters_same(wwn, text))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		const char *own = letters_after(wwn, prefixes[i]);
		const char *given = letters_after(text, prefixes[i]);

		wwn = own ? own : wwn;
		text = given ? given : text;
	}
	return letters_same(wwn, text);
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
		text_join(names, sizeof(names), "%s", disk->node);
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
		const struct partition *partition = disk_partition_at(disk, devno);

		if (disk->identity.devno == devno) {
			endpoint_from_disk(disk, ret);
			return 0;
		}
		if (partition && partition->node[0]) {
			endpoint_from_partition(disk, partition, ret);
			return 0;
		}
	}
	return not_listed(text, reterr);
}

/* SCSI peripheral device types (SPC-4, 6.4.2) that sg gives nodes to. */
static const char *scsi_type_name(uint64_t type)
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

static int resolve_sg(const struct disk_list *disks, const char *text, unsigned minor,
		      struct endpoint *ret, struct error *reterr)
{
	char node[64], folder[64];
	uint64_t type = 0;

	snprintf(node, sizeof(node), "/dev/sg%u", minor);
	for (size_t i = 0; i < disks->count; i++) {
		if (strcmp(disks->disks[i].sg, node) == 0) {
			endpoint_from_disk(&disks->disks[i], ret);
			return 0;
		}
	}
	snprintf(folder, sizeof(folder), "/sys/class/scsi_generic/sg%u/device", minor);
	attr_u64(folder, "type", &type);
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

static bool has_no_positions(dev_t devno)
{
	unsigned number = major(devno);

	return number == MEMORY_MAJOR || number == TERMINAL_MAJOR || number == CONSOLE_MAJOR ||
	       (number >= PTY_MAJOR_FIRST && number <= PTY_MAJOR_LAST);
}

/* The bytes of a copy are read and written at their positions, some of them again, and the copy is
 * read back. */
static int refuse_stream(const char *text, const char *what, bool destination, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "find", text,
			 destination
				 ? _("%.120s is %s, and a copy is written at positions and read "
				     "back. Copy to a disk or an image file.")
				 : _("%.120s is %s, and a source is read at positions, parts of it "
				     "again. Save the data as a file first, and copy that."),
			 text, what);
}

static int resolve_char(const struct disk_list *disks, const char *text, dev_t devno,
			bool destination, struct endpoint *ret, struct error *reterr)
{
	if (major(devno) == SCSI_GENERIC_MAJOR)
		return resolve_sg(disks, text, minor(devno), ret, reterr);
	if (major(devno) == RAW_MAJOR && minor(devno) > 0)
		return resolve_raw(disks, text, minor(devno), ret, reterr);
	if (has_no_positions(devno))
		return refuse_stream(text, _("a device without positions"), destination, reterr);
	for (size_t i = 0; i < disks->count; i++) {
		const struct disk *disk = &disks->disks[i];

		if (is_node(disk->bsg, devno) || is_node(disk->nvme_generic, devno)) {
			endpoint_from_disk(disk, ret);
			return 0;
		}
	}
	return not_listed(text, reterr);
}

/* "sdb" where "/dev/sdb" was meant would become a file in the current folder. */
static const struct disk *disk_of_bare_name(const struct disk_list *disks, const char *text)
{
	for (size_t i = 0; i < disks->count; i++)
		if (strcmp(disks->disks[i].name, text) == 0)
			return &disks->disks[i];
	return NULL;
}

static int refuse_folder(const char *text, struct error *reterr)
{
	if (image_is_clonezilla(text))
		return error_set(reterr, ERROR_CLASS_USAGE, -EISDIR, "find", text,
				 _("%.120s is a folder with an image in Clonezilla format. Restore "
				   "it with Clonezilla, then copy that disk."),
				 text);
	return error_set(reterr, ERROR_CLASS_USAGE, -EISDIR, "find", text,
			 _("%.120s is a folder. Name a disk, a partition or an image file."), text);
}

static int resolve_path(const struct disk_list *disks, const char *text, bool destination,
			bool judged, struct endpoint *ret, struct error *reterr)
{
	struct stat st;

	if (strcmp(text, "-") == 0)
		return refuse_stream(text, destination ? _("standard output") : _("standard input"),
				     destination, reterr);
	if (stat(text, &st) < 0)
		return errno == ENOENT ? image_resolve_new(text, destination, ret, reterr)
				       : image_lookup_failed(text, -errno, reterr);
	switch (st.st_mode & S_IFMT) {
	case S_IFBLK:
		return resolve_block(disks, text, st.st_rdev, ret, reterr);
	case S_IFCHR:
		return resolve_char(disks, text, st.st_rdev, destination, ret, reterr);
	case S_IFREG:
		return image_resolve(text, &st, destination, judged, ret, reterr);
	case S_IFDIR:
		return refuse_folder(text, reterr);
	case S_IFSOCK:
		return refuse_stream(text, _("a socket"), destination, reterr);
	default:
		return refuse_stream(text, _("a pipe"), destination, reterr);
	}
}

int endpoint_resolve_recorded(const struct disk_list *disks, const char *path, bool destination,
			      struct endpoint *ret, struct error *reterr)
{
	struct endpoint found = { 0 };
	int r = resolve_path(disks, path, destination, false, &found, reterr);

	if (r == 0)
		*ret = found;
	return r;
}

int endpoint_resolve(const struct disk_list *disks, const char *text, bool destination,
		     struct endpoint *ret, struct error *reterr)
{
	const struct disk *bare = disk_of_bare_name(disks, text);
	struct endpoint found = { 0 };
	const char *value;
	int r;

	if ((value = text_after(text, "serial=")))
		r = resolve_by_identity(disks, text, value, true, &found, reterr);
	else if ((value = text_after(text, "wwn=")))
		r = resolve_by_identity(disks, text, value, false, &found, reterr);
	else if (bare)
		r = error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "find", text,
			      _("%s is the name of a disk: write %s for the disk, or ./%s for a "
				"file of that name."),
			      text, bare->node, text);
	else
		r = resolve_path(disks, text, destination, true, &found, reterr);
	if (r == 0)
		*ret = found;
	return r;
}
