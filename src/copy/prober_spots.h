/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the prober (prober.h) may read next. An area of job->work is one spot,
 * or, where heads need not move, cut into many, of which some are open at once,
 * of as many areas as they belong to: while the disk struggles with one sector, it
 * reads others. Bytes of the source. What a spot has of an area is left to its two
 * sides. No two sectors that lie side by side are ever handed out at once. Lane 0's
 * while a pass runs.
 */
#ifndef CLONEDECK_COPY_PROBER_SPOTS_H
#define CLONEDECK_COPY_PROBER_SPOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "copy/work.h"
#include "io/io.h"

struct job;
struct prober;

/* What is done from one edge of a spot. */
struct prober_side {
	bool busy;           /* a slot is reading: */
	uint64_t start, end; /* this sector */
	bool failed;         /* a bad sector was met */
	uint64_t since;      /* monotonic ns: its run of good sectors began */
	struct piece bad;    /* behind the last run, not told of yet; length 0: none */
	int code;            /* of its reading */
	struct sense sense;
};

#define PROBER_SPOTS 8

struct prober_spot {
	bool open;
	bool both; /* sides at once */
	const struct work_area *area;
	uint64_t low, high;          /* of it not handed out yet */
	struct prober_side sides[2]; /* from the front, from the back */
};

/* Is the source one whose areas may be cut? */
bool spots_fit(const struct job *job);
/* A side that may go on, and the number of its spot, which may be opened for it. NULL: none, or
 * not before something came back. */
struct prober_side *spots_next(struct job *job, unsigned *retnumber);
/* Another sector for that side, beside none that is being read. */
bool spot_has_room(const struct prober *p, const struct prober_spot *spot,
		   const struct prober_side *side, uint32_t sector);
/* Takes the outermost bytes off the spot, seen from that side: they are what it reads now. */
void spot_cut_off(struct prober_spot *spot, struct prober_side *side, uint32_t length);

#endif
