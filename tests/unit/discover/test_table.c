/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/table.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "discover/read_once.h"
#include "discover/regions.h"
#include "images.h"
#include "unit.h"

static const struct gpt_partition one[] = { { 2048, 4095, NULL } };

#define SECTORS 16384

/* Reads that touch this byte fail; 0: none. */
static off_t fails_at, also_at;
static unsigned failed_reads;

static bool is_in(off_t place, off_t offset, size_t count)
{
	return place && offset <= place && place < offset + (off_t)count;
}

ssize_t __wrap_pread64(int from, void *to, size_t count, off_t offset);
ssize_t __real_pread64(int from, void *to, size_t count, off_t offset);
ssize_t __wrap_pread64(int from, void *to, size_t count, off_t offset)
{
	if (is_in(fails_at, offset, count) || is_in(also_at, offset, count)) {
		failed_reads++;
		errno = EIO;
		return -1;
	}
	return __real_pread64(from, to, count, offset);
}

static struct image image;
static struct table table;
static int fd;

static void setup(void)
{
	image_new(&image, SECTORS, 512);
	fd = -1;
	fails_at = also_at = 0;
	failed_reads = 0;
}

static void teardown(void)
{
	table_done(&table);
	image_free(&image);
	fd_close(fd);
}

static int read_image(void)
{
	struct table_source source = { .size = image.sectors * image.sector_size,
				       .sector_size = image.sector_size };

	fd = image_fd(&image);
	source.fd = fd;
	return table_read(&source, &table);
}

/* Older kernels have no direct reads of files in memory. */
static bool has_direct(void)
{
	struct once once;
	bool found;

	fd = image_fd(&image);
	once_open(&once, fd);
	found = once.direct >= 0;
	once_close(&once);
	close(fd);
	return found;
}

static bool noted(const char *part)
{
	for (size_t i = 0; i < table.note_count; i++)
		if (strstr(table.notes[i].text, part))
			return true;
	return false;
}

static const struct table_area *area_at(uint64_t start)
{
	for (size_t i = 0; i < table.area_count; i++)
		if (table.areas[i].start == start)
			return &table.areas[i];
	return NULL;
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(empty_disk_has_nothing)
{
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "");
	ck_assert_str_eq(table.whole_fs, "");
	ck_assert_uint_eq(table.signature_count, 0);
	ck_assert_uint_eq(table.partition_count, 0);
	ck_assert_uint_eq(table.area_count, 0);
	ck_assert_uint_eq(table.note_count, 0);
}

TEST(whole_disk_with_signature)
{
	image_swap(&image, 0, SECTORS, "wholelabel");
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "");
	ck_assert_str_eq(table.whole_fs, "swap");
	ck_assert_str_eq(table.whole_label, "wholelabel");
	ck_assert_uint_eq(table.signature_count, 1);
	ck_assert_uint_eq(table.signatures[0], 4086);
}

static const uint16_t hostile_name[] = { 'a', 0x1b,   '[', '3',    '1',  'm', 0x202e,
					 'x', 0xd800, 'y', 0x200b, 0x07, 'z', 0 };

TEST(gpt_partitions_and_hostile_names)
{
	uint16_t longest[37];
	struct gpt_partition partitions[] = {
		{ 2048, 4095, hostile_name },
		{ 4096, 8191, longest },
	};

	for (int i = 0; i < 36; i++)
		longest[i] = 0x4e2d; /* three bytes each in UTF-8 */
	longest[36] = 0;
	image_gpt(&image, partitions, 2);
	image_swap(&image, 2048, 2048, "\x1b]0;x\x07\xff\xc3\xe2\x80\xae");
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "gpt");
	ck_assert_uint_eq(table.note_count, 0);
	ck_assert_uint_eq(table.partition_count, 2);

	const struct partition *p = &table.partitions[0];

	ck_assert_uint_eq(p->number, 1);
	ck_assert_uint_eq(p->start, 2048);
	ck_assert_uint_eq(p->sectors, 2048);
	ck_assert_str_eq(p->type_name, "Linux filesystem");
	ck_assert_str_eq(p->fs, "swap");
	for (const char *c = p->name; *c; c++)
		ck_assert((unsigned char)*c >= ' ');
	ck_assert_ptr_null(strstr(p->name, "\xe2\x80\xae"));
	ck_assert_int_eq(p->name[0], 'a');
	for (const char *c = p->label; *c; c++)
		ck_assert((unsigned char)*c >= ' ' && (unsigned char)*c < 0x7f);
	ck_assert_uint_eq(strlen(table.partitions[1].name), 36 * 3);
	ck_assert_ptr_nonnull(area_at(1));
	ck_assert_uint_eq(area_at(2)->sectors, 32);
	ck_assert_int_eq(area_at(SECTORS - 1)->kind, REGION_TABLE_BACKUP);
}

static void make_two_swaps(void)
{
	struct gpt_partition partitions[] = { { 2048, 4095, NULL }, { 4096, 8191, NULL } };

	image_gpt(&image, partitions, 2);
	image_swap(&image, 2048, 2048, "first");
	image_swap(&image, 4096, 4096, "second");
}

/* Each failed read may be the disk's last: wherever it is that the disk fails, it does so once.
 * What else is there is shown. */
TEST_ROWS(a_disk_that_fails_is_read_once, 4)
{
	static const struct {
		off_t fails_at;
		const char *labels[2];
	} rows[] = {
		{ (SECTORS - 1) * 512L, { "first", "second" } },
		{ 2048 * 512 + 70000, { "", "second" } },
		{ 4096 * 512 + 70000, { "first", "" } },
		{ SECTORS * 512L - 3087 * 512, { "first", "second" } },
	};
	make_two_swaps();
	if (!has_direct())
		return;
	fails_at = rows[_i].fails_at;
	ck_assert_int_eq(read_image(), 0);
	ck_assert_uint_eq(failed_reads, 1);
	ck_assert_str_eq(table.type, "gpt");
	ck_assert_uint_eq(table.partition_count, 2);
	ck_assert_str_eq(table.partitions[0].label, rows[_i].labels[0]);
	ck_assert_str_eq(table.partitions[1].label, rows[_i].labels[1]);
	ck_assert(noted("A read failed."));
}

/* After the second place nothing more is read. */
TEST(a_disk_that_fails_twice_is_left)
{
	make_two_swaps();
	if (!has_direct())
		return;
	fails_at = SECTORS * 512L - 3087 * 512;
	also_at = 2048 * 512 + 70000;
	ck_assert_int_eq(read_image(), 0);
	ck_assert_uint_eq(failed_reads, 2);
	ck_assert_str_eq(table.partitions[0].label, "");
	ck_assert_str_eq(table.partitions[1].label, "");
	ck_assert(noted("A read failed."));
}

/* A disk whose first sector fails is none of which anything can be said. */
TEST(an_unreadable_disk_is_read_once)
{
	fails_at = 1;
	ck_assert_int_eq(read_image(), -EIO);
	ck_assert_uint_eq(failed_reads, 1);
}

TEST(gpt_on_4096_byte_sectors)
{
	struct gpt_partition partitions[] = { { 256, 511, NULL } };

	image_free(&image);
	image_new(&image, 2048, 4096);
	image_gpt(&image, partitions, 1);
	image_swap(&image, 256, 256, "four");
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "gpt");
	ck_assert_uint_eq(table.partitions[0].start, 256);
	ck_assert_uint_eq(table.partitions[0].sectors, 256);
	ck_assert_str_eq(table.partitions[0].label, "four");
	ck_assert_uint_eq(area_at(2)->sectors, 4);
}

TEST(gpt_for_other_sector_size_is_told)
{
	struct gpt_partition partitions[] = { { 256, 511, NULL } };

	image_free(&image);
	image_new(&image, 2048, 4096);
	image_gpt(&image, partitions, 1);
	image.sectors *= 8;
	image.sector_size = 512;
	ck_assert_int_eq(read_image(), 0);
	ck_assert_uint_eq(table.partition_count, 0);
	ck_assert(noted("sectors of 4096 bytes"));
}

TEST(damaged_primary_gpt_shows_backup)
{
	image_gpt(&image, one, 1);
	image.bytes[512 + 80] ^= 0xff;
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "gpt");
	ck_assert_uint_eq(table.partition_count, 1);
	ck_assert(noted("its backup at the end is shown"));
	ck_assert(table.gpt_from_backup);
	ck_assert_uint_eq(area_at(2)->sectors, 32);
}

TEST(damaged_entries_are_told)
{
	image_gpt(&image, one, 1);
	image.bytes[1024 + 100] ^= 0xff;
	image.bytes[(SECTORS - 33) * 512 + 100] ^= 0xff;
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "gpt");
	ck_assert_uint_eq(table.partition_count, 0);
	ck_assert(noted("neither the copy at the start nor the one at the end"));
}

TEST(lost_backup_is_told)
{
	image_gpt(&image, one, 1);
	memset(image.bytes + (SECTORS - 1) * 512, 0, 512);
	ck_assert_int_eq(read_image(), 0);
	ck_assert(noted("missing or damaged"));
	ck_assert_uint_eq(table.partition_count, 1);
}

TEST(backup_that_differs_is_told)
{
	struct gpt_partition before = { 2048, 4095, NULL }, after = { 2048, 8191, NULL };
	static uint8_t front[34 * 512];

	image_gpt(&image, &after, 1);
	memcpy(front, image.bytes, sizeof(front));
	image_gpt(&image, &before, 1);
	memcpy(image.bytes, front, sizeof(front));
	ck_assert_int_eq(read_image(), 0);
	ck_assert_uint_eq(table.partitions[0].sectors, 6144);
	ck_assert_uint_eq(table.note_count, 1);
	ck_assert(noted("its backup at the end differ"));
}

TEST(partitions_that_are_not_shown_are_told)
{
	struct gpt_partition partitions[] = { { 2048, 4095, NULL },
					      { 1, 100, NULL },
					      { 4096, SECTORS, NULL } };

	image_gpt(&image, partitions, 3);
	ck_assert_int_eq(read_image(), 0);
	ck_assert_uint_eq(table.partition_count, 1);
	ck_assert_uint_eq(table.note_count, 2);
	ck_assert(noted("Partition 2 does not lie within LBA 34 to 16350"));
	ck_assert(noted("Partition 3 does not"));
}

TEST(hybrid_mbr_is_told)
{
	image_gpt(&image, one, 1);
	image_dos_entry(&image, 0, 1, 0x83, 2048, 2048);
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "gpt");
	ck_assert_uint_eq(table.note_count, 1);
	ck_assert(noted("a hybrid MBR"));
}

TEST(odd_entries_of_a_dos_table_are_told)
{
	image_dos_entry(&image, 0, 0, 0x83, 0, 1000);
	image_dos_entry(&image, 0, 1, 0x05, 2048, 1000);
	image_dos_entry(&image, 0, 2, 0x0f, 4096, 1000);
	image_dos_entry(&image, 2048, 0, 0x83, 63, 100);
	ck_assert_int_eq(read_image(), 0);
	ck_assert(noted("Partition 1 starts at LBA 0"));
	ck_assert(noted("There are 2 extended partitions"));
}

TEST(gpt_of_a_smaller_and_a_larger_disk)
{
	image_gpt(&image, one, 1);
	image.sectors = SECTORS / 2;
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "gpt");
	ck_assert(noted("for a larger disk"));
	table_done(&table);
	close(fd);

	struct image small = image;

	small.sectors = SECTORS;
	image_new(&image, SECTORS * 2, 512);
	memcpy(image.bytes, small.bytes, SECTORS * 512);
	image_free(&small);
	ck_assert_int_eq(read_image(), 0);
	ck_assert(noted("not at the end of the disk"));
	ck_assert_int_eq(area_at(SECTORS - 1)->kind, REGION_TABLE_BACKUP);
}

/* Sizes and places that would make a reader allocate or read far too much. */
TEST(gpt_header_with_absurd_numbers)
{
	image_gpt(&image, one, 1);
	memset(image.bytes + 512 + 72, 0xff, 16);
	memset(image.bytes + (SECTORS - 1) * 512 + 12, 0xff, 4);
	ck_assert_int_eq(read_image(), 0);
	ck_assert_uint_eq(table.partition_count, 0);
	ck_assert(noted("The GPT is damaged"));
}

TEST(announced_gpt_that_is_not_there)
{
	image_dos_entry(&image, 0, 0, 0xee, 1, SECTORS - 1);
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "dos");
	ck_assert(noted("announces a GPT"));
}

static void make_logical(void)
{
	image_dos_entry(&image, 0, 0, 0x0c, 64, 960);
	image_dos_entry(&image, 0, 1, 0x05, 1024, 8192);
	image_dos_entry(&image, 1024, 0, 0x83, 64, 960);
	image_dos_entry(&image, 1024, 1, 0x05, 2048, 2048);
	image_dos_entry(&image, 3072, 0, 0x82, 64, 1984);
	image_swap(&image, 3136, 1984, "logical");
}

TEST(a_BSD_disklabel_of_the_whole_disk)
{
	image_bsd(&image);
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "bsd");
	ck_assert_uint_eq(area_at(0)->sectors, 2);
	ck_assert_uint_eq(table.partition_count, 2);
	ck_assert_uint_eq(table.partitions[0].start, 16);
	ck_assert_str_eq(table.partitions[0].type_name, "4.2BSD");
	ck_assert_uint_eq(table.partitions[1].start, SECTORS / 2);
	ck_assert_uint_eq(table.partitions[1].sectors, SECTORS / 2);
}

TEST(dos_table_with_logical_partitions)
{
	make_logical();
	ck_assert_int_eq(read_image(), 0);
	ck_assert_str_eq(table.type, "dos");
	ck_assert_uint_eq(table.note_count, 0);
	ck_assert_uint_eq(table.partition_count, 4);
	ck_assert_str_eq(table.partitions[0].type, "0xc");
	ck_assert_str_eq(table.partitions[0].type_name, "W95 FAT32 (LBA)");
	ck_assert(table.partitions[1].extended);
	ck_assert_uint_eq(table.partitions[2].number, 5);
	ck_assert_uint_eq(table.partitions[2].start, 1088);
	ck_assert_uint_eq(table.partitions[3].number, 6);
	ck_assert_str_eq(table.partitions[3].label, "logical");
	ck_assert_ptr_nonnull(area_at(1024));
	ck_assert_ptr_nonnull(area_at(3072));
}

TEST(looping_chain_ends)
{
	make_logical();
	/* 3072 names 3072 + … again: first itself, then its predecessor's successor. */
	image_dos_entry(&image, 3072, 1, 0x05, 4096, 2048);
	image_dos_entry(&image, 5120, 0, 0x83, 64, 960);
	image_dos_entry(&image, 5120, 1, 0x05, 2048, 2048);
	ck_assert_int_eq(read_image(), 0);
	ck_assert(noted("loops back to LBA 3072"));
	ck_assert_uint_lt(table.partition_count, 100);
}

TEST(chain_beyond_the_end_and_into_nothing)
{
	make_logical();
	image_dos_entry(&image, 3072, 1, 0x05, 0xfffffff0, 2048);
	ck_assert_int_eq(read_image(), 0);
	ck_assert(noted("beyond the end of the disk"));
	table_done(&table);
	close(fd);
	image_dos_entry(&image, 3072, 1, 0x05, 6000, 2048);
	ck_assert_int_eq(read_image(), 0);
	ck_assert(noted("LBA 7024 holds no boot record"));
}

TEST(overlapping_and_too_long_partitions)
{
	image_dos_entry(&image, 0, 0, 0x83, 1000, 3000);
	image_dos_entry(&image, 0, 1, 0x83, 2000, 100);
	image_dos_entry(&image, 0, 2, 0x83, 3500, 0xfffffff0);
	ck_assert_int_eq(read_image(), 0);
	ck_assert_int_eq(regions_note_problems(&table, SECTORS), 0);
	ck_assert(noted("Partitions 1 and 2 overlap"));
	ck_assert(noted("Partitions 1 and 3 overlap"));
	ck_assert(noted("Partition 3 reaches beyond the end"));
}

TEST(known_partitions_are_not_read)
{
	struct range known = { 2048, 2048 };
	struct table_source source = {
		.size = SECTORS * 512, .sector_size = 512, .known = &known, .known_count = 1
	};

	image_gpt(&image, one, 1);
	image_swap(&image, 2048, 2048, "label");
	fd = image_fd(&image);
	source.fd = fd;
	ck_assert_int_eq(table_read(&source, &table), 0);
	ck_assert_str_eq(table.partitions[0].fs, "");
}

/* Each read of one would cost a dying disk seconds. */
TEST(bad_places_are_not_looked_at)
{
	struct range places[] = { { 1, 1 }, { 2060, 3 } };
	struct range_list bad = { .items = &places[1], .count = 1 };
	struct table_source source = { .size = SECTORS * 512, .sector_size = 512, .bad = &bad };
	char sectors[8 * 512];

	image_gpt(&image, one, 1);
	image_swap(&image, 2048, 2048, "label");
	fd = image_fd(&image);
	source.fd = fd;
	ck_assert_int_eq(table_read(&source, &table), 0);
	ck_assert_uint_eq(table.partition_count, 1);
	ck_assert_str_eq(table.partitions[0].fs, "");
	/* The kernel would read all of the page. */
	ck_assert_int_eq(table_read_sectors(&source, 2063, 1, sectors), -EIO);
	ck_assert_int_eq(table_read_sectors(&source, 2048, 8, sectors), 0);
	ck_assert_int_eq(table_read_sectors(&source, 2064, 8, sectors), 0);
	table_done(&table);
	/* Where the table itself would lie, there is no table to be known. */
	bad = (struct range_list){ .items = places, .count = 2 };
	ck_assert_int_eq(table_read(&source, &table), -EIO);
	table_done(&table);
	source.bad = NULL;
	ck_assert_int_eq(table_read(&source, &table), 0);
	ck_assert_str_eq(table.partitions[0].fs, "swap");
}

TEST(unreadable_disk_is_an_error)
{
	struct table_source source = { .fd = -1, .size = 1 << 20, .sector_size = 512 };

	ck_assert_int_eq(table_read(&source, &table), -EBADF);
}

TEST(sizes_that_make_no_sense)
{
	struct table_source source = { .fd = -1, .size = 100, .sector_size = 512 };

	ck_assert_int_eq(table_read(&source, &table), 0);
	source.size = 1 << 20;
	source.sector_size = 0;
	ck_assert_int_eq(table_read(&source, &table), 0);
	source.sector_size = 1000;
	ck_assert_int_eq(table_read(&source, &table), 0);
}

TEST(notes_are_limited)
{
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(table_add_note(&table, "note %d", i), 0);
	ck_assert_uint_eq(table.note_count, 16);
}
