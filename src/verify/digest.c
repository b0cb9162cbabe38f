/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/digest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

struct digest digest_sectors(const void *data, uint32_t length, uint32_t sector, uint64_t lba)
{
	struct digest sum = { 0 };

	for (const char *p = data, *end = p + length; p < end; p += sector) {
		XXH128_hash_t hash = XXH3_128bits_withSeed(p, sector, lba++);

		digest_add(&sum, (struct digest){ hash.low64, hash.high64 });
	}
	return sum;
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
