/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rechecking the source: was it written to, by another system or program, while it
 * was copied? Each of its sectors is read only once for the copy, so nothing else
 * would notice. Two kinds of areas are read more than once, and every reading of an
 * area must have the digest of the first one:
 *
 * - The held areas (plan/held.h): partition tables, boot sectors, superblocks. Whoever
 *   mounts a file system changes these first. They are read before the copy, after it,
 *   and when they are copied at last.
 * - A sample of the rest: of every GiB one region (digest/digests.h), of which the
 *   copy has taken the digest. It is read again after the copy.
 *
 * A change is a mismatch of the copy: it is reported with its LBA, the held areas
 * are not written, or taken away again (pass_wipe.c), and nothing of the copy counts as
 * copied any more.
 *
 * Where the source was known to be written to (job_setup.source_in_use), changes are
 * what was to be expected: they are listed, and the copy is finished all the same.
 *
 * That proves that these areas did not change between their readings, and nothing
 * about all others: a file that was rewritten in place is likely to be missed
 * (--verify=compare reads every sector twice).
 *
 * The first readings of the held areas are kept in the map (map_held.h). A copy that
 * is resumed reads these areas again before it writes anything: what changed there
 * while it was stopped ends it at once. The sample reaches back to when it was copied.
 *
 * Only copies that are verified by digests (verdict.h) are rechecked, and only sources
 * that read well: one that fails, is announced as failing (plan/preset.h), is slow or was
 * disconnected is not read more often than it must be.
 *
 * The coordinator's, between passes; while lanes run they only set `trouble`.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "digest/digests.h"
#include "verify/outcome.h"

struct lane_report;
struct verification;

enum recheck_time {
	RECHECK_FIRST,   /* before the copy; of the sample: as it was copied */
	RECHECK_RESUMED, /* before a copy that is resumed goes on; only of the held areas */
	RECHECK_AFTER,   /* after the copy */
	RECHECK_WRITTEN, /* as it was copied at last; only of the held areas */
	RECHECK_TIMES
};

struct recheck_area {
	struct range sectors; /* plan->sector_size; all in one region */
	size_t region;
	struct digest_sum readings[RECHECK_TIMES];
	bool known; /* the first reading is that of an earlier part of the copy */
	bool changed;
};

struct recheck {
	enum job_recheck state;
	enum recheck_time now;      /* of the pass under way: before the copy, or after it */
	struct recheck_area *areas; /* the held areas, then the sample */
	size_t held, count;         /* held areas; all */
	atomic_int trouble;         /* enum job_recheck: why this source is not to be read again;
				     * 0: no reason */
	unsigned compared, changed; /* areas */
	uint64_t bytes;             /* of the compared ones */
	uint64_t changed_bytes;
	bool while_stopped; /* changed before this part of the copy wrote anything */
};

/* When stages and proof are made. -ENOMEM. */
int recheck_init(struct verification *v);
void recheck_done(struct recheck *recheck);

/* What a pass is to read now: sectors into `ret`; nothing of a source that is to be spared.
 * -ENOMEM. Before the copy, the held areas: */
int recheck_want_first(struct verification *v, struct range_list *ret);
/* After it the same, and the sample: */
int recheck_want_after(struct verification *v, struct range_list *ret);

/* A report of such a pass. */
void recheck_collect(struct verification *v, const struct lane_report *report);
/* A report of the copy itself. */
void recheck_collect_copied(struct verification *v, const struct lane_report *report);
/* The end of such a pass. */
void recheck_end(struct verification *v);
/* Compares what was read so far; a change becomes a mismatch of the copy. */
void recheck_judge(struct verification *v);

void recheck_show(const struct verification *v, struct job_proof *ret);
