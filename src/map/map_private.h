/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a map, for map.c and map_file.c only. */
#pragma once

#include "map/map.h"

#define MAP_STATUSES 5

/*
 * A gap buffer: the array has one gap, at the last change. Most changes are close to the previous
 * one, so large maps need not be moved each time. Use map_block() for access.
 */
struct map {
	struct map_block *blocks;     /* sorted; anything between them is outside the domain */
	size_t count, capacity;       /* the difference is the gap */
	size_t gap;                   /* number of blocks before it */
	uint64_t bytes[MAP_STATUSES]; /* updated by every change */
	size_t areas[MAP_STATUSES];
	size_t damaged;    /* runs of adjacent blocks that are neither finished nor non-tried */
	struct plan *plan; /* a copy; NULL for a foreign map */
	struct map_held held;
};

static inline struct map_block *map_block(const struct map *map, size_t i)
{
	return &map->blocks[i < map->gap ? i : i + (map->capacity - map->count)];
}

struct map *map_alloc(void);
/* Appends a block; the caller has checked the order. -ENOMEM. */
int map_append(struct map *map, uint64_t start, uint64_t size, enum map_status status);
