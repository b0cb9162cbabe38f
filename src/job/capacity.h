/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is the destination as large as it claims? A stick that claims 2 TB but has 32 GB
 * accepts all writes and keeps the wrong ones. Sectors that contain their own address
 * are written to many places, then all are read back: a sector from another place
 * shows that addresses wrap, anything else that writes are lost.
 *
 * Wrapping hardware ignores upper bits of an address, so some of the places differ
 * only in such bits (the end of the plan, and where it would wrap to for every power
 * of two). A disk that ends a few sectors too soon begins again at its first ones, so
 * both ends are covered without a gap: one that is up to 2 MiB short is found whatever
 * the number of sectors is. All places are inside the plan and non-tried in the map, so
 * that the copy overwrites them anyway; none is in what was wiped before a copy that is
 * resumed.
 *
 * Pure data; pass_capacity.c sends the requests. One thread at a time, but
 * capacity_fill() and capacity_look() of different places may run concurrently.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "map/map.h"
#include "plan/plan.h"
#include "verify/marks.h"

/* What came back at a place. */
struct capacity_found {
	uint64_t at;    /* its first sector that is not what was written there, */
	uint64_t other; /* and the one that was found there; at: all are right */
};

struct capacity {
	struct marks marks;
	struct capacity_found *found; /* of each */
	uint64_t nonce;               /* tells our sectors from those of an earlier run */
};

enum capacity_verdict {
	CAPACITY_GOOD,    /* or too few places to tell */
	CAPACITY_SMALLER, /* than it claims */
	CAPACITY_FORGETS, /* loses sectors in between: not smaller, but broken */
};

/* chunk: the longest request. -ENOMEM. */
int capacity_init(struct capacity *capacity, const struct plan *plan, const struct map *map,
		  uint32_t chunk, uint64_t nonce);
void capacity_done(struct capacity *capacity);
/* Makes what is written to a mark, all of its bytes. */
void capacity_fill(const struct capacity *capacity, size_t i, void *buffer);
/* Takes in what was read there; places never looked at count as good. */
void capacity_look(struct capacity *capacity, size_t i, const void *buffer);
/* *retbytes: the approximate real size, or the first lost place. */
enum capacity_verdict capacity_judge(const struct capacity *capacity, uint64_t *retbytes);

/* Lane 0's while it runs, otherwise the coordinator's. */
struct probe {
	struct capacity capacity;
	size_t next;
};
