/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting for a missing disk of the copy. */
#ifndef CLONEDECK_SESSION_WAITING_H
#define CLONEDECK_SESSION_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "session/disks.h"
#include "session/session.h"

struct job;
struct plan;

struct waiting {
	struct session_waiting shown;
	struct job *job;     /* the part that ended; shown until the next one runs */
	struct plan *plan;   /* the session's previous plan, while the next part starts */
	uint64_t refused[2]; /* diskseq of ends that were compared and differ */
	bool went[2];        /* source, destination: was missing at some time */
	bool has_looked;     /* `images` has a result */
	struct looked images[2];
	struct job_event *told; /* events of all parts so far; borrowed by the next job's setup */
	size_t told_count;
	int timer_fd;
};

int session_waiting_init(struct session *session, struct error *reterr);
void session_waiting_done(struct session *session);
/* Would session_begin_waiting() wait? */
bool session_will_wait(const struct session *session);
/* After the job, with its ends still claimed. False: no disk is missing, or waiting is not wanted.
 */
bool session_begin_waiting(struct session *session);
/* Takes over what a scan has found out about images; before session_look_for_ends(). */
void session_take_looked(struct session *session);
/* After a scan: are the missing ends back? */
void session_look_for_ends(struct session *session, unsigned *changes);
void session_take_timer(struct session *session);
/* Stops waiting for disks; waits for a start in progress. */
void session_give_up_waiting(struct session *session);
/* The next part has started (and is the session's job), or could not. */
void session_went_on(struct session *session, int result, const struct error *error);

#endif
