/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several readers need. */
#pragma once

#include "base/hash.h"
#include "content/content.h"

/* What the file system itself lives on: a map that calls any of it free is wrong. */
static inline bool content_calls_free(const struct volume *volume, const struct content *content,
				      uint64_t offset, uint64_t bytes)
{
	uint64_t first = offset / volume->sector_size, end;

	if (bytes == 0 || !u64_add(offset, bytes - 1, &end))
		return bytes != 0;
	end /= volume->sector_size;
	return range_list_overlaps(&content->free, (struct range){ first, end - first + 1 });
}

/* CRC-32C (Castagnoli, reflected), as ext4, XFS and Btrfs guard their metadata with. Begin with ~0;
 * some formats store the result inverted. */
static inline uint32_t crc32c(uint32_t crc, const void *data, size_t size)
{
	return crc32(crc, 0x82f63b78U, data, size);
}
