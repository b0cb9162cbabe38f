/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks the machine what is needed to judge a plan: where files are, what is mounted, what a map
 * contains, how large a disk claims to be. A dying disk, or a mount whose server is gone, may take
 * minutes to answer, so this has a thread of its own.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "boot/boot.h"
#include "discover/image_store.h"
#include "guard/facts.h"
#include "health/health.h"
#include "layout/layout.h"
#include "session/choose.h"
#include "session/files.h"
#include "session/plan_from_file.h"

struct check {
	/* What is asked. */
	const struct disk_list *disks; /* the session keeps it so long; NULL while none runs */
	struct image_store *images;    /* the session's */
	const struct session_options *options; /* the session's; only their paths */
	char log_dir[512], map_path[512];
	bool first;   /* of this plan: nothing of it was decided or found yet */
	bool load;    /* the plan is in a file of the wish */
	bool goes_on; /* from the map at map_path */
	struct wish wish;
	struct plan ends; /* of the plan; without its extents */
	/* The destination is half made, and up to this byte nothing may show yet; 0: it may. */
	uint64_t empty_to;
	bool fits;       /* the table of the destination is to be made */
	bool offers;     /* not now, but it could be */
	bool leaves_out; /* the plan that there is leaves free places out */
	bool damaged;    /* the map that it goes on from has areas that could not be read */
	/* Of the source, asked once; it may be known before. */
	struct identity health_of;
	enum health_state health;
	/* What was found. */
	struct session_measured known; /* of both disks, from earlier */
	struct layout layout;          /* no extents: there is none */
	struct error no_offer;         /* why a smaller disk cannot be offered one; empty: it can */
	struct loaded loaded;
	struct files_named named; /* of the first check */
	struct guard_facts facts;
	struct boot_look boot; /* of the source */
	struct error error;
	int result;
};

/* data: a struct check. */
void check_run(void *data);
/* What is to be asked of a plan, unless that is still in a file, and of the map that it goes on
 * from (NULL: none). */
void check_take_plan(struct check *check, const struct plan *plan, const struct map *resume);
/* Of a plan whose table fits: does the source still have the table that it was made from? */
int check_table(const struct plan *plan, int source, struct error *reterr);
/* Reads what images at the ends hold. */
void check_images(struct image_store *images, const struct plan *plan, struct guard_facts *facts);
