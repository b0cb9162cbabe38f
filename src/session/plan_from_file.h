/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans that come from a file: a map to go on from, a report to verify, a map that restricts what
 * is copied. Any thread; waits for the file and for what it names. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "discover/disk.h"
#include "map/map.h"
#include "map/recorded_copy.h"
#include "plan/held.h"
#include "plan/plan.h"

/* A copy of struct session_wish that borrows nothing. */
struct wish {
	bool ends; /* source and destination are known, or, with a report, the destination */
	struct endpoint source, destination;
	struct range_list ranges;
	bool moved; /* to destination_lba */
	uint64_t destination_lba;
	/* "": none of that. The map of which the copy is to go on becomes the file it leads to. */
	char domain[512], map[512], report[512];
	struct plan_options options;
	/* Options that override those of a map of ours, by the bits in `given`; NULL: none.
	 * Borrowed. */
	const struct plan_options *rescue;
	unsigned given;
};

/* The result, which owns its members; who takes one of them sets it to NULL or empty. */
struct loaded {
	struct plan *plan;
	struct map *resume;            /* with wish.map */
	struct held held;              /* of a source that is gone: as it was saved */
	struct recorded_copy recorded; /* with wish.report */
};

/* Of a wish that names a file. */
int load_plan(struct wish *wish, const struct disk_list *disks, struct loaded *ret,
	      struct error *reterr);
void loaded_done(struct loaded *loaded);
/* Sectors that a map calls unreadable or not yet scraped, near the places of a disk that discovery
 * reads. disk: of the source; NULL: not known. -ENOMEM, with an empty list. */
int load_bad(const struct map *map, const struct disk *disk, const struct endpoint *source,
	     struct range_list *ret);
