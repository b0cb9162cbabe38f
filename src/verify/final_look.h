/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The final look: after the last write and its flush, some of the destination is
 * read once more. Whatever was verified before that could have been changed by a
 * later write: partition tables, boot sectors and superblocks are written last
 * (stage.h), and on a disk that ends a few sectors too soon, or that confuses
 * addresses, the last write also lands elsewhere. These marks are read:
 *
 * - all held areas;
 * - the beginning and the end of what was written, up to 4 MiB each, where a disk
 *   that is too short starts again;
 * - where addresses wrap if upper bits of them are missing;
 * - a sample: one block out of each of up to 128 equal parts, chosen by a seed.
 *
 * Each is compared with a digest of its own. If the copy is verified, that is of what
 * was read back and found right; otherwise, of what was written. Nothing is known of
 * a mark of which part is bad, or which an earlier part of an unverified copy has
 * written; it is not counted.
 *
 * A mark that differs is a mismatch of the copy. If the copy is verified, the region
 * around it is read from both ends and judged like any other; otherwise, it becomes
 * non-tried in the map. Then the tables are taken away again (pass_wipe.c), because
 * a clone that is known to differ must not boot.
 *
 * Before any held area is written, what was not read back yet, or not
 * since the last write, is looked at in the same way: then there is nothing to take
 * away.
 *
 * Threads: while lanes run, a mark belongs to the lane whose piece contains it,
 * otherwise to the coordinator.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "digest/digest.h"
#include "verify/outcome.h"
#include "verify/marks.h"

struct observer;
struct piece;
struct verification;

enum look_state {
	LOOK_UNKNOWN, /* nothing to compare it with */
	LOOK_KNOWN,   /* not looked at since */
	LOOK_SAME,
	LOOK_OTHER,  /* something else came back */
	LOOK_UNREAD, /* it could not be read */
};

struct look_place {
	struct digest digest;
	int code;           /* of LOOK_UNREAD */
	atomic_uchar state; /* enum look_state */
};

struct look {
	struct marks marks; /* none: there is no final look */
	struct look_place *places;
	size_t next;
	bool due; /* something was written since the last look */
	struct job_look shown;
	/* Of an unverified copy; a verified one has them in its proof. */
	struct job_mismatch *mismatches; /* the first JOB_MISMATCHES_SHOWN */
	unsigned wrong;
	uint64_t wrong_bytes;
};

/* When stages and proof are made. -ENOMEM. */
int look_init(struct verification *v);
void look_done(struct look *look);
/* For a copy that is not verified: keeps marks of the data as it is written. A piece with sectors
 * that could not be read is marked as unknown. */
extern const struct observer look_observer;
/* In a lane: these bytes were read back from the destination, and are right. */
void look_take(struct verification *v, const struct piece *piece, const void *data);
/* Was something written that is still to be looked at? */
bool look_is_due(const struct verification *v);
/* Has it found anything in an unverified copy? */
bool look_differs(const struct look *look);
/* proof: of an unverified copy gets what the look has found. */
void look_show(const struct verification *v, struct job_look *ret, struct job_proof *proof);
