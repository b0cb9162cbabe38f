/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a map, for map.c, map_save.c and map_load.c only. */
#ifndef CLONEDECK_COPY_MAP_BLOCKS_H
#define CLONEDECK_COPY_MAP_BLOCKS_H

#include "copy/map.h"

#define MAP_STATUSES 5

struct map {
	struct map_block *blocks; /* sorted; what lies between them is outside the domain */
	size_t count, capacity;
	uint64_t bytes[MAP_STATUSES]; /* kept up to date by every change */
	size_t areas[MAP_STATUSES];
	size_t damaged;    /* runs of adjacent blocks that are neither finished nor non-tried */
	struct plan *plan; /* a copy; NULL for a foreign map */
};

/* -1 for a letter that is no status. */
int map_status_index(int status);

struct map *map_alloc(void);
/* Adds a block behind all others; the caller has checked the order. -ENOMEM. */
int map_append(struct map *map, uint64_t start, uint64_t size, enum map_status status);

#endif
