/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The prober: one lane reads damaged areas sector by sector. No two reads in flight
 * are ever adjacent, because the kernel merges waiting neighbours, and then a good
 * sector fails together with the bad one. Small areas are trimmed from both edges
 * at once. On disks without seeks, an area is cut into spots, and several spots are
 * read at once; otherwise it is one read at a time. Every sector is read once per
 * pass, so no more reads fail than there are bad sectors; good sectors in a row are
 * written together. If the disk has shown that its larger physical sectors fail as
 * a whole, one failed read counts for the rest of that sector. And if more was
 * good in a row than two requests of the copy, it was not the sectors that failed but
 * the disk, which was away for a while: then requests are larger until one fails.
 *
 * A sector smaller than the destination's is patched in: the destination's sector
 * is read back, changed and written, one at a time, so that its other parts, which
 * were rescued earlier, stay as they are.
 *
 * The state belongs to lane 0 while a pass runs, otherwise to the keeper.
 */
#ifndef CLONEDECK_RESCUE_SEARCH_H
#define CLONEDECK_RESCUE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "copy/lane.h"
#include "rescue/search_spots.h"

struct prober {
	bool backwards; /* from the last area and sector to the first */
	bool edges;     /* only up to the first failure from either side */
	bool cuts;      /* areas are cut into spots */
	uint32_t whole; /* bytes of a physical sector, if it fails as a whole; otherwise 0 */
	uint64_t good;  /* bytes read since the last failure */
	size_t area;    /* number of areas of the work that are done */
	uint64_t done;  /* bytes of the current area that are */
	uint64_t spot;  /* number of spots opened after these */
	struct prober_spot spots[PROBER_SPOTS];
	bool patches; /* the destination's sectors are larger */
	void *spare;  /* a sector of the source, if it patches; the job's */
};

/* Starts over the areas of the work. While all lanes are parked. */
void prober_reset(const struct copy *copy, bool backwards, bool edges);
/* What prober_give_up() expects of slot_ops.slot_size. */
#define PROBER_SLOT sizeof(bool)
/* For the passes over damaged areas. */
extern const struct slot_ops prober_ops;
/* Drops the queued request. */
void prober_give_up(struct lane *lane, struct slot *slot);

/* Fills a buffer with what the destination gets for an unreadable piece. */
void fill_buffer(const struct plan *plan, void *buffer, const struct piece *piece);

/* Must the next piece wait until the last one was written? */
bool prober_must_wait(const struct lane *lane);
/* Writes the piece, patching it in if necessary. */
void prober_write(struct lane *lane, struct slot *slot);
/* A request of prober_write() has completed. */
void prober_written(struct lane *lane, struct slot *slot);

#endif
