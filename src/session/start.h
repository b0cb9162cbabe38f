/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting a copy, and each part of one whose disk was away. */
#ifndef CLONEDECK_SESSION_START_H
#define CLONEDECK_SESSION_START_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "job/job.h"
#include "plan/plan.h"
#include "session/task.h"

struct claim;
struct session;

struct start_task {
	struct task task;
	struct job_setup setup;
	struct plan plan; /* the session's (its extents, too), with the ends as they were claimed */
	struct claim *source, *destination;
	/* After a disk was away: in the same files, what was copied is compared, and what was
	 * wished of the part before it counts. */
	bool goes_on;
	bool pause;
	uint64_t rate;
	atomic_bool stop; /* wished while it starts */
	struct job *job;
	struct error error;
	int result;
};

/* Claims both ends of session->plan and starts a job, in the background. */
int session_begin(struct session *session, bool goes_on, struct error *reterr);
void session_take_start(struct session *session, unsigned *changes);
/* Both ends of the plan for reading, or, with `digests`, only the destination; fills the setup,
 * which borrows all of it but the map. Waits. */
int session_open_to_verify(struct start_task *starting, const struct plan *plan,
			   const struct disk_list *disks, struct image_store *images,
			   const struct digests *digests, struct map *map, struct error *reterr);
void session_release_job(struct session *session);

#endif
