/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choosing the places, making the blocks, and judging what was read back. */
#include "copy/capacity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/range.h"

#define BLOCK        4096U
#define SPREAD       32U /* equidistant places */
#define SMALLEST_BIT 20U /* no fake is smaller than 1 MiB */
#define LARGEST_BIT  60U
#define PLACES_MAX   (SPREAD + 2 * (LARGEST_BIT - SMALLEST_BIT) + 4)
#define NOBODY       UINT64_MAX

static const char magic[8] = "probe/1";

struct header {
	char magic[8];
	uint64_t nonce, place;
};

static uint64_t block_size(const struct plan *plan)
{
	uint32_t size = BLOCK;

	if (plan->sector_size > size)
		size = plan->sector_size;
	return plan->destination.logical_sector_size > size ? plan->destination.logical_sector_size
							    : size;
}

static bool not_tried(const struct map *map, const struct piece *piece)
{
	struct map_block block;

	return map_next(map, piece->source, MAP_NON_TRIED, &block) &&
	       range_contains((struct range){ block.start, block.size },
			      (struct range){ piece->source, piece->length });
}

/* Adds the block at this byte of the destination, if it is in the plan. */
static void add(struct capacity *capacity, const struct plan *plan, const struct map *map,
		uint64_t at)
{
	uint64_t block = block_size(plan);
	struct range wanted = { u64_align_down(at, block), block };

	for (size_t i = 0; i < plan->extent_count; i++) {
		uint64_t source, destination, length;
		struct piece piece;

		plan_extent_bytes(plan, i, &source, &destination, &length);
		if (!range_contains((struct range){ destination, length }, wanted))
			continue;
		piece = (struct piece){
			.source = source + (wanted.start - destination),
			.destination = wanted.start,
			.length = (uint32_t)block,
		};
		if (not_tried(map, &piece))
			capacity->places[capacity->count++] = piece;
		return;
	}
}

static int compare(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->destination < y->destination ? -1 : x->destination > y->destination;
}

static void drop_doubles(struct capacity *capacity)
{
	struct piece *places = capacity->places;
	size_t kept = 0;

	qsort(places, capacity->count, sizeof(*places), compare);
	for (size_t i = 0; i < capacity->count; i++)
		if (kept == 0 || places[kept - 1].destination != places[i].destination)
			places[kept++] = places[i];
	capacity->count = kept;
}

static uint64_t end_of(const struct plan *plan)
{
	uint64_t source, destination, length;

	plan_extent_bytes(plan, plan->extent_count - 1, &source, &destination, &length);
	return destination + length;
}

int capacity_init(struct capacity *capacity, const struct plan *plan, const struct map *map,
		  uint64_t nonce)
{
	uint64_t end = end_of(plan), block = block_size(plan);
	uint64_t last = end > block ? u64_align_down(end - block, block) : 0;

	*capacity = (struct capacity){ .nonce = nonce };
	capacity->places = calloc(PLACES_MAX, sizeof(*capacity->places));
	capacity->found = calloc(PLACES_MAX, sizeof(*capacity->found));
	if (!capacity->places || !capacity->found) {
		capacity_done(capacity);
		return -ENOMEM;
	}
	add(capacity, plan, map, 0);
	add(capacity, plan, map, last);
	for (unsigned i = 1; i < SPREAD; i++)
		add(capacity, plan, map, end / SPREAD * i);
	for (unsigned bit = SMALLEST_BIT; bit < LARGEST_BIT && 1ULL << bit < end; bit++) {
		add(capacity, plan, map, 1ULL << bit);
		add(capacity, plan, map, last & ((1ULL << bit) - 1));
	}
	drop_doubles(capacity);
	for (size_t i = 0; i < capacity->count; i++)
		capacity->found[i] = capacity->places[i].destination;
	return 0;
}

void capacity_done(struct capacity *capacity)
{
	free(capacity->places);
	free(capacity->found);
	*capacity = (struct capacity){ 0 };
}

/* The blocks of any two places differ, and they cannot be compressed. */
static uint64_t word_of(uint64_t nonce, uint64_t place, uint64_t index)
{
	return splitmix64(nonce ^ (place + index));
}

static void fill(uint64_t nonce, uint64_t place, uint32_t length, void *buffer)
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
	const struct piece *place = &capacity->places[i];

	fill(capacity->nonce, place->destination, place->length, buffer);
}

void capacity_look(struct capacity *capacity, size_t i, const void *buffer)
{
	const char *bytes = buffer;
	struct header header;
	uint64_t word, wanted;

	memcpy(&header, bytes, sizeof(header));
	capacity->found[i] = NOBODY;
	if (memcmp(header.magic, magic, sizeof(magic)) != 0 || header.nonce != capacity->nonce)
		return;
	for (uint32_t at = sizeof(header); at < capacity->places[i].length; at += sizeof(word)) {
		wanted = word_of(header.nonce, header.place, at);
		if (memcmp(bytes + at, &wanted, sizeof(wanted)) != 0)
			return;
	}
	capacity->found[i] = header.place;
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

	for (size_t i = 0; i < capacity->count; i++) {
		uint64_t place = capacity->places[i].destination, found = capacity->found[i];

		if (found == place)
			last_good = place;
		else if (found == NOBODY)
			first_lost = place < first_lost ? place : first_lost;
		else
			wrap = greatest_common(wrap, found > place ? found - place : place - found);
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
