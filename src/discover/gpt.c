/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GUID partition tables (UEFI 2.9, chapter 5): where both copies lie and
 * whether they are sound. The partitions themselves come from libblkid, which
 * does not say which copy it took.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <endian.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "base/range.h"
#include "discover/table.h"

/* The specification asks for room for 128 entries of 128 bytes; far more is no table. */
#define GPT_ENTRIES_MAX (4U << 20)
/* For this many entries at most, the user is told that they are not shown. */
#define OUTSIDE_MAX 4

enum gpt_state { GPT_ABSENT, GPT_DAMAGED, GPT_SOUND };

struct gpt_copy {
	enum gpt_state state;
	uint64_t lba, alternate;
	uint64_t entries, entry_sectors;
	uint64_t first_usable, last_usable;
	uint32_t entries_crc;
	uint8_t guid[16];
	unsigned outside[OUTSIDE_MAX]; /* numbers of partitions beyond what is usable */
	size_t outside_count;
};

uint32_t gpt_crc32(const void *data, size_t length)
{
	return ~crc32(~0U, CRC32_IEEE, data, length);
}

bool gpt_header_is_sound(uint8_t *sector, uint32_t sector_size, uint64_t lba)
{
	struct gpt_header *header = (struct gpt_header *)sector;
	uint32_t size = le32toh(header->header_size);
	uint32_t said = le32toh(header->header_crc);

	if (memcmp(header->signature, GPT_SIGNATURE, sizeof(header->signature)) != 0 ||
	    size < sizeof(*header) || size > sector_size || le64toh(header->my_lba) != lba)
		return false;
	/* The checksum is made with itself as zero. */
	header->header_crc = 0;

	uint32_t found = gpt_crc32(sector, size);

	header->header_crc = htole32(said);
	return found == said;
}

/* libblkid leaves them out without a word. */
static void find_outside(const struct gpt_header *header, const uint8_t *entries,
			 struct gpt_copy *copy)
{
	static const uint8_t unused[16];
	uint32_t size = le32toh(header->entry_size);

	for (uint32_t i = 0; size >= sizeof(struct gpt_entry) && i < le32toh(header->entry_count);
	     i++) {
		const struct gpt_entry *entry = (const void *)(entries + (size_t)i * size);

		if (memcmp(entry->type, unused, sizeof(unused)) == 0 ||
		    (le64toh(entry->first) >= copy->first_usable &&
		     le64toh(entry->last) <= copy->last_usable))
			continue;
		if (copy->outside_count < OUTSIDE_MAX)
			copy->outside[copy->outside_count++] = i + 1;
	}
}

static bool entries_are_sound(const struct table_source *source, const struct gpt_header *header,
			      struct gpt_copy *copy)
{
	uint64_t bytes = (uint64_t)le32toh(header->entry_count) * le32toh(header->entry_size);
	uint64_t rounded;
	CLEANUP(free) uint8_t *entries = NULL;

	if (bytes == 0 || bytes > GPT_ENTRIES_MAX ||
	    !u64_align_up(bytes, source->sector_size, &rounded))
		return false;
	copy->entries = le64toh(header->entries_lba);
	copy->entry_sectors = rounded / source->sector_size;
	entries = malloc(rounded);
	if (!entries || table_read_sectors(source, copy->entries, copy->entry_sectors, entries) < 0)
		return false;
	if (gpt_crc32(entries, bytes) != le32toh(header->entries_crc))
		return false;
	find_outside(header, entries, copy);
	return true;
}

static int read_copy(const struct table_source *source, uint64_t lba, struct gpt_copy *ret)
{
	CLEANUP(free) uint8_t *sector = malloc(source->sector_size);
	struct gpt_header *header = (struct gpt_header *)sector;

	*ret = (struct gpt_copy){ .state = GPT_ABSENT, .lba = lba };
	if (!sector)
		return -ENOMEM;
	if (source->sector_size < sizeof(*header) ||
	    table_read_sectors(source, lba, 1, sector) < 0 ||
	    memcmp(header->signature, GPT_SIGNATURE, sizeof(header->signature)) != 0)
		return 0;
	ret->state = GPT_DAMAGED;
	if (!gpt_header_is_sound(sector, source->sector_size, lba))
		return 0;
	ret->alternate = le64toh(header->alternate_lba);
	ret->first_usable = le64toh(header->first_usable);
	ret->last_usable = le64toh(header->last_usable);
	ret->entries_crc = header->entries_crc;
	memcpy(ret->guid, header->guid, sizeof(ret->guid));
	if (entries_are_sound(source, header, ret))
		ret->state = GPT_SOUND;
	return 0;
}

/* The place of the entries of a damaged copy follows from the intact one: right after the header at
 * the start, right before it at the end. */
static void borrow_entries(struct gpt_copy *copy, const struct gpt_copy *other)
{
	if (copy->state != GPT_DAMAGED || other->state != GPT_SOUND)
		return;
	copy->entry_sectors = other->entry_sectors;
	if (copy->lba < other->lba)
		copy->entries = copy->lba + 1;
	else if (copy->lba > copy->entry_sectors)
		copy->entries = copy->lba - copy->entry_sectors;
	else
		copy->entry_sectors = 0;
}

static int add_areas(const struct gpt_copy *copy, enum region_kind kind, struct table *table)
{
	int r = table_add_area(table, kind, copy->lba, 1);

	if (r == 0 && copy->entry_sectors > 0)
		r = table_add_area(table, kind, copy->entries, copy->entry_sectors);
	return r;
}

static int note_states(const struct gpt_copy *primary, const struct gpt_copy *backup, uint64_t last,
		       struct table *table)
{
	table->gpt_from_backup = primary->state != GPT_SOUND && backup->state == GPT_SOUND;
	if (table->gpt_from_backup)
		return table_add_note(table, "%s",
				      _("The GPT at the start of the disk is damaged; its backup "
					"at the end is shown instead."));
	if (primary->state != GPT_SOUND)
		return table_add_note(table, "%s",
				      _("The GPT is damaged: neither the copy at the start nor the "
					"one at the end has a valid checksum."));
	if (primary->alternate > last)
		return table_add_note(table,
				      _("The GPT is for a larger disk: its backup belongs to LBA "
					"%llu, the disk ends at LBA %llu."),
				      (unsigned long long)primary->alternate,
				      (unsigned long long)last);
	if (backup->state != GPT_SOUND)
		return table_add_note(table,
				      _("The backup of the GPT at LBA %llu is missing or damaged."),
				      (unsigned long long)primary->alternate);
	if (primary->alternate != last)
		return table_add_note(table,
				      _("The backup of the GPT lies at LBA %llu and not at the end "
					"of the disk, LBA %llu."),
				      (unsigned long long)primary->alternate,
				      (unsigned long long)last);
	if (backup->entries_crc != primary->entries_crc ||
	    memcmp(backup->guid, primary->guid, sizeof(primary->guid)) != 0)
		return table_add_note(table, "%s",
				      _("The GPT at the start of the disk and its backup at the "
					"end differ: that at the start is shown."));
	return 0;
}

static int note_outside(const struct gpt_copy *copy, struct table *table)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < copy->outside_count; i++)
		r = table_add_note(table,
				   _("Partition %u does not lie within LBA %llu to %llu, which is "
				     "where the GPT has room for partitions: it is not shown."),
				   copy->outside[i], (unsigned long long)copy->first_usable,
				   (unsigned long long)copy->last_usable);
	return r;
}

static int note_all(const struct table_source *source, const struct gpt_copy *primary,
		    const struct gpt_copy *backup, struct table *table)
{
	uint64_t last = source->size / source->sector_size - 1;
	int r = note_states(primary, backup, last, table);

	if (r == 0)
		r = note_outside(primary->state == GPT_SOUND ? primary : backup, table);
	return r == 0 ? dos_inspect_hybrid(source, table) : r;
}

int gpt_inspect(const struct table_source *source, struct table *table, bool *retfound)
{
	uint64_t sectors = source->size / source->sector_size;
	struct gpt_copy primary, backup = { 0 };
	uint64_t last, at;
	int r;

	*retfound = false;
	if (sectors < 2)
		return 0;
	last = sectors - 1;
	r = read_copy(source, 1, &primary);
	if (r < 0)
		return r;
	at = primary.state == GPT_SOUND ? primary.alternate : last;
	if (at <= last && at > 1)
		r = read_copy(source, at, &backup);
	*retfound = primary.state != GPT_ABSENT || backup.state != GPT_ABSENT;
	if (r < 0 || !*retfound)
		return r;
	borrow_entries(&primary, &backup);
	borrow_entries(&backup, &primary);
	if (r == 0)
		r = table_add_area(table, REGION_TABLE, 0, 1);
	if (r == 0)
		r = add_areas(&primary, REGION_TABLE, table);
	if (r == 0 && backup.state != GPT_ABSENT)
		r = add_areas(&backup, REGION_TABLE_BACKUP, table);
	if (r == 0)
		r = note_all(source, &primary, &backup, table);
	return r;
}

/* How well does a GPT with sectors of this size fit? Higher is better. */
static unsigned rate_size(int fd, uint64_t size, uint32_t sector_size)
{
	struct table_source source = { .fd = fd, .size = size, .sector_size = sector_size };
	struct gpt_copy primary = { 0 }, backup = { 0 };
	uint64_t sectors = size / sector_size;

	if (sectors < 3 || read_copy(&source, 1, &primary) < 0 ||
	    read_copy(&source, sectors - 1, &backup) < 0)
		return 0;
	if (primary.state == GPT_SOUND)
		return 3;
	if (backup.state == GPT_SOUND)
		return 2;
	return primary.state == GPT_DAMAGED || backup.state == GPT_DAMAGED;
}

uint32_t gpt_sector_size(int fd, uint64_t size)
{
	unsigned small = rate_size(fd, size, 512), large = rate_size(fd, size, 4096);

	if (small == 0 && large == 0)
		return 0;
	return large > small ? 4096 : 512;
}

int gpt_inspect_other_size(const struct table_source *source, struct table *table)
{
	uint32_t other = source->sector_size == 4096 ? 512 : 4096;
	struct table_source as_other = *source;
	struct gpt_copy copy;

	/* Its header would lie at the second of the other sectors. */
	as_other.sector_size = other;
	if (read_copy(&as_other, 1, &copy) < 0)
		return -ENOMEM;
	if (copy.state == GPT_ABSENT)
		return 0;
	return table_add_note(table,
			      _("There is a GPT made for sectors of %u bytes; this disk has "
				"sectors of %u bytes, so it is ignored."),
			      other, source->sector_size);
}
