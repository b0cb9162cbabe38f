/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a pass does with a slot, from beginning a piece to freeing the slot: which chunks make the
 * piece, and what is counted of its requests. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "copy/held_memory.h"
#include "copy/lane.h"
#include "stats/zones.h"

/* The buffers of the slots are contiguous, and so are their bad bits. */
static struct slot *take_all(struct lane *lane)
{
	lane->idle = NULL;
	counter_add(&lane->counters.buffers_in_use, lane->slot_count);
	return &lane->slots[0];
}

static struct slot *take_one(struct lane *lane)
{
	struct slot *slot = lane->idle;

	lane->idle = slot->next;
	counter_add(&lane->counters.buffers_in_use, 1);
	return slot;
}

static struct slot *take_idle(struct lane *lane, const struct slot_ops *ops,
			      const struct piece *piece)
{
	bool wide = piece->length > lane->copy->choice->chunk;
	struct slot *slot = wide ? take_all(lane) : take_one(lane);

	slot->wide = wide;
	slot->ops = ops;
	slot->piece = *piece;
	slot->tries = 0;
	slot->tag = lane->pending_tag;
	slot->write_length = slot->finished = slot->report_end = 0;
	slot->code = 0;
	slot->has_bad = false;
	slot->bad_status = MAP_BAD;
	slot->filled = false;
	slot->part_count = 0;
	slot->secondary = false;
	memset(slot->own, 0, ops->slot_size);
	slot->to_inspect = false;
	return slot;
}

void lane_slot_begin(struct lane *lane, const struct slot_ops *ops, const struct piece *piece)
{
	struct slot *slot = take_idle(lane, ops, piece);

	lane->went_beside = slot->secondary = ops != lane->ops;
	lane->beside += slot->secondary;
	ops->begin(lane, slot);
}

bool lane_has_pair(const struct lane *lane)
{
	return lane->idle && lane->idle->next;
}

struct slot *lane_slot_twin(struct lane *lane, struct slot *slot)
{
	struct slot *twin = take_idle(lane, slot->ops, &slot->piece);

	twin->secondary = true;
	return twin;
}

static void give_back_all(struct lane *lane)
{
	for (uint32_t i = lane->slot_count; i-- > 0;) {
		lane->slots[i].next = lane->idle;
		lane->idle = &lane->slots[i];
	}
	counter_sub(&lane->counters.buffers_in_use, lane->slot_count);
}

static void make_idle(struct lane *lane, struct slot *slot)
{
	lane->beside -= slot->ops != lane->ops;
	if (slot->wide) {
		give_back_all(lane);
		return;
	}
	slot->next = lane->idle;
	lane->idle = slot;
	counter_sub(&lane->counters.buffers_in_use, 1);
}

void lane_slot_free(struct lane *lane, struct slot *slot)
{
	const struct copy *copy = lane->copy;

	for (unsigned i = 0; i < copy->observer_count && !slot->secondary; i++)
		if (copy->observers[i]->freed)
			copy->observers[i]->freed(lane, slot);
	if (atomic_load(&slot->held))
		slot_queue_push(&lane->held, slot);
	else
		make_idle(lane, slot);
}

void lane_slot_hold(struct slot *slot)
{
	atomic_store(&slot->held, true);
}

void lane_slot_release(struct lane *lane, struct slot *slot)
{
	atomic_store(&slot->held, false);
	if (atomic_exchange(&lane->wants_slots, false))
		lane_wake(lane);
}

bool lane_take_released(struct lane *lane)
{
	struct slot_queue all = lane->held;
	struct slot *slot;
	bool any = false;

	if (!all.first)
		return false;
	slot_queue_init(&lane->held);
	while ((slot = slot_queue_pop(&all))) {
		if (atomic_load(&slot->held)) {
			slot_queue_push(&lane->held, slot);
			continue;
		}
		make_idle(lane, slot);
		any = true;
	}
	return any;
}

void lane_slot_observe(struct lane *lane, struct slot *slot)
{
	const struct copy *copy = lane->copy;

	for (unsigned i = 0; i < copy->observer_count; i++)
		if (copy->observers[i]->data)
			copy->observers[i]->data(lane, slot);
}

/* The last line of defence: whatever went wrong before, nothing is written outside the plan. */
static bool may_write(const struct copy *copy, const struct piece *piece, uint32_t length)
{
	const char *name = copy->destination->name;
	struct error error;

	if (!copy->never_writes && work_allowed(copy->plan, piece) && length <= piece->length)
		return true;
	error_set(&error, ERROR_CLASS_INTERNAL, -EINVAL, "write", name,
		  _("A write to %s at byte %llu lies outside the plan and was not made. This is a "
		    "defect of the program; please report it."),
		  name, (unsigned long long)piece->destination);
	copy_fail(copy, FAILURE_INTERNAL, &error);
	return false;
}

int lane_clear(struct lane *lane, const struct piece *piece, bool discard)
{
	const struct copy *copy = lane->copy;

	if (!may_write(copy, piece, piece->length))
		return -EINVAL;
	return lane->destination->backend->traits & IO_CLEARS
		       ? io_clear(copy->destination, discard, piece->destination, piece->length)
		       : -EOPNOTSUPP;
}

void lane_slot_write(struct lane *lane, struct slot *slot)
{
	const struct copy *copy = lane->copy;

	if (!may_write(copy, &slot->piece, slot->write_length)) {
		lane_slot_free(lane, slot);
		return;
	}
	if (copy->takes_long && slot->ops->inspect)
		lane_slot_inspect(lane, slot);
	else
		lane_slot_observe(lane, slot);
	slot->phase = SLOT_WRITE;
	slot->tries = 0;
	slot->request = (struct io_request){
		.direction = IO_WRITE,
		.offset = slot->piece.destination,
		.length = slot->write_length,
		.buffer = slot->buffer,
	};
	slot_queue_push(&lane->to_destination, slot);
}

void lane_slot_write_zeros(struct lane *lane, struct slot *slot)
{
	memset(slot->buffer, 0, slot->piece.length);
	slot->write_length = slot->piece.length;
	lane_slot_write(lane, slot);
}

void lane_slot_read(struct lane *lane, struct slot *slot)
{
	slot->phase = SLOT_READ;
	slot->request = (struct io_request){
		.direction = IO_READ,
		.offset = slot->piece.source,
		.length = slot->piece.length,
		.buffer = slot->buffer,
	};
	slot_queue_push(&lane->to_source, slot);
}

bool lane_slot_answer(const struct lane *lane, struct slot *slot)
{
	return lane->copy->held && lane->traits & PASS_WRITES && !slot->at_destination &&
	       slot->request.direction == IO_READ &&
	       held_memory_get(lane->copy->held, &slot->request);
}

/* Before the passes and the observers see the data. */
void lane_slot_fit(const struct lane *lane, const struct slot *slot)
{
	const struct io_request *request = &slot->request;
	const struct fitted *fitted = &lane->copy->plan->fitted;

	if (fitted->count && !slot->at_destination && request->direction == IO_READ)
		fitted_apply(fitted, request->offset, request->buffer,
			     request->result < 0 ? request->done : request->length);
}

uint32_t lane_back_skip(const struct lane *lane, const struct slot *slot)
{
	return (uint32_t)(slot->piece.destination % io_sector_size(lane->destination->end));
}

void lane_slot_read_back(struct lane *lane, struct slot *slot)
{
	uint32_t unit = io_sector_size(lane->destination->end);
	uint32_t skip = lane_back_skip(lane, slot);

	slot->phase = SLOT_READ_BACK;
	slot->request = (struct io_request){
		.direction = IO_READ,
		.offset = slot->piece.destination - skip,
		.length = (skip + slot->piece.length + unit - 1) / unit * unit,
		.buffer = slot->buffer,
	};
	slot_queue_push(&lane->to_destination, slot);
}

void lane_slot_inspect(struct lane *lane, struct slot *slot)
{
	slot->to_inspect = true;
	slot->next_to_inspect = NULL;
	*lane->inspect_last = slot;
	lane->inspect_last = &slot->next_to_inspect;
}

void lane_inspect_next(struct lane *lane)
{
	struct slot *slot = lane->inspect_first;

	lane->inspect_first = slot->next_to_inspect;
	if (!lane->inspect_first)
		lane->inspect_last = &lane->inspect_first;
	slot->to_inspect = false;
	slot->ops->inspect(lane, slot);
}

void lane_slot_report(struct lane *lane, struct slot *slot)
{
	/* It was written before it was inspected: inspect the slots before it, and then this one.
	 */
	while (slot->to_inspect)
		lane_inspect_next(lane);
	slot->phase = SLOT_REPORT;
	slot->reported = 0;
	slot_queue_push(&lane->to_report, slot);
}

/* ---- the chunks of a piece ---- */

/* No disk that queues completes so many requests in a row within submit. */
#define INSIDE_SURE 16

bool lane_take_chunk(struct lane *lane, struct piece *ret)
{
	struct work *work = lane->copy->work;

	if (lane->chunks_left == 0)
		lane->chunks_left = work_take(work, lane->run, &lane->chunk);
	if (lane->chunks_left == 0)
		return false;
	lane->pending_tag = lane->chunk;
	work_piece(work, lane->chunk++, ret);
	lane->chunks_left--;
	return true;
}

/* Observers expect pieces of one chunk, and a rate limit needs small steps. */
uint32_t lane_piece_size(const struct lane *lane)
{
	const struct copy *copy = lane->copy;
	bool wide = lane->inside[0] >= INSIDE_SURE && lane->inside[1] >= INSIDE_SURE &&
		    lane->counters.buffers_in_use == 0 && !copy->of_chunks &&
		    !rate_limit_get(copy->limit);

	return wide ? lane->widest : copy->choice->chunk;
}

/* Joins the next chunk in the order of taking, if it is contiguous on both ends. */
static bool join(const struct work *work, const struct piece *next, struct piece *piece)
{
	const struct piece *low = work->descending ? next : piece;
	const struct piece *high = work->descending ? piece : next;

	if (high->destination != low->destination + low->length ||
	    high->source != low->source + low->length)
		return false;
	*piece = (struct piece){ low->source, low->destination, low->length + high->length };
	return true;
}

void lane_take_more(struct lane *lane, uint32_t most, struct piece *piece)
{
	struct work *work = lane->copy->work;

	for (;;) {
		uint64_t end = piece->destination + piece->length;
		uint64_t left =
			work->descending ? piece->destination % most : (most - end % most) % most;
		struct piece next;

		if (left == 0)
			return;
		if (lane->chunks_left == 0)
			lane->chunks_left =
				work_take(work, (uint32_t)(left / work->chunk), &lane->chunk);
		if (lane->chunks_left == 0)
			return;
		work_piece(work, lane->chunk, &next);
		if (!join(work, &next, piece))
			return;
		lane->pending_tag = lane->chunk++;
		lane->chunks_left--;
	}
}

/* ---- what is counted of a request ---- */

void lane_count_begin(struct lane *lane, struct slot *slot)
{
	struct lane_counters *c = &lane->counters;

	watch_begin(&slot->watch, lane->sent++, slot->request.offset, slot->tag,
		    slot->at_destination);
	counter_add(slot->at_destination ? &c->at_destination : &c->at_source, 1);
}

void lane_count_end(struct lane *lane, struct slot *slot)
{
	struct lane_counters *c = &lane->counters;

	if (watch_end(&slot->watch) && !slot->at_destination)
		atomic_fetch_sub(&lane->hanging, 1);
	counter_sub(slot->at_destination ? &c->at_destination : &c->at_source, 1);
}

void lane_count_result(struct lane *lane, const struct slot *slot)
{
	const struct io_request *request = &slot->request;
	struct lane_counters *c = &lane->counters;
	uint64_t ns = request->completed - request->submitted, needed;

	if (request->completed < request->submitted || request->result == -ECANCELED)
		return;
	if (request->direction == IO_WRITE) {
		latency_add(&lane->write_latency, ns);
		counter_add(&c->writes, 1);
		return;
	}
	if (slot->at_destination) {
		latency_add(&lane->back_latency, ns);
		counter_add(&c->read_back, request->result == 0 ? request->length : 0);
		return;
	}
	latency_add(&lane->read_latency, ns);
	needed = zones_needed(lane->copy->zones, request->submitted, request->completed);
	counter_add(&c->reads, 1);
	counter_add(&c->slow_reads, ns > SLOW_READ);
	if (request->result < 0) {
		counter_add(&c->read_errors, 1);
		counter_add(&c->error_bytes, request->length);
		return;
	}
	__atomic_store_n(&c->last_read, request->completed, __ATOMIC_RELAXED);
	counter_add(&c->read, request->length);
	/* Passes that search for bad sectors read in another way, which says nothing about the
	 * zone. */
	if (lane->traits & PASS_BOTH_ENDS)
		zones_add(lane->copy->zones, request->offset, request->length, ns, needed);
}

/* From the request's own times: reading the clock twice more is dear without a vDSO. */
void lane_count_inside(struct lane *lane, const struct io_request *request)
{
	if (request->completed > request->submitted)
		counter_add(&lane->counters.submit_ns, request->completed - request->submitted);
}
