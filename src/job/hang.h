/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds requests that hang (watch.h). By the coordinator's thread, while the lanes run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "copy/lane.h"

struct job_hang;

/* A read of the source that hangs. */
struct hang {
	uint64_t offset, tag;
};

/* Marks requests in flight for longer than `limit` ns, up to the next read of the source. True:
 * there is one, and there may be more; false: none that was not marked before. */
bool hang_find(struct lane *const *lanes, unsigned lane_count, uint64_t limit, uint64_t now,
	       struct hang *ret);
/* The number of requests that hang now, and the oldest of them; lba is in bytes. */
void hang_show(struct lane *const *lanes, unsigned lane_count, uint64_t now, struct job_hang *ret);
