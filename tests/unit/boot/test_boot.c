/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is found to start from, on disks made byte by byte, sound and hostile. */
#include "unit.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "boot/boot.h"

static struct boot_look found;

#define SECTOR  512
#define SECTORS 1024
#define ESP     128       /* its first sector */
#define DATA    (ESP + 4) /* of cluster 2: boot sector, one of the table, two of the root folder */

static uint8_t disk[SECTORS][SECTOR];
static struct partition partitions[2];
static uint64_t lost_at, lost_to;

static void put16(uint8_t *p, unsigned n)
{
	p[0] = (uint8_t)n;
	p[1] = (uint8_t)(n >> 8);
}

static void set_next(unsigned cluster, unsigned next)
{
	uint8_t *p = &disk[ESP + 1][cluster * 3 / 2];

	if (cluster % 2)
		put16(p, (p[0] & 0x0f) | next << 4);
	else
		put16(p, (unsigned)(p[1] & 0xf0) << 8 | next);
}

static void put_entry(uint8_t *to, const char *name, unsigned attributes, unsigned first,
		      unsigned size)
{
	memcpy(to, name, 11);
	to[11] = (uint8_t)attributes;
	put16(to + 26, first);
	put16(to + 28, size);
}

/* FAT12 with \EFI\BOOT\BOOTX64.EFI, of two clusters that do not lie side by side. */
static void make_esp(void)
{
	uint8_t *first = disk[ESP];

	put16(first + 11, SECTOR);
	first[13] = 1;
	put16(first + 14, 1);
	first[16] = 1;
	put16(first + 17, 32);
	put16(first + 19, 200);
	put16(first + 22, 1);
	put16(first + 510, 0xaa55);
	put_entry(disk[ESP + 2], "EFI        ", 0x10, 2, 0);
	put_entry(disk[DATA], "BOOT       ", 0x10, 3, 0);
	put_entry(disk[DATA + 1], "BOOTX64 EFI", 0, 4, 600);
	set_next(2, 0xfff);
	set_next(3, 0xfff);
	set_next(4, 9);
	set_next(9, 0xfff);
}

static void make_disk(void)
{
	memset(disk, 0, sizeof(disk));
	memset(partitions, 0, sizeof(partitions));
	lost_at = lost_to = 0;
	partitions[0] = (struct partition){ .number = 1,
					    .start = ESP,
					    .sectors = 200,
					    .type = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b" };
	partitions[1] =
		(struct partition){ .number = 2, .start = 400, .sectors = 100, .type = "0x7" };
	make_esp();
}

static bool is_lost(void *user, uint64_t start, uint64_t length)
{
	return start < lost_to && lost_at < start + length;
}

static struct boot_look look(void)
{
	int fd = memfd_create("disk", MFD_CLOEXEC);
	const struct boot_source source = { .fd = fd,
					    .size = sizeof(disk),
					    .sector_size = SECTOR,
					    .partitions = partitions,
					    .count = 2,
					    .lost = is_lost };

	ck_assert_int_eq(write(fd, disk, sizeof(disk)), sizeof(disk));
	boot_look(&source, &found);
	close(fd);
	ck_assert(found.read);
	return found;
}

static void lose(unsigned sector)
{
	lost_at = sector * SECTOR;
	lost_to = lost_at + SECTOR;
}

UNIT_CASE(.setup = make_disk);

TEST(finds_the_loader)
{
	const struct boot_item *loader;

	found = look();
	loader = boot_find(&found, BOOT_LOADER);
	ck_assert_ptr_nonnull(loader);
	ck_assert_str_eq(loader->text, "\\EFI\\BOOT\\BOOTX64.EFI");
	ck_assert_uint_eq(loader->partition, 1);
	ck_assert(boot_is_fallback(loader->text));
	ck_assert(!loader->lost);
	ck_assert_ptr_null(boot_best_loader(&found));
	ck_assert_ptr_null(boot_find(&found, BOOT_CODE));
}

TEST(sees_what_is_lost_of_it)
{
	lose(DATA + 7); /* cluster 9, its second one */
	found = look();
	ck_assert(boot_find(&found, BOOT_LOADER)->lost);
	ck_assert(!boot_find(&found, BOOT_ESP)->lost);
	lose(ESP + 1);
	found = look();
	ck_assert(boot_find(&found, BOOT_ESP)->lost);
	lose(DATA + 6);
	found = look();
	ck_assert(!boot_find(&found, BOOT_LOADER)->lost);
}

TEST(long_names_are_put_together)
{
	static const char name[] = "loader-ü.efi";
	uint8_t *part = disk[DATA + 1] + 32, sum = 0;

	memset(part, 0xff, 32);
	part[0] = 0x41;
	part[11] = 0x0f;
	for (unsigned i = 0; i < 13; i++) {
		static const uint8_t places[] = { 1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30 };
		static const uint16_t letters[] = { 'l',  'o', 'a', 'd', 'e', 'r', '-',
						    0xfc, '.', 'e', 'f', 'i', 0 };

		put16(part + places[i], letters[i]);
	}
	put_entry(part + 32, "LOADER~1EFI", 0, 9, 512);
	for (unsigned i = 0; i < 11; i++)
		sum = (uint8_t)((sum << 7 | sum >> 1) + part[32 + i]);
	part[13] = sum;
	found = look();
	ck_assert_uint_eq(found.count, 3);
	ck_assert_str_eq(found.items[2].text + 10, name);
	part[13]++; /* of another short name */
	found = look();
	ck_assert_str_eq(found.items[2].text + 10, "LOADER~1.EFI");
}

TEST(folders_in_a_circle_end)
{
	put_entry(disk[DATA + 1] + 32, "AGAIN      ", 0x10, 2, 0);
	set_next(2, 2); /* and a chain that never ends */
	found = look();
	ck_assert_uint_le(found.count, BOOT_ITEMS_MAX);
}

TEST(a_file_longer_than_its_chain_is_lost)
{
	put16(disk[DATA + 1] + 28, 60000);
	found = look();
	ck_assert(boot_find(&found, BOOT_LOADER)->lost);
	set_next(9, 4); /* a circle */
	put16(disk[DATA + 1] + 30, 0xffff);
	found = look();
	ck_assert(boot_find(&found, BOOT_LOADER)->lost);
}

TEST(no_fat_is_none)
{
	/* Offset and value of what makes it one. */
	static const unsigned broken[][2] = { { 11, 0 },   { 11, 600 }, { 14, 0 },     { 22, 0 },
					      { 19, 300 }, { 19, 3 },   { 510, 0 },    { 17, 0 },
					      { 16, 0 },   { 13, 3 },   { 19, 0xffff } };

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		make_disk();
		put16(disk[ESP] + broken[i][0], broken[i][1]);
		found = look();
		ck_assert_msg(!boot_find(&found, BOOT_ESP), "%zu", i);
	}
}

static void make_grub(unsigned piece)
{
	memcpy(disk[0] + 0x188, "GRUB ", 5);
	put16(disk[0] + 510, 0xaa55);
	put16(disk[0] + 0x5c, 10);
	put16(disk[10] + 0x1f4, piece);
	put16(disk[10] + 0x1f4 + 8, 20);
}

TEST(grub_and_its_core)
{
	char line[BOOT_LINE_MAX];

	make_grub(11);
	found = look();
	ck_assert_str_eq(boot_find(&found, BOOT_CODE)->text, "GRUB");
	ck_assert_uint_eq(boot_find(&found, BOOT_GRUB_CORE)->partition, 0);
	ck_assert(boot_line(&found, 0, line));
	ck_assert_str_eq(line, "BIOS: GRUB, its core before the first partition");
	ck_assert(boot_line(&found, 1, line));
	ck_assert_ptr_nonnull(strstr(line, "\\EFI\\BOOT\\BOOTX64.EFI"));
	ck_assert(!boot_line(&found, 2, line));
	lose(30);
	found = look();
	ck_assert(boot_find(&found, BOOT_GRUB_CORE)->lost);
	ck_assert(boot_line(&found, 2, line));
	make_grub(0xfff0); /* beyond the end */
	lost_to = 0;
	found = look();
	ck_assert(boot_find(&found, BOOT_GRUB_CORE)->lost);
	memset(disk[0] + 0x5c, 0xff, 8);
	found = look();
	ck_assert_ptr_null(boot_find(&found, BOOT_GRUB_CORE));
}

TEST(an_active_partition_of_windows)
{
	disk[0][0] = 0x33;
	put16(disk[0] + 510, 0xaa55);
	disk[0][446] = 0x80;
	put16(disk[0] + 446 + 8, 400);
	found = look();
	ck_assert_ptr_null(boot_find(&found, BOOT_ACTIVE));
	disk[400][100] = 0xeb;
	put16(disk[400] + 510, 0xaa55);
	memcpy(disk[401], "BOOTMGR", 7);
	found = look();
	ck_assert_str_eq(boot_find(&found, BOOT_ACTIVE)->text, "Windows");
	ck_assert_uint_eq(boot_find(&found, BOOT_ACTIVE)->partition, 2);
}
