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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/range.h"
#include "discover/endpoint.h"
#include "plan/fitted.h"
#include "plan/free_places.h"
#include "plan/options.h"

#define PLAN_DESTINATIONS_MAX 1
#define PLAN_WRITER_MAX       192
#define PLAN_PATH_MAX         512

struct extent {
	uint64_t source_lba;
	uint64_t destination_lba;
	uint64_t sectors;
};

/* When what is flushed is read back. */
enum rolling_how {
	ROLLING_NO,    /* after the copy */
	ROLLING_SPARE, /* during it, as far as the destination has nothing else to do */
	ROLLING_ASKED, /* during it */
};

struct disk;

struct plan {
	struct endpoint source;
	/* All get the same sectors at the same LBAs; today there is one. */
	struct endpoint destinations[PLAN_DESTINATIONS_MAX];
	size_t destination_count;
	uint32_t sector_size;   /* bytes; unit of all LBAs in the extents */
	struct extent *extents; /* ascending and disjoint on both sides, none empty, adjacent
				 * ones merged where they are adjacent on both sides */
	size_t extent_count;
	uint64_t chosen_sectors; /* of the extents */
	uint64_t total_sectors;  /* of them, what is copied: all but the free places left out */
	struct free_places *free_places; /* NULL: none are known, or they are as any other place */
	bool whole; /* the complete source as it is, LBA 0 to its end, at destination LBA 0; free
		     * places of it may be left out */
	uint64_t destination_size_after; /* bytes; an image may become longer, or be made */
	struct plan_options options;
	struct fitted fitted; /* the table that is written instead of the source's; may be empty */
	/* Who could write to the source while it was copied, as was accepted at the start of this
	 * or an earlier part of the copy: a phrase, translated; "" nobody. Not part of the id. */
	char source_writer[PLAN_WRITER_MAX];
	/* When an earlier part of the copy ended, the file of the source had another time of its
	 * last change; but on its file system that proves nothing. Not part of the id. */
	bool source_time_differs;
	/* The map that names what of the source is worth copying; "" none. Not part of the id: the
	 * extents are. */
	char domain[PLAN_PATH_MAX];
};

/*
 * ranges: of the source's logical sectors. NULL: everything. destination_lba
 * NULL: each range at the same LBA as on the source; else the first range
 * starts there and the gaps between ranges are kept. free_places: of the whole source,
 * cut to the ranges; NULL: none. options NULL: all chosen by the core.
 *
 * Fails only for what makes no sense: nothing to copy, sectors that the source
 * does not have, bytes beyond what can be addressed, options out of bounds.
 * That the destination is too small or in use is for the guard to say.
 * -EINVAL, -ERANGE (beyond the source's end), -EOVERFLOW, -ENOMEM; class USAGE or
 * ENVIRONMENT.
 */
int plan_new(const struct endpoint *source, const struct endpoint *destination,
	     const struct range_list *ranges, const uint64_t *destination_lba,
	     const struct free_places *free_places, const struct plan_options *options,
	     struct plan **ret, struct error *reterr);
/* The same from extents, as a map file names them: every rule of struct plan is
 * checked, adjacent extents are merged. The arrays are copied. Free places must lie inside. */
int plan_from_extents(const struct endpoint *source, const struct endpoint *destination,
		      const struct extent *extents, size_t count, const struct free_places *free,
		      const struct plan_options *options, struct plan **ret, struct error *reterr);
/* Gives a plan of a whole disk the table that fits (layout/layout.h): these extents, and the bytes,
 * which become the plan's and leave *fitted empty. Fails as plan_from_extents(). */
int plan_fit(struct plan *plan, const struct extent *extents, size_t count, struct fitted *fitted,
	     struct error *reterr);
/* Only the bytes, of a plan whose extents are made for them. */
void plan_take_fitted(struct plan *plan, struct fitted *fitted);
/* Takes from another plan with the same extents its source_writer, domain and fitted, and what is
 * known of the times of its source. -ENOMEM. */
int plan_follow(struct plan *plan, const struct plan *from);
/* -ENOMEM. */
int plan_copy(const struct plan *plan, struct plan **ret);
void plan_destroy(struct plan *plan); /* NULL is fine */
DEFINE_CLEANUP(plan, struct plan *, plan_destroy)

/* What is copied. */
uint64_t plan_bytes(const struct plan *plan);
/* Bytes of all extents: those that are copied and the free places that are left out. */
uint64_t plan_chosen_bytes(const struct plan *plan);
/* Bytes of a destination that is there already which the plan does not write to: they stay what
 * they are. */
uint64_t plan_bytes_left_alone(const struct plan *plan);
/* Bytes of the source that no extent has, and in how many areas. */
uint64_t plan_bytes_left_out(const struct plan *plan, size_t *retareas);
/* Eight hexadecimal digits over everything that decides which bytes go where
 * (identities, sizes, extents); names the plan in maps, logs and reports. Stays
 * the same over reboots and resumes, on any machine. */
const char *plan_id(const struct plan *plan, char buffer[static 9]);
/* The same for one argument of a call. */
#define PLAN_ID(plan) plan_id((plan), (char[9]){ "" })
/* Both ends lie on one disk (whole, partitions, two paths to it) or are one file. */
bool plan_same_disk(const struct plan *plan);
/* Source and destination bytes overlap on one disk or file. */
bool plan_overlaps_itself(const struct plan *plan);
/* Is what makes the destination bootable and mountable copied last? Yes for a whole disk to a whole
 * disk, with its table as it is or one that fits, unless the options say otherwise. */
bool plan_arms_last(const struct plan *plan);
/* The destination is asked for its real size first; its disk, NULL where unknown. */
bool plan_probes(const struct plan *plan, const struct disk *destination);
/* When what is copied is read back. Where nobody chose, during the copy if that slows nothing: the
 * destination (its disk; NULL: unknown) is a flash disk and another one than the source. */
enum rolling_how plan_rolling(const struct plan *plan, const struct disk *destination);
/* The last extent that begins at or before this byte of the source; the first one if none does. */
size_t plan_extent_from(const struct plan *plan, uint64_t source);
/* Bytes of an extent, from the start of each end's node. */
struct extent_bytes {
	uint64_t source, destination, length;
};
struct extent_bytes plan_extent_bytes(const struct plan *plan, size_t i);
/* The extent that has this byte of the source; false: none. */
bool plan_extent_at(const struct plan *plan, uint64_t source, struct extent_bytes *ret);
/* The first byte of the destination's node behind everything that is written. */
uint64_t plan_destination_end(const struct plan *plan);

/* The partition of the source that contains this LBA; 0: none or unknown. disk: of the source, or
 * NULL. */
unsigned plan_partition_at(const struct plan *plan, const struct disk *disk, uint64_t lba);
