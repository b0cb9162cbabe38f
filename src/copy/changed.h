/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does the source stay what it was while it is copied? Of a disk that somebody
 * else writes to, what is held back to the end (stage.h) changes first: there file
 * systems note that they are in use. So that is read before the copy begins, and
 * what is read of it later has to be the same. The rest of the source is read
 * once, but for a few places, spread over all of it, whose digests the copy took:
 * they are read once more behind it. That finds what is written all over a disk,
 * and is no proof that nothing was; --verify=compare looks at every byte.
 *
 * Only of a copy with digests (proof.h), and of no disk that fails, is slow or was
 * gone for a while: such a one is not to be read more often than it must be.
 *
 * The keeper's, between passes; while lanes run they only set `sick`.
 */
#ifndef CLONEDECK_COPY_CHANGED_H
#define CLONEDECK_COPY_CHANGED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "copy/job.h"
#include "verify/digest.h"

struct job;
struct report;

/* Of what was read of a place, in whatever order. */
struct changed_sum {
	struct digest digest, places; /* as in struct digest_part */
	uint64_t sectors;
};

struct changed_place {
	struct range sectors; /* plan->sector_size; all of it in one region (verify/digests.h) */
	size_t region;
	/* At the beginning, or as the copy read it; behind the copy; as it was written at the end,
	 * of what is held back. */
	struct changed_sum first, again, last;
	bool found; /* to be another one */
};

struct changed {
	bool wanted;
	bool behind;      /* the copy: the look under way is the second one */
	bool too_late;    /* what was held back was written before it was found to be another */
	atomic_bool sick; /* something was slow or could not be read: no more is looked at */
	struct changed_place *places;
	size_t held, count; /* the first ones are held back; of all */
	enum job_look look;
	unsigned looked, found; /* places */
	uint64_t bytes;
};

/* When stages and proof are made. -ENOMEM. */
int changed_init(struct job *job);
void changed_done(struct changed *changed);

/* ---- for prepare() of a pass; sectors into `ret`, -ENOMEM ---- */

/* What is held back, before the copy. */
int changed_want_first(struct job *job, struct range_list *ret);
/* The same and the places, behind it. Nothing of a source that is not to be read again. */
int changed_want_again(struct job *job, struct range_list *ret);

/* ---- for the keeper ---- */

/* Of a look. */
void changed_collect(struct job *job, const struct report *report);
/* A part of what was held back is written. */
void changed_collect_copied(struct job *job, const struct report *report);
/* A look is through. */
void changed_end(struct job *job);
/* All that was read so far: what is another one now is a difference of the copy, and nothing of it
 * counts any more. */
void changed_judge(struct job *job);
void changed_show(const struct job *job, struct job_snapshot *ret);

#endif
