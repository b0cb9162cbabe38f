/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/latency.h"

#define SUB_COUNT (1u << LATENCY_SUB_BITS)

static unsigned bucket_of(uint64_t ns)
{
	if (ns < SUB_COUNT)
		return (unsigned)ns;

	unsigned top = 63u - (unsigned)__builtin_clzll(ns);
	unsigned group = top - LATENCY_SUB_BITS + 1;

	if (group > LATENCY_GROUPS)
		return LATENCY_BUCKETS - 1;
	return (group << LATENCY_SUB_BITS) | ((ns >> (top - LATENCY_SUB_BITS)) & (SUB_COUNT - 1));
}

static uint64_t bucket_low(unsigned bucket)
{
	unsigned group = bucket >> LATENCY_SUB_BITS;
	uint64_t sub = bucket & (SUB_COUNT - 1);

	return group == 0 ? sub : (SUB_COUNT + sub) << (group - 1);
}

/* The largest value that falls into the bucket. */
static uint64_t bucket_high(unsigned bucket)
{
	unsigned group = bucket >> LATENCY_SUB_BITS;

	return bucket_low(bucket) + (group == 0 ? 0 : (1ULL << (group - 1)) - 1);
}

/* There is one writer, so a plain load and an atomic store make an increment
 * without a locked instruction; readers only must not see torn values. */
void latency_add(struct latency *latency, uint64_t ns)
{
	uint32_t *bucket = &latency->buckets[bucket_of(ns)];

	if (*bucket != UINT32_MAX)
		__atomic_store_n(bucket, *bucket + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&latency->sum, latency->sum + ns, __ATOMIC_RELAXED);
	if (ns > latency->max)
		__atomic_store_n(&latency->max, ns, __ATOMIC_RELAXED);
	__atomic_store_n(&latency->count, latency->count + 1, __ATOMIC_RELAXED);
}

void latency_merge(struct latency *into, const struct latency *from)
{
	uint64_t max = __atomic_load_n(&from->max, __ATOMIC_RELAXED);

	/* The count is taken from the buckets: what a percentile walks over and what
	 * it is a share of must be the same samples, whatever the writer does now. */
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		uint32_t n = __atomic_load_n(&from->buckets[i], __ATOMIC_RELAXED);

		if (__builtin_add_overflow(into->buckets[i], n, &into->buckets[i]))
			into->buckets[i] = UINT32_MAX;
		into->count += n;
	}
	into->sum += __atomic_load_n(&from->sum, __ATOMIC_RELAXED);
	if (max > into->max)
		into->max = max;
}

void latency_between(const struct latency *before, const struct latency *now, struct latency *ret)
{
	*ret = (struct latency){ .sum = now->sum - before->sum };
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		uint32_t n = now->buckets[i] - before->buckets[i];

		ret->buckets[i] = n;
		ret->count += n;
		if (n)
			ret->max = i == LATENCY_BUCKETS - 1 || bucket_high(i) > now->max
					   ? now->max
					   : bucket_high(i);
	}
}

uint64_t latency_percentile(const struct latency *latency, double fraction)
{
	uint64_t total = 0, seen = 0;

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
		total += latency->buckets[i];
	if (total == 0)
		return 0;

	double wanted = fraction * (double)total;

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		seen += latency->buckets[i];
		if (latency->buckets[i] == 0 || (double)seen < wanted)
			continue;
		/* The last bucket has no upper edge. */
		if (i == LATENCY_BUCKETS - 1 || bucket_high(i) > latency->max)
			return latency->max;
		return bucket_high(i);
	}
	return latency->max;
}

static unsigned coarse_of(uint64_t ns)
{
	unsigned i = 0;

	for (uint64_t edge = 1000000; i < LATENCY_COARSE - 1 && ns >= edge; edge *= 2)
		i++;
	return i;
}

void latency_summarise(const struct latency *latency, struct latency_summary *ret)
{
	*ret = (struct latency_summary){ 0 };
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		if (latency->buckets[i] == 0)
			continue;
		uint64_t middle = bucket_low(i) + (bucket_high(i) - bucket_low(i)) / 2;

		ret->coarse[coarse_of(middle)] += latency->buckets[i];
		ret->count += latency->buckets[i];
	}
	if (ret->count == 0)
		return;

	for (unsigned i = 0; i < LATENCY_COARSE; i++)
		ret->coarse[i] /= (double)ret->count;
	ret->mean = latency->sum / ret->count;
	ret->p50 = latency_percentile(latency, 0.5);
	ret->p90 = latency_percentile(latency, 0.9);
	ret->p99 = latency_percentile(latency, 0.99);
	ret->p999 = latency_percentile(latency, 0.999);
	ret->max = latency->max;
}
