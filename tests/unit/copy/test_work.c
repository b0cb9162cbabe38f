/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chunks, the cursor, the check before every write, the rate limit and the ring. */
#include "unit.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "copy/rate_limit.h"
#include "copy/ring.h"
#include "copy/work.h"

static struct plan *plan;
static struct map *map;
static struct work work;

static void tear_down(void)
{
	work_done(&work);
	map_destroy(map);
	plan_destroy(plan);
}

static void lay_out(const struct extent *extents, size_t count)
{
	struct endpoint a = { .kind = ENDPOINT_DISK,
			      .node = "/dev/a",
			      .size = 20000000000000ULL / 4096 * 4096,
			      .logical_sector_size = 512 };
	struct endpoint b = a;
	struct error error = { 0 };

	strcpy(b.node, "/dev/b");
	ck_assert_msg(plan_from_extents(&a, &b, extents, count, NULL, NULL, &plan, &error) == 0,
		      "%s", error.sentence);
	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
}

static void begin(const char *statuses, uint32_t chunk, bool descending)
{
	ck_assert_int_eq(work_init(&work, plan, map, NULL, statuses, chunk, descending), 0);
}

/* Walks all chunks: in order, nothing twice, nothing left out but what is finished. */
static void walk_one_way(uint32_t chunk, bool descending)
{
	struct map *left;
	uint64_t last_source = descending ? UINT64_MAX : 0, first = 0, number = 0, bytes = 0;

	begin(WORK_UNFINISHED, chunk, descending);
	ck_assert_int_eq(map_copy(map, &left, NULL), 0);
	while (work_take(&work, 1, &first) == 1) {
		struct piece piece;
		struct map_block block;

		ck_assert_uint_eq(first, number++);
		work_piece(&work, first, &piece);
		ck_assert_uint_gt(piece.length, 0);
		ck_assert_uint_le(piece.length, chunk);
		bytes += piece.length;
		if (descending) {
			ck_assert_uint_le(piece.source + piece.length, last_source);
			last_source = piece.source;
		} else {
			ck_assert_uint_ge(piece.source, last_source);
			last_source = piece.source + piece.length;
		}
		ck_assert_uint_eq(work_position(&work), last_source);
		ck_assert(work_allowed(plan, &piece));
		/* No chunk crosses a multiple of the chunk size on the destination. */
		ck_assert_uint_eq(piece.destination / chunk,
				  (piece.destination + piece.length - 1) / chunk);
		ck_assert(!map_next(left, piece.source, MAP_FINISHED, &block) ||
			  block.start >= piece.source + piece.length);
		ck_assert_int_eq(map_set(left, piece.source, piece.length, MAP_FINISHED), 0);
	}
	ck_assert_uint_eq(bytes, work.bytes);
	ck_assert_uint_eq(map_bytes(left, MAP_FINISHED), plan_bytes(plan));
	ck_assert_uint_eq(work_take(&work, 5, &first), 0);
	map_destroy(left);
}

static void walk(uint32_t chunk)
{
	walk_one_way(chunk, false);
	walk_one_way(chunk, true);
}

UNIT_CASE(.teardown = tear_down, .timeout = 60);

/* A pass gets exactly the areas with its statuses, neighbours as one. */
TEST(areas_by_status)
{
	lay_out(&(struct extent){ 0, 0, 1000 }, 1);
	ck_assert_int_eq(map_set(map, 0, 1000 * 512, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 10 * 512, 5 * 512, MAP_NON_TRIMMED), 0);
	ck_assert_int_eq(map_set(map, 15 * 512, 5 * 512, MAP_NON_SCRAPED), 0);
	ck_assert_int_eq(map_set(map, 20 * 512, 512, MAP_BAD), 0);
	ck_assert_int_eq(map_set(map, 990 * 512, 10 * 512, MAP_NON_TRIED), 0);
	begin("*", 512, false);
	ck_assert_uint_eq(work.count, 1);
	ck_assert_uint_eq(work.areas[0].source, 10 * 512);
	ck_assert_uint_eq(work.bytes, 5 * 512);
	begin("*/-", 512, false);
	ck_assert_uint_eq(work.count, 1);
	ck_assert_uint_eq(work.bytes, 11 * 512);
	begin("?", 512, false);
	ck_assert_uint_eq(work.count, 1);
	ck_assert_uint_eq(work.areas[0].source + work.areas[0].length, 1000 * 512);
	begin("*?", 512, false);
	ck_assert_uint_eq(work.count, 2);
	begin("+", 512, false);
	ck_assert_uint_eq(work.bytes, (1000 - 11 - 10) * 512);
}

/* Where an area begins and ends among the chunks, either way, and which chunk a byte leads to. */
TEST(chunks_of_an_area)
{
	lay_out(&(struct extent){ 0, 0, 1000 }, 1);
	ck_assert_int_eq(map_set(map, 100 * 512, 300 * 512, MAP_FINISHED), 0);
	/* Areas of 13 and 75 chunks. */
	begin("?", 4096, false);
	ck_assert_uint_eq(work.chunks, 88);
	ck_assert_uint_eq(work_area_begin(&work, 12), 0);
	ck_assert_uint_eq(work_area_end(&work, 12), 13);
	ck_assert_uint_eq(work_area_begin(&work, 13), 13);
	ck_assert_uint_eq(work_area_end(&work, 13), 88);
	ck_assert_uint_eq(work_first_from(&work, 0), 0);
	ck_assert_uint_eq(work_first_from(&work, 1), 1);
	ck_assert_uint_eq(work_first_from(&work, 97 * 512), 13);
	ck_assert_uint_eq(work_first_from(&work, 408 * 512), 14);
	ck_assert_uint_eq(work_first_from(&work, 1000 * 512), 88);
	begin("?", 4096, true);
	ck_assert_uint_eq(work_area_begin(&work, 74), 0);
	ck_assert_uint_eq(work_area_end(&work, 74), 75);
	ck_assert_uint_eq(work_area_begin(&work, 75), 75);
	ck_assert_uint_eq(work_area_end(&work, 75), 88);
}

/* Next to damage only the far half is read, and nothing that is small; next to what is finished, or
 * at the ends of the disk, all of it, up to the last chunk before damage. */
TEST(halves_beside_damage)
{
	lay_out(&(struct extent){ 0, 0, 4096 }, 1);
	ck_assert_int_eq(map_set(map, 1024 * 512, 8 * 512, MAP_NON_TRIMMED), 0);
	ck_assert_int_eq(map_set(map, 2056 * 512, 8 * 512, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 3088 * 512, 8 * 512, MAP_BAD), 0);
	begin("?", 4096, false);
	work_leave_edges(&work, map, 1024 * 512);
	ck_assert_uint_eq(work.count, 3);
	ck_assert_uint_eq(work.areas[0].length, 1016 * 512);
	ck_assert_uint_eq(work.areas[1].source, (1032 + 512) * 512);
	ck_assert_uint_eq(work.areas[1].length, 512 * 512);
	ck_assert_uint_eq(work.areas[2].source, 2064 * 512);
	ck_assert_uint_eq(work.areas[2].length, 1016 * 512);
	ck_assert_uint_eq(work.bytes, 2544 * 512);
	ck_assert_uint_eq(work.chunks, 318);
	ck_assert_uint_eq(work_area_begin(&work, 200), 191);
	begin("?", 4096, true);
	work_leave_edges(&work, map, 1024 * 512);
	ck_assert_uint_eq(work.count, 4);
	ck_assert_uint_eq(work.areas[0].length, 512 * 512);
	ck_assert_uint_eq(work.areas[1].source, 1040 * 512);
	ck_assert_uint_eq(work.areas[1].length, 1016 * 512);
	ck_assert_uint_eq(work.areas[2].source, 2064 * 512);
	ck_assert_uint_eq(work.areas[2].length, 512 * 512);
	ck_assert_uint_eq(work.areas[3].length, 992 * 512);
}

TEST(chunks_cover_what_is_left)
{
	struct extent extents[] = { { 3, 5, 1 }, { 7, 6, 1000 }, { 2000, 1999, 37 } };

	lay_out(extents, 3);
	walk(512);
	walk(4096);
	walk(1 << 20);
	ck_assert_int_eq(map_set(map, 7 * 512, 512, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 100 * 512, 50 * 512, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 200 * 512, 512, MAP_BAD), 0);
	ck_assert_int_eq(map_set(map, 2000 * 512, 37 * 512, MAP_FINISHED), 0);
	walk(4096);
	ck_assert_int_eq(map_set(map, 3 * 512, 512, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 7 * 512, 1000 * 512, MAP_FINISHED), 0);
	walk(4096);
}

TEST(twenty_terabytes_take_no_room)
{
	struct piece piece;

	lay_out(&(struct extent){ 0, 0, 39062500000ULL / 8 * 8 }, 1);
	begin(WORK_UNFINISHED, 1 << 20, false);
	ck_assert_uint_eq(work.count, 1);
	work_piece(&work, work.chunks - 1, &piece);
	ck_assert_uint_eq(piece.source + piece.length, plan_bytes(plan));
}

TEST(nothing_outside_the_plan_is_allowed)
{
	struct extent extents[] = { { 10, 110, 10 }, { 30, 130, 10 } };
	static const struct {
		uint64_t source, destination, sectors;
		bool allowed;
	} cases[] = {
		{ 10, 110, 10, true },  { 15, 115, 5, true },
		{ 39, 139, 1, true },   { 9, 109, 1, false },
		{ 10, 110, 11, false }, { 20, 120, 1, false },
		{ 20, 120, 0, true },   { 10, 111, 1, false },
		{ 30, 129, 1, false },  { 12, 132, 1, false },
		{ 40, 140, 1, false },  { 0, 0, 1, false },
		{ 39, 139, 2, false },  { 1ULL << 50, 1ULL << 50, 1, false },
	};

	lay_out(extents, 2);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct piece piece = { cases[i].source * 512, cases[i].destination * 512,
				       (uint32_t)cases[i].sectors * 512 };

		ck_assert_msg(work_allowed(plan, &piece) == cases[i].allowed, "case %zu", i);
	}
}

static uint8_t taken[100000];

static void *taker(void *arg)
{
	uint64_t first;
	uint32_t n;

	while ((n = work_take(&work, (uint32_t)(uintptr_t)arg, &first)))
		for (uint32_t i = 0; i < n; i++)
			__atomic_fetch_add(&taken[first + i], 1, __ATOMIC_RELAXED);
	return NULL;
}

TEST(many_take_each_chunk_once)
{
	pthread_t threads[4];
	size_t wrong = 0;

	lay_out(&(struct extent){ 0, 0, sizeof(taken) }, 1);
	begin(WORK_UNFINISHED, 512, false);
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, taker, (void *)(i * 3 + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	/* One assertion for all: each costs Check a system call. */
	for (size_t i = 0; i < sizeof(taken); i++)
		wrong += taken[i] != 1;
	ck_assert_uint_eq(wrong, 0);
}

TEST(the_limit_is_smooth)
{
	struct rate_limit limit = { 0 };
	uint64_t now = 1000 * NSEC_PER_SEC, wait = 0, passed = 0, begin = now;

	ck_assert(rate_limit_take(&limit, UINT32_MAX, now, &wait));
	rate_limit_set(&limit, 10 << 20, now);
	/* An hour of nothing is worth a tenth of a second. */
	now += 3600 * NSEC_PER_SEC;
	begin = now;
	while (rate_limit_take(&limit, 65536, now, &wait))
		passed += 65536;
	ck_assert_uint_le(passed, (1 << 20) + 65536);
	while (now < begin + 10 * NSEC_PER_SEC)
		if (rate_limit_take(&limit, 65536, now, &wait))
			passed += 65536;
		else
			now += wait;
	ck_assert_double_eq_tol((double)passed, 101.0 * (1 << 20), 2 << 17);
	/* A debt made at one byte a second does not outlive it. */
	rate_limit_set(&limit, 1, now);
	ck_assert(rate_limit_take(&limit, 1 << 20, now, &wait));
	ck_assert(!rate_limit_take(&limit, 1, now + 3600 * NSEC_PER_SEC, &wait));
	rate_limit_set(&limit, 1 << 20, now + 1);
	ck_assert(rate_limit_take(&limit, 1, now + 1, &wait));
	rate_limit_set(&limit, 1, now);
	ck_assert(rate_limit_take(&limit, UINT32_MAX, now, &wait));
	ck_assert(!rate_limit_take(&limit, 1, now + 1, &wait));
}

static struct ring ring;

static void *pusher(void *arg)
{
	for (uint64_t i = 0; i < 200000;) {
		struct lane_report report = { .source = i, .length = (uint32_t)(i * 7) };

		if (ring_push(&ring, &report))
			i++;
	}
	return NULL;
}

TEST(the_ring_keeps_order_and_loses_nothing)
{
	pthread_t thread;
	size_t wrong = 0;

	pthread_create(&thread, NULL, pusher, NULL);
	for (uint64_t i = 0; i < 200000;) {
		const struct lane_report *report = ring_peek(&ring);

		if (!report)
			continue;
		wrong += report->source != i || report->length != (uint32_t)(i * 7);
		ring_pop(&ring);
		i++;
	}
	pthread_join(thread, NULL);
	ck_assert_uint_eq(wrong, 0);
	ck_assert_ptr_null(ring_peek(&ring));
}
