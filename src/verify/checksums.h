/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checksums of the whole source (plan/options.h): over every byte of the plan, in the
 * order of the source.
 *
 * A copy in one go computes them from the data it reads: the first sweep hands its
 * pieces to the hasher in order, and the held areas are read in their place as
 * well, but written later. If that is not possible (unreadable sectors, a resumed
 * copy), they are computed from the destination as it is read back, in one more
 * pass if necessary; what could not be read counts as zeros. Either way they are
 * valid only if the digests of what went into them (verdict.h) are those of the copy.
 *
 * The coordinator's between passes; while lanes run, they only give and break.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "copy/work.h"
#include "verify/outcome.h"

struct digest_part;
struct hasher;
struct lane;
struct observer;
struct slot;
struct verification;

struct checksums {
	struct hasher *hasher; /* NULL: no checksums were asked for */
	unsigned observer;     /* its number */
	bool open;             /* the current pass feeds it; constant while lanes run */
	bool whole;            /* the last stream had the whole plan */
	enum job_sums_state of;
	uint64_t bytes;            /* that a complete stream has */
	enum job_sums_state ended; /* the final state; JOB_SUMS_PENDING until the end */
};

int checksums_new(struct verification *v, struct error *reterr);
void checksums_done(struct verification *v);

/* ---- for prepare() of a pass ---- */

/* After the work was built: if it is the whole plan, opens a stream. of: what it is read from. */
void checksums_begin(struct verification *v, enum job_sums_state of);
/* Must the destination be read once more for them? */
bool checksums_need_reading(struct verification *v);

/* ---- for lanes; these do nothing without an open stream ---- */

/* Registered if there are checksums to make, after the one that takes digests. */
extern const struct observer checksums_observer;
/* data: the complete piece, in the slot's buffer; parts: its digests. */
void checksums_give(struct lane *lane, struct slot *slot, const void *data,
		    const struct digest_part *parts, unsigned count);
void checksums_break(struct verification *v);
/* Is this piece in a held area, in a copy in one go, and therefore only read now? */
bool checksums_only_reads(const struct verification *v, const struct piece *piece);

/* ---- for the coordinator ---- */

/* All lanes are parked. False: the hasher is still computing. */
bool checksums_through(struct verification *v);
/* At the end of a pass. */
void checksums_close(struct verification *v);
/* Are they still missing, and would reading the destination once more provide them? */
bool checksums_are_due(struct verification *v);
/* At the end of the job: sets the final state. */
void checksums_judge(struct verification *v);
void checksums_show(const struct verification *v, struct job_sums *ret);
