/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of bad areas. The map says which sectors are bad; this remembers what the
 * devices said about them, as far as there is room. By the coordinator's thread.
 */
#pragma once

#include <stddef.h>

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
