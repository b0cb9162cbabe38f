/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency histogram after fio: groups of powers of two, each cut into 32 equal
 * buckets, so that any value is known to better than 1/32 (about 3 %), from
 * 1 ns to 2^41 ns (36 minutes; longer ones land in the last bucket, max is
 * exact). One writer adds with relaxed atomics; any thread may merge.
 */
#pragma once

#include <stdint.h>

#define LATENCY_SUB_BITS 5
#define LATENCY_GROUPS   36
#define LATENCY_BUCKETS  ((LATENCY_GROUPS + 1) << LATENCY_SUB_BITS)

struct latency {
	uint64_t count;
	uint64_t sum; /* ns */
	uint64_t max; /* ns, exact */
	uint32_t buckets[LATENCY_BUCKETS];
};

#define LATENCY_COARSE 10

/* All in nanoseconds; count 0 means that nothing is known and the rest is 0. */
struct latency_summary {
	uint64_t count, mean, p50, p90, p99, p999, max;
	/* Share of the samples (0..1) by power of two of milliseconds:
	 * <1, 1-2, 2-4, …, 128-256, >=256. */
	double coarse[LATENCY_COARSE];
};

void latency_add(struct latency *latency, uint64_t ns);
/* Adds what `from` holds to `into`; `from` may be written meanwhile. */
void latency_merge(struct latency *into, const struct latency *from);
/* What came between two states of one histogram. Its max is known as well as its percentiles. */
void latency_between(const struct latency *before, const struct latency *now, struct latency *ret);
/* Value below which `fraction` of the samples lie (upper edge of its bucket, at most max). */
uint64_t latency_percentile(const struct latency *latency, double fraction);
void latency_summarise(const struct latency *latency, struct latency_summary *ret);
