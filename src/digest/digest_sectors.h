/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of digest_sectors(), which digest.c chooses among: the same code,
 * compiled for every processor and for those with wider registers. For
 * digest.c and its tests only.
 */
#pragma once

#include <stdint.h>

#include "digest/digest.h"

struct digest digest_sectors_plain(const void *data, uint32_t length, uint32_t sector, uint64_t lba,
				   struct digest *retweighted);
/* Only where config.h says HAVE_DIGEST_AVX2, and the processor has AVX2. */
struct digest digest_sectors_avx2(const void *data, uint32_t length, uint32_t sector, uint64_t lba,
				  struct digest *retweighted);
