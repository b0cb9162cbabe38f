/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lane: one thread that keeps both ends of the copy busy with its own buffers,
 * handles and requests. A slot is one buffer with one request. The pass
 * (struct slot_ops) decides what a slot does: in the copy pass it starts as a read and
 * becomes the write. Between passes the lane is parked. Lanes share only what copy.h
 * gives them, counters that others read, and the ring that the coordinator empties.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"
#include "copy/copy.h"
#include "copy/ring.h"
#include "copy/watch.h"
#include "copy/work.h"
#include "io/io.h"
#include "stats/latency.h"

/* A read of the source that takes longer is slow. */
#define SLOW_READ NSEC_PER_SEC

/* What the request is for; the pass decides what comes next. */
enum slot_phase {
	SLOT_READ,        /* the whole piece */
	SLOT_READ_SEARCH, /* part of a failed piece, to find the bad sector */
	SLOT_PATCH_READ,  /* the larger sector of the destination that contains the piece */
	SLOT_PATCH_WRITE,
	SLOT_WRITE,
	SLOT_WRITE_SEARCH,
	SLOT_READ_BACK, /* of the destination, after the source */
	SLOT_REPORT,    /* done; waits for room in the ring */
};

/* Where the search in a failed chunk is. */
struct search {
	uint32_t pos;   /* everything before it is known */
	unsigned level; /* of search_step(): how small the parts are */
};

struct slot {
	struct io_request request; /* must stay first: a request is its slot */
	struct slot *next;
	void *buffer;
	const struct slot_ops *ops; /* of the pass under way, or beside it */
	bool at_destination;        /* the end that the current request was sent to */
	struct watch watch;
	struct slot *next_to_inspect;
	bool to_inspect; /* still to be hashed or compared */
	enum slot_phase phase;
	struct piece piece;
	uint64_t tag;          /* of the pass: chunk or area */
	uint32_t write_length; /* shorter than the piece if not all of it could be read */
	unsigned tries;
	struct search search;
	/* For the report: [0, finished) is on the destination, except for what is marked bad. Bad
	 * sectors before write_length were refused by the destination; later ones could not be
	 * read. */
	uint32_t finished, reported, report_end;
	int code; /* of the failure */
	struct sense sense;
	bool has_bad;
	enum map_status bad_status; /* for what could not be read */
	bool filled;                /* the bad place: the destination has been filled there */
	uint64_t *bad;              /* one bit per source sector */
	/* Digests of the data read from the source. */
	uint8_t part_count;
	struct digest_part parts[DIGEST_PARTS_MAX];
	/* Somebody still reads the buffer: only lane_slot_release() makes the slot free. */
	atomic_bool held;
	void *own;                   /* of the pass: ops->slot_size bytes, zeroed */
	void *state[COPY_OBSERVERS]; /* of each observer */
	bool secondary;              /* a twin, or beside the pass: not to be observed */
	bool wide;                   /* uses the buffers and bad bits of all slots */
};

#define SLOT_BITS 64 /* in one word of slot.bad */

static inline size_t slot_bad_words(uint32_t chunk, uint32_t sector)
{
	return chunk / sector / SLOT_BITS + 1;
}

struct slot_queue {
	struct slot *first, **last;
};

/* Written by the lane, read by anyone: relaxed atomics in cache lines of their own. */
struct lane_counters {
	_Alignas(64) uint64_t read, written; /* bytes completed: of the source, and on the
					      * destination for good */
	uint64_t read_back;                  /* bytes read from the destination */
	uint64_t handled;                    /* bytes that passes are through with */
	uint64_t reads, writes;              /* requests completed: of the source, on the dest. */
	uint64_t submit_ns;                  /* of requests that completed inside submit */
	uint64_t errors, retries, slow_reads;
	uint64_t read_errors, error_bytes;  /* reads of the source that failed, each try */
	uint64_t last_read;                 /* monotonic ns of the last good one of the source */
	uint64_t at_source, at_destination; /* requests in flight */
	uint64_t buffers_in_use;
};

enum lane_state {
	LANE_RUNNING,
	LANE_PARKED, /* done with this pass, nothing in flight */
	LANE_BROKEN, /* its queue failed; what was in flight is unknown */
};

struct lane {
	struct copy *copy;
	struct job *job; /* of the passes */
	unsigned number;
	pthread_t thread;
	bool started;
	atomic_int tid;
	/* enum lane_state; the coordinator sets LANE_RUNNING before a pass begins. */
	atomic_int state;
	int wake; /* eventfd: the gate changed */

	struct io_buffers *buffers;
	struct io_handle *source, *destination;
	bool shared; /* one queue for both ends */
	uint32_t depth_read, depth_write;
	struct slot *slots;
	uint64_t *bad_bits;
	char *states; /* of the pass and the observers, for all slots */
	uint32_t slot_count;
	uint32_t widest; /* bytes of the largest wide request */
	uint32_t run;    /* chunks taken from the cursor at once */

	/* The lane's alone. */
	const struct slot_ops *ops; /* of the pass */
	unsigned traits;            /* PASS_… */
	unsigned generation;
	struct slot *idle;
	struct slot_queue to_source, to_destination, to_report;
	struct slot_queue held; /* done, but somebody still reads their buffers */
	/* Data to be hashed or compared while requests, perhaps its own write, are in flight. */
	struct slot *inspect_first, **inspect_last;
	uint32_t queued; /* requests that reap will give back */
	bool unsent;     /* something was queued that no reap has sent yet */
	/* Source, destination: requests in a row that completed within submit. */
	unsigned inside[2];
	uint64_t now;   /* monotonic ns, if a request completed just now; 0: ask the clock */
	uint64_t sent;  /* requests so far */
	uint32_t batch; /* completions to wait for at once */
	bool writing;   /* if the ends take turns: it is the destination's turn */
	uint64_t chunk, chunks_left;
	struct piece pending; /* waits for the rate limit or a slot */
	uint64_t pending_tag;
	bool has_pending;
	uint64_t token_wait; /* ns until the rate limit permits more; 0: not waiting */
	bool cancelled;
	atomic_int hanging;      /* hanging reads of the source, as found by the coordinator */
	atomic_bool wants_slots; /* to be woken when a slot is released */
	uint32_t beside;         /* slots with other ops than the pass's */
	bool went_beside;        /* the last slot begun is one of them */

	struct lane_counters counters;
	struct latency read_latency, write_latency;
	struct latency back_latency; /* of reads of the destination */
	struct ring ring;
};

static inline void counter_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static inline void counter_sub(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter - n, __ATOMIC_RELAXED);
}

static inline uint64_t counter_get(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static inline void slot_queue_init(struct slot_queue *queue)
{
	queue->first = NULL;
	queue->last = &queue->first;
}

static inline void slot_queue_push(struct slot_queue *queue, struct slot *slot)
{
	slot->next = NULL;
	*queue->last = slot;
	queue->last = &slot->next;
}

/* Back to the front: the backend is busy, and the slot keeps its turn. */
static inline void slot_queue_unpop(struct slot_queue *queue, struct slot *slot)
{
	slot->next = queue->first;
	if (!queue->first)
		queue->last = &slot->next;
	queue->first = slot;
}

static inline struct slot *slot_queue_pop(struct slot_queue *queue)
{
	struct slot *slot = queue->first;

	if (!slot)
		return NULL;
	queue->first = slot->next;
	if (!queue->first)
		queue->last = &queue->first;
	return slot;
}

/* Allocates everything and opens the handles; does not start the thread. first: lane 0, or NULL
 * for that one. */
int lane_new(struct copy *copy, unsigned number, uint32_t slots, const struct lane *first,
	     struct lane **ret, struct error *reterr);
int lane_start(struct lane *lane, struct error *reterr);
void lane_wake(struct lane *lane);
/* After the gate is at GATE_EXIT. */
void lane_join(struct lane *lane);
void lane_destroy(struct lane *lane); /* NULL is fine; joined or never started */

/* Count a request: when it is sent, when it has completed, its result, and the time of one that
 * completed inside submit(). */
void lane_count_begin(struct lane *lane, struct slot *slot);
void lane_count_end(struct lane *lane, struct slot *slot);
void lane_count_result(struct lane *lane, const struct slot *slot);
void lane_count_inside(struct lane *lane, const struct io_request *request);
/* Begins a piece in a free slot; there must be one. */
void lane_slot_begin(struct lane *lane, const struct slot_ops *ops, const struct piece *piece);
/* Are two slots free, one for each end? */
bool lane_has_pair(const struct lane *lane);
/* Takes a second slot for the same piece; only the first one is observed. */
struct slot *lane_slot_twin(struct lane *lane, struct slot *slot);
/* For the passes. Each of these leaves the slot in one of the lane's queues, or free. */
void lane_slot_free(struct lane *lane, struct slot *slot);
/* Reads `piece` from the source into the buffer. */
void lane_slot_read(struct lane *lane, struct slot *slot);
/* Answers a read of the source from memory (held_memory.h). False: it is not there, or the pass
 * does not copy. */
bool lane_slot_answer(const struct lane *lane, struct slot *slot);
/* What was read of the source gets the table that fits the destination. */
void lane_slot_fit(const struct lane *lane, const struct slot *slot);
/* Has the destination clear this piece by itself (io_clear()), which blocks. Not with a backend
 * that reaches it on another way than the node. */
int lane_clear(struct lane *lane, const struct piece *piece, bool discard);
/* Writes the first write_length bytes of the piece from the buffer. */
void lane_slot_write(struct lane *lane, struct slot *slot);
/* All of it, with zeros. */
void lane_slot_write_zeros(struct lane *lane, struct slot *slot);
/* Queues the slot for the pass's inspect(), which runs after sending and before its report. */
void lane_slot_inspect(struct lane *lane, struct slot *slot);
/* Inspects the slot that has waited longest. */
void lane_inspect_next(struct lane *lane);
/* Shows the observers what is about to be written. */
void lane_slot_observe(struct lane *lane, struct slot *slot);
/* Until it is released, from any thread and just once, the slot is not used again. */
void lane_slot_hold(struct slot *slot);
void lane_slot_release(struct lane *lane, struct slot *slot);
/* Calls the pass's report() until everything is reported, then frees the slot. */
void lane_slot_report(struct lane *lane, struct slot *slot);
/* Reads the piece back from the destination, in whole sectors of that: if these are larger than
 * the source's, the piece begins lane_back_skip() bytes into the buffer. */
void lane_slot_read_back(struct lane *lane, struct slot *slot);
uint32_t lane_back_skip(const struct lane *lane, const struct slot *slot);
/* Takes back slots that were released. False: there were none. */
bool lane_take_released(struct lane *lane);
/* The next chunk of the work, which is taken in runs. */
bool lane_take_chunk(struct lane *lane, struct piece *ret);
/* Size of the next piece. More than a chunk if both ends work inside the call: then requests are
 * sent one after the other, and their number is what costs time. */
uint32_t lane_piece_size(const struct lane *lane);
/* Appends the following chunks to a piece, as far as they are contiguous on both ends, up to a
 * multiple of `most` bytes on the destination. The tag becomes that of the last chunk. */
void lane_take_more(struct lane *lane, uint32_t most, struct piece *piece);

/* The sum of one uint64_t of struct lane_counters over these lanes. */
uint64_t lanes_sum_at(struct lane *const *lanes, unsigned count, size_t offset);
#define lanes_sum(lanes, count, member)                                                            \
	lanes_sum_at(lanes, count, offsetof(struct lane_counters, member))
