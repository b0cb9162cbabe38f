/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is the destination still the half-made copy of the map? It may have been used for
 * something else since, or another disk may have come back in its place. Asked on the
 * claimed descriptors, before anything is written, when a copy is resumed and when a
 * disk has come back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "map/map.h"
#include "plan/plan.h"

struct digests;

/* At least a sector of any disk, and the alignment of a direct read. */
#define SPOT 4096u

struct half_made {
	const struct plan *plan;
	const struct map *map;
	/* Digests of what was read from the source, used for regions in which they cover every
	 * finished sector; NULL: none. */
	const struct digests *known;
	int source, destination; /* descriptors */
	bool strict;             /* not one difference is tolerated */
	bool confirmed; /* the user has confirmed that the destination may be overwritten */
	/* Only the contents of the destination can have changed: it was never detached, or is a
	 * file that is known by its inode. */
	bool same_device;
};

/*
 * -EBADMSG (class REFUSED) with a sentence that names what was expected and what is there:
 * - what was wiped at the start, and is not written yet, is not empty;
 * - what was armed is not what was written;
 * - where there is a signature, the copy has something else;
 * - too much of a sample differs (sample_compare()), or nothing of it tells anything.
 * -EIO where nothing could be read back, -ENOMEM.
 */
int half_made_check(const struct half_made *half, struct error *reterr);

/* ---- for half_made_sample.c, and of it ---- */

/* Whole sectors of one end, at a byte of its node. False: unreadable. */
bool half_made_read(const struct half_made *half, bool destination, uint64_t at, void *buffer,
		    uint32_t length);
/* Bytes that one such read may have, at most. */
uint32_t half_made_piece(const struct half_made *half);
/* Where this byte of the source goes, and how many from it on lie there one behind the other: what
 * follows them may be elsewhere on the destination. False: it is not in the plan. */
bool half_made_place(const struct half_made *half, uint64_t source, uint64_t *ret,
		     uint64_t *retleft);

/* Compares a sample of what the map calls finished: with the digests of whole regions, otherwise
 * with the source. */
int sample_compare(const struct half_made *half, struct error *reterr);
/* Does the destination have at this place what was copied there? With the digest of the region,
 * if that is known. False if so, too, if it cannot be read. */
bool sample_differs_at(const struct half_made *half, uint64_t source, uint32_t length);
/* -EBADMSG (class REFUSED) if the destination, open on this descriptor, is a file that ends before
 * what the map calls finished: what was lost would come back as zeros. */
int sample_check_length(const struct plan *plan, const struct map *map, int destination,
			struct error *reterr);
