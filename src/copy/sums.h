/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sums of a whole source that were asked for (plan/sums.h): of every byte
 * of the plan, in the order of the source.
 *
 * A copy in one go takes them of what it reads, beside it: the first sweep
 * gives its pieces to the hasher in their order; what is held back to the end
 * is read in its place as well, and written later. Where that is not possible
 * (sectors that do not come at once, a copy that was resumed), the sums are
 * taken of the destination instead as it is read back, once more where it must
 * be; what never could be read counts as zeros then. Either way they stand only
 * if the digests of what went into them (proof.h) are those of the copy: then
 * they are of what was read of the source, and of what lies on the destination.
 *
 * The keeper's between passes; while lanes run they only give and break.
 */
#ifndef CLONEDECK_COPY_SUMS_H
#define CLONEDECK_COPY_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "copy/job.h"
#include "copy/work.h"

struct digest_part;
struct hasher;
struct lane;
struct slot;

struct sums {
	struct hasher *hasher; /* NULL: none was asked for */
	bool open;             /* the pass under way gives to it; constant while lanes run */
	bool whole;            /* the last stream had all of the plan */
	enum job_sums_state of;
	uint64_t bytes;            /* that the stream must have been given */
	enum job_sums_state ended; /* what is told of them; JOB_SUMS_PENDING until the end */
};

int sums_new(struct job *job, struct error *reterr);
void sums_done(struct job *job);

/* ---- for prepare() of a pass ---- */

/* Makes the work of a copy in one go. 1: it is made; 0: this is none; -ENOMEM. */
int sums_begin_copy(struct job *job);
/* The work is made: where it is all of the plan, its pieces are to be given. of: that they are
 * read from. */
void sums_begin(struct job *job, enum job_sums_state of);
/* The destination has to be read once more for them. */
bool sums_need_reading(struct job *job);

/* ---- for lanes; nothing where no stream is open ---- */

/* data: all of the slot's piece, in its buffer; parts: its digests. */
void sums_give(struct lane *lane, struct slot *slot, const void *data,
	       const struct digest_part *parts, unsigned count);
void sums_break(struct job *job);
/* In a copy in one go: this piece is held back, and only read now. */
bool sums_only_reads(const struct job *job, const struct piece *piece);

/* ---- for the keeper ---- */

/* The lanes rest. False: something is still to be computed. */
bool sums_through(struct job *job);
/* The pass is through. */
void sums_close(struct job *job);
/* They were asked for, and reading the destination once more would bring them. */
bool sums_are_due(struct job *job);
/* At the end of the job: what is known of them. */
void sums_judge(struct job *job);
void sums_show(const struct job *job, struct job_snapshot *ret);

#endif
