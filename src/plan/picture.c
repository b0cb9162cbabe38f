/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drawing a disk on a row of cells. First every cell shows what is in it; then
 * each thing that must be visible claims a cell of its own: the one where it
 * begins, or the next free one. Claims go from left to right and leave room for
 * later ones, so they never collide. Nothing is allocated: the placement is
 * computed anew while walking over the disk.
 *
 * Of the destination after the plan the main question is whose partition table
 * will be there: a table is valid as a whole or not at all, so touching it
 * anywhere counts as replacing it.
 */
#include "plan/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/range.h"

#define NOWHERE UINT64_MAX

/* Bytes of a disk as a half-open interval; never empty, inside the row. */
struct bytes {
	uint64_t start, end;
};

/* What is drawn: a disk as it is, or as it will be. */
struct row {
	const struct disk *disk;      /* its partitions and table areas; NULL: none */
	uint64_t size;                /* bytes up to the end of the disk that is drawn */
	bool hide_logical;            /* the chain of extended tables is broken */
	const struct plan *copied_by; /* only table areas that this plan copies in place */

	/* Set by row_init(). */
	uint64_t scale; /* bytes that all cells stand for */
	int cells;
	int used;             /* cells that the disk reaches into */
	bool keep_partitions; /* each has a cell of its own */
	bool keep_tables;
	unsigned kept; /* things that have one */
};

/* A partition, or (partition NULL) a table area. */
struct thing {
	struct bytes bytes;
	const struct partition *partition;
};

struct walk {
	size_t partition, region;
	unsigned kept; /* things given a cell so far */
	int cell;      /* of the last of them, -1 none */
};

/* The part of the partition or region below `size`, in bytes; false if there is none. */
static bool clip(const struct disk *disk, uint64_t start, uint64_t sectors, uint64_t size,
		 struct bytes *ret)
{
	uint64_t sector = disk->identity.logical_sector_size;
	uint64_t limit = sector ? size / sector : 0;

	if (sectors == 0 || start >= limit)
		return false;
	ret->start = start * sector;
	ret->end = (sectors < limit - start ? start + sectors : limit) * sector;
	return true;
}

/* A logical partition of an MS-DOS table: it is found through the extended ones only. */
static bool is_logical(const struct disk *disk, const struct partition *partition)
{
	return partition->number >= 5 && strcmp(disk->table, "dos") == 0;
}

/* The index of the first extent that ends after this LBA of the source, or of the destination; they
 * ascend on both. */
static size_t first_behind(const struct plan *plan, uint64_t lba, bool destination)
{
	const struct extent *e = plan->extents;

	return array_first(plan->extent_count, i,
			   (destination ? e[i].destination_lba : e[i].source_lba) + e[i].sectors >
				   lba);
}

/* Where on the destination the plan copies these sectors of its source to, if it copies them all;
 * else NOWHERE. */
static uint64_t copied_to(const struct plan *plan, uint64_t start, uint64_t sectors)
{
	size_t i = first_behind(plan, start, false);
	const struct extent *extent = &plan->extents[i];

	if (i < plan->extent_count &&
	    range_contains((struct range){ extent->source_lba, extent->sectors },
			   (struct range){ start, sectors }))
		return extent->destination_lba + (start - extent->source_lba);
	return NOWHERE;
}

static uint64_t row_end(const struct row *row)
{
	return row->size < row->scale ? row->size : row->scale;
}

/* cell * scale / cells, without a product that could overflow. */
static uint64_t cell_start(const struct row *row, int cell)
{
	uint64_t cells = (uint64_t)row->cells, i = (uint64_t)cell;

	return i * (row->scale / cells) + i * (row->scale % cells) / cells;
}

static struct bytes cell_bytes(const struct row *row, int cell)
{
	uint64_t start = cell_start(row, cell), end = cell_start(row, cell + 1);

	/* A row of more cells than bytes. */
	return (struct bytes){ start, end > start ? end : start + 1 };
}

/* The last cell that starts at or before the byte. */
static int cell_of(const struct row *row, uint64_t byte)
{
	return (int)array_first((size_t)row->cells, i, cell_start(row, (int)i) > byte) - 1;
}

static bool meet(struct bytes a, struct bytes b)
{
	return a.start < b.end && b.start < a.end;
}

static bool next_partition(const struct row *row, size_t *index, struct thing *ret)
{
	const struct disk *disk = row->disk;

	for (; disk && *index < disk->partition_count; (*index)++) {
		const struct partition *partition = &disk->partitions[*index];
		uint64_t start = partition->start, sectors = partition->sectors;

		if (row->hide_logical && is_logical(disk, partition))
			continue;
		if (row->copied_by)
			fitted_place(&row->copied_by->fitted, partition->number, &start, &sectors);
		ret->partition = partition;
		if (clip(disk, start, sectors, row_end(row), &ret->bytes))
			return true;
	}
	return false;
}

static bool next_table(const struct row *row, size_t *index, struct thing *ret)
{
	const struct disk *disk = row->disk;

	for (; disk && *index < disk->region_count; (*index)++) {
		const struct region *region = &disk->regions[*index];
		uint64_t start = region->start;

		if (region->kind != REGION_TABLE && region->kind != REGION_TABLE_BACKUP)
			continue;
		if (row->copied_by)
			start = copied_to(row->copied_by, start, region->sectors);
		/* A table copied to another place has a meaning only if it fits there. */
		if (start != region->start && !(start != NOWHERE && row->copied_by->fitted.backup))
			continue;
		ret->partition = NULL;
		if (clip(disk, start, region->sectors, row_end(row), &ret->bytes))
			return true;
	}
	return false;
}

/* The next thing in the order of the disk. */
static bool walk_next(const struct row *row, struct walk *walk, struct thing *ret)
{
	struct thing partition, table;
	bool has_partition = next_partition(row, &walk->partition, &partition);
	bool has_table = next_table(row, &walk->region, &table);

	if (!has_partition && !has_table)
		return false;
	if (has_table && (!has_partition || table.bytes.start <= partition.bytes.start)) {
		*ret = table;
		walk->region++;
	} else {
		*ret = partition;
		walk->partition++;
	}
	return true;
}

/* The next thing that has a cell of its own, and that cell. */
static bool walk_next_kept(const struct row *row, struct walk *walk, struct thing *ret)
{
	do {
		if (!walk_next(row, walk, ret))
			return false;
	} while (!(ret->partition ? row->keep_partitions : row->keep_tables));

	int cell = cell_of(row, ret->bytes.start);
	int last = row->used - (int)(row->kept - walk->kept);

	if (cell <= walk->cell)
		cell = walk->cell + 1;
	walk->cell = cell < last ? cell : last;
	walk->kept++;
	return true;
}

static void row_init(struct row *row, uint64_t scale, int cells)
{
	struct walk walk = { .cell = -1 };
	struct thing thing;
	size_t partitions = 0, tables = 0;

	row->scale = scale;
	row->cells = cells > 0 ? cells : 0;
	if (row->cells == 0 || row_end(row) == 0)
		return;
	row->used = cell_of(row, row_end(row) - 1) + 1;
	while (walk_next(row, &walk, &thing)) {
		if (thing.partition)
			partitions++;
		else
			tables++;
	}
	row->keep_partitions = partitions <= (size_t)row->used;
	row->keep_tables = row->keep_partitions && tables <= (size_t)row->used - partitions;
	row->kept = (unsigned)((row->keep_partitions ? partitions : 0) +
			       (row->keep_tables ? tables : 0));
}

char picture_letter(unsigned number)
{
	if (number >= 1 && number <= 9)
		return (char)('0' + number);
	return number >= 10 && number < 10 + 26 ? (char)('a' + (number - 10)) : '#';
}

/* If the table could not be read, space outside partitions is unknown, too. */
static char free_letter(const struct row *row)
{
	return row->disk && strcmp(row->disk->table, "?") == 0 ? '?' : '.';
}

/* What the cell shows: the smallest partition, else a table area, else nothing. */
static char natural_letter(const struct row *row, int cell)
{
	struct bytes bytes = cell_bytes(row, cell);
	struct walk walk = { .cell = -1 };
	const struct partition *smallest = NULL;
	struct thing thing;
	char letter = free_letter(row);

	while (walk_next(row, &walk, &thing)) {
		if (!meet(thing.bytes, bytes))
			continue;
		if (!thing.partition && !smallest)
			letter = 'G';
		if (thing.partition &&
		    (!smallest || thing.partition->sectors < smallest->sectors)) {
			smallest = thing.partition;
			letter = picture_letter(thing.partition->number);
		}
	}
	return letter;
}

static void fill_blank(const struct row *row, char *out)
{
	memset(out, ' ', (size_t)row->cells);
	out[row->cells] = '\0';
}

static void draw_letters(const struct row *row, char *out)
{
	struct walk walk = { .cell = -1 };
	struct thing thing;

	fill_blank(row, out);
	for (int i = 0; i < row->used; i++)
		out[i] = natural_letter(row, i);
	while (walk_next_kept(row, &walk, &thing))
		out[walk.cell] = thing.partition ? picture_letter(thing.partition->number) : 'G';
}

/* How many of these bytes of the destination's disk the plan writes, and how many of those are not
 * finished. What does not fit the destination's node is not written: the guard refuses it, and the
 * kernel too. */
static uint64_t written_of(const struct plan *plan, const struct range_list *finished,
			   struct bytes bytes, uint64_t *retleft)
{
	const struct endpoint *node = &plan->destinations[0];
	uint64_t total = 0, done = 0;
	uint64_t from = bytes.start > node->start ? bytes.start - node->start : 0;

	for (size_t i = first_behind(plan, from / plan->sector_size, true); i < plan->extent_count;
	     i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);
		struct range part;

		if (node->start + e.destination >= bytes.end)
			break;
		if (node->kind != ENDPOINT_IMAGE && e.destination >= node->size)
			break;
		if (node->kind != ENDPOINT_IMAGE && e.length > node->size - e.destination)
			e.length = node->size - e.destination;
		if (!range_intersect((struct range){ node->start + e.destination, e.length },
				     (struct range){ bytes.start, bytes.end - bytes.start }, &part))
			continue;
		total += part.count;
		/* From here on, as bytes of the source. */
		part.start = part.start - node->start - e.destination + e.source;
		if (finished)
			done += range_list_common(finished, part);
	}
	*retleft = total - done;
	return total;
}

/* What is marked: what ranges touch, or what a plan writes. */
struct marks {
	const struct range_list *ranges; /* or */
	const struct plan *plan;
	const struct range_list *finished; /* copied already; NULL: none */
};

static char mark_of(const struct row *row, const struct marks *marks, struct bytes bytes)
{
	uint64_t left, all, first, last;

	if (marks->plan) {
		all = written_of(marks->plan, marks->finished, bytes, &left);
		return !all ? '-' : left ? 'x' : '+';
	}
	first = bytes.start / row->disk->identity.logical_sector_size;
	last = (bytes.end - 1) / row->disk->identity.logical_sector_size;
	return range_list_overlaps(marks->ranges, (struct range){ first, last - first + 1 }) ? '='
											     : ' ';
}

static void draw_marks(const struct row *row, const struct marks *marks, char *out)
{
	struct walk walk = { .cell = -1 };
	struct thing thing;

	fill_blank(row, out);
	for (int i = 0; i < row->used; i++)
		out[i] = mark_of(row, marks, cell_bytes(row, i));
	/* A thing outside its place is marked for itself, not for what the cell covers. */
	while (walk_next_kept(row, &walk, &thing))
		if (!meet(cell_bytes(row, walk.cell), thing.bytes))
			out[walk.cell] = mark_of(row, marks, thing.bytes);
}

/* ---- as it is, and what is chosen of it ---- */

void picture_disk(const struct disk *disk, uint64_t scale, int cells, char *out)
{
	struct row row = { .disk = disk, .size = disk->identity.size };

	row_init(&row, scale, cells);
	draw_letters(&row, out);
}

void picture_ranges(const struct disk *disk, const struct range_list *ranges, int cells, char *out)
{
	const struct marks marks = { .ranges = ranges };
	/* Without a sector size there is nothing to draw: no cell is in use. */
	struct row row = { .disk = disk,
			   .size = disk->identity.logical_sector_size ? disk->identity.size : 0 };

	row_init(&row, row.size, cells);
	draw_marks(&row, &marks, out);
}

/* ---- as it will be ---- */

enum table_after {
	TABLE_KEPT,        /* the destination's own */
	TABLE_FROM_SOURCE, /* copied to its place */
	TABLE_NONE,        /* overwritten by what is none */
	TABLE_UNKNOWN,     /* an image's, or one that could not be read */
};

static uint64_t written(const struct plan *plan, struct bytes bytes)
{
	uint64_t left;

	return written_of(plan, NULL, bytes, &left);
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

/* The table that comes from the source, when the destination's own is written over. */
static enum table_after table_from_source(const struct plan *plan, const struct disk *source)
{
	if (plan->source.kind == ENDPOINT_PARTITION)
		return TABLE_NONE;
	if (!source || strcmp(source->table, "?") == 0)
		return TABLE_UNKNOWN;

	struct range table = first_table(source);

	/* The positions in a table count logical sectors of the disk that it is on. */
	if ((strcmp(source->table, "gpt") != 0 && strcmp(source->table, "dos") != 0) ||
	    copied_to(plan, table.start, table.count) != table.start ||
	    (!plan->fitted.sector && plan->destinations[0].logical_sector_size != 0 &&
	     plan->destinations[0].logical_sector_size != plan->sector_size))
		return TABLE_NONE;
	return TABLE_FROM_SOURCE;
}

static bool overwrites_table(const struct plan *plan, const struct disk *destination)
{
	struct range table = first_table(destination);
	struct bytes bytes;

	return clip(destination, table.start, table.count, destination->identity.size, &bytes) &&
	       written(plan, bytes) > 0;
}

static enum table_after table_after(const struct plan *plan, const struct disk *source,
				    const struct disk *destination)
{
	if (plan->destinations[0].kind == ENDPOINT_IMAGE && !destination) {
		struct bytes first = { 0, 1 };

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
		struct bytes bytes;

		if (is_chain_link(destination, region) &&
		    clip(destination, region->start, region->sectors, destination->identity.size,
			 &bytes) &&
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
		    copied_to(plan, region->start, region->sectors) != region->start)
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
	struct row row = { .size = size_of(plan, destination_disk) };
	enum table_after table = table_after(plan, source_disk, destination_disk);

	if (table == TABLE_KEPT) {
		row.disk = destination_disk;
		row.hide_logical = breaks_chain(plan, destination_disk);
	} else if (table == TABLE_FROM_SOURCE) {
		row.disk = source_disk;
		row.hide_logical = !copies_chain(plan, source_disk);
		row.copied_by = plan;
	}
	row_init(&row, row.size, cells);
	draw_letters(&row, out);
	if (table == TABLE_UNKNOWN)
		memset(out, '?', (size_t)row.used);
}

void picture_touched(const struct plan *plan, const struct range_list *finished,
		     const struct disk *destination_disk, int cells, char *out)
{
	const struct marks marks = { .plan = plan, .finished = finished };
	struct row row = { .disk = destination_disk, .size = size_of(plan, destination_disk) };

	row_init(&row, row.size, cells);
	draw_marks(&row, &marks, out);
}

/* Does the plan destroy the partition, and how? table, chain: those are overwritten. */
static bool is_lost(const struct plan *plan, const struct disk *disk,
		    const struct partition *partition, bool table, bool chain, enum lost_how *ret)
{
	struct bytes bytes;

	if (partition->extended ||
	    !clip(disk, partition->start, partition->sectors, disk->identity.size, &bytes))
		return false;

	uint64_t hit = written(plan, bytes);

	if (hit == bytes.end - bytes.start)
		*ret = LOST_OVERWRITTEN;
	else if (hit > 0)
		*ret = LOST_PARTLY;
	else if (table || (chain && is_logical(disk, partition)))
		*ret = LOST_FROM_TABLE;
	else
		return false;
	return true;
}

static bool is_half_made(const struct partition *partition, const struct disk *source)
{
	for (size_t i = 0; partition->part_uuid[0] && source && i < source->partition_count; i++)
		if (strcmp(source->partitions[i].part_uuid, partition->part_uuid) == 0 &&
		    source->partitions[i].sectors == partition->sectors)
			return true;
	return false;
}

int picture_lost(const struct plan *plan, const struct disk *destination_disk,
		 const struct disk *half_made_of, struct lost **ret, size_t *retcount)
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
			if (!is_half_made(list[count].partition, half_made_of) &&
			    is_lost(plan, disk, list[count].partition, table, chain,
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
