/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "copy/hang.h"

#include "base/i18n.h"
#include "job/job_private.h"
#include "copy/pass.h"

#define WATCH_BUSY  1u
#define WATCH_HANGS 2u
#define WATCH_ONE   4u

/* Worth reporting, if the plan sets no limit. */
#define WORTH_TELLING (5 * NSEC_PER_SEC)
#define HANGS_TOLD    16

void watch_begin(struct watch *watch, uint64_t number, uint64_t offset, uint64_t tag,
		 bool at_destination)
{
	unsigned turn = atomic_load_explicit(&watch->turn, memory_order_relaxed);

	atomic_store_explicit(&watch->number, number, memory_order_relaxed);
	atomic_store_explicit(&watch->offset, offset, memory_order_relaxed);
	atomic_store_explicit(&watch->tag, tag, memory_order_relaxed);
	atomic_store_explicit(&watch->at_destination, at_destination, memory_order_relaxed);
	atomic_store_explicit(&watch->turn, (turn + WATCH_ONE) | WATCH_BUSY, memory_order_release);
}

bool watch_end(struct watch *watch)
{
	return atomic_fetch_and(&watch->turn, ~(WATCH_BUSY | WATCH_HANGS)) & WATCH_HANGS;
}

static uint64_t limit_of(const struct job *job)
{
	uint64_t limit = job->plan->options.slow_limit * NSEC_PER_SEC;

	return limit ? limit : WORTH_TELLING;
}

/* The copy skips what follows, and goes on where the disk may answer. */
static void leave(struct job *job, uint64_t offset, uint64_t tag)
{
	uint32_t sector = job->plan->sector_size;
	unsigned *told = &job->keeper.presence.hangs_told;

	job->pass->hangs(job, tag);
	if ((*told)++ >= HANGS_TOLD)
		return;
	job_event_add(job, LOG_LEVEL_WARNING,
		      _("A read of %s at LBA %llu has not come back for %u s. What follows it is "
			"left for later."),
		      job->setup.source.name, (unsigned long long)(offset / sector),
		      job->plan->options.slow_limit);
}

static void look(struct job *job, struct lane *lane, struct watch *watch, uint64_t now)
{
	unsigned turn = atomic_load_explicit(&watch->turn, memory_order_acquire);

	if ((turn & (WATCH_BUSY | WATCH_HANGS)) != WATCH_BUSY)
		return;
	if (turn != watch->seen) {
		watch->seen = turn;
		watch->since = now;
		return;
	}
	if (now - watch->since < limit_of(job))
		return;

	uint64_t offset = atomic_load_explicit(&watch->offset, memory_order_relaxed);
	uint64_t tag = atomic_load_explicit(&watch->tag, memory_order_relaxed);
	bool read = !atomic_load_explicit(&watch->at_destination, memory_order_relaxed);

	/* It may have completed just now. */
	if (!atomic_compare_exchange_strong(&watch->turn, &turn, turn | WATCH_HANGS))
		return;
	if (!read)
		return;
	atomic_fetch_add(&lane->hanging, 1);
	if (job->plan->options.slow_limit && job->pass && job->pass->hangs &&
	    job_gate(job) == GATE_RUN)
		leave(job, offset, tag);
}

void hang_look(struct job *job, uint64_t now)
{
	for (unsigned i = 0; i < job->lane_count; i++)
		for (uint32_t s = 0; s < job->lanes[i]->slot_count; s++)
			look(job, job->lanes[i], &job->lanes[i]->slots[s].watch, now);
}

void hang_show(struct job *job, uint64_t now, struct job_hang *ret)
{
	uint64_t first = UINT64_MAX;

	*ret = (struct job_hang){ 0 };
	for (unsigned i = 0; i < job->lane_count; i++) {
		for (uint32_t s = 0; s < job->lanes[i]->slot_count; s++) {
			const struct watch *watch = &job->lanes[i]->slots[s].watch;
			const struct io_end *end = &job->setup.source;
			uint64_t number = atomic_load(&watch->number);
			uint64_t ns = now - watch->since;

			if (!(atomic_load(&watch->turn) & WATCH_HANGS))
				continue;
			ret->count++;
			/* If seen at the same time, the others wait for the one that was sent
			 * first. */
			if (ns < ret->ns || (ns == ret->ns && number > first))
				continue;
			first = number;
			ret->write = atomic_load(&watch->at_destination);
			if (ret->write)
				end = &job->setup.destination;
			ret->ns = ns;
			ret->lba = atomic_load(&watch->offset) / io_sector_size(end);
		}
	}
}
