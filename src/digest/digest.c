/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "digest/digest.h"

#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#if HAVE_DIGEST_AVX2
#include <sys/platform/x86.h>
#endif

#include "digest/digest_sectors.h"

#ifdef __SANITIZE_THREAD__
/* What hashes sectors is built without ThreadSanitizer, which is told here what is read. */
void __tsan_read_range(void *data, long length);
#define TELL_READ(data, length) __tsan_read_range((void *)(data), length)
#else
#define TELL_READ(data, length) ((void)0)
#endif

struct digest digest_sectors(const void *data, uint32_t length, uint32_t sector, uint64_t lba,
			     struct digest *retweighted)
{
	TELL_READ(data, length);
#if HAVE_DIGEST_AVX2
	/* If the C library may not use them (GLIBC_TUNABLES), neither do we. */
	if (CPU_FEATURE_ACTIVE(AVX2))
		return digest_sectors_avx2(data, length, sector, lba, retweighted);
#endif
	return digest_sectors_plain(data, length, sector, lba, retweighted);
}

struct digest digest_bytes(const void *data, size_t length)
{
	XXH128_hash_t hash = XXH3_128bits(data, length);

	return (struct digest){ hash.low64, hash.high64 };
}

struct digest digest_times(struct digest digest, uint64_t times)
{
	struct digest product = { 0 };

	/* Bit by bit: 32-bit processors have no integers of 128 bits to multiply with. */
	for (; times; times >>= 1) {
		if (times & 1)
			digest_add(&product, digest);
		digest_add(&digest, digest);
	}
	return product;
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

bool digest_take(const char **text, char stop, struct digest *ret)
{
	if (!parse_half(*text, &ret->high) || !parse_half(*text + 16, &ret->low) ||
	    (*text)[32] != stop)
		return false;
	*text += stop ? 33 : 32;
	return true;
}

bool digest_parse(const char *text, struct digest *ret)
{
	return digest_take(&text, '\0', ret);
}
