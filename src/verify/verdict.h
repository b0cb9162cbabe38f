/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The proof that the copy is right, region by region (digest/digests.h): the digest
 * of what was read from the source, of what was read back from the destination and,
 * if both ends had to be read again, of that. A region is proven when everything in
 * it that the map calls finished was read back and matches the source.
 *
 * The coordinator's between passes. While lanes run, they only compute digests
 * (proof_parts()); their findings arrive through the rings.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/range.h"
#include "copy/ring.h"
#include "digest/digests.h"
#include "verify/outcome.h"

struct observer;
struct piece;
struct proof;
struct recorded_copy;
struct verification;

/* v->proof stays NULL if the plan asks for no proof, or the destination keeps nothing. earlier:
 * what an earlier part of the copy recorded; may be NULL. */
int proof_new(struct verification *v, const struct recorded_copy *earlier, struct error *reterr);
void proof_destroy(struct proof *proof); /* NULL is fine */

/* ---- taking digests; NULL for proof is fine ---- */

/* Takes the digests of what a slot has read from the source, before it is written. */
extern const struct observer proof_observer;
/* Computes the digests of one piece in memory; returns their number. Any lane. */
unsigned proof_parts(const struct verification *v, const struct piece *piece, const void *data,
		     struct digest_part parts[static DIGEST_PARTS_MAX]);
/* Collects the digests of a REPORT_MAP. */
void proof_collect(struct proof *proof, const struct lane_report *report);

/* ---- the passes ---- */

/* Each prepares regions for a pass and adds their sectors to `ret`. -ENOMEM.
 * Regions whose digest is known and that were not read back: */
int proof_want_digest(struct verification *v, struct range_list *ret);
/* Regions for which both ends must be read: */
int proof_want_compare(struct verification *v, struct range_list *ret);
/* Everything on the destination, once more: */
int proof_want_all(struct verification *v, struct range_list *ret);
/* Regions that differ, to be copied again; they become non-tried in the map. */
int proof_want_rewrite(struct verification *v, struct range_list *ret);
/* Judge what was read; regions that are not complete are left for the next time. */
void proof_end_digest(struct verification *v);
void proof_end_compare(struct verification *v);
/* Collects the findings of either pass. */
void proof_collect_found(struct verification *v, const struct lane_report *report);

/* Updates the figures to be shown; needed once more at the very end, since later passes may have
 * completed the proof. Does nothing without a proof. */
void proof_sum(struct verification *v);
/* The source differs from what was read there before: all of these sectors of the region (exact),
 * or some of them. proof_sum() is due afterwards. */
void proof_source_changed(struct verification *v, size_t region, struct range sectors, bool exact);
/* The destination has changed here since it was verified, so both ends must be read again. Until
 * the first held area is written, what was verified while copying must be read again, too. */
void proof_doubt(struct verification *v, uint64_t source, uint64_t length);
/* Bytes that were proven beside the copy; NULL: none. */
uint64_t proof_early(const struct proof *proof);
/* Some areas are no longer finished in the map: their proof is dropped, too. */
void proof_take_away(struct verification *v);
/* Is everything that the map calls finished proven, but for what is unknown for good? */
bool proof_complete(const struct verification *v);
/* job_proof.unknown (outcome.h). NULL: none. */
uint64_t proof_unknown(const struct proof *proof);
/* Does anything differ, or could not be read back? NULL: no. */
bool proof_differs(const struct proof *proof);
/* A copy of the source's digests so far; the caller's. NULL: there are none, or no memory. */
struct digests *proof_copy_digests(const struct proof *proof);
/* The sum of all digests of the source; false: not all are known. */
bool proof_total(const struct verification *v, struct digest *ret);
/* Saves the list of digests (digest/list.h); *retsaved is false if not all are known. */
int proof_save(struct verification *v, const char *path, struct file_timeout *timeout,
	       bool *retsaved, struct error *reterr);
void proof_show(const struct verification *v, struct job_proof *ret);
/* Bytes that were written, and so counted, twice. */
uint64_t proof_rewritten(const struct proof *proof);
/* Makes what differs non-tried in a copy of the map; NULL proof is fine. -ENOMEM. */
int proof_forget_wrong(const struct verification *v, struct map *map);
