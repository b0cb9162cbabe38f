/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another place for the map. */
#ifndef CLONEDECK_SESSION_MOVE_MAP_H
#define CLONEDECK_SESSION_MOVE_MAP_H

#include <stdbool.h>

#include "base/error.h"
#include "plan/plan.h"
#include "session/place.h"
#include "session/task.h"

struct session;

/* The moving thread's while it runs. */
struct move_task {
	struct task task;
	char wanted[512]; /* "": one of the usual places */
	char from[512], log_dir[512];
	struct endpoint source, destination;
	struct found_place place; /* that was tried last, or taken */
	char stem[512]; /* beside it, for log and report; "": their names are taken there */
	bool in_memory; /* it does not survive a restart */
	int result;
	struct error error; /* the front end's */
	bool log_moved;     /* likewise */
};

void session_take_move(struct session *session, unsigned *changes);

#endif
