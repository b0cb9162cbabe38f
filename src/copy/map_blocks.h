/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a map, for map.c, map_save.c and map_load.c only. */
#ifndef CLONEDECK_COPY_MAP_BLOCKS_H
#define CLONEDECK_COPY_MAP_BLOCKS_H

#include "copy/map.h"

#define MAP_STATUSES 5

/*
 * The array has one gap, where it was changed last: most changes are near the one before, and maps
 * of very many blocks need not be moved for each. map_block() knows where it is.
 */
struct map {
	struct map_block *blocks;     /* sorted; what lies between them is outside the domain */
	size_t count, capacity;       /* the rest of it is the gap */
	size_t gap;                   /* so many blocks lie before it */
	uint64_t bytes[MAP_STATUSES]; /* kept up to date by every change */
	size_t areas[MAP_STATUSES];
	size_t damaged;    /* runs of adjacent blocks that are neither finished nor non-tried */
	struct plan *plan; /* a copy; NULL for a foreign map */
};

static inline struct map_block *map_block(const struct map *map, size_t i)
{
	return &map->blocks[i < map->gap ? i : i + (map->capacity - map->count)];
}

struct map *map_alloc(void);
/* Adds a block behind all others; the caller has checked the order. -ENOMEM. */
int map_append(struct map *map, uint64_t start, uint64_t size, enum map_status status);

#endif
