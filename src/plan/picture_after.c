/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The destination's disk after the plan. The main question is whose partition
 * table will be there: a table is valid as a whole or not at all, so touching
 * it anywhere counts as replacing it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/picture.h"
#include "plan/row.h"

enum table_after {
	TABLE_KEPT,        /* the destination's own */
	TABLE_FROM_SOURCE, /* copied to its place */
	TABLE_NONE,        /* overwritten by what is none */
	TABLE_UNKNOWN,     /* an image's, or one that could not be read */
};

/* The index of the first extent that ends after this byte of the destination's node. */
static size_t first_behind(const struct plan *plan, uint64_t byte)
{
	size_t low = 0, high = plan->extent_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t source, start, length;

		plan_extent_bytes(plan, middle, &source, &start, &length);
		if (start + length <= byte)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many of these bytes of the destination's disk the plan writes, and how many of those are not
 * finished. What does not fit the destination's node is not written: the guard refuses it, and the
 * kernel too. */
static uint64_t written_of(const struct plan *plan, const struct range_list *finished,
			   struct row_bytes bytes, uint64_t *retleft)
{
	const struct endpoint *node = &plan->destinations[0];
	uint64_t total = 0, done = 0;

	for (size_t i =
		     first_behind(plan, bytes.start > node->start ? bytes.start - node->start : 0);
	     i < plan->extent_count; i++) {
		uint64_t source, start, length;
		struct range part;

		plan_extent_bytes(plan, i, &source, &start, &length);
		if (node->start + start >= bytes.end)
			break;
		if (node->kind != ENDPOINT_IMAGE && start >= node->size)
			break;
		if (node->kind != ENDPOINT_IMAGE && length > node->size - start)
			length = node->size - start;
		if (!range_intersect((struct range){ node->start + start, length },
				     (struct range){ bytes.start, bytes.end - bytes.start }, &part))
			continue;
		total += part.count;
		/* From here on, as bytes of the source. */
		part.start = part.start - node->start - start + source;
		if (finished)
			done += range_list_common(finished, part);
	}
	*retleft = total - done;
	return total;
}

static uint64_t written(const struct plan *plan, struct row_bytes bytes)
{
	uint64_t left;

	return written_of(plan, NULL, bytes, &left);
}

struct touching {
	const struct plan *plan;
	const struct range_list *finished;
};

static char plan_marks(const void *what, struct row_bytes bytes)
{
	const struct touching *touching = what;
	uint64_t left, all = written_of(touching->plan, touching->finished, bytes, &left);

	return !all ? '-' : left ? 'x' : '+';
}

/* The table area at the start of a disk, in one region or several; the first sector where no
 * table was seen. */
static struct range first_table(const struct disk *disk)
{
	struct range table = { 0, 0 };

	for (size_t i = 0; i < disk->region_count; i++) {
		const struct region *region = &disk->regions[i];

		if (region->kind != REGION_TABLE || region->start != table.count)
			break;
		table.count += region->sectors;
	}
	return table.count > 0 ? table : (struct range){ 0, 1 };
}

/* Logical partitions hang on a chain of tables in the extended one; this is a link of it. */
static bool is_chain_link(const struct disk *disk, const struct region *region)
{
	return region->kind == REGION_TABLE && region->start > 0 && strcmp(disk->table, "dos") == 0;
}

static bool has_partitions(const struct disk *disk)
{
	return strcmp(disk->table, "gpt") == 0 || strcmp(disk->table, "dos") == 0;
}

/* The table that comes from the source, when the destination's own is written over. */
static enum table_after table_from_source(const struct plan *plan, const struct disk *source)
{
	if (plan->source.kind == ENDPOINT_PARTITION)
		return TABLE_NONE;
	if (!source || strcmp(source->table, "?") == 0)
		return TABLE_UNKNOWN;

	struct range table = first_table(source);

	/* The positions in a table count logical sectors of the disk that it is on. */
	if (!has_partitions(source) || !row_copied_in_place(plan, table.start, table.count) ||
	    (plan->destinations[0].logical_sector_size != 0 &&
	     plan->destinations[0].logical_sector_size != plan->sector_size))
		return TABLE_NONE;
	return TABLE_FROM_SOURCE;
}

static bool overwrites_table(const struct plan *plan, const struct disk *destination)
{
	struct range table = first_table(destination);
	struct row_bytes bytes;

	return row_clip(destination, table.start, table.count, destination->identity.size,
			&bytes) &&
	       written(plan, bytes) > 0;
}

static enum table_after table_after(const struct plan *plan, const struct disk *source,
				    const struct disk *destination)
{
	if (plan->destinations[0].kind == ENDPOINT_IMAGE && !destination) {
		struct row_bytes first = { 0, 1 };

		if (written(plan, first) > 0)
			return table_from_source(plan, source);
		return plan->destinations[0].exists ? TABLE_UNKNOWN : TABLE_NONE;
	}
	if (!destination)
		return TABLE_UNKNOWN;
	return overwrites_table(plan, destination) ? table_from_source(plan, source) : TABLE_KEPT;
}

/* Any link of the chain written over is taken as the end of all logical partitions. */
static bool breaks_chain(const struct plan *plan, const struct disk *destination)
{
	for (size_t i = 0; i < destination->region_count; i++) {
		const struct region *region = &destination->regions[i];
		struct row_bytes bytes;

		if (is_chain_link(destination, region) &&
		    row_clip(destination, region->start, region->sectors,
			     destination->identity.size, &bytes) &&
		    written(plan, bytes) > 0)
			return true;
	}
	return false;
}

static bool copies_chain(const struct plan *plan, const struct disk *source)
{
	for (size_t i = 0; i < source->region_count; i++) {
		const struct region *region = &source->regions[i];

		if (is_chain_link(source, region) &&
		    !row_copied_in_place(plan, region->start, region->sectors))
			return false;
	}
	return true;
}

/* An image may become longer. */
static uint64_t size_of(const struct plan *plan, const struct disk *destination)
{
	return destination && plan->destinations[0].kind != ENDPOINT_IMAGE
		       ? destination->identity.size
		       : plan->destination_size_after;
}

void picture_after(const struct plan *plan, const struct disk *source_disk,
		   const struct disk *destination_disk, int cells, char *out)
{
	struct scene scene = { .size = size_of(plan, destination_disk) };
	enum table_after table = table_after(plan, source_disk, destination_disk);
	struct row row;

	if (table == TABLE_KEPT) {
		scene.disk = destination_disk;
		scene.hide_logical = breaks_chain(plan, destination_disk);
	} else if (table == TABLE_FROM_SOURCE) {
		scene.disk = source_disk;
		scene.hide_logical = !copies_chain(plan, source_disk);
		scene.copied_by = plan;
	}
	row_init(&row, &scene, scene.size, cells);
	row_draw_letters(&row, out);
	if (table == TABLE_UNKNOWN)
		memset(out, '?', (size_t)row.used);
}

void picture_touched(const struct plan *plan, const struct range_list *finished,
		     const struct disk *destination_disk, int cells, char *out)
{
	const struct touching touching = { plan, finished };
	struct scene scene = { .disk = destination_disk, .size = size_of(plan, destination_disk) };
	struct row row;

	row_init(&row, &scene, scene.size, cells);
	row_draw_marks(&row, plan_marks, &touching, out);
}

/* Does the plan destroy the partition, and how? table, chain: those are overwritten. */
static bool is_lost(const struct plan *plan, const struct disk *disk,
		    const struct partition *partition, bool table, bool chain, enum lost_how *ret)
{
	struct row_bytes bytes;

	if (partition->extended ||
	    !row_clip(disk, partition->start, partition->sectors, disk->identity.size, &bytes))
		return false;

	uint64_t hit = written(plan, bytes);

	if (hit == bytes.end - bytes.start)
		*ret = LOST_OVERWRITTEN;
	else if (hit > 0)
		*ret = LOST_PARTLY;
	else if (table || (chain && row_is_logical(disk, partition)))
		*ret = LOST_FROM_TABLE;
	else
		return false;
	return true;
}

int picture_lost(const struct plan *plan, const struct disk *destination_disk, struct lost **ret,
		 size_t *retcount)
{
	const struct disk *disk = destination_disk;
	struct lost *list = NULL;
	size_t count = 0;

	if (disk && disk->partition_count > 0) {
		bool table = overwrites_table(plan, disk);
		bool chain = breaks_chain(plan, disk);

		list = calloc(disk->partition_count, sizeof(*list));
		if (!list)
			return -ENOMEM;
		for (size_t i = 0; i < disk->partition_count; i++) {
			list[count].partition = &disk->partitions[i];
			if (is_lost(plan, disk, list[count].partition, table, chain,
				    &list[count].how))
				count++;
		}
	}
	if (count == 0) {
		free(list);
		list = NULL;
	}
	*ret = list;
	*retcount = count;
	return 0;
}
