/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a copy takes over from the map that it resumes. */
#pragma once

#include <stdint.h>

#include "map/map.h"

/* map: new, of this plan; unit: bytes of the destination's sectors. -ENOMEM. */
int resume_map(struct map *map, const struct plan *plan, const struct map *from, uint32_t unit);
