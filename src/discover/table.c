/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <blkid.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "base/units.h"
#include "discover/disk.h"
#include "discover/read_once.h"

#define TABLE_NOTES_MAX 16

DEFINE_CLEANUP(probe, blkid_probe, blkid_free_probe)

void table_done(struct table *table)
{
	free(table->partitions);
	free(table->areas);
	free(table->notes);
	*table = (struct table){ 0 };
}

int table_copy(const struct table *from, struct table *ret)
{
	*ret = *from;
	ret->partitions = array_copy(from->partitions, from->partition_count);
	ret->areas = array_copy(from->areas, from->area_count);
	ret->notes = array_copy(from->notes, from->note_count);
	if (!ret->partitions || !ret->areas || !ret->notes) {
		table_done(ret);
		return -ENOMEM;
	}
	return 0;
}

int table_add_area(struct table *table, enum region_kind kind, uint64_t start, uint64_t sectors)
{
	return array_append(
		table->areas, table->area_count,
		(struct table_area){ .kind = kind, .start = start, .sectors = sectors });
}

int table_add_note(struct table *table, const char *format, ...)
{
	struct table_note note;

	if (table->note_count >= TABLE_NOTES_MAX)
		return 0;
	text_vprint(note.text, sizeof(note.text), format);
	text_sanitise(note.text, sizeof(note.text), note.text, sizeof(note.text));
	return array_append(table->notes, table->note_count, note);
}

/* The kernel reads whole pages. */
#define PAGE_READ 4096u

/* Offset and length in bytes. */
static bool is_bad(const struct table_source *source, uint64_t offset, uint64_t length)
{
	uint64_t first, end;

	if (!source->bad || source->bad->count == 0)
		return false;
	first = u64_align_down(offset, PAGE_READ) / source->sector_size;
	if (!u64_align_up(offset + length, PAGE_READ, &end))
		end = UINT64_MAX;
	end = end / source->sector_size + (end % source->sector_size != 0);
	return range_list_overlaps(source->bad, (struct range){ first, end - first });
}

int table_read_sectors(const struct table_source *source, uint64_t lba, uint64_t sectors, void *to)
{
	uint64_t offset, length, end;
	struct once plain;

	if (!u64_mul(lba, source->sector_size, &offset) ||
	    !u64_mul(sectors, source->sector_size, &length) || !u64_add(offset, length, &end) ||
	    end > source->size)
		return -ENODATA;
	if (is_bad(source, offset, length))
		return -EIO;
	if (source->once)
		return once_read(source->once, offset, length, to);
	plain = (struct once){ .fd = source->fd, .direct = -1 };
	return once_read(&plain, offset, length, to);
}

static bool stopped(const struct table_source *source)
{
	return source->stop && atomic_load(source->stop);
}

static void take_value(blkid_probe probe, const char *name, char *to, size_t size)
{
	const char *value;
	size_t length;

	to[0] = '\0';
	if (blkid_probe_lookup_value(probe, name, &value, &length) == 0)
		text_sanitise(to, size, value, length);
}

static void take_text(const char *value, char *to, size_t size)
{
	if (value)
		text_sanitise(to, size, value, strlen(value));
}

/* libblkid reads about forty places, most of them near the start and the end, and turns off the
 * kernel's read-ahead. Without reading these parts first, each place would be a request to the
 * disk. */
#define CONTENTS_READ ((uint64_t)512 * 1024)
/* Partition tables start within the first bytes. */
#define TABLE_READ ((uint64_t)64 * 1024)

static uint64_t shorter(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Would a search in [offset, offset + size) read bad sectors? */
static bool contents_are_bad(const struct table_source *source, uint64_t offset, uint64_t size)
{
	uint64_t part = shorter(size, CONTENTS_READ);

	return is_bad(source, offset, part) || is_bad(source, offset + size - part, part);
}

/* libblkid also reads these places: a RAID label so far before the end, copies of the LUKS header,
 * VMFS. */
#define LABEL_FROM_END ((uint64_t)3087 * 512)
#define PLACE_READ     4096u

static const uint64_t places[] = { 512 << 10, 1 << 20, 2 << 20, 4 << 20 };

/* libblkid reads through the page cache, and goes on after a read that fails. */
static bool can_be_read(const struct table_source *source, uint64_t offset, uint64_t size)
{
	uint64_t part = u64_align_down(shorter(size, CONTENTS_READ), source->sector_size);
	uint64_t unit = source->sector_size > PLACE_READ ? source->sector_size : PLACE_READ;
	bool good = once_try(source->once, offset, part) &&
		    once_try(source->once, offset + size - part, part);

	if (size > LABEL_FROM_END)
		good = good && once_try(source->once,
					u64_align_down(offset + size - LABEL_FROM_END, unit), unit);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (size >= places[i] + unit)
			good = good && once_try(source->once, offset + places[i], unit);
	return good;
}

static void read_ahead(const struct table_source *source, uint64_t offset, uint64_t size)
{
	uint64_t tail = shorter(size, CONTENTS_READ);

	posix_fadvise(source->fd, (off_t)offset, CONTENTS_READ, POSIX_FADV_WILLNEED);
	posix_fadvise(source->fd, (off_t)(offset + size - tail), (off_t)tail, POSIX_FADV_WILLNEED);
}

/* A probe caches what it has read, so use the same one for everything in one place. */
static int open_probe(const struct table_source *source, uint64_t offset, uint64_t size,
		      blkid_probe *ret)
{
	CLEANUP(probe) blkid_probe probe = blkid_new_probe();

	if (!probe)
		return -ENOMEM;
	if (blkid_probe_set_device(probe, source->fd, (blkid_loff_t)offset, (blkid_loff_t)size) !=
	    0)
		return -EIO;
	blkid_probe_set_sectorsize(probe, source->sector_size);
	*ret = cleanup_steal(probe);
	return 0;
}

/* The signature of what fills the place: file system, swap, member of something. "?" where several
 * contradict each other. */
static void read_contents(blkid_probe probe, char *fs, size_t fs_size, char *label,
			  size_t label_size, char *uuid, size_t uuid_size)
{
	int r;

	blkid_probe_enable_partitions(probe, 0);
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
							 BLKID_SUBLKS_UUID);
	r = blkid_do_safeprobe(probe);
	if (r == -2)
		text_copy(fs, fs_size, "?");
	if (r != 0)
		return;
	take_value(probe, "TYPE", fs, fs_size);
	take_value(probe, "LABEL", label, label_size);
	if (uuid)
		take_value(probe, "UUID", uuid, uuid_size);
}

/* The offsets of all signatures of the whole disk, not only of the one that libblkid would choose.
 */
static void read_signatures(blkid_probe probe, struct table *table)
{
	blkid_probe_enable_partitions(probe, 0);
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_MAGIC);
	while (table->signature_count < DISK_SIGNATURES_MAX && blkid_do_probe(probe) == 0) {
		const char *value;
		size_t length;

		if (blkid_probe_lookup_value(probe, "SBMAGIC_OFFSET", &value, &length) == 0)
			table->signatures[table->signature_count++] = strtoull(value, NULL, 10);
	}
}

static void take_partition(blkid_partition from, const char *table, uint32_t sector_size,
			   struct partition *ret)
{
	uint64_t unit = sector_size / 512;
	const char *type = blkid_partition_get_type_string(from);

	*ret = (struct partition){ 0 };
	ret->number = (unsigned)blkid_partition_get_partno(from);
	ret->start = (uint64_t)blkid_partition_get_start(from) / unit;
	ret->sectors = (uint64_t)blkid_partition_get_size(from) / unit;
	if (type)
		take_text(type, ret->type, sizeof(ret->type));
	else
		snprintf(ret->type, sizeof(ret->type), "0x%x",
			 (unsigned)blkid_partition_get_type(from));
	type_tidy(ret->type);
	text_copy(ret->type_name, sizeof(ret->type_name), type_name(table, ret->type));
	take_text(blkid_partition_get_name(from), ret->name, sizeof(ret->name));
	take_text(blkid_partition_get_uuid(from), ret->part_uuid, sizeof(ret->part_uuid));
	ret->extended = blkid_partition_is_extended(from);
}

static int take_partitions(blkid_partlist list, const struct table_source *source,
			   struct table *table)
{
	int count = blkid_partlist_numof_partitions(list);

	if (count <= 0)
		return 0;
	table->partitions = calloc((size_t)count, sizeof(*table->partitions));
	if (!table->partitions)
		return -ENOMEM;
	for (int i = 0; i < count; i++) {
		blkid_partition partition = blkid_partlist_get_partition(list, i);
		blkid_parttable of = partition ? blkid_partition_get_table(partition) : NULL;

		/* A table inside a partition (BSD slices) belongs to that partition's contents. */
		if (!of ||
		    (blkid_parttable_get_parent(of) && !blkid_partition_is_logical(partition)))
			continue;
		take_partition(partition, table->type, source->sector_size,
			       &table->partitions[table->partition_count++]);
	}
	qsort(table->partitions, table->partition_count, sizeof(*table->partitions),
	      partition_compare);
	return 0;
}

static int read_partitions(const struct table_source *source, blkid_probe probe,
			   struct table *table)
{
	blkid_partlist list;
	blkid_parttable root;

	blkid_probe_enable_superblocks(probe, 0);
	blkid_probe_enable_partitions(probe, 1);
	if (blkid_do_safeprobe(probe) < 0)
		return 0;
	take_value(probe, "PTTYPE", table->type, sizeof(table->type));
	take_value(probe, "PTUUID", table->uuid, sizeof(table->uuid));
	list = blkid_probe_get_partitions(probe);
	root = list ? blkid_partlist_get_table(list) : NULL;
	if (!root)
		return 0;
	/* A BSD disklabel that is in no partition has no PTTYPE, only partitions. */
	if (!table->type[0])
		take_text(blkid_parttable_get_type(root), table->type, sizeof(table->type));
	return take_partitions(list, source, table);
}

/* What libblkid reports as "PMBR": the MBR announces a GPT, but libblkid accepts none. */
static int inspect_protective_mbr(const struct table_source *source, struct table *table)
{
	bool found;
	int r = gpt_inspect(source, table, &found);

	if (r < 0)
		return r;
	text_copy(table->type, sizeof(table->type), found ? "gpt" : "dos");
	if (found)
		return 0;
	r = table_add_note(table, "%s",
			   _("The master boot record announces a GPT, but there is none."));
	return r < 0 ? r : dos_inspect(source, table);
}

/* A BSD disklabel is in the 512 bytes after the first ones, all else in the first sector. */
static uint64_t sectors_of_table(const struct table_source *source, const struct table *table)
{
	return strcmp(table->type, "bsd") == 0 && source->sector_size == 512 ? 2 : 1;
}

static int inspect(const struct table_source *source, struct table *table)
{
	bool found;
	int r = 0;

	if (strcmp(table->type, "gpt") == 0)
		return gpt_inspect(source, table, &found);
	if (strcmp(table->type, "PMBR") == 0)
		r = inspect_protective_mbr(source, table);
	else if (strcmp(table->type, "dos") == 0)
		r = dos_inspect(source, table);
	else if (table->type[0])
		r = table_add_area(table, REGION_TABLE, 0, sectors_of_table(source, table));
	if (r == 0 && strcmp(table->type, "gpt") != 0)
		r = gpt_inspect_other_size(source, table);
	return r;
}

static bool is_known(const struct table_source *source, const struct partition *partition)
{
	for (size_t i = 0; i < source->known_count; i++)
		if (source->known[i].start == partition->start &&
		    source->known[i].count == partition->sectors)
			return true;
	return false;
}

static void read_place(const struct table_source *source, struct partition *partition)
{
	CLEANUP(probe) blkid_probe probe = NULL;
	uint64_t offset, size, end;

	if (partition->extended || partition->sectors == 0 || is_known(source, partition) ||
	    !u64_mul(partition->start, source->sector_size, &offset) ||
	    !u64_mul(partition->sectors, source->sector_size, &size) ||
	    !u64_add(offset, size, &end) || end > source->size ||
	    contents_are_bad(source, offset, size) || !can_be_read(source, offset, size) ||
	    open_probe(source, offset, size, &probe) < 0)
		return;
	read_ahead(source, offset, size);
	read_contents(probe, partition->fs, sizeof(partition->fs), partition->label,
		      sizeof(partition->label), partition->uuid, sizeof(partition->uuid));
}

void table_read_contents(const struct table_source *source, struct partition *partition)
{
	struct table_source with = *source;
	struct once once;

	once_open(&once, source->fd);
	with.once = &once;
	read_place(&with, partition);
	once_close(&once);
}

static void read_whole(const struct table_source *source, blkid_probe probe, struct table *ret)
{
	if (contents_are_bad(source, 0, source->size) || !can_be_read(source, 0, source->size))
		return;
	read_ahead(source, 0, source->size);
	read_contents(probe, ret->whole_fs, sizeof(ret->whole_fs), ret->whole_label,
		      sizeof(ret->whole_label), NULL, 0);
	read_signatures(probe, ret);
}

/* As many as there is room for. */
static void print_partitions(const struct table *table, uint32_t sector_size, char *buffer,
			     size_t size)
{
	size_t used = strlen(buffer);

	for (size_t i = 0; i < table->partition_count; i++) {
		const struct partition *p = &table->partitions[i];
		uint64_t length = 0;
		int n;

		u64_mul(p->sectors, sector_size, &length);
		n = snprintf(buffer + used, size - used, "%s %u %s%s%.24s%s %s", i ? "," : ":",
			     p->number, p->fs[0] ? p->fs : "?", p->label[0] ? " \"" : "", p->label,
			     p->label[0] ? "\"" : "", UNITS_SHORT(length, UNITS_SI, sector_size));
		if (n < 0 || (size_t)n >= size - used) {
			buffer[used] = '\0';
			break;
		}
		used += (size_t)n;
	}
}

const char *table_print(const struct table *table, uint32_t sector_size, char *buffer, size_t size)
{
	buffer[0] = '\0';
	if (table->type[0]) {
		snprintf(buffer, size, _("a partition table (%s)"), table->type);
		print_partitions(table, sector_size, buffer, size);
	} else if (table->whole_fs[0]) {
		snprintf(buffer, size, "%s%s%.32s%s", table->whole_fs,
			 table->whole_label[0] ? " \"" : "", table->whole_label,
			 table->whole_label[0] ? "\"" : "");
	}
	return buffer;
}

/* Of what can be found at all. */
static int read_all(const struct table_source *source, struct table *ret)
{
	CLEANUP(probe) blkid_probe probe = NULL;
	uint64_t page = u64_align_down(shorter(source->size, PLACE_READ), source->sector_size);
	uint64_t length = page ? page : source->sector_size;
	CLEANUP(free) uint8_t *first = malloc(length);
	/* libblkid reads whole pages, and reports a disk of which it cannot read the first one as
	 * empty. */
	int r = first ? once_read(source->once, 0, length, first) : -ENOMEM;

	if (r == 0)
		r = open_probe(source, 0, source->size, &probe);
	if (r == 0)
		r = read_partitions(source, probe, ret);
	if (r == 0)
		r = inspect(source, ret);
	if (r == 0 && !stopped(source))
		read_whole(source, probe, ret);
	for (size_t i = 0; r == 0 && i < ret->partition_count && !stopped(source); i++)
		read_place(source, &ret->partitions[i]);
	if (r == 0 && source->once->failures)
		r = table_add_note(
			ret, "%s",
			_("A read failed. To spare the disk, not everything on it was looked at."));
	return r;
}

int table_read(const struct table_source *source, struct table *ret)
{
	struct table_source careful = *source;
	struct once once;
	int r;

	*ret = (struct table){ 0 };
	if (source->size < 512 || source->sector_size < 512 || source->sector_size % 512 != 0 ||
	    source->size < source->sector_size)
		return 0;
	if (is_bad(source, 0, shorter(source->size, TABLE_READ)))
		return -EIO;
	/* Read-ahead could reach bad sectors, and what fails in it is read again at once: each
	 * failed read may be the disk's last. */
	posix_fadvise(source->fd, 0, 0, POSIX_FADV_RANDOM);
	once_open(&once, source->fd);
	careful.once = &once;
	r = read_all(&careful, ret);
	once_close(&once);
	/* The disk and its partitions have separate page caches: what stays in this one would be
	 * read again, out of date, after a partition was written. */
	posix_fadvise(source->fd, 0, 0, POSIX_FADV_DONTNEED);
	return r;
}
