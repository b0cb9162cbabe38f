/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests: of sectors in any order, and what they find. */
#include "unit.h"

#include "config.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#if HAVE_DIGEST_AVX2
#include <sys/platform/x86.h>
#endif

#include "plan.h"
#include "digest/digest_sectors.h"
#include "digest/digests.h"

#define SECTOR 512
#define MIB    (1U << 20)

UNIT_CASE(.timeout = 60);

TEST(a_digest_is_the_sum_over_its_sectors)
{
	unsigned char data[4 * SECTOR];
	struct digest whole, sum = { 0 }, weighted;

	test_noise(data, sizeof(data), 1);
	whole = digest_sectors(data, sizeof(data), SECTOR, 100, &weighted);
	for (int i = 3; i >= 0; i--) {
		XXH128_canonical_t bytes;
		XXH128_hash_t h;

		XXH128_canonicalFromHash(&bytes, XXH3_128bits(data + i * SECTOR, SECTOR));
		h = XXH3_128bits_withSeed(&bytes, 16, 100 + i);
		digest_add(&sum, (struct digest){ h.low64, h.high64 });
	}
	ck_assert(digest_equal(whole, sum));
}

/* Whatever registers the processor has: a list made here is read elsewhere. */
TEST(wide_registers_make_no_difference)
{
#if HAVE_DIGEST_AVX2
	static const uint32_t sizes[] = { 512, 520, 1024, 2048, 4096, 8192 };
	static unsigned char data[16 * 8192];

	if (!CPU_FEATURE_ACTIVE(AVX2))
		return;
	test_noise(data, sizeof(data), 5);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct digest plain_weighted, wide_weighted;
		uint32_t length = 15 * sizes[i];
		struct digest plain = digest_sectors_plain(data + i, length, sizes[i], 1ULL << 40,
							   &plain_weighted);
		struct digest wide =
			digest_sectors_avx2(data + i, length, sizes[i], 1ULL << 40, &wide_weighted);

		ck_assert(digest_equal(plain, wide));
		ck_assert(digest_equal(plain_weighted, wide_weighted));
	}
#endif
}

TEST(sums_carry)
{
	struct digest sum = { UINT64_MAX, 1 };

	digest_add(&sum, (struct digest){ 2, 3 });
	ck_assert_uint_eq(sum.low, 1);
	ck_assert_uint_eq(sum.high, 5);
}

TEST(a_digest_is_read_as_it_was_printed)
{
	struct digest digest = { 0x0123456789abcdefULL, 0xfedcba9876543210ULL }, back;
	char text[DIGEST_TEXT_MAX];

	ck_assert_str_eq(digest_print(digest, text), "fedcba98765432100123456789abcdef");
	ck_assert(digest_parse(text, &back));
	ck_assert(digest_equal(digest, back));
	ck_assert(!digest_parse("fedcba98765432100123456789abcde", &back));
	ck_assert(!digest_parse("fedcba98765432100123456789abcdef0", &back));
	ck_assert(!digest_parse("FEDCBA98765432100123456789ABCDEF", &back));
	ck_assert(!digest_parse("", &back));
}

#define WINDOW 64 /* sectors */

enum corruption { BIT_FLIP, MOVED_BY_ONE, ZEROED, STALE, SWAPPED, CORRUPTIONS };

static void corrupt(unsigned char *bad, const unsigned char *good, const unsigned char *old,
		    enum corruption kind, uint64_t *state)
{
	size_t a = test_random(state) % (WINDOW - 1) * SECTOR;
	size_t b = test_random(state) % WINDOW * SECTOR;

	switch (kind) {
	case BIT_FLIP:
		bad[b + test_random(state) % SECTOR] ^=
			(unsigned char)(1U << test_random(state) % 8);
		break;
	case MOVED_BY_ONE:
		memcpy(bad + a + SECTOR, good + a, SECTOR);
		break;
	case ZEROED:
		memset(bad + b, 0, SECTOR);
		break;
	case STALE:
		memcpy(bad + b, old + b, SECTOR);
		break;
	default:
		memcpy(bad + a, good + b, SECTOR);
		memcpy(bad + b, good + a, SECTOR);
		break;
	}
}

/* Thousands, at random places, each of them alone. */
TEST(every_corruption_is_found)
{
	static unsigned char good[WINDOW * SECTOR], bad[sizeof(good)], old[sizeof(good)];
	uint64_t state = 7;
	unsigned found = 0;
	struct digest is, weighted;

	test_noise(good, sizeof(good), 2);
	test_noise(old, sizeof(old), 3);
	/* Some sectors are alike, as on every disk. */
	memset(good + 32 * SECTOR, 0, 8 * SECTOR);
	is = digest_sectors(good, sizeof(good), SECTOR, 1000, &weighted);
	for (int i = 0; i < 10000; i++) {
		bool same;

		memcpy(bad, good, sizeof(bad));
		corrupt(bad, good, old, (enum corruption)(i % CORRUPTIONS), &state);
		same = !memcmp(bad, good, sizeof(bad));
		ck_assert_msg(digest_equal(is, digest_sectors(bad, sizeof(bad), SECTOR, 1000,
							      &weighted)) == same,
			      "corruption %d", i);
		found += !same;
	}
	ck_assert_uint_ge(found, 9000);
}

/* Pieces of any size in any order give what one look at all of it gives. */
TEST(the_order_of_the_pieces_does_not_matter)
{
	const struct extent extents[] = { { 3, 0, 5000 }, { 6000, 5000, 2192 } };
	CLEANUP(plan) struct plan *plan = test_plan(extents, 2, 8192);
	unsigned char *data = malloc(8192 * SECTOR);
	struct digests *one = NULL, *two = NULL;
	struct digest_part parts[DIGEST_PARTS_MAX];
	uint64_t state = 5;

	ck_assert_ptr_nonnull(data);
	test_noise(data, 8192 * SECTOR, 4);
	ck_assert_int_eq(digests_new(plan, 65536, &one), 0);
	ck_assert_int_eq(digests_new(plan, 65536, &two), 0);
	ck_assert_uint_eq(digests_region_size(one), MIB);
	ck_assert_uint_eq(digests_count(one), 3 + 2);

	for (size_t i = 0; i < digests_count(one); i++) {
		struct digest_region r = digests_region(one, i);

		ck_assert_uint_eq(
			digests_parts(one, r.source, data + r.source, (uint32_t)r.length, parts),
			1);
		ck_assert_uint_eq(parts[0].region, i);
		digests_add(one, &parts[0]);
	}
	for (int e = 1; e >= 0; e--)
		for (uint64_t end = extents[e].source_lba + extents[e].sectors;
		     end > extents[e].source_lba;) {
			uint64_t n = 1 + test_random(&state) % 200;

			if (n > end - extents[e].source_lba)
				n = end - extents[e].source_lba;
			end -= n;

			unsigned count = digests_parts(two, end * SECTOR, data + end * SECTOR,
						       (uint32_t)n * SECTOR, parts);

			for (unsigned p = 0; p < count; p++)
				digests_add(two, &parts[p]);
		}
	for (size_t i = 0; i < digests_count(one); i++) {
		struct digest_sum a = digests_sum(one, i), b = digests_sum(two, i);

		ck_assert(digest_equal(a.digest, b.digest));
		ck_assert(digest_equal(a.weighted, b.weighted));
		ck_assert_uint_eq(a.sectors, b.sectors);
	}
	digests_destroy(one);
	digests_destroy(two);
	free(data);
}

TEST(a_piece_over_a_border_is_in_both_regions)
{
	const struct extent extent = { 0, 0, 8192 };
	CLEANUP(plan) struct plan *plan = test_plan(&extent, 1, 8192);
	unsigned char data[4 * SECTOR];
	struct digest_part parts[DIGEST_PARTS_MAX];
	struct digests *digests = NULL;
	struct digest weighted;

	test_noise(data, sizeof(data), 9);
	ck_assert_int_eq(digests_new(plan, 2048, &digests), 0);
	ck_assert_uint_eq(digests_parts(digests, MIB - SECTOR, data, sizeof(data), parts), 2);
	ck_assert_uint_eq(parts[0].region, 0);
	ck_assert_uint_eq(parts[0].sum.sectors, 1);
	ck_assert_uint_eq(parts[1].region, 1);
	ck_assert_uint_eq(parts[1].sum.sectors, 3);
	ck_assert(digest_equal(parts[0].sum.digest,
			       digest_sectors(data, SECTOR, SECTOR, 2047, &weighted)));
	ck_assert(digest_equal(parts[1].sum.digest,
			       digest_sectors(data + SECTOR, 3 * SECTOR, SECTOR, 2048, &weighted)));
	digests_destroy(digests);
}

TEST(places_outside_the_plan_have_no_region)
{
	const struct extent extents[] = { { 100, 0, 50 }, { 200, 60, 10 } };
	CLEANUP(plan) struct plan *plan = test_plan(extents, 2, 1000);
	struct digests *digests = NULL;
	size_t region;

	ck_assert_int_eq(digests_new(plan, 4096, &digests), 0);
	ck_assert(!digests_find(digests, 99 * SECTOR, &region));
	ck_assert(digests_find(digests, 100 * SECTOR, &region));
	ck_assert_uint_eq(region, 0);
	ck_assert(!digests_find(digests, 150 * SECTOR, &region));
	ck_assert(digests_find(digests, 209 * SECTOR, &region));
	ck_assert_uint_eq(region, 1);
	ck_assert(!digests_find(digests, 210 * SECTOR, &region));
	digests_destroy(digests);
}

TEST(the_table_stays_small_for_a_large_disk)
{
	const uint64_t sectors = 20ULL * 1000 * 1000 * 1000 * 1000 / SECTOR;
	const struct extent extent = { 0, 0, sectors };
	CLEANUP(plan) struct plan *plan = test_plan(&extent, 1, sectors);
	struct digests *digests = NULL;

	ck_assert_int_eq(digests_new(plan, 8 * MIB, &digests), 0);
	ck_assert_uint_le(digests_count(digests), DIGEST_REGIONS_MAX);
	struct digest_region last = digests_region(digests, digests_count(digests) - 1);
	ck_assert_uint_eq(last.source + last.length, sectors * SECTOR);
	digests_destroy(digests);
	/* A size from a file that would need a large table is no size of ours. */
	ck_assert_int_eq(digests_new_sized(plan, MIB, &digests), -EINVAL);
	ck_assert_int_eq(digests_new_sized(plan, 0, &digests), -EINVAL);
	ck_assert_int_eq(digests_new_sized(plan, 3ULL << 40, &digests), -EINVAL);
}

static struct digests *taken_of(const struct plan *plan, const unsigned char *data, size_t sectors)
{
	struct digests *digests = NULL;
	struct digest_part parts[DIGEST_PARTS_MAX];

	ck_assert_int_eq(digests_new(plan, 65536, &digests), 0);
	for (size_t at = 0; at < sectors; at += 100) {
		uint32_t n = sectors - at < 100 ? (uint32_t)(sectors - at) : 100;
		unsigned count =
			digests_parts(digests, at * SECTOR, data + at * SECTOR, n * SECTOR, parts);

		for (unsigned i = 0; i < count; i++)
			digests_add(digests, &parts[i]);
	}
	return digests;
}

/* Any one of a region, the first and the last as well; two are too many. */
TEST(one_wrong_sector_is_known_by_its_place)
{
	const struct extent extent = { 0, 0, 3000 };
	CLEANUP(plan) struct plan *plan = test_plan(&extent, 1, 4096);
	unsigned char *data = malloc(3000 * SECTOR);
	struct digests *right, *wrong;
	uint64_t state = 3, found;

	ck_assert_ptr_nonnull(data);
	test_noise(data, 3000 * SECTOR, 6);
	right = taken_of(plan, data, 3000);
	ck_assert(!digests_pin_down(right, right, 0, &found));
	for (int i = 0; i < 40; i++) {
		const size_t edges[] = { 0, 2047, 2048, 2999 };
		size_t at = i < 4 ? edges[i] : test_random(&state) % 3000;

		data[at * SECTOR + test_random(&state) % SECTOR] ^= 1;
		wrong = taken_of(plan, data, 3000);
		ck_assert(digests_pin_down(right, wrong, at / 2048, &found));
		ck_assert_uint_eq(found, at % 2048);
		ck_assert(!digests_pin_down(right, wrong, 1 - at / 2048, &found));
		digests_destroy(wrong);
		data[(at < 2048 ? (at + 1) % 2048 : at == 2999 ? 2048 : at + 1) * SECTOR] ^= 1;
		wrong = taken_of(plan, data, 3000);
		ck_assert(!digests_pin_down(right, wrong, at / 2048, &found));
		digests_destroy(wrong);
		test_noise(data, 3000 * SECTOR, 6);
	}
	digests_destroy(right);
	free(data);
}
