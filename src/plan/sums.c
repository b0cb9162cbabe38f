/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/sums.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *title;
} sums[SUM_ALGORITHMS] = {
	[SUM_SHA256] = { "sha256", "SHA-256" },
	[SUM_SHA512] = { "sha512", "SHA-512" },
	[SUM_BLAKE2B] = { "blake2b", "BLAKE2b-512" },
	[SUM_SHA1] = { "sha1", "SHA-1" },
	[SUM_MD5] = { "md5", "MD5" },
	[SUM_XXH3] = { "xxh3", "XXH3-128" },
};

const char *sum_name(enum sum_algorithm algorithm)
{
	return sums[algorithm].name;
}

const char *sum_title(enum sum_algorithm algorithm)
{
	return sums[algorithm].title;
}

static unsigned find(const char *name, size_t length)
{
	for (unsigned i = 0; i < SUM_ALGORITHMS; i++)
		if (strlen(sums[i].name) == length && !strncmp(sums[i].name, name, length))
			return 1u << i;
	return 0;
}

int sums_parse(const char *text, unsigned *ret)
{
	unsigned set = 0;

	if (!strcmp(text, "none")) {
		*ret = 0;
		return 0;
	}
	for (const char *end;; text = end + 1) {
		unsigned one;

		end = strchrnul(text, ',');
		one = find(text, (size_t)(end - text));
		if (!one || set & one)
			return -EINVAL;
		set |= one;
		if (!*end)
			break;
	}
	*ret = set;
	return 0;
}

const char *sums_print(unsigned set, char buffer[static SUMS_TEXT_MAX])
{
	size_t length = 0;

	if (!set)
		snprintf(buffer, SUMS_TEXT_MAX, "none");
	for (unsigned i = 0; i < SUM_ALGORITHMS; i++)
		if (set & 1u << i)
			length += (size_t)snprintf(buffer + length, SUMS_TEXT_MAX - length, "%s%s",
						   length ? "," : "", sums[i].name);
	return buffer;
}
