/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "after/resize_fs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "content/content.h"

/* A check of a large file system takes its time; what hangs is ended all the same. */
#define TOOL_TIMEOUT 3600 /* seconds: longer than those of a script */

/* What the script mounts, nobody else sees. What others unmount meanwhile is unmounted there, too:
 * their disk would stay in use as long as the script runs. */
#define ALONE "unshare -m --propagation slave sh -ec "
/* The kernel could take the source, which has the same UUID, for its other half: so it is mounted
 * under another one, and gets its own back, whatever becomes of the rest. btrfstune gives none that
 * another disk has: there, it finds no other. */
#define NO_OTHERS "mount -t tmpfs none /sys/block; mount --bind /dev/null /proc/partitions; "
/* It may still be mounted where the tool was killed, or hangs: then the kernel writes its
 * superblock again. $2 is the UUID. */
#define GIVE_BACK                                                                                  \
	"timeout 60 sh -c 'while ls /sys/fs/btrfs/*/devices/${1##*/}; do sleep 1; done' sh "       \
	"\"$1\" "                                                                                  \
	">/dev/null 2>&1; " ALONE "'" NO_OTHERS                                                    \
	"BLKID_FILE=/dev/null btrfstune -f -M \"$2\" \"$1\"' sh \"$1\" "
#define BTRFS(size)                                                                                \
	"btrfs check --readonly \"$1\"; "                                                          \
	"btrfs inspect-internal dump-super \"$1\" | grep -qx 'num_devices[[:space:]]*1'; "         \
	"uuid=$(blkid -p -s UUID -o value \"$1\"); test -n \"$uuid\"; btrfstune -f -m \"$1\"; "    \
	"timeout -k 9 3000 " ALONE "'mount -t btrfs \"$1\" /mnt; "                                 \
	"btrfs filesystem resize \"$2\" /mnt; umount /mnt' sh \"$1\" " size                        \
	" && r=0 || r=$?; " GIVE_BACK "\"$uuid\"; test $r = 0; btrfs check --readonly \"$1\""

/* $1 is the partition. Mounted, where the tool needs that, in a name space that goes with it. */
static const struct grower {
	const char *fs, *package, *tools, *script, *by_hand;
	const char *smaller; /* $3: KiB */
} growers[] = {
	{ "ext", "e2fsprogs", "e2fsck resize2fs",
	  "e2fsck -fp \"$1\" || [ $? -eq 1 ]; resize2fs \"$1\"; e2fsck -fn \"$1\"",
	  "e2fsck -f %s && resize2fs %s",
	  "e2fsck -fp \"$1\" || [ $? -eq 1 ]; resize2fs \"$1\" \"$3K\"; e2fsck -fn \"$1\"" },
	/* ntfsresize marks the file system for a check. A partition whose file system has that
	 * mark is not cut, so ntfsfix takes it off. */
	{ "ntfs", "ntfs-3g", "ntfsresize ntfsfix",
	  "ntfsresize -n -f \"$1\"; ntfsresize -f -f \"$1\"; ntfsresize -i -f \"$1\"",
	  "ntfsresize %s",
	  "s=$(($3 * 1024)); ntfsresize -n -f -s $s \"$1\"; ntfsresize -f -f -s $s \"$1\"; "
	  "ntfsfix -d \"$1\"; ntfsresize -i -f \"$1\"" },
	{ "f2fs", "f2fs-tools", "fsck.f2fs resize.f2fs",
	  "fsck.f2fs --dry-run \"$1\"; resize.f2fs \"$1\"; fsck.f2fs --dry-run \"$1\"",
	  "resize.f2fs %s" },
	{ "xfs", "xfsprogs", "xfs_repair xfs_growfs unshare",
	  "xfs_repair -n \"$1\"; " ALONE "'mount -t xfs -o nouuid \"$1\" /mnt; xfs_growfs /mnt; "
	  "umount /mnt' sh \"$1\"; xfs_repair -n \"$1\"",
	  "mount -o nouuid %s /mnt && xfs_growfs /mnt" },
	{ "btrfs", "btrfs-progs", "btrfs btrfstune blkid timeout unshare", BTRFS("max"),
	  "mount %s /mnt && btrfs filesystem resize max /mnt", BTRFS("\"$3K\"") },
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

	if (plan->destinations[0].kind == ENDPOINT_IMAGE)
		return text_copy(buffer, size, "PARTITION");
	snprintf(buffer, size, "%s%s%u", disk, digit ? "p" : "", number);
	return buffer;
}

/* ---- the UUID of a Btrfs ---- */

/* Of its superblock (Linux, include/uapi/linux/btrfs_tree.h). */
#define SUPER_UUID      0x20
#define SUPER_FLAGS     0x38
#define SUPER_MAGIC     0x40
#define CHANGES_UUID    (1ULL << 36)
#define SETTLE_SECONDS  5
#define RESTORE_SECONDS 300
#define UNMOUNT_SECONDS 60

void btrfs_uuid(const void *super, char ret[static UUID_TEXT_MAX])
{
	const uint8_t *bytes = super;

	ret[0] = '\0';
	if (memcmp(bytes + SUPER_MAGIC, "_BHRfS_M", 8) == 0)
		bytes_uuid(bytes + SUPER_UUID, ret);
}

/* What it is now. *retunfinished: a change of it was cut off. */
static void read_uuid(int fd, char ret[static UUID_TEXT_MAX], bool *retunfinished)
{
	uint8_t super[BTRFS_SUPER_HEAD] = { 0 };

	if (pread(fd, super, sizeof(super), BTRFS_SUPER_PLACE) != (ssize_t)sizeof(super))
		memset(super, 0, sizeof(super));
	btrfs_uuid(super, ret);
	*retunfinished = bytes_little(super + SUPER_FLAGS, 8) & CHANGES_UUID;
}

/* After a power cut, the log is the only thing that tells of it. */
static void announce(const struct after_disk *disk, unsigned partition, const char *uuid)
{
	log_line(disk->log, LOG_LEVEL_WARNING, "after",
		 "The Btrfs of partition %u has another UUID until its size is changed. If that is "
		 "cut off, take the old disk out, and give it its own back:  btrfstune -f -M %s "
		 "PARTITION",
		 partition, uuid);
	if (disk->log)
		log_settle(disk->log, clock_monotonic() + SETTLE_SECONDS * NSEC_PER_SEC);
}

/* A mount that nobody is in any more ends a little later. */
static bool is_mounted(const char *node)
{
	for (unsigned i = 0; i < UNMOUNT_SECONDS; i++) {
		CLEANUP(close) int fd = open(node, O_RDONLY | O_EXCL | O_CLOEXEC);

		if (fd >= 0)
			return false;
		clock_sleep_until(clock_monotonic() + NSEC_PER_SEC);
	}
	return true;
}

/* Where a tool or its shell was killed. False: it still has another one. */
static bool give_back(int loop, const char *node, const char *uuid, struct log *log)
{
	char now[UUID_TEXT_MAX], said[128];
	bool unfinished;

	if (is_mounted(node))
		return false;
	read_uuid(loop, now, &unfinished);
	if (strcmp(now, uuid) == 0 && !unfinished)
		return true;
	/* btrfstune ends a change only where it makes another one. */
	after_tool((const char *const[]){ "sh", "-ec",
					  strcmp(now, uuid) == 0
						  ? "btrfstune -f -m \"$1\"; " GIVE_BACK "\"$2\""
						  : GIVE_BACK "\"$2\"",
					  "sh", node, uuid, NULL },
		   RESTORE_SECONDS, log, said, sizeof(said));
	read_uuid(loop, now, &unfinished);
	return strcmp(now, uuid) == 0 && !unfinished;
}

/* ---- the tools ---- */

struct resize {
	const struct after_disk *disk;
	unsigned partition;
	const char *fs;
	const struct grower *grower;
	const char *steps;
	uint64_t kib; /* 0: as large as the partition */
};

/* The loop device is held by the shell, too, so that the tools get to their end even where this
 * program is killed. A tool that is missing is what a shell says with 127. */
static int run_on(const struct resize *resize, int loop, const char *node, char *said, size_t size)
{
	char script[1536], number[24];
	int r;

	snprintf(script, sizeof(script),
		 "exec 9<\"$1\"; for t in $2; do command -v \"$t\" >/dev/null || exit 127; done; "
		 "set -x; %s",
		 resize->steps);
	snprintf(number, sizeof(number), "%" PRIu64, resize->kib);
	r = after_tool((const char *const[]){ "sh", "-ec", script, "sh", node,
					      resize->grower->tools, number, NULL },
		       TOOL_TIMEOUT, resize->disk->log, said, size);
	return r == 0 && fsync(loop) < 0 ? -errno : r;
}

/* A file system ends with a whole unit of its own: ext4 before a last block group that its tables
 * would fill (32 MiB of inodes with mkfs.ext4 -i 1024), F2FS before a section that is cut. */
#define LEFT_OVER (40ULL << 20) /* bytes, at most */

/* What a tool that ended well has done. 1: not that, and `said` is what was found. The tool is
 * believed about a file system that does not say how large it is. */
static int measure(const struct resize *resize, int loop, uint64_t length, char *said, size_t size)
{
	/* Not through the page cache: a file system that was mounted has written past it. */
	CLEANUP(close) int fd = file_open_again(loop, O_RDONLY | O_DIRECT);
	uint32_t sector = resize->disk->sector_size;
	uint64_t wanted = resize->kib ? resize->kib * 1024 : length, now;

	if (fd < 0)
		return fd;
	now = content_size(&(struct volume){ .fd = fd, .size = length, .sector_size = sector },
			   resize->fs);
	if (now <= wanted && (resize->kib || wanted - now <= LEFT_OVER))
		return 0;
	snprintf(said, size, _("the tool ended well, but the file system has %s, not %s"),
		 UNITS_SHORT(now, UNITS_SI, sector), UNITS_SHORT(wanted, UNITS_SI, sector));
	log_line(resize->disk->log, LOG_LEVEL_WARNING, "after", "%s", said);
	return 1;
}

/* As after_tool(). retuuid: what it must get back, "" nothing. */
static int run(const struct resize *resize, char *said, size_t size,
	       char retuuid[static UUID_TEXT_MAX])
{
	const struct after_disk *disk = resize->disk;
	char uuid[UUID_TEXT_MAX] = "", node[LOOP_NODE_MAX];
	uint64_t start, length;
	bool unfinished = false;
	int r = -ERANGE;

	said[0] = retuuid[0] = '\0';
	if (after_range(disk, resize->partition, &start, &length))
		r = after_loop(disk, start, length, node);
	CLEANUP(close) int loop = r;

	if (r < 0) {
		log_line(disk->log, LOG_LEVEL_WARNING, "after", "no loop for partition %u: %s",
			 resize->partition, error_phrase(r));
		return r == -ENOENT ? -ENODEV : r;
	}
	if (strcmp(resize->grower->fs, "btrfs") == 0)
		read_uuid(loop, uuid, &unfinished);
	if (uuid[0])
		announce(disk, resize->partition, uuid);
	r = run_on(resize, loop, node, said, size);
	if (r == 0)
		r = measure(resize, loop, length, said, size);
	if (uuid[0] && !unfinished && !give_back(loop, node, uuid, disk->log)) {
		text_copy(retuuid, UUID_TEXT_MAX, uuid);
		r = r == 0 ? -EIO : r;
	}
	return r;
}

const char *resize_fs_package(const char *fs)
{
	const struct grower *grower = find(fs);

	return grower ? grower->package : "";
}

static bool any_missing(const char *tools)
{
	char name[32];
	size_t length;
	bool missing = false;

	for (const char *p = tools; *p; p += length + (p[length] == ' ')) {
		length = strcspn(p, " ");
		snprintf(name, sizeof(name), "%.*s", (int)length, p);
		missing |= after_tool_missing(name);
	}
	return missing;
}

const char *grow_fs_obstacle(const char *fs, char *buffer, size_t size)
{
	const struct grower *grower = find(fs);

	/* fatresize refuses most sizes, and changes the type of the partition on the way. */
	if (strcmp(fs, "vfat") == 0 || strcmp(fs, "exfat") == 0)
		return text_copy(
			buffer, size,
			_("there is no reliable tool for that; to use the room, make a new "
			  "file system of the whole partition, and copy the files to it"));
	if (strcmp(fs, "crypto_LUKS") == 0 || strcmp(fs, "LVM2_member") == 0)
		return text_copy(buffer, size, _("open the copy, and grow what is in it there"));
	if (!grower)
		return text_copy(buffer, size, _("no tool is known for that"));
	if (any_missing(grower->tools))
		snprintf(buffer, size, "%s: %s", grower->package, _("a tool is not installed"));
	else
		buffer[0] = '\0';
	return buffer;
}

int shrink_fs(const struct shrink_fs *shrink, char *said, size_t size)
{
	const struct grower *grower = find(shrink->fs);
	const struct partition place = { .number = 1,
					 .start = shrink->start / shrink->sector_size,
					 .sectors = shrink->length / shrink->sector_size };
	const struct after_disk image = { .fd = shrink->image,
					  .size = shrink->start + shrink->length,
					  .sector_size = shrink->sector_size,
					  .partitions = &place,
					  .count = 1,
					  .log = shrink->log };
	struct resize resize = {
		.disk = &image, .partition = 1, .fs = shrink->fs, .grower = grower
	};
	char uuid[UUID_TEXT_MAX];
	int r;

	said[0] = '\0';
	if (!grower || !grower->smaller)
		return -ENOTSUP;
	resize.steps = grower->smaller;
	resize.kib = shrink->bytes / 1024;
	r = run(&resize, said, size, uuid);
	return r == 0 && fsync(shrink->image) < 0 ? -errno : r;
}

void grow_fs(const struct after_disk *disk, unsigned partition, const char *fs,
	     struct grown_fs *ret)
{
	const struct grower *grower = find(fs);

	if (!grower) {
		ret->state = GROWN_FS_BY_HAND;
		return;
	}
	int r = run(&(struct resize){ .disk = disk,
				      .partition = partition,
				      .fs = fs,
				      .grower = grower,
				      .steps = grower->script },
		    ret->said, sizeof(ret->said), ret->uuid);

	if (r == 0)
		ret->state = GROWN_FS_DONE;
	/* A tool that is there ends so, too: without one of its libraries. */
	else if (r == -ENOENT && any_missing(grower->tools))
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
