/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is meant by a name. */
#ifndef CLONEDECK_SESSION_FIND_H
#define CLONEDECK_SESSION_FIND_H

#include <stdbool.h>

#include "base/error.h"
#include "discover/endpoint.h"
#include "discover/image_store.h"
#include "session/task.h"

struct session;

struct find_task {
	struct task task;
	bool again;
	const struct disk_list *disks; /* as in check_task */
	struct image_store *images;    /* likewise */
	char wanted[512];              /* asked for last, by the front end */
	bool wanted_destination;
	char text[512];
	bool destination;
	struct endpoint endpoint;
	struct error error;
	int result;
};

void session_take_find(struct session *session, unsigned *changes);

#endif
