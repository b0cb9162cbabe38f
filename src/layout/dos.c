/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An MS-DOS partition table for a disk of another size: only partitions that change change it. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/i18n.h"
#include "layout/layout_private.h"

#define ENTRIES 446

struct dos_entry {
	uint8_t boot, first[3], type, last[3];
	uint32_t start, sectors;
} __attribute__((packed));

static bool is_extended(uint8_t type)
{
	return type == 0x05 || type == 0x0f || type == 0x85;
}

static bool is_sane(const struct fitting *f)
{
	const struct dos_entry *entries = (const struct dos_entry *)(f->before + ENTRIES);
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
	struct dos_entry *entries = (struct dos_entry *)(f->table + ENTRIES);

	for (unsigned i = 0; i < 4; i++) {
		entries[i].start = htole32((uint32_t)sector_there(f, le32toh(entries[i].start)));
		entries[i].sectors =
			htole32((uint32_t)sector_there(f, le32toh(entries[i].sectors)));
	}
}

int dos_prepare(struct fitting *f, struct error *reterr)
{
	const struct dos_entry *entries = (const struct dos_entry *)(f->before + ENTRIES);
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
		f->extended |= is_extended(entries[i].type);
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
	/* What its numbers can say. */
	most = (uint64_t)UINT32_MAX * f->other_sector / f->sector;
	f->usable = f->room < most ? f->room : most;
	f->places[0].sectors = 1;
	f->place_count = 1;
	return 0;
}

/* How the end is told in cylinders is the library's choice. */
void dos_change(const struct fitting *f, unsigned char *table, const unsigned char *made)
{
	for (size_t i = 0; i < f->part_count; i++) {
		const struct layout_part *part = &f->parts[i];
		size_t at = ENTRIES + 16 * (size_t)(part->number - 1);
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
