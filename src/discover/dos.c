/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MS-DOS partition tables: where the boot records of the extended partition
 * lie, and whether their chain is sound. The partitions themselves come from
 * libblkid, which ends a broken chain without a word.
 */
#include <errno.h>
#include <stdlib.h>

#include <endian.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "discover/table.h"

#define DOS_SIGNATURE 510
/* More logical partitions than any system numbers. */
#define DOS_CHAIN_MAX 256

static bool is_extended(const struct dos_entry *entry)
{
	return dos_type_is_extended(entry->type) && entry->sectors != 0;
}

static const struct dos_entry *extended_entry(const uint8_t *sector)
{
	const struct dos_entry *entries = (const struct dos_entry *)(sector + DOS_ENTRIES);

	for (int i = 0; i < 4; i++)
		if (is_extended(&entries[i]))
			return &entries[i];
	return NULL;
}

static bool has_signature(const uint8_t *sector)
{
	return sector[DOS_SIGNATURE] == 0x55 && sector[DOS_SIGNATURE + 1] == 0xaa;
}

static bool came_by(const struct table *table, uint64_t lba)
{
	for (size_t i = 0; i < table->area_count; i++)
		if (table->areas[i].start == lba)
			return true;
	return false;
}

/* Every logical partition has a boot record in front of it, which names the next one. */
static int follow_chain(const struct table_source *source, uint64_t first, uint8_t *sector,
			struct table *table)
{
	uint64_t disk_sectors = source->size / source->sector_size;
	uint64_t lba = first;

	for (int i = 0; i < DOS_CHAIN_MAX; i++) {
		const struct dos_entry *next;
		int r;

		if (came_by(table, lba))
			return table_add_note(table,
					      _("The chain of logical partitions loops back to LBA "
						"%llu. What comes after that is unknown."),
					      (unsigned long long)lba);
		if (lba >= disk_sectors)
			return table_add_note(table,
					      _("The chain of logical partitions leads beyond the "
						"end of the disk, to LBA %llu."),
					      (unsigned long long)lba);
		r = table_read_sectors(source, lba, 1, sector);
		if (r == -ENOMEM)
			return r;
		if (r < 0 || !has_signature(sector))
			return table_add_note(table,
					      _("The chain of logical partitions is broken: LBA "
						"%llu holds no boot record."),
					      (unsigned long long)lba);
		r = table_add_area(table, REGION_TABLE, lba, 1);
		if (r < 0)
			return r;
		next = extended_entry(sector);
		if (!next)
			return 0;
		lba = first + le32toh(next->start);
	}
	return table_add_note(table, _("The chain of logical partitions has more than %d links."),
			      DOS_CHAIN_MAX);
}

/* What libblkid says nothing of. */
static int note_entries(const uint8_t *sector, struct table *table)
{
	const struct dos_entry *entries = (const struct dos_entry *)(sector + DOS_ENTRIES);
	unsigned extended = 0;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < 4; i++) {
		extended += is_extended(&entries[i]);
		if (entries[i].type != 0 && entries[i].sectors != 0 && entries[i].start == 0)
			r = table_add_note(
				table,
				_("Partition %u starts at LBA 0, where the partition table lies."),
				i + 1);
	}
	if (r == 0 && extended > 1)
		r = table_add_note(table,
				   _("There are %u extended partitions: only the logical "
				     "partitions of the first one are shown."),
				   extended);
	return r;
}

int dos_inspect(const struct table_source *source, struct table *table)
{
	CLEANUP(free) uint8_t *sector = malloc(source->sector_size);
	const struct dos_entry *extended;
	int r;

	if (!sector)
		return -ENOMEM;
	r = table_add_area(table, REGION_TABLE, 0, 1);
	if (r < 0 || table_read_sectors(source, 0, 1, sector) < 0)
		return r;
	r = note_entries(sector, table);
	extended = extended_entry(sector);
	if (r < 0 || !extended)
		return r;
	return follow_chain(source, le32toh(extended->start), sector, table);
}

/* Beside a GPT there is one entry, which covers the disk. Where there are others, a system that
 * does not know the GPT uses those. */
int dos_inspect_hybrid(const struct table_source *source, struct table *table)
{
	CLEANUP(free) uint8_t *sector = malloc(source->sector_size);
	const struct dos_entry *entries;
	bool hybrid = false;

	if (!sector)
		return -ENOMEM;
	if (table_read_sectors(source, 0, 1, sector) < 0 || !has_signature(sector))
		return 0;
	entries = (const struct dos_entry *)(sector + DOS_ENTRIES);
	for (int i = 0; i < 4; i++)
		hybrid |= entries[i].type != 0 && entries[i].type != 0xee;
	if (!hybrid)
		return 0;
	return table_add_note(
		table, "%s",
		_("The master boot record names partitions of its own beside the GPT (a hybrid "
		  "MBR): some systems see those, and not the ones shown here."));
}
