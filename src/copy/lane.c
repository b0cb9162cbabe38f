/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lane's thread: the loop that feeds both ends and handles completions. */
#include "copy/lane.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/thread.h"
#include "copy/held_memory.h"

#define BATCH      32
#define STACK_SIZE (256 << 10)
/* The longest that a completion waits for others to join it. */
#define BATCH_WAIT (4 * NSEC_PER_MSEC)
/* A full ring means that the coordinator is late; it runs ten times a second. */
#define RING_WAIT (10 * NSEC_PER_MSEC)

static bool is_async(const struct io_handle *handle)
{
	return handle->backend->traits & IO_ASYNC;
}

/* Does this end only make progress while the lane is in its submit()? */
static bool works_inside(const struct lane *lane, const struct io_handle *handle)
{
	return !is_async(handle) || lane->inside[handle == lane->destination] > 0;
}

/* Called before waiting, so that whoever releases a slot later wakes the lane. */
static bool released_meanwhile(struct lane *lane)
{
	if (!lane->held.first)
		return false;
	atomic_store(&lane->wants_slots, true);
	return lane_take_released(lane);
}

static void ask_if_gone(struct lane *lane, struct slot *slot)
{
	const struct copy *copy = lane->copy;
	int code = slot->request.result;

	/* Not one of the codes that may concern one place only. */
	if (code < 0 && code != -ECANCELED && copy->owner->is_gone(copy->job, slot->at_destination))
		slot->request.result = -ENODEV;
}

static void complete(struct lane *lane, struct slot *slot)
{
	lane_count_end(lane, slot);
	lane_count_result(lane, slot);
	if (slot->request.result < 0 && slot->request.result != -ECANCELED)
		lane_slot_answer(lane, slot);
	ask_if_gone(lane, slot);
	lane_slot_fit(lane, slot);
	/* This only queues the slot, so there is no recursion. */
	slot->ops->advance(lane, slot);
}

/* Returns the number of completions, or a negative errno: the queue is broken. */
static int reap(struct lane *lane, struct io_handle *handle, unsigned min, uint64_t timeout)
{
	struct io_request *done[BATCH];
	int n = handle->backend->reap(handle, min, BATCH, timeout, done);

	for (int i = 0; i < n; i++) {
		lane->queued--;
		complete(lane, (struct slot *)done[i]);
	}
	return n;
}

/* Sends the queued requests and takes the completed ones, without waiting. */
static int reap_now(struct lane *lane)
{
	int n = 0, m = 0;

	lane->unsent = false;
	if (is_async(lane->source))
		n = reap(lane, lane->source, 0, 0);
	if (n >= 0 && is_async(lane->destination) && !lane->shared)
		m = reap(lane, lane->destination, 0, 0);
	return n < 0 ? n : m < 0 ? m : n + m;
}

/* With IO_DONE the slot has already advanced. */
static enum io_answer submit(struct lane *lane, struct io_handle *handle, struct slot *slot)
{
	enum io_answer answer;

	slot->at_destination = handle == lane->destination;
	if (lane->copy->held && held_memory_is_preferred(lane->copy->held) &&
	    lane_slot_answer(lane, slot)) {
		lane_slot_fit(lane, slot);
		slot->ops->advance(lane, slot);
		return IO_DONE;
	}
	lane_count_begin(lane, slot);
	slot->request.submitted = lane->now;
	answer = io_submit(handle, &slot->request);
	lane->now = answer == IO_DONE ? slot->request.completed : 0;
	if (answer == IO_BUSY)
		lane_count_end(lane, slot);
	if (answer == IO_QUEUED)
		lane->inside[slot->at_destination] = 0;
	if (answer == IO_DONE) {
		lane->inside[slot->at_destination]++;
		lane_count_inside(lane, &slot->request);
		complete(lane, slot);
	}
	if (answer == IO_QUEUED) {
		lane->queued++;
		lane->unsent = true;
	}
	return answer;
}

static bool is_limited(const struct lane *lane)
{
	return lane->ops->depth && lane->ops->depth(lane) != UINT32_MAX;
}

/*
 * Submits from a queue until it is empty or the end is busy or at its depth. To an
 * end that works inside the call it submits only one, so that the other end gets
 * its turn, and sends the other end's requests first, because the call blocks.
 * 1: something completed in the call; 0: nothing did; negative: a queue is broken.
 */
static int send_queue(struct lane *lane, struct slot_queue *queue, struct io_handle *handle,
		      const uint64_t *in_flight, uint32_t depth)
{
	struct slot *slot;
	int worked = 0;

	if (queue->first && works_inside(lane, handle) && lane->unsent) {
		int r = reap_now(lane);

		if (r < 0)
			return r;
	}
	while (*in_flight < depth && (slot = slot_queue_pop(queue))) {
		enum io_answer answer = submit(lane, handle, slot);

		if (answer == IO_QUEUED && handle == lane->source && is_limited(lane)) {
			int r = reap_now(lane);

			if (r < 0)
				return r;
			worked |= r > 0;
		}
		if (answer == IO_BUSY) {
			slot_queue_unpop(queue, slot);
			break;
		}
		if (answer == IO_DONE) {
			worked = 1;
			break;
		}
	}
	return worked;
}

/* The state of a one-lane pass belongs to lane 0. */
static bool is_idle_in_pass(const struct lane *lane)
{
	return lane->traits & PASS_ONE_LANE && lane->number > 0;
}

static bool have_piece(struct lane *lane)
{
	const struct slot_ops *ops = lane->ops;

	if (lane->has_pending)
		return true;
	if (is_idle_in_pass(lane))
		return false;
	lane->has_pending = (ops->take ? ops->take : lane_take_chunk)(lane, &lane->pending);
	return lane->has_pending;
}

/* A request that hangs takes up its own place only, not that of another. */
static uint32_t limit_of_pass(const struct lane *lane)
{
	int hanging = atomic_load_explicit(&lane->hanging, memory_order_relaxed);
	uint32_t depth = lane->ops->depth ? lane->ops->depth(lane) : UINT32_MAX;

	return depth < UINT32_MAX && hanging > 0 ? depth + (uint32_t)hanging : depth;
}

/* How many more requests may go to the end at which pieces begin. */
static uint32_t room_for_pieces(const struct lane *lane)
{
	bool back = lane->traits & PASS_READS_BACK;
	const struct lane_counters *c = &lane->counters;
	uint32_t depth = back ? lane->depth_write : lane->depth_read;
	uint64_t busy = back ? c->at_destination : c->at_source;
	uint32_t room;

	/* If neither end queues, reuse the buffer just written: it is still in the processor's
	 * caches. */
	if (works_inside(lane, lane->source) && works_inside(lane, lane->destination) &&
	    lane->to_destination.first)
		return 0;
	if (limit_of_pass(lane) < depth)
		depth = limit_of_pass(lane);
	room = depth > busy ? depth - (uint32_t)busy : 0;
	for (const struct slot *s = (back ? &lane->to_destination : &lane->to_source)->first;
	     s && room; s = s->next)
		room--;
	if (room > 1 && works_inside(lane, back ? lane->destination : lane->source))
		room = 1;
	return room;
}

/* Lets pieces begin as far as slots, depth and the rate limit allow. */
static void take_pieces(struct lane *lane)
{
	uint32_t room = is_idle_in_pass(lane) ? 0 : room_for_pieces(lane);

	while (room-- > 0 && lane->idle && have_piece(lane)) {
		/* A wide piece needs the buffers of all slots. */
		if (lane->pending.length > lane->copy->choice->chunk &&
		    lane->counters.buffers_in_use > 0)
			return;
		if (rate_limit_get(lane->copy->limit) &&
		    !rate_limit_take(lane->copy->limit, lane->pending.length, clock_monotonic(),
				     &lane->token_wait))
			return;
		lane->has_pending = false;
		lane_slot_begin(lane, lane->ops, &lane->pending);
	}
}

static void give_up_all(struct lane *lane, struct slot_queue *queue)
{
	struct slot *slot;

	while ((slot = slot_queue_pop(queue)))
		slot->ops->give_up(lane, slot);
}

static int send_source(struct lane *lane, int gate)
{
	if (gate == GATE_PAUSE)
		return 0;
	if (gate >= GATE_STOP) {
		give_up_all(lane, &lane->to_source);
		return 0;
	}
	return send_queue(lane, &lane->to_source, lane->source, &lane->counters.at_source,
			  lane->depth_read);
}

/* Reading back begins something, as reading does; a write finishes what was begun. */
static int send_destination(struct lane *lane, int gate)
{
	bool back = lane->traits & PASS_READS_BACK;

	if (back && gate == GATE_PAUSE)
		return 0;
	if (gate < (back ? GATE_STOP : GATE_ABANDON))
		return send_queue(lane, &lane->to_destination, lane->destination,
				  &lane->counters.at_destination, lane->depth_write);
	give_up_all(lane, &lane->to_destination);
	if (gate < GATE_ABANDON)
		return 0;
	if (!lane->cancelled && lane->destination->backend->cancel)
		lane->destination->backend->cancel(lane->destination);
	if (!lane->cancelled && lane->source->backend->cancel)
		lane->source->backend->cancel(lane->source);
	lane->cancelled = true;
	return 0;
}

static void send_reports(struct lane *lane)
{
	struct slot *slot;

	while ((slot = slot_queue_pop(&lane->to_report))) {
		if (!slot->ops->report(lane, slot)) {
			slot_queue_unpop(&lane->to_report, slot);
			break;
		}
		lane_slot_free(lane, slot);
	}
	if (ring_half_full(&lane->ring))
		copy_kick(lane->copy);
}

static void wait_wake(struct lane *lane, int timeout_ms)
{
	struct pollfd fd = { .fd = lane->wake, .events = POLLIN };

	if (poll(&fd, 1, timeout_ms) > 0)
		eventfd_clear(lane->wake);
}

static int ms_of(uint64_t ns)
{
	return (int)((ns + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

static uint64_t patience(const struct lane *lane)
{
	uint64_t ns = lane->to_report.first || lane->held.first ? RING_WAIT : COPY_PATIENCE;

	return lane->token_wait && lane->token_wait < ns ? lane->token_wait : ns;
}

/*
 * Waits for several completions at once to save system calls: as many as come
 * quickly, and few enough to leave both ends something to do. A slow disk's
 * completions are taken one by one.
 */
static int wait_batch(struct lane *lane, struct io_handle *handle)
{
	/* Reading back during the copy uses gaps that would be over after several completions;
	 * and inspecting one piece keeps the lane busy until the next ones arrive. */
	bool single = lane->beside || (lane->copy->takes_long && lane->ops->inspect);
	uint32_t most = single ? 1 : lane->queued * 2 / 3;
	uint32_t least = lane->batch < most ? lane->batch : most;
	uint64_t before = clock_monotonic(), time = patience(lane);
	int n;

	if (least > 1 && time > BATCH_WAIT)
		time = BATCH_WAIT;
	n = reap(lane, handle, least ? least : 1, time);

	if (clock_monotonic() - before >= BATCH_WAIT)
		lane->batch = lane->batch > 1 ? lane->batch - 1 : 1;
	else if (lane->batch < most)
		lane->batch++;
	return n;
}

/* Waits for a completion of either end, or the gate. */
static int wait_queues(struct lane *lane)
{
	bool source = is_async(lane->source), destination = is_async(lane->destination);
	int r = 0;

	if (source && destination && !lane->shared) {
		r = reap_now(lane);
		if (r != 0)
			return r;

		struct pollfd fds[] = {
			{ .fd = lane->source->backend->poll_fd(lane->source), .events = POLLIN },
			{ .fd = lane->destination->backend->poll_fd(lane->destination),
			  .events = POLLIN },
			{ .fd = lane->wake, .events = POLLIN },
		};

		if (poll(fds, 3, ms_of(patience(lane))) > 0 && fds[2].revents)
			eventfd_clear(lane->wake);
		return reap_now(lane);
	}
	lane->unsent = false;
	return wait_batch(lane, source ? lane->source : lane->destination);
}

/*
 * On one spindle every switch between the ends moves the heads: the source fills
 * all buffers, then the destination writes them all. Not below a rate limit, where
 * seeks cost nothing and an even rate matters more.
 */
static void take_turns(struct lane *lane, int gate)
{
	const struct lane_counters *c = &lane->counters;
	bool more = gate == GATE_RUN && lane->idle && have_piece(lane);

	if (lane->writing)
		lane->writing = lane->to_destination.first || c->at_destination;
	else
		lane->writing = !more && !lane->to_source.first && !c->at_source;
}

static bool in_turns(const struct lane *lane)
{
	return lane->copy->choice->take_turns && lane->traits & PASS_BOTH_ENDS &&
	       !rate_limit_get(lane->copy->limit);
}

/* Lets pieces begin and sends what is queued. Positive: something completed in the call; negative:
 * a queue is broken. */
static int send_all(struct lane *lane, int gate)
{
	bool turns = in_turns(lane);
	int writes = 0, reads;

	if (turns)
		take_turns(lane, gate);
	if (gate == GATE_RUN && lane->ops->beside)
		lane->ops->beside(lane);
	if (gate == GATE_RUN && !(turns && lane->writing))
		take_pieces(lane);
	if (!turns || lane->writing)
		writes = send_destination(lane, gate);
	if (writes < 0)
		return writes;
	reads = send_source(lane, gate);
	return reads < 0 ? reads : writes + reads;
}

/* With no request in flight: is nothing left to do in this pass? */
static bool is_through(struct lane *lane, int gate)
{
	if (lane->to_source.first || lane->to_destination.first || lane->to_report.first ||
	    lane->held.first)
		return false;
	return gate >= GATE_STOP || (lane->chunks_left == 0 && !have_piece(lane));
}

static void tell_stopped(struct copy *copy)
{
	for (unsigned i = 0; i < copy->observer_count; i++)
		if (copy->observers[i]->stopped)
			copy->observers[i]->stopped(copy);
}

/* One round: send, then inspect, reap or wait. False: there is nothing left to do, or *reterr says
 * why not. */
static bool lane_round(struct lane *lane, int *reterr)
{
	int gate = copy_gate(lane->copy);
	int done, r = 0;

	lane->token_wait = 0;
	send_reports(lane);
	if (gate >= GATE_STOP)
		tell_stopped(lane->copy);
	lane_take_released(lane);
	done = send_all(lane, gate);
	if (done < 0) {
		*reterr = done;
		return false;
	}
	/* What follows may take a while, so the time of the last request is out of date. */
	if (lane->inspect_first || lane->queued > 0 || done == 0)
		lane->now = 0;
	if (lane->inspect_first) {
		r = reap_now(lane);
		if (r == 0)
			lane_inspect_next(lane);
	} else if (done > 0) {
		r = lane->queued > 0 ? reap_now(lane) : 0;
	} else if (released_meanwhile(lane)) {
		return true;
	} else if (lane->queued > 0) {
		r = wait_queues(lane);
	} else if (is_through(lane, gate)) {
		return false;
	} else {
		bool paused = gate == GATE_PAUSE && !lane->to_report.first;

		wait_wake(lane, paused ? -1 : ms_of(patience(lane)));
	}
	*reterr = r < 0 ? r : 0;
	return r >= 0;
}

static void broken(struct lane *lane, int code)
{
	struct error error;

	error_set(&error, ERROR_CLASS_INTERNAL, code, "wait", lane->copy->source->name,
		  _("The request queue of thread %u failed: %s. Stop other programs that use much "
		    "memory, then resume."),
		  lane->number, error_phrase(code));
	copy_fail(lane->copy, FAILURE_INTERNAL, &error);
}

/* Waits for the next pass. False: the lane is to end. */
static bool wait_pass(struct lane *lane)
{
	const struct copy *copy = lane->copy;

	while (copy_gate(copy) != GATE_EXIT) {
		unsigned generation = atomic_load(&copy->generation);

		if (generation != lane->generation) {
			lane->generation = generation;
			lane->ops = copy->ops;
			lane->traits = copy->traits;
			lane->has_pending = false;
			lane->chunks_left = 0;
			lane->pending_tag = 0;
			return true;
		}
		wait_wake(lane, -1);
	}
	return false;
}

static void *lane_main(void *arg)
{
	struct lane *lane = arg;
	int code = 0;

	atomic_store(&lane->tid, gettid());
	while (code == 0 && wait_pass(lane)) {
		while (lane_round(lane, &code))
			;
		if (code < 0)
			broken(lane, code);
		atomic_store(&lane->state, code < 0 ? LANE_BROKEN : LANE_PARKED);
		copy_kick(lane->copy);
	}
	/* The handles stay open until the end: the final flush uses one of them. */
	while (copy_gate(lane->copy) != GATE_EXIT)
		wait_wake(lane, -1);
	io_close(lane->destination);
	io_close(lane->source);
	lane->destination = lane->source = NULL;
	return NULL;
}

int lane_start(struct lane *lane, struct error *reterr)
{
	char name[16];
	int r;

	snprintf(name, sizeof(name), "lane%u", lane->number);
	r = thread_start(&lane->thread, STACK_SIZE, lane_main, lane, name, reterr);
	lane->started = r == 0;
	return r;
}

void lane_wake(struct lane *lane)
{
	eventfd_signal(lane->wake);
}

void lane_join(struct lane *lane)
{
	if (lane->started)
		pthread_join(lane->thread, NULL);
	lane->started = false;
}
