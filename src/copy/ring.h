/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reports of a lane to the coordinator: a lock-free ring with one writer (the lane)
 * and one reader (the coordinator). It never grows; a lane that finds it full keeps its
 * slot until there is room, which slows it down but loses nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "map/map.h"
#include "digest/digests.h"

#define RING_SIZE 256 /* a power of two */

enum report_kind {
	REPORT_MAP,     /* the map gets `status`; with MAP_BAD, the sectors are listed as bad */
	REPORT_REFUSED, /* the destination refused it; the map stays as it is */
	REPORT_PASS,    /* for collect() of the current pass */
};

/* Where two ends differ. */
struct difference {
	uint64_t source; /* bytes of the source's node, at a sector */
	uint32_t length; /* bytes of whole sectors; 0: there is none */
	uint32_t byte;   /* the first one that differs, counted from `source` */
	uint8_t at_source, at_destination;
};

struct lane_report {
	enum report_kind kind;
	uint64_t source; /* bytes of the source's node */
	uint32_t length;
	enum map_status status;
	int code; /* of a failure */
	struct sense sense;
	bool filled;         /* with MAP_BAD: the destination has been filled there */
	bool at_destination; /* with REPORT_PASS: which end failed */
	/* With REPORT_MAP: digests of what was read from the source; with REPORT_PASS: the pass's.
	 */
	uint8_t part_count, again_count;
	struct digest_part parts[DIGEST_PARTS_MAX], again[DIGEST_PARTS_MAX];
	struct difference difference;
};

struct ring {
	_Alignas(64) uint32_t head; /* written by the lane */
	_Alignas(64) uint32_t tail; /* written by the coordinator */
	struct lane_report items[RING_SIZE];
};

static inline bool ring_push(struct ring *ring, const struct lane_report *report)
{
	uint32_t head = ring->head;

	if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) == RING_SIZE)
		return false;
	ring->items[head % RING_SIZE] = *report;
	__atomic_store_n(&ring->head, head + 1, __ATOMIC_RELEASE);
	return true;
}

static inline bool ring_half_full(const struct ring *ring)
{
	return ring->head - __atomic_load_n(&ring->tail, __ATOMIC_RELAXED) >= RING_SIZE / 2;
}

/* The oldest report, without removing it; NULL when the ring is empty. */
static inline const struct lane_report *ring_peek(const struct ring *ring)
{
	uint32_t tail = ring->tail;

	if (tail == __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE))
		return NULL;
	return &ring->items[tail % RING_SIZE];
}

static inline void ring_pop(struct ring *ring)
{
	__atomic_store_n(&ring->tail, ring->tail + 1, __ATOMIC_RELEASE);
}
