/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan: everything that will happen, as plain data. It is made from two
 * endpoints and the chosen ranges, shown as it is, checked by the guard, and
 * then obeyed by the copy, which writes nothing outside its extents. No system
 * calls here.
 *
 * Unit: extents are in `sector_size` bytes (the source's logical sector) and
 * relative to the endpoints' nodes (a partition's first sector is 0).
 */
#ifndef CLONEDECK_PLAN_PLAN_H
#define CLONEDECK_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/range.h"
#include "discover/endpoint.h"

struct extent {
	uint64_t source_lba;
	uint64_t destination_lba;
	uint64_t sectors;
};

/* Which backend moves the bytes of one end; AUTO lets the core measure. */
enum backend_choice {
	BACKEND_AUTO,
	BACKEND_URING,
	BACKEND_THREADS,
	BACKEND_BUFFERED,
	BACKEND_IMAGE,
	BACKEND_SG,
	BACKEND_NULL,
};

enum on_error { ON_ERROR_STOP, ON_ERROR_MAP };

struct plan_options {
	uint32_t chunk;		 /* bytes, 0: by device kind */
	uint32_t queue_depth;	 /* per end, 0: by device kind */
	uint32_t lanes;		 /* 0: by measurement */
	enum backend_choice source_backend;
	enum backend_choice destination_backend;
	uint64_t rate;		 /* bytes per second, 0: no limit */
	enum on_error on_error;
	unsigned retries;	 /* of a failed request before it counts as failed */
};

struct plan {
	struct endpoint source;
	struct endpoint destination;
	uint32_t sector_size;	 /* bytes; unit of all LBAs in the extents */
	struct extent *extents;	 /* sorted by source_lba, disjoint on both sides */
	size_t extent_count;
	uint64_t total_sectors;
	bool whole;		 /* the complete source, LBA 0 to its end, at destination LBA 0 */
	uint64_t destination_size_after; /* bytes; images to be created: the size they will have */
	struct plan_options options;
};

/*
 * ranges: of the source's logical sectors. NULL: everything. destination_lba
 * NULL: each range at the same LBA as on the source; else the first range
 * starts there and the gaps between ranges are kept.
 * -EINVAL, -ERANGE (beyond 2^64, beyond an end), -EOVERFLOW, -ENOMEM.
 */
int plan_new(const struct endpoint *source, const struct endpoint *destination,
	     const struct range_list *ranges, const uint64_t *destination_lba,
	     const struct plan_options *options, struct plan **ret, struct error *reterr);
void plan_destroy(struct plan *plan);

uint64_t plan_bytes(const struct plan *plan);
/* Eight hexadecimal digits over everything that decides which bytes go where
 * (identities, sizes, extents); names the plan in maps, logs and reports. */
const char *plan_id(const struct plan *plan, char buffer[static 9]);
bool plan_same_disk(const struct plan *plan);
/* Source and destination bytes overlap on one disk or file. */
bool plan_overlaps_itself(const struct plan *plan);
/* Destination bytes of extent i; in bytes of the destination's node. */
void plan_extent_bytes(const struct plan *plan, size_t i, uint64_t *retsource,
		       uint64_t *retdestination, uint64_t *retlength);

#endif
