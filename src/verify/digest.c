/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Sectors are short: calls into the library cost as much as their hashing. */
#define XXH_INLINE_ALL
#include <xxhash.h>

/* The LBA seeds a second hash, of sixteen bytes: as the first one's seed it would cost half as
 * much again, since each seed makes a secret of its own for inputs of this size. */
static inline struct digest digest_sector(const void *data, uint32_t sector, uint64_t lba)
{
	XXH128_canonical_t bytes;
	XXH128_hash_t hash;

	XXH128_canonicalFromHash(&bytes, XXH3_128bits(data, sector));
	hash = XXH3_128bits_withSeed(&bytes, sizeof(bytes), lba);
	return (struct digest){ hash.low64, hash.high64 };
}

/* What was added first is in most of the sums that make up the places. */
static inline struct digest sum_up(const void *data, uint32_t length, uint32_t sector, uint64_t lba,
				   struct digest *places)
{
	struct digest sum = { 0 };

	for (const char *p = data, *end = p + length; p < end; p += sector) {
		digest_add(&sum, digest_sector(p, sector, lba++));
		digest_add(places, sum);
	}
	return sum;
}

/* What is known when it is compiled is hashed quicker. */
struct digest digest_sectors(const void *data, uint32_t length, uint32_t sector, uint64_t lba,
			     struct digest *retplaces)
{
	*retplaces = (struct digest){ 0 };
	return sector == 512 ? sum_up(data, length, 512, lba, retplaces)
			     : sum_up(data, length, sector, lba, retplaces);
}

struct digest digest_bytes(const void *data, size_t length)
{
	XXH128_hash_t hash = XXH3_128bits(data, length);

	return (struct digest){ hash.low64, hash.high64 };
}

void digest_add(struct digest *sum, struct digest digest)
{
	sum->low += digest.low;
	sum->high += digest.high + (sum->low < digest.low);
}

struct digest digest_times(struct digest digest, uint64_t times)
{
	unsigned __int128 low = (unsigned __int128)digest.low * times;

	return (struct digest){ (uint64_t)low, digest.high * times + (uint64_t)(low >> 64) };
}

struct digest digest_less(struct digest a, struct digest b)
{
	return (struct digest){ a.low - b.low, a.high - b.high - (a.low < b.low) };
}

bool digest_equal(struct digest a, struct digest b)
{
	return a.low == b.low && a.high == b.high;
}

const char *digest_print(struct digest digest, char buffer[static DIGEST_TEXT_MAX])
{
	snprintf(buffer, DIGEST_TEXT_MAX, "%016" PRIx64 "%016" PRIx64, digest.high, digest.low);
	return buffer;
}

static bool parse_half(const char *text, uint64_t *ret)
{
	*ret = 0;
	for (int i = 0; i < 16; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

		if (!digit)
			return false;
		*ret = *ret << 4 | (uint64_t)(digit - digits);
	}
	return true;
}

bool digest_parse(const char *text, struct digest *ret)
{
	return parse_half(text, &ret->high) && parse_half(text + 16, &ret->low) && !text[32];
}
