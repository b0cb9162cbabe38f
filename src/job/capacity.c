/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the places, makes the data that is written there, and judges what is read back. */
#include "job/capacity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/range.h"

#define BLOCK  4096U
#define BLOCKS (64U << 10) /* at both ends, which are marked without a gap */
#define SPREAD 32U         /* equidistant places */
#define ENDS   (2U << 20)
#define NOBODY UINT64_MAX

static const char magic[8] = "probe/2";

struct header {
	char magic[8];
	uint64_t nonce, place;
};

/* What an earlier part of the copy has wiped must stay empty until it is armed. */
static bool was_wiped(const struct map *map, const struct piece *piece)
{
	const struct plan *plan = map_plan(map);
	uint64_t sector = plan ? plan->sector_size : 1;

	return range_list_overlaps(
		&map_held(map)->wiped,
		(struct range){ piece->source / sector, (piece->length + sector - 1) / sector });
}

static bool not_tried(const struct map *map, const struct piece *piece)
{
	struct map_block block;

	return map_next(map, piece->source, MAP_NON_TRIED, &block) &&
	       range_contains((struct range){ block.start, block.size },
			      (struct range){ piece->source, piece->length });
}

static void drop_tried(struct marks *marks, const struct map *map)
{
	size_t kept = 0;

	for (size_t i = 0; i < marks->count; i++)
		if (not_tried(map, &marks->items[i].piece) &&
		    !was_wiped(map, &marks->items[i].piece))
			marks->items[kept++] = marks->items[i];
	marks->count = kept;
}

static void choose(struct marks *marks)
{
	uint64_t begin = marks_begin(marks), end = marks_end(marks);
	uint32_t block = marks_length(marks, BLOCK), blocks = marks_length(marks, BLOCKS);

	marks_add_all(marks, begin, begin + ENDS, blocks, MARK_END);
	marks_add_all(marks, end > ENDS ? end - ENDS : 0, end, blocks, MARK_END);
	for (unsigned i = 1; i < SPREAD; i++)
		marks_add(marks, end / SPREAD * i, block, MARK_SAMPLE);
	marks_add_wraps(marks, block);
}

int capacity_init(struct capacity *capacity, const struct plan *plan, const struct map *map,
		  uint32_t chunk, uint64_t nonce)
{
	struct marks *marks = &capacity->marks;
	int r;

	*capacity = (struct capacity){ .nonce = nonce };
	marks_init(marks, plan, chunk);
	choose(marks);
	r = marks_settle(marks);
	drop_tried(marks, map);
	capacity->found = calloc(marks->count + 1, sizeof(*capacity->found));
	if (r < 0 || !capacity->found) {
		capacity_done(capacity);
		return -ENOMEM;
	}
	return 0;
}

void capacity_done(struct capacity *capacity)
{
	marks_done(&capacity->marks);
	free(capacity->found);
	*capacity = (struct capacity){ 0 };
}

/* Any two sectors differ, and they cannot be compressed. */
static uint64_t word_of(uint64_t nonce, uint64_t place, uint64_t index)
{
	return splitmix64(nonce ^ (place + index));
}

static void fill_sector(uint64_t nonce, uint64_t place, uint32_t length, void *buffer)
{
	struct header header = { .nonce = nonce, .place = place };
	char *bytes = buffer;

	for (uint32_t i = 0; i < length; i += sizeof(uint64_t)) {
		uint64_t word = word_of(nonce, place, i);

		memcpy(bytes + i, &word, sizeof(word));
	}
	memcpy(header.magic, magic, sizeof(magic));
	memcpy(bytes, &header, sizeof(header));
}

void capacity_fill(const struct capacity *capacity, size_t i, void *buffer)
{
	const struct piece *place = &capacity->marks.items[i].piece;
	uint32_t unit = capacity->marks.unit;

	for (uint32_t at = 0; at < place->length; at += unit)
		fill_sector(capacity->nonce, place->destination + at, unit, (char *)buffer + at);
}

/* The place this sector was written to; NOBODY: we did not write it, or it is damaged. */
static uint64_t owner(const struct capacity *capacity, const char *bytes)
{
	struct header header;
	uint64_t word, wanted;

	memcpy(&header, bytes, sizeof(header));
	if (memcmp(header.magic, magic, sizeof(magic)) != 0 || header.nonce != capacity->nonce)
		return NOBODY;
	for (uint32_t at = sizeof(header); at < capacity->marks.unit; at += sizeof(word)) {
		wanted = word_of(header.nonce, header.place, at);
		if (memcmp(bytes + at, &wanted, sizeof(wanted)) != 0)
			return NOBODY;
	}
	return header.place;
}

void capacity_look(struct capacity *capacity, size_t i, const void *buffer)
{
	const struct piece *place = &capacity->marks.items[i].piece;

	for (uint32_t at = 0; at < place->length; at += capacity->marks.unit) {
		struct capacity_found found = {
			.at = place->destination + at,
			.other = owner(capacity, (const char *)buffer + at),
		};

		capacity->found[i] = found;
		if (found.other != found.at)
			return;
	}
}

static uint64_t greatest_common(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

enum capacity_verdict capacity_judge(const struct capacity *capacity, uint64_t *retbytes)
{
	uint64_t wrap = 0, first_lost = NOBODY, last_good = 0;

	for (size_t i = 0; i < capacity->marks.count; i++) {
		uint64_t at = capacity->found[i].at, other = capacity->found[i].other;

		if (other == at)
			last_good = capacity->marks.items[i].piece.destination;
		else if (other == NOBODY)
			first_lost = at < first_lost ? at : first_lost;
		else
			wrap = greatest_common(wrap, other > at ? other - at : at - other);
	}
	if (!wrap && first_lost == NOBODY)
		return CAPACITY_GOOD;
	if (wrap) {
		*retbytes = wrap < first_lost ? wrap : first_lost;
		return CAPACITY_SMALLER;
	}
	*retbytes = first_lost;
	return last_good > first_lost || first_lost == 0 ? CAPACITY_FORGETS : CAPACITY_SMALLER;
}
