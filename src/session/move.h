/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another place for the map. */
#ifndef CLONEDECK_SESSION_MOVE_H
#define CLONEDECK_SESSION_MOVE_H

#include "base/error.h"
#include "session/task.h"

struct session;

/* The moving thread's while it runs. */
struct move_task {
	struct task task;
	char wanted[512]; /* "": one of the usual places */
	char from[512], log_dir[512];
	char path[512]; /* that was tried last, or taken */
	int result;
	struct error error; /* the front end's */
};

void session_take_move(struct session *session, unsigned *changes);

#endif
