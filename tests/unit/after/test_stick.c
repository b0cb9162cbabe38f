/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which sticks a report can be saved on. */
#include "unit.h"

#include <string.h>

#include "after/report_stick.h"

static struct partition partitions[] = {
	{ .number = 1, .node = "/dev/sdc1", .fs = "vfat", .label = "BACKUP", .sectors = 2048 },
	{ .number = 2, .node = "/dev/sdc2", .fs = "ntfs" },
	{ .number = 3, .fs = "ext4" },
	{ .number = 4, .node = "/dev/sdc4", .fs = "exfat" },
};
static struct disk disks[4];
static struct disk_list list = { .disks = disks, .count = 4 };
static struct plan plan;
static struct stick sticks[STICKS_MAX];

static void name(struct disk *disk, const char *node, const char *serial)
{
	*disk = (struct disk){ .transport = "usb",
			       .whole_fs = "ext4",
			       .identity.logical_sector_size = 512,
			       .identity.size = 1 << 20 };
	strcpy(disk->node, node);
	strcpy(disk->identity.serial, serial);
}

static void begin(void)
{
	plan = (struct plan){ 0 };
	name(&disks[0], "/dev/sda", "A");
	name(&disks[1], "/dev/sdb", "B");
	name(&disks[2], "/dev/sdc", "C");
	name(&disks[3], "/dev/sdd", "D");
	disks[2].partitions = partitions;
	disks[2].partition_count = 4;
	strcpy(plan.source.disk_node, "/dev/sda");
	plan.source.identity = disks[0].identity;
	/* It has another name by now. */
	strcpy(plan.destinations[0].disk_node, "/dev/sdx");
	plan.destinations[0].identity = disks[1].identity;
}

static size_t count(void)
{
	return stick_list(&list, &plan, false, sticks);
}

UNIT_CASE(.setup = begin);

TEST(what_can_be_mounted_and_is_not_of_the_plan)
{
	ck_assert_uint_eq(count(), 3);
	ck_assert_str_eq(sticks[0].node, "/dev/sdc1");
	ck_assert_str_eq(sticks[0].label, "BACKUP");
	ck_assert_uint_eq(sticks[0].size, 1 << 20);
	ck_assert_str_eq(sticks[1].node, "/dev/sdc4");
	ck_assert_str_eq(sticks[2].node, "/dev/sdd");
	ck_assert_uint_eq(stick_list(NULL, &plan, false, sticks), 0);
}

TEST(no_disk_that_is_used)
{
	static struct use use = { .kind = USE_MOUNT };

	disks[2].in_use = (struct use_list){ &use, 1 };
	strcpy(disks[3].read_by, "clonedeck, process 7");
	ck_assert_uint_eq(count(), 0);
}

TEST(no_disk_that_is_write_protected)
{
	disks[3].read_only = YES;
	ck_assert_uint_eq(count(), 2);
}

TEST(no_disk_that_is_built_in)
{
	strcpy(disks[2].transport, "sata");
	strcpy(disks[3].transport, "sata");
	disks[3].removable = YES;
	ck_assert_uint_eq(count(), 1);
	ck_assert_str_eq(sticks[0].node, "/dev/sdd");
	ck_assert_uint_eq(stick_list(&list, &plan, true, sticks), 3);
}

TEST(no_more_than_are_offered)
{
	struct partition many[STICKS_MAX + 3];

	for (int i = 0; i < STICKS_MAX + 3; i++)
		many[i] = partitions[0];
	disks[2].partitions = many;
	disks[2].partition_count = STICKS_MAX + 3;
	ck_assert_uint_eq(count(), STICKS_MAX);
}
