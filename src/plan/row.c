/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drawing a disk on a row of cells. First every cell shows what is in it; then
 * each thing that must be visible claims a cell of its own: the one where it
 * begins, or the next free one. Claims go from left to right and leave room for
 * later ones, so they never collide.
 */
#include "plan/row.h"

#include <string.h>

#include "base/range.h"

/* A partition, or (partition NULL) a table area. */
struct thing {
	struct row_bytes bytes;
	const struct partition *partition;
};

struct walk {
	size_t partition, region;
	unsigned kept; /* things given a cell so far */
	int cell;      /* of the last of them, -1 none */
};

bool row_clip(const struct disk *disk, uint64_t start, uint64_t sectors, uint64_t size,
	      struct row_bytes *ret)
{
	uint64_t sector = disk->identity.logical_sector_size;
	uint64_t limit = sector ? size / sector : 0;

	if (sectors == 0 || start >= limit)
		return false;
	ret->start = start * sector;
	ret->end = (sectors < limit - start ? start + sectors : limit) * sector;
	return true;
}

bool row_is_logical(const struct disk *disk, const struct partition *partition)
{
	return partition->number >= 5 && strcmp(disk->table, "dos") == 0;
}

bool row_copied_in_place(const struct plan *plan, uint64_t start, uint64_t sectors)
{
	size_t low = 0, high = plan->extent_count;

	/* The first extent that ends after the start; they ascend. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct extent *extent = &plan->extents[middle];

		if (extent->source_lba + extent->sectors <= start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == plan->extent_count)
		return false;

	const struct extent *extent = &plan->extents[low];

	return extent->source_lba == extent->destination_lba &&
	       range_contains((struct range){ extent->source_lba, extent->sectors },
			      (struct range){ start, sectors });
}

static uint64_t row_end(const struct row *row)
{
	return row->scene->size < row->scale ? row->scene->size : row->scale;
}

/* cell * scale / cells, without a product that could overflow. */
static uint64_t cell_start(const struct row *row, int cell)
{
	uint64_t cells = (uint64_t)row->cells, i = (uint64_t)cell;

	return i * (row->scale / cells) + i * (row->scale % cells) / cells;
}

static struct row_bytes cell_bytes(const struct row *row, int cell)
{
	uint64_t start = cell_start(row, cell), end = cell_start(row, cell + 1);

	/* A row of more cells than bytes. */
	return (struct row_bytes){ start, end > start ? end : start + 1 };
}

/* The last cell that starts at or before the byte. */
static int cell_of(const struct row *row, uint64_t byte)
{
	int low = 0, high = row->cells - 1;

	while (low < high) {
		int middle = low + (high - low + 1) / 2;

		if (cell_start(row, middle) <= byte)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static bool meet(struct row_bytes a, struct row_bytes b)
{
	return a.start < b.end && b.start < a.end;
}

static bool next_partition(const struct row *row, size_t *index, struct thing *ret)
{
	const struct scene *scene = row->scene;
	const struct disk *disk = scene->disk;

	for (; disk && *index < disk->partition_count; (*index)++) {
		const struct partition *partition = &disk->partitions[*index];

		if (scene->hide_logical && row_is_logical(disk, partition))
			continue;
		ret->partition = partition;
		if (row_clip(disk, partition->start, partition->sectors, row_end(row), &ret->bytes))
			return true;
	}
	return false;
}

static bool next_table(const struct row *row, size_t *index, struct thing *ret)
{
	const struct scene *scene = row->scene;
	const struct disk *disk = scene->disk;

	for (; disk && *index < disk->region_count; (*index)++) {
		const struct region *region = &disk->regions[*index];

		if (region->kind != REGION_TABLE && region->kind != REGION_TABLE_BACKUP)
			continue;
		if (scene->copied_by &&
		    !row_copied_in_place(scene->copied_by, region->start, region->sectors))
			continue;
		ret->partition = NULL;
		if (row_clip(disk, region->start, region->sectors, row_end(row), &ret->bytes))
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

void row_init(struct row *row, const struct scene *scene, uint64_t scale, int cells)
{
	struct walk walk = { .cell = -1 };
	struct thing thing;
	size_t partitions = 0, tables = 0;

	*row = (struct row){ .scene = scene, .scale = scale, .cells = cells > 0 ? cells : 0 };
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

static char partition_letter(unsigned number)
{
	if (number >= 1 && number <= 9)
		return (char)('0' + number);
	if (number >= 10 && number < 10 + 26)
		return (char)('a' + (number - 10));
	return '#';
}

static char thing_letter(const struct thing *thing)
{
	return thing->partition ? partition_letter(thing->partition->number) : 'G';
}

/* If the table could not be read, space outside partitions is unknown, too. */
static char free_letter(const struct scene *scene)
{
	return scene->disk && strcmp(scene->disk->table, "?") == 0 ? '?' : '.';
}

/* What the cell shows: the smallest partition, else a table area, else nothing. */
static char natural_letter(const struct row *row, int cell)
{
	struct row_bytes bytes = cell_bytes(row, cell);
	struct walk walk = { .cell = -1 };
	const struct partition *smallest = NULL;
	struct thing thing;
	char letter = free_letter(row->scene);

	while (walk_next(row, &walk, &thing)) {
		if (!meet(thing.bytes, bytes))
			continue;
		if (!thing.partition && !smallest)
			letter = 'G';
		if (thing.partition &&
		    (!smallest || thing.partition->sectors < smallest->sectors)) {
			smallest = thing.partition;
			letter = thing_letter(&thing);
		}
	}
	return letter;
}

static void fill_blank(const struct row *row, char *out)
{
	memset(out, ' ', (size_t)row->cells);
	out[row->cells] = '\0';
}

void row_draw_letters(const struct row *row, char *out)
{
	struct walk walk = { .cell = -1 };
	struct thing thing;

	fill_blank(row, out);
	for (int i = 0; i < row->used; i++)
		out[i] = natural_letter(row, i);
	while (walk_next_kept(row, &walk, &thing))
		out[walk.cell] = thing_letter(&thing);
}

void row_draw_marks(const struct row *row, char (*mark)(const void *what, struct row_bytes bytes),
		    const void *what, char *out)
{
	struct walk walk = { .cell = -1 };
	struct thing thing;

	fill_blank(row, out);
	for (int i = 0; i < row->used; i++)
		out[i] = mark(what, cell_bytes(row, i));
	/* A thing outside its place is marked for itself, not for what the cell covers. */
	while (walk_next_kept(row, &walk, &thing))
		if (!meet(cell_bytes(row, walk.cell), thing.bytes))
			out[walk.cell] = mark(what, thing.bytes);
}
