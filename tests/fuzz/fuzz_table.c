/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any sectors as a disk: a record is the number of a sector (16 bits, little
 * endian) and its 512 bytes; what no record names is zero. Whatever the table
 * says, the rows cover the disk and all text is printable.
 */
#include "replay.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "discover/image_store.h"
#include "discover/regions.h"
#include "discover/table.h"

#define SECTORS 4096
#define RECORD  514

static void check_text(const char *text, size_t size)
{
	FUZZ_CHECK(memchr(text, '\0', size));
	for (; *text; text++)
		FUZZ_CHECK((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void check_partitions(const struct table *table)
{
	for (size_t i = 0; i < table->partition_count; i++) {
		const struct partition *p = &table->partitions[i];

		check_text(p->type, sizeof(p->type));
		check_text(p->name, sizeof(p->name));
		check_text(p->fs, sizeof(p->fs));
		check_text(p->label, sizeof(p->label));
		check_text(p->uuid, sizeof(p->uuid));
		check_text(p->part_uuid, sizeof(p->part_uuid));
		FUZZ_CHECK(i == 0 || p->start >= p[-1].start);
	}
}

static void check_regions(const struct table *table, uint32_t sector_size)
{
	struct disk disk = {
		.identity = { .size = SECTORS * 512, .logical_sector_size = sector_size },
		.partitions = table->partitions,
		.partition_count = table->partition_count,
	};
	uint64_t sectors = disk_sectors(&disk), reached = 0;

	FUZZ_CHECK(regions_make(&disk, table->areas, table->area_count) == 0);
	for (size_t i = 0; i < disk.region_count; i++) {
		const struct region *region = &disk.regions[i];

		FUZZ_CHECK(region->sectors > 0 && region->start < sectors);
		FUZZ_CHECK(region->sectors <= sectors - region->start);
		FUZZ_CHECK(region->start <= reached);
		FUZZ_CHECK(region->kind != REGION_GAP || region->start == reached);
		FUZZ_CHECK((region->kind == REGION_PARTITION) == (region->partition >= 0));
		if (region->start + region->sectors > reached)
			reached = region->start + region->sectors;
	}
	FUZZ_CHECK(reached == sectors);
	free(disk.regions);
}

static void try(int fd, uint32_t sector_size)
{
	struct table_source source = { .fd = fd,
				       .size = SECTORS * 512,
				       .sector_size = sector_size };
	struct table table;

	FUZZ_CHECK(table_read(&source, &table) == 0);
	FUZZ_CHECK(regions_note_problems(&table, source.size / sector_size) == 0);
	check_text(table.type, sizeof(table.type));
	check_text(table.whole_label, sizeof(table.whole_label));
	for (size_t i = 0; i < table.note_count; i++)
		check_text(table.notes[i].text, sizeof(table.notes[i].text));
	check_partitions(&table);
	check_regions(&table, sector_size);
	table_done(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("disk", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(ftruncate(fd, SECTORS * 512) == 0);
	for (; size >= RECORD; data += RECORD, size -= RECORD) {
		unsigned lba = (data[0] | (unsigned)data[1] << 8) % SECTORS;

		FUZZ_CHECK(pwrite(fd, data + 2, 512, (off_t)lba * 512) == 512);
	}
	uint32_t guessed = image_store_sector_size(fd, SECTORS * 512);

	FUZZ_CHECK(guessed == 512 || guessed == 4096);
	try(fd, 512);
	try(fd, 4096);
	close(fd);
	return 0;
}
