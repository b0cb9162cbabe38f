/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast the ends of a plan read. */
#ifndef CLONEDECK_SESSION_MEASURE_H
#define CLONEDECK_SESSION_MEASURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/plan.h"
#include "session/session.h"
#include "session/task.h"

struct span {
	uint64_t start, end; /* bytes of the end's node */
};

/* The measuring thread's while it runs, but for `cancel`. */
struct measure_task {
	struct task task;
	struct plan plan; /* the ends of it */
	struct span source, destination;
	atomic_bool cancel; /* the plan is another one, or its copy starts */
	bool known;
	struct session_measured found;
	struct error error;
};

void session_take_measure(struct session *session, unsigned *changes);
/* What was measured is of another plan now. */
void session_forget_measure(struct session *session);

#endif
