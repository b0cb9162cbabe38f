/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The work of a job: the parts of the plan that are still to be copied, cut
 * into chunks, with one cursor that all lanes take from. Fixed once it is made;
 * only the cursor moves, atomically.
 *
 * Chunks are cut at multiples of the chunk size on the destination, so that no
 * write but the first and last of an area covers part of a physical sector.
 */
#ifndef CLONEDECK_COPY_WORK_H
#define CLONEDECK_COPY_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "copy/map.h"
#include "plan/plan.h"

struct work_area {
	uint64_t source, destination, length; /* bytes */
	uint64_t first_chunk;                 /* number of its first chunk */
};

struct work {
	struct work_area *areas; /* ascending */
	size_t count;
	uint64_t chunks; /* of all areas */
	uint32_t chunk;  /* bytes */
	uint64_t next;   /* atomic: the next chunk nobody has taken */
};

/* What one chunk moves where; bytes of the ends' nodes. */
struct piece {
	uint64_t source, destination;
	uint32_t length;
};

/* All of the plan that the map does not call finished. -ENOMEM. */
int work_init(struct work *work, const struct plan *plan, const struct map *map, uint32_t chunk);
void work_done(struct work *work);

/* Takes up to `run` chunks: [*retfirst, *retfirst + returned). 0: nothing left. */
uint32_t work_take(struct work *work, uint32_t run, uint64_t *retfirst);
void work_piece(const struct work *work, uint64_t chunk, struct piece *ret);
/* Behind the highest byte of the source that was handed out. */
uint64_t work_position(const struct work *work);

/* Is this exactly a part of the plan? Asked again right before every write. */
bool work_allowed(const struct plan *plan, const struct piece *piece);

#endif
