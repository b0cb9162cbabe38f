/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/zones.h"

#define NS_PER_US 1000ull
#define SUB_BITS  2
#define FIRST_BIT 14 /* 16 us */
/* Zones of a sound spinning disk differ by two or three; flash that was never written answers
 * faster than any that was, but then both are fast. */
#define WEAK_FACTOR 4.0
#define WEAK_NS     50000000 /* 50 ms */
#define CELLS_LEAST 8        /* with fewer, what is usual is not known */
#define READS_LEAST 3        /* one or two may have met something else that read */

static unsigned bucket_of(uint64_t ns)
{
	unsigned top, bucket;

	if (ns < 1ULL << FIRST_BIT)
		return 0;
	top = 63u - (unsigned)__builtin_clzll(ns);
	bucket = ((top - FIRST_BIT) << SUB_BITS) |
		 ((ns >> (top - SUB_BITS)) & ((1u << SUB_BITS) - 1));
	return bucket < ZONES_BUCKETS ? bucket : ZONES_BUCKETS - 1;
}

static uint64_t bucket_middle(unsigned bucket)
{
	unsigned top = FIRST_BIT + (bucket >> SUB_BITS);
	uint64_t sub = bucket & ((1u << SUB_BITS) - 1), step = 1ULL << (top - SUB_BITS);

	return (1ULL << top) + sub * step + step / 2;
}

void zones_init(struct zones *zones, uint64_t first, uint64_t end, uint32_t least)
{
	uint64_t cell = (end - first) / ZONES_MAX + 1;

	if (end <= first || !least)
		return;
	zones->first = first;
	zones->end = end;
	zones->cell = (cell + least - 1) / least * least;
	zones->count = (unsigned)((end - first + zones->cell - 1) / zones->cell);
}

/* Returns what it was. */
static uint64_t raise(uint64_t *most, uint64_t value)
{
	uint64_t was = __atomic_load_n(most, __ATOMIC_RELAXED);

	while (value > was && !__atomic_compare_exchange_n(most, &was, value, true,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return was;
}

uint64_t zones_needed(struct zones *zones, uint64_t submitted, uint64_t completed)
{
	uint64_t before = raise(&zones->done, completed);
	uint64_t since = before > submitted ? before : submitted;

	return completed > since ? completed - since : 0;
}

void zones_add(struct zones *zones, uint64_t offset, uint32_t length, uint64_t ns, uint64_t needed)
{
	struct zone *zone;

	if (!zones->count || offset < zones->first ||
	    (offset - zones->first) / zones->cell >= zones->count)
		return;
	zone = &zones->cells[(offset - zones->first) / zones->cell];
	__atomic_add_fetch(&zone->buckets[bucket_of(ns)], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&zone->bytes, length, __ATOMIC_RELAXED);
	__atomic_add_fetch(&zone->needed, needed, __ATOMIC_RELAXED);
	raise(&zone->max, ns);
}

/* ---- what it says ---- */

static void merge(struct zone *into, const struct zone *from)
{
	uint64_t max = __atomic_load_n(&from->max, __ATOMIC_RELAXED);

	for (unsigned i = 0; i < ZONES_BUCKETS; i++)
		into->buckets[i] += __atomic_load_n(&from->buckets[i], __ATOMIC_RELAXED);
	into->bytes += __atomic_load_n(&from->bytes, __ATOMIC_RELAXED);
	into->needed += __atomic_load_n(&from->needed, __ATOMIC_RELAXED);
	into->max = max > into->max ? max : into->max;
}

static uint64_t reads(const struct zone *zone)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < ZONES_BUCKETS; i++)
		count += zone->buckets[i];
	return count;
}

/* 0: nothing was read there. */
static uint64_t median(const struct zone *zone)
{
	uint64_t half = (reads(zone) + 1) / 2, seen = 0, middle;

	for (unsigned i = 0; half && i < ZONES_BUCKETS; i++) {
		seen += zone->buckets[i];
		if (seen < half)
			continue;
		/* The last bucket has no upper edge. */
		middle = bucket_middle(i);
		return middle > zone->max || i == ZONES_BUCKETS - 1 ? zone->max : middle;
	}
	return 0;
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static double times_needed(const struct zone *zone, const struct zone *rest)
{
	double usual = ratio(rest->needed, rest->bytes);

	return usual > 0 ? ratio(zone->needed, zone->bytes) / usual : 0;
}

/* How many times the rest, as the more careful of both measures has it; 0: unknown. */
static double factor(const struct zone *zone, const struct zone *rest)
{
	double by_latency = ratio(median(zone), median(rest));
	double by_need = times_needed(zone, rest);

	return by_latency < by_need ? by_latency : by_need;
}

/* Marks the cells whose reads took too long; the others are the rest. Their number. */
static unsigned find_slow(const struct zones *zones, const struct zones_shown *shown, bool *slow,
			  struct zone *rest)
{
	struct zone all = { 0 };
	uint64_t usual;
	unsigned count = 0;

	for (unsigned i = 0; i < zones->count; i++)
		merge(&all, &zones->cells[i]);
	usual = median(&all);
	*rest = (struct zone){ 0 };
	for (unsigned i = 0; i < zones->count; i++) {
		uint64_t mine = NS_PER_US * shown->cells[i].median;

		slow[i] = mine >= WEAK_NS && (double)mine >= WEAK_FACTOR * (double)usual;
		count += slow[i];
		if (!slow[i])
			merge(rest, &zones->cells[i]);
	}
	return count;
}

/* The end of the slow cells from this one on; what was not read between them belongs to them. */
static unsigned run_end(const struct zones_shown *shown, const bool *slow, unsigned first)
{
	unsigned end = first + 1;

	for (unsigned i = end; i < shown->count; i++) {
		if (slow[i])
			end = i + 1;
		else if (shown->cells[i].max)
			break;
	}
	return end;
}

/* Moves the ends of a run past cells whose reads only waited behind those of the others. */
static void trim(const struct zones *zones, const struct zone *rest, unsigned *first, unsigned *end)
{
	for (; *end - *first > 1; ++*first) {
		struct zone cell = { 0 };

		merge(&cell, &zones->cells[*first]);
		if (times_needed(&cell, rest) >= WEAK_FACTOR)
			break;
	}
	for (; *end - *first > 1; --*end) {
		struct zone cell = { 0 };

		merge(&cell, &zones->cells[*end - 1]);
		if (times_needed(&cell, rest) >= WEAK_FACTOR)
			break;
	}
}

/* Is this run the slowest so far? */
static void weigh(const struct zones *zones, unsigned first, unsigned end, bool slow,
		  const struct zone *rest, struct slow_zone *ret)
{
	struct zone all = { 0 };
	uint64_t from, to;
	double times;

	trim(zones, rest, &first, &end);
	from = zones->first + first * zones->cell;
	to = zones->first + end * zones->cell;
	for (unsigned i = first; i < end; i++)
		merge(&all, &zones->cells[i]);
	times = factor(&all, rest);
	if (times <= ret->factor)
		return;
	*ret = (struct slow_zone){
		.known = true,
		.weak = slow && times >= WEAK_FACTOR && reads(&all) >= READS_LEAST,
		.first = from,
		.bytes = (to < zones->end ? to : zones->end) - from,
		.median = median(&all),
		.max = all.max,
		.rest = median(rest),
		.factor = times,
	};
}

static void find_slowest(const struct zones *zones, struct zones_shown *ret)
{
	bool slow[ZONES_MAX] = { false };
	struct zone rest;
	unsigned any = find_slow(zones, ret, slow, &rest), end;

	for (unsigned i = 0; i < zones->count; i = end) {
		end = slow[i] ? run_end(ret, slow, i) : i + 1;
		if (slow[i] || !any)
			weigh(zones, i, end, slow[i], &rest, &ret->slowest);
	}
}

static uint32_t microseconds(uint64_t ns)
{
	uint64_t us = ns / NS_PER_US + (ns % NS_PER_US != 0);

	return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

void zones_show(const struct zones *zones, struct zones_shown *ret)
{
	unsigned known = 0;

	*ret = (struct zones_shown){ .first = zones->first, .cell = zones->cell };
	for (unsigned i = 0; i < zones->count; i++) {
		struct zone zone = { 0 };

		merge(&zone, &zones->cells[i]);
		ret->cells[i].median = microseconds(median(&zone));
		ret->cells[i].max = microseconds(zone.max);
		known += zone.max > 0;
	}
	ret->count = known ? zones->count : 0;
	if (known >= CELLS_LEAST)
		find_slowest(zones, ret);
}

void zones_span(const struct zones_shown *zones, uint32_t *retleast, uint32_t *retmost)
{
	uint32_t least = UINT32_MAX, most = 0;

	for (unsigned i = 0; i < zones->count; i++) {
		const struct zone_latency *cell = &zones->cells[i];

		least = cell->max && cell->median < least ? cell->median : least;
		most = cell->max > most ? cell->max : most;
	}
	*retleast = least ? least : 1;
	*retmost = most;
}
