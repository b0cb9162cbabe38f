/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency of reads by where on the disk they were, in cells of equal size: a
 * place that is slow though nothing failed there is often the next to fail.
 * Memory is fixed. Any thread may add; any other may look meanwhile.
 *
 * A request that waits behind others takes longer by no fault of its place. So
 * what the disk needed for it counts, too: the time since the one before was done
 * (or, later than that, since it was sent). A place is called slow only where both
 * say so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ZONES_MAX 256
/* Four to each doubling, from 16 us to 275 s; the first and the last take what is outside. */
#define ZONES_BUCKETS 96

struct zone {
	uint64_t max;    /* ns */
	uint64_t bytes;  /* read */
	uint64_t needed; /* ns, for them */
	uint32_t buckets[ZONES_BUCKETS];
};

struct zones {
	uint64_t first, end, cell; /* bytes: the whole, and the size of one */
	unsigned count;
	uint64_t done; /* monotonic ns: the last completion */
	struct zone cells[ZONES_MAX];
};

/* What can be shown of them; all in microseconds, 0: nothing was read there. */
struct zone_latency {
	uint32_t median; /* to about a tenth */
	uint32_t max;
};

/* Places in a row. */
struct slow_zone {
	bool known; /* enough was read to compare; else the rest is zero */
	/* Slow enough to doubt the disk: several times the rest, and longer than any sound disk
	 * takes. Not weak: just the slowest cell. */
	bool weak;
	uint64_t first, bytes; /* of the source */
	uint64_t median, max;  /* ns */
	uint64_t rest;         /* median of all that was read elsewhere, ns */
	double factor;         /* how many times the rest, waiting behind others not counted */
};

struct zones_shown {
	uint64_t first, cell; /* bytes */
	unsigned count;       /* 0: nothing was read */
	struct zone_latency cells[ZONES_MAX];
	struct slow_zone slowest;
};

/* From byte `first` to `end`, in cells of at least `least` bytes. *zones is zeroed. */
void zones_init(struct zones *zones, uint64_t first, uint64_t end, uint32_t least);
/* A request is done (monotonic ns): what the disk needed for it. Of all requests to the source, in
 * any order; also of those that do not count. */
uint64_t zones_needed(struct zones *zones, uint64_t submitted, uint64_t completed);
/* A good read from byte `offset` on took `ns`, of which the disk needed so much for it. */
void zones_add(struct zones *zones, uint64_t offset, uint32_t length, uint64_t ns, uint64_t needed);
void zones_show(const struct zones *zones, struct zones_shown *ret);
/* The shortest median, at least 1, and the longest read, in microseconds; 0: nothing was read. */
void zones_span(const struct zones_shown *zones, uint32_t *retleast, uint32_t *retmost);
