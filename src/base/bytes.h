/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of up to eight bytes as they lie on a medium, whatever the alignment, or in a struct. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The lowest byte first. */
static inline uint64_t bytes_little(const void *from, unsigned bytes)
{
	const uint8_t *p = from;
	uint64_t n = 0;

	while (bytes--)
		n = n << 8 | p[bytes];
	return n;
}

/* The highest byte first. */
static inline uint64_t bytes_big(const void *from, unsigned bytes)
{
	const uint8_t *p = from;
	uint64_t n = 0;

	while (bytes--)
		n = n << 8 | *p++;
	return n;
}

static inline bool bytes_are_zero(const void *data, size_t length)
{
	const char *p = data;

	return length == 0 || (!p[0] && memcmp(p, p + 1, length - 1) == 0);
}

/* "8-4-4-4-12" hexadecimal digits, in the order of the bytes (RFC 9562). */
#define UUID_TEXT_MAX 37

static inline void bytes_uuid(const uint8_t b[static 16], char ret[static UUID_TEXT_MAX])
{
	snprintf(ret, UUID_TEXT_MAX,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
		 b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
		 b[15]);
}

/* A member of a struct, by its size: a bool or a byte, or an integer or enum of 32 or 64 bits. For
 * tables of members. */
static inline uint64_t member_get(const void *member, size_t size)
{
	return size == sizeof(uint8_t)    ? *(const uint8_t *)member
	       : size == sizeof(uint32_t) ? *(const uint32_t *)member
					  : *(const uint64_t *)member;
}

/* False: the value does not fit, and was cut. */
static inline bool member_put(void *member, size_t size, uint64_t value)
{
	if (size == sizeof(bool))
		*(bool *)member = value != 0;
	else if (size == sizeof(uint32_t))
		*(uint32_t *)member = (uint32_t)value;
	else
		*(uint64_t *)member = value;
	return member_get(member, size) == value;
}
