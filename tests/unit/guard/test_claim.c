/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Claims: what is held, what is refused, and that a refusal changes nothing.
 * Images always; loop devices where there is root.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "discover/device.h"
#include "fake/open_alone.h"
#include "folder.h"
#include "guard/claim.h"

#define SIZE (1024 * 1024)

static struct endpoint source, destination;
static struct plan *plan;

static void make_file(const char *name, off_t size)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, size), 0);
	close(fd);
}

static void image_endpoint(const char *name, struct endpoint *ret)
{
	struct stat st;

	*ret = (struct endpoint){ .kind = ENDPOINT_IMAGE, .logical_sector_size = 512 };
	text_copy(ret->node, sizeof(ret->node), path_of(name));
	if (stat(ret->node, &st) < 0)
		return;
	ret->exists = true;
	ret->size = ret->identity.size = (uint64_t)st.st_size;
	ret->identity.devno = ret->devno = st.st_dev;
	ret->identity.inode = st.st_ino;
	ret->identity.born = endpoint_file_born(AT_FDCWD, ret->node);
}

static void remove_base(void)
{
	folder_detach();
	folder_remove();
}

static void make_plan(void)
{
	struct error error = { 0 };

	plan_destroy(plan);
	plan = NULL;
	ck_assert_msg(plan_new(&source, &destination, NULL, NULL, NULL, NULL, &plan, &error) == 0,
		      "%s", error.sentence);
}

static void setup_images(void)
{
	unlink(path_of("b.img"));
	make_file("a.img", SIZE);
	make_file("b.img", SIZE);
	unlink(path_of("new.img"));
	image_endpoint("a.img", &source);
	image_endpoint("b.img", &destination);
	make_plan();
}

static void teardown(void)
{
	plan_destroy(plan);
	plan = NULL;
}

static struct claim *claim(enum claim_role role)
{
	struct claim *held = NULL;
	struct error error = { 0 };
	int r = claim_open(role == CLAIM_SOURCE ? &source : &destination, role, plan, &held,
			   &error);

	ck_assert_msg(r == 0, "%s", error.sentence);
	ck_assert_int_eq(claim_check(held, &error), 0);
	return held;
}

static void refused(enum claim_role role, int code, enum error_class class)
{
	const struct endpoint *endpoint = role == CLAIM_SOURCE ? &source : &destination;
	struct claim *held = NULL;
	struct error error = { 0 };

	ck_assert_int_eq(claim_open(endpoint, role, plan, &held, &error), code);
	ck_assert_ptr_null(held);
	ck_assert_int_eq(error.class, class);
	ck_assert_msg(strstr(error.sentence, endpoint->node) != NULL, "%s", error.sentence);
}

/* ---- images ---- */

UNIT_CASE(.before_all = folder_make_on_disk, .after_all = remove_base, .setup = setup_images,
	  .teardown = teardown, .timeout = 20);

TEST(image_is_opened_as_its_role_wants)
{
	struct claim *from = claim(CLAIM_SOURCE), *to = claim(CLAIM_DESTINATION);

	ck_assert_int_eq(fcntl(claim_fd(from), F_GETFL) & O_ACCMODE, O_RDONLY);
	ck_assert_int_eq(fcntl(claim_fd(to), F_GETFL) & O_ACCMODE, O_RDWR);
	ck_assert_int_eq(!!(fcntl(claim_fd(to), F_GETFL) & O_DIRECT), claim_is_direct(to));
	ck_assert_int_eq(fcntl(claim_fd(to), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	ck_assert_str_eq(claim_endpoint(to)->node, destination.node);
	ck_assert_int_eq(claim_close(to, true, NULL), 0);
	ck_assert_int_eq(claim_close(from, false, NULL), 0);
	ck_assert_int_eq(claim_close(NULL, true, NULL), 0);
	claim_discard(NULL);
}

TEST(new_image_is_made_and_discarded)
{
	image_endpoint("new.img", &destination);
	make_plan();
	struct claim *held = claim(CLAIM_DESTINATION);

	ck_assert_int_eq(access(destination.node, F_OK), 0);
	claim_discard(held);
	ck_assert_int_ne(access(destination.node, F_OK), 0);
	/* It has its size before anything is written to it. */
	held = claim(CLAIM_DESTINATION);
	ck_assert_int_eq(ftruncate(claim_fd(held), 4096), 0);
	claim_discard(held);
	ck_assert_int_ne(access(destination.node, F_OK), 0);
}

TEST(image_that_was_written_is_not_discarded)
{
	image_endpoint("new.img", &destination);
	make_plan();
	struct claim *held = claim(CLAIM_DESTINATION);
	int fd = open(destination.node, O_WRONLY);

	ck_assert_int_eq(pwrite(fd, "data", 4, 0), 4);
	ck_assert_int_eq(fsync(fd), 0);
	close(fd);
	claim_discard(held);
	ck_assert_int_eq(access(destination.node, F_OK), 0);
}

TEST(existing_image_is_never_discarded)
{
	make_file("b.img", 0);
	destination.size = 0;
	claim_discard(claim(CLAIM_DESTINATION));
	ck_assert_int_eq(access(destination.node, F_OK), 0);
}

TEST(image_that_came_meanwhile_is_refused)
{
	image_endpoint("new.img", &destination);
	make_plan();
	make_file("new.img", 100);
	refused(CLAIM_DESTINATION, -EEXIST, ERROR_CLASS_REFUSED);
	ck_assert_int_eq(access(destination.node, F_OK), 0);
}

TEST(another_file_under_the_name_is_refused)
{
	make_file("other.img", SIZE);
	ck_assert_int_eq(rename(path_of("other.img"), path_of("b.img")), 0);
	refused(CLAIM_DESTINATION, -ESTALE, ERROR_CLASS_REFUSED);
	ck_assert_int_eq(truncate(source.node, SIZE + 512), 0);
	refused(CLAIM_SOURCE, -ESTALE, ERROR_CLASS_REFUSED);
}

/* The number of a file that was removed may be the next one's; its age is not. */
TEST(another_file_with_its_number_is_refused)
{
	if (!destination.identity.born)
		return;
	destination.identity.born -= 1000;
	refused(CLAIM_DESTINATION, -ESTALE, ERROR_CLASS_REFUSED);
	destination.identity.born = 0;
	claim_close(claim(CLAIM_DESTINATION), false, NULL);
}

/* Nobody writes to that pipe: to open it takes for ever. */
TEST(pipe_under_the_name_is_refused_at_once)
{
	ck_assert_int_eq(unlink(source.node), 0);
	ck_assert_int_eq(mkfifo(source.node, 0600), 0);
	refused(CLAIM_SOURCE, -ESTALE, ERROR_CLASS_REFUSED);
	ck_assert_int_eq(unlink(source.node), 0);
	ck_assert_int_eq(unlink(destination.node), 0);
	ck_assert_int_eq(mkfifo(destination.node, 0600), 0);
	refused(CLAIM_DESTINATION, -ESTALE, ERROR_CLASS_REFUSED);
	ck_assert_int_eq(unlink(destination.node), 0);
}

TEST(link_under_the_name_is_refused)
{
	ck_assert_int_eq(unlink(destination.node), 0);
	ck_assert_int_eq(symlink("a.img", destination.node), 0);
	refused(CLAIM_DESTINATION, -ELOOP, ERROR_CLASS_REFUSED);
}

TEST(no_file_is_made_below_dev)
{
	destination.exists = false;
	text_copy(destination.node, sizeof(destination.node), "/dev/clonedeck-test-no-such");
	refused(CLAIM_DESTINATION, -ENODEV, ERROR_CLASS_REFUSED);
	ck_assert_int_ne(access(destination.node, F_OK), 0);
	/* Nor through a link. */
	ck_assert_int_eq(symlink("/dev", path_of("link")), 0);
	snprintf(destination.node, sizeof(destination.node), "%s/no-such", path_of("link"));
	refused(CLAIM_DESTINATION, -ENODEV, ERROR_CLASS_REFUSED);
	ck_assert_int_eq(unlink(path_of("link")), 0);
}

TEST(locked_image_is_refused)
{
	int fd = open(destination.node, O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	refused(CLAIM_DESTINATION, -EWOULDBLOCK, ERROR_CLASS_REFUSED);
	close(fd);
	claim_close(claim(CLAIM_DESTINATION), false, NULL);
}

TEST(vanished_image_is_an_error)
{
	ck_assert_int_eq(unlink(source.node), 0);
	refused(CLAIM_SOURCE, -ENOENT, ERROR_CLASS_ENVIRONMENT);
}

/* ---- loop devices ---- */

static void attach(const char *name, struct endpoint *ret)
{
	char node[64];
	struct stat st;

	loop_over(path_of(name), node);
	ck_assert_int_eq(stat(node, &st), 0);
	*ret = (struct endpoint){ .kind = ENDPOINT_DISK,
				  .devno = st.st_rdev,
				  .size = SIZE,
				  .logical_sector_size = 512,
				  .physical_sector_size = 512,
				  .exists = true };
	text_copy(ret->node, sizeof(ret->node), node);
	text_copy(ret->disk_node, sizeof(ret->disk_node), node);
	ck_assert_int_eq(identity_read(st.st_rdev, false, &ret->identity), 0);
}

static void setup_disks(void)
{
	make_file("a.img", SIZE);
	make_file("b.img", SIZE);
	attach("a.img", &source);
	attach("b.img", &destination);
	make_plan();
}

static void teardown_disks(void)
{
	folder_detach();
	teardown();
}

UNIT_CASE(.before_all = folder_make_on_disk, .after_all = remove_base, .setup = setup_disks,
	  .teardown = teardown_disks, .timeout = 20, .possible = unit_has_loops);

TEST(destination_is_held_alone)
{
	struct claim *held = claim(CLAIM_DESTINATION);
	int fd = open(destination.node, O_RDONLY | O_EXCL | O_CLOEXEC);

	ck_assert_int_lt(fd, 0);
	ck_assert_int_eq(errno, EBUSY);
	fd = open(destination.node, O_RDONLY | O_CLOEXEC);
	ck_assert_int_lt(flock(fd, LOCK_SH | LOCK_NB), 0);
	ck_assert_int_eq(claim_close(held, true, NULL), 0);
	ck_assert_int_eq(flock(fd, LOCK_SH | LOCK_NB), 0);
	close(fd);
}

TEST(source_is_read_only_and_shared)
{
	struct claim *held = claim(CLAIM_SOURCE);
	int fd = open(source.node, O_RDONLY | O_CLOEXEC);

	ck_assert_int_lt(write(claim_fd(held), "x", 1), 0);
	ck_assert_int_eq(flock(fd, LOCK_SH | LOCK_NB), 0);
	flock(fd, LOCK_UN);
	ck_assert_int_lt(flock(fd, LOCK_EX | LOCK_NB), 0);
	close(fd);
	claim_close(held, false, NULL);
}

TEST(held_destination_is_refused)
{
	int fd = open_alone(destination.node, O_RDONLY);

	ck_assert_int_ge(fd, 0);
	refused(CLAIM_DESTINATION, -EBUSY, ERROR_CLASS_REFUSED);
	close(fd);
	claim_close(claim(CLAIM_DESTINATION), false, NULL);
}

TEST(source_being_written_is_refused)
{
	int fd = open(source.node, O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
	refused(CLAIM_SOURCE, -EWOULDBLOCK, ERROR_CLASS_REFUSED);
	close(fd);
}

/* A copy to the file of the device, by the name of the file. */
TEST(file_being_written_below_is_refused)
{
	int fd = open(path_of("b.img"), O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
	refused(CLAIM_DESTINATION, -EWOULDBLOCK, ERROR_CLASS_REFUSED);
	close(fd);
	claim_close(claim(CLAIM_DESTINATION), false, NULL);
}

/* udev probes a disk right after something closed it: that passes. */
TEST(short_lock_is_waited_for)
{
	char command[384];

	snprintf(command, sizeof(command), "flock -s %.64s sh -c ': >%s; sleep 1' &",
		 destination.node, path_of("locked"));
	ck_assert_int_eq(system(command), 0);
	while (access(path_of("locked"), F_OK) < 0)
		usleep(10000);
	claim_close(claim(CLAIM_DESTINATION), false, NULL);
}

TEST(any_other_identity_is_refused)
{
	struct endpoint chosen = destination;

	destination.identity.diskseq++;
	refused(CLAIM_DESTINATION, -ESTALE, ERROR_CLASS_REFUSED);
	destination = chosen;
	destination.size += 512;
	refused(CLAIM_DESTINATION, -ESTALE, ERROR_CLASS_REFUSED);
	destination = chosen;
	destination.logical_sector_size = 4096;
	refused(CLAIM_DESTINATION, -ESTALE, ERROR_CLASS_REFUSED);
	destination = chosen;
	destination.devno++;
	refused(CLAIM_DESTINATION, -ESTALE, ERROR_CLASS_REFUSED);
	destination = chosen;
	text_copy(destination.identity.model, sizeof(destination.identity.model), "other.img");
	refused(CLAIM_DESTINATION, -ESTALE, ERROR_CLASS_REFUSED);
	/* It had a label, and on this kernel nothing else tells it from the one that has none. */
	destination = chosen;
	destination.identity.diskseq = 0;
	text_copy(destination.identity.serial, sizeof(destination.identity.serial), "S1");
	refused(CLAIM_DESTINATION, -ESTALE, ERROR_CLASS_REFUSED);
	destination = chosen;
	destination.identity.diskseq = 0;
	claim_close(claim(CLAIM_DESTINATION), false, NULL);
	destination = chosen;
	claim_close(claim(CLAIM_DESTINATION), false, NULL);
}

/* The disk shrinks under the open descriptor: the next check notices. */
TEST(change_under_the_descriptor_is_noticed)
{
	struct claim *held = claim(CLAIM_SOURCE);
	struct error error = { 0 };
	char command[192];

	ck_assert_int_eq(truncate(path_of("a.img"), SIZE / 2), 0);
	snprintf(command, sizeof(command), "losetup --set-capacity %.64s", source.node);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(claim_check(held, &error), -ESTALE);
	ck_assert_int_eq(error.class, ERROR_CLASS_REFUSED);
	claim_close(held, false, NULL);
}

TEST(read_only_destination_is_refused)
{
	int fd = open(destination.node, O_RDONLY | O_CLOEXEC), on = 1, off = 0;

	ck_assert_int_eq(ioctl(fd, BLKROSET, &on), 0);
	refused(CLAIM_DESTINATION, -EROFS, ERROR_CLASS_REFUSED);
	ck_assert_int_eq(ioctl(fd, BLKROSET, &off), 0);
	close(fd);
}

static void add_partition(int disk, int number, long long start, long long size)
{
	struct blkpg_partition partition = { .start = start, .length = size, .pno = number };
	struct blkpg_ioctl_arg add = {
		.op = BLKPG_ADD_PARTITION,
		.datalen = sizeof(partition),
		.data = &partition,
	};

	ck_assert_int_eq(ioctl(disk, BLKPG, &add), 0);
}

/* Two partitions of one size: the name of one must not be taken for the other. */
TEST(partition_that_moved_is_refused)
{
	char command[512], node[96];
	struct stat st;
	int disk;

	teardown_disks();
	make_file("a.img", SIZE);
	make_file("b.img", SIZE);
	attach("a.img", &source);
	attach("b.img", &destination);
	disk = open(destination.node, O_RDONLY | O_CLOEXEC);
	add_partition(disk, 1, 64 * 512, 512 * 512);
	add_partition(disk, 2, 1024 * 512, 512 * 512);
	close(disk);
	/* Without udev nobody makes its node. */
	snprintf(node, sizeof(node), "%s/p2", folder);
	snprintf(command, sizeof(command), "mknod %s b $(tr : ' ' </sys/class/block/%.32sp2/dev)",
		 node, destination.node + strlen("/dev/"));
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(stat(node, &st), 0);
	destination.kind = ENDPOINT_PARTITION;
	text_copy(destination.node, sizeof(destination.node), node);
	destination.devno = st.st_rdev;
	destination.partition = 2;
	destination.start = 1024 * 512;
	destination.size = 512 * 512;
	make_plan();
	claim_close(claim(CLAIM_DESTINATION), false, NULL);
	destination.start = 64 * 512;
	refused(CLAIM_DESTINATION, -ESTALE, ERROR_CLASS_REFUSED);
}
