/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parts of a verification share: the copy that they verify, its map, and each
 * other. Whoever made the copy fills it in, and gets to know what they change.
 *
 * Threads: the pointers are constant while lanes run; each part says who owns what is
 * behind its own. The functions of the owner are called in the coordinator's thread.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "copy/copy.h"
#include "copy/lane.h"
#include "copy/stage.h"
#include "map/map.h"

struct digests;
struct disk;
struct look;
struct proof;
struct recheck;
struct rolling;
struct checksums;

struct verification_owner {
	/* Is all of the plan on the destination, or known to be bad? */
	bool (*nothing_left)(const struct job *job);
	/* The map is to be saved; after a flush, if it calls less finished than before. */
	void (*map_changed)(struct job *job, bool flush);
	/* Right before the map forgets what was copied. */
	void (*note_written)(struct job *job);
};

struct verification {
	struct copy *copy;
	struct lane *const *lanes;
	const atomic_uint *lane_count;
	const struct verification_owner *owner; /* its functions get copy->job */

	struct map *map; /* changed under the lock, by the coordinator only */
	pthread_mutex_t *map_lock;
	const struct stages *stages;
	uint64_t total, already;       /* bytes of the plan; finished before this copy */
	const uint64_t *refused_bytes; /* by the destination */

	const struct disk *source_disk; /* to name partitions; may be NULL */
	/* Of a source that is not there any more, which is only verified against; else NULL. */
	const struct digests *source_digests;
	bool source_in_use, source_was_gone; /* job_setup */
	enum rolling_how rolling_how;        /* what was asked for */
	uint64_t rolling_window;             /* bytes; 0: by the copy's size */
	uint32_t look_seed;                  /* 0: any */

	struct proof *proof; /* NULL: not asked for */
	struct look *look;
	struct checksums *checksums;
	struct rolling *rolling;
	struct recheck *recheck;
};
