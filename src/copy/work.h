/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work of a pass: the parts of the plan whose status in the map it is
 * about, cut into chunks, with one cursor that all lanes take from, upwards or
 * downwards. Fixed once it is made; only the cursor moves, atomically.
 *
 * Chunks are cut at multiples of the chunk size on the destination, so that no
 * write but the first and last of an area covers part of a physical sector.
 */
#ifndef CLONEDECK_COPY_WORK_H
#define CLONEDECK_COPY_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "copy/map.h"
#include "plan/plan.h"

struct work_area {
	uint64_t source, destination, length; /* bytes */
	uint64_t first_chunk;                 /* number of its first chunk */
};

struct work {
	struct work_area *areas; /* ascending */
	size_t count, capacity;
	uint64_t chunks; /* of all areas */
	uint64_t bytes;  /* of all areas */
	uint32_t chunk;  /* bytes */
	bool descending; /* the last chunk is handed out first */
	uint64_t next;   /* atomic: how many chunks were handed out */
};

/* What one chunk moves where; bytes of the ends' nodes. */
struct piece {
	uint64_t source, destination;
	uint32_t length;
};

#define WORK_UNFINISHED "?*/-"

/* All of the plan, or of those parts of it (plan->sector_size), whose status in the map is one of
 * the letters. *work is all zero, or was made before and is made anew in its memory. -ENOMEM. */
int work_init(struct work *work, const struct plan *plan, const struct map *map,
	      const struct range_list *domain, const char *statuses, uint32_t chunk,
	      bool descending);
void work_done(struct work *work);

/* Takes up to `run` chunks: [*retfirst, *retfirst + returned). 0: nothing left. */
uint32_t work_take(struct work *work, uint32_t run, uint64_t *retfirst);
/* Is there any that was not handed out? */
bool work_left(const struct work *work);
/* What comes before chunk `to` is not handed out any more. */
void work_jump(struct work *work, uint64_t to);
void work_piece(const struct work *work, uint64_t chunk, struct piece *ret);
/* The edge of the source's bytes that were handed out: behind the highest one, or, descending,
 * the lowest one. */
uint64_t work_position(const struct work *work);

/* Is this exactly a part of the plan? Asked again right before every write. */
bool work_allowed(const struct plan *plan, const struct piece *piece);

#endif
