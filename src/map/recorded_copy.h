/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy as recorded in a list of digests (digest/list.h): its plan, what of it was
 * read, and the digests of that. With it, a clone is verified without its source.
 */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "digest/digests.h"
#include "map/map.h"
#include "plan/plan.h"

struct recorded_copy {
	struct plan *plan; /* its endpoints as recorded */
	char id[9];        /* the plan's, even if its identities are masked */
	bool masked;
	struct map *map; /* finished: what was read; bad: what could not be */
	struct digests *digests;
};

/* Trusts nothing in the file. -EINVAL with a sentence if something cannot be right. */
int recorded_copy_load(const char *path, struct recorded_copy *ret, struct error *reterr);
void recorded_copy_done(struct recorded_copy *recorded);
/* The map of a copy of which all was read but these sectors. They are bad in it, unless the plan
 * leaves them out. -ENOMEM. */
int recorded_map(const struct plan *plan, const struct range_list *left_out, struct map **ret,
		 struct error *reterr);

/*
 * ---- the digests of an unfinished copy, in a file beside its map ----
 *
 * A list of only what the map calls finished. It is always saved before the map; a crash between
 * the two does no harm, since the digest of a region counts only if both call exactly the same
 * sectors finished.
 */

/* The name of a file that belongs to a map: the map's, with another ending. */
void map_name_beside(const char *map_path, const char *ending, char path[static PATH_MAX]);
/* The name of that file: the map's, with another ending. */
void partial_digests_path(const char *map_path, char path[static PATH_MAX]);

/* Bytes of a region that the map calls finished. */
uint64_t region_finished_bytes(const struct map *map, const struct digest_region *region);

/* Saves a list of digests (digest/list.h) and the plan with it. left_out: sectors without a digest;
 * masked_id: NULL, or the id of the plan whose identities are masked. Waits for the disk as
 * file_replace() does. */
int digests_save_with_plan(const struct digests *digests, const struct plan *plan,
			   const char *masked_id, const struct range_list *left_out,
			   const char *path, struct file_timeout *timeout, struct error *reterr);
/* Saves the known digests of what the map calls finished, and clears all others in `digests`. If
 * there are none, removes the file, which would belong to another copy. */
int partial_digests_save(struct digests *digests, const struct plan *plan, const char *masked_id,
			 const struct map *map, const char *path, struct file_timeout *timeout,
			 struct error *reterr);

/* Copies digests of the earlier copy into `digests`: those of all regions in which both maps call
 * the same sectors finished. Both have regions of the same size. */
void partial_digests_restore(struct digests *digests, const struct map *map,
			     const struct recorded_copy *earlier);
