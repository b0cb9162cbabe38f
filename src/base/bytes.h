/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of up to eight bytes as they lie on a medium, whatever the alignment. */
#pragma once

#include <stdint.h>

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
