/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A copy one of whose disks is gone. */
#ifndef CLONEDECK_SESSION_WAITING_H
#define CLONEDECK_SESSION_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "session/disks.h"
#include "session/session.h"

struct job;
struct map;
struct plan;

struct waiting {
	struct session_waiting shown;
	struct job *job;     /* the part that ended: to be shown until another one runs */
	struct map *map;     /* what the destination had confirmed; NULL: nothing */
	struct plan *plan;   /* the session's of before while the next part is started */
	struct map *resume;  /* likewise */
	uint64_t refused[2]; /* diskseq of ends that were compared and are others */
	bool went[2];        /* source, destination: was gone at some time */
	bool has_looked;     /* for the ends that are images: what came of it last */
	struct looked images[2];
	struct job_event *told; /* by all parts so far; the next job's setup borrows them */
	size_t told_count;
	int timer_fd;
};

int session_waiting_init(struct session *session, struct error *reterr);
void session_waiting_done(struct session *session);
/* Will session_begin_waiting()? */
bool session_will_wait(const struct session *session);
/* The job has ended, its ends are still claimed. False: no disk is gone, or none is waited for. */
bool session_begin_waiting(struct session *session);
/* What a scan has found of images, before session_look_for_ends(). */
void session_take_looked(struct session *session);
/* After a scan. */
void session_look_for_ends(struct session *session, unsigned *changes);
void session_take_timer(struct session *session);
/* No disk is waited for any more; waits for a start that is under way. */
void session_give_up_waiting(struct session *session);
/* The next part was started (then it is the session's job), or could not be. */
void session_went_on(struct session *session, int result, const struct error *error);

#endif
