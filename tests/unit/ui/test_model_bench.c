/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 6 as data. */
#include "unit.h"

#include <math.h>
#include <string.h>

#include "line_test.h"
#include "ui/bench/model.h"

static struct bench_result result;
static const struct bench_how how = { "uring", 4096, 1, BENCH_DIRECT };

/* Two tables; the second row of the first is not measured. */
static void setup(void)
{
	unsigned first = bench_result_table(&result, "first", "First");

	for (unsigned i = 0; i < 8; i++)
		bench_result_column(&result, first, "c", "a long heading");
	bench_result_row(&result, "a", "row a", 0);
	bench_result_row(&result, "b", "row b", 1);
	bench_result_row(&result, "c", "row c", 2);
	bench_result_column(&result, bench_result_table(&result, "second", "Second"), "d", "d");
	bench_result_row(&result, "x", "row x", 0);
	bench_result_add(&result, 0, 0, BENCH_RATE, 100e6, &how);
	bench_result_add(&result, 2, 0, BENCH_RATE, 50e6, &how);
	bench_result_add(&result, 3, 0, BENCH_RATE, 999e6, &how);
}

static void teardown(void)
{
	bench_result_done(&result);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(rows_are_those_of_the_table)
{
	ck_assert_int_eq(bench_row_at(&result, 0, 2), 2);
	ck_assert_int_eq(bench_row_at(&result, 0, 3), -1);
	ck_assert_int_eq(bench_row_at(&result, 0, -1), -1);
	ck_assert_int_eq(bench_row_at(&result, 1, 0), 3);
	ck_assert_int_eq(bench_row_at(&result, 1, 1), -1);
}

TEST(unknown_is_no_zero)
{
	float samples[6];
	struct bench_fit fit;
	struct line line;

	ck_assert_float_eq(bench_chart(&result, 0, 0, BENCH_RATE, samples, 6), 100e6F);
	ck_assert_float_eq(samples[0], 100e6F);
	ck_assert_float_eq(samples[1], 100e6F);
	ck_assert(isnan(samples[2]) && isnan(samples[3]));
	ck_assert_float_eq(samples[5], 50e6F);
	line_start(&line, 60);
	bench_fit(&result, 0, 0, 60, &fit);
	bench_text_row(&result, &fit, 1, &line);
	ck_assert(strstr(line.text, "row b") && strstr(line.text, " -") && !strchr(line.text, '0'));
}

TEST(a_chart_shows_one_unit)
{
	float samples[3];

	bench_result_add(&result, 1, 0, BENCH_SECONDS, 7e9, &how);
	ck_assert_int_eq(bench_unit_at(&result, 0, 0, 1), BENCH_SECONDS);
	ck_assert_int_eq(bench_unit_at(&result, 0, 0, 2), BENCH_RATE);
	/* Nothing there yet, and nothing in all of the column. */
	ck_assert_int_eq(bench_unit_at(&result, 0, 0, 3), BENCH_RATE);
	ck_assert_int_eq(bench_unit_at(&result, 0, 5, 0), BENCH_UNIT_COUNT);
	ck_assert_float_eq(bench_chart(&result, 0, 0, BENCH_RATE, samples, 3), 100e6F);
	ck_assert(isnan(samples[1]) && !isnan(samples[2]));
}

TEST(no_row_is_wider_than_its_screen)
{
	for (int cols = 1; cols < 200; cols++)
		for (int row = -1; row < 4; row++) {
			struct bench_fit fit;
			struct line line;

			line_start(&line, cols);
			bench_fit(&result, 0, 3, cols, &fit);
			bench_text_row(&result, &fit, row, &line);
			ck_assert_int_le(line.columns, cols);
		}
}

TEST(the_chosen_column_is_shown_and_that_there_are_more)
{
	for (unsigned chosen = 0; chosen < 8; chosen++) {
		struct bench_fit fit;
		struct line line;

		bench_fit(&result, 0, chosen, 79, &fit);
		ck_assert_uint_le(fit.first, chosen);
		ck_assert_uint_gt(fit.past, chosen);
		line_start(&line, 79);
		bench_text_row(&result, &fit, -1, &line);
		ck_assert_ptr_nonnull(strchr(line.text, '['));
		ck_assert_int_eq(strchr(line.text, '<') != NULL, fit.first > 0);
		ck_assert_int_eq(strchr(line.text, '>') != NULL, fit.past < 8);
		ck_assert_int_eq(line.text[strlen(line.text) - 1] == '>', fit.past < 8);
	}
}

/* Those of rbuf on 80 columns. */
TEST(narrow_columns_leave_room_for_others)
{
	static const char *const headings[] = { "no copy", "CPU", "mmap",     "CPU",
						"direct",  "CPU", "indirect", "CPU" };
	struct bench_fit fit;
	struct line line;

	for (unsigned i = 0; i < 8; i++) {
		strcpy(result.tables[0].columns[i].heading, headings[i]);
		for (unsigned row = i ? 0 : 1; row < 3; row++)
			bench_result_add(&result, row, i, i % 2 ? BENCH_SHARE : BENCH_SECONDS,
					 i % 2 ? 0.41 : 0.163, &how);
	}
	result.figures[0].unit = result.figures[1].unit = BENCH_SECONDS;
	for (int row = -1; row < 3; row++) {
		bench_fit(&result, 0, 6, 79, &fit);
		ck_assert_uint_eq(fit.past - fit.first, 8);
		line_start(&line, 79);
		bench_text_row(&result, &fit, row, &line);
		ck_assert_msg(row >= 0 || strstr(line.text, " no copy   CPU "), "%s", line.text);
		ck_assert_msg(row >= 0 || strstr(line.text, "[indirect]"), "%s", line.text);
	}
}

TEST(state_says_how_it_ended)
{
	static const char *const words[] = { "41 %", "complete", "could not be read", "stopped",
					     "gone" };
	struct bench_progress progress = { .done = 0.415, .eta = -1, .what = "place 3" };

	strcpy(result.error.sentence, "It is gone.");
	for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
		struct line line;

		result.end = (enum bench_end)i;
		line_start(&line, 79);
		bench_text_state(&result, &progress, &line);
		ck_assert_msg(strstr(line.text, words[i]) != NULL, "%s", line.text);
		ck_assert_ptr_null(strstr(line.text, "left"));
	}
}

TEST(a_disk_that_does_not_answer_is_told)
{
	struct bench_progress progress = { .eta = -1, .what = "place 3" };
	struct line line;

	line_lacks(79, bench_text_state(&result, &progress, &line), "no answer");
	progress.silent_ns = 8000000000;
	line_has(79, bench_text_state(&result, &progress, &line), "no answer for 8 s");
}

TEST(headings_are_whole_where_there_is_room)
{
	struct bench_fit fit;
	struct line line;

	strcpy(result.tables[1].columns[0].heading, "slowest of 100");
	bench_fit(&result, 1, 0, 60, &fit);
	line_start(&line, 60);
	bench_text_row(&result, &fit, -1, &line);
	ck_assert_msg(strstr(line.text, " [slowest of 100]") != NULL, "%s", line.text);
	/* The number stays below it. */
	int columns = line.columns;

	line_start(&line, 60);
	bench_text_row(&result, &fit, 3, &line);
	ck_assert_int_eq(line.columns, columns);
}
