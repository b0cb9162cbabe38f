/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled once for each function of digest_sectors.h: DIGEST_SECTORS is its name. */
#include "digest/digest_sectors.h"

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

/* Data from a disk is in no cache; prefetched this far ahead, it arrives in time. */
#define AHEAD 4096
#define LINE  64

static inline void fetch(const char *sector, uint32_t length)
{
	for (uint32_t at = 0; at < length; at += LINE)
		__builtin_prefetch(sector + AHEAD + at);
}

/* The weighted sum is that of all partial sums: the first sector is in each of them. */
static inline struct digest sum_up(const void *data, uint32_t length, uint32_t sector, uint64_t lba,
				   struct digest *weighted)
{
	struct digest sum = { 0 };

	for (const char *p = data, *end = p + length; p < end; p += sector) {
		fetch(p, sector);
		digest_add(&sum, digest_sector(p, sector, lba++));
		digest_add(weighted, sum);
	}
	return sum;
}

/* Constants known at compile time make hashing faster. */
struct digest DIGEST_SECTORS(const void *data, uint32_t length, uint32_t sector, uint64_t lba,
			     struct digest *retweighted) {
	*retweighted = (struct digest){ 0 };
	return sector == 512 ? sum_up(data, length, 512, lba, retweighted)
			     : sum_up(data, length, sector, lba, retweighted);
}
