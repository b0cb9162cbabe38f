/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The histogram: exactness at its edges, percentiles, merging beside a writer. */
#include "unit.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "stats/latency.h"

TEST(every_value_is_known_to_three_percent)
{
	static struct latency h;

	for (unsigned shift = 0; shift < 41; shift++) {
		for (uint64_t add = 0; add < 3; add++) {
			uint64_t ns = (1ULL << shift) + add * ((1ULL << shift) / 3);

			memset(&h, 0, sizeof(h));
			latency_add(&h, ns);
			latency_add(&h, 1ULL << 41);

			uint64_t p = latency_percentile(&h, 0.5);

			ck_assert_uint_ge(p, ns);
			ck_assert_double_le((double)(p - ns), (double)ns / 32 + 0.5);
		}
	}
}

TEST(extremes_stay_inside)
{
	static struct latency h;

	latency_add(&h, 0);
	latency_add(&h, UINT64_MAX);
	ck_assert_uint_eq(h.buckets[0], 1);
	ck_assert_uint_eq(h.buckets[LATENCY_BUCKETS - 1], 1);
	ck_assert_uint_eq(latency_percentile(&h, 0.25), 0);
	ck_assert_uint_eq(latency_percentile(&h, 1.0), UINT64_MAX);
	ck_assert_uint_eq(h.max, UINT64_MAX);
}

TEST(nothing_is_known_of_nothing)
{
	static struct latency h;
	struct latency_summary s;

	latency_summarise(&h, &s);
	ck_assert_uint_eq(s.count, 0);
	ck_assert_uint_eq(s.max, 0);
	ck_assert_uint_eq(s.p999, 0);
}

TEST(percentiles_of_a_known_set)
{
	static struct latency h;
	struct latency_summary s;

	/* 1 ms … 1000 ms, each once. */
	for (uint64_t ms = 1; ms <= 1000; ms++)
		latency_add(&h, ms * 1000000);
	latency_summarise(&h, &s);
	ck_assert_uint_eq(s.count, 1000);
	ck_assert_uint_eq(s.max, 1000000000);
	ck_assert_uint_eq(s.mean, 500500000);
	ck_assert_double_eq_tol((double)s.p50, 500e6, 500e6 / 32);
	ck_assert_double_eq_tol((double)s.p90, 900e6, 900e6 / 32);
	ck_assert_double_eq_tol((double)s.p99, 990e6, 990e6 / 32);
	ck_assert_double_eq_tol((double)s.p999, 999e6, 999e6 / 32);

	double sum = 0;

	for (int i = 0; i < LATENCY_COARSE; i++)
		sum += s.coarse[i];
	ck_assert_double_eq_tol(sum, 1.0, 1e-9);
	ck_assert_double_eq_tol(s.coarse[LATENCY_COARSE - 1], 0.745, 0.01);
	ck_assert_double_eq_tol(s.coarse[5], 0.016, 0.004);
}

TEST(merging_adds)
{
	static struct latency a, b;

	for (int i = 0; i < 10; i++) {
		latency_add(&a, 100);
		latency_add(&b, 1000000);
	}
	latency_merge(&a, &b);
	ck_assert_uint_eq(a.count, 20);
	ck_assert_uint_eq(a.sum, 10 * 100 + 10 * 1000000);
	ck_assert_uint_eq(a.max, 1000000);
	ck_assert_uint_lt(latency_percentile(&a, 0.5), 110);
	ck_assert_uint_eq(latency_percentile(&a, 0.51), 1000000);
}

TEST(a_full_bucket_does_not_wrap)
{
	static struct latency a, b;

	a.buckets[5] = UINT32_MAX;
	latency_add(&a, 5);
	ck_assert_uint_eq(a.buckets[5], UINT32_MAX);
	b.buckets[5] = 7;
	latency_merge(&b, &a);
	ck_assert_uint_eq(b.buckets[5], UINT32_MAX);
}

static struct latency shared;

static void *writer(void *arg)
{
	for (uint64_t i = 0; i < 200000; i++)
		latency_add(&shared, i);
	return NULL;
}

TEST(what_came_between_two_states)
{
	static struct latency before, now, between;

	for (uint64_t i = 1; i <= 100; i++) {
		latency_add(&before, i * 1000000);
		latency_add(&now, i * 1000000);
	}
	latency_between(&before, &now, &between);
	ck_assert_uint_eq(between.count, 0);
	ck_assert_uint_eq(between.max, 0);
	for (int i = 0; i < 50; i++)
		latency_add(&now, 5000000);
	latency_between(&before, &now, &between);
	ck_assert_uint_eq(between.count, 50);
	ck_assert_double_eq_tol((double)between.max, 5e6, 5e6 / 32);
	ck_assert_double_eq_tol((double)latency_percentile(&between, 0.5), 5e6, 5e6 / 32);
	latency_add(&now, 3000000000);
	latency_between(&before, &now, &between);
	ck_assert_uint_eq(between.max, 3000000000);
}

TEST(a_reader_beside_the_writer_sees_whole_samples)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, writer, NULL), 0);
	for (int i = 0; i < 200; i++) {
		static struct latency copy;

		memset(&copy, 0, sizeof(copy));
		latency_merge(&copy, &shared);
		ck_assert_uint_le(copy.count, 200000);
		ck_assert_uint_le(latency_percentile(&copy, 0.999), 200000);
	}
	pthread_join(thread, NULL);

	static struct latency copy;

	latency_merge(&copy, &shared);
	ck_assert_uint_eq(copy.count, 200000);
	ck_assert_uint_eq(copy.max, 199999);
}
