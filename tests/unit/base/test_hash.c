/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Against the published values. */
#include "unit.h"

#include "base/hash.h"

/* The first numbers of the generator for the seed 1234567. */
TEST(splitmix64_as_published)
{
	static const uint64_t numbers[] = { 6457827717110365317U, 3203168211198807973U,
					    9817491932198370423U, 4593380528125082431U,
					    16408922859458223821U };
	uint64_t state = 1234567;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		ck_assert_uint_eq(splitmix64(state), numbers[i]);
		state += 0x9e3779b97f4a7c15ULL;
	}
}

TEST(fnv1a_as_published)
{
	ck_assert_uint_eq(fnv1a(FNV1A_START, "", 0), 0xcbf29ce484222325ULL);
	ck_assert_uint_eq(fnv1a(FNV1A_START, "a", 1), 0xaf63dc4c8601ec8cULL);
	ck_assert_uint_eq(fnv1a(FNV1A_START, "foobar", 6), 0x85944171f73967e8ULL);
	ck_assert_uint_eq(fnv1a(fnv1a(FNV1A_START, "foo", 3), "bar", 3), 0x85944171f73967e8ULL);
}
