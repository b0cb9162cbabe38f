/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks that are asked for their health before there is a copy. */
#ifndef CLONEDECK_SESSION_CHECKUP_H
#define CLONEDECK_SESSION_CHECKUP_H

#include <stdbool.h>

#include "discover/disk.h"
#include "health/health.h"
#include "session/health.h"
#include "session/task.h"

struct session;

#define CHECKUPS_MAX 16

struct checkup {
	struct identity identity;
	struct health_end end;
	bool wanted; /* its turn is still to come */
	struct health health;
};

struct checkup_task {
	struct task task;
	struct checkup items[CHECKUPS_MAX];
	unsigned count, at; /* `at` is being asked */
	struct health_end asked;
	struct health answer; /* the asking thread's while it runs */
};

void session_take_checkup(struct session *session, unsigned *changes);

#endif
