/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Discovery on real block devices: loop devices over files of its own. Needs
 * root; says so and is skipped without.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "discover/device.h"
#include "discover/endpoint.h"
#include "discover/scan.h"
#include "fake/loop.h"
#include "fake/open_alone.h"
#include "fake/own_mounts.h"
#include "folder.h"
#include "images.h"

#define SECTORS 16384

static char node[LOOP_NODE_MAX];
static struct image image;
static struct scan *scan;
static struct disk_list *list;
static int loop_fd;

static int attach(const char *path, uint32_t sector_size, uint32_t flags)
{
	int file = open(path, (flags & LO_FLAGS_READ_ONLY ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	int fd = loop_attach(file, sector_size, flags, node);

	close(file);
	return fd;
}

static void attach_image(uint32_t flags)
{
	const char *path = path_of("disk.img");

	image_write_file(&image, path);
	loop_fd = attach(path, image.sector_size, flags);
	ck_assert_int_ge(loop_fd, 0);
}

static void setup(void)
{
	own_mounts();
	folder_make();
	image_new(&image, SECTORS, 512);
	loop_fd = -1;
}

static void teardown(void)
{
	disk_list_destroy(list);
	scan_destroy(scan);
	image_free(&image);
	fd_close(loop_fd);
	folder_remove();
}

static const struct disk *look(void)
{
	struct scan_options options = { .probe = true, .practice_dir = folder };
	struct error error = { 0 };

	disk_list_destroy(list);
	scan_destroy(scan);
	list = NULL;
	scan = NULL;
	ck_assert_msg(scan_new(&options, &scan, &error) == 0, "%s", error.sentence);
	ck_assert_msg(scan_run(scan, &list, &error) == 0, "%s", error.sentence);
	/* Only what lies in the folder, whatever else is attached. */
	ck_assert_uint_eq(list->count, 1);
	ck_assert_str_eq(list->disks[0].node, node);
	return &list->disks[0];
}

static bool uses(const struct use_list *in_use, enum use_kind kind)
{
	for (size_t i = 0; i < in_use->count; i++)
		if (in_use->items[i].kind == kind)
			return true;
	return false;
}

UNIT_CASE(.setup = setup, .teardown = teardown, .timeout = 60, .possible = unit_has_loops);

TEST(practice_disk)
{
	struct gpt_partition partitions[] = { { 2048, 4095, NULL }, { 4096, 8191, NULL } };

	image_gpt(&image, partitions, 2);
	image_swap(&image, 2048, 2048, "label");
	attach_image(0);

	const struct disk *disk = look();

	ck_assert_int_eq(disk->kind, DISK_LOOP);
	ck_assert_str_eq(disk->transport, "loop");
	ck_assert_str_eq(disk->identity.model, "disk.img");
	ck_assert_str_eq(disk->identity.serial, "");
	ck_assert_uint_eq(disk->identity.size, SECTORS * 512);
	ck_assert_uint_eq(disk->identity.logical_sector_size, 512);
	ck_assert_uint_ne(disk->identity.diskseq, 0);
	ck_assert_str_eq(disk->table, "gpt");
	ck_assert_uint_eq(disk->partition_count, 2);
	ck_assert_str_eq(disk->partitions[0].label, "label");
	ck_assert_str_eq(disk->partitions[0].node, "");
	ck_assert_uint_eq(disk->region_count, 6);
	ck_assert_uint_eq(disk->regions[0].sectors, 34);
	ck_assert_uint_eq(disk->in_use.count, 0);
	ck_assert_uint_eq(disk->note_count, 0);
	ck_assert_int_eq(disk->read_only, NO);
}

TEST(sectors_of_4096)
{
	struct gpt_partition partitions[] = { { 256, 511, NULL } };

	image_free(&image);
	image_new(&image, 2048, 4096);
	image_gpt(&image, partitions, 1);
	attach_image(0);

	const struct disk *disk = look();

	ck_assert_uint_eq(disk->identity.logical_sector_size, 4096);
	ck_assert_uint_eq(disk_sectors(disk), 2048);
	ck_assert_str_eq(disk->table, "gpt");
	ck_assert_uint_eq(disk->partitions[0].start, 256);
	ck_assert_uint_eq(disk->regions[0].sectors, 6);
}

TEST(read_only_disk)
{
	attach_image(LO_FLAGS_READ_ONLY);

	const struct disk *disk = look();

	ck_assert_int_eq(disk->read_only, YES);
	ck_assert_int_eq(disk->removable, NO);
	ck_assert_str_eq(disk->table, "");
	ck_assert_int_eq(disk->regions[0].kind, REGION_WHOLE);
}

TEST(held_by_another_program)
{
	attach_image(0);
	ck_assert(!uses(&look()->in_use, USE_EXCLUSIVE));

	int holder = open_alone(node, O_RDONLY);

	ck_assert_int_ge(holder, 0);
	ck_assert(uses(&look()->in_use, USE_EXCLUSIVE));
	close(holder);
	ck_assert(!uses(&look()->in_use, USE_EXCLUSIVE));
}

/* Looking must not keep anybody from taking the disk afterwards. */
TEST(looking_leaves_nothing_behind)
{
	attach_image(0);
	for (int i = 0; i < 10; i++) {
		look();

		int fd = open_alone(node, O_RDWR);

		ck_assert_int_ge(fd, 0);
		close(fd);
	}
}

TEST(mounted_file_system)
{
	const char *target = path_of("mnt");
	char command[256];

	snprintf(command, sizeof(command), "mkfs.ext4 -q -L 'my data' %s/fs.img 4M >/dev/null",
		 folder);
	ck_assert_int_eq(system(command), 0);
	loop_fd = attach(path_of("fs.img"), 512, 0);
	ck_assert_int_ge(loop_fd, 0);

	const struct disk *disk = look();

	ck_assert_str_eq(disk->whole_fs, "ext4");
	ck_assert_str_eq(disk->whole_label, "my data");
	ck_assert_int_eq(mkdir(target, 0700), 0);
	ck_assert_int_eq(mount(node, target, "ext4", MS_RDONLY, NULL), 0);
	disk = look();
	umount2(target, MNT_DETACH);
	ck_assert(uses(&disk->in_use, USE_MOUNT));
	ck_assert_str_eq(disk->in_use.items[0].what, target);
}

TEST(table_that_the_kernel_has_not_read_again)
{
	struct gpt_partition partitions[] = { { 2048, 4095, NULL } };

	image_gpt(&image, partitions, 1);
	attach_image(LO_FLAGS_PARTSCAN);
	if (look()->partitions[0].node[0] == '\0')
		return; /* a kernel that makes no partitions of loop devices */
	ck_assert_uint_eq(list->disks[0].note_count, 0);

	struct endpoint endpoint;
	struct error error = { 0 };
	const char *link = path_of("link");
	/* As long as it is open, no udev has the kernel read the table again. */
	int held = open(list->disks[0].partitions[0].node, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(held, 0);
	ck_assert_int_eq(symlink(list->disks[0].partitions[0].node, link), 0);
	ck_assert_int_eq(endpoint_resolve(list, link, true, &endpoint, &error), 0);
	ck_assert_int_eq(endpoint.kind, ENDPOINT_PARTITION);
	ck_assert_uint_eq(endpoint.start, 2048 * 512);

	partitions[0].first = 3000;
	image_gpt(&image, partitions, 1);
	ck_assert_int_eq(access(path_of("disk.img"), F_OK), 0);

	int fd = open(node, O_WRONLY | O_CLOEXEC);

	ck_assert_int_eq(pwrite(fd, image.bytes, 1 << 20, 0), 1 << 20);
	close(fd);

	const struct disk *disk = look();

	ck_assert_uint_eq(disk->partition_count, 2);
	ck_assert_uint_gt(disk->note_count, 0);
	ck_assert_ptr_nonnull(strstr(disk->notes[disk->note_count - 1].text, "rereadpt"));
	close(held);
}

TEST(endpoints_and_identity)
{
	struct endpoint endpoint;
	struct error error = { 0 };
	struct identity identity;
	char link[128];

	attach_image(0);

	const struct disk *disk = look();

	snprintf(link, sizeof(link), "%s/link", folder);
	ck_assert_int_eq(symlink(node, link), 0);
	ck_assert_int_eq(endpoint_resolve(list, link, true, &endpoint, &error), 0);
	ck_assert_str_eq(endpoint.node, node);
	ck_assert_ptr_eq(endpoint_disk(list, &endpoint), disk);
	ck_assert_int_eq(identity_read(disk->identity.devno, false, &identity), 0);
	ck_assert(identity_same(&identity, &disk->identity));
	ck_assert_uint_eq(identity.diskseq, disk->identity.diskseq);
	/* A disk that is attached, but not in this list. */
	ck_assert_int_eq(endpoint_resolve(&(struct disk_list){ 0 }, node, true, &endpoint, &error),
			 -ENODEV);
}

static bool attached(const char *loop)
{
	char file[128];

	snprintf(file, sizeof(file), "/sys/block/%s/loop/backing_file", strrchr(loop, '/') + 1);
	return access(file, F_OK) == 0;
}

/* Another disk under the same node is another disk. */
TEST(replaced_disk_is_another)
{
	struct identity before;

	attach_image(0);
	before = look()->identity;
	close(loop_fd);
	/* It is let go of once nobody else has it open, udev for one. */
	while (attached(node))
		usleep(10000);
	loop_fd = attach(path_of("disk.img"), 512, 0);
	ck_assert_int_ge(loop_fd, 0);
	ck_assert(!identity_same(&before, &look()->identity));
}

TEST(without_root)
{
	attach_image(0);
	ck_assert_int_eq(chmod(folder, 0755), 0);
	fflush(NULL);

	pid_t child = fork();

	if (child == 0) {
		struct scan_options options = { .probe = true, .practice_dir = folder };
		int code = 1;

		if (setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0 &&
		    scan_new(&options, &scan, NULL) == 0 && scan_run(scan, &list, NULL) == 0 &&
		    list->count == 1 && list->disks[0].identity.size == SECTORS * 512 &&
		    strcmp(list->disks[0].table, "?") == 0) {
			for (size_t i = 0; i < list->missing_count; i++)
				if (strstr(list->missing[i], "Not root"))
					code = 0;
		}
		_exit(code);
	}

	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

TEST(folder_that_does_not_exist)
{
	struct scan_options options = { .practice_dir = "/no/such/folder" };
	struct error error = { 0 };

	ck_assert_int_eq(scan_new(&options, &scan, &error), -ENOENT);
	ck_assert_int_eq(error.class, ERROR_CLASS_USAGE);
}
