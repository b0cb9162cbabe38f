/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums: the ones that the standards, and the authors of XXH3, give for "abc", and sets of them as
 * text. */
#include "unit.h"

#include <errno.h>

#include "digest/checksum.h"

static const char *const of_abc[CHECKSUM_ALGORITHMS] = {
	[CHECKSUM_SHA256] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	[CHECKSUM_SHA512] = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
			    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
	[CHECKSUM_BLAKE2B] = "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
			     "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
	[CHECKSUM_SHA1] = "a9993e364706816aba3e25717850c26c9cd0d89d",
	[CHECKSUM_MD5] = "900150983cd24fb0d6963f7d28e17f72",
	[CHECKSUM_XXH3] = "06b05ab6733a618578af5f94892f3950",
};

TEST_ROWS(as_the_standards_say, CHECKSUM_ALGORITHMS)
{
	struct error error = { 0 };
	char hex[CHECKSUM_HEX_MAX];
	struct checksum *sum;

	ck_assert_msg(checksum_new((enum checksum_algorithm)_i, &sum, &error) == 0, "%s",
		      error.sentence);
	checksum_add(sum, "ab", 2);
	checksum_add(sum, "c", 1);
	ck_assert_str_eq(checksum_take(sum, hex), of_abc[_i]);
	/* It begins anew. */
	checksum_add(sum, "abc", 3);
	ck_assert_str_eq(checksum_take(sum, hex), of_abc[_i]);
	checksum_take(sum, hex);
	ck_assert_str_ne(hex, of_abc[_i]);
	checksum_destroy(sum);
}

TEST(sets_are_read_as_they_were_printed)
{
	for (unsigned set = 0; set < 1U << CHECKSUM_ALGORITHMS; set++) {
		char text[CHECKSUMS_TEXT_MAX];
		unsigned back = ~0U;

		ck_assert_int_eq(checksums_parse(checksums_print(set, text), &back), 0);
		ck_assert_uint_eq(back, set);
	}
}

TEST(anything_else_is_refused)
{
	static const char *const bad[] = { "",        "sha",        "SHA256",        "sha256,",
					   ",sha256", "sha256 md5", "sha256,sha256", "sha256,none",
					   "sha2567" };
	unsigned set = 42;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(checksums_parse(bad[i], &set) == -EINVAL, "%s", bad[i]);
	ck_assert_uint_eq(set, 42);
}
