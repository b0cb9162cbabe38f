/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pass: one sweep of the lanes over a part of the map. A job is a sequence of
 * passes (pass.c): the copy itself, the rescue of what failed, the flush, and the
 * verification of what is on the medium.
 *
 * Each pass is one const table in a file of its own (pass_copy.c). When all lanes
 * are parked and their rings are empty, the keeper calls end() of the finished
 * pass, then prepare() of the same pass for another round; if that has nothing to
 * do, prepare() of the next pass. prepare() builds job->work, or a list of its own,
 * and then the lanes run. After a stop or a failure, only passes with PASS_ALWAYS
 * still run.
 *
 * What a lane does in a pass is in the ops (copy.h), which several passes may share.
 *
 * Threads: the functions of struct pass run in the keeper's thread, the ops in
 * those of the lanes, concurrently. Shared state is in struct job (job_private.h), with
 * its owner: the lanes from prepare() until all are parked, otherwise the keeper.
 *
 * Adding a pass: a value of enum pass_kind (job.h), its table, its place in the
 * sequence (pass.c), its words (job_words.c), its name in the schemas.
 */
#ifndef CLONEDECK_JOB_PASS_H
#define CLONEDECK_JOB_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "job/job.h"
#include "copy/lane.h"
#include "copy/ring.h"
#include "copy/work.h"

struct pass {
	enum pass_kind kind;
	unsigned traits;
	enum job_state state;       /* of the job while it runs */
	char letter;                /* of the map file: ddrescue's current status */
	const struct slot_ops *ops; /* NULL with PASS_NO_LANES */

	/*
	 * Is there anything to do in this round (from 0)? Builds job->work, while all lanes are
	 * parked. 1: yes; 0: no, on to the next pass; negative errno: the job fails.
	 */
	int (*prepare)(struct job *job, unsigned round);
	/* A report of kind REPORT_PASS. NULL: there are none. */
	void (*collect)(struct job *job, const struct report *report);
	/* All lanes are parked, all reports collected. May be NULL. */
	void (*end)(struct job *job);
	/* A read of the source, by a slot with this tag, is pending for longer than the plan
	 * allows. Called while the lanes run. May be NULL. */
	void (*hangs)(struct job *job, uint64_t tag);
	/* The number among ddrescue's passes of the same letter; NULL: 1. */
	unsigned (*number)(const struct job *job);
};

extern const struct pass pass_probe_write, pass_probe_flush, pass_probe_read;
extern const struct pass pass_wipe_key, pass_wipe_flush, pass_wipe_rest, pass_disarm, pass_wiped,
	pass_arming;
extern const struct pass pass_copy;
extern const struct pass pass_trim;
extern const struct pass pass_scrape;
extern const struct pass pass_retry;
extern const struct pass pass_fill;
extern const struct pass pass_flush;
extern const struct pass pass_look_flush, pass_look;
extern const struct pass pass_baseline, pass_recheck;
extern const struct pass pass_verify;
extern const struct pass pass_compare;
extern const struct pass pass_sums;
extern const struct pass pass_rewrite;

/* For passes that write something other than the copy (pass_wipe.c). */
void write_only_advance(struct lane *lane, struct slot *slot);
bool write_only_report(struct lane *lane, struct slot *slot);

/* Fills a buffer with what the destination gets for an unreadable piece (pass_fill.c). */
void fill_buffer(const struct job *job, void *buffer, const struct piece *piece);

/* Is all of the plan on the destination, or known to be bad? */
bool job_nothing_left(const struct job *job);

/* Before anything is forgotten again: notes whether all of the copy is there, with its tables. */
void job_note_written(struct job *job);
/* Is it known that the destination is not what it should be? */
bool job_differs(const struct job *job);

/* For the keeper: ends the finished pass and begins the next one that has something to do.
 * False: there is none left. */
bool pass_next(struct job *job, uint64_t now);
/* Is the current pass finished (its lanes parked, or its flush done)? True without a pass. */
bool pass_is_through(struct job *job);
/* The number of the current pass for the map file, from 1. */
unsigned pass_number(const struct job *job);
/* Fills in the passes. */
void pass_show(const struct job *job, uint64_t now, struct job_snapshot *ret);

#endif
