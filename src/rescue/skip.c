/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rescue/skip.h"

#include "base/thread.h"

/* A cluster, as in GNU ddrescue, which only doubles it. What is skipped too much costs no failed
 * reads: it is read later, from its other end. */
#define SKIP_FIRST (64ULL << 10)
#define SKIP_GROWS 4
#define SKIP_SHARE 16 /* of the whole: the longest */
/* A region is over after this part of what is usually good between two failures, or so much. */
#define USUAL_SHARE 4
#define USUAL_LEAST (512ULL << 10)
/* After so much good ground an area is not left: a spot has failed. */
#define AREA_GROUND SKIP_FIRST
/* A failure after less than this part of the last skip was good: damage without gaps. */
#define SOLID_SHARE 4

void skip_init(struct skip *skip)
{
	*skip = (struct skip){ .learned = SKIP_FIRST };
	pthread_mutex_init(&skip->lock, NULL);
}

void skip_done(struct skip *skip)
{
	pthread_mutex_destroy(&skip->lock);
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

/* A skip of `size` bytes after the chunk, from `begin` on, which is at or after it. */
static void land_after(struct skip *skip, struct work *work, uint64_t chunk, uint64_t begin,
		       uint64_t size)
{
	uint64_t land = begin + (size + work->chunk - 1) / work->chunk;

	__atomic_store_n(&skip->from, chunk, __ATOMIC_RELAXED);
	__atomic_store_n(&skip->land, land, __ATOMIC_RELAXED);
	work_jump(work, land);
}

/* So many good bytes, and the region is over: it is no worse than the rest of the disk. */
static uint64_t ends_after(const struct skip *skip, uint64_t size)
{
	uint64_t usual = skip->bad ? skip->ground / skip->bad / USUAL_SHARE : UINT64_MAX;

	if (usual < USUAL_LEAST)
		usual = USUAL_LEAST;
	return at_most(size + SKIP_FIRST, usual);
}

static void begin_region(struct skip *skip, uint64_t size)
{
	skip->failures = 1;
	skip->solid = true;
	__atomic_store_n(&skip->size, size, __ATOMIC_RELAXED);
	__atomic_store_n(&skip->ends, ends_after(skip, size), __ATOMIC_RELAXED);
}

/* How far to stay away from where the last sweep failed, `first` being the next chunk. */
static uint64_t reach(const struct skip *skip, const struct work *work, uint64_t first)
{
	uint64_t span = skip->edge - skip->edge_start;
	struct piece piece;

	/* Good requests were in flight behind it. */
	if (first < work->chunks) {
		work_piece(work, first, &piece);
		if (piece.source > skip->edge)
			return 0;
	}
	/* One request alone, or several that were good between: spots. */
	if (span <= skip->edge_longest || skip->edge_bytes < span)
		span = SKIP_FIRST;
	return at_most(span > skip->learned ? span : skip->learned, skip->most);
}

void skip_reset(struct skip *skip, enum skip_kind kind, struct work *work)
{
	uint64_t share = work->bytes / SKIP_SHARE, first, size;

	skip->kind = kind;
	skip->most = share > SKIP_FIRST ? share : SKIP_FIRST;
	skip->size = skip->from = skip->land = 0;
	if (kind == SKIP_SOME && skip->edge) {
		first = work_first_from(work, skip->edge);
		size = reach(skip, work, first);
		if (size)
			begin_region(skip, size);
		land_after(skip, work, 0, first, size);
	}
	skip->edge_start = skip->edge = skip->edge_bytes = skip->edge_longest = 0;
}

static void note_edge(struct skip *skip, const struct work *work, uint64_t chunk)
{
	struct piece piece;

	work_piece(work, chunk, &piece);
	if (!skip->edge || piece.source < skip->edge_start)
		skip->edge_start = piece.source;
	if (piece.source + piece.length > skip->edge)
		skip->edge = piece.source + piece.length;
	skip->edge_bytes += piece.length;
	if (piece.length > skip->edge_longest)
		skip->edge_longest = piece.length;
}

/* In a region, each failure makes the skip longer. good: bytes since the last one. */
static uint64_t next_size(struct skip *skip, uint64_t good)
{
	uint64_t size = __atomic_load_n(&skip->size, __ATOMIC_RELAXED);

	skip->ground += good;
	skip->bad++;
	if (!size || good >= ends_after(skip, size)) {
		begin_region(skip, at_most(skip->learned, skip->most));
	} else {
		skip->failures++;
		skip->solid &= good < size / SOLID_SHARE;
		__atomic_store_n(&skip->size, at_most(size * SKIP_GROWS, skip->most),
				 __ATOMIC_RELAXED);
	}
	size = __atomic_load_n(&skip->size, __ATOMIC_RELAXED);
	__atomic_store_n(&skip->ends, ends_after(skip, size), __ATOMIC_RELAXED);
	return size;
}

/* Where an area goes on after a failure: behind its neighbour if the ground before it was good,
 * otherwise not at all. */
static uint64_t next_in_area(const struct skip *skip, const struct work *work, uint64_t chunk,
			     uint64_t begin)
{
	uint64_t first = work_area_begin(work, chunk), end = work_area_end(work, chunk);

	if (first < skip->land)
		first = skip->land;
	return (chunk - first) * work->chunk < AREA_GROUND ? end : at_most(begin + 1, end);
}

/* After a failure of the chunk; goes on from `begin` at the earliest. */
static void leave(struct skip *skip, struct work *work, uint64_t chunk, uint64_t begin)
{
	uint64_t end;

	__atomic_store_n(&skip->met, true, __ATOMIC_RELAXED);
	SCOPED_LOCK(&skip->lock);
	if (skip->kind == SKIP_ALL)
		note_edge(skip, work, chunk);
	/* Requests in flight when the last skip began say nothing about where it landed. */
	if (chunk >= skip->land) {
		switch (skip->kind) {
		case SKIP_NOTHING:
			break;
		case SKIP_SOME:
			land_after(skip, work, chunk, begin,
				   next_size(skip, (chunk - skip->land) * work->chunk));
			break;
		case SKIP_AREA:
			end = next_in_area(skip, work, chunk, begin);
			land_after(skip, work, chunk, end > begin ? end : begin, 0);
			break;
		case SKIP_ALL:
			land_after(skip, work, chunk, begin, work->bytes);
			break;
		}
	}
}

void skip_bad(struct skip *skip, struct work *work, uint64_t chunk)
{
	leave(skip, work, chunk, chunk + 1);
}

void skip_hang(struct skip *skip, struct work *work, uint64_t chunk)
{
	uint64_t next = __atomic_load_n(&work->next, __ATOMIC_RELAXED);
	uint64_t begin = next > chunk ? next : chunk + 1;

	if (skip->kind != SKIP_ALL) {
		leave(skip, work, chunk, begin);
		return;
	}
	/* This sweep goes on, for all the others. */
	SCOPED_LOCK(&skip->lock);
	if (chunk >= skip->land)
		land_after(skip, work, chunk, begin, SKIP_FIRST);
}

/* If one skip was enough, perhaps a shorter one would be, too. */
static void learn(struct skip *skip)
{
	uint64_t less = skip->size / 4 * 3;

	if (skip->failures == 1)
		skip->learned = less > SKIP_FIRST ? less : SKIP_FIRST;
	else if (skip->solid)
		skip->learned = skip->size;
}

void skip_good(struct skip *skip, const struct work *work, uint64_t chunk)
{
	uint64_t size = __atomic_load_n(&skip->size, __ATOMIC_RELAXED);
	uint64_t land = __atomic_load_n(&skip->land, __ATOMIC_RELAXED);

	if (size == 0 || chunk < land ||
	    (chunk + 1 - land) * work->chunk < __atomic_load_n(&skip->ends, __ATOMIC_RELAXED))
		return;
	SCOPED_LOCK(&skip->lock);
	/* Unless another lane has met damage meanwhile, or was first. */
	if (skip->size == size && skip->land == land) {
		learn(skip);
		__atomic_store_n(&skip->size, 0, __ATOMIC_RELAXED);
	}
}

bool skip_leaves_out(const struct skip *skip, uint64_t chunk)
{
	return chunk > __atomic_load_n(&skip->from, __ATOMIC_RELAXED) &&
	       chunk < __atomic_load_n(&skip->land, __ATOMIC_RELAXED);
}

uint64_t skip_ground(const struct skip *skip, const struct work *work, uint64_t chunk)
{
	uint64_t begin = __atomic_load_n(&skip->land, __ATOMIC_RELAXED);

	if (__atomic_load_n(&skip->size, __ATOMIC_RELAXED))
		return 0;
	if (skip->kind == SKIP_AREA && work_area_begin(work, chunk) > begin)
		begin = work_area_begin(work, chunk);
	return chunk > begin ? (chunk - begin) * work->chunk : 0;
}
