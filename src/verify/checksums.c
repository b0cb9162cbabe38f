/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/checksums.h"

#include <string.h>

#include "base/i18n.h"
#include "base/range.h"
#include "job/core.h"
#include "job/pass.h"
#include "verify/hasher.h"
#include "verify/verdict.h"

int sums_new(struct job *job, struct error *reterr)
{
	if (!job->plan->options.checksums)
		return 0;
	return hasher_new(job->plan->options.checksums, job->plan, &job->sums->hasher, reterr);
}

void sums_done(struct job *job)
{
	hasher_destroy(job->sums->hasher);
}

/* Is what went into the checksums what was copied, or what both ends were found to be? */
static bool stand(struct job *job)
{
	const struct sums *sums = job->sums;
	bool of_source = sums->of == JOB_SUMS_OF_SOURCE;
	struct digest total;

	if (!sums->whole)
		return false;
	if (!job->proof || (of_source && job->setup.verify_only))
		return of_source;
	return proof_total(job, &total) && digest_equal(total, hasher_total(sums->hasher));
}

static bool wanted(struct job *job)
{
	return job->sums->hasher && !stand(job);
}

void sums_begin(struct job *job, enum job_sums_state of)
{
	struct sums *sums = job->sums;

	if (!wanted(job) || job->work.bytes + map_bytes(job->map, MAP_BAD) != job->total)
		return;
	hasher_open(sums->hasher);
	sums->open = true;
	sums->whole = false;
	sums->of = of;
	sums->bytes = job->work.bytes;
}

int sums_begin_copy(struct job *job)
{
	struct range_list parts = { 0 };
	int r;

	if (!job->sums->hasher || job->stages.now > 0 ||
	    map_bytes(job->map, MAP_NON_TRIED) != job->total)
		return 0;
	r = stages_in_order(&job->stages, &parts);
	if (r == 0)
		r = parts.count ? job_make_work_of(job, &parts, "?", job->choice.chunk)
				: job_make_work(job, "?", job->choice.chunk, false);
	range_list_done(&parts);
	if (r < 0)
		return r;
	sums_begin(job, JOB_SUMS_OF_SOURCE);
	return job->sums->open;
}

bool sums_are_due(struct job *job)
{
	return wanted(job) && job->proof && job_nothing_left(job) && !proof_differs(job->proof) &&
	       !job->refused_bytes;
}

bool sums_need_reading(struct job *job)
{
	if (!stages_last(&job->stages) || !proof_complete(job) || !sums_are_due(job))
		return false;
	job_event_add(job, LOG_LEVEL_INFO,
		      _("%s was not read in one go, so %s is read back once more, in order, for "
			"the checksums."),
		      job->setup.source.name, job->setup.destination.name);
	return true;
}

/* Of a slot. */
struct given {
	struct hash_item item;
	struct lane *lane;
	struct slot *slot;
	bool is; /* the hasher has, or had, its piece */
};

/* In a thread of the hasher, or of a lane. */
static void hashed(struct hash_item *item)
{
	struct given *given = item->owner;

	lane_slot_release(given->lane, given->slot);
}

void sums_give(struct lane *lane, struct slot *slot, const void *data,
	       const struct digest_part *parts, unsigned count)
{
	const struct sums *sums = lane->job->sums;
	struct given *given;

	if (!sums->open || slot->secondary)
		return;
	given = slot->state[sums->observer];
	if (given->is)
		return;
	*given = (struct given){
		.item = {
			.number = slot->tag,
			.source = slot->piece.source,
			.data = data,
			.length = slot->piece.length,
			.done = hashed,
			.owner = given,
		},
		.lane = lane,
		.slot = slot,
		.is = true,
	};
	lane_slot_hold(slot);
	if (!hasher_give(sums->hasher, &given->item, parts, count))
		lane_slot_release(lane, slot);
}

static void give_written(struct lane *lane, struct slot *slot)
{
	if (slot->write_length == slot->piece.length && !slot->has_bad)
		sums_give(lane, slot, slot->buffer, slot->parts, slot->part_count);
}

/* The hasher must not wait for a piece that never comes. */
static void forget(struct lane *lane, struct slot *slot)
{
	struct given *given = slot->state[lane->job->sums->observer];

	if (!given->is)
		sums_break(lane->job);
	given->is = false;
}

static void stopped(struct copy *copy)
{
	sums_break(copy->job);
}

const struct observer sums_observer = {
	.of_chunks = true,
	.slot_size = sizeof(struct given),
	.data = give_written,
	.freed = forget,
	.stopped = stopped,
};

void sums_break(struct job *job)
{
	if (job->sums->open)
		hasher_break(job->sums->hasher);
}

bool sums_only_reads(const struct job *job, const struct piece *piece)
{
	const struct range_list *now = stages_domain(&job->stages);
	uint32_t sector = job->plan->sector_size;

	return job->sums->open && now &&
	       !range_list_contains(
		       now, (struct range){ piece->source / sector, piece->length / sector });
}

bool sums_through(struct job *job)
{
	if (!job->sums->open)
		return true;
	if (job_gate(job) >= GATE_STOP)
		sums_break(job);
	return hasher_through(job->sums->hasher);
}

void sums_close(struct job *job)
{
	struct sums *sums = job->sums;

	if (!sums->open)
		return;
	sums->open = false;
	sums->whole = hasher_close(sums->hasher, sums->bytes);
}

void sums_judge(struct job *job)
{
	struct sums *sums = job->sums;

	if (!sums->hasher)
		return;
	if (stand(job))
		sums->ended = sums->of;
	else if (proof_differs(job->proof))
		sums->ended = JOB_SUMS_DIFFERS;
	else if (!job->proof && job_nothing_left(job))
		sums->ended = JOB_SUMS_NOT_READ_BACK;
	else
		sums->ended = JOB_SUMS_INCOMPLETE;
}

void sums_show(const struct job *job, struct job_snapshot *ret)
{
	const struct sums *sums = job->sums;

	ret->sums = (struct job_sums){ .state = sums->ended };
	for (unsigned i = 0; sums->hasher && i < CHECKSUM_ALGORITHMS; i++) {
		struct job_sum *sum = &ret->sums.items[ret->sums.count];

		if (!(job->plan->options.checksums & 1u << i))
			continue;
		sum->algorithm = (enum checksum_algorithm)i;
		if (job_sums_known(&ret->sums))
			memcpy(sum->hex, hasher_sum(sums->hasher, sum->algorithm),
			       sizeof(sum->hex));
		ret->sums.count++;
	}
	if (sums->ended == JOB_SUMS_OF_DESTINATION)
		ret->sums.zeros = map_bytes(job->map, MAP_BAD);
}
