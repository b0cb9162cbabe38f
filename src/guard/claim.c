/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "guard/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "discover/attr.h"
#include "discover/running.h"
#include "guard/claim_private.h"
#include "guard/resets.h"
#include "guard/storage.h"

#define HOLD_TIMEOUT   (NSEC_PER_SEC / 2)
#define LOCK_TIMEOUT   (3 * NSEC_PER_SEC)
#define REREAD_TIMEOUT (2 * NSEC_PER_SEC)
#define RETRY_EVERY    (50 * NSEC_PER_MSEC)

static const char *name_of(const struct claim *claim, char buffer[static 256])
{
	const struct endpoint *endpoint = &claim->endpoint;

	if (claim_is_device(claim) && endpoint->identity.serial[0])
		snprintf(buffer, 256, _("%.96s (serial %s)"), endpoint->node,
			 endpoint->identity.serial);
	else
		text_copy(buffer, 256, endpoint->node);
	return buffer;
}

int claim_stale(const struct claim *claim, const char *operation, struct error *reterr)
{
	char name[256];

	return error_set(reterr, ERROR_CLASS_REFUSED, -ESTALE, operation, claim->endpoint.node,
			 claim_is_device(claim)
				 ? _("%s is no longer the disk that was chosen: another one is in "
				     "its place, or it was attached anew. Nothing was written to "
				     "it. Choose it again.")
				 : _("%s is no longer the file that was chosen. Nothing was "
				     "written to it. Choose it again."),
			 name_of(claim, name));
}

int claim_explain_open(const struct claim *claim, int code, struct error *reterr)
{
	const char *node = claim->endpoint.node;
	char name[256];

	name_of(claim, name);
	switch (-code) {
	case EBUSY:
		return error_set(
			reterr, ERROR_CLASS_REFUSED, code, "open", node,
			_("%s is in use: it or a part of it is mounted, or a program or another "
			  "device holds it. Nothing was written. Release it and start again."),
			name);
	case EACCES:
	case EPERM:
		return error_set(
			reterr, ERROR_CLASS_ENVIRONMENT, code, "open", node,
			claim_is_device(claim)
				? _("%s may not be opened by this user. Start clonedeck as root.")
				: _("%s may not be opened: check the permissions of the file and "
				    "its directory."),
			name);
	case EROFS:
		return error_set(reterr, ERROR_CLASS_REFUSED, code, "open", node,
				 _("%s is read-only and cannot be a destination."), name);
	case EEXIST:
		return error_set(reterr, ERROR_CLASS_REFUSED, code, "open", node,
				 _("%s was created after the plan was made, so it is not "
				   "overwritten. Make the plan again."),
				 name);
	case ESTALE:
		return claim_stale(claim, "open", reterr);
	case ELOOP:
		return error_set(reterr, ERROR_CLASS_REFUSED, code, "open", node,
				 _("%s became a symbolic link after the plan was made. Make the "
				   "plan again."),
				 name);
	default:
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "open", node,
				 _("%s cannot be opened: %s."), name, error_phrase(code));
	}
}

/* The file is looked at through O_PATH before it is opened: opening a pipe may never return, and
 * opening another device may change it. */
static int open_chosen(const struct claim *claim, int flags)
{
	int link = claim_is_device(claim) ? 0 : O_NOFOLLOW;
	CLEANUP(close) int at = open(claim->endpoint.node, O_PATH | O_CLOEXEC | link);
	struct stat st;

	if (at < 0 || fstat(at, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!claim_is_as_chosen(claim, at, &st))
		return -ESTALE;
	return file_open_again(at, flags);
}

static int open_new(const struct claim *claim, int flags)
{
	int fd = open(claim->endpoint.node, flags | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

/* With O_DIRECT where the device or file system takes it. */
static int open_direct(struct claim *claim, int flags, bool fresh)
{
	int (*open_it)(const struct claim *claim, int flags) = fresh ? open_new : open_chosen;

	claim->fd = open_it(claim, flags | O_DIRECT);
	claim->direct = claim->fd >= 0;
	if (claim->fd == -EINVAL) {
		/* A file system may refuse O_DIRECT after it made the file. */
		if (fresh && unlink(claim->endpoint.node) < 0 && errno != ENOENT)
			return -errno;
		claim->fd = open_it(claim, flags);
	}
	return claim->fd < 0 ? claim->fd : 0;
}

/* The driver wants write access for every queued command, reads included. Nothing keeps others
 * away from such a disk, so it is only read. */
static int open_sg_only(struct claim *claim, struct error *reterr)
{
	const char *node = claim->endpoint.node;

	if (claim->role == CLAIM_DESTINATION)
		return error_set(reterr, ERROR_CLASS_REFUSED, -EOPNOTSUPP, "open", node,
				 _("%s has no block node and cannot be a destination."), node);
	claim->fd = open_chosen(claim, O_RDWR | O_NONBLOCK);
	if (claim->fd < 0)
		return claim_explain_open(claim, claim->fd, reterr);
	claim->sg_fd = claim->fd;
	return 0;
}

static int open_device(struct claim *claim, struct error *reterr)
{
	if (endpoint_is_sg_only(&claim->endpoint))
		return open_sg_only(claim, reterr);

	int flags = claim->role == CLAIM_DESTINATION ? O_RDWR | O_EXCL : O_RDONLY;
	uint64_t deadline = clock_monotonic() + HOLD_TIMEOUT;
	int r = open_direct(claim, flags, false);

	/* A program that tests whether the disk is free opens it exclusively for a moment. */
	while (r == -EBUSY && clock_monotonic() < deadline) {
		clock_sleep_until(clock_monotonic() + RETRY_EVERY);
		r = open_direct(claim, flags, false);
	}
	return r < 0 ? claim_explain_open(claim, r, reterr) : 0;
}

/* Where the device of a name is gone, creating a file of that name would fill the memory that
 * /dev is in. Links are followed first. */
static bool below_dev(const char *path)
{
	char copy[PATH_MAX], resolved[PATH_MAX];

	if ((size_t)snprintf(copy, sizeof(copy), "%s", path) >= sizeof(copy) ||
	    !realpath(dirname(copy), resolved))
		return false;
	return strcmp(resolved, "/dev") == 0 || strncmp(resolved, "/dev/", 5) == 0;
}

static int open_image(struct claim *claim, struct error *reterr)
{
	bool fresh = claim->role == CLAIM_DESTINATION && !claim->endpoint.exists;

	if (fresh && below_dev(claim->endpoint.node))
		return error_set(reterr, ERROR_CLASS_REFUSED, -ENODEV, "open", claim->endpoint.node,
				 _("%s does not exist, and no image is ever made below /dev."),
				 claim->endpoint.node);
	int r = open_direct(claim, claim->role == CLAIM_DESTINATION ? O_RDWR : O_RDONLY, fresh);

	if (r < 0)
		return claim_explain_open(claim, r, reterr);
	if (fstat(claim->fd, &claim->file) < 0)
		return claim_explain_open(claim, -errno, reterr);
	claim->created = fresh;
	/* A new file is recognised by device and inode, too, now that it has them. */
	if (fresh) {
		claim->endpoint.identity.devno = claim->file.st_dev;
		claim->endpoint.identity.inode = claim->file.st_ino;
		claim->endpoint.identity.born = endpoint_file_born(claim->fd, "");
		r = file_sync_directory(claim->endpoint.node);
	}
	return r < 0 ? claim_explain_open(claim, r, reterr) : 0;
}

/* A lock that udev or sfdisk holds for a moment is waited for. */
static int lock_in_time(int fd, int operation)
{
	uint64_t deadline = clock_monotonic() + LOCK_TIMEOUT;

	while (flock(fd, operation | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK || clock_monotonic() > deadline)
			return -errno;
		clock_sleep_until(clock_monotonic() + RETRY_EVERY);
	}
	return 0;
}

static int explain_lock(const struct claim *claim, int fd, int code, struct error *reterr)
{
	const char *node = claim->endpoint.node;
	char name[256], words[160];
	struct running running;
	struct stat st;
	bool writes;

	if (fstat(fd, &st) == 0 && running_find_lock(st.st_ino, &running, &writes))
		return error_set(reterr, ERROR_CLASS_REFUSED, code, "lock", node,
				 _("%s is busy: %s. Wait until that has ended, or stop it (kill "
				   "sends it SIGTERM; what is done can be resumed)."),
				 node, running_words(&running, writes, words, sizeof(words)));
	return error_set(reterr, ERROR_CLASS_REFUSED, code, "lock", node,
			 claim->role == CLAIM_DESTINATION
				 ? _("Another program has locked %s. Nothing was written. End "
				     "that program (fuser -v %s names it) and start again.")
				 : _("Another program has locked %s to write to it. End that "
				     "program (fuser -v %s names it) and start again."),
			 name_of(claim, name), node);
}

/* The file of a loop device, to be locked, too: who copies to the file by its own name has locked
 * that, and not the device, which may have been made since. -1: there is none. */
static int open_loop_file(const struct endpoint *endpoint)
{
	struct storage below, named;
	char path[PATH_MAX];

	if (endpoint->kind == ENDPOINT_IMAGE || endpoint_is_sg_only(endpoint))
		return -1;
	if (!attr_line(SYSFS_FOLDER("block", endpoint->identity.devno), "loop/backing_file", path,
		       sizeof(path)) ||
	    !storage_of(endpoint, &below) || !storage_of_file(path, &named) ||
	    !storage_same(&below, &named))
		return -1;
	return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* The lock that udev and partitioning tools respect is the one on the whole disk's node. */
static int lock(struct claim *claim, const struct plan *plan, struct error *reterr)
{
	bool destination = claim->role == CLAIM_DESTINATION;
	int operation = destination ? LOCK_EX : LOCK_SH, fd = claim->fd;
	struct stat st;

	/* With both ends on one disk the destination's lock covers the source, too. */
	if (!destination && plan_same_disk(plan))
		return 0;
	if (claim->endpoint.kind == ENDPOINT_PARTITION) {
		claim->lock_fd = open(claim->endpoint.disk_node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (claim->lock_fd < 0)
			return claim_explain_open(claim, -errno, reterr);
		if (fstat(claim->lock_fd, &st) < 0 || !S_ISBLK(st.st_mode) ||
		    st.st_rdev != claim->endpoint.identity.devno)
			return claim_stale(claim, "lock", reterr);
		fd = claim->lock_fd;
	}
	int r = lock_in_time(fd, operation);

	/* Network file systems may have no locks; there only O_EXCL at creation protects the file.
	 */
	if (r < 0 && (claim_is_device(claim) || r == -EWOULDBLOCK))
		return explain_lock(claim, fd, r, reterr);
	claim->file_fd = open_loop_file(&claim->endpoint);
	if (claim->file_fd >= 0 && lock_in_time(claim->file_fd, operation) == -EWOULDBLOCK)
		return explain_lock(claim, claim->file_fd, -EWOULDBLOCK, reterr);
	return 0;
}

static bool wants_sg(const struct claim *claim, const struct plan *plan)
{
	const struct plan_options *options = &plan->options;

	return (claim->role == CLAIM_SOURCE ? options->source_backend
					    : options->destination_backend) == BACKEND_SG;
}

/* The block node of a SCSI disk takes SCSI commands itself. A stacked device would pass them on to
 * the disk below, where other sectors have these addresses. */
static bool takes_commands(const struct claim *claim)
{
	char subsystem[64];

	return claim_is_device(claim) &&
	       attr_link(SYSFS_FOLDER("block", claim->endpoint.identity.devno), "device/subsystem",
			 subsystem, sizeof(subsystem)) &&
	       strcmp(subsystem, "scsi") == 0;
}

/* SCSI commands bypass the page cache: what is dirty there would not be read, and could be written
 * later over the copy. A disk's node has another cache than its partitions' nodes. */
static int drop_cache(const struct claim *claim, struct error *reterr)
{
	if (ioctl(claim->fd, BLKFLSBUF, 0) < 0 ||
	    (claim->lock_fd >= 0 && ioctl(claim->lock_fd, BLKFLSBUF, 0) < 0))
		return claim_explain_open(claim, -errno, reterr);
	return 0;
}

static int explain_sg(const struct endpoint *endpoint, int code, struct error *reterr)
{
	if (code == -EBUSY)
		return error_set(reterr, ERROR_CLASS_REFUSED, code, "open", endpoint->node,
				 _("Another program has %s, the sg node of %s, to itself. Nothing "
				   "was written. End that program (fuser -v %s names it), or leave "
				   "sg away for this disk."),
				 endpoint->sg, endpoint->node, endpoint->sg);
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "open", endpoint->node,
			 _("%s, the sg node of %s, cannot be opened: %s."), endpoint->sg,
			 endpoint->node, error_phrase(code));
}

/*
 * Both nodes have to lead to one SCSI device. That is safe to ask by number: the
 * numbers stay taken while the nodes are open, whatever happens to the disk.
 */
static int open_sg(struct claim *claim, struct error *reterr)
{
	const struct endpoint *endpoint = &claim->endpoint;
	char by_block[PATH_MAX], by_sg[PATH_MAX];
	struct stat st;

	if (claim_is_device(claim) && !endpoint->sg[0] && takes_commands(claim))
		return drop_cache(claim, reterr);
	if (!claim_is_device(claim) || !endpoint->sg[0])
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open",
				 endpoint->node,
				 _("%s has no sg node: it is no SCSI disk, or the sg driver is not "
				   "loaded (modprobe sg). Choose another backend."),
				 endpoint->node);
	/* The driver wants write access for every queued command, reads included. */
	claim->sg_fd = open(endpoint->sg, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (claim->sg_fd < 0)
		return explain_sg(endpoint, -errno, reterr);
	if (fstat(claim->sg_fd, &st) < 0 || !S_ISCHR(st.st_mode) ||
	    claim_scsi_device("char", st.st_rdev, by_sg) < 0 ||
	    claim_scsi_device("block", endpoint->identity.devno, by_block) < 0 ||
	    strcmp(by_sg, by_block) != 0)
		return claim_stale(claim, "identify", reterr);
	return drop_cache(claim, reterr);
}

int claim_open(const struct endpoint *endpoint, enum claim_role role, const struct plan *plan,
	       struct claim **ret, struct error *reterr)
{
	struct claim *claim = calloc(1, sizeof(*claim));

	if (!claim)
		return error_nomem(reterr);
	claim->endpoint = *endpoint;
	claim->role = role;
	claim->fd = claim->lock_fd = claim->file_fd = claim->sg_fd = -1;
	int r = claim_is_device(claim) ? open_device(claim, reterr) : open_image(claim, reterr);

	if (r == 0)
		r = claim_check(claim, reterr);
	if (r == 0)
		r = lock(claim, plan, reterr);
	claim->past_cache = wants_sg(claim, plan) && !endpoint_is_sg_only(endpoint);
	if (r == 0 && claim->past_cache)
		r = open_sg(claim, reterr);
	if (r < 0) {
		claim_discard(claim);
		return r;
	}
	facts_find_place(&claim->endpoint, &claim->place);
	claim->resets = resets_new(&claim->place);
	*ret = claim;
	return 0;
}

static void release(struct claim *claim)
{
	fd_close(claim->fd);
	fd_close(claim->lock_fd);
	fd_close(claim->file_fd);
	if (claim->sg_fd >= 0 && claim->sg_fd != claim->fd)
		close(claim->sg_fd);
	resets_destroy(claim->resets);
	free(claim);
}

/* Right after a copy udev may still have the partitions open, so EBUSY is tried again for a while.
 */
static int reread_table(const struct claim *claim, struct error *reterr)
{
	uint64_t deadline = clock_monotonic() + REREAD_TIMEOUT;
	char name[256];

	ioctl(claim->fd, BLKFLSBUF, 0);
	while (ioctl(claim->fd, BLKRRPART) < 0) {
		/* A device without partitions (a loop device made without -P) has no table. */
		if (errno == EINVAL || errno == ENOTTY)
			return 0;
		if (errno == EBUSY && clock_monotonic() < deadline) {
			clock_sleep_until(clock_monotonic() + RETRY_EVERY);
			continue;
		}
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "reread",
				 claim->endpoint.node,
				 _("The kernel still has the old partition table of %s (%s). "
				   "Detach the disk and attach it again, or run:  partprobe %s"),
				 name_of(claim, name), error_phrase(errno), claim->endpoint.node);
	}
	return 0;
}

int claim_close(struct claim *claim, bool reread, struct error *reterr)
{
	int r = 0;

	if (!claim)
		return 0;
	/* The page cache does not know what was written by SCSI commands. */
	if (claim->past_cache)
		drop_cache(claim, NULL);
	if (reread && claim->role == CLAIM_DESTINATION && claim->endpoint.kind == ENDPOINT_DISK)
		r = reread_table(claim, reterr);
	release(claim);
	return r;
}

void claim_discard(struct claim *claim)
{
	struct stat st;

	if (!claim)
		return;
	/* Only the file that was created here, and only while no block of it is written; its size
	 * may be set already. */
	if (claim->created && lstat(claim->endpoint.node, &st) == 0 &&
	    st.st_ino == claim->file.st_ino && st.st_dev == claim->file.st_dev && st.st_blocks == 0)
		unlink(claim->endpoint.node);
	release(claim);
}

unsigned claim_resets(const struct claim *claim, bool wait)
{
	return resets_count(claim->resets, wait);
}

int claim_fd(const struct claim *claim)
{
	return claim->fd;
}

int claim_sg_fd(const struct claim *claim)
{
	return claim->sg_fd;
}

bool claim_is_direct(const struct claim *claim)
{
	return claim->direct;
}

uint64_t claim_modified(const struct claim *claim)
{
	struct stat st;

	if (claim_is_device(claim) || fstat(claim->fd, &st) < 0 || st.st_mtim.tv_sec < 0)
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
}

const struct endpoint *claim_endpoint(const struct claim *claim)
{
	return &claim->endpoint;
}
