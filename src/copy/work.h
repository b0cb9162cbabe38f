/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work of a pass: the parts of the plan with certain statuses in the map, cut
 * into chunks, and one cursor, ascending or descending, from which all lanes take.
 * Once built, only the cursor changes, atomically.
 *
 * Chunks are cut at multiples of the chunk size on the destination, so that only
 * the first and last write of an area can cover part of a physical sector.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "map/map.h"
#include "plan/plan.h"

struct work_area {
	uint64_t source, destination, length; /* bytes */
	uint64_t first_chunk;                 /* the number of its first chunk */
};

struct work {
	struct work_area *areas; /* ascending */
	size_t count, capacity;
	uint64_t chunks; /* of all areas */
	uint64_t bytes;  /* of all areas */
	uint32_t chunk;  /* bytes */
	bool descending; /* the last chunk is taken first */
	uint64_t next;   /* atomic: number of chunks taken */
};

/* From where to where a chunk is copied; bytes of the ends' nodes. */
struct piece {
	uint64_t source, destination;
	uint32_t length;
};

#define WORK_UNFINISHED "?*/-"
#define WORK_ALL        "?*/-+"

/* Everything in the plan, or in these parts of it (plan->sector_size), whose status in the map is
 * one of the letters. *work is zeroed, or is rebuilt in its old memory, which is given back where
 * very little of it is needed. -ENOMEM. */
int work_init(struct work *work, const struct plan *plan, const struct map *map,
	      const struct range_list *domain, const char *statuses, uint32_t chunk,
	      bool descending);
/* The same for these places, whatever their status in the map is. */
int work_init_places(struct work *work, const struct plan *plan, const struct range_list *places,
		     uint32_t chunk);
/* Adds them to a work, in which they come last. */
int work_add_places(struct work *work, const struct plan *plan, const struct range_list *places);
void work_done(struct work *work);

/* Takes up to `run` chunks, from *retfirst on; returns their number, 0: nothing is left. */
uint32_t work_take(struct work *work, uint32_t run, uint64_t *retfirst);
/* Are there chunks that were not taken? */
bool work_left(const struct work *work);
/* Moves the cursor on to chunk `to`, if it is before it. */
void work_jump(struct work *work, uint64_t to);
void work_piece(const struct work *work, uint64_t chunk, struct piece *ret);
/* In the order in which they are taken: the first chunk of this one's area, and the first after
 * it. */
uint64_t work_area_begin(const struct work *work, uint64_t chunk);
uint64_t work_area_end(const struct work *work, uint64_t chunk);
/* Ascending: the number of the first chunk that begins at or after this byte of the source; that
 * of all chunks if none does. */
uint64_t work_first_from(const struct work *work, uint64_t source);
/* Before any chunk is taken: of areas that would begin next to damage, leaves out the half that is
 * next to it, and those of fewer than `least` bytes altogether; of those that would end there, the
 * last chunk, which is more likely to be bad than any other. */
void work_leave_edges(struct work *work, const struct map *map, uint64_t least);
/* How far the chunks taken reach on the source: the end of the highest or, descending, the start
 * of the lowest. */
uint64_t work_position(const struct work *work);

/* Is this piece inside an extent of the plan? Checked right before every write. */
bool work_allowed(const struct plan *plan, const struct piece *piece);
