/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What becomes of the free places that a copy leaves out (plan/free_places.h): they are zeroed or
 * discarded when all else is copied, and zeros are read back, some or all of them. They are no part
 * of the map's blocks: how far they are cleared is one number in it (map_held.h).
 *
 * The destination clears by itself if it can, in pieces that take a moment each, one after the
 * other; else zeros are written as any data. One round is a part of all, so that a copy that is
 * stopped or dies goes on about there.
 */
#include <errno.h>

#include "base/bytes.h"
#include "base/i18n.h"
#include "base/thread.h"
#include "base/units.h"
#include "copy/retry.h"
#include "io/io.h"
#include "job/core.h"
#include "job/pass.h"

#define ROUND_BYTES  (8ULL << 30)
#define ROUND_PLACES 65536
#define PIECE        (32U << 20) /* that the destination clears by itself */
/* How much is read back where not everything is. */
#define SAMPLES      256
#define SAMPLE_BYTES (64ULL << 10)

static enum free_choice choice_of(const struct job *job)
{
	return job->plan->options.free;
}

static bool clears(const struct job *job)
{
	return plan_left_out(job->plan) && choice_of(job) != FREE_LEAVE &&
	       !job->setup.verify_only && job->choice.destination != &io_null_backend;
}

static uint64_t end_of(const struct job *job)
{
	const struct range_list *places = plan_left_out(job->plan);
	const struct range *last = &places->items[places->count - 1];

	return last->start + last->count;
}

/* Discarded places hold what nobody knows. */
static bool checks(const struct job *job)
{
	return clears(job) && choice_of(job) == FREE_ZERO &&
	       job->plan->options.verify != VERIFY_OFF;
}

bool clearing_is_due(const struct job *job)
{
	const struct clearing *c = &job->clearing;

	return clears(job) && ((c->at < end_of(job) && !c->cannot) || (checks(job) && !c->checked));
}

/* ---- clearing ---- */

/* The places from here on, as many as one round takes. */
static int next_places(const struct job *job, uint64_t from, struct range_list *ret)
{
	const struct range_list *places = plan_left_out(job->plan);
	uint64_t left = ROUND_BYTES / job->plan->sector_size;
	int r = 0;

	for (size_t i = 0; r == 0 && left && i < places->count && ret->count < ROUND_PLACES; i++) {
		struct range place = places->items[i];

		if (place.start + place.count <= from)
			continue;
		if (place.start < from)
			place = (struct range){ from, place.start + place.count - from };
		if (place.count > left)
			place.count = left;
		left -= place.count;
		r = range_list_add(ret, place);
	}
	return r;
}

static int make_work(struct job *job, const struct range_list *places, uint32_t chunk)
{
	SCOPED_LOCK(&job->map_lock);
	return work_init_places(&job->work, job->plan, places, chunk);
}

int clear_prepare(struct job *job, unsigned round)
{
	struct clearing *c = &job->clearing;
	struct range_list places = { 0 };
	uint32_t chunk = job->choice.chunk;
	int r;

	if (!clears(job) || c->cannot || c->at >= end_of(job))
		return 0;
	/* Once the copy is known to differ, reading more tells nothing new. */
	if (job_differs(job))
		return 0;
	if (!atomic_load(&c->plain))
		chunk = PIECE;
	r = next_places(job, c->at, &places);
	if (r == 0)
		r = make_work(job, &places, chunk);
	if (r == 0) {
		const struct range *last = &places.items[places.count - 1];

		c->until = last->start + last->count;
	}
	range_list_done(&places);
	return r < 0 ? r : 1;
}

static bool is_large(const struct job *job)
{
	return job->work.chunk > job->choice.chunk;
}

/* A piece may be larger than the buffer of a slot: no data is moved. */
static bool clear_take(struct lane *lane, struct piece *ret)
{
	const struct job *job = lane->job;

	if (is_large(job) && lane->number > 0)
		return false;
	if (!lane_take_chunk(lane, ret))
		return false;
	if (ret->length > job->choice.chunk)
		ret->length = job->choice.chunk;
	return true;
}

/* This takes a moment, but nothing else is in flight. If it fails, zeros are written to all of this
 * round once more. */
static void clear_large(struct lane *lane, struct slot *slot)
{
	struct job *job = lane->job;
	struct piece piece;

	work_piece(&job->work, slot->tag, &piece);
	lane->now = 0;
	if (atomic_load(&job->clearing.plain) ||
	    lane_clear(lane, &piece, choice_of(job) == FREE_DISCARD) < 0)
		atomic_store(&job->clearing.plain, true);
	else
		counter_add(&lane->counters.handled, piece.length);
	lane_slot_free(lane, slot);
	/* No request will complete that could. */
	lane_wake(lane);
}

static void clear_begin(struct lane *lane, struct slot *slot)
{
	if (is_large(lane->job)) {
		clear_large(lane, slot);
		return;
	}
	lane_slot_write_zeros(lane, slot);
}

/* One large piece at a time, so that a stop is noticed after each. */
static uint32_t clear_depth(const struct lane *lane)
{
	return is_large(lane->job) ? 1 : UINT32_MAX;
}

const struct slot_ops clear_ops = {
	.take = clear_take,
	.depth = clear_depth,
	.begin = clear_begin,
	.advance = write_only_advance,
	.give_up = retry_give_up,
	.report = write_only_report,
};

static void cannot_discard(struct job *job)
{
	job->clearing.cannot = true;
	job_event_add(job, LOG_LEVEL_WARNING,
		      _("%s cannot discard: what was in the free places before stays there."),
		      job->setup.destination.name);
}

/* What was refused is tried again by a resume. */
void clear_end(struct job *job)
{
	struct clearing *c = &job->clearing;

	if (job_gate(job) >= GATE_STOP)
		return;
	if (is_large(job) && atomic_load(&c->plain)) {
		if (choice_of(job) == FREE_DISCARD)
			cannot_discard(job);
		return;
	}
	c->at = c->until;
	if (job->refused_bytes)
		return;
	pthread_mutex_lock(&job->map_lock);
	map_set_cleared(job->map, c->at);
	pthread_mutex_unlock(&job->map_lock);
	job->map_changed = true;
}

/* ---- reading back ---- */

/* Spread over all bytes of all places, each at a whole number of its own length. */
static int sample(const struct job *job, struct range_list *ret)
{
	const struct range_list *places = plan_left_out(job->plan);
	uint64_t length = SAMPLE_BYTES / job->plan->sector_size;
	uint64_t total = range_list_total(places), step = total / SAMPLES, before = 0, next = 0;
	int r = 0;

	if (step < length)
		return range_list_copy(places, ret);
	for (size_t i = 0; r == 0 && i < places->count; i++) {
		struct range place = places->items[i];

		for (; r == 0 && next < before + place.count; next += step) {
			uint64_t skip = u64_align_down(next - before, length);
			uint64_t left = place.count - skip;

			r = range_list_add(ret, (struct range){ place.start + skip,
								left < length ? left : length });
		}
		before += place.count;
	}
	return r;
}

int clear_check_prepare(struct job *job, unsigned round)
{
	struct clearing *c = &job->clearing;
	struct range_list places = { 0 };
	int r;

	if (!checks(job) || c->checked || c->at < end_of(job) || job->refused_bytes)
		return 0;
	r = job->plan->options.verify == VERIFY_COMPARE
		    ? range_list_copy(plan_left_out(job->plan), &places)
		    : sample(job, &places);
	if (r == 0)
		r = make_work(job, &places, job->choice.chunk);
	range_list_done(&places);
	return r < 0 ? r : 1;
}

static void note_wrong(struct clearing *c, const struct piece *piece)
{
	unsigned long long none = 0;

	atomic_fetch_add(&c->wrong, piece->length);
	atomic_compare_exchange_strong(&c->first_wrong, &none, piece->source + 1);
}

static void check_advance(struct lane *lane, struct slot *slot)
{
	struct clearing *c = &lane->job->clearing;

	if (slot->request.result < 0) {
		if (retry_read_back(lane, slot))
			return;
		if (slot->code != -ECANCELED)
			note_wrong(c, &slot->piece);
	} else {
		if (bytes_are_zero(slot->buffer, slot->request.length))
			atomic_fetch_add(&c->good, slot->piece.length);
		else
			note_wrong(c, &slot->piece);
		counter_add(&lane->counters.handled, slot->piece.length);
	}
	lane_slot_free(lane, slot);
}

const struct slot_ops clear_check_ops = {
	.begin = lane_slot_read_back,
	.advance = check_advance,
	.give_up = lane_slot_free,
};

static void tell_wrong(struct job *job)
{
	const struct clearing *c = &job->clearing;

	job_event_add(
		job, LOG_LEVEL_ERROR,
		_("Free places of %s do not hold the zeros that were written there: %s of those "
		  "read back, the first at LBA %llu of the source."),
		job->setup.destination.name, UNITS_LONG(atomic_load(&c->wrong), UNITS_SI, 512),
		(unsigned long long)((atomic_load(&c->first_wrong) - 1) / job->plan->sector_size));
}

void clear_check_end(struct job *job)
{
	struct clearing *c = &job->clearing;

	if (job_gate(job) >= GATE_STOP)
		return;
	c->checked = true;
	if (!atomic_load(&c->wrong))
		return;
	tell_wrong(job);
	/* A resume clears them again. */
	pthread_mutex_lock(&job->map_lock);
	map_set_cleared(job->map, 0);
	pthread_mutex_unlock(&job->map_lock);
	job->map_changed = true;
	job->flush_due = true;
}

/* ---- showing ---- */

/* An estimate, before it is tried. Flash clears in a moment; a spinning disk that writes zeros by
 * itself takes as long as for writing data. */
static bool takes_as_long_as_writing(const struct job *job)
{
	const struct io_end *end = &job->setup.destination;

	if (atomic_load(&job->clearing.plain))
		return choice_of(job) == FREE_ZERO;
	return choice_of(job) == FREE_ZERO && !end->regular_file &&
	       (end->zeroes != YES || end->rotational == YES);
}

/* The bytes of the places left out before this sector. */
static uint64_t bytes_before(const struct job *job, uint64_t sector)
{
	return range_list_common(plan_left_out(job->plan), (struct range){ 0, sector }) *
	       job->plan->sector_size;
}

static uint64_t to_check(const struct job *job, const struct job_free *free)
{
	uint64_t done = free->checked_bytes + free->wrong_bytes, all = free->bytes;

	if (!checks(job) || free->checked)
		return 0;
	if (job->plan->options.verify != VERIFY_COMPARE && all > SAMPLES * SAMPLE_BYTES)
		all = SAMPLES * SAMPLE_BYTES;
	return all > done ? all - done : 0;
}

/* The bytes of a round count as they are cleared; where the copy could go on is known at its end.
 */
static void show_what_is_left(const struct job *job, struct job_free *ret)
{
	const struct clearing *c = &job->clearing;
	uint64_t now = 0;

	if (c->at >= end_of(job))
		ret->cleared = ret->bytes;
	else if (c->at)
		ret->cleared = bytes_before(job, c->at);
	if (job->pass && job->pass->kind == PASS_CLEAR && c->at < c->until)
		now = pass_handled(job);
	ret->to_clear = ret->cannot ? 0 : ret->bytes - ret->cleared;
	ret->to_clear -= now < ret->to_clear ? now : ret->to_clear;
	ret->to_check = to_check(job, ret);
	ret->as_written = takes_as_long_as_writing(job);
}

void clearing_show(const struct job *job, struct job_snapshot *ret)
{
	const struct clearing *c = &job->clearing;

	if (!plan_left_out(job->plan))
		return;
	ret->free = (struct job_free){
		.bytes = plan_free_bytes(job->plan),
		.areas = plan_left_out(job->plan)->count,
		.cannot = c->cannot,
		.checked = c->checked,
		.checked_bytes = atomic_load(&c->good),
		.wrong_bytes = atomic_load(&c->wrong),
	};
	if (clears(job))
		show_what_is_left(job, &ret->free);
}
