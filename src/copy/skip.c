/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "copy/skip.h"

/* As in GNU ddrescue; it grows to a hundredth of the whole, and at most to 1 GiB. */
#define SKIP_FIRST (64ULL << 10)
#define SKIP_SHARE 100
#define SKIP_MOST  (1ULL << 30)

void skip_init(struct skip *skip)
{
	*skip = (struct skip){ 0 };
	pthread_mutex_init(&skip->lock, NULL);
}

void skip_done(struct skip *skip)
{
	pthread_mutex_destroy(&skip->lock);
}

void skip_reset(struct skip *skip, enum skip_kind kind, const struct work *work)
{
	uint64_t share = work->bytes / SKIP_SHARE;

	skip->first = kind == SKIP_NOTHING ? 0 : kind == SKIP_SOME ? SKIP_FIRST : work->bytes;
	skip->most = share < SKIP_MOST ? share : SKIP_MOST;
	if (skip->most < skip->first)
		skip->most = skip->first;
	skip->size = skip->from = skip->land = 0;
}

/* From `begin` on, which is at or after the chunk. */
static void leave(struct skip *skip, struct work *work, uint64_t chunk, uint64_t begin,
		  uint64_t least)
{
	uint64_t size, land;

	if (!least)
		return;
	pthread_mutex_lock(&skip->lock);
	/* Requests in flight when the last skip began say nothing about where it landed. */
	if (chunk < skip->land) {
		pthread_mutex_unlock(&skip->lock);
		return;
	}
	/* A good read resets it without the lock. */
	size = __atomic_load_n(&skip->size, __ATOMIC_RELAXED) * 2;
	if (size < least)
		size = least;
	if (size > skip->most)
		size = skip->most;
	land = begin + (size + work->chunk - 1) / work->chunk;
	__atomic_store_n(&skip->size, size, __ATOMIC_RELAXED);
	__atomic_store_n(&skip->from, chunk, __ATOMIC_RELAXED);
	__atomic_store_n(&skip->land, land, __ATOMIC_RELAXED);
	work_jump(work, land);
	pthread_mutex_unlock(&skip->lock);
}

void skip_bad(struct skip *skip, struct work *work, uint64_t chunk)
{
	leave(skip, work, chunk, chunk + 1, skip->first);
}

void skip_hang(struct skip *skip, struct work *work, uint64_t chunk)
{
	uint64_t next = __atomic_load_n(&work->next, __ATOMIC_RELAXED);

	leave(skip, work, chunk, next > chunk ? next : chunk + 1,
	      skip->first < SKIP_FIRST ? skip->first : SKIP_FIRST);
}

void skip_good(struct skip *skip, uint64_t chunk)
{
	if (__atomic_load_n(&skip->size, __ATOMIC_RELAXED) == 0 ||
	    chunk < __atomic_load_n(&skip->land, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&skip->size, 0, __ATOMIC_RELAXED);
}

bool skip_leaves_out(const struct skip *skip, uint64_t chunk)
{
	return chunk > __atomic_load_n(&skip->from, __ATOMIC_RELAXED) &&
	       chunk < __atomic_load_n(&skip->land, __ATOMIC_RELAXED);
}

uint64_t skip_stretch(const struct skip *skip, uint64_t chunk)
{
	uint64_t land = __atomic_load_n(&skip->land, __ATOMIC_RELAXED);

	return chunk > land ? chunk - land : 0;
}
