/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the prober (search.h) may read next. An area of the work is one spot or, on
 * disks without seeks, is cut into many, several of which are open at once, even in
 * different areas: while the disk struggles with one sector, it reads others. Each
 * spot is read from its two sides. No two adjacent sectors are ever handed out at
 * once. Units: bytes of the source. Belongs to lane 0 while a pass runs.
 */
#ifndef CLONEDECK_COPY_PROBER_SPOTS_H
#define CLONEDECK_COPY_PROBER_SPOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "copy/work.h"
#include "io/io.h"

struct copy;
struct lane;
struct prober;

/* The reading from one edge of a spot. */
struct prober_side {
	bool busy; /* a slot is reading this sector: */
	uint64_t start, end;
	bool failed;      /* met a bad sector */
	uint64_t since;   /* monotonic ns: start of its run of good sectors */
	struct piece bad; /* ended the last run, not reported yet; length 0: none */
	int code;         /* of that failure */
	struct sense sense;
};

#define PROBER_SPOTS 8

struct prober_spot {
	bool open;
	bool both; /* is read from both sides at once */
	const struct work_area *area;
	uint64_t low, high;          /* the part of it not handed out yet */
	struct prober_side sides[2]; /* from the front, from the back */
};

/* May the areas of this source be cut into spots? */
bool spots_fit(const struct copy *copy);
/* A side that may read next, and the number of its spot, which is opened if necessary. NULL: none,
 * or none before another request completes. */
struct prober_side *spots_next(const struct lane *lane, unsigned *retnumber);
/* Is there another sector for that side that is not adjacent to one being read? */
bool spot_has_room(const struct prober *p, const struct prober_spot *spot,
		   const struct prober_side *side, uint32_t sector);
/* Takes the outermost bytes on that side off the spot: it reads them now. */
void spot_cut_off(struct prober_spot *spot, struct prober_side *side, uint32_t length);

#endif
