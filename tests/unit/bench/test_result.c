/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/result.h"

#include <math.h>

#include "bench/profile.h"
#include "unit.h"

TEST(a_figure_scatters)
{
	static const double rounds[] = { 3, 1, 10, 2 };
	struct bench_result result = { 0 }, copy;
	unsigned table = bench_result_table(&result, "t", "T");

	bench_result_column(&result, table, "c", "C");
	int row = bench_result_row(&result, "r", "R", -1);

	for (unsigned i = 0; i < 4; i++)
		bench_result_add(&result, (unsigned)row, 0, BENCH_RATE, rounds[i], NULL);
	bench_result_add(&result, (unsigned)row, 0, BENCH_RATE, NAN, NULL);
	ck_assert_int_eq(bench_result_copy(&result, &copy), 0);
	bench_result_done(&result);

	const struct bench_figure *figure = bench_result_find(&copy, 0, 0);

	ck_assert_uint_eq(figure->rounds, 4);
	ck_assert_double_eq(figure->median, 2.5);
	ck_assert_double_eq(figure->smallest, 1);
	ck_assert_double_eq(figure->largest, 10);
	ck_assert_ptr_null(bench_result_find(&copy, 0, 1));
	bench_result_done(&copy);
}

TEST(rows_and_figures_grow)
{
	struct bench_result result = { 0 }, copy;

	bench_result_table(&result, "t", "T");
	bench_result_column(&result, 0, "c", "C");
	for (unsigned i = 0; i < 200; i++) {
		ck_assert_int_eq(bench_result_row(&result, "r", "R", i), (int)i);
		ck_assert_int_eq(bench_result_add(&result, i, 0, BENCH_COUNT, i, NULL), 0);
	}
	ck_assert_int_eq(bench_result_copy(&result, &copy), 0);
	ck_assert_int_eq(bench_result_row(&copy, "r", "R", 0), 200);
	ck_assert_double_eq(bench_result_find(&copy, 150, 0)->median, 150);
	bench_result_done(&copy);
	bench_result_done(&result);
}

TEST(figures_in_words)
{
	char text[BENCH_TEXT_MAX];

	ck_assert_str_eq(bench_print(BENCH_RATE, 193.4e6, text), "193 MB/s");
	ck_assert_str_eq(bench_print(BENCH_SECONDS, 0.000412, text), "412 us");
	ck_assert_str_eq(bench_print(BENCH_SECONDS, 15.1, text), "15.1 s");
	ck_assert_str_eq(bench_print(BENCH_SECONDS, 0.9996, text), "1.00 s");
	ck_assert_str_eq(bench_print(BENCH_SECONDS, 0, text), "0 s");
	ck_assert_str_eq(bench_print(BENCH_SECONDS, 7384, text), "2:03:04");
	ck_assert_str_eq(bench_print(BENCH_PER_SECOND, 12345, text), "12.3 k/s");
	ck_assert_str_eq(bench_print(BENCH_SHARE, 0.42, text), "42 %");
	ck_assert_str_eq(bench_print(BENCH_CPU_PER_GIB, 0.0185, text), "18.5 ms/GiB");
	ck_assert_str_eq(bench_print(BENCH_BYTES, 65536, text), "64 KiB");
	ck_assert_str_eq(bench_print(BENCH_BYTES, 687104, text), "671 KiB");
	ck_assert_str_eq(bench_print(BENCH_BYTES, 512, text), "512 B");
}

TEST(the_whole_disk_from_its_places)
{
	/* Megabytes per second and blocks of 512 bytes of the text's disk, which took 506 s. */
	static const double his[] = { 100 / 10.42, 100 / 10.88, 100 / 13.12, 100 / 14.56,
				      100 / 16.02 };
	static const uint64_t blocks[] = { 0, 4000000, 7000000, 8000000, 8600000 };
	static const double rates[] = { 200, 0, 100 };
	static const uint64_t places[] = { 0, 500, 900 };

	/* The unknown place says nothing. */
	ck_assert_double_eq_tol(profile_whole(rates, places, 3, 1000), 450 / 200. + 550 / 100.,
				1e-9);
	ck_assert_double_eq(profile_whole(rates + 1, places + 1, 1, 1000), 0);
	ck_assert_double_eq_tol(profile_whole(his, blocks, 5, 8813870) / 2048, 506, 0.04 * 506);
}

TEST(a_weak_place_is_no_slow_zone)
{
	static const double rates[] = { 200, 190, 100, 0, 180, 100, 90 };

	ck_assert(profile_is_weak(rates, 7, 2));
	ck_assert(!profile_is_weak(rates, 7, 1));
	ck_assert(!profile_is_weak(rates, 7, 3));
	ck_assert(!profile_is_weak(rates, 7, 5));
	ck_assert(!profile_is_weak(rates, 7, 6));
}
