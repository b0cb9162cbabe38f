/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sums of a whole source that can be asked for, one for each program that
 * checks them: sha256sum, sha512sum, b2sum, sha1sum, md5sum, xxh128sum. A set of
 * them is a bit each.
 */
#ifndef CLONEDECK_PLAN_SUMS_H
#define CLONEDECK_PLAN_SUMS_H

enum sum_algorithm {
	SUM_SHA256,
	SUM_SHA512,
	SUM_BLAKE2B,
	SUM_SHA1,
	SUM_MD5,
	SUM_XXH3,
	SUM_ALGORITHMS,
};

#define SUMS_TEXT_MAX 64

/* "sha256": in options, in JSON, and what a list of such sums ends with. */
const char *sum_name(enum sum_algorithm algorithm);
/* "SHA-256": as its standard writes it. */
const char *sum_title(enum sum_algorithm algorithm);
/* "sha256,md5", or "none": nothing. -EINVAL for anything else. */
int sums_parse(const char *text, unsigned *ret);
/* What sums_parse() reads as the same; at most SUMS_TEXT_MAX bytes. */
const char *sums_print(unsigned sums, char buffer[static SUMS_TEXT_MAX]);

#endif
