/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places of tables and signatures, from the layout of both disks. */
#include "plan/held.h"

#include <string.h>

#include "base/array.h"

/* Both ends of a disk: boot code, GPT with its entries, whole-disk signatures. */
#define ENDS_BYTES (1ULL << 20)
/* Both ends of a partition. ZFS has its labels in the first and last 512 KiB; nothing that blkid
 * knows is further in than 1 MiB; less than 64 KiB would miss btrfs. */
#define EDGE_BYTES_MAX (1ULL << 20)
#define EDGE_BYTES_MIN (128ULL << 10)
/* Areas are aligned to this, so that a drive with larger physical sectors need not read before it
 * writes. */
#define PHYSICAL_BYTES 4096U

/* Of a disk of which nothing is known: its first bytes, as many as hold every known signature. */
#define BARE_BYTES (128ULL << 10)

struct finder {
	const struct plan *plan;
	uint64_t size;   /* bytes of the first extent, which has the same addresses on both ends */
	bool there;      /* addresses are of the destination */
	uint32_t sector; /* bytes: the larger one of both ends */
	uint32_t alignment; /* bytes */
	struct range_list *list;
};

static bool has_room(const struct finder *finder, uint64_t sectors)
{
	const struct range_list *list = finder->list;

	return list->count < HELD_AREAS_MAX &&
	       range_list_total(list) + sectors <= HELD_BYTES_MAX / finder->plan->sector_size;
}

/* Bytes, grown to whole blocks and clipped to the plan; nothing where there is no room left. */
static int add(const struct finder *finder, uint64_t start, uint64_t length)
{
	const struct plan *plan = finder->plan;
	uint64_t end;
	int r = 0;

	if (length == 0)
		return 0;
	if (!u64_add(start, length, &end) || !u64_align_up(end, finder->alignment, &end))
		end = u64_align_down(UINT64_MAX, finder->alignment);
	start = u64_align_down(start, finder->alignment) / plan->sector_size;
	end /= plan->sector_size;
	for (size_t i = 0; r == 0 && i < plan->extent_count; i++) {
		const struct extent *extent = &plan->extents[i];
		uint64_t from = finder->there ? extent->destination_lba : extent->source_lba;
		struct range part;

		if (!range_intersect((struct range){ start, end - start },
				     (struct range){ from, extent->sectors }, &part))
			continue;
		part.start = part.start - from + extent->source_lba;
		if (has_room(finder, part.count))
			r = range_list_add(finder->list, part);
	}
	return r;
}

/* A region of the table in bytes, cut to the size of the disk; false if nothing is left. */
static bool bytes_of(const struct disk *disk, uint64_t start, uint64_t sectors, uint64_t *retstart,
		     uint64_t *retlength)
{
	uint32_t size = disk->identity.logical_sector_size;
	struct range range;

	if (!range_intersect((struct range){ start, sectors },
			     (struct range){ 0, disk_sectors(disk) }, &range))
		return false;
	*retstart = range.start * size;
	*retlength = range.count * size;
	return true;
}

static int add_tables(const struct finder *finder, const struct disk *disk, bool backups)
{
	int r = 0;

	for (size_t i = 0; r == 0 && disk && i < disk->region_count; i++) {
		const struct region *region = &disk->regions[i];
		uint64_t start, length;

		if (region->kind != REGION_TABLE &&
		    (region->kind != REGION_TABLE_BACKUP || !backups))
			continue;
		if (bytes_of(disk, region->start, region->sectors, &start, &length))
			r = add(finder, start, length < ENDS_BYTES ? length : ENDS_BYTES);
	}
	return r;
}

/* The most of each end that all partitions together can have. */
static uint64_t edge_bytes(const struct disk *disk)
{
	uint64_t bytes = EDGE_BYTES_MAX;

	while (bytes > EDGE_BYTES_MIN && disk->partition_count * 2 * bytes > HELD_BYTES_MAX / 2)
		bytes /= 2;
	return bytes;
}

static int add_edges(const struct finder *finder, const struct disk *disk, bool ends)
{
	uint64_t edge = edge_bytes(disk);
	int r = 0;

	for (size_t i = 0; r == 0 && i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];
		const struct fitted_part *cut = fitted_find(&finder->plan->fitted, p->number);
		uint64_t start, length, skip;
		uint64_t sectors =
			cut && !finder->there && cut->size < p->sectors ? cut->size : p->sectors;

		if (p->extended || !bytes_of(disk, p->start, sectors, &start, &length))
			continue;
		skip = ends && length > edge ? length - edge : 0;
		r = add(finder, start + skip, length < edge ? length : edge);
	}
	return r;
}

/* The backup of a table that fits: it goes to the end of the destination. */
static int add_backup(const struct finder *finder)
{
	const struct plan *plan = finder->plan;
	const struct extent *last = &plan->extents[plan->extent_count - 1];
	uint64_t most = ENDS_BYTES / plan->sector_size + 1, skip = 0;

	if (plan->extent_count == 1 || !plan->fitted.backup)
		return 0;
	/* A partition may end right before it. */
	if (last->sectors > most)
		skip = last->sectors - most;
	if (!has_room(finder, last->sectors - skip))
		return 0;
	return range_list_add(finder->list,
			      (struct range){ last->source_lba + skip, last->sectors - skip });
}

static int find_areas(struct finder *finder, const struct disk *source)
{
	uint64_t tail = finder->size > ENDS_BYTES ? finder->size - ENDS_BYTES : 0;
	int r = add(finder, 0, ENDS_BYTES);

	if (r == 0)
		r = add(finder, tail, ENDS_BYTES);
	if (r == 0)
		r = add_tables(finder, source, true);
	if (r == 0)
		r = add_backup(finder);
	if (r == 0 && source)
		r = add_edges(finder, source, false);
	if (r == 0 && source)
		r = add_edges(finder, source, true);
	return r;
}

/* Formats that are also recognised by copies of their signature, while libblkid reports only the
 * first. */
static const struct {
	const char *type; /* libblkid's */
	uint64_t ends;    /* bytes of both ends, or */
	uint64_t blocks[9];
} copies[] = {
	{ "zfs_member", 512ULL << 10, { 0 } }, /* two labels at each end */
	{ "nilfs2", 8ULL << 10, { 0 } },
	{ "stratis", 0, { 0x1000 } },
	{ "crypto_LUKS",
	  0,
	  { 0x4000, 0x8000, 0x10000, 0x20000, 0x40000, 0x80000, 0x100000, 0x200000, 0x400000 } },
};

#define COPIES ARRAY_SIZE(copies)

static int add_copies(const struct finder *finder, const struct disk *disk)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < COPIES; i++) {
		uint64_t ends = copies[i].ends;

		if (strcmp(disk->whole_fs, copies[i].type) != 0)
			continue;
		for (size_t b = 0; r == 0 && b < 9 && copies[i].blocks[b]; b++)
			r = add(finder, copies[i].blocks[b], 1);
		if (r == 0 && ends)
			r = add(finder, 0, ends);
		if (r == 0 && ends && finder->size > ends)
			r = add(finder, finder->size - ends, ends);
	}
	return r;
}

/* The blocks by which the disk as a whole is recognised. */
static int add_signatures(const struct finder *finder, const struct disk *disk)
{
	int r = add_copies(finder, disk);

	for (size_t i = 0; r == 0 && i < disk->signature_count; i++)
		r = add(finder, disk->signatures[i], 1);
	return r;
}

/*
 * A table, and with it the partitions, is found by its first sector. The
 * signatures of the whole disk are written after that: with them the disk is a
 * member of an array, and then nothing of it may be missing.
 */
static int find_keys(struct finder *finder, const struct disk *source, struct held *held)
{
	bool tabled = source && source->table[0] && strcmp(source->table, "?") != 0;
	bool known = source && source->signature_count > 0;
	const uint32_t alignment = finder->alignment;
	int r = 0;

	finder->list = &held->key[1];
	if (known)
		r = add_signatures(finder, source);
	finder->list = &held->key[tabled ? 0 : 1];
	finder->alignment = finder->sector;
	if (r == 0 && (tabled || !known))
		r = add(finder, 0, finder->sector);
	finder->alignment = alignment;
	finder->list = &held->key[0];
	if (r == 0 && !tabled && !known)
		r = add(finder, 0, BARE_BYTES);
	if (r < 0)
		return r;
	return range_list_subtract_all(&held->key[tabled ? 1 : 0], &held->key[tabled ? 0 : 1]);
}

static int find_old(struct finder *finder, const struct disk *destination,
		    const struct range_list *areas)
{
	int r = add_tables(finder, destination, true);

	if (r == 0 && destination)
		r = add_edges(finder, destination, false);
	if (r == 0 && destination)
		r = add_edges(finder, destination, true);
	return r == 0 ? range_list_subtract_all(finder->list, areas) : r;
}

/* The keys come first, because there must be room for them. */
static int find(struct finder *finder, const struct disk *source, const struct disk *destination,
		struct held *ret)
{
	int r = find_keys(finder, source, ret);

	finder->list = &ret->areas;
	for (size_t i = 0; r == 0 && i < HELD_KEYS; i++)
		r = range_list_add_all(finder->list, &ret->key[i]);
	if (r == 0)
		r = find_areas(finder, source);
	finder->list = &ret->found;
	finder->there = true;
	if (r == 0 && destination)
		r = add_signatures(finder, destination);
	finder->list = &ret->old;
	return r == 0 ? find_old(finder, destination, &ret->areas) : r;
}

/* Without what has a copy of it elsewhere: that comes in its turn. */
static int find_first(struct finder *finder, const struct disk *source, struct held *ret)
{
	int r;

	finder->list = &ret->first;
	r = add(finder, 0, BARE_BYTES);
	if (r == 0)
		r = add_tables(finder, source, false);
	return r == 0 && source ? add_edges(finder, source, false) : r;
}

int held_find(const struct plan *plan, const struct disk *source, const struct disk *destination,
	      struct held *ret)
{
	uint32_t a = plan->sector_size, b = plan->destinations[0].logical_sector_size;
	struct finder finder = {
		.plan = plan,
		.size = plan->extents[0].sectors * plan->sector_size,
		.sector = a > b ? a : b,
	};
	int r;

	*ret = (struct held){ 0 };
	finder.alignment = finder.sector > PHYSICAL_BYTES ? finder.sector : PHYSICAL_BYTES;
	if (plan_arms_last(plan))
		r = find(&finder, source, destination, ret);
	else if (plan->whole && plan_spares_source(&plan->options))
		r = find_first(&finder, source, ret);
	else
		return 0;
	if (r < 0)
		held_done(ret);
	return r;
}

void held_done(struct held *held)
{
	range_list_done(&held->areas);
	range_list_done(&held->first);
	for (size_t i = 0; i < HELD_KEYS; i++)
		range_list_done(&held->key[i]);
	range_list_done(&held->found);
	range_list_done(&held->old);
}
