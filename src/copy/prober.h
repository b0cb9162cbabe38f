/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The prober: one lane goes over damaged areas sector by sector. No two reads
 * under way ever lie side by side: the kernel joins neighbours that wait
 * together, and a good sector would fail with the bad one beside it. Small areas
 * are trimmed from both edges at once. Where heads need not move, an area is cut
 * into spots, and several of them are gone over at once; all else is one read at
 * a time. Every sector is read once in a pass, so no more reads fail than there
 * are bad sectors; good ones that follow each other are written together. Where
 * the disk has shown that its larger physical sectors fail as a whole, one failed
 * read speaks for what is left of such a sector.
 *
 * A sector smaller than the destination's is patched in: the destination's
 * sector is read back, changed, and written, one at a time, so that neighbours
 * that came off the disk before stay as they are.
 *
 * The state is lane 0's while a pass runs, the keeper's between two.
 */
#ifndef CLONEDECK_COPY_PROBER_H
#define CLONEDECK_COPY_PROBER_H

#include <stdbool.h>
#include <stdint.h>

#include "copy/lane.h"
#include "copy/prober_spots.h"

struct prober {
	bool backwards; /* areas and sectors from the last one */
	bool edges;     /* only up to the first failure from either side */
	bool cuts;      /* areas, into spots */
	uint32_t whole; /* bytes of a physical sector, where they fail together; else 0 */
	size_t area;    /* how many of job->work were gone over */
	uint64_t done;  /* bytes of the area that were */
	uint64_t spot;  /* how many spots were opened behind that */
	struct prober_spot spots[PROBER_SPOTS];
	bool patches; /* the destination's sectors are the larger ones */
	void *spare;  /* a sector of the source, where it patches; the job's */
};

/* Over the areas of job->work. While all lanes rest. */
void prober_reset(struct job *job, bool backwards, bool edges);
/* Of the passes over them. */
extern const struct pass_ops prober_ops;
/* The queued request is not made. */
void prober_give_up(struct lane *lane, struct slot *slot);

/* Must the next piece wait until the last one is on the destination? */
bool prober_must_wait(const struct lane *lane);
/* Writes the piece, a whole one or one sector, by way of patching where it must. */
void prober_write(struct lane *lane, struct slot *slot);
/* A request that prober_write() has led to came back. */
void prober_written(struct lane *lane, struct slot *slot);

#endif
