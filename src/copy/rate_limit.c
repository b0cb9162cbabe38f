/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rate limit. */
#include "copy/rate_limit.h"

#include "base/clock.h"

#define BURST (NSEC_PER_SEC / 10)

void rate_limit_set(struct rate_limit *limit, uint64_t rate, uint64_t now)
{
	/* Waiting time that the old rate has added up must not delay the new one. */
	__atomic_store_n(&limit->next, now, __ATOMIC_RELAXED);
	__atomic_store_n(&limit->rate, rate, __ATOMIC_RELAXED);
}

uint64_t rate_limit_get(const struct rate_limit *limit)
{
	return __atomic_load_n(&limit->rate, __ATOMIC_RELAXED);
}

bool rate_limit_take(struct rate_limit *limit, uint32_t bytes, uint64_t now, uint64_t *retwait)
{
	uint64_t rate = rate_limit_get(limit);
	uint64_t next = __atomic_load_n(&limit->next, __ATOMIC_RELAXED);
	uint64_t later;

	if (rate == 0)
		return true;

	uint64_t cost = bytes * NSEC_PER_SEC / rate; /* at most 2^62 */

	do {
		if (next > now) {
			*retwait = next - now;
			return false;
		}

		uint64_t base = now - next > BURST ? now - BURST : next;

		later = base + cost;
	} while (!__atomic_compare_exchange_n(&limit->next, &next, later, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return true;
}
