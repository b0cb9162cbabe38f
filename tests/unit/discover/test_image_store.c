/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/image_store.h"
#include "folder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "images.h"
#include "unit.h"

#define BYTES (8U << 20)

static const struct disk_list no_disks;
static const uint16_t name[] = { 'r', 'o', 'o', 't', 0 };
static struct image image;
static struct image_store *images;
static struct endpoint endpoint;

static void setup(void)
{
	folder_make();
	ck_assert_int_eq(chdir(folder), 0);
	images = image_store_new();
	ck_assert_ptr_nonnull(images);
}

static void teardown(void)
{
	image_store_destroy(images);
	image_free(&image);
	ck_assert_int_eq(chdir("/"), 0);
	folder_remove();
}

/* A GPT with partitions 1 and 2, the first a swap space. */
static void make_gpt(uint32_t sector_size)
{
	uint64_t first = (1U << 20) / sector_size;
	const struct gpt_partition partitions[] = {
		{ first, 2 * first - 1, name },
		{ 2 * first, 4 * first - 1, name },
	};

	image_new(&image, BYTES / sector_size, sector_size);
	image_gpt(&image, partitions, 2);
	image_swap(&image, first, first, "swap");
}

/* The image as it is written, as source; as its table says. */
static const struct disk *look(void)
{
	image_write_file(&image, "a.img");
	ck_assert_int_eq(endpoint_resolve(&no_disks, "a.img", false, &endpoint, NULL), 0);
	return image_store_read(images, &endpoint);
}

static void check_gpt(const struct disk *disk, uint32_t sector_size)
{
	ck_assert_ptr_nonnull(disk);
	ck_assert_str_eq(disk->table, "gpt");
	ck_assert_uint_eq(disk->identity.size, BYTES);
	ck_assert_uint_eq(disk->identity.logical_sector_size, sector_size);
	ck_assert_uint_eq(disk->partition_count, 2);
	ck_assert_uint_eq(disk->partitions[0].start * sector_size, 1U << 20);
	ck_assert_str_eq(disk->partitions[0].fs, "swap");
	ck_assert_uint_eq(disk->region_count, 6);
	ck_assert_int_eq(disk->regions[5].kind, REGION_TABLE_BACKUP);
	ck_assert_uint_eq(disk->note_count, 0);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST_ROWS(gpt_tells_the_size_of_sectors, 2)
{
	uint32_t sector_size = _i ? 4096 : 512;

	make_gpt(sector_size);
	check_gpt(look(), sector_size);
	ck_assert_uint_eq(endpoint.logical_sector_size, sector_size);
	ck_assert_str_eq(look()->name, "a.img");
}

/* Then only the backup is sound. */
TEST_ROWS(damaged_gpt_tells_it_too, 2)
{
	uint32_t sector_size = _i ? 4096 : 512;

	make_gpt(sector_size);
	memset(image.bytes + sector_size, 0, 92);
	look();
	ck_assert_uint_eq(endpoint.logical_sector_size, sector_size);
}

/* A table for small sectors that lies where one for large ones would begin, and the other way
 * round: what is sound counts. */
TEST(remains_of_another_table_do_not_count)
{
	make_gpt(4096);
	memcpy(image.bytes + 512, "EFI PART", 8);
	check_gpt(look(), 4096);
	image_free(&image);
	make_gpt(512);
	memcpy(image.bytes + 4096, "EFI PART", 8);
	look();
	ck_assert_uint_eq(endpoint.logical_sector_size, 512);
}

/* An MS-DOS table does not say it; what is found by it does. */
TEST_ROWS(dos_table_is_tried, 2)
{
	uint32_t sector_size = _i ? 4096 : 512;

	image_new(&image, BYTES / sector_size, sector_size);
	image_dos_entry(&image, 0, 0, 0x82, 256, 256);
	image_swap(&image, 256, 256, "swap");
	ck_assert_uint_eq(look()->identity.logical_sector_size, sector_size);
	ck_assert_str_eq(look()->partitions[0].fs, "swap");
}

TEST(without_a_table)
{
	const struct disk *disk;

	image_new(&image, BYTES / 512, 512);
	disk = look();
	ck_assert_str_eq(disk->table, "");
	ck_assert_uint_eq(disk->signature_count, 0);
	ck_assert_uint_eq(disk->identity.logical_sector_size, 512);
	ck_assert_uint_eq(disk->region_count, 1);
	ck_assert_int_eq(disk->regions[0].kind, REGION_WHOLE);
	image_swap(&image, 0, BYTES / 512, "swap");
	disk = look();
	ck_assert_str_eq(disk->whole_fs, "swap");
	ck_assert_uint_eq(disk->signature_count, 1);
	ck_assert_uint_eq(disk->signatures[0], 4086);
}

TEST(asked_for_another_size)
{
	make_gpt(512);
	look();
	endpoint.logical_sector_size = 4096;
	ck_assert_uint_eq(image_store_read(images, &endpoint)->identity.logical_sector_size, 4096);
	/* Any, as a destination has it: then the table says it. */
	endpoint.logical_sector_size = 0;
	check_gpt(image_store_read(images, &endpoint), 512);
}

TEST(read_once_until_it_changes)
{
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	const struct disk *first, *second;

	make_gpt(512);
	image_write_file(&image, "a.img");
	ck_assert_int_eq(endpoint_resolve(&no_disks, "a.img", false, &endpoint, NULL), 0);
	ck_assert_ptr_null(image_store_known(images, &endpoint));
	first = image_store_read(images, &endpoint);
	check_gpt(first, 512);
	ck_assert_ptr_eq(image_store_read(images, &endpoint), first);
	ck_assert_ptr_eq(image_store_known(images, &endpoint), first);

	int fd = open("a.img", O_WRONLY);

	ck_assert_int_eq(pwrite(fd, (char[512]){ 0 }, 512, 0), 512);
	ck_assert_int_eq(futimens(fd, times), 0);
	close(fd);
	/* Only asked for, it is as it was seen last. */
	ck_assert_ptr_eq(image_store_known(images, &endpoint), first);
	second = image_store_read(images, &endpoint);
	ck_assert_ptr_ne(second, first);
	ck_assert_str_eq(second->table, "");
	/* Whoever borrowed the first still has it. */
	check_gpt(first, 512);
	ck_assert_ptr_eq(image_store_known(images, &endpoint), second);
}

TEST(no_image)
{
	struct endpoint disk = { .kind = ENDPOINT_DISK, .node = "/dev/null", .exists = true };

	make_gpt(512);
	look();
	ck_assert_ptr_null(image_store_read(images, &disk));
	endpoint.exists = false;
	ck_assert_ptr_null(image_store_read(images, &endpoint));
	endpoint.exists = true;
	strcpy(endpoint.node, folder);
	ck_assert_ptr_null(image_store_read(images, &endpoint));
	strcpy(endpoint.node, "/nonexistent/a.img");
	ck_assert_ptr_null(image_store_read(images, &endpoint));
	/* Too short for a table */
	ck_assert_int_eq(truncate("a.img", 100), 0);
	ck_assert_int_eq(endpoint_resolve(&no_disks, "a.img", false, &endpoint, NULL), 0);
	ck_assert_uint_eq(endpoint.logical_sector_size, 512);
	ck_assert_str_eq(image_store_read(images, &endpoint)->table, "");
	ck_assert_int_eq(truncate("a.img", 0), 0);
	ck_assert_uint_eq(image_store_read(images, &endpoint)->region_count, 0);
}
