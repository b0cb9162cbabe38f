/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The free-form range text: items separated by commas,
 *   A-B  first to last sector      A+N  first sector and count
 *   @N   partition number N        -N   the last N sectors      A-  to the end
 *   *    everything
 * Numbers are LBAs of the source's logical sector, or bytes when they carry a
 * size suffix (base/units.h); such a size must be a multiple of the sector. A
 * byte position names a boundary, so B in bytes is where the range ends: 1MiB-2MiB
 * is one MiB, 2048-4095 is the same. Blanks between numbers and signs are fine. A
 * bare number is refused: it could mean a sector, a start or a count.
 */
#pragma once

#include "base/range.h"
#include "discover/disk.h"

struct rangespec_context {
	uint64_t sectors;        /* size of what the ranges lie on */
	uint32_t sector_size;    /* bytes */
	const struct disk *disk; /* for @N; NULL: @N is an error */
};

struct rangespec_error {
	int column;         /* 0-based byte where the faulty item or number starts */
	int length;         /* bytes of it */
	char sentence[512]; /* translated */
};

/* 0 and the merged list, or -EINVAL/-ERANGE/-ENOMEM with *reterr (may be NULL) filled and
 * ret untouched; it is overwritten on success, what it held is not freed. Empty text is
 * an error. *retitems (may be NULL) counts the items as typed. */
int rangespec_parse(const char *text, const struct rangespec_context *context,
		    struct range_list *ret, size_t *retitems, struct rangespec_error *reterr);

/* The shortest text in plain LBAs, partitions and `*` that parses back to the same list in
 * the same context; "" for an empty list; malloc'd, NULL without memory. */
char *rangespec_print(const struct range_list *list, const struct rangespec_context *context);
