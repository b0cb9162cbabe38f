/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"

/* The first sector after it, at most 2^64-1: a table may claim anything. */
static uint64_t end_of(uint64_t start, uint64_t sectors)
{
	uint64_t end;

	return u64_add(start, sectors, &end) ? end : UINT64_MAX;
}

int regions_note_problems(struct table *table, uint64_t disk_sectors)
{
	const struct partition *longest = NULL;
	uint64_t reached = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < table->partition_count; i++) {
		const struct partition *p = &table->partitions[i];
		uint64_t end = end_of(p->start, p->sectors);

		if (end > disk_sectors)
			r = table_add_note(
				table,
				_("Partition %u reaches beyond the end of the disk: to LBA %llu, "
				  "the disk ends at LBA %llu."),
				p->number, (unsigned long long)(end - 1),
				(unsigned long long)(disk_sectors ? disk_sectors - 1 : 0));
		if (p->extended)
			continue;
		if (r == 0 && longest && p->start < reached)
			r = table_add_note(table,
					   _("Partitions %u and %u overlap: %u starts at LBA %llu, "
					     "%u ends at LBA %llu."),
					   longest->number, p->number, p->number,
					   (unsigned long long)p->start, longest->number,
					   (unsigned long long)(reached - 1));
		if (end > reached) {
			reached = end;
			longest = p;
		}
	}
	return r;
}

static int compare_regions(const void *a, const void *b)
{
	const struct region *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->partition - y->partition;
}

/* Clipped to the disk; false when nothing of it is left. */
static bool clip(struct region *region, uint64_t disk_sectors)
{
	uint64_t end = end_of(region->start, region->sectors);

	if (end > disk_sectors)
		end = disk_sectors;
	if (region->start >= end)
		return false;
	region->sectors = end - region->start;
	return true;
}

/* Table areas that touch or lie in each other become one row. */
static size_t merge_areas(struct region *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct region *last = kept ? &rows[kept - 1] : NULL;

		if (last && last->kind == rows[i].kind && rows[i].partition < 0 &&
		    rows[i].start <= last->start + last->sectors) {
			uint64_t end = rows[i].start + rows[i].sectors;

			if (end > last->start + last->sectors)
				last->sectors = end - last->start;
		} else {
			rows[kept++] = rows[i];
		}
	}
	return kept;
}

/* Every row, and a gap where there is none; returns the count. `out` holds 2 * count + 1. */
static size_t fill_gaps(const struct region *rows, size_t count, uint64_t disk_sectors,
			struct region *out)
{
	uint64_t reached = 0;
	size_t used = 0;

	for (size_t i = 0; i <= count; i++) {
		uint64_t start = i < count ? rows[i].start : disk_sectors;

		if (start > reached)
			out[used++] = (struct region){ .kind = REGION_GAP,
						       .start = reached,
						       .sectors = start - reached,
						       .partition = -1 };
		if (i == count)
			break;
		out[used++] = rows[i];
		if (rows[i].start + rows[i].sectors > reached)
			reached = rows[i].start + rows[i].sectors;
	}
	return used;
}

static size_t collect(const struct disk *disk, const struct table_area *areas, size_t area_count,
		      struct region *rows)
{
	uint64_t sectors = disk_sectors(disk);
	size_t count = 0;

	for (size_t i = 0; i < area_count; i++) {
		struct region row = { .kind = areas[i].kind,
				      .start = areas[i].start,
				      .sectors = areas[i].sectors,
				      .partition = -1 };

		if (clip(&row, sectors))
			rows[count++] = row;
	}
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];
		struct region row = { .kind = REGION_PARTITION,
				      .start = p->start,
				      .sectors = p->sectors,
				      .partition = (int)i };

		if (!p->extended && clip(&row, sectors))
			rows[count++] = row;
	}
	qsort(rows, count, sizeof(*rows), compare_regions);
	return merge_areas(rows, count);
}

int regions_make(struct disk *disk, const struct table_area *areas, size_t area_count)
{
	size_t most = disk->partition_count + area_count;
	struct region *rows = NULL;
	uint64_t sectors = disk_sectors(disk);
	int r = 0;

	if (sectors == 0)
		return 0;
	disk->regions = calloc(2 * most + 1, sizeof(*disk->regions));
	if (!disk->regions)
		return -ENOMEM;
	if (most == 0) {
		disk->regions[0] = (struct region){ .kind = REGION_WHOLE,
						    .sectors = sectors,
						    .partition = -1 };
		disk->region_count = 1;
		return 0;
	}
	rows = calloc(most, sizeof(*rows));
	if (rows) {
		size_t count = collect(disk, areas, area_count, rows);

		disk->region_count = fill_gaps(rows, count, sectors, disk->regions);
	} else {
		r = -ENOMEM;
	}
	free(rows);
	return r;
}

/* ---- two views made one ---- */

/* For the kernel, every extended partition has two sectors. */
static bool same_place(const struct partition *kernel, const struct partition *read)
{
	return kernel->number == read->number && kernel->start == read->start &&
	       (read->extended || kernel->sectors == read->sectors);
}

/* Gives the partition read from the disk its node; false if the kernel has none at that place. */
static bool take_node(const struct disk *disk, struct partition *read, bool *taken)
{
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *kernel = &disk->partitions[i];

		if (!same_place(kernel, read))
			continue;
		text_copy(read->node, sizeof(read->node), kernel->node);
		read->devno = kernel->devno;
		/* Already read by udev. */
		if (!read->fs[0]) {
			text_copy(read->fs, sizeof(read->fs), kernel->fs);
			text_copy(read->label, sizeof(read->label), kernel->label);
			text_copy(read->uuid, sizeof(read->uuid), kernel->uuid);
		}
		taken[i] = true;
		return true;
	}
	return false;
}

static int note_left_over(const struct disk *disk, const struct partition *kernel,
			  struct table *table)
{
	return table_add_note(
		table,
		_("The kernel has %s at LBA %llu, but the partition table does not: it was "
		  "changed. Have the kernel read it again with:  blockdev --rereadpt %s"),
		kernel->node, (unsigned long long)kernel->start, disk->node);
}

/* A partition that only the kernel has may be mounted: it stays in the list. Of a GPT that cannot
 * be read any more it is all that is known, and a note says already what happened to that. */
static int keep_left_over(struct disk *disk, const bool *taken, struct table *table)
{
	bool unread =
		strcmp(table->type, "gpt") == 0 && !table->partition_count && table->note_count;

	if (unread && disk->partition_count &&
	    table_add_note(table, "%s",
			   _("The kernel still has the partitions as they were before; it forgets "
			     "them when it reads the table again.")) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < disk->partition_count; i++) {
		if (taken[i])
			continue;
		if (array_append(table->partitions, table->partition_count, disk->partitions[i]) <
			    0 ||
		    (!unread && note_left_over(disk, &disk->partitions[i], table) < 0))
			return -ENOMEM;
	}
	return 0;
}

int merge_table(struct disk *disk, struct table *table)
{
	bool *taken = calloc(disk->partition_count + 1, sizeof(*taken));
	int r = taken ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < table->partition_count; i++)
		take_node(disk, &table->partitions[i], taken);
	if (r == 0)
		r = regions_note_problems(table, disk_sectors(disk));
	if (r == 0)
		r = keep_left_over(disk, taken, table);
	free(taken);
	if (r < 0)
		return r;
	free(disk->partitions);
	disk->partitions = table->partitions;
	disk->partition_count = table->partition_count;
	disk->gpt_from_backup = table->gpt_from_backup;
	disk->notes = table->notes;
	disk->note_count = table->note_count;
	table->partitions = NULL;
	table->partition_count = 0;
	table->notes = NULL;
	table->note_count = 0;
	text_copy(disk->table, sizeof(disk->table), table->type);
	text_copy(disk->table_uuid, sizeof(disk->table_uuid), table->uuid);
	text_copy(disk->whole_fs, sizeof(disk->whole_fs), table->whole_fs);
	text_copy(disk->whole_label, sizeof(disk->whole_label), table->whole_label);
	memcpy(disk->signatures, table->signatures, sizeof(disk->signatures));
	disk->signature_count = table->signature_count;
	return 0;
}
