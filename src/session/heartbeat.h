/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What others learn of a copy that runs. Other processes: its record (discover/running.h), every
 * few seconds. Its log: a line of progress, every minute. The machine: that it must not go to
 * sleep. And somebody who is elsewhere, by mail, on a phone, on a desktop: the user's own command,
 * which the shell runs with the event in $1 ("end", "gone", "back", "trouble") and a sentence in
 * $2. Nothing waits for that, and the copy does not depend on it.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "job/job.h"
#include "discover/running.h"
#include "report/report.h"
#include "session/choose.h"

/* Holds off the sleep of the machine; zero-initialised: does not. */
struct awake {
	bool wanted;
	pid_t pid; /* 0: none */
	int pipe;  /* it ends with this */
};

struct heartbeat {
	int timer_fd;
	unsigned beats;                /* since the last line in the log */
	struct running_record *record; /* NULL: none */
	struct running running;
};

/* Closes the timer, too. */
void heartbeat_done(struct heartbeat *heartbeat);
/* The copy has begun, or goes on: after a disk was gone, its name and number may be others. A
 * record that cannot be made is no reason not to copy. */
void heartbeat_begin(struct heartbeat *heartbeat, const struct plan *plan);
/* When timer_fd is readable, and at once after heartbeat_begin(). away: a disk is missing. log
 * NULL: no line in it. */
void heartbeat_beat(struct heartbeat *heartbeat, const struct job_snapshot *job, const char *map,
		    bool away, struct log *log);
/* Its disks are free again. report: where it was written, "" nowhere; NULL: there is none, and the
 * record does not stay to tell of it. */
void heartbeat_end(struct heartbeat *heartbeat, const char *report, int exit_code);

int awake_begin(const char *program, struct awake *awake);
void awake_end(struct awake *awake);
/* Begins or ends it as wanted. */
void awake_follow(struct awake *awake, bool wanted);

#define NOTIFY_COMMANDS 8 /* that run at once, and are waited for when they have ended */

struct notifier {
	const char *command; /* NULL: nobody is told; borrowed */
	enum session_state told;
	unsigned troubles;           /* of this copy: those that were told */
	pid_t pids[NOTIFY_COMMANDS]; /* 0: none */
};

/* After each change. who: while a disk is missing, what is; report: of a copy that has ended. */
void notify_follow(struct notifier *notifier, enum session_state state, const char *who,
		   const struct report *report);
/* Notifies of what has gone wrong in the copy so far, once for each kind of trouble. */
void notify_trouble(struct notifier *notifier, const struct job_snapshot *job);
