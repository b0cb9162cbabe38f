/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/disk.h"

#include <string.h>

#include "base/text.h"
#include "discover/attr.h"
#include "discover/disk.h"
#include "discover/regions.h"
#include "discover/usage.h"
#include "unit.h"

TEST(identity_by_what_is_written_on_the_disk)
{
	struct identity a = { .model = "M",
			      .serial = "S",
			      .wwn = "0x5",
			      .size = 1000,
			      .logical_sector_size = 512,
			      .diskseq = 1,
			      .devno = 2048 };
	struct identity b = a;

	/* Plugged in again it has another number and name, and is the same disk. */
	b.diskseq = 7;
	b.devno = 2064;
	ck_assert(identity_same(&a, &b));
	strcpy(b.serial, "T");
	ck_assert(!identity_same(&a, &b));
	strcpy(b.serial, "");
	ck_assert(identity_same(&a, &b));
	strcpy(b.wwn, "0x6");
	ck_assert(!identity_same(&a, &b));
	b = a;
	b.size = 1001;
	ck_assert(!identity_same(&a, &b));
	b = a;
	b.logical_sector_size = 4096;
	ck_assert(!identity_same(&a, &b));
	b = a;
	strcpy(b.model, "N");
	ck_assert(!identity_same(&a, &b));
	/* Name spaces of one NVMe controller have its serial number, and may have nothing else. */
	b = a;
	a.nsid = 1;
	ck_assert(identity_same(&a, &b));
	b.nsid = 2;
	ck_assert(!identity_same(&a, &b));
}

TEST(identity_without_serial)
{
	struct identity a = { .size = 1000, .diskseq = 3, .devno = 1 }, b = a;

	ck_assert(identity_same(&a, &b));
	b.devno = 9;
	ck_assert(identity_same(&a, &b));
	b.diskseq = 4;
	ck_assert(!identity_same(&a, &b));
	a.diskseq = 0;
	b.devno = 1;
	ck_assert(identity_same(&a, &b));
	b.devno = 2;
	ck_assert(!identity_same(&a, &b));
	a = b = (struct identity){ 0 };
	ck_assert(!identity_same(&a, &b));
}

TEST(identity_of_a_volume)
{
	struct identity a = { .volume = "LVM-A", .size = 1000, .diskseq = 3, .devno = 1 }, b = a;

	b.diskseq = 7;
	b.devno = 2;
	ck_assert(identity_same(&a, &b));
	b = a;
	strcpy(b.volume, "LVM-B");
	ck_assert(!identity_same(&a, &b));
}

TEST(identity_of_files)
{
	struct identity a = { .devno = 1, .inode = 5, .size = 10 }, b = a;

	b.size = 20;
	ck_assert(identity_same(&a, &b));
	b.inode = 6;
	ck_assert(!identity_same(&a, &b));
	b.inode = 0;
	ck_assert(!identity_same(&a, &b));
}

TEST(letters_of_uses)
{
	struct use_list list = { 0 };
	char buffer[16];

	ck_assert_str_eq(use_letters(&list, NO, buffer), "-");
	ck_assert_str_eq(use_letters(&list, YES, buffer), "ro");
	for (int kind = USE_EXCLUSIVE; kind >= 0; kind--)
		ck_assert_int_eq(use_list_add(&list, kind, "what", "/dev/sda"), 0);
	ck_assert_int_eq(use_list_add(&list, USE_MOUNT, "other", "/dev/sda"), 0);
	ck_assert_str_eq(use_letters(&list, NO, buffer), "BMSLRHFO");
	ck_assert_str_eq(use_letters(&list, YES, buffer), "BMSLRHFO ro");
	use_list_done(&list);
	ck_assert_uint_eq(list.count, 0);
}

TEST(uses_are_listed_once_and_clean)
{
	struct use_list list = { 0 };

	use_list_add(&list, USE_MOUNT, "/mnt/\x1b[2J", "/dev/sda1");
	use_list_add(&list, USE_MOUNT, "/mnt/\x1b[2J", "/dev/sda1");
	use_list_add(&list, USE_MOUNT, "/mnt/\x1b[2J", "/dev/sda2");
	ck_assert_uint_eq(list.count, 2);
	ck_assert_str_eq(list.items[0].what, "/mnt/?[2J");
	use_list_done(&list);
}

TEST(types_have_names)
{
	char upper[] = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B";

	type_tidy(upper);
	ck_assert_str_eq(type_name("gpt", upper), "EFI System");
	ck_assert_str_eq(type_name("dos", "0x83"), "Linux");
	ck_assert_str_eq(type_name("dos", "0x99"), "");
	/* The same number means something else in another table. */
	ck_assert_str_eq(type_name("sgi", "0x3"), "SGI raw");
	ck_assert_str_eq(type_name("sun", "0x5"), "Whole disk");
	ck_assert_str_eq(type_name("bsd", "0x7"), "4.2BSD");
	ck_assert_str_eq(type_name("mac", "apple_unix_svr2"), "apple_unix_svr2");
	ck_assert_str_eq(type_name("", ""), "");
	ck_assert(type_is_extended("0x5") && type_is_extended("0xf"));
	ck_assert(!type_is_extended("0x83"));
}

TEST(encoded_properties)
{
	char to[64];

	ck_assert_str_eq(attr_decode(to, sizeof(to), "my\\x20boot"), "my boot");
	ck_assert_str_eq(attr_decode(to, sizeof(to), "a\\x1bb\\x"), "a?b\\x");
	ck_assert_str_eq(attr_decode(to, sizeof(to), "\\xc3\\xa9"), "\xc3\xa9");
	ck_assert_str_eq(attr_decode(to, 4, "abcdefgh"), "abc");
}

static struct disk disk;

static void check_region(size_t i, enum region_kind kind, uint64_t start, uint64_t sectors)
{
	ck_assert_uint_lt(i, disk.region_count);
	ck_assert_int_eq(disk.regions[i].kind, kind);
	ck_assert_uint_eq(disk.regions[i].start, start);
	ck_assert_uint_eq(disk.regions[i].sectors, sectors);
}

static void make(uint64_t sectors, const struct partition *partitions, size_t count,
		 const struct table_area *areas, size_t area_count)
{
	disk = (struct disk){ .identity = { .size = sectors * 512, .logical_sector_size = 512 } };
	disk.partitions = (struct partition *)partitions;
	disk.partition_count = count;
	ck_assert_int_eq(regions_make(&disk, areas, area_count), 0);
}

TEST(regions_cover_the_disk)
{
	struct partition partitions[] = {
		{ .number = 1, .start = 2048, .sectors = 1000 },
		{ .number = 2, .start = 3048, .sectors = 952 },
	};
	struct table_area areas[] = { { REGION_TABLE, 0, 1 },
				      { REGION_TABLE_BACKUP, 9999, 1 },
				      { REGION_TABLE, 1, 1 },
				      { REGION_TABLE, 2, 32 },
				      { REGION_TABLE_BACKUP, 9967, 32 } };

	make(10000, partitions, 2, areas, 5);
	ck_assert_uint_eq(disk.region_count, 6);
	check_region(0, REGION_TABLE, 0, 34);
	check_region(1, REGION_GAP, 34, 2014);
	check_region(2, REGION_PARTITION, 2048, 1000);
	ck_assert_int_eq(disk.regions[2].partition, 0);
	check_region(3, REGION_PARTITION, 3048, 952);
	check_region(4, REGION_GAP, 4000, 5967);
	check_region(5, REGION_TABLE_BACKUP, 9967, 33);
	free(disk.regions);
}

TEST(regions_of_odd_tables)
{
	struct partition partitions[] = {
		{ .number = 1, .start = 100, .sectors = 500 },
		{
			.number = 2,
			.start = 200,
			.sectors = 100,
		},
		{ .number = 4, .start = 300, .sectors = 9000, .extended = true },
		{ .number = 3, .start = 900, .sectors = UINT64_MAX },
		{ .number = 5, .start = 5000, .sectors = 10 },
	};
	struct table_area areas[] = { { REGION_TABLE, 0, 1 }, { REGION_TABLE, 2000, 1 } };

	make(1000, partitions, 5, areas, 2);
	check_region(0, REGION_TABLE, 0, 1);
	check_region(1, REGION_GAP, 1, 99);
	check_region(2, REGION_PARTITION, 100, 500);
	check_region(3, REGION_PARTITION, 200, 100);
	check_region(4, REGION_GAP, 600, 300);
	check_region(5, REGION_PARTITION, 900, 100);
	ck_assert_uint_eq(disk.region_count, 6);
	free(disk.regions);
}

TEST(regions_without_a_table)
{
	make(1000, NULL, 0, NULL, 0);
	ck_assert_uint_eq(disk.region_count, 1);
	check_region(0, REGION_WHOLE, 0, 1000);
	free(disk.regions);
	make(0, NULL, 0, NULL, 0);
	ck_assert_uint_eq(disk.region_count, 0);
}

TEST(finding_and_releasing)
{
	struct disk two[2] = { { .node = "/dev/sda" }, { .node = "/dev/sdb" } };
	struct disk_list list = { .disks = two, .count = 2 };

	ck_assert_ptr_eq(disk_list_find(&list, "/dev/sdb"), &two[1]);
	ck_assert_ptr_null(disk_list_find(&list, "/dev/sdc"));
	two[0].identity.size = 8192;
	ck_assert_uint_eq(disk_sectors(&two[0]), 16);
	two[0].identity.logical_sector_size = 4096;
	ck_assert_uint_eq(disk_sectors(&two[0]), 2);
	disk_list_destroy(NULL);
}

TEST(which_disks_take_ata_commands)
{
	struct disk seen = { .kind = DISK_SCSI, .sg = "/dev/sg3", .removable = NO };

	text_copy(seen.transport, sizeof(seen.transport), "sata");
	ck_assert_str_eq(disk_ata_node(&seen), "/dev/sg3");
	text_copy(seen.transport, sizeof(seen.transport), "usb");
	ck_assert_str_eq(disk_ata_node(&seen), "/dev/sg3");
	seen.removable = YES;
	ck_assert_str_eq(disk_ata_node(&seen), "");
	seen.removable = NO;
	text_copy(seen.transport, sizeof(seen.transport), "sas");
	ck_assert_str_eq(disk_ata_node(&seen), "");
	text_copy(seen.transport, sizeof(seen.transport), "sata");
	seen.silent = true;
	ck_assert_str_eq(disk_ata_node(&seen), "");
	seen.silent = false;
	seen.kind = DISK_OTHER;
	ck_assert_str_eq(disk_ata_node(&seen), "");
}
