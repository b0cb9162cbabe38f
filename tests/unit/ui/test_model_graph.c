/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The graph of screen 4: its samples, and the words around it. */
#include "unit.h"

#include <string.h>

#include "line_test.h"
#include "base/clock.h"
#include "ui/run/model.h"

static struct rates rates;

static void setup(void)
{
	memset(&rates, 0, sizeof(rates));
}

UNIT_CASE(.setup = setup);

/* Samples are whole steps, in order, and stay the same while the next step fills. */
TEST(test_graph)
{
	static struct run_graph now, later;

	run_graph_make(&rates, RUN_SPAN_NOW, 64, &now);
	ck_assert_int_eq(now.count, 0);
	/* Less than one step of the last minutes is shown, too. */
	rates.history[0].write = 4e6F;
	rates.history[1].write = 8e6F;
	rates.seconds = 2;
	run_graph_make(&rates, RUN_SPAN_MINUTES, 60, &now);
	ck_assert_int_eq(now.count, 1);
	ck_assert_float_eq_tol(now.samples[1][0], 6, 0.01F);
	rates.seconds = 0;
	for (unsigned i = 0; i < 1234; i++) {
		rates.history[i % RATES_HISTORY].write = (float)i * 1e6F;
		rates.seconds++;
	}
	run_graph_make(&rates, RUN_SPAN_NOW, 64, &now);
	ck_assert_int_eq(now.count, 64);
	ck_assert_float_eq_tol(now.samples[1][63], 1233, 0.01F);
	ck_assert_float_eq_tol(now.samples[1][0], 1233 - 63, 0.01F);
	ck_assert_float_eq_tol(now.least[1], 1233 - 63, 0.01F);
	ck_assert_float_eq_tol(now.most[1], 1233, 0.01F);
	ck_assert_float_eq_tol(now.mean[1], 1233 - 31.5F, 0.05F);
	run_graph_make(&rates, RUN_SPAN_MINUTES, 60, &now);
	ck_assert_uint_eq(now.step, 10);
	ck_assert_int_eq(now.count, 59);
	ck_assert_float_eq_tol(now.samples[1][58], 1224.5F, 0.01F);
	rates.history[rates.seconds++ % RATES_HISTORY].write = 1234e6F;
	run_graph_make(&rates, RUN_SPAN_MINUTES, 60, &later);
	ck_assert_float_eq_tol(later.samples[1][58], now.samples[1][58], 0.01F);
	for (int max = -1; max < 700; max += 13)
		for (int span = 0; span < RUN_SPANS; span++) {
			run_graph_make(&rates, (enum run_span)span, max, &now);
			ck_assert_int_le(now.count, max > 0 ? max : 0);
		}
}

/* From the first second to the last, however long it takes. */
TEST(test_graph_since_start)
{
	static struct run_graph graph;
	uint64_t written = 0;

	rates_start(&rates, 0, UINT64_C(1) << 50, 0);
	for (uint64_t second = 1; second <= 10000; second++) {
		written += second <= 5000 ? 200000000 : 100000000;
		rates_update(&rates, second * NSEC_PER_SEC, written, written, false);
		if (second != 100)
			continue;
		run_graph_make(&rates, RUN_SPAN_ALL, 40, &graph);
		ck_assert_uint_eq(graph.step, 3);
		ck_assert_int_eq(graph.count, 33);
	}
	run_graph_make(&rates, RUN_SPAN_ALL, 40, &graph);
	ck_assert_int_ge(graph.count, 30);
	ck_assert_uint_ge(graph.step * (unsigned)graph.count, 9000);
	ck_assert_float_eq_tol(graph.samples[1][0], 200, 0.5F);
	ck_assert_float_eq_tol(graph.samples[1][graph.count - 1], 100, 0.5F);
}

TEST(test_graph_words)
{
	static struct run_graph graph = {
		.count = 1,
		.least = { 96, 94 },
		.mean = { 170, 168 },
		.most = { 181, 179 },
	};
	static const struct {
		int cols;
		bool write;
		const char *wanted;
	} rows[] = {
		{ 80, true, " read 96-181, average 170  write 94-179, average 168" },
		{ 40, true, " read 96-181  write 94-179" },
		{ 24, true, " r 96-181  w 94-179" },
		{ 80, false, " read 96-181, average 170" },
	};
	char ago[UNITS_TEXT_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct line line;

		line_is(rows[i].cols, run_text_graph(&graph, rows[i].write, &line), rows[i].wanted);
	}
	ck_assert_str_eq(run_text_ago(94, ago, sizeof(ago)), "-1:34");
	ck_assert_str_eq(run_text_ago(7500, ago, sizeof(ago)), "-2h05");
}

/* A number that is cut looks like another one. */
TEST(test_scale)
{
	char text[16];

	ck_assert_str_eq(run_text_scale(15, text, sizeof(text)), "15");
	ck_assert_str_eq(run_text_scale(1500, text, sizeof(text)), "1500");
	ck_assert_str_eq(run_text_scale(9999.4, text, sizeof(text)), "9999");
	ck_assert_str_eq(run_text_scale(9999.5, text, sizeof(text)), "10k");
	ck_assert_str_eq(run_text_scale(20000, text, sizeof(text)), "20k");
}
