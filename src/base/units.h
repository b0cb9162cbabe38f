/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as people type and read them. Parsing: K M G T P and KiB MiB … are
 * powers of 1024, KB MB … powers of 1000, s counts sectors, 0x is hexadecimal,
 * fractions only with a suffix, rounded down to a byte. Printing: SI, three
 * significant digits.
 *
 * All print functions write a terminated string into the caller's buffer and
 * return it. Thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNITS_TEXT_MAX 64

enum units_scale { UNITS_SI, UNITS_IEC, UNITS_SECTORS };

/* "64K", "1MiB", "1.5G", "2048s", "0x800": bytes. sector_size 0 refuses the s
 * suffix. *retend is set to the first character not taken; with retend NULL
 * the whole text must be a number. -EINVAL, -ERANGE. */
int units_parse_size(const char *text, uint32_t sector_size, const char **retend, uint64_t *ret);
/* Has such a text of this length neither a suffix nor a fraction? Then it is an LBA where one may
 * be meant. */
bool units_is_plain(const char *text, size_t length);
/* An LBA, or a size that is whole sectors, as units_parse_size() takes them; -EDOM: it is none. */
int units_parse_lba(const char *text, uint32_t sector_size, uint64_t *ret);

/* "2.00T", "537M", "17.4K", "512B", "1.82Ti", sectors "2,048s": at most 6 columns wide. */
const char *units_print_short(uint64_t bytes, enum units_scale scale, uint32_t sector_size,
			      char buffer[static UNITS_TEXT_MAX]);
/* "2.00 TB", "1.82 TiB", "3,907,029,168 sectors". */
const char *units_print_long(uint64_t bytes, enum units_scale scale, uint32_t sector_size,
			     char buffer[static UNITS_TEXT_MAX]);
/* "1,234,567": separator of the locale, else a comma (a dot where that is the decimal one). */
const char *units_print_count(uint64_t value, char buffer[static UNITS_TEXT_MAX]);
/* "193 MB/s", "1.93 GB/s", "812 kB/s"; "-" for what is no rate (negative, not a number). */
const char *units_print_rate(double bytes_per_second, char buffer[static UNITS_TEXT_MAX]);
/* "1:33:45", "0:00:07", "12 d 03:10:00". */
const char *units_print_duration(uint64_t seconds, char buffer[static UNITS_TEXT_MAX]);

/* The same for one argument of a call: the text lasts until the end of the block. */
#define UNITS_SHORT(bytes, scale, sector_size)                                                     \
	units_print_short((bytes), (scale), (sector_size), (char[UNITS_TEXT_MAX]){ "" })
#define UNITS_LONG(bytes, scale, sector_size)                                                      \
	units_print_long((bytes), (scale), (sector_size), (char[UNITS_TEXT_MAX]){ "" })
#define UNITS_COUNT(value)      units_print_count((value), (char[UNITS_TEXT_MAX]){ "" })
#define UNITS_RATE(rate)        units_print_rate((rate), (char[UNITS_TEXT_MAX]){ "" })
#define UNITS_DURATION(seconds) units_print_duration((seconds), (char[UNITS_TEXT_MAX]){ "" })
