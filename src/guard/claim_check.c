/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Claims: proof on the open descriptor that it is what was chosen, and still there. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "discover/attr.h"
#include "discover/device.h"
#include "guard/claim_private.h"
#include "scsi/sg_only.h"

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

#define SYSFS_SECTOR 512

bool claim_is_as_chosen(const struct claim *claim, int fd, const struct stat *st)
{
	const struct endpoint *endpoint = &claim->endpoint;
	struct identity found = {
		.devno = st->st_dev,
		.inode = st->st_ino,
	};

	if (endpoint_is_sg_only(endpoint))
		return S_ISCHR(st->st_mode) && st->st_rdev == endpoint->devno;
	if (claim_is_device(claim))
		return S_ISBLK(st->st_mode) && st->st_rdev == endpoint->devno;
	if (endpoint_inode_lasts(endpoint))
		found.born = endpoint_file_born(fd, "");
	return S_ISREG(st->st_mode) && identity_same(&endpoint->identity, &found);
}

int claim_scsi_device(const char *class, dev_t devno, char ret[static PATH_MAX])
{
	char node[PATH_MAX], link[PATH_MAX + 8];
	int r = sysfs_by_number(class, devno, node);

	if (r < 0)
		return r;
	snprintf(link, sizeof(link), "%s/device", node);
	return sysfs_follow(link, ret);
}

static bool says_otherwise(const char *expected, const char *found)
{
	return expected[0] && found[0] && strcmp(expected, found) != 0;
}

/* The kernel lets a read-only device be opened for writing and fails the writes. */
static bool is_read_only(const struct claim *claim)
{
	int read_only = 0;

	return claim->role == CLAIM_DESTINATION && ioctl(claim->fd, BLKROGET, &read_only) == 0 &&
	       read_only;
}

/* A table that was changed since the choice may have given the partition's name and size to
 * another place of the same disk. What cannot be read is no proof. */
static bool lies_elsewhere(const struct claim *claim)
{
	const struct endpoint *endpoint = &claim->endpoint;
	uint64_t start;

	if (endpoint->kind != ENDPOINT_PARTITION)
		return false;
	/* In units of 512 bytes, whatever the disk's sectors are. */
	return !attr_u64(SYSFS_FOLDER("block", endpoint->devno), "start", &start) ||
	       endpoint->start % SYSFS_SECTOR || start != endpoint->start / SYSFS_SECTOR;
}

static bool lost(const char *expected, const char *found)
{
	return expected[0] && !found[0];
}

/* The identity as far as it can be read. With a sequence number of the kernel (since 5.15), a label
 * that is unreadable at the moment need not match. */
static bool is_someone_else(const struct claim *claim, bool numbered)
{
	const struct identity *expected = &claim->endpoint.identity;
	struct identity found = { 0 };

	if (identity_read(expected->devno, endpoint_is_sg_only(&claim->endpoint), &found) < 0)
		found.nsid = expected->nsid;
	return expected->nsid != found.nsid || says_otherwise(expected->serial, found.serial) ||
	       says_otherwise(expected->wwn, found.wwn) ||
	       says_otherwise(expected->volume, found.volume) ||
	       says_otherwise(expected->model, found.model) ||
	       (!numbered &&
		(lost(expected->serial, found.serial) || lost(expected->wwn, found.wwn) ||
		 lost(expected->volume, found.volume)));
}

/* If the disk has got a block node meanwhile, other programs can claim it by that node. */
static bool has_block_node(dev_t sg)
{
	char device[PATH_MAX], block[PATH_MAX + 8];

	if (claim_scsi_device("char", sg, device) < 0)
		return false;
	snprintf(block, sizeof(block), "%s/block", device);
	return access(block, F_OK) == 0;
}

static int check_sg_only(struct claim *claim, struct error *reterr)
{
	const struct endpoint *endpoint = &claim->endpoint;
	struct sg_only_size size;
	struct stat st;

	if (fstat(claim->fd, &st) < 0 || !claim_is_as_chosen(claim, claim->fd, &st) ||
	    has_block_node(endpoint->devno) || is_someone_else(claim, false))
		return claim_stale(claim, "identify", reterr);
	int r = sg_only_measure(claim->fd, &size);

	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "identify", endpoint->node,
				 _("%s does not answer: %s. Check cable and power."),
				 endpoint->node, error_phrase(r));
	if (size.bytes != endpoint->size ||
	    size.logical_sector_size != endpoint->logical_sector_size)
		return claim_stale(claim, "identify", reterr);
	return 0;
}

static int check_device(struct claim *claim, struct error *reterr)
{
	const struct endpoint *endpoint = &claim->endpoint;
	uint64_t size = 0, diskseq = 0, expected = endpoint->identity.diskseq;
	int sector = 0;
	struct stat st;

	if (fstat(claim->fd, &st) < 0 || !claim_is_as_chosen(claim, claim->fd, &st))
		return claim_stale(claim, "identify", reterr);
	if (ioctl(claim->fd, BLKGETSIZE64, &size) < 0 || ioctl(claim->fd, BLKSSZGET, &sector) < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "identify",
				 endpoint->node,
				 _("%s does not answer: %s. Check cable and power."),
				 endpoint->node, error_phrase(errno));
	if (size != endpoint->size || (uint32_t)sector != endpoint->logical_sector_size ||
	    lies_elsewhere(claim))
		return claim_stale(claim, "identify", reterr);
	if (is_read_only(claim))
		return claim_explain_open(claim, -EROFS, reterr);
	bool numbered = expected && ioctl(claim->fd, BLKGETDISKSEQ, &diskseq) == 0;

	if ((numbered && diskseq != expected) || is_someone_else(claim, numbered))
		return claim_stale(claim, "identify", reterr);
	return 0;
}

static int check_image(struct claim *claim, struct error *reterr)
{
	struct stat st;

	if (fstat(claim->fd, &st) < 0 || !claim_is_as_chosen(claim, claim->fd, &st))
		return claim_stale(claim, "identify", reterr);
	if (claim->role == CLAIM_SOURCE && (uint64_t)st.st_size != claim->endpoint.size)
		return error_set(reterr, ERROR_CLASS_REFUSED, -ESTALE, "identify",
				 claim->endpoint.node,
				 _("The image %s changed its size after the plan was made. Make "
				   "the plan again."),
				 claim->endpoint.node);
	return 0;
}

int claim_check(struct claim *claim, struct error *reterr)
{
	if (!claim_is_device(claim))
		return check_image(claim, reterr);
	return endpoint_is_sg_only(&claim->endpoint) ? check_sg_only(claim, reterr)
						     : check_device(claim, reterr);
}

/* ---- still attached? Read from sysfs; no disk is asked ---- */

/* The state of a disk that the SCSI layer has given up; one that it recovers is only blocked. */
static bool given_up(const char *class, dev_t disk)
{
	const char *folder = SYSFS_FOLDER(class, disk);
	char state[32];

	/* A partition has none; its disk does. */
	if (!attr_line(folder, "device/state", state, sizeof(state)) &&
	    !attr_line(folder, "../device/state", state, sizeof(state)))
		return false;
	return text_is_one_of(state, "offline", "transport-offline", "cancel", "deleted", "dead");
}

/* The kernel removes the directory with the disk; the number stays taken while the disk is open. */
static bool left_the_kernel(const char *class, dev_t disk)
{
	return access(SYSFS_FOLDER(class, disk), F_OK) < 0 && errno == ENOENT;
}

/* The capacity of a disk that was taken away, or of a drive without a medium, becomes 0. */
static bool is_empty(const char *class, dev_t disk)
{
	const char *folder = SYSFS_FOLDER(class, disk);
	uint64_t size;

	/* A partition keeps its own. */
	return (attr_u64(folder, "../size", &size) || attr_u64(folder, "size", &size)) && size == 0;
}

static bool device_present(const char *class, dev_t devno)
{
	return !left_the_kernel(class, devno) && !given_up(class, devno) && !is_empty(class, devno);
}

static bool is_removable(dev_t disk)
{
	const char *folder = SYSFS_FOLDER("block", disk);
	uint64_t removable;

	return (attr_u64(folder, "../removable", &removable) ||
		attr_u64(folder, "removable", &removable)) &&
	       removable;
}

/* When a node is opened, the kernel asks for the medium; otherwise it may never do so. What it
 * finds is in sysfs and in the disk's sequence number then. */
void claim_look(const struct claim *claim)
{
	const struct guard_place *place = &claim->place;

	for (size_t i = 0; i < place->below_count; i++) {
		if (!place->below[i].bottom || !is_removable(place->below[i].devno))
			continue;

		int fd = open(place->below[i].disk, O_RDONLY | O_CLOEXEC);

		fd_close(fd);
	}
}

uint64_t claim_medium(const struct claim *claim)
{
	const struct endpoint *endpoint = &claim->endpoint;

	return claim_is_device(claim) && !endpoint_is_sg_only(endpoint) &&
			       is_removable(endpoint->identity.devno)
		       ? endpoint->identity.diskseq
		       : 0;
}

/* One disk of a mirror is enough. */
bool facts_place_present(const struct guard_place *place)
{
	bool any = false;

	for (size_t i = 0; i < place->below_count; i++) {
		if (!place->below[i].bottom)
			continue;
		if (device_present("block", place->below[i].devno))
			return true;
		any = true;
	}
	return !place->gone && (!any || !place->complete);
}

bool claim_present(const struct claim *claim)
{
	const struct endpoint *endpoint = &claim->endpoint;
	bool sg_only = endpoint_is_sg_only(endpoint);
	const char *class = sg_only ? "char" : "block";
	uint64_t size = 0, diskseq = 0;

	if (!facts_place_present(&claim->place))
		return false;
	if (!claim_is_device(claim))
		return true;
	if (!device_present(class, endpoint->identity.devno))
		return false;
	if (sg_only)
		return true;
	/* The capacity of a disk that was taken away becomes 0; that of a failing one, or behind a
	 * failing bridge, may become small when it is reset, and be right again after the next one.
	 * Its sectors behind that are not bad. */
	if (ioctl(claim->fd, BLKGETSIZE64, &size) < 0 || size < endpoint->size)
		return false;
	if (endpoint->identity.diskseq && ioctl(claim->fd, BLKGETDISKSEQ, &diskseq) == 0 &&
	    diskseq != endpoint->identity.diskseq)
		return false;
	return true;
}
