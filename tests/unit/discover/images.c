/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "images.h"

#include <assert.h>
#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ENTRIES    128
#define ENTRY_SIZE 128

void image_new(struct image *image, uint64_t sectors, uint32_t sector_size)
{
	image->sectors = sectors;
	image->sector_size = sector_size;
	image->bytes = calloc(sectors, sector_size);
	assert(image->bytes);
}

void image_free(struct image *image)
{
	free(image->bytes);
	image->bytes = NULL;
}

static void write_all(const struct image *image, int fd)
{
	uint64_t length = image->sectors * image->sector_size, done = 0;

	while (done < length) {
		ssize_t n = write(fd, image->bytes + done, length - done);

		assert(n > 0);
		done += (uint64_t)n;
	}
}

int image_fd(const struct image *image)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	assert(fd >= 0);
	write_all(image, fd);
	return fd;
}

void image_write_file(const struct image *image, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert(fd >= 0);
	write_all(image, fd);
	close(fd);
}

static uint32_t crc32(const void *data, size_t length)
{
	const uint8_t *bytes = data;
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < length; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return ~crc;
}

static uint8_t *sector(struct image *image, uint64_t lba)
{
	assert(lba < image->sectors);
	return image->bytes + lba * image->sector_size;
}

static void put32(uint8_t *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, 4);
}

static void put64(uint8_t *at, uint64_t value)
{
	value = htole64(value);
	memcpy(at, &value, 8);
}

/* Linux filesystem data, as stored. */
static const uint8_t linux_type[16] = { 0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84, 0x72, 0x47,
					0x8e, 0x79, 0x3d, 0x69, 0xd8, 0x47, 0x7d, 0xe4 };

static void put_entries(uint8_t *entries, const struct gpt_partition *partitions, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t *entry = entries + i * ENTRY_SIZE;

		memcpy(entry, linux_type, 16);
		memset(entry + 16, (int)i + 1, 16);
		put64(entry + 32, partitions[i].first);
		put64(entry + 40, partitions[i].last);
		for (int c = 0; partitions[i].name && c < 36 && partitions[i].name[c]; c++) {
			uint16_t unit = htole16(partitions[i].name[c]);

			memcpy(entry + 56 + 2 * c, &unit, 2);
		}
	}
}

static void put_header(struct image *image, uint64_t lba, uint64_t other, uint64_t entries,
		       uint32_t entries_crc)
{
	uint64_t table = (ENTRIES * ENTRY_SIZE + image->sector_size - 1) / image->sector_size;
	uint8_t *header = sector(image, lba);

	memcpy(header, "EFI PART", 8);
	put32(header + 8, 0x00010000);
	put32(header + 12, 92);
	put64(header + 24, lba);
	put64(header + 32, other);
	put64(header + 40, 2 + table);
	put64(header + 48, image->sectors - 2 - table);
	memset(header + 56, 0xd1, 16);
	put64(header + 72, entries);
	put32(header + 80, ENTRIES);
	put32(header + 84, ENTRY_SIZE);
	put32(header + 88, entries_crc);
	put32(header + 16, 0);
	put32(header + 16, crc32(header, 92));
}

void image_gpt(struct image *image, const struct gpt_partition *partitions, size_t count)
{
	uint64_t table = (ENTRIES * ENTRY_SIZE + image->sector_size - 1) / image->sector_size;
	uint64_t last = image->sectors - 1;
	uint32_t crc;

	image_dos_entry(image, 0, 0, 0xee, 1, (uint32_t)last);
	put_entries(sector(image, 2), partitions, count);
	put_entries(sector(image, last - table), partitions, count);
	crc = crc32(sector(image, 2), ENTRIES * ENTRY_SIZE);
	put_header(image, 1, last, 2, crc);
	put_header(image, last, 1, last - table, crc);
}

void image_dos_entry(struct image *image, uint64_t lba, int entry, uint8_t type, uint32_t start,
		     uint32_t sectors)
{
	uint8_t *record = sector(image, lba);
	uint8_t *at = record + 446 + 16 * entry;

	at[4] = type;
	put32(at + 8, start);
	put32(at + 12, sectors);
	record[510] = 0x55;
	record[511] = 0xaa;
}

void image_swap(struct image *image, uint64_t lba, uint64_t sectors, const char *label)
{
	uint8_t *page = sector(image, lba);

	put32(page + 1024, 1);
	put32(page + 1028, (uint32_t)(sectors * image->sector_size / 4096 - 1));
	memset(page + 1036, 0x77, 16);
	memcpy(page + 1052, label, strnlen(label, 16));
	memcpy(page + 4096 - 10, "SWAPSPACE2", 10);
}

static void put_bsd(uint8_t *label, unsigned at, uint32_t sectors, uint32_t start, uint8_t type)
{
	uint8_t *entry = label + 148 + 16 * at;

	put32(entry, sectors);
	put32(entry + 4, start);
	entry[12] = type;
	/* So many are in use, and the checksum is that of 16 bits each. */
	label[138] = (uint8_t)(at + 1);
	memset(label + 136, 0, 2);
	for (size_t i = 0; i < 148 + 16 * (at + 1); i++)
		if (i != 136 && i != 137)
			label[136 + i % 2] ^= label[i];
}

void image_bsd(struct image *image)
{
	uint32_t half = (uint32_t)image->sectors / 2;
	uint8_t *label = image->bytes + 512;

	put32(label, 0x82564557);
	put32(label + 132, 0x82564557);
	put_bsd(label, 0, half - 16, 16, 7);
	put_bsd(label, 1, half, half, 1);
}
