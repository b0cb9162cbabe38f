/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The digest of a run of sectors: the sum, modulo 2^128, of a hash of each: the
 * XXH3-128, with its LBA as the seed, of its XXH3-128 (canonical form). A sum does not ask in which
 * order or in how large pieces its sectors came, so lanes, retries of single sectors and a reader
 * years later all get the same; the seed tells a sector that lies in another one's place. It finds
 * what disks, cables and memory do to data; it is no defence against somebody who wants to deceive.
 *
 * Plain values; all functions are thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digest {
	uint64_t low, high;
};

#define DIGEST_TEXT_MAX 33

/*
 * length is a multiple of sector (bytes); lba: of the first, in sectors of that size. *retweighted:
 * the sum in which each sector counts as often as there are sectors from it to the end of the
 * data. With both sums of what was expected and of what was found, a single wrong sector can be
 * located: they differ by one and the same digest, once and so many times.
 */
struct digest digest_sectors(const void *data, uint32_t length, uint32_t sector, uint64_t lba,
			     struct digest *retweighted);
/* The digest of any bytes: for the list file itself. */
struct digest digest_bytes(const void *data, size_t length);
static inline void digest_add(struct digest *sum, struct digest digest)
{
	sum->low += digest.low;
	sum->high += digest.high + (sum->low < digest.low);
}
struct digest digest_times(struct digest digest, uint64_t times);
struct digest digest_less(struct digest a, struct digest b); /* a - b */
bool digest_equal(struct digest a, struct digest b);

/* 32 hexadecimal digits, the high half first. */
const char *digest_print(struct digest digest, char buffer[static DIGEST_TEXT_MAX]);
/* Exactly what digest_print() writes. */
bool digest_parse(const char *text, struct digest *ret);
/* The same up to `stop`; *text is then as after text_take_number(). */
bool digest_take(const char **text, char stop, struct digest *ret);
