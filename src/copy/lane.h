/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lane: one thread that keeps both ends of the copy busy with its own
 * buffers, handles and requests. A slot is one buffer with one request; what
 * it reads or writes and what follows from that is the pass's to say (pass.h):
 * in the copy it is born as a read and becomes its write. Between two passes
 * the lane rests. Nothing here is shared but the cursor (work.h), the rate
 * limit, the counters that others read, and the ring that the keeper empties.
 */
#ifndef CLONEDECK_COPY_LANE_H
#define CLONEDECK_COPY_LANE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "copy/hang.h"
#include "copy/hasher.h"
#include "copy/ring.h"
#include "copy/work.h"
#include "io/io.h"
#include "stats/latency.h"

struct job;
struct pass;
struct pass_ops;

/* What its request is for. The pass alone knows what follows. */
enum slot_phase {
	SLOT_READ,        /* the whole chunk */
	SLOT_READ_SEARCH, /* a part of a chunk that failed, to find the sector */
	SLOT_PATCH_READ,  /* the destination's sector that the piece is a part of */
	SLOT_PATCH_WRITE,
	SLOT_WRITE,
	SLOT_WRITE_SEARCH,
	SLOT_READ_BACK, /* of the destination, after the source */
	SLOT_REPORT,    /* through; waits for room in the ring */
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
	const struct pass_ops *ops; /* of the pass under way, or rolling_ops */
	bool at_destination;        /* where the request under way was sent */
	struct watch watch;
	struct slot *twin; /* holds the same piece of the other end; NULL: there is none */
	bool through;      /* of the two: waits for its twin */
	struct slot *next_to_inspect;
	bool to_inspect; /* what was read is still to be hashed or compared */
	enum slot_phase phase;
	struct piece piece;
	uint64_t tag;          /* the pass's: which chunk, which area */
	uint32_t write_length; /* less than the piece where not all of it could be read */
	unsigned tries;
	struct search search;
	/* For the report: [0, finished) is on the destination but for what is marked bad: up to
	 * write_length the destination refused it, behind that it could not be read. */
	uint32_t finished, reported, report_end;
	int code; /* of the failure */
	struct sense sense;
	bool has_bad;
	enum map_status bad_status; /* of what could not be read */
	bool fills, filled;         /* what stands for it is being written; is on the destination */
	uint64_t *bad;              /* a bit per sector of the source */
	/* Digests of what was read of the source, and, where both ends are read, of the other. */
	uint8_t part_count, other_count;
	struct digest_part parts[DIGEST_PARTS_MAX], other[DIGEST_PARTS_MAX];
	/* Of the sums (sums.h): it was given to the hasher; which still reads the buffer. */
	bool given;
	atomic_bool hashing;
	struct hash_item hash;
	bool read_only; /* not to be written now: it is read for the sums only */
	bool wide;      /* has the buffers of all slots, and their bits */
};

#define SLOT_BITS 64 /* in one word of slot.bad */

static inline size_t slot_bad_words(uint32_t chunk, uint32_t sector)
{
	return chunk / sector / SLOT_BITS + 1;
}

struct slot_queue {
	struct slot *first, **last;
};

/* Written by the lane, read by anyone; relaxed atomics, one writer, lines of its own. */
struct lane_counters {
	_Alignas(64) uint64_t read, written; /* bytes completed: of the source, and on the
					      * destination for good */
	uint64_t read_back;                  /* bytes read from the destination */
	uint64_t handled;                    /* bytes that passes are through with */
	uint64_t reads, writes;              /* requests completed: of the source, on the dest. */
	uint64_t bytes_at_source, bytes_at_destination; /* in flight */
	uint64_t submit_ns; /* of requests that completed inside submit */
	uint64_t errors, retries, slow_reads;
	uint64_t read_errors, error_bytes;  /* reads of the source that failed, each try */
	uint64_t last_read;                 /* monotonic ns of the last good one of the source */
	uint32_t at_source, at_destination; /* requests in flight */
	uint32_t buffers_in_use;
};

enum lane_state {
	LANE_RUNNING,
	LANE_PARKED, /* nothing in flight, nothing left to do in this pass */
	LANE_BROKEN, /* its queue failed; what was in flight is unknown */
};

struct lane {
	struct job *job;
	unsigned number;
	pthread_t thread;
	bool started;
	atomic_int tid;
	/* enum lane_state; the keeper sets it running before it lets a pass begin. */
	atomic_int state;
	int wake; /* eventfd: the gate changed */

	struct io_buffers *buffers;
	struct io_handle *source, *destination;
	bool shared; /* one queue for both ends */
	uint32_t depth_read, depth_write;
	struct slot *slots;
	uint64_t *bad_bits;
	uint32_t slot_count;
	uint32_t widest; /* bytes of a request that has the buffers of all slots */
	uint32_t run;    /* chunks taken at once */

	/* The lane's alone. */
	const struct pass *pass;
	unsigned generation; /* of the pass */
	struct slot *idle;
	struct slot_queue to_source, to_destination, to_report;
	struct slot_queue hashing; /* through, but the hasher still reads their buffers */
	/* What was read, in that order, and is looked at while requests are under way: its write
	 * may be among them. */
	struct slot *inspect_first, **inspect_last;
	uint32_t queued; /* requests that reap will give back */
	bool unsent;     /* submit queued something that no reap has sent yet */
	/* source, destination: requests in a row that were done when submit returned */
	unsigned inside[2];
	uint64_t now;   /* monotonic ns, of a request done in submit just now; 0: ask the clock */
	uint64_t sent;  /* requests, ever */
	uint32_t batch; /* completions to wait for at once */
	bool writing;   /* where the ends take turns: it is the destination's */
	uint64_t chunk, chunks_left;
	struct piece pending; /* taken, waits for the rate limit or a slot */
	uint64_t pending_tag;
	bool has_pending;
	uint64_t token_wait; /* ns until the rate limit lets go on, 0 not waiting */
	bool cancelled;
	atomic_int hanging;      /* reads of the source that the keeper found to hang */
	atomic_bool wants_slots; /* to be woken when the hasher lets go of one */
	uint32_t rolling;        /* slots of rolling_ops */
	bool rolled;             /* the last one that began is */

	struct lane_counters counters;
	struct latency read_latency, write_latency;
	struct ring ring;
};

static inline void counter_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static inline void counter_add32(uint32_t *counter, uint32_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static inline void counter_sub(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter - n, __ATOMIC_RELAXED);
}

static inline void counter_sub32(uint32_t *counter, uint32_t n)
{
	__atomic_store_n(counter, *counter - n, __ATOMIC_RELAXED);
}

static inline uint64_t counter_get(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static inline uint32_t counter_get32(const uint32_t *counter)
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

/* Back to the front: it was refused for now and keeps its turn. */
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

/* Allocates all it needs and opens its handles; the thread is not running yet. */
int lane_new(struct job *job, unsigned number, uint32_t slots, struct lane **ret,
	     struct error *reterr);
int lane_start(struct lane *lane, struct error *reterr);
void lane_wake(struct lane *lane);
/* After the gate is at GATE_EXIT. */
void lane_join(struct lane *lane);
void lane_destroy(struct lane *lane); /* NULL is fine; joined or never started */

/* Lets a piece begin in a free slot, of which there must be one. */
void lane_slot_begin(struct lane *lane, const struct pass_ops *ops, const struct piece *piece);
/* Two slots are free: one for each end. */
bool lane_has_pair(const struct lane *lane);
/* The other one for the piece of `slot`; of the two, that one's is the stream's. */
struct slot *lane_slot_twin(struct lane *lane, struct slot *slot);
/* For the passes: each leaves the slot in one of the lane's queues, or free. */
void lane_slot_free(struct lane *lane, struct slot *slot);
/* Reads `piece` from the source into the buffer. */
void lane_slot_read(struct lane *lane, struct slot *slot);
/* The first write_length bytes of the piece are complete in the buffer. */
void lane_slot_write(struct lane *lane, struct slot *slot);
/* The pass's inspect() is called once all that can be sent is, and before the slot is reported. */
void lane_slot_inspect(struct lane *lane, struct slot *slot);
/* Looks at the one that waits longest. */
void lane_inspect_next(struct lane *lane);
/* Takes digests and sums of what is complete in the buffer. */
void lane_take_digests(struct lane *lane, struct slot *slot);
/* The pass's report() is called until it has told all, then the slot is free. */
void lane_slot_report(struct lane *lane, struct slot *slot);
/* Reads what of the destination belongs to the piece into the buffer: whole sectors of it, which
 * may be larger than the source's, so that the piece begins lane_back_skip() bytes into it. */
void lane_slot_read_back(struct lane *lane, struct slot *slot);
uint32_t lane_back_skip(const struct lane *lane, const struct slot *slot);
/* True: slots that only the hasher still read are free again. */
bool lane_take_hashed(struct lane *lane);
/* The next chunk of job->work; a lane takes them in runs. */
bool lane_take_chunk(struct lane *lane, struct piece *ret);
/* Bytes of the piece that is taken next. More than a chunk where both ends work inside the call:
 * one request after the other is under way then, and their number is what costs. */
uint32_t lane_piece_size(const struct lane *lane);
/* Puts the chunks that follow it to a piece just taken, where they lie behind it on both ends: up
 * to a multiple of `most` bytes on the destination. Its tag is that of the last one. */
void lane_take_more(struct lane *lane, uint32_t most, struct piece *piece);

#endif
