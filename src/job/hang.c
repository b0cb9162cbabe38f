/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/hang.h"

#include "job/snapshot.h"
#include "copy/watch.h"

/* Marks a request that hangs. True: it is a read of the source. */
static bool hangs_now(struct watch *watch, uint64_t limit, uint64_t now, struct hang *ret)
{
	unsigned turn = atomic_load_explicit(&watch->turn, memory_order_acquire);

	if ((turn & (WATCH_BUSY | WATCH_HANGS)) != WATCH_BUSY)
		return false;
	if (turn != watch->seen) {
		watch->seen = turn;
		watch->since = now;
		return false;
	}
	if (now - watch->since < limit)
		return false;
	ret->offset = atomic_load_explicit(&watch->offset, memory_order_relaxed);
	ret->tag = atomic_load_explicit(&watch->tag, memory_order_relaxed);

	bool read = !atomic_load_explicit(&watch->at_destination, memory_order_relaxed);

	/* It may have completed just now. */
	return atomic_compare_exchange_strong(&watch->turn, &turn, turn | WATCH_HANGS) && read;
}

bool hang_find(struct lane *const *lanes, unsigned lane_count, uint64_t limit, uint64_t now,
	       struct hang *ret)
{
	for (unsigned i = 0; i < lane_count; i++)
		for (uint32_t s = 0; s < lanes[i]->slot_count; s++) {
			if (!hangs_now(&lanes[i]->slots[s].watch, limit, now, ret))
				continue;
			atomic_fetch_add(&lanes[i]->hanging, 1);
			return true;
		}
	return false;
}

static void show(const struct watch *watch, uint64_t now, uint64_t *first, struct job_hang *ret)
{
	uint64_t number = atomic_load(&watch->number);
	uint64_t ns = now - watch->since;

	if (!(atomic_load(&watch->turn) & WATCH_HANGS))
		return;
	ret->count++;
	/* Of several that were noticed at the same time, the one that was sent first is shown: the
	 * others wait behind it. */
	if (ns < ret->ns || (ns == ret->ns && number > *first))
		return;
	*first = number;
	ret->write = atomic_load(&watch->at_destination);
	ret->ns = ns;
	ret->lba = atomic_load(&watch->offset);
}

void hang_show(struct lane *const *lanes, unsigned lane_count, uint64_t now, struct job_hang *ret)
{
	uint64_t first = UINT64_MAX;

	*ret = (struct job_hang){ 0 };
	for (unsigned i = 0; i < lane_count; i++)
		for (uint32_t s = 0; s < lanes[i]->slot_count; s++)
			show(&lanes[i]->slots[s].watch, now, &first, ret);
}
