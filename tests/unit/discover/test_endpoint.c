/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/endpoint.h"
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "unit.h"

static struct partition slices[] = {
	{ .number = 2, .node = "/dev/zz2", .devno = 77, .start = 2048, .sectors = 100 },
};
static struct disk disks[] = {
	{ .name = "zz",
	  .node = "/dev/zz",
	  .sg = "/dev/sg9",
	  .identity = { .model = "M",
			.serial = "WD-WX12D3456789",
			.wwn = "0x50014ee2b1a2c3d4",
			.size = 1 << 30,
			.logical_sector_size = 512,
			.devno = 76 },
	  .physical_sector_size = 4096,
	  .partitions = slices,
	  .partition_count = 1 },
	{ .name = "zy",
	  .node = "/dev/zy",
	  .identity = { .model = "M",
			.serial = "SAME",
			.size = 1 << 30,
			.logical_sector_size = 512,
			.devno = 80 } },
	{ .name = "zx",
	  .node = "/dev/zx",
	  .identity = { .model = "M",
			.serial = "SAME",
			.size = 1 << 30,
			.logical_sector_size = 512,
			.devno = 81 } },
	{ .name = "zw",
	  .node = "/dev/zw",
	  .identity = { .size = 1 << 30, .logical_sector_size = 512, .devno = 82 } },
};
static const struct disk_list list = { .disks = disks, .count = 4 };

static struct endpoint endpoint;
static struct error error;

static void setup(void)
{
	folder_make();
	ck_assert_int_eq(chdir(folder), 0);
	memset(&endpoint, 0x5a, sizeof(endpoint));
	error = (struct error){ 0 };
}

static void teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	folder_remove();
}

static int resolve(const char *text, bool destination)
{
	return endpoint_resolve(&list, text, destination, &endpoint, &error);
}

static void make_file(const char *name, off_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, size), 0);
	close(fd);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(by_serial_and_wwn)
{
	ck_assert_int_eq(resolve("serial=WD-WX12D3456789", true), 0);
	ck_assert_int_eq(endpoint.kind, ENDPOINT_DISK);
	ck_assert_str_eq(endpoint.node, "/dev/zz");
	ck_assert_str_eq(endpoint.disk_node, "/dev/zz");
	ck_assert_str_eq(endpoint.sg, "/dev/sg9");
	ck_assert_uint_eq(endpoint.size, 1 << 30);
	ck_assert_uint_eq(endpoint.physical_sector_size, 4096);
	ck_assert(endpoint.exists);
	ck_assert_int_eq(resolve("wwn=0x50014EE2B1A2C3D4", false), 0);
	ck_assert_int_eq(resolve("wwn=50014ee2b1a2c3d4", false), 0);
	ck_assert_int_eq(resolve("wwn=naa.50014ee2b1a2c3d4", false), 0);
}

TEST(ambiguous_and_unknown_identities)
{
	ck_assert_int_eq(resolve("serial=SAME", true), -EINVAL);
	ck_assert_int_eq(error.class, ERROR_CLASS_USAGE);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/zy, /dev/zx"));
	ck_assert_int_eq(resolve("serial=WD", true), -ENODEV);
	ck_assert_int_eq(error.class, ERROR_CLASS_ENVIRONMENT);
	/* Disks without a serial do not have the empty one. */
	ck_assert_int_eq(resolve("serial=", true), -ENODEV);
	ck_assert_int_eq(resolve("wwn=", true), -ENODEV);
}

TEST(nothing_is_created_below_dev)
{
	ck_assert_int_eq(resolve("/dev/no-such-disk", true), -ENODEV);
	ck_assert_int_eq(error.class, ERROR_CLASS_ENVIRONMENT);
	ck_assert_int_eq(symlink("/dev", "devices"), 0);
	ck_assert_int_eq(resolve("devices/no-such-disk", true), -ENODEV);
	ck_assert_int_eq(resolve("/dev/../dev/no-such-disk", true), -ENODEV);
	ck_assert_int_eq(resolve("/dev/no-such-folder/disk", true), -ENODEV);
}

TEST(devices_that_are_no_disks)
{
	ck_assert_int_eq(resolve("/tmp", true), -EISDIR);
	ck_assert_int_eq(error.class, ERROR_CLASS_USAGE);
}

/* What has no positions can be no end: one sentence that says so. */
TEST(streams)
{
	static const char *const names[] = { "-",         "pipe",         "socket",   "/dev/null",
					     "/dev/zero", "/dev/urandom", "/dev/tty", "link" };
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	ck_assert_int_eq(symlink("/dev/zero", "link"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		for (int destination = 0; destination < 2; destination++) {
			ck_assert_int_eq(resolve(names[i], destination), -EINVAL);
			ck_assert_int_eq(error_exit_code(&error), EXIT_USAGE);
			ck_assert_ptr_nonnull(strstr(error.sentence, "positions"));
		}
	}
	close(fd);
	ck_assert_int_eq(access("-", F_OK), -1);
	/* A file may have that name all the same. */
	ck_assert_int_eq(resolve("./-", true), 0);
}

/* "> out.img" would put the report into the image. */
TEST(own_output_is_no_image)
{
	int fd, output = dup(STDOUT_FILENO);

	make_file("out.img", 4096);
	fd = open("out.img", O_WRONLY);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);

	int r = resolve("out.img", true);

	dup2(output, STDOUT_FILENO);
	close(output);
	close(fd);
	ck_assert_int_eq(r, -EINVAL);
	ck_assert_int_eq(error_exit_code(&error), EXIT_USAGE);
	ck_assert_int_eq(resolve("out.img", true), 0);
}

TEST(bare_name_of_a_disk_is_no_file)
{
	ck_assert_int_eq(resolve("zz", true), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/zz"));
	ck_assert_int_eq(resolve("./zz", true), 0);
	ck_assert_int_eq(endpoint.kind, ENDPOINT_IMAGE);
}

TEST(images)
{
	struct stat st;

	make_file("a.img", 4096);
	ck_assert_int_eq(stat("a.img", &st), 0);
	ck_assert_int_eq(resolve("a.img", false), 0);
	ck_assert_int_eq(endpoint.kind, ENDPOINT_IMAGE);
	ck_assert(endpoint.node[0] == '/');
	ck_assert_uint_eq(endpoint.size, 4096);
	ck_assert_uint_eq(endpoint.logical_sector_size, 512);
	ck_assert_uint_eq(endpoint.identity.inode, st.st_ino);
	ck_assert_uint_eq(endpoint.identity.devno, st.st_dev);
	ck_assert_str_eq(endpoint.disk_node, "");
	ck_assert(endpoint.exists);
	ck_assert_int_eq(resolve("a.img", true), 0);
	ck_assert_uint_eq(endpoint.logical_sector_size, 0);

	/* The same file by another name is the same file. */
	struct endpoint first = endpoint;

	ck_assert_int_eq(symlink("a.img", "b.img"), 0);
	ck_assert_int_eq(resolve("b.img", true), 0);
	ck_assert(identity_same(&first.identity, &endpoint.identity));
	ck_assert_str_eq(first.node, endpoint.node);
}

TEST(new_images)
{

	ck_assert_int_eq(resolve("new.img", true), 0);
	ck_assert_int_eq(endpoint.kind, ENDPOINT_IMAGE);
	ck_assert(!endpoint.exists);
	ck_assert_uint_eq(endpoint.size, 0);
	ck_assert_str_eq(endpoint.node, path_of("new.img"));
	ck_assert_int_eq(access("new.img", F_OK), -1);
	ck_assert_int_eq(resolve("new.img", false), -ENOENT);
	ck_assert_int_eq(resolve("no/such/folder/new.img", true), -ENOENT);
	ck_assert_int_eq(resolve("new/", true), -ENOENT);
	ck_assert_int_eq(resolve("", true), -ENOENT);
	ck_assert_int_eq(error.class, ERROR_CLASS_ENVIRONMENT);
	ck_assert_int_eq(symlink("no-such-file.img", "link.img"), 0);
	ck_assert_int_eq(resolve("link.img", true), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.sentence, "link"));
}

TEST(path_that_is_too_long)
{
	char name[1024];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(resolve(name, true), -ENAMETOOLONG);
}

TEST(failure_leaves_the_endpoint_alone)
{
	struct endpoint before;

	memset(&before, 0x5a, sizeof(before));
	ck_assert_int_lt(resolve("/dev/no-such-disk", true), 0);
	ck_assert_mem_eq(&endpoint, &before, sizeof(before));
	ck_assert_int_lt(endpoint_resolve(&list, "serial=x", true, &endpoint, NULL), 0);
}

TEST(partitions)
{
	endpoint_from_partition(&disks[0], &slices[0], &endpoint);
	ck_assert_int_eq(endpoint.kind, ENDPOINT_PARTITION);
	ck_assert_str_eq(endpoint.node, "/dev/zz2");
	ck_assert_str_eq(endpoint.disk_node, "/dev/zz");
	ck_assert_uint_eq(endpoint.start, 2048 * 512);
	ck_assert_uint_eq(endpoint.size, 100 * 512);
	ck_assert_uint_eq(endpoint.devno, 77);
	ck_assert_uint_eq(endpoint.identity.devno, 76);
	ck_assert_ptr_eq(endpoint_disk(&list, &endpoint), &disks[0]);

	struct partition absurd = { .number = 1, .start = UINT64_MAX / 2, .sectors = 10 };

	endpoint_from_partition(&disks[0], &absurd, &endpoint);
	ck_assert_uint_eq(endpoint.size, 0);
}

TEST(tokens)
{
	char buffer[512];

	endpoint_from_disk(&disks[0], &endpoint);
	ck_assert_str_eq(endpoint_token(&list, &endpoint, buffer), "456789");
	/* Shared serial, and none. */
	endpoint_from_disk(&disks[1], &endpoint);
	ck_assert_ptr_eq(endpoint_disk(&list, &endpoint), &disks[1]);
	ck_assert_str_eq(endpoint_token(&list, &endpoint, buffer), "/dev/zy");
	endpoint_from_disk(&disks[3], &endpoint);
	ck_assert_str_eq(endpoint_token(&list, &endpoint, buffer), "/dev/zw");
	/* One whose end cannot be typed, and one whose end another disk has too. */
	struct disk twins[2] = { disks[0], disks[0] };
	struct disk_list pair = { .disks = twins, .count = 2 };

	strcpy(twins[1].identity.serial, "XX-456789");
	strcpy(twins[1].identity.wwn, "0x1");
	endpoint_from_disk(&twins[0], &endpoint);
	ck_assert_str_eq(endpoint_token(&pair, &endpoint, buffer), "/dev/zz");
	strcpy(twins[0].identity.serial, "AB CD?\xc3\xa9");
	endpoint_from_disk(&twins[0], &endpoint);
	ck_assert_str_eq(endpoint_token(&pair, &endpoint, buffer), "/dev/zz");
	ck_assert_int_eq(resolve("new.img", true), 0);
	ck_assert_str_eq(endpoint_token(&list, &endpoint, buffer), endpoint.node);
	/* Not even that could be typed. */
	strcpy(endpoint.node, "/srv/b\xe4\tr 100%.img");
	ck_assert_str_eq(endpoint_token(&list, &endpoint, buffer), "/srv/b%E4%09r 100%25.img");
}
