/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is the destination as large as it says? A stick that claims 2 TB and has 32 GB
 * takes all writes and keeps the wrong ones. Blocks that tell where they belong
 * are written at spread places, all of them, then read back: a block of another
 * place shows that addresses wrap, a block of nobody that writes are lost.
 *
 * Wrapping hardware ignores upper bits of an address, so places that only such
 * bits tell apart are among those asked (the end of the plan, and where it would
 * fall for every power of two). Places are inside the plan and not tried yet in
 * the map: what the copy overwrites anyway.
 *
 * Pure data; who does the requests is pass_probe.c. One thread at a time, but
 * capacity_fill() and capacity_look() of different places may run at once.
 */
#ifndef CLONEDECK_COPY_CAPACITY_H
#define CLONEDECK_COPY_CAPACITY_H

#include <stddef.h>
#include <stdint.h>

#include "copy/map.h"
#include "copy/work.h"
#include "plan/plan.h"

struct capacity {
	struct piece *places; /* ascending on the destination, one block each */
	uint64_t *found;      /* the place whose block was read there */
	size_t count;
	uint64_t nonce; /* what lies there from another time is not taken for ours */
};

enum capacity_verdict {
	CAPACITY_GOOD,    /* or not enough places to tell */
	CAPACITY_SMALLER, /* than it says */
	CAPACITY_FORGETS, /* something is lost in between: not smaller, but broken */
};

/* -ENOMEM. */
int capacity_init(struct capacity *capacity, const struct plan *plan, const struct map *map,
		  uint64_t nonce);
void capacity_done(struct capacity *capacity);
/* The block of a place, places[i].length bytes. */
void capacity_fill(const struct capacity *capacity, size_t i, void *buffer);
/* What was read there; places never looked at count as good. */
void capacity_look(struct capacity *capacity, size_t i, const void *buffer);
/* *retbytes: about how much there really is, or where the first loss is. */
enum capacity_verdict capacity_judge(const struct capacity *capacity, uint64_t *retbytes);

#endif
