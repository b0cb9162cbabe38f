/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/checksums.h"

#include <string.h>

#include "base/i18n.h"
#include "base/range.h"
#include "verify/verification.h"
#include "verify/hasher.h"
#include "verify/verdict.h"

int checksums_new(struct verification *v, struct error *reterr)
{
	if (!v->copy->plan->options.checksums)
		return 0;
	return hasher_new(v->copy->plan->options.checksums, v->copy->plan, &v->checksums->hasher,
			  reterr);
}

void checksums_done(struct verification *v)
{
	hasher_destroy(v->checksums->hasher);
}

/* Is what went into the checksums what was copied, or what both ends were found to be? */
static bool stand(struct verification *v)
{
	const struct checksums *sums = v->checksums;
	bool of_source = sums->of == JOB_SUMS_OF_SOURCE;
	struct digest total;

	if (!sums->whole)
		return false;
	if (!v->proof || (of_source && v->copy->never_writes))
		return of_source;
	return proof_total(v, &total) && digest_equal(total, hasher_total(sums->hasher));
}

static bool wanted(struct verification *v)
{
	return v->checksums->hasher && !stand(v);
}

void checksums_begin(struct verification *v, enum job_sums_state of)
{
	struct checksums *sums = v->checksums;

	if (!wanted(v) || v->copy->work->bytes + map_bytes(v->map, MAP_BAD) != v->total)
		return;
	hasher_open(sums->hasher);
	sums->open = true;
	sums->whole = false;
	sums->of = of;
	sums->bytes = v->copy->work->bytes;
}

bool checksums_are_due(struct verification *v)
{
	return wanted(v) && v->proof && v->owner->nothing_left(v->copy->job) &&
	       !proof_differs(v->proof) && !proof_unknown(v->proof) && !*v->refused_bytes;
}

bool checksums_need_reading(struct verification *v)
{
	if (!stages_last(v->stages) || !proof_complete(v) || !checksums_are_due(v))
		return false;
	copy_tell(v->copy, LOG_LEVEL_INFO,
		  _("%s was not read in one go, so %s is read back once more, in order, for "
		    "the checksums."),
		  v->copy->source->name, v->copy->destination->name);
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

void checksums_give(struct lane *lane, struct slot *slot, const void *data,
		    const struct digest_part *parts, unsigned count)
{
	const struct checksums *sums = lane->copy->verification->checksums;
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
		checksums_give(lane, slot, slot->buffer, slot->parts, slot->part_count);
}

/* The hasher must not wait for a piece that never comes. */
static void forget(struct lane *lane, struct slot *slot)
{
	struct given *given = slot->state[lane->copy->verification->checksums->observer];

	if (!given->is)
		checksums_break(lane->copy->verification);
	given->is = false;
}

static void stopped(struct copy *copy)
{
	checksums_break(copy->verification);
}

const struct observer checksums_observer = {
	.of_chunks = true,
	.slot_size = sizeof(struct given),
	.data = give_written,
	.freed = forget,
	.stopped = stopped,
};

void checksums_break(struct verification *v)
{
	if (v->checksums->open)
		hasher_break(v->checksums->hasher);
}

bool checksums_only_reads(const struct verification *v, const struct piece *piece)
{
	const struct range_list *now = stages_domain(v->stages);
	uint32_t sector = v->copy->plan->sector_size;

	return v->checksums->open && now &&
	       !range_list_contains(
		       now, (struct range){ piece->source / sector, piece->length / sector });
}

bool checksums_through(struct verification *v)
{
	if (!v->checksums->open)
		return true;
	if (copy_gate(v->copy) >= GATE_STOP)
		checksums_break(v);
	return hasher_through(v->checksums->hasher);
}

void checksums_close(struct verification *v)
{
	struct checksums *sums = v->checksums;

	if (!sums->open)
		return;
	sums->open = false;
	sums->whole = hasher_close(sums->hasher, sums->bytes);
}

void checksums_judge(struct verification *v)
{
	struct checksums *sums = v->checksums;

	if (!sums->hasher)
		return;
	if (stand(v))
		sums->ended = sums->of;
	else if (proof_differs(v->proof))
		sums->ended = JOB_SUMS_DIFFERS;
	else if (!v->proof && v->owner->nothing_left(v->copy->job))
		sums->ended = JOB_SUMS_NOT_READ_BACK;
	else
		sums->ended = JOB_SUMS_INCOMPLETE;
}

void checksums_show(const struct verification *v, struct job_sums *ret)
{
	const struct checksums *sums = v->checksums;

	*ret = (struct job_sums){ .state = sums->ended };
	for (unsigned i = 0; sums->hasher && i < CHECKSUM_ALGORITHMS; i++) {
		struct job_sum *sum = &ret->items[ret->count];

		if (!(v->copy->plan->options.checksums & 1u << i))
			continue;
		sum->algorithm = (enum checksum_algorithm)i;
		if (job_sums_known(ret))
			memcpy(sum->hex, hasher_sum(sums->hasher, sum->algorithm),
			       sizeof(sum->hex));
		ret->count++;
	}
	if (sums->ended == JOB_SUMS_OF_DESTINATION)
		ret->zeros = map_bytes(v->map, MAP_BAD);
}
