/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "copy/skip.h"

/* As GNU ddrescue begins; it grows to a hundredth of the whole, and not beyond 1 GiB. */
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

void skip_reset(struct skip *skip, const struct work *work, bool on)
{
	skip->on = on;
	skip->most = work->bytes / SKIP_SHARE;
	if (skip->most > SKIP_MOST)
		skip->most = SKIP_MOST;
	if (skip->most < SKIP_FIRST)
		skip->most = SKIP_FIRST;
	skip->size = skip->from = skip->land = 0;
}

void skip_bad(struct skip *skip, struct work *work, uint64_t chunk)
{
	uint64_t size, land;

	if (!skip->on)
		return;
	pthread_mutex_lock(&skip->lock);
	/* What was under way when the last skip began says nothing of where it landed. */
	if (chunk < skip->land) {
		pthread_mutex_unlock(&skip->lock);
		return;
	}
	size = skip->size ? skip->size * 2 : SKIP_FIRST;
	if (size > skip->most)
		size = skip->most;
	land = chunk + 1 + (size + work->chunk - 1) / work->chunk;
	__atomic_store_n(&skip->size, size, __ATOMIC_RELAXED);
	__atomic_store_n(&skip->from, chunk, __ATOMIC_RELAXED);
	__atomic_store_n(&skip->land, land, __ATOMIC_RELAXED);
	work_jump(work, land);
	pthread_mutex_unlock(&skip->lock);
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
