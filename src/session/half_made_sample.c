/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares a sample of what the map calls finished: it must still be the same on both ends.
 * Two disks may share a label, but not the data. Places that are empty on both ends prove
 * nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/range.h"
#include "session/half_made.h"

#define SPREAD  24 /* spots over all that is finished */
#define RECENT  12 /* and spots at the ends of its areas, where the copy was last */
#define SPOTS   (SPREAD + RECENT)
#define REGIONS 8 /* of which the digest is known */
/* At most so many pieces, spread over the whole copy, are searched for data that is not zero. */
#define PIECES 256
#define ENOUGH 8

struct spot {
	uint64_t at; /* byte of the source */
	uint32_t length;
};

struct tally {
	const struct half_made *half;
	char *a, *b;
	unsigned same, other, compared;
	uint64_t first; /* byte of the source that differs */
	bool failed;    /* a read of the source, in the search */
};

static uint32_t spot_length(const struct half_made *half)
{
	return half->plan->sector_size > SPOT ? half->plan->sector_size : SPOT;
}

/* Aligned within its extent, and so on both ends. False if it is not completely in one. */
static bool align(const struct half_made *half, uint64_t at, uint32_t length, uint64_t *ret)
{
	struct extent_bytes e;

	if (!plan_extent_at(half->plan, at, &e))
		return false;
	*ret = e.source + u64_align_down(at - e.source, length);
	return e.length - (*ret - e.source) >= length;
}

static bool is_finished(const struct half_made *half, uint64_t at, uint32_t length)
{
	struct map_block block;

	return map_at(half->map, at, &block) && block.status == MAP_FINISHED && block.start <= at &&
	       block.start + block.size - at >= length;
}

/* A sector, if no more is finished there. */
static size_t add_spot(const struct half_made *half, uint64_t at, struct spot spots[], size_t count)
{
	uint32_t sector = half->plan->sector_size, length = spot_length(half);
	struct spot *spot = &spots[count];

	spot->length = length;
	if (align(half, at, length, &spot->at) && is_finished(half, spot->at, length))
		return count + 1;
	spot->length = sector;
	return count + (half->plan->destinations[0].logical_sector_size <= sector &&
			align(half, at, sector, &spot->at) && is_finished(half, spot->at, sector));
}

/* The byte at this offset of everything finished, and how much of its block follows. */
static bool finished_at(const struct half_made *half, uint64_t offset, uint64_t *ret,
			uint64_t *retleft)
{
	struct map_block block;

	for (uint64_t pos = 0; map_next(half->map, pos, MAP_FINISHED, &block);
	     pos = block.start + block.size) {
		if (offset < block.size) {
			*ret = block.start + offset;
			*retleft = block.size - offset;
			return true;
		}
		offset -= block.size;
	}
	return false;
}

/* a * b / c without a product that overflows; b < c. */
static uint64_t part_of(uint64_t a, uint64_t b, uint64_t c)
{
	return a / c * b + a % c * b / c;
}

static size_t choose(const struct half_made *half, struct spot spots[static SPOTS])
{
	uint64_t finished = map_bytes(half->map, MAP_FINISHED), areas, at, left, n = 0;
	struct map_block block;
	size_t count = 0, recent;

	/* The middle of each part. */
	for (unsigned i = 0; i < SPREAD; i++)
		if (finished_at(half, part_of(finished, 2ULL * i + 1, 2ULL * SPREAD), &at, &left))
			count = add_spot(half, at, spots, count);
	areas = map_areas(half->map, MAP_FINISHED);
	recent = count + RECENT;
	for (uint64_t pos = 0; count < recent && map_next(half->map, pos, MAP_FINISHED, &block);
	     pos = block.start + block.size, n++)
		if (areas <= RECENT || n % (areas / RECENT + 1) == 0 || n + 1 == areas)
			count = add_spot(half, block.start + block.size - 1, spots, count);
	return count;
}

static void count(struct tally *tally, uint64_t source, bool same, bool tells)
{
	tally->compared++;
	if (same) {
		tally->same += tells;
		return;
	}
	if (!tally->other++)
		tally->first = source;
}

/* A place that has become unreadable proves nothing. */
static void compare_spot(struct tally *tally, struct spot spot)
{
	uint64_t place, left;

	if (half_made_place(tally->half, spot.at, &place, &left) && left >= spot.length &&
	    half_made_read(tally->half, true, place, tally->a, spot.length) &&
	    half_made_read(tally->half, false, spot.at, tally->b, spot.length))
		count(tally, spot.at, memcmp(tally->a, tally->b, spot.length) == 0,
		      !bytes_are_zero(tally->a, spot.length));
}

/* ---- regions whose digest is known ---- */

static bool is_known(const struct half_made *half, size_t region)
{
	return half->known && digests_sum(half->known, region).sectors > 0;
}

/* False: it cannot be read. *rettells: it is not empty. */
static bool read_region(const struct half_made *half, char *buffer, size_t region, bool *retsame,
			bool *rettells)
{
	struct digest_sum sum = { 0 }, known = digests_sum(half->known, region);
	struct digest_part parts[DIGEST_PARTS_MAX];
	struct map_block block;
	uint64_t end, to;
	struct digest_region r = digests_region(half->known, region);

	end = r.source + r.length;
	*rettells = false;
	for (uint64_t at = r.source; at < end; at = to) {
		uint32_t length = half_made_piece(half);
		uint64_t place, left;

		if (!map_next(half->map, at, MAP_FINISHED, &block) || block.start >= end)
			break;
		at = block.start > at ? block.start : at;
		to = block.start + block.size < end ? block.start + block.size : end;
		if (to - at > length)
			to = at + length;
		if (!half_made_place(half, at, &place, &left))
			return false;
		if (to - at > left)
			to = at + left;
		length = (uint32_t)(to - at);
		if (!half_made_read(half, true, place, buffer, length))
			return false;
		*rettells |= !bytes_are_zero(buffer, length);
		if (digests_parts(half->known, at, buffer, length, parts) == 1)
			digest_sum_add(&sum, &parts[0].sum);
	}
	*retsame = sum.sectors == known.sectors && digest_equal(sum.digest, known.digest);
	return true;
}

static void compare_region(struct tally *tally, size_t region)
{
	bool same, tells;

	if (!read_region(tally->half, tally->a, region, &same, &tells))
		return;
	struct digest_region r = digests_region(tally->half->known, region);
	count(tally, r.source, same, tells);
}

/* The last one that is known, where the copy was before it stopped, and others over all. */
static void compare_regions(struct tally *tally)
{
	size_t total = tally->half->known ? digests_count(tally->half->known) : 0, last = total;

	while (last > 0 && !is_known(tally->half, last - 1))
		last--;
	for (size_t i = 0, from = 0; i < REGIONS && last > 0; i++) {
		size_t to = (size_t)part_of(last, i + 1, REGIONS);

		/* The last known one of each part. */
		for (size_t n = to; n > from; n--) {
			if (!is_known(tally->half, n - 1))
				continue;
			compare_region(tally, n - 1);
			break;
		}
		from = to;
	}
}

bool sample_differs_at(const struct half_made *half, uint64_t source, uint32_t length)
{
	uint32_t piece = half_made_piece(half);
	CLEANUP(free) char *buffer = aligned_alloc(SPOT, (size_t)piece + SPOT);
	bool same, tells;
	uint64_t place, left;
	size_t region;

	if (!buffer || !half_made_place(half, source, &place, &left))
		return false;
	if (length > left)
		length = (uint32_t)left;
	if (!half_made_read(half, true, place, buffer, length))
		return false;
	same = half_made_read(half, false, source, buffer + piece, length);
	if (same && memcmp(buffer, buffer + piece, length) == 0)
		return false;
	if (!half->known || !digests_find(half->known, source, &region) ||
	    !is_known(half, region) || !read_region(half, buffer, region, &same, &tells))
		return same;
	return !same;
}

/* ---- where hardly any spot tells something ---- */

/* Compares the first spot of the piece that is not empty on this end. False: there is none. */
static bool search_end(struct tally *tally, bool destination, uint64_t at, uint32_t length)
{
	uint32_t spot = spot_length(tally->half);
	uint64_t place, left;

	if (!half_made_place(tally->half, at, &place, &left))
		return false;
	if (length > left)
		length = (uint32_t)u64_align_down(left, spot);
	if (!half_made_read(tally->half, destination, destination ? place : at, tally->a, length)) {
		tally->failed |= !destination;
		return false;
	}
	for (uint32_t i = 0; i + spot <= length; i += spot) {
		if (bytes_are_zero(tally->a + i, spot))
			continue;
		compare_spot(tally, (struct spot){ at + i, spot });
		return true;
	}
	return false;
}

/* A destination that was erased meanwhile is noticed only in places that are not empty on the
 * source. A failing source is not read for that. */
static void search_piece(struct tally *tally, uint64_t from, uint32_t length)
{
	uint64_t at;

	if (!align(tally->half, from, spot_length(tally->half), &at) ||
	    !is_finished(tally->half, at, length))
		return;
	if (!search_end(tally, true, at, length) && !tally->failed)
		search_end(tally, false, at, length);
}

/* All of it if it is not much. */
static void search(struct tally *tally)
{
	uint64_t finished = map_bytes(tally->half->map, MAP_FINISHED), at, left;
	uint32_t spot = spot_length(tally->half);
	uint64_t step = finished / PIECES + 1, most = half_made_piece(tally->half);

	if (step < most)
		most = u64_align_down(step + spot, spot);
	for (uint64_t offset = 0; offset < finished && tally->same < ENOUGH; offset += step) {
		if (!finished_at(tally->half, offset, &at, &left))
			break;
		search_piece(tally, at,
			     (uint32_t)(left < most ? u64_align_down(left, spot) : most));
	}
}

/* ---- the verdict ---- */

static int differs(const struct tally *tally, struct error *reterr)
{
	const struct plan *plan = tally->half->plan;

	return error_set(reterr, ERROR_CLASS_REFUSED, -EBADMSG, "compare",
			 plan->destinations[0].node,
			 _("What was copied before is not the same any more on %s and %s (first at "
			   "LBA %llu of the source): one of them is another disk, or was changed "
			   "meanwhile. Nothing more is written."),
			 plan->source.node, plan->destinations[0].node,
			 (unsigned long long)(tally->first / plan->sector_size));
}

static int tells_nothing(const struct half_made *half, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_REFUSED, -EBADMSG, "compare",
			 half->plan->destinations[0].node,
			 _("Nothing but zeros was copied so far, so nothing tells whether %s is "
			   "the half-made copy. Nothing was written. Start again with clone."),
			 half->plan->destinations[0].node);
}

/* The end of the last finished byte on the destination; 0: nothing is finished. */
static uint64_t finished_end(const struct plan *plan, const struct map *map)
{
	for (size_t i = plan->extent_count; i-- > 0;) {
		struct extent_bytes e = plan_extent_bytes(plan, i);
		uint64_t last = 0;
		struct map_block block;

		for (uint64_t pos = e.source;
		     map_next(map, pos, MAP_FINISHED, &block) && block.start < e.source + e.length;
		     pos = last)
			last = block.start + block.size;
		if (last)
			return e.destination +
			       (last < e.source + e.length ? last - e.source : e.length);
	}
	return 0;
}

int sample_check_length(const struct plan *plan, const struct map *map, int destination,
			struct error *reterr)
{
	struct stat st;

	if (plan->destinations[0].kind != ENDPOINT_IMAGE || fstat(destination, &st) < 0 ||
	    (uint64_t)st.st_size >= finished_end(plan, map))
		return 0;
	return error_set(reterr, ERROR_CLASS_REFUSED, -EBADMSG, "compare",
			 plan->destinations[0].node,
			 _("%s ends before what was copied to it does: it was cut off meanwhile. "
			   "Nothing more is written. Copy from the beginning with clone."),
			 plan->destinations[0].node);
}

int sample_compare(const struct half_made *half, struct error *reterr)
{
	uint32_t piece = half_made_piece(half), spot = spot_length(half);
	CLEANUP(free) char *buffer = aligned_alloc(SPOT, (size_t)piece + spot);
	struct tally tally = { .half = half, .a = buffer, .b = buffer ? buffer + piece : NULL };
	struct spot spots[SPOTS];
	size_t n;

	if (!buffer)
		return error_nomem(reterr);
	compare_regions(&tally);
	n = choose(half, spots);
	for (size_t i = 0; i < n; i++)
		compare_spot(&tally, spots[i]);
	if (tally.same < ENOUGH && !tally.other)
		search(&tally);
	if (half->strict ? tally.other > 0 : tally.other > tally.same)
		return differs(&tally, reterr);
	if (n && !tally.compared)
		return error_set(
			reterr, ERROR_CLASS_ENVIRONMENT, -EIO, "compare",
			half->plan->destinations[0].node,
			_("None of what was copied before can be read back from %s and %s."),
			half->plan->source.node, half->plan->destinations[0].node);
	return tally.same || half->same_device ? 0 : tells_nothing(half, reterr);
}
