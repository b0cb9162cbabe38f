/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rig.h"

#include <errno.h>
#include <string.h>

struct bench_run run;
struct bench_options options;
struct bench_result result;
unsigned bad_places, stops_after;
static unsigned asked;

void rig_set_up(void)
{
	options = (struct bench_options){ 0 };
	result = (struct bench_result){ 0 };
	run = (struct bench_run){ .options = &options, .result = &result, .end.name = "/dev/sdx" };
	bad_places = stops_after = asked = 0;
}

void rig_tear_down(void)
{
	bench_result_done(&result);
}

const struct bench_figure *figure_at(const char *table, const char *row, const char *column)
{
	for (size_t i = 0; i < result.figure_count; i++) {
		const struct bench_figure *figure = &result.figures[i];
		const struct bench_table *its = &result.tables[figure->table];

		if (strcmp(its->key, table) == 0 &&
		    strcmp(result.rows[figure->row].key, row) == 0 &&
		    strcmp(its->columns[figure->column].key, column) == 0)
			return figure;
	}
	return NULL;
}

/* ---- bench/bench.c ---- */

bool bench_stops(const struct bench_run *its)
{
	return stops_after && ++asked > stops_after;
}

void bench_lock(struct bench_run *its)
{
}

void bench_unlock(struct bench_run *its)
{
}

void bench_sample(struct bench_run *its, unsigned row, unsigned column, enum bench_unit unit,
		  double value, const struct bench_how *how)
{
	its->nomem |= bench_result_add(its->result, row, column, unit, value, how) < 0;
}

void bench_tell(struct bench_run *its, const char *format, ...)
{
}

int bench_rounds(struct bench_run *its, unsigned rounds, unsigned count,
		 int (*measure)(void *kind, unsigned i, struct error *reterr), void *kind,
		 struct error *reterr)
{
	int r = 0;

	for (unsigned n = 0; n < rounds * count && r == 0; n++)
		r = measure(kind, n % count, reterr);
	return r;
}

void bench_answered(const struct bench_run *its, uint64_t now)
{
}

void bench_bad_place(struct bench_run *its, const struct error *error)
{
	bad_places++;
}

bool bench_is_fatal(const struct bench_run *its, int code)
{
	return code == -ENODEV;
}
