/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a copy: claims go, the report is made and saved. */
#ifndef CLONEDECK_SESSION_FINISH_H
#define CLONEDECK_SESSION_FINISH_H

#include <stdbool.h>

#include "base/error.h"
#include "base/file.h"
#include "session/task.h"

struct claim;
struct session;

/* Releases the disks once the job has ended, makes the report, saves it. */
struct finish_task {
	struct task task;
	struct claim *source, *destination; /* to be closed; NULL: they are */
	bool reread;                        /* the destination's partition table, then */
	bool report;                        /* the last step: make and save the report */
	bool wanted;                        /* the next step is, when this one is done */
	bool made;                          /* session->report is there */
	struct error close_error, error;
	struct file_timeout timeout; /* of the report and its like */
	bool left_behind;            /* a file of it, or the log, is still being written */
};

/* Closes both claims of the job that ended, in the background. */
void session_begin_release(struct session *session);
void session_take_finish(struct session *session, unsigned *changes);

#endif
