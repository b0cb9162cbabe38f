/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32C (Castagnoli, reflected), as ext4, XFS and Btrfs guard their metadata with. */
#pragma once

#include "base/hash.h"

/* Begin with ~0; some formats store the result inverted. */
static inline uint32_t crc32c(uint32_t crc, const void *data, size_t size)
{
	return crc32(crc, 0x82f63b78U, data, size);
}
