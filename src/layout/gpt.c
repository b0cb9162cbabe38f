/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A GUID partition table for a disk of another size. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/range.h"
#include "discover/table.h"
#include "layout/layout_private.h"

/* All tools write entries of this size, and libfdisk takes no other. */
#define ENTRY_SIZE 128U
#define MBR_SIZE   512U

_Static_assert(sizeof(struct gpt_entry) == ENTRY_SIZE, "as in the specification");

static struct gpt_header *header_of(uint32_t sector, unsigned char *table)
{
	return (struct gpt_header *)(table + sector);
}

static struct gpt_entry *entries_of(uint32_t sector, unsigned char *table)
{
	return (struct gpt_entry *)(table +
				    le64toh(header_of(sector, table)->entries_lba) * sector);
}

static uint64_t entry_sectors(uint32_t sector, const struct gpt_header *header)
{
	uint64_t bytes = (uint64_t)le32toh(header->entry_count) * ENTRY_SIZE;

	return (bytes + sector - 1) / sector;
}

static int check_header(struct fitting *f, struct error *reterr)
{
	const struct gpt_header *header = header_of(f->sector, f->before);
	uint64_t lba = le64toh(header->entries_lba), sectors, most = TABLE_MAX / f->sector;
	uint32_t count = le32toh(header->entry_count);

	if (!gpt_header_is_sound(f->before + f->sector, f->sector, 1))
		return fitting_refuse(f, reterr,
				      _("The GPT at the start of %s is damaged. Repair it first "
					"(gdisk does that), or keep the table as it is."),
				      f->name);
	if (le32toh(header->entry_size) != ENTRY_SIZE || count == 0 ||
	    count > TABLE_MAX / ENTRY_SIZE)
		return fitting_refuse(f, reterr,
				      _("The GPT of %s has %u entries of %u bytes, which is not "
					"understood: keep the table as it is."),
				      f->name, count, le32toh(header->entry_size));
	sectors = entry_sectors(f->sector, header);
	if (lba >= 2 && lba <= most && sectors <= most - lba && lba + sectors <= f->sectors) {
		int r = fitting_read(f, 0, lba + sectors, f->before, reterr);

		if (r < 0)
			return r;
		memcpy(f->table, f->before, TABLE_MAX);
	} else {
		count = 0;
	}
	if (count == 0 || lba + sectors > le64toh(header->first_usable) ||
	    gpt_crc32(f->before + lba * f->sector, (size_t)count * ENTRY_SIZE) !=
		    le32toh(header->entries_crc))
		return fitting_refuse(f, reterr,
				      _("The entries of the GPT of %s are damaged. Repair them "
					"first (gdisk does that), or keep the table as it is."),
				      f->name);
	return 0;
}

/* A backup that is missing or damaged is made anew; one that is sound but different may be the
 * right one of the two. */
static int check_backup(const struct fitting *f, struct error *reterr)
{
	const struct gpt_header *header = header_of(f->sector, f->before), *other;
	uint64_t at = le64toh(header->alternate_lba);
	CLEANUP(free) unsigned char *sector = aligned_alloc(4096, 4096);

	if (!sector)
		return error_nomem(reterr);
	if (at >= f->sectors || fitting_read(f, at, 1, sector, NULL) < 0 ||
	    !gpt_header_is_sound(sector, f->sector, at))
		return 0;
	other = (const struct gpt_header *)sector;
	if (memcmp(other->guid, header->guid, sizeof(header->guid)) == 0 &&
	    other->entries_crc == header->entries_crc &&
	    other->entry_count == header->entry_count &&
	    other->first_usable == header->first_usable)
		return 0;
	return fitting_refuse(
		f, reterr,
		_("The two copies of the GPT of %s say different things. Repair it first (gdisk "
		  "asks which one is right), or keep the table as it is."),
		f->name);
}

static int check_mbr(const struct fitting *f, struct error *reterr)
{
	bool protective = f->before[510] == 0x55 && f->before[511] == 0xaa, found = false;

	for (unsigned i = 0; i < 4; i++) {
		unsigned char type = f->before[446 + 16 * i + 4];

		found |= type == 0xee;
		protective = protective && (type == 0 || type == 0xee);
	}
	if (protective && found)
		return 0;
	return fitting_refuse(
		f, reterr,
		_("The first sector of %s names other partitions than its GPT does (a hybrid MBR), "
		  "or none: which of them is meant cannot be known. Keep the table as it is."),
		f->name);
}

static int find_parts(struct fitting *f, struct error *reterr)
{
	const struct gpt_entry *entries = entries_of(f->sector, f->before);
	static const uint8_t none[16];

	for (uint32_t i = 0; i < le32toh(header_of(f->sector, f->before)->entry_count); i++) {
		uint64_t first = le64toh(entries[i].first), last = le64toh(entries[i].last);

		if (memcmp(entries[i].type, none, sizeof(none)) == 0)
			continue;
		if (last < first || last == UINT64_MAX)
			return fitting_refuse(f, reterr,
					      _("Partition %u of %s ends before it begins: keep "
						"the table as it is."),
					      i + 1, f->name);
		if (fitting_add(f, i + 1, first, last - first + 1) < 0)
			return error_nomem(reterr);
	}
	return 0;
}

/* The same entries behind a first sector of that size: the rest of what was there was the table. */
static void rescale(const struct fitting *f, uint64_t front)
{
	const struct gpt_header *before = header_of(f->sector, f->before);
	struct gpt_header *header = header_of(f->other_sector, f->table);
	size_t bytes = (size_t)le32toh(before->entry_count) * ENTRY_SIZE;

	memset(f->table, 0, TABLE_MAX);
	memcpy(f->table, f->before, MBR_SIZE);
	memcpy(header, before, sizeof(*header));
	header->header_size = htole32(sizeof(*header));
	header->entries_lba = htole64(2);
	header->first_usable = htole64(front);
	memcpy(entries_of(f->other_sector, f->table), entries_of(f->sector, f->before), bytes);
}

/* Where both copies of the table lie, the one that is read and the one that is made. */
static int place_tables(struct fitting *f, struct error *reterr)
{
	const struct gpt_header *header = header_of(f->sector, f->before);
	uint64_t unit = sector_multiple(f), sectors = entry_sectors(f->sector, header);
	uint64_t others = entry_sectors(f->other_sector, header);
	uint64_t front = le64toh(header->first_usable),
		 first = le64toh(header->entries_lba) + sectors;
	uint64_t last = sectors + 1;

	if (f->other_sector != f->sector) {
		uint64_t there = ((others + 2) * f->other_sector + f->sector - 1) / f->sector;

		first = u64_align_down((first > there ? first : there) + unit - 1, unit);
		front = front > first ? front : first;
		last = ((others + 1) * f->other_sector + f->sector - 1) / f->sector;
		last = u64_align_down(last + unit - 1, unit);
	}
	if (first > TABLE_MAX / f->sector || front > f->sectors ||
	    f->sectors < front + last + unit || f->room < front + last + unit)
		return fitting_refuse(f, reterr, _("%s has no room for the table of %s."), f->other,
				      f->name);
	if (f->other_sector != f->sector)
		rescale(f, sector_there(f, front + unit - 1));
	f->usable = f->room - last;
	f->places[0].sectors = first;
	f->places[1] =
		(struct table_place){ u64_align_down(f->sectors, unit) - last, f->usable, last };
	f->place_count = 2;
	return 0;
}

int gpt_prepare(struct fitting *f, struct error *reterr)
{
	struct gpt_header *header;
	uint64_t end;
	int r = check_header(f, reterr);

	if (r == 0)
		r = check_mbr(f, reterr);
	if (r == 0)
		r = check_backup(f, reterr);
	if (r == 0)
		r = find_parts(f, reterr);
	if (r == 0)
		r = place_tables(f, reterr);
	if (r < 0)
		return r;
	header = header_of(f->other_sector, f->table);
	end = f->room * f->sector / f->other_sector - 1;
	header->alternate_lba = htole64(end);
	header->last_usable = htole64(end - entry_sectors(f->other_sector, header) - 1);
	if (f->other_sector != f->sector)
		gpt_change(f, f->table);
	header->header_crc = 0;
	header->header_crc = htole32(gpt_crc32(header, le32toh(header->header_size)));
	return 0;
}

void gpt_change(const struct fitting *f, unsigned char *table)
{
	struct gpt_header *header = header_of(f->other_sector, table);
	struct gpt_entry *entries = entries_of(f->other_sector, table);
	size_t bytes = (size_t)le32toh(header->entry_count) * ENTRY_SIZE;

	for (size_t i = 0; i < f->part_count; i++) {
		const struct layout_part *part = &f->parts[i];

		entries[part->number - 1].first = htole64(sector_there(f, part->to));
		entries[part->number - 1].last =
			htole64(sector_there(f, part->to + part->size) - 1);
	}
	header->entries_crc = htole32(gpt_crc32(entries, bytes));
	header->header_crc = 0;
	header->header_crc = htole32(gpt_crc32(header, le32toh(header->header_size)));
}
