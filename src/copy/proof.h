/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of the copy being right, region by region (verify/digests.h):
 * the digest of what was read from the source, of what was read back from the
 * destination, and, where both ends had to be looked at once more, of that. A
 * region is proven when everything of it that the map calls finished was read
 * back and is what was read from the source.
 *
 * Between passes it is the keeper's. While lanes run they only compute digests
 * with it (proof_parts()); what they found reaches it through their rings.
 */
#ifndef CLONEDECK_COPY_PROOF_H
#define CLONEDECK_COPY_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/range.h"
#include "copy/job.h"
#include "copy/ring.h"
#include "verify/digests.h"

struct proof;
struct job;
struct slot;
struct piece;

/* NULL in *ret where the plan asks for no proof, or the destination keeps nothing. */
int proof_new(struct job *job, struct proof **ret, struct error *reterr);
void proof_destroy(struct proof *proof); /* NULL is fine */

/* ---- taking digests; NULL for proof is fine ---- */

/* Of what a slot has read from the source, before it is written. Any lane. */
void proof_take(struct job *job, struct slot *slot);
/* The digests of one piece in memory; returns their number. Any lane. */
unsigned proof_parts(const struct job *job, const struct piece *piece, const void *data,
		     struct digest_part parts[static DIGEST_PARTS_MAX]);
/* A report of the map that carries parts was taken in. */
void proof_collect(struct proof *proof, const struct report *report);

/* ---- the passes ---- */

/* Regions whose digest is known and that were not read back: made ready and put into `ret`
 * (sectors). -ENOMEM. */
int proof_want_digest(struct job *job, struct range_list *ret);
/* Those that both ends must be read for. */
int proof_want_compare(struct job *job, struct range_list *ret);
/* All that are on the destination, once more. */
int proof_want_all(struct job *job, struct range_list *ret);
/* job->work of what one of these three wants read. 1: there is some; 0: none; -ENOMEM. */
int proof_make_work(struct job *job, int (*want)(struct job *job, struct range_list *ret));
/* Those that differ, to be copied once more; their part of the map becomes non-tried. */
int proof_want_rewrite(struct job *job, struct range_list *ret);
/* What was asked for and is not done by then is judged next time. */
void proof_end_digest(struct job *job);
void proof_end_compare(struct job *job);
/* From either pass. */
void proof_collect_found(struct job *job, const struct report *report);

/* Brings up to date what is shown: once more at the very end, since what comes behind the last
 * proof may be what completes it. Nothing without a proof. */
void proof_sum(struct job *job);
/* Everything that the map calls finished is proven. */
bool proof_complete(const struct job *job);
/* Something differs, or could not be read back. NULL: no. */
bool proof_differs(const struct proof *proof);
/* What was taken of the source so far; the caller's. NULL: nothing is, or no memory. */
struct digests *proof_copy_taken(const struct proof *proof);
/* The sum of the digests of all that was read of the source; false: not all are known. */
bool proof_total(const struct job *job, struct digest *ret);
/* The list of digests (verify/list.h), once all are known; *retsaved false: they are not. */
int proof_save(struct job *job, const char *path, struct patience *patience, bool *retsaved,
	       struct error *reterr);
void proof_show(const struct job *job, struct job_snapshot *ret);
/* Bytes that were written twice, and so counted twice. */
uint64_t proof_rewritten(const struct proof *proof);

#endif
