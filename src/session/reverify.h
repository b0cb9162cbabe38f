/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verifying in the background: the copy that has just ended, or the ends of a plan. */
#ifndef CLONEDECK_SESSION_REVERIFY_H
#define CLONEDECK_SESSION_REVERIFY_H

#include <stdbool.h>

#include "job/job.h"
#include "map/recorded_copy.h"
#include "session/start.h"

struct session;

struct reverify_task {
	struct start_task start;
	const struct disk_list *disks; /* as in check_task, while any of it runs */
	/* Of a copy; without digests, both ends are compared. The job has its map. */
	struct recorded_copy recorded;
	struct log *log;
	bool ending;   /* its ends are being closed */
	bool verified; /* `last` tells what came of it */
	struct job_snapshot last;
};

void session_take_verify(struct session *session, unsigned *changes);
/* The job has ended; its ends are still open until session_end_verify(). */
bool session_verify_ended(const struct session *session);
void session_end_verify(struct session *session);
/* At once, and waits for it; the session is about to go. */
void session_stop_verify(struct session *session);
struct job *session_verify_job(const struct session *session);

#endif
