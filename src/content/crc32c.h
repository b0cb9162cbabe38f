/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32C (Castagnoli, reflected), as ext4, XFS and Btrfs guard their metadata with. */
#ifndef CLONEDECK_CONTENT_CRC32C_H
#define CLONEDECK_CONTENT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Begin with ~0; some formats store the result inverted. */
uint32_t crc32c(uint32_t crc, const void *data, size_t size);

#endif
