/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast the ends of a plan read, before it is started. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/plan.h"
#include "session/choose.h"

struct span {
	uint64_t start, end; /* bytes of the end's node */
};

/* The measuring thread's while it runs, but for `cancel`. */
struct measurement {
	struct plan plan; /* the ends of it */
	struct span source, destination;
	atomic_bool cancel; /* the plan is another one, or its copy starts */
	struct session_measured found;
	struct error error;
};

void measure_prepare(struct measurement *measurement, const struct plan *plan);
/* data: what was prepared. */
void measure_run(void *data);
