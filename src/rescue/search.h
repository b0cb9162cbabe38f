/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The search: one lane reads damaged areas sector by sector. No two reads in flight
 * are ever adjacent, because the kernel merges waiting neighbours, and then a good
 * sector fails together with the bad one. Small areas are trimmed from both edges
 * at once. On disks without seeks, an area is cut into spots, and several spots are
 * read at once; otherwise it is one read at a time. Where bad sectors are likely,
 * every sector is read once per pass, so no more reads fail than there are bad ones;
 * good sectors in a row are written together. If the disk has shown that its larger
 * physical sectors fail as a whole, one failed read counts for the rest of that
 * sector. And if more was good in a row than two requests of the copy, it was not
 * the sectors that failed but the disk, which was away for a while: then requests are
 * larger until one fails.
 *
 * In what failed as a whole one bad sector is expected; no other failure is. Long after
 * the last unexpected one, or, in scraping, behind a run of good sectors, up to 64 KiB
 * are read in one request: where one request of a MiB failed, hardly anything else in
 * it is bad. The price is a failed read now and then.
 *
 * A sector smaller than the destination's is patched in: the destination's sector
 * is read back, changed and written, one at a time, so that its other parts, which
 * were rescued earlier, stay as they are.
 *
 * Where it may read next is up to the spots (search_spots.c): an area of the work is one spot or,
 * on disks without seeks, is cut into many, several of which are open at once, even in different
 * areas: while the disk struggles with one sector, it reads others. Each spot is read from its two
 * sides. No two adjacent sectors are ever handed out at once. Units: bytes of the source.
 *
 * The state belongs to lane 0 while a pass runs, otherwise to the coordinator.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "copy/lane.h"
#include "copy/work.h"
#include "io/io.h"

/* The reading from one edge of a spot. */
struct search_side {
	bool busy; /* a slot is reading this sector: */
	uint64_t start, end;
	bool failed;          /* met a bad sector */
	uint64_t as_expected; /* bytes read here since the last unexpected failure */
	uint64_t since;       /* monotonic ns: start of its run of good sectors */
	struct piece bad;     /* ended the last run, not reported yet; length 0: none */
	int code;             /* of that failure */
	struct sense sense;
};

#define SEARCH_SPOTS 8

struct search_spot {
	bool open;
	bool has_bad; /* a read of it failed, and no bad sector was found since */
	bool both;    /* is read from both sides at once */
	const struct work_area *area;
	uint64_t low, high;          /* the part of it not handed out yet */
	struct search_side sides[2]; /* from the front, from the back */
};

struct sector_search {
	bool backwards;       /* from the last area and sector to the first */
	bool edges;           /* only up to the first failure from either side */
	bool cuts;            /* areas are cut into spots */
	uint32_t whole;       /* bytes of a physical sector, if it fails as a whole; otherwise 0 */
	uint64_t good;        /* bytes read since the last failure */
	uint64_t as_expected; /* the same since the last unexpected one */
	size_t area;          /* number of areas of the work that are done */
	uint64_t done;        /* bytes of the current area that are */
	uint64_t spot;        /* number of spots opened after these */
	struct search_spot spots[SEARCH_SPOTS];
	bool patches; /* the destination's sectors are larger */
	void *spare;  /* a sector of the source, if it patches; the job's */
};

/* Starts over the areas of the work. While all lanes are parked. */
void search_reset(const struct copy *copy, bool backwards, bool edges);
/* What search_give_up() expects of slot_ops.slot_size. */
#define SEARCH_SLOT sizeof(bool)
/* For the passes over damaged areas. */
extern const struct slot_ops search_ops;
/* Drops the queued request. */
void search_give_up(struct lane *lane, struct slot *slot);

/* Fills a buffer with what the destination gets for an unreadable piece. */
void fill_buffer(const struct plan *plan, void *buffer, const struct piece *piece);

/* Must the next piece wait until the last one was written? */
bool search_must_wait(const struct lane *lane);
/* Writes the piece, patching it in if necessary. */
void search_write(struct lane *lane, struct slot *slot);
/* A request of search_write() has completed. */
void search_written(struct lane *lane, struct slot *slot);

/* ---- the spots (search_spots.c) ---- */

/* May the areas of this source be cut into spots? */
bool spots_fit(const struct copy *copy);
/* A side that may read next, and the number of its spot, which is opened if necessary. NULL: none,
 * or none before another request completes. */
struct search_side *spots_next(const struct lane *lane, unsigned *retnumber);
/* Is there another sector for that side that is not adjacent to one being read? */
bool spot_has_room(const struct sector_search *p, const struct search_spot *spot,
		   const struct search_side *side, uint32_t sector);
/* Takes the outermost bytes on that side off the spot: it reads them now. */
void spot_cut_off(struct search_spot *spot, struct search_side *side, uint32_t length);
