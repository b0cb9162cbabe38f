/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An MS-DOS partition table for a disk of another size: only partitions that change change it. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "discover/table.h"
#include "layout/layout_private.h"

static bool is_sane(const struct fitting *f)
{
	const struct dos_entry *entries = (const struct dos_entry *)(f->before + DOS_ENTRIES);
	bool any = false;

	for (unsigned i = 0; i < 4; i++) {
		any |= entries[i].type != 0;
		if ((entries[i].boot & 0x7f) || (entries[i].type && !entries[i].sectors))
			return false;
	}
	return any && f->before[510] == 0x55 && f->before[511] == 0xaa;
}

static void rescale(const struct fitting *f)
{
	struct dos_entry *entries = (struct dos_entry *)(f->table + DOS_ENTRIES);

	for (unsigned i = 0; i < 4; i++) {
		entries[i].start = htole32((uint32_t)sector_there(f, le32toh(entries[i].start)));
		entries[i].sectors =
			htole32((uint32_t)sector_there(f, le32toh(entries[i].sectors)));
	}
}

int dos_prepare(struct fitting *f, struct error *reterr)
{
	const struct dos_entry *entries = (const struct dos_entry *)(f->before + DOS_ENTRIES);
	uint64_t most;

	if (!is_sane(f))
		return fitting_refuse(
			f, reterr,
			_("%s has no partition table that is understood: there is nothing to fit."),
			f->name);
	for (unsigned i = 0; i < 4; i++) {
		if (entries[i].type == 0)
			continue;
		if (entries[i].type == 0xee)
			return fitting_refuse(
				f, reterr,
				_("The GPT at the start of %s is missing or damaged. Repair it "
				  "first (gdisk does that), or keep the table as it is."),
				f->name);
		f->extended |= dos_type_is_extended(entries[i].type);
		if (fitting_add(f, i + 1, le32toh(entries[i].start), le32toh(entries[i].sectors)) <
		    0)
			return error_nomem(reterr);
	}
	if (f->extended && f->other_sector != f->sector)
		return fitting_refuse(f, reterr,
				      _("%s has an extended partition: such a table is not made "
					"for sectors of %u bytes."),
				      f->name, f->other_sector);
	memcpy(f->table, f->before, TABLE_MAX);
	if (f->other_sector != f->sector)
		rescale(f);
	/* The table has 32 bits for an LBA. */
	most = (uint64_t)UINT32_MAX * f->other_sector / f->sector;
	f->usable = f->room < most ? f->room : most;
	f->places[0].sectors = 1;
	f->place_count = 1;
	return 0;
}

/* The same places in cylinders, heads and sectors are taken from what libfdisk made. */
void dos_change(const struct fitting *f, unsigned char *table, const unsigned char *made)
{
	for (size_t i = 0; i < f->part_count; i++) {
		const struct layout_part *part = &f->parts[i];
		size_t at = DOS_ENTRIES + 16 * (size_t)(part->number - 1);
		struct dos_entry *entry = (struct dos_entry *)(table + at);
		const struct dos_entry *other = (const struct dos_entry *)(made + at);

		if (!fitting_writes(f, part))
			continue;
		memcpy(entry->last, other->last, sizeof(entry->last));
		if (part->to != part->start || f->other_sector != f->sector)
			memcpy(entry->first, other->first, sizeof(entry->first));
		entry->start = htole32((uint32_t)sector_there(f, part->to));
		entry->sectors = htole32((uint32_t)sector_there(f, part->size));
	}
}

/* ---- a GPT made of it, for a disk from which no BIOS starts ---- */

#define GPT_ENTRIES   128U
#define ENTRY_SECTORS 32U
#define FIRST_USABLE  (2 + ENTRY_SECTORS)
#define BACKUP        (1 + ENTRY_SECTORS)

/* Of an MS-DOS partition, and as a GPT has it. */
static const struct kind {
	uint8_t type, guid[16];
} kinds[] = {
#define BASIC                                                                                      \
	{                                                                                          \
		0xa2, 0xa0, 0xd0, 0xeb, 0xe5, 0xb9, 0x33, 0x44, 0x87, 0xc0, 0x68, 0xb6, 0xb7,      \
			0x26, 0x99, 0xc7                                                           \
	}
	{ 0x01, BASIC },
	{ 0x04, BASIC },
	{ 0x06, BASIC },
	{ 0x07, BASIC },
	{ 0x0b, BASIC },
	{ 0x0c, BASIC },
	{ 0x0e, BASIC },
	{ 0x82,
	  { 0x6d, 0xfd, 0x57, 0x06, 0xab, 0xa4, 0xc4, 0x43, 0x84, 0xe5, 0x09, 0x33, 0xc8, 0x4b,
	    0x4f, 0x4f } },
	{ 0x83,
	  { 0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84, 0x72, 0x47, 0x8e, 0x79, 0x3d, 0x69, 0xd8, 0x47,
	    0x7d, 0xe4 } },
	{ 0x8e,
	  { 0x79, 0xd3, 0xd6, 0xe6, 0x07, 0xf5, 0xc2, 0x44, 0xa2, 0x3c, 0x23, 0x8f, 0x2a, 0x3d,
	    0xf9, 0x28 } },
	{ 0xef,
	  { 0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e,
	    0xc9, 0x3b } },
	{ 0xfd,
	  { 0x0f, 0x88, 0x9d, 0xa1, 0xfc, 0x05, 0x3b, 0x4d, 0xa0, 0x06, 0x74, 0x3f, 0x0f, 0x84,
	    0x91, 0x1e } },
};

static const struct dos_entry *entry_of(const struct fitting *f, const struct layout_part *part)
{
	return (const struct dos_entry *)(f->before + DOS_ENTRIES) + part->number - 1;
}

static const struct kind *find_kind(uint8_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

/* NULL: nothing stands in the way. Translated. */
static const char *find_obstacle(const struct fitting *f)
{
	if (f->extended)
		return _("it has an extended partition");
	if (f->other_sector != f->sector || f->sector != 512)
		return _("the sectors of both disks do not have 512 bytes");
	if (!goes_by_table(f->before))
		return _("a BIOS starts from it, which it would not do from the copy");
	if (f->sectors < FIRST_USABLE + BACKUP || f->room < FIRST_USABLE + BACKUP)
		return _("there is no room for a GPT before and behind its partitions");
	for (size_t i = 0; i < f->part_count; i++) {
		const struct dos_entry *entry = entry_of(f, &f->parts[i]);

		if (entry->boot & 0x80)
			return _("a BIOS starts from it, which it would not do from the copy");
		/* The new table is written over these sectors: no partition may use them. */
		if (f->parts[i].start < FIRST_USABLE ||
		    f->parts[i].start + f->parts[i].sectors > f->sectors - BACKUP)
			return _("there is no room for a GPT before and behind its partitions");
		if (!find_kind(entry->type))
			return _("it has a partition of a type that is not known");
	}
	return NULL;
}

/* It follows from the first sector of the source: a copy that is resumed makes the same table. */
static void make_guid(const struct fitting *f, unsigned number, uint8_t guid[static 16])
{
	uint64_t half = fnv1a(FNV1A_START, f->before, 512);

	for (unsigned i = 0; i < 2; i++) {
		half = htole64(splitmix64(half + number + i));
		memcpy(guid + 8 * (size_t)i, &half, sizeof(half));
	}
	guid[7] = (uint8_t)((guid[7] & 0x0f) | 0x40);
	guid[8] = (uint8_t)((guid[8] & 0x3f) | 0x80);
}

static void make_protective_mbr(const struct fitting *f)
{
	static const unsigned char entry[] = { 0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff, 1 };
	uint32_t sectors = htole32(f->room - 1 < UINT32_MAX ? (uint32_t)(f->room - 1) : UINT32_MAX);

	memcpy(f->table + DOS_ENTRIES, entry, sizeof(entry));
	memcpy(f->table + DOS_ENTRIES + 12, &sectors, sizeof(sectors));
	f->table[510] = 0x55;
	f->table[511] = 0xaa;
}

int dos_to_gpt_prepare(struct fitting *f, struct error *reterr)
{
	struct gpt_header *header;
	struct gpt_entry *entries;
	const char *why = f->gpt ? _("it is one") : NULL;
	int r = why ? 0 : dos_prepare(f, reterr);

	if (r < 0)
		return r;
	if (!why)
		why = find_obstacle(f);
	if (why)
		return fitting_refuse(f, reterr,
				      _("The table of %s does not become a GPT: %s. Keep its kind "
					"(--table=fit)."),
				      f->name, why);
	memset(f->table, 0, TABLE_MAX);
	make_protective_mbr(f);
	header = (struct gpt_header *)(f->table + f->sector);
	*header = (struct gpt_header){ .revision = htole32(0x10000),
				       .header_size = htole32(sizeof(*header)),
				       .my_lba = htole64(1),
				       .alternate_lba = htole64(f->room - 1),
				       .first_usable = htole64(FIRST_USABLE),
				       .last_usable = htole64(f->room - BACKUP - 1),
				       .entries_lba = htole64(2),
				       .entry_count = htole32(GPT_ENTRIES),
				       .entry_size = htole32(sizeof(struct gpt_entry)) };
	memcpy(header->signature, GPT_SIGNATURE, sizeof(header->signature));
	make_guid(f, 0, header->guid);
	entries = (struct gpt_entry *)(f->table + 2 * (size_t)f->sector);
	for (size_t i = 0; i < f->part_count; i++) {
		struct gpt_entry *entry = &entries[f->parts[i].number - 1];

		memcpy(entry->type, find_kind(entry_of(f, &f->parts[i])->type)->guid,
		       sizeof(entry->type));
		make_guid(f, f->parts[i].number * 2, entry->guid);
	}
	f->gpt = f->converts = true;
	f->usable = f->room - BACKUP;
	f->places[0].sectors = FIRST_USABLE;
	f->places[1] = (struct table_place){ f->sectors - BACKUP, f->usable, BACKUP };
	f->place_count = 2;
	/* Where the partitions are, and the checksums. */
	gpt_change(f, f->table);
	return 0;
}
