/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pass: one sweep of the lanes over a part of the map. A job is a sequence of
 * passes (passes.c): the copy itself, the rescue of what failed, the flush, and the
 * verification of what is on the medium.
 *
 * Each pass is one const table there, and what it does is in a file of its own
 * (pass_copy.c). Each step of the sequence says when it is taken. When all lanes
 * are parked and their rings are empty, the coordinator calls end() of the finished
 * pass, then prepare() of the same pass for another round; if that has nothing to
 * do, prepare() of the next pass. prepare() builds job->work, or a list of its own,
 * and then the lanes run. After a stop or a failure, only passes with PASS_ALWAYS
 * still run.
 *
 * What a lane does in a pass is in the ops (copy.h), which several passes may share.
 *
 * Threads: the functions of struct pass run in the coordinator's thread, the ops in
 * those of the lanes, concurrently. Shared state is in struct job (core.h), with
 * its owner: the lanes from prepare() until all are parked, otherwise the coordinator.
 *
 * Adding a pass: a value of enum pass_kind (snapshot.h), its table and its place in the
 * sequence (passes.c), its words (snapshot.c), its name in the schemas.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "copy/ring.h"
#include "job/core.h"

struct pass {
	enum pass_kind kind;
	unsigned traits;
	enum job_state state;       /* of the job while it runs */
	char letter;                /* of the map file: ddrescue's current status */
	const struct slot_ops *ops; /* NULL with PASS_NO_LANES */

	/*
	 * Is there anything to do in this round (from 0)? Builds job->work, while all lanes are
	 * parked. 1: yes; 0: no, on to the next pass; negative errno: the job fails. NULL: always.
	 */
	int (*prepare)(struct job *job, unsigned round);
	/* A report of kind REPORT_PASS. NULL: there are none. */
	void (*collect)(struct verification *v, const struct lane_report *report);
	/* All lanes are parked, all reports collected. Each may be NULL. */
	void (*end)(struct job *job);
	void (*judge)(struct verification *v);
	/* A read of the source, by a slot with this tag, is pending for longer than the plan
	 * allows. Called while the lanes run. May be NULL. */
	void (*hangs)(struct job *job, uint64_t tag);
	/* The number among ddrescue's passes of the same letter; NULL: 1. */
	unsigned (*number)(const struct job *job);
};

/* Conditions of a step; all that are given must hold. */
enum when {
	WHEN_ONCE = 1 << 0,  /* in its first round */
	WHEN_FIRST = 1 << 1, /* before any held area is copied */
	WHEN_HELD = 1 << 2,  /* there are held areas */
	/* Something may not be on the medium yet; also if the map was changed meanwhile. */
	WHEN_WRITTEN = 1 << 3,
	WHEN_COPYING = 1 << 4,   /* the job does not only verify */
	WHEN_RESCUING = 1 << 5,  /* bad sectors do not end the copy */
	WHEN_VERIFYING = 1 << 6, /* the copy is verified */
	WHEN_DIFFERENT = 1 << 7, /* the destination is known not to be what it should be */
	WHEN_PARTED = 1 << 8,    /* free places are copied after all else */
	WHEN_THERE = 1 << 9,     /* the source is there */
	WHEN_GOES_ON = 1 << 10,  /* the pass before was of the same kind, and has just written */
};

struct step {
	const struct pass *pass;
	unsigned when;
	enum stage_part part; /* of the first stage, what it is about */
};

extern const struct step sequence[];
extern const size_t sequence_count;
/* The most bytes of a slot that any pass wants for itself. */
size_t pass_slot_size(void);

/* Over damaged areas (pass_rescue.c), with the ops of rescue/search.h. */
int trim_prepare(struct job *job, unsigned round);
void trim_end(struct job *job);
int scrape_prepare(struct job *job, unsigned round);
int retry_prepare(struct job *job, unsigned round);
unsigned retry_number(const struct job *job);

/* The copy, and what was found to differ copied again (pass_copy.c). */
extern const struct slot_ops copy_ops, rewrite_ops;
int copy_prepare(struct job *job, unsigned round);
unsigned copy_number(const struct job *job);
void copy_hangs(struct job *job, uint64_t tag);
int rewrite_prepare(struct job *job, unsigned round);
/* A read of the source has failed: its place is read again later. */
void copy_tell_left(struct lane *lane, const struct slot *slot);

/* Wiping the held areas, before and after (pass_wipe.c). */
extern const struct slot_ops wipe_ops;
int wipe_key_prepare(struct job *job, unsigned round);
int wipe_rest_prepare(struct job *job, unsigned round);
int disarm_prepare(struct job *job, unsigned round);
void disarm_end(struct job *job);

/* The held areas, read before anything is written (pass_baseline.c). */
extern const struct slot_ops baseline_ops;
int baseline_prepare(struct job *job, unsigned round);
void baseline_end(struct job *job);

/* Is the destination as large as it claims? (pass_capacity.c) */
extern const struct slot_ops capacity_write_ops, capacity_read_ops;
int capacity_write_prepare(struct job *job, unsigned round);
int capacity_read_prepare(struct job *job, unsigned round);
void capacity_read_end(struct job *job);

/* Filling bad sectors (pass_fill.c). */
extern const struct slot_ops fill_ops;
int fill_prepare(struct job *job, unsigned round);
void fill_end(struct job *job);

/* Clearing the free places that are left out, and reading zeros back (pass_clear.c). */
extern const struct slot_ops clear_ops, clear_check_ops;
int clear_prepare(struct job *job, unsigned round);
void clear_end(struct job *job);
int clear_check_prepare(struct job *job, unsigned round);
void clear_check_end(struct job *job);
/* Is something of it still to be done? */
bool clearing_is_due(const struct job *job);
void clearing_show(const struct job *job, struct job_snapshot *ret);

/* For passes that write something other than the copy (pass_wipe.c). */
void write_only_advance(struct lane *lane, struct slot *slot);
bool write_only_report(struct lane *lane, struct slot *slot);

/* Reading back, comparing, and looking again (pass_verify.c), with the ops of verify/passes.h.
 * checksums_prepare(): all of the destination, in order. */
int verify_prepare(struct job *job, unsigned round);
int checksums_prepare(struct job *job, unsigned round);
int compare_prepare(struct job *job, unsigned round);
int recheck_prepare(struct job *job, unsigned round);
int look_flush_prepare(struct job *job, unsigned round);
int look_prepare(struct job *job, unsigned round);

/* Once there is a map: gives the verification what it needs of the job, but for its parts. */
void job_join_verification(struct job *job);

/* Bytes handled in this round of the pass under way. */
uint64_t pass_handled(const struct job *job);
/* Before anything is forgotten again: notes whether all of the copy is there, with its tables. */
void job_note_written(struct job *job);
/* Is it known that the destination is not what it should be? */
bool job_differs(const struct job *job);
