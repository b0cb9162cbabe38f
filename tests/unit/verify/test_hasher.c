/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hasher: pieces in any order are taken in the right one, and none waits for ever. */
#include "unit.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "verify/hasher.h"
#include "digest/plan.h"

#define SECTOR 512U
#define PIECE  (4 * SECTOR)
#define PIECES 64U
#define SET    (1U << CHECKSUM_SHA256 | 1U << CHECKSUM_MD5 | 1U << CHECKSUM_BLAKE2B)

static unsigned char data[PIECES * PIECE];
static struct hash_item items[PIECES];
static atomic_uint done_count;
static uint64_t state = 7;
static struct plan *plan;
static struct hasher *hasher;

static void done(struct hash_item *item)
{
	ck_assert_ptr_eq(item->owner, &done_count);
	item->owner = NULL;
	atomic_fetch_add(&done_count, 1);
}

static void sum_of(enum checksum_algorithm algorithm, const void *bytes, size_t length,
		   char hex[static CHECKSUM_HEX_MAX])
{
	struct checksum *sum;

	ck_assert_int_eq(checksum_new(algorithm, &sum, NULL), 0);
	checksum_add(sum, bytes, length);
	checksum_take(sum, hex);
	checksum_destroy(sum);
}

static struct hash_item *item_of(unsigned number, uint64_t source)
{
	items[number] = (struct hash_item){
		.number = number,
		.source = source,
		.data = data + source,
		.length = PIECE,
		.done = done,
		.owner = &done_count,
	};
	return &items[number];
}

static void wait_done(unsigned count)
{
	for (int ms = 0; atomic_load(&done_count) < count && ms < 100000; ms++)
		usleep(1000);
	ck_assert_uint_eq(atomic_load(&done_count), count);
}

static void wait_through(void)
{
	for (int ms = 0; !hasher_through(hasher) && ms < 100000; ms++)
		usleep(1000);
	ck_assert(hasher_through(hasher));
}

static void set_up(const struct extent *extents, size_t count)
{
	test_noise(data, sizeof(data), 3);
	plan = test_plan(extents, count, sizeof(data) / SECTOR);
	ck_assert_int_eq(hasher_new(SET, plan, &hasher, NULL), 0);
}

static void set_up_whole(void)
{
	set_up(&(struct extent){ 0, 0, sizeof(data) / SECTOR }, 1);
}

static void tear_down(void)
{
	hasher_destroy(hasher);
	plan_destroy(plan);
}

static void check_sums(const void *bytes, size_t length)
{
	char hex[CHECKSUM_HEX_MAX];

	for (unsigned i = 0; i < CHECKSUM_ALGORITHMS; i++) {
		if (!(SET & 1U << i)) {
			ck_assert_str_eq(hasher_sum(hasher, (enum checksum_algorithm)i), "");
			continue;
		}
		sum_of((enum checksum_algorithm)i, bytes, length, hex);
		ck_assert_str_eq(hasher_sum(hasher, (enum checksum_algorithm)i), hex);
	}
}

UNIT_CASE(.setup = set_up_whole, .teardown = tear_down, .timeout = 60);

TEST(any_order_is_put_right)
{
	unsigned order[PIECES];

	/* The second stream finds nothing of the first one. */
	for (int stream = 0; stream < 2; stream++) {
		hasher_open(hasher);
		atomic_store(&done_count, 0);
		for (unsigned i = 0; i < PIECES; i++)
			order[i] = i;
		for (unsigned i = PIECES; i > 1; i--) {
			unsigned j = test_random(&state) % i, keep = order[i - 1];

			order[i - 1] = order[j];
			order[j] = keep;
		}
		for (unsigned i = 0; i < PIECES; i++)
			ck_assert(
				hasher_give(hasher, item_of(order[i], order[i] * PIECE), NULL, 0));
		wait_done(PIECES);
		wait_through();
		ck_assert(hasher_close(hasher, sizeof(data)));
		check_sums(data, sizeof(data));
	}
}

/* Two extents; at the start of one, between, and at the very end something is left out. */
TEST(what_is_left_out_counts_as_zeros)
{
	struct extent extents[] = { { 8, 100, 24 }, { 64, 200, 32 } };
	static unsigned char expected[56 * SECTOR];
	const uint64_t given[] = { 12, 16, 24, 64, 80 };

	tear_down();
	set_up(extents, 2);
	for (unsigned i = 0; i < 5; i++) {
		uint64_t at = given[i] < 64 ? given[i] - 8 : given[i] - 64 + 24;

		memcpy(expected + at * SECTOR, data + given[i] * SECTOR, PIECE);
	}
	hasher_open(hasher);
	for (unsigned i = 0; i < 5; i++)
		ck_assert(hasher_give(hasher, item_of(i, given[i] * SECTOR), NULL, 0));
	wait_done(5);
	wait_through();
	ck_assert(hasher_close(hasher, 5 * PIECE));
	check_sums(expected, sizeof(expected));
}

TEST(what_was_given_must_be_all)
{
	ck_assert(!hasher_give(hasher, item_of(0, 0), NULL, 0));
	hasher_open(hasher);
	ck_assert(hasher_give(hasher, item_of(0, 0), NULL, 0));
	wait_done(1);
	wait_through();
	ck_assert(!hasher_close(hasher, sizeof(data)));
}

/* Piece 0 never comes: all others are let go, and later ones are not taken. */
TEST(a_broken_stream_lets_go)
{
	hasher_open(hasher);
	for (unsigned i = 1; i < PIECES; i++)
		ck_assert(hasher_give(hasher, item_of(i, i * PIECE), NULL, 0));
	ck_assert(!hasher_through(hasher));
	ck_assert_uint_eq(atomic_load(&done_count), 0);
	hasher_break(hasher);
	hasher_break(hasher);
	wait_done(PIECES - 1);
	ck_assert(!hasher_give(hasher, item_of(0, 0), NULL, 0));
	wait_through();
	ck_assert(!hasher_close(hasher, sizeof(data)));
	/* And begins anew. */
	hasher_open(hasher);
	atomic_store(&done_count, 0);
	for (unsigned i = 0; i < PIECES; i++)
		ck_assert(hasher_give(hasher, item_of(i, i * PIECE), NULL, 0));
	wait_done(PIECES);
	wait_through();
	ck_assert(hasher_close(hasher, sizeof(data)));
	check_sums(data, sizeof(data));
}

/* At any moment, also while pieces are being read. */
TEST(broken_at_any_moment)
{
	for (unsigned n = 0; n < 200; n++) {
		unsigned given = 0, stop = test_random(&state) % PIECES;

		hasher_open(hasher);
		atomic_store(&done_count, 0);
		for (unsigned i = 0; i < PIECES; i++) {
			if (i == stop)
				hasher_break(hasher);
			given += hasher_give(hasher, item_of(i, i * PIECE), NULL, 0);
		}
		wait_done(given);
		wait_through();
		ck_assert(!hasher_close(hasher, sizeof(data)));
	}
}
