/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a copy gives to its lanes: the plan, both ends, the work, the gate, and whom to
 * tell. Lanes know neither who made it nor which pass is under way: a pass is, to
 * them, a table of what to do with a slot (struct slot_ops) and its traits. Who wants
 * to see the bytes that go by is an observer.
 *
 * Threads: constant while lanes run, except for what is atomic. The functions may be called in
 * any thread.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "copy/rate_limit.h"
#include "copy/work.h"
#include "io/backends.h"
#include "io/io.h"
#include "plan/plan.h"

struct copy;
struct held_memory;
struct job;
struct lane;
struct sector_search;
struct slot;
struct verification;
struct zones;

/* The longest that a thread waits before it looks at the gate again. */
#define COPY_PATIENCE (100 * NSEC_PER_MSEC)

/* What lanes may do. It only rises, except for pausing and resuming. */
enum gate {
	GATE_RUN,
	GATE_PAUSE,   /* no new reads */
	GATE_STOP,    /* no new reads; what was read is still written */
	GATE_ABANDON, /* no new requests at all */
	GATE_EXIT,    /* the threads end */
};

enum failure_kind {
	FAILURE_NONE,
	FAILURE_BAD_SECTOR, /* of the source, and the plan says to stop there */
	FAILURE_LIMIT,      /* more errors than the plan allows */
	FAILURE_SOURCE,     /* the source is gone or unusable */
	FAILURE_DESTINATION,
	FAILURE_REFUSED, /* by the check of the claim */
	FAILURE_INTERNAL,
};

enum pass_trait {
	PASS_WRITES = 1 << 0,   /* to the destination: a flush is due, the claim is checked again
				 * after a long pause, the map is saved on the way */
	PASS_ONE_LANE = 1 << 1, /* only lane 0 works */
	/* Its requests to the destination are reads: none when paused or stopped. */
	PASS_READS_BACK = 1 << 2,
	PASS_ALWAYS = 1 << 3,   /* runs even after a stop or a failure */
	PASS_NO_LANES = 1 << 4, /* no lanes: the saver flushes the destination */
	PASS_SAVES = 1 << 5,    /* and then saves the map */
	/* Uses both ends all the time: on one spindle they take turns. */
	PASS_BOTH_ENDS = 1 << 6,
	PASS_ROLLING = 1 << 7,     /* verification may go on beside it */
	PASS_FILLED = 1 << 8,      /* what it finds bad was filled before */
	PASS_SHOWN_AS_IS = 1 << 9, /* even where all passes are shown as one */
};

/*
 * What a lane does with a slot in a pass. While there is a free slot and room in the queue,
 * the lane calls take() for the next piece, then begin(), which sets up the slot's first
 * request and pushes the slot onto to_source or to_destination. When the request completes,
 * advance() decides what comes next: another request to either end (so a read becomes a
 * write, or is compared with what another slot read), or lane_slot_report(). Then report()
 * puts the outcome into the ring, and the slot is free again. A pass that needs two blocks
 * at once lets take() wait for two free slots, and begin() makes the second the twin of the
 * first. Nothing may block. All in the threads of the lanes, concurrently.
 */
struct slot_ops {
	size_t slot_size; /* bytes of slot->own; copy->slot_size is as large as the largest */
	/* The next piece, usually at most a chunk. False: none before another request of this
	 * lane completes or, if none is in flight, none in this round. NULL: the chunks of the
	 * work in order. */
	bool (*take)(struct lane *lane, struct piece *ret);
	/* Limits the requests of this lane in flight to the source, and has them sent one by one,
	 * so that the kernel does not merge a good sector with its bad neighbour. NULL or
	 * UINT32_MAX: the lane's depth, in batches. */
	uint32_t (*depth)(const struct lane *lane);
	/* Begins pieces with other ops beside these, where there is room. May be NULL. */
	void (*beside)(struct lane *lane);
	/* slot->piece is set, everything else as by lane_slot_begin(). */
	void (*begin)(struct lane *lane, struct slot *slot);
	/* The request has completed: slot->request.result. */
	void (*advance)(struct lane *lane, struct slot *slot);
	/* Hashes or compares what was read, some time after lane_slot_inspect(), while requests
	 * keep both ends busy. May be NULL. */
	void (*inspect)(struct lane *lane, struct slot *slot);
	/* The copy stops: drops the queued request, keeps what the slot knows. */
	void (*give_up)(struct lane *lane, struct slot *slot);
	/* Puts the outcome into lane->ring and adds the bytes that are done to
	 * counters.handled. False: the ring is full, call again. NULL: slots are not reported,
	 * just freed. */
	bool (*report)(struct lane *lane, struct slot *slot);
};

/* Who looks at the bytes on their way. In the threads of the lanes; each function may be NULL. */
struct observer {
	bool takes_long;  /* as long as hashing: data() waits until requests are sent */
	bool of_chunks;   /* no piece may be larger than a chunk */
	size_t slot_size; /* bytes of slot->state, zeroed when the lane is made */
	/* Called before a write: the buffer has slot->write_length bytes, some of which may be
	 * marked bad. */
	void (*data)(struct lane *lane, struct slot *slot);
	/* The slot is free, whatever became of its piece. */
	void (*freed)(struct lane *lane, struct slot *slot);
	/* The lanes read nothing new any more; may be called many times. */
	void (*stopped)(struct copy *copy);
};

#define COPY_OBSERVERS 3

/* The owner of the copy, which is told what happens. */
struct copy_owner {
	void (*kick)(struct job *job); /* a ring fills, or a lane is through */
	/* Keeps the first failure and raises the gate according to its kind. */
	void (*fail)(struct job *job, enum failure_kind kind, const struct error *error);
	void (*tell)(struct job *job, enum log_level level, const char *sentence);
	/* A request has failed: is it because that disk is gone? Then the copy ends. */
	bool (*is_gone)(struct job *job, bool destination);
};

struct copy {
	const struct plan *plan;
	const struct io_end *source, *destination;
	const struct io_choice *choice;
	bool never_writes; /* it only verifies */
	struct work *work; /* of the pass */
	struct rate_limit *limit;
	struct zones *zones;      /* latency of the source by place */
	struct held_memory *held; /* NULL: no held areas, or nothing is copied */
	const atomic_int *gate;   /* enum gate */
	/* Of the pass under way; set while all lanes are parked, then published by the next
	 * generation. */
	const struct slot_ops *ops;
	unsigned traits; /* PASS_… */
	atomic_uint generation;
	size_t slot_size; /* of slot->own */
	const struct observer *observers[COPY_OBSERVERS];
	unsigned observer_count;
	bool takes_long, of_chunks; /* for one of them */
	/* Of the passes over damaged areas, and of those that verify: no lane looks at these
	 * itself. */
	struct sector_search *search;
	struct verification *verification;
	const struct copy_owner *owner;
	struct job *job; /* the owner's, and that of the passes */
};

/* Before the lanes are made. Returns its index in slot->state. */
unsigned copy_observe(struct copy *copy, const struct observer *observer);

int copy_gate(const struct copy *copy);
void copy_kick(const struct copy *copy);
void copy_fail(const struct copy *copy, enum failure_kind kind, const struct error *error);
void copy_tell(const struct copy *copy, enum log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
