/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Another place for the map. */
#ifndef CLONEDECK_SESSION_MOVE_MAP_H
#define CLONEDECK_SESSION_MOVE_MAP_H

#include <stdbool.h>

#include "base/error.h"
#include "plan/plan.h"
#include "session/place.h"
#include "session/task.h"

struct map;
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
	/* Of a copy that has ended without one: saved at the new place by the thread. NULL: the job
	 * saves it. */
	struct map *map;
	bool map_is_lost; /* could not be saved, and there is none where it was */
	int result;
	/* The front end's: */
	struct error error;
	bool log_moved;
	bool tried; /* for the end of this copy */
	bool saved; /* then */
	bool lost;  /* then: there is no map of this copy anywhere */
};

/* A copy has ended that could be resumed, and its map could not be saved: begins to save it at
 * another place, once. */
void session_begin_map_rescue(struct session *session);
void session_take_move(struct session *session, unsigned *changes);

#endif
