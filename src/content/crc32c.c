/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "content/crc32c.h"

#define POLYNOMIAL 0x82f63b78U

/* Half a byte at a time: the table is small enough to be made anew for each call. */
uint32_t crc32c(uint32_t crc, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint32_t table[16];

	for (uint32_t i = 0; i < 16; i++) {
		table[i] = i;
		for (unsigned bit = 0; bit < 4; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? POLYNOMIAL : 0);
	}
	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}
