/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the table screen. */
#include "discover/regions.h"

#include <errno.h>
#include <stdlib.h>

#include "base/i18n.h"
#include "base/range.h"

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
