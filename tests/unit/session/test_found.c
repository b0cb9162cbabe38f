/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ends of a map are found again by what they are, under whatever name, and never guessed. */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/text.h"
#include "session/ends.h"

static struct disk disks[3];
static struct partition partition;
static struct disk_list list;
static struct endpoint recorded, other, found;
static struct error error;

static void disk(struct disk *to, const char *node, const char *serial)
{
	static uint64_t attached;

	*to = (struct disk){ .kind = DISK_NVME };
	text_copy(to->node, sizeof(to->node), node);
	text_copy(to->identity.model, sizeof(to->identity.model), "QEMU NVMe Ctrl");
	text_copy(to->identity.serial, sizeof(to->identity.serial), serial);
	to->identity.size = 1 << 30;
	to->identity.logical_sector_size = 512;
	to->identity.diskseq = ++attached;
	to->identity.devno = makedev(259, attached);
}

static void setup(void)
{
	list = (struct disk_list){ .disks = disks, .count = 2 };
	disk(&disks[0], "/dev/nvme0n1", "S1");
	disk(&disks[1], "/dev/nvme0n2", "S2");
	endpoint_from_disk(&disks[0], &other);
	endpoint_from_disk(&disks[1], &recorded);
	error = (struct error){ 0 };
}

static int find(void)
{
	found = (struct endpoint){ 0 };
	return ends_find(&list, &recorded, &other, true, &found, &error);
}

/* Detached and attached again, in another order. */
static void attach_again(void)
{
	struct identity first = disks[0].identity, second = disks[1].identity;

	disk(&disks[0], "/dev/nvme3n1", second.serial);
	disk(&disks[1], "/dev/nvme4n1", first.serial);
	disks[0].identity.nsid = second.nsid;
	disks[1].identity.nsid = first.nsid;
}

UNIT_CASE(.setup = setup);

TEST(under_another_name)
{
	attach_again();
	ck_assert_int_eq(find(), 0);
	ck_assert_str_eq(found.node, "/dev/nvme3n1");
}

TEST(not_when_it_is_gone)
{
	list.count = 1;
	ck_assert_int_eq(find(), -ENODEV);
	ck_assert_int_eq(error_exit_code(&error), EXIT_REFUSED);
	ck_assert_ptr_nonnull(strstr(error.sentence, "S2"));
}

/* A SCSI disk that comes back has its sg node first. */
TEST(not_before_it_has_its_block_node)
{
	attach_again();
	text_copy(disks[0].sg, sizeof(disks[0].sg), "/dev/sg3");
	text_copy(disks[0].node, sizeof(disks[0].node), "/dev/sg3");
	ck_assert_int_eq(find(), -EAGAIN);
	ck_assert_ptr_nonnull(strstr(error.sentence, "no block node"));
	text_copy(disks[0].node, sizeof(disks[0].node), "/dev/sdc");
	ck_assert_int_eq(find(), 0);
	/* If that is all it ever had, it is all there. */
	text_copy(disks[0].node, sizeof(disks[0].node), "/dev/sg3");
	endpoint_from_disk(&disks[0], &recorded);
	ck_assert_int_eq(find(), 0);
}

TEST(not_when_it_could_be_either)
{
	attach_again();
	disk(&disks[2], "/dev/nvme1n1", "S2");
	list.count = 3;
	ck_assert_int_eq(find(), -ENOTUNIQ);
	ck_assert_int_eq(error_exit_code(&error), EXIT_REFUSED);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/nvme1n1"));
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/nvme3n1"));
	ck_assert_ptr_nonnull(strstr(error.sentence, "Detach the wrong one"));
}

TEST(the_one_that_was_never_detached)
{
	disk(&disks[2], "/dev/nvme1n1", "S2");
	list.count = 3;
	ck_assert_int_eq(find(), 0);
	ck_assert_str_eq(found.node, "/dev/nvme0n2");
	/* Its number may be another disk's: the label has to fit as well. */
	disks[1].identity.size++;
	ck_assert_int_eq(find(), 0);
	ck_assert_str_eq(found.node, "/dev/nvme1n1");
}

/* Both in an enclosure that gives them its own number. */
TEST(ends_that_look_alike)
{
	disk(&disks[0], "/dev/nvme0n1", "S");
	disk(&disks[1], "/dev/nvme0n2", "S");
	endpoint_from_disk(&disks[0], &other);
	endpoint_from_disk(&disks[1], &recorded);
	ck_assert_int_eq(find(), 0);
	ck_assert_str_eq(found.node, "/dev/nvme0n2");
	/* It was away; the other was not, so it is no candidate. */
	disk(&disks[1], "/dev/nvme4n1", "S");
	ck_assert_int_eq(find(), 0);
	ck_assert_str_eq(found.node, "/dev/nvme4n1");
	list.count = 1;
	ck_assert_int_eq(find(), -ENODEV);
	/* Both were: nobody can say. */
	list.count = 2;
	disk(&disks[0], "/dev/nvme5n1", "S");
	ck_assert_int_eq(find(), -ENOTUNIQ);
	ck_assert_int_eq(error_exit_code(&error), EXIT_REFUSED);
	ck_assert_ptr_nonnull(strstr(error.sentence, "nothing tells the source"));
}

/* Its two partitions: what was away is the disk of both. */
TEST(ends_on_one_disk)
{
	other = recorded;
	ck_assert_int_eq(find(), 0);
	attach_again();
	ck_assert_int_eq(find(), 0);
	ck_assert_str_eq(found.node, "/dev/nvme3n1");
}

/* They have the controller's model and serial number, and may have neither EUI nor NGUID. */
TEST(name_spaces_of_one_controller)
{
	for (unsigned i = 0; i < 2; i++) {
		disk(&disks[i], i ? "/dev/nvme0n2" : "/dev/nvme0n1", "S");
		disks[i].identity.nsid = i + 1;
	}
	endpoint_from_disk(&disks[1], &recorded);
	attach_again();
	ck_assert_int_eq(find(), 0);
	ck_assert_str_eq(found.node, "/dev/nvme3n1");
	/* The one beside it is no stand-in. */
	disks[0] = disks[1];
	list.count = 1;
	ck_assert_int_eq(find(), -ENODEV);
	ck_assert_ptr_null(endpoint_disk(&list, &recorded));
}

/* Its name tells which one to activate; its number may be that of any volume. */
TEST(a_volume_that_is_missing_is_named)
{
	text_copy(recorded.node, sizeof(recorded.node), "/dev/dm-7");
	text_copy(recorded.disk_node, sizeof(recorded.disk_node), "/dev/dm-7");
	recorded.identity = (struct identity){ .model = "vg-home", .size = 4096 };
	ck_assert_int_eq(find(), -ENODEV);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/dm-7 (vg-home)"));
}

/* Its number changes with each start; what it was made from does not. */
TEST(a_volume_under_another_number)
{
	for (unsigned i = 0; i < 2; i++) {
		disk(&disks[i], i ? "/dev/dm-1" : "/dev/dm-0", "");
		disks[i].kind = DISK_DM;
		text_copy(disks[i].identity.volume, sizeof(disks[i].identity.volume),
			  i ? "LVM-B" : "LVM-A");
	}
	endpoint_from_disk(&disks[0], &recorded);
	endpoint_from_disk(&disks[1], &other);
	disk(&disks[1], "/dev/dm-4", "");
	disks[1].kind = DISK_DM;
	text_copy(disks[1].identity.volume, sizeof(disks[1].identity.volume), "LVM-A");
	/* The other one has its number now, with the same size and name. */
	disks[0].identity.diskseq += 10;
	text_copy(disks[0].identity.volume, sizeof(disks[0].identity.volume), "LVM-B");
	ck_assert_int_eq(find(), 0);
	ck_assert_str_eq(found.node, "/dev/dm-4");
	list.count = 1;
	ck_assert_int_eq(find(), -ENODEV);
	ck_assert_int_eq(error_exit_code(&error), EXIT_REFUSED);
	ck_assert_ptr_nonnull(strstr(error.sentence, "Activate or open it"));
}

TEST(a_partition_that_was_moved)
{
	partition = (struct partition){ .number = 2, .start = 2048, .sectors = 4096 };
	text_copy(partition.node, sizeof(partition.node), "/dev/nvme0n2p2");
	disks[1].partitions = &partition;
	disks[1].partition_count = 1;
	endpoint_from_partition(&disks[1], &partition, &recorded);
	ck_assert_int_eq(find(), 0);
	partition.start = 4096;
	ck_assert_int_eq(find(), -ESTALE);
	ck_assert_int_eq(error_exit_code(&error), EXIT_REFUSED);
}
