/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which request size, and how many in flight? Reads through the backend that a copy would use, at
 * all sizes and depths, each from where the one before it ended, so that no cache of the disk
 * answers for it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/units.h"
#include "bench/load.h"
#include "io/backends.h"

#define LARGEST   (16U << 20)
#define SIZES_MAX 16
#define DEPTHS    5
#define TIME      (NSEC_PER_SEC / 4)
#define ROUNDS    3
#define MEMORY    (128U << 20) /* in flight */
#define GIB       ((double)(1U << 30))
/* What is less than this much faster is not faster: such is the noise of good disks. */
#define GAIN 1.05
/* A copy that loses less keeps to its own choice. */
#define SLOWER 1.1

static const uint32_t depths[DEPTHS] = { 1, 2, 4, 8, 32 };

enum sizes_table { RATE, PER_SECOND, CPU, SLOW, TABLES };

struct sizes {
	struct bench_run *run;
	const struct io_backend *backend;
	uint32_t smallest;
	unsigned count;
	unsigned rows[TABLES][SIZES_MAX];
	uint64_t at; /* where the next cell reads */
};

static int make_tables(struct sizes *sizes)
{
	static const struct {
		const char *key, *title;
	} titles[TABLES] = {
		[RATE] = { "rate", N_("Bytes per second, by request size and requests in flight") },
		[PER_SECOND] = { "iops", N_("Requests per second") },
		[CPU] = { "cpu", N_("Processor time for 1 GiB") },
		[SLOW] = { "p99", N_("Slowest of a hundred requests (p99)") },
	};
	struct bench_result *result = sizes->run->result;
	char key[32], label[UNITS_TEXT_MAX];

	for (unsigned t = 0; t < TABLES; t++) {
		unsigned table = bench_result_table(result, titles[t].key, _(titles[t].title));

		result->tables[table].chart = true;
		for (unsigned d = 0; d < DEPTHS; d++) {
			snprintf(key, sizeof(key), "depth-%u", depths[d]);
			snprintf(label, sizeof(label), _("depth %u"), depths[d]);
			bench_result_column(result, table, key, label);
		}
		for (unsigned i = 0; i < sizes->count; i++) {
			uint32_t size = sizes->smallest << i;
			int row;

			snprintf(key, sizeof(key), "%u", size);
			row = bench_result_row(result, table, key,
					       bench_print(BENCH_BYTES, size, label), size);
			if (row < 0)
				return row;
			sizes->rows[t][i] = (unsigned)row;
		}
	}
	return 0;
}

static int take(struct sizes *sizes, unsigned i, unsigned d, const struct bench_loaded *loaded)
{
	struct bench_run *run = sizes->run;
	double bytes = (double)loaded->bytes;
	const struct {
		enum bench_unit unit;
		double value;
	} figures[TABLES] = {
		[RATE] = { BENCH_RATE, bytes / loaded->seconds },
		[PER_SECOND] = { BENCH_PER_SECOND, (double)loaded->requests / loaded->seconds },
		[CPU] = { BENCH_CPU_PER_GIB, loaded->cpu / bytes * GIB },
		[SLOW] = { BENCH_SECONDS,
			   (double)latency_percentile(&loaded->latency, 0.99) / 1e9 },
	};
	int r = 0;

	for (unsigned t = 0; t < TABLES && r == 0 && loaded->requests > 0; t++)
		r = bench_sample(run, sizes->rows[t][i], d, figures[t].unit, figures[t].value,
				 &loaded->how);
	return r;
}

static int measure_cell(struct sizes *sizes, unsigned i, unsigned d, struct error *reterr)
{
	struct bench_run *run = sizes->run;
	const struct bench_options *options = run->options;
	struct bench_load load = {
		.backend = sizes->backend,
		.end = &run->end,
		.request = sizes->smallest << i,
		.depth = depths[d],
		.bytes = options->size,
		.ns = options->time_ns ? options->time_ns : TIME,
	};
	struct bench_loaded loaded;

	if ((uint64_t)load.request * load.depth > MEMORY || load.request > run->end.size)
		return 0;
	load.start = sizes->at - sizes->at % load.request;
	if (run->end.size - load.start < (uint64_t)load.request * load.depth)
		load.start = 0;
	int r = bench_load_run(run, &load, &loaded, reterr);

	if (loaded.failed)
		bench_bad_place(run, &loaded.error);
	sizes->at = load.start + loaded.bytes;
	if (loaded.failed) /* past the bad place */
		sizes->at += LARGEST;
	if (sizes->at >= run->end.size)
		sizes->at %= run->end.size;
	if (r < 0 && r != -ECANCELED)
		return r;
	return take(sizes, i, d, &loaded) < 0 ? error_nomem(reterr) : r;
}

/* The largest of the measured sizes, and depths, that is not more than the choice. */
static void find_choice(const struct sizes *sizes, const struct bench_load *choice, unsigned *ret_i,
			unsigned *ret_d)
{
	*ret_i = *ret_d = 0;
	while (*ret_i + 1 < sizes->count && sizes->smallest << (*ret_i + 1) <= choice->request)
		++*ret_i;
	while (*ret_d + 1 < DEPTHS && depths[*ret_d + 1] <= choice->depth)
		++*ret_d;
}

static double rate_at(const struct sizes *sizes, unsigned i, unsigned d)
{
	return bench_result_median(sizes->run->result, sizes->rows[RATE][i], d);
}

/* Not by chance: of several rounds, its best is behind the other's worst. */
static bool is_slower(const struct sizes *sizes, unsigned cell, unsigned other)
{
	const struct bench_result *result = sizes->run->result;
	const struct bench_figure *a =
		bench_result_find(result, sizes->rows[RATE][cell / DEPTHS], cell % DEPTHS);
	const struct bench_figure *b =
		bench_result_find(result, sizes->rows[RATE][other / DEPTHS], other % DEPTHS);

	return a && b && a->rounds >= ROUNDS && a->median * SLOWER < b->median &&
	       a->largest < b->smallest;
}

/* The smallest size, and at that the smallest depth, that reach what is to be reached; a copy takes
 * them if it would be slower by its own choice. */
static void conclude(const struct sizes *sizes, struct measured *ret)
{
	struct bench_result *result = sizes->run->result;
	char *text = result->conclusion, enough[BENCH_TEXT_MAX], rate[UNITS_TEXT_MAX],
	     own[BENCH_TEXT_MAX];
	unsigned n = 0, cells = sizes->count * DEPTHS, own_i, own_d;
	struct bench_load choice;
	double best = 0;

	for (unsigned k = 0; k < cells; k++)
		best = fmax(best, rate_at(sizes, k / DEPTHS, k % DEPTHS));
	while (n < cells && rate_at(sizes, n / DEPTHS, n % DEPTHS) * GAIN < best)
		n++;
	if (best <= 0 || bench_load_choose(&sizes->run->end, &choice, NULL) < 0)
		return;
	find_choice(sizes, &choice, &own_i, &own_d);
	bench_print(BENCH_BYTES, sizes->smallest << n / DEPTHS, enough);
	units_print_rate(rate_at(sizes, n / DEPTHS, n % DEPTHS), rate);
	bench_print(BENCH_BYTES, choice.request, own);
	snprintf(text, sizeof(result->conclusion),
		 _("From %s with %u in flight on (%s), nothing more is gained. A copy from this "
		   "disk would by itself use %s with %u in flight."),
		 enough, depths[n % DEPTHS], rate, own, choice.depth);
	if (!is_slower(sizes, own_i * DEPTHS + own_d, n))
		return;
	*ret = (struct measured){ .request = sizes->smallest << n / DEPTHS,
				  .depth = depths[n % DEPTHS] };
	if (!sizes->run->options->log_dir)
		return;
	size_t used = strlen(text);

	snprintf(text + used, sizeof(result->conclusion) - used,
		 _(" That is slower: until the next boot, copies use %s with %u."), enough,
		 ret->depth);
}

static int run(struct bench_run *run, struct error *reterr)
{
	struct sizes sizes = { .run = run };
	struct measured found = { 0 };
	struct bench_load choice;
	int r = bench_load_choose(&run->end, &choice, reterr);

	if (r < 0)
		return r;
	sizes.backend = choice.backend;
	sizes.smallest = io_sector_size(&run->end);
	while (sizes.count < SIZES_MAX && sizes.smallest << sizes.count <= LARGEST)
		sizes.count++;
	if (!run->rounds)
		run->rounds = ROUNDS;
	bench_lock(run);
	r = make_tables(&sizes);
	bench_unlock(run);
	if (r < 0)
		return error_nomem(reterr);

	unsigned cells = sizes.count * DEPTHS, all = cells * run->rounds;

	for (unsigned n = 0; n < all && r == 0; n++) {
		unsigned i = n % cells / DEPTHS, d = n % DEPTHS;

		bench_tell(run, (double)n / all, _("round %u of %u: %u KiB, %u in flight"),
			   n / cells + 1, run->rounds, (sizes.smallest << i) / 1024, depths[d]);
		r = measure_cell(&sizes, i, d, reterr);
	}
	bench_lock(run);
	conclude(&sizes, &found);
	bench_unlock(run);
	if (r == 0)
		bench_keep(run, &found, true);
	return r;
}

const struct bench_kind bench_sizes = {
	.name = "sizes",
	.summary = N_("reading speed by request size and requests in flight"),
	.takes = BENCH_TAKES_SIZE | BENCH_TAKES_TIME | BENCH_TAKES_ROUNDS,
	.run = run,
};
