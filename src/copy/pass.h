/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pass: one sweep of the lanes over a part of the map. A job is a sequence of
 * them (pass.c): the copy itself, what is tried again where it failed, the
 * flush, and what is done with the copy once it is on the medium.
 *
 * One const table per pass, one file each (pass_copy.c). The keeper goes
 * through the sequence: when all lanes rest and their rings are empty, it calls
 * end() of the pass that is through, then prepare() of the same pass again for
 * another round, and when that has nothing to do, prepare() of the next one.
 * What prepare() has to do is to build job->work, or any list of its own; then
 * the lanes are let go. At a stop, or after a failure, only passes with
 * PASS_ALWAYS still run.
 *
 * How a lane works on a pass is in its ops, which several passes may share. A
 * slot is a buffer of job->choice.chunk bytes with one request. While there is a
 * free slot and room in the queue, take() is asked for the next piece and begin()
 * makes the slot's first request of it and pushes the slot onto one of the lane's
 * two queues: to_source or to_destination. When the request came back, advance()
 * says what becomes of the slot: another request (either end, read or write, so a
 * read may become a write, or be compared with what another slot has read), or
 * lane_slot_report(), then report() puts what there is to tell into the ring, and
 * the slot is free again. Where a pass needs two blocks at once, its take() waits
 * until two slots are free, and its begin() makes the second one the first one's
 * twin. Beside the copy some slots read back what is flushed: they have ops of
 * their own (rolling.h), in the same queues. Nothing here may block.
 *
 * Threads: what is in struct pass runs in the keeper's thread, the ops in the
 * lane's, several lanes at once. What they share lives in struct job (core.h)
 * and says there who may touch it when: between prepare() and the moment all
 * lanes rest, it is the lanes', else the keeper's.
 *
 * Adding a pass: a value of enum pass_kind (job.h), its table, its place in the
 * sequence (pass.c), its words (pass_names.c), its name in the schemas.
 */
#ifndef CLONEDECK_COPY_PASS_H
#define CLONEDECK_COPY_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "copy/job.h"
#include "copy/lane.h"
#include "copy/ring.h"
#include "copy/work.h"

enum pass_trait {
	PASS_WRITES = 1 << 0,   /* the destination: it is not flushed any more, the claim is checked
				 * after a long pause, the map is saved on the way */
	PASS_ONE_LANE = 1 << 1, /* only lane 0 works: one request after the other */
	/* Its requests to the destination are reads: no new ones when paused or stopped. */
	PASS_READS_BACK = 1 << 2,
	PASS_ALWAYS = 1 << 3,   /* also after a stop or a failure */
	PASS_NO_LANES = 1 << 4, /* no lanes: the saver flushes the destination and saves the map */
};

/* What a lane does with the slots of a pass. */
struct pass_ops {
	/* The next piece, at most a chunk. False: nothing until something of this lane came
	 * back; and when nothing of it is under way, nothing at all in this round. NULL: chunks
	 * of job->work, as they come. */
	bool (*take)(struct lane *lane, struct piece *ret);
	/* At most so many requests to the source in flight on this lane, which are sent one by one,
	 * so that the kernel joins no neighbours and none fails for another's sake. NULL or
	 * UINT32_MAX: its depth, in batches. */
	uint32_t (*depth)(const struct lane *lane);
	/* slot->piece is set, all else of the slot is as lane_slot_begin() left it. */
	void (*begin)(struct lane *lane, struct slot *slot);
	/* A request came back: slot->request.result. */
	void (*advance)(struct lane *lane, struct slot *slot);
	/* Hashes or compares what was read, after lane_slot_inspect(): while requests are under
	 * way, so that both ends stay busy meanwhile. NULL: nothing waits for that. */
	void (*inspect)(struct lane *lane, struct slot *slot);
	/* The copy stops: the queued request is not made. Keeps what the slot knows. */
	void (*give_up)(struct lane *lane, struct slot *slot);
	/* Puts into lane->ring what the slot has to tell, and counts counters.handled up by
	 * the bytes of the pass that are through. False: the ring is full, come again. NULL: no
	 * slot of it is reported; each is freed when it is through. */
	bool (*report)(struct lane *lane, struct slot *slot);
};

struct pass {
	enum pass_kind kind;
	unsigned traits;
	enum job_state state;       /* of the job while it runs */
	char letter;                /* of the map file: ddrescue's current status */
	const struct pass_ops *ops; /* NULL with PASS_NO_LANES */

	/*
	 * Is there anything to do in this round (from 0)? Builds job->work; everything rests.
	 * 1: yes; 0: no, on to the next pass; negative errno: the job fails.
	 */
	int (*prepare)(struct job *job, unsigned round);
	/* A report of kind REPORT_PASS. NULL: there are none. */
	void (*collect)(struct job *job, const struct report *report);
	/* All lanes rest, and all reports are taken in. NULL is fine. */
	void (*end)(struct job *job);
	/* A read of the source, of a slot with this tag, takes longer than the plan allows, and has
	 * not come back. While the lanes are at work. NULL is fine. */
	void (*hangs)(struct job *job, uint64_t tag);
	/* Which of ddrescue's passes of the same letter it is; NULL: it has but one. */
	unsigned (*number)(const struct job *job);
};

extern const struct pass pass_probe_write, pass_probe_flush, pass_probe_read;
extern const struct pass pass_wipe_key, pass_wipe_flush, pass_wipe_rest;
extern const struct pass pass_copy;
extern const struct pass pass_trim;
extern const struct pass pass_scrape;
extern const struct pass pass_retry;
extern const struct pass pass_fill;
extern const struct pass pass_flush;
extern const struct pass pass_spot;
extern const struct pass pass_verify;
extern const struct pass pass_compare;
extern const struct pass pass_sums;
extern const struct pass pass_rewrite;

/* For ops that write what is no part of the copy: pass_wipe.c. */
void write_only_advance(struct lane *lane, struct slot *slot);
bool write_only_report(struct lane *lane, struct slot *slot);

/* What stands on the destination for a piece that could not be read: pass_fill.c. */
void fill_buffer(const struct job *job, void *buffer, const struct piece *piece);

/* All of the plan is on the destination, or known to be bad. */
bool job_nothing_left(const struct job *job);

/*
 * For the keeper. Ends the pass that is through and begins the next one that has something to
 * do. False: there is none, the job is through.
 */
bool pass_next(struct job *job, uint64_t now);
/* The pass under way is through: its lanes rest, or its flush is done. True as well when no
 * pass is under way. */
bool pass_is_through(struct job *job);
/* Of the pass under way, as the map file has it: from 1. */
unsigned pass_number(const struct job *job);
/* Fills in what there is to show of the passes. */
void pass_show(const struct job *job, uint64_t now, struct job_snapshot *ret);

#endif
