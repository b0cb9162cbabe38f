/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts: on which disks files lie, and how much room there is. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.h"
#include "fake/own_mounts.h"
#include "folder.h"
#include "guard/facts.h"

static struct plan *plan;
static struct endpoint source, destination;
static struct disk_list nothing;

static void remove_base(void)
{
	char command[256];

	snprintf(command, sizeof(command), "umount %s/mnt %s/ram 2>/dev/null", folder, folder);
	ck_assert_int_ge(system(command), 0);
	folder_detach();
	folder_remove();
}

static void image(const char *path, struct endpoint *ret)
{
	struct stat st;

	*ret = (struct endpoint){ .kind = ENDPOINT_IMAGE, .logical_sector_size = 512 };
	text_copy(ret->node, sizeof(ret->node), path);
	if (stat(path, &st) < 0)
		return;
	ret->exists = true;
	ret->size = (uint64_t)st.st_size;
	ret->identity.devno = st.st_dev;
	ret->identity.inode = st.st_ino;
}

static void setup(void)
{
	int fd = open(path_of("a.img"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	own_mounts();
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 16 * 1024 * 1024), 0);
	ck_assert_int_eq(pwrite(fd, "x", 1, 0), 1);
	ck_assert_int_eq(fsync(fd), 0);
	close(fd);
	image(path_of("a.img"), &source);
	image(path_of("b.img"), &destination);
	plan = NULL;
}

static void teardown(void)
{
	plan_destroy(plan);
}

static struct guard_facts gather(const char *log_dir, const char *map)
{
	struct guard_facts facts;
	struct error error = { 0 };

	if (!plan)
		ck_assert_int_eq(
			plan_new(&source, &destination, NULL, NULL, NULL, NULL, &plan, &error), 0);
	facts_gather(plan, &nothing, log_dir, map, &facts);
	return facts;
}

UNIT_CASE(.before_all = folder_make_on_disk, .after_all = remove_base, .setup = setup,
	  .teardown = teardown);

TEST(what_does_not_exist_yet_has_a_place)
{
	struct guard_facts facts = gather(path_of("not/yet/there"), NULL);
	struct guard_facts here = gather(folder, NULL);

	ck_assert_uint_eq(facts.log_dir.below_count, here.log_dir.below_count);
	for (size_t i = 0; i < here.log_dir.below_count; i++)
		ck_assert_str_eq(facts.log_dir.below[i].disk, here.log_dir.below[i].disk);
	ck_assert_int_eq(facts.log_dir.in_memory, here.log_dir.in_memory);
	ck_assert_str_eq(facts.map.path, "");
}

TEST(room_and_holes_are_measured)
{
	struct guard_facts facts = gather(NULL, NULL);

	ck_assert(facts.image_free_known);
	ck_assert_uint_gt(facts.image_free, 0);
	ck_assert(facts.source_allocated_known);
	ck_assert_uint_lt(facts.source_allocated, 1024 * 1024);
	ck_assert(!facts.same_storage);
}

TEST(one_file_by_two_names_is_noticed)
{
	ck_assert_int_eq(link(path_of("a.img"), path_of("hard.img")), 0);
	image(path_of("hard.img"), &destination);
	ck_assert(gather(NULL, NULL).same_storage);
	ck_assert_int_eq(unlink(path_of("hard.img")), 0);
}

/* Of a mirror one disk is enough; what is not wholly known is not given up. */
TEST(place_is_gone_with_its_last_disk)
{
	struct guard_place place = {
		.complete = true,
		.below = { { .devno = makedev(511, 7) },
			   { .devno = makedev(511, 8), .bottom = true },
			   { .devno = makedev(511, 9), .bottom = true } },
		.below_count = 3,
	};

	ck_assert(!facts_place_present(&place));
	place.complete = false;
	ck_assert(facts_place_present(&place));
	place.gone = true;
	ck_assert(!facts_place_present(&place));
	place = (struct guard_place){ .complete = true };
	ck_assert(facts_place_present(&place));
}

TEST(image_is_where_its_disk_is)
{
	struct endpoint endpoint = { .kind = ENDPOINT_IMAGE };
	struct guard_place place;

	ck_assert_ptr_nonnull(strcpy(endpoint.node, path_of("a.img")));
	facts_find_place(&endpoint, &place);
	ck_assert(facts_place_present(&place));
}

UNIT_CASE(.before_all = folder_make_on_disk, .after_all = remove_base, .setup = setup,
	  .teardown = teardown, .possible = unit_has_loops);

TEST(memory_is_noticed)
{
	ck_assert_int_eq(mkdir(path_of("ram"), 0700), 0);
	ck_assert_int_eq(mount("tmpfs", path_of("ram"), "tmpfs", 0, "size=1m"), 0);
	struct guard_facts facts = gather(path_of("ram/logs"), path_of("ram/a.map"));

	ck_assert(facts.log_dir.in_memory);
	ck_assert(facts.map.in_memory);
	ck_assert_uint_eq(facts.log_dir.below_count, 0);
	ck_assert_int_eq(umount(path_of("ram")), 0);
}

/* The root of a live system: an overlay whose upper part is in memory. */
TEST(memory_below_an_overlay_is_noticed)
{
	char options[512];

	mkdir(path_of("ram"), 0700);
	mkdir(path_of("mnt"), 0700);
	ck_assert_int_eq(mount("tmpfs", path_of("ram"), "tmpfs", 0, "size=1m"), 0);
	ck_assert_int_eq(mkdir(path_of("ram/upper"), 0700), 0);
	ck_assert_int_eq(mkdir(path_of("ram/work"), 0700), 0);
	snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s", "/usr/share",
		 path_of("ram/upper"), path_of("ram/work"));
	if (mount("overlay", path_of("mnt"), "overlay", 0, options) == 0) {
		ck_assert(gather(path_of("mnt/log"), NULL).log_dir.in_memory);
		ck_assert_int_eq(umount(path_of("mnt")), 0);
	}
	ck_assert_int_eq(umount(path_of("ram")), 0);
}

/* A file system on a loop device lies on that device, and on what its file lies on. */
TEST(stack_is_followed_to_its_ground)
{
	char command[512], node[64];
	struct guard_facts ground = gather(folder, NULL);

	snprintf(command, sizeof(command), "mkdir -p %s && mkfs.ext4 -q -F %s", path_of("mnt"),
		 path_of("a.img"));
	ck_assert_int_eq(system(command), 0);
	loop_over(path_of("a.img"), node);
	ck_assert_int_eq(mount(node, path_of("mnt"), "ext4", 0, NULL), 0);

	struct guard_facts facts = gather(path_of("mnt/logs"), NULL);

	ck_assert_uint_eq(facts.log_dir.below_count, ground.log_dir.below_count + 1);
	ck_assert_str_eq(facts.log_dir.below[0].disk, node);
	for (size_t i = 0; i < ground.log_dir.below_count; i++)
		ck_assert_str_eq(facts.log_dir.below[i + 1].disk, ground.log_dir.below[i].disk);
	ck_assert_int_eq(umount(path_of("mnt")), 0);
}

static void detach(const char *node)
{
	char command[128];

	snprintf(command, sizeof(command), "losetup -d %s", node);
	ck_assert_int_eq(system(command), 0);
}

static void device(const char *node, struct endpoint *ret)
{
	struct stat st;

	ck_assert_int_eq(stat(node, &st), 0);
	*ret = (struct endpoint){ .kind = ENDPOINT_DISK,
				  .exists = true,
				  .size = 16 * 1024 * 1024,
				  .logical_sector_size = 512,
				  .devno = st.st_rdev,
				  .identity = { .devno = st.st_rdev } };
	text_copy(ret->node, sizeof(ret->node), node);
	text_copy(ret->disk_node, sizeof(ret->disk_node), node);
}

/* What is written to a loop device over a device is written to that. */
TEST(a_loop_device_over_a_device_is_made_of_it)
{
	char ground[64], first[64], second[64];

	loop_over(path_of("a.img"), ground);
	loop_over(ground, first);
	loop_over(ground, second);
	device(ground, &source);
	device(first, &destination);

	struct guard_facts facts = gather(NULL, NULL);

	ck_assert(facts_made_of(&facts.destination_below, &source));
	ck_assert(!facts.same_storage);
	/* the file is another matter */
	for (size_t i = 0; i < facts.destination_below.below_count; i++)
		ck_assert_int_eq(facts.destination_below.below[i].by_file,
				 strcmp(facts.destination_below.below[i].disk, ground) != 0);
	plan_destroy(plan);
	plan = NULL;
	device(second, &source);
	ck_assert(gather(NULL, NULL).same_storage);
	detach(second);
	detach(first);
	detach(ground);
}

/* Its name is gone, or leads to another file by now. */
TEST(the_file_below_a_loop_device_by_another_name)
{
	char ground[64];

	ck_assert_int_eq(link(path_of("a.img"), path_of("c.img")), 0);
	loop_over(path_of("c.img"), ground);
	device(ground, &destination);
	ck_assert_int_eq(unlink(path_of("c.img")), 0);
	ck_assert(gather(NULL, NULL).same_storage);
	ck_assert(facts_is_storage(path_of("a.img"), &destination));
	plan_destroy(plan);
	plan = NULL;
	ck_assert_int_eq(close(open(path_of("c.img"), O_RDWR | O_CREAT | O_CLOEXEC, 0600)), 0);
	ck_assert_int_eq(truncate(path_of("c.img"), 16 * 1024 * 1024), 0);
	image(path_of("c.img"), &source);
	ck_assert(!gather(NULL, NULL).same_storage);
	ck_assert(!facts_is_storage(path_of("c.img"), &destination));
	detach(ground);
	ck_assert_int_eq(unlink(path_of("c.img")), 0);
}

/* It is no loop device over the image, but on one. */
TEST(what_is_made_of_an_image_is_noticed)
{
	char ground[64], first[64];

	loop_over(path_of("a.img"), ground);
	loop_over(ground, first);
	device(first, &destination);
	ck_assert(gather(NULL, NULL).same_storage);
	plan_destroy(plan);
	plan = NULL;
	device(first, &source);
	image(path_of("a.img"), &destination);
	ck_assert(gather(NULL, NULL).same_storage);
	detach(first);
	detach(ground);
}

static struct end_writers writers(void)
{
	return gather(NULL, NULL).source_writers;
}

static void make_file_system(const char *node)
{
	char command[256];

	snprintf(command, sizeof(command), "mkfs.ext4 -q -F %s", node);
	ck_assert_int_eq(system(command), 0);
	mkdir(path_of("mnt"), 0700);
}

/* On what the source is, on what is built upon it, and beside it through the same file. */
TEST(who_mounts_the_source_for_writing)
{
	char ground[64], above[64], beside[64];
	const char *const mounted[] = { ground, above, beside };

	loop_over(path_of("a.img"), ground);
	make_file_system(ground);
	loop_over(ground, above);
	loop_over(path_of("a.img"), beside);
	device(ground, &source);
	ck_assert_str_eq(writers().mount, "");
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(mount(mounted[i], path_of("mnt"), "ext4", 0, NULL), 0);
		ck_assert_str_eq(writers().mount, path_of("mnt"));
		/* for those who come in by this door alone */
		ck_assert_int_eq(
			mount(NULL, path_of("mnt"), NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL),
			0);
		ck_assert_str_eq(writers().mount, path_of("mnt"));
		ck_assert_int_eq(mount(NULL, path_of("mnt"), NULL, MS_REMOUNT | MS_RDONLY, NULL),
				 0);
		ck_assert_str_eq(writers().mount, "");
		ck_assert_int_eq(umount(path_of("mnt")), 0);
	}
	/* The image itself as the source. */
	plan_destroy(plan);
	plan = NULL;
	image(path_of("a.img"), &source);
	ck_assert_int_eq(mount(ground, path_of("mnt"), "ext4", 0, NULL), 0);
	ck_assert_str_eq(writers().mount, path_of("mnt"));
	ck_assert_int_eq(umount(path_of("mnt")), 0);
	detach(beside);
	detach(above);
	detach(ground);
}

/* Runs until its standard input is closed; true once it has the file open. */
static FILE *open_elsewhere(const char *path, const char *how)
{
	char command[256], ready[128];
	FILE *f;

	snprintf(ready, sizeof(ready), "%s", path_of("ready"));
	snprintf(command, sizeof(command), "exec 5%s%s; : >%s; exec cat >/dev/null", how, path,
		 ready);
	f = popen(command, "we");
	ck_assert_ptr_nonnull(f);
	while (access(ready, F_OK) < 0)
		usleep(1000);
	ck_assert_int_eq(unlink(ready), 0);
	return f;
}

TEST(which_program_has_the_source_open_for_writing)
{
	char ground[64], above[64];
	FILE *f;

	loop_over(path_of("a.img"), ground);
	loop_over(ground, above);
	device(ground, &source);
	f = open_elsewhere(ground, "<");
	ck_assert_str_eq(writers().other, "");
	ck_assert_int_eq(pclose(f), 0);

	const char *const opened[] = { ground, above, path_of("a.img") };

	for (size_t i = 0; i < 3; i++) {
		struct end_writers found;

		f = open_elsewhere(opened[i], "<>");
		found = writers();
		ck_assert_ptr_nonnull(strstr(found.other, "cat (process "));
		ck_assert_ptr_nonnull(strstr(found.other, opened[i]));
		ck_assert_int_eq(pclose(f), 0);
		ck_assert_str_eq(writers().other, "");
	}
	plan_destroy(plan);
	plan = NULL;
	image(path_of("a.img"), &source);
	f = open_elsewhere(path_of("a.img"), "<>");
	ck_assert_ptr_nonnull(strstr(writers().other, "a.img"));
	ck_assert_int_eq(pclose(f), 0);
	detach(above);
	detach(ground);
}
