/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of bad areas. The map says which sectors are bad; this remembers what the
 * devices said about them, as far as there is room, and says when there are too many. By the
 * coordinator's thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "copy/ring.h"
#include "job/events.h"
#include "job/snapshot.h"
#include "plan/plan.h"

#define BAD_AREAS_KEPT 256

struct disk;
struct map;

struct bad_areas {
	const struct plan *plan;
	const struct disk *disk; /* of the source, to name partitions; may be NULL */
	const char *names[JOB_ENDS_MAX];
	struct events *events;
	struct job_bad_area list[BAD_AREAS_KEPT]; /* ascending */
	size_t count;
	unsigned told; /* events */
};

/* Remembers what a device said about a bad or refused area, and tells it. */
void bad_areas_note(struct bad_areas *areas, const struct lane_report *report);
/* Fills in the bad areas as the map has them. */
void bad_areas_show(const struct bad_areas *areas, const struct map *map, struct job_snapshot *ret);

/* ---- the limits that the plan sets, at which a rescue stops ---- */

struct rescue_figures {
	uint64_t read_errors;     /* failed reads, retries included */
	uint64_t bad_areas;       /* contiguous ones */
	double error_rate;        /* bytes per second that failed in the last second */
	uint64_t since_good_read; /* ns */
};

/* True: a limit is exceeded, and `why` says which, translated. name: of the source. */
bool rescue_limit_exceeded(const struct plan_options *options, const struct rescue_figures *figures,
			   const char *name, char *why, size_t size);
