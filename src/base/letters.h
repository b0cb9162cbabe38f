/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words compared without regard to case, by the letters of ASCII alone: strcasecmp() and tolower()
 * go by the locale, and in a Turkish one "EFI" is not "efi". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline char letter_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The rest of a text behind this prefix; NULL: the text has another beginning. */
static inline const char *letters_after(const char *text, const char *beginning)
{
	while (*beginning && letter_lower(*text) == letter_lower(*beginning)) {
		text++;
		beginning++;
	}
	return *beginning ? NULL : text;
}

static inline bool letters_same(const char *a, const char *b)
{
	const char *rest = letters_after(a, b);

	return rest && !*rest;
}

static inline bool letters_end(const char *text, const char *ending)
{
	size_t length = strlen(text), part = strlen(ending);

	return length >= part && letters_same(text + length - part, ending);
}
