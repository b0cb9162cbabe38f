/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What devices and drivers really did, as far as the backends know: summed up over
 * the lanes, and told once where it is noteworthy. By the coordinator's thread.
 */
#pragma once

#include <stdint.h>

#include "copy/lane.h"
#include "io/io.h"
#include "job/events.h"
#include "job/snapshot.h"

struct io_sum {
	const char *name;      /* of the end */
	struct io_stats stats; /* of all lanes */
	unsigned told;         /* recovered errors, as events */
	uint8_t seen[JOB_LANES_MAX];
};

struct io_sums {
	struct events *events;
	struct io_sum ends[JOB_ENDS_MAX];
};

/* While the lanes run, since their handles are open as long. */
void io_sums_collect(struct io_sums *sums, struct lane *const *lanes, unsigned lane_count);
