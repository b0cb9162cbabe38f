/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks that are smaller than they say, in memory: what the probe makes of them. */
#include "unit.h"

#include <string.h>

#include "job/capacity.h"

#define MIB    (1ULL << 20)
#define GIB    (1ULL << 30)
#define SECTOR 512U
#define CHUNK  (64U << 10) /* the longest request, and so the longest mark */
#define KEPT   (1U << 14)  /* a power of two */
#define NONCE  0x1234

static struct plan *plan;
static struct map *map;
static struct capacity capacity;
static uint64_t bytes; /* as it was judged last */

/* What a liar keeps, by its own address. */
static struct {
	bool used;
	uint64_t at;
	char bytes[SECTOR];
} kept[KEPT];

static void teardown(void)
{
	capacity_done(&capacity);
	map_destroy(map);
	plan_destroy(plan);
	map = NULL;
	plan = NULL;
	memset(kept, 0, sizeof(kept));
}

static void prepare_extents(const struct extent *extents, size_t count, uint64_t size)
{
	struct endpoint end = {
		.kind = ENDPOINT_DISK,
		.size = size,
		.logical_sector_size = 512,
		.identity = { .size = size, .logical_sector_size = 512 },
		.exists = true,
	};
	struct endpoint other = end;

	memcpy(end.node, "/dev/a", 7);
	memcpy(other.node, "/dev/b", 7);
	ck_assert_int_eq(plan_from_extents(&end, &other, extents, count, NULL, NULL, &plan, NULL),
			 0);
	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
}

static void prepare(uint64_t size)
{
	teardown();
	prepare_extents(&(struct extent){ 0, 0, size / 512 }, 1, size);
	ck_assert_int_eq(capacity_init(&capacity, plan, map, CHUNK, NONCE), 0);
}

static char *keep(uint64_t at)
{
	/* Spread by a multiplication alone: nearly all of the test's time is spent here. */
	size_t i = (at / SECTOR * 0x9e3779b97f4a7c15ULL >> 40) % KEPT, first = i;

	while (kept[i].used && kept[i].at != at) {
		i = (i + 1) % KEPT;
		ck_assert_uint_ne(i, first);
	}
	if (!kept[i].used)
		memset(kept[i].bytes, 0, SECTOR);
	kept[i].used = true;
	kept[i].at = at;
	return kept[i].bytes;
}

/* One mark of a disk that takes every address modulo `wrap` (0: it does not) and forgets what is
 * behind `real`. */
static void pass_mark(uint64_t wrap, uint64_t real, size_t i, char *block, bool write)
{
	const struct piece *piece = &capacity.marks.items[i].piece;

	for (uint32_t from = 0; from < piece->length; from += SECTOR) {
		uint64_t at = piece->destination + from;

		at = wrap ? at % wrap : at;
		if (write && at < real)
			memcpy(keep(at), block + from, SECTOR);
		else if (at < real)
			memcpy(block + from, keep(at), SECTOR);
		else
			memset(block + from, 0xff, SECTOR);
	}
}

static enum capacity_verdict ask(uint64_t wrap, uint64_t real)
{
	static char block[CHUNK];

	for (size_t i = 0; i < capacity.marks.count; i++) {
		capacity_fill(&capacity, i, block);
		pass_mark(wrap, real, i, block, true);
	}
	for (size_t i = 0; i < capacity.marks.count; i++) {
		pass_mark(wrap, real, i, block, false);
		capacity_look(&capacity, i, block);
	}
	return capacity_judge(&capacity, &bytes);
}

UNIT_CASE(.teardown = teardown, .timeout = 60);

TEST(honest_disks)
{
	static const uint64_t sizes[] = { 512,
					  4096,
					  8 * 4096,
					  MIB,
					  MIB + 512,
					  64 * MIB,
					  7777777 * 512U,
					  2000 * GIB,
					  GIB * 1000 * 1000 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		prepare(sizes[i]);
		ck_assert_int_eq(ask(0, UINT64_MAX), CAPACITY_GOOD);
	}
}

/* Every power of two from 1 MiB on, below sizes that are none. */
TEST(addresses_that_wrap)
{
	for (unsigned size = 2; size < 2000; size += 231) {
		for (uint64_t real = MIB; real < size * GIB; real *= 2) {
			prepare(size * GIB - 512 * 1000);
			ck_assert_int_eq(ask(real, real), CAPACITY_SMALLER);
			ck_assert_uint_eq(bytes, real);
		}
	}
}

/* Every number of sectors that the ends cover, and not only the powers of two: the last sector is
 * where one of the first ones is. */
TEST(a_few_sectors_too_short)
{
	const uint64_t size = 40 * MIB + 7 * SECTOR;

	for (uint64_t k = 1; k <= 4096; k += k < 300 ? 1 : 61) {
		prepare(size);
		ck_assert_int_eq(ask(size - k * SECTOR, size), CAPACITY_SMALLER);
		ck_assert_uint_eq(bytes, size - k * SECTOR);
	}
}

/* The last ones are nowhere, or all the same one. */
TEST(the_last_sectors_are_lost)
{
	const uint64_t size = 40 * MIB;

	for (uint64_t k = 1; k <= 4096; k *= 2) {
		prepare(size);
		ck_assert_int_eq(ask(0, size - k * SECTOR), CAPACITY_SMALLER);
		ck_assert_uint_eq(bytes, size - k * SECTOR);
	}
}

/* Half of what the address lines reach is not there either. */
TEST(addresses_that_wrap_over_holes)
{
	prepare(2000 * GIB);
	ck_assert_int_eq(ask(64 * GIB, 30 * GIB), CAPACITY_SMALLER);
	ck_assert_uint_le(bytes, 64 * GIB);
	ck_assert_uint_ge(bytes, 30 * GIB);
}

TEST(writes_that_are_lost)
{
	for (uint64_t real = GIB; real < 2000 * GIB; real += 37 * GIB) {
		prepare(2048 * GIB);
		ck_assert_int_eq(ask(0, real), CAPACITY_SMALLER);
		ck_assert_uint_ge(bytes, real);
		ck_assert_uint_le(bytes, real + 64 * GIB);
	}
}

TEST(a_hole_is_no_end)
{
	static char block[CHUNK];

	prepare(2048 * GIB);
	ck_assert_int_eq(ask(0, UINT64_MAX), CAPACITY_GOOD);
	capacity_fill(&capacity, 10, block);
	block[2000] ^= 1;
	capacity_look(&capacity, 10, block);
	ck_assert_int_eq(capacity_judge(&capacity, &bytes), CAPACITY_FORGETS);
	ck_assert_uint_eq(bytes, capacity.marks.items[10].piece.destination + 3 * SECTOR);
}

TEST(nothing_is_kept_at_all)
{
	prepare(64 * GIB);
	ck_assert_int_eq(ask(0, 0), CAPACITY_FORGETS);
	ck_assert_uint_eq(bytes, 0);
}

/* What an earlier probe has left is no answer. */
TEST(another_time_is_not_ours)
{
	static char block[CHUNK];

	prepare(64 * GIB);
	capacity.nonce = NONCE + 1;
	for (size_t i = 0; i < capacity.marks.count; i++) {
		capacity_fill(&capacity, i, block);
		capacity.nonce = NONCE;
		capacity_look(&capacity, i, block);
		capacity.nonce = NONCE + 1;
	}
	ck_assert_int_eq(capacity_judge(&capacity, &bytes), CAPACITY_FORGETS);
}

static void check_inside(uint64_t destination, uint64_t size)
{
	for (size_t i = 0; i < capacity.marks.count; i++) {
		const struct piece *place = &capacity.marks.items[i].piece;
		struct map_block block;

		ck_assert(work_allowed(plan, place));
		ck_assert_uint_ge(place->destination, destination);
		ck_assert_uint_le(place->destination + place->length, destination + size);
		ck_assert(i == 0 ||
			  place->destination > capacity.marks.items[i - 1].piece.destination);
		ck_assert(map_next(map, place->source, MAP_NON_TRIED, &block));
		ck_assert(block.start <= place->source &&
			  place->source + place->length <= block.start + block.size);
	}
}

TEST(only_inside_the_plan)
{
	const struct extent extents[] = {
		{ 1001, 5001, 100000 },
		{ 300001, 304001, 1 },
		{ 400001, 5000001, 777777 },
	};

	prepare_extents(extents, 3, 1000 * GIB);
	ck_assert_int_eq(capacity_init(&capacity, plan, map, CHUNK, NONCE), 0);
	ck_assert_uint_gt(capacity.marks.count, 2);
	check_inside(5001 * 512, (5777778 - 5001) * 512ULL);
}

/* A copy that goes on loses nothing of what it has. */
TEST(only_what_is_not_tried)
{
	prepare_extents(&(struct extent){ 0, 0, GIB / 512 }, 1, GIB);
	ck_assert_int_eq(map_set(map, 0, 300 * MIB, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 400 * MIB, 300 * MIB, MAP_BAD), 0);
	ck_assert_int_eq(capacity_init(&capacity, plan, map, CHUNK, NONCE), 0);
	ck_assert_uint_gt(capacity.marks.count, 2);
	check_inside(300 * MIB, 724 * MIB);
	ck_assert_int_eq(map_set(map, 0, GIB, MAP_FINISHED), 0);
	capacity_done(&capacity);
	ck_assert_int_eq(capacity_init(&capacity, plan, map, CHUNK, NONCE), 0);
	ck_assert_uint_eq(capacity.marks.count, 0);
}
