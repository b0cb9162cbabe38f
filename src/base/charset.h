/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All text is UTF-8 here, and as such a label could reach an 8-bit terminal as a control sequence:
 * U+00DB ends with the byte 0x9B, which begins one there. A terminal that is not UTF-8 gets what
 * its character set has, and '?' for the rest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CHARSET_UTF8_MAX 4 /* bytes of a character */

/* Private. */
struct charset {
	void *to;
	char kept[CHARSET_UTF8_MAX]; /* the beginning of a character whose rest is still to come */
	size_t kept_count;
};

/* From UTF-8 to the locale's character set or, where that is UTF-8, too, and the terminal somebody
 * else's, to ASCII. False: it cannot be done. */
bool charset_open(struct charset *ret);
void charset_close(struct charset *self);
/* A text may come in pieces. False: the stream takes it no more. */
bool charset_put(struct charset *self, FILE *stream, const char *text, size_t size);
/* All of a text. What is no terminal gets it as it is. utf8: the terminal is that. */
void charset_print(FILE *stream, bool utf8, const char *text, size_t size);
