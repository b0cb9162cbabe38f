/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares a sample of what the map calls finished: it must still be the same on
 * both ends when a disk has come back. Two disks may share a label, but not the data.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/range.h"
#include "discover/sg_only.h"
#include "session/session_private.h"

#define SPOTS 16
/* At least a sector of any disk, and the alignment of a direct read. */
#define SPOT 4096u

struct spot {
	uint64_t source, destination; /* bytes from the start of each end's node */
};

/* Aligned within its extent, and so on both ends. False if no extent contains it completely. */
static bool place(const struct plan *plan, uint64_t at, uint32_t length, struct spot *ret)
{
	for (size_t i = 0; i < plan->extent_count; i++) {
		uint64_t source, destination, size;

		plan_extent_bytes(plan, i, &source, &destination, &size);
		if (at < source || at - source >= size)
			continue;

		uint64_t inside = u64_align_down(at - source, length);

		*ret = (struct spot){ source + inside, destination + inside };
		return size - inside >= length;
	}
	return false;
}

/* Spread evenly over everything finished. */
static size_t choose(const struct plan *plan, const struct map *map, uint32_t length,
		     struct spot spots[static SPOTS])
{
	uint64_t finished = map_bytes(map, MAP_FINISHED), before = 0, pos = 0;
	struct map_block block;
	size_t count = 0, next = 0;

	while (next < SPOTS && map_next(map, pos, MAP_FINISHED, &block)) {
		/* The middle of each sixteenth. */
		for (uint64_t at; next < SPOTS && (at = finished / (2ULL * SPOTS) *
							(2 * next + 1)) < before + block.size;
		     next++) {
			struct spot *spot = &spots[count];

			if (place(plan, block.start + (at - before), length, spot) &&
			    spot->source >= block.start &&
			    block.start + block.size - spot->source >= length)
				count++;
		}
		before += block.size;
		pos = block.start + block.size;
	}
	return count;
}

static bool read_spot(const struct endpoint *end, int fd, uint64_t at, void *buffer,
		      uint32_t length)
{
	ssize_t n;

	if (endpoint_is_sg_only(end))
		return sg_only_read(fd, end->logical_sector_size, at, buffer, length) == 0;
	do
		n = pread(fd, buffer, length, (off_t)at);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)length;
}

static int differs(const struct plan *plan, const struct spot *spot, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_REFUSED, -EBADMSG, "compare", plan->destination.node,
			 _("What was copied before is not the same any more on %s and %s (first "
			   "at LBA %llu of the source): one of them is another disk, or was "
			   "changed meanwhile. Nothing more is written."),
			 plan->source.node, plan->destination.node,
			 (unsigned long long)(spot->source / plan->sector_size));
}

/* Two blank disks are the same there as well. */
static bool tells_something(const char *data, uint32_t length)
{
	return data[0] || memcmp(data, data + 1, length - 1) != 0;
}

/* The end of the last finished byte on the destination; 0: nothing is finished. */
static uint64_t finished_end(const struct plan *plan, const struct map *map)
{
	for (size_t i = plan->extent_count; i-- > 0;) {
		uint64_t source, destination, length, last = 0;
		struct map_block block;

		plan_extent_bytes(plan, i, &source, &destination, &length);
		for (uint64_t pos = source;
		     map_next(map, pos, MAP_FINISHED, &block) && block.start < source + length;
		     pos = last)
			last = block.start + block.size;
		if (last)
			return destination + (last < source + length ? last - source : length);
	}
	return 0;
}

int sample_check_length(const struct plan *plan, const struct map *map, int destination,
			struct error *reterr)
{
	struct stat st;

	if (plan->destination.kind != ENDPOINT_IMAGE || fstat(destination, &st) < 0 ||
	    (uint64_t)st.st_size >= finished_end(plan, map))
		return 0;
	return error_set(reterr, ERROR_CLASS_REFUSED, -EBADMSG, "compare", plan->destination.node,
			 _("%s ends before what was copied to it does: it was cut off meanwhile. "
			   "Nothing more is written. Copy from the beginning with clone."),
			 plan->destination.node);
}

int sample_compare(const struct plan *plan, const struct map *map, int source, int destination,
		   bool all, struct error *reterr)
{
	uint32_t length = plan->sector_size > SPOT ? plan->sector_size : SPOT;
	struct spot spots[SPOTS];
	const struct spot *first = NULL;
	size_t count = choose(plan, map, length, spots), compared = 0, same = 0, other = 0;
	CLEANUP(free) char *a = aligned_alloc(SPOT, 2 * (size_t)length);

	if (!a)
		return error_nomem(reterr);
	for (size_t i = 0; i < count; i++) {
		/* A place that has become unreadable proves nothing. */
		if (!read_spot(&plan->source, source, spots[i].source, a, length) ||
		    !read_spot(&plan->destination, destination, spots[i].destination, a + length,
			       length))
			continue;
		compared++;
		if (memcmp(a, a + length, length) == 0) {
			same += tells_something(a, length);
			continue;
		}
		other++;
		first = first ? first : &spots[i];
	}
	if (all ? other > 0 : other > same)
		return differs(plan, first, reterr);
	if (count && !compared)
		return error_set(
			reterr, ERROR_CLASS_ENVIRONMENT, -EIO, "compare", plan->destination.node,
			_("None of what was copied before can be read back from %s and %s."),
			plan->source.node, plan->destination.node);
	return 0;
}
