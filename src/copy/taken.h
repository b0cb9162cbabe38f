/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The digests of a copy that is not finished yet, in a file beside its map: a
 * list (verify/list.h) that leaves out what the map does not call finished. It
 * is saved before the map, each time; a crash between the two is no harm, since
 * a region's digest counts only where both call the very same sectors finished.
 */
#ifndef CLONEDECK_COPY_TAKEN_H
#define CLONEDECK_COPY_TAKEN_H

#include <limits.h>
#include <stdint.h>

#include "base/error.h"
#include "base/patience.h"
#include "copy/known.h"
#include "copy/map.h"
#include "verify/digests.h"

/* Its name: the map's, with another ending. */
void taken_path(const char *map_path, char path[static PATH_MAX]);

/* Bytes of a region that the map calls finished. */
uint64_t taken_finished(const struct map *map, const struct digest_region *region);

/* Those that are known of what the map calls finished; the others are cleared in `digests`. With
 * none at all the file, which would be another copy's, is removed. masked_id: NULL, or the number
 * of the plan whose identities are masked. Waits for the disk as patience_replace() does. */
int taken_save(struct digests *digests, const struct plan *plan, const char *masked_id,
	       const struct map *map, const char *path, struct patience *patience,
	       struct error *reterr);

/* Into `digests`, which has regions of the same size: the digests of all regions of which both
 * maps call the same finished. */
void taken_restore(struct digests *digests, const struct map *map, const struct known *known);

#endif
