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

#define LARGEST   (16U << 20)
#define SIZES_MAX 16
#define DEPTHS    5
#define ROUNDS    3
/* For what is in flight. Each request has a buffer of its own, as in a copy: what lies below a disk
 * may check or decrypt the data where it arrives (dm-integrity, dm-crypt, a checksum of the file
 * system), so two reads must not arrive in the same place. */
#define MEMORY_SHARE 4            /* of what is free */
#define MEMORY_USUAL (128U << 20) /* where that is not known */
#define GIB          ((double)(1U << 30))
/* Less is no gain: good disks scatter as much. */
#define GAIN 1.05
/* A copy keeps to its own choice unless it loses more than that. */
#define SLOWER 1.1

static const uint32_t depths[DEPTHS] = { 1, 2, 4, 8, 32 };

enum sizes_table { RATE, PER_SECOND, CPU, SLOW, TABLES };

struct sizes {
	struct bench_run *run;
	struct bench_load choice; /* of a copy from this disk */
	uint32_t smallest;
	unsigned count;
	unsigned rows[TABLES]; /* the first of each */
	uint64_t at;           /* where the next cell reads */
	unsigned asked;        /* cells, of all rounds */
	double memory;         /* bytes that may be in flight */
	/* These cells are not asked for again; error: why, of the last one */
	bool refused[SIZES_MAX * DEPTHS];
	struct error error;
};

static void make_tables(struct sizes *sizes)
{
	static const struct bench_named titles[TABLES] = {
		[RATE] = { "rate", N_("Bytes per second, by request size and depth") },
		[PER_SECOND] = { "iops", N_("Requests per second") },
		[CPU] = { "cpu", N_("Processor time for 1 GiB") },
		[SLOW] = { "p99", N_("Slowest of a hundred requests (p99)") },
	};
	static const struct bench_named columns[DEPTHS] = {
		{ "depth-1", N_("depth 1") },   { "depth-2", N_("depth 2") },
		{ "depth-4", N_("depth 4") },   { "depth-8", N_("depth 8") },
		{ "depth-32", N_("depth 32") },
	};

	for (unsigned t = 0; t < TABLES; t++) {
		sizes->rows[t] = bench_make_table(sizes->run, titles[t].key, _(titles[t].label),
						  columns, DEPTHS, NULL, 0);
		for (unsigned i = 0; i < sizes->count; i++)
			bench_add_size(sizes->run, sizes->smallest << i);
	}
}

/* What will have no figures, and why. */
static void tell_left_out(const struct sizes *sizes)
{
	uint32_t largest = sizes->smallest << (sizes->count - 1);

	if (largest > sizes->run->end.size)
		bench_note(sizes->run, "%s", _("Not measured: requests larger than the disk."));
	else if ((double)largest * depths[DEPTHS - 1] > sizes->memory)
		bench_note(sizes->run,
			   _("Not measured: more than %s in flight, for which this machine has "
			     "too little free memory."),
			   BENCH_PRINT(BENCH_BYTES, floor(sizes->memory)));
}

static void take(const struct sizes *sizes, unsigned i, unsigned d,
		 const struct bench_loaded *loaded)
{
	double bytes = (double)loaded->bytes;
	const struct {
		enum bench_unit unit;
		double value;
	} figures[TABLES] = {
		[RATE] = { BENCH_RATE, bytes / loaded->seconds },
		[PER_SECOND] = { BENCH_PER_SECOND, (double)loaded->requests / loaded->seconds },
		[CPU] = { BENCH_CPU_PER_GIB, loaded->cpu / bytes * GIB },
		[SLOW] = { BENCH_SECONDS, bench_percentile(loaded, 0.99) },
	};

	for (unsigned t = 0; t < TABLES && loaded->requests > 0; t++)
		bench_sample(sizes->run, sizes->rows[t] + i, d, figures[t].unit, figures[t].value,
			     &loaded->how);
}

static int measure(void *kind, unsigned cell, struct error *reterr)
{
	struct sizes *sizes = kind;
	struct bench_run *run = sizes->run;
	unsigned i = cell / DEPTHS, d = cell % DEPTHS;
	struct bench_load load = {
		.backend = sizes->choice.backend,
		.end = &run->end,
		.request = sizes->smallest << i,
		.depth = depths[d],
		.bytes = run->size,
		.ns = run->ns,
	};
	struct bench_loaded loaded;
	struct error error = { 0 };
	char what[80];
	uint64_t together = (uint64_t)load.request * load.depth, size = run->end.size;

	sizes->asked++;
	if ((double)together > sizes->memory || load.request > size || sizes->refused[cell])
		return 0;
	snprintf(what, sizeof(what), _("%s %s, depth %u"), BENCH_PRINT(BENCH_BYTES, load.request),
		 load.backend->name, load.depth);
	bench_tell(run, "%s", what);
	load.start = sizes->at - sizes->at % load.request;
	if (size - load.start < together)
		load.start = 0;
	int r = bench_load_run(run, &load, &loaded, &error);

	/* Past the bad place, if there is one. */
	sizes->at = (load.start + loaded.bytes + (loaded.failed ? LARGEST : 0)) % size;
	if (r == 0 || r == -ECANCELED) {
		take(sizes, i, d, &loaded);
		return r;
	}
	sizes->error = error;
	sizes->refused[cell] = true;
	if (bench_is_fatal(run, r)) {
		*reterr = error;
		return r;
	}
	bench_note(run, "%s: %s", what, error.sentence);
	return 0;
}

/* The largest of the measured sizes, and depths, that is not more than the choice. */
static unsigned find_choice(const struct sizes *sizes)
{
	unsigned i = 0, d = 0;

	while (i + 1 < sizes->count && sizes->smallest << (i + 1) <= sizes->choice.request)
		i++;
	while (d + 1 < DEPTHS && depths[d + 1] <= sizes->choice.depth)
		d++;
	return i * DEPTHS + d;
}

static const struct bench_figure *figure_at(const struct sizes *sizes, unsigned cell)
{
	return bench_result_find(sizes->run->result, sizes->rows[RATE] + cell / DEPTHS,
				 cell % DEPTHS);
}

static double rate_at(const struct sizes *sizes, unsigned cell)
{
	return bench_result_median(sizes->run->result, sizes->rows[RATE] + cell / DEPTHS,
				   cell % DEPTHS);
}

/* Slower not by chance: in several rounds, its best is below the worst of the other. */
static bool is_slower(const struct sizes *sizes, unsigned cell, unsigned other)
{
	const struct bench_figure *a = figure_at(sizes, cell), *b = figure_at(sizes, other);

	return a && b && a->rounds >= ROUNDS && a->median * SLOWER < b->median &&
	       a->largest < b->smallest;
}

/* The smallest size, and at that the smallest depth, that reach what is to be reached; a copy takes
 * them if it would be slower by its own choice. */
static void conclude(const struct sizes *sizes, struct measured *ret)
{
	char then[160] = "";
	unsigned n = 0, cells = sizes->count * DEPTHS;
	double best = 0;

	for (unsigned cell = 0; cell < cells; cell++)
		best = fmax(best, rate_at(sizes, cell));
	while (n < cells && rate_at(sizes, n) * GAIN < best)
		n++;
	if (best <= 0)
		return;
	if (is_slower(sizes, find_choice(sizes), n)) {
		*ret = (struct measured){ .request = sizes->smallest << n / DEPTHS,
					  .depth = depths[n % DEPTHS] };
		if (sizes->run->options->log_dir)
			snprintf(then, sizeof(then),
				 _(" That is slower: until the next boot, copies use %s with %u."),
				 BENCH_PRINT(BENCH_BYTES, sizes->smallest << n / DEPTHS),
				 ret->depth);
	}
	bench_conclude(sizes->run,
		       _("From %s with %u in flight on (%s), nothing more is gained. A copy from "
			 "this disk would by itself use %s with %u in flight.%s"),
		       BENCH_PRINT(BENCH_BYTES, sizes->smallest << n / DEPTHS), depths[n % DEPTHS],
		       UNITS_RATE(rate_at(sizes, n)),
		       BENCH_PRINT(BENCH_BYTES, sizes->choice.request), sizes->choice.depth, then);
}

static int run(struct bench_run *run, struct error *reterr)
{
	double available = bench_memory("MemAvailable");
	struct sizes sizes = { .run = run,
			       .smallest = io_sector_size(&run->end),
			       .memory = available < 0 ? MEMORY_USUAL : available / MEMORY_SHARE };
	struct measured found = { 0 };
	int r = bench_load_choose(&run->end, &sizes.choice, reterr);

	if (r < 0)
		return r;
	while (sizes.count < SIZES_MAX && sizes.smallest << sizes.count <= LARGEST)
		sizes.count++;
	make_tables(&sizes);
	tell_left_out(&sizes);
	r = bench_rounds(run, run->rounds, sizes.count * DEPTHS, measure, &sizes, reterr);
	/* What was stopped before all sizes were tried tells nothing of those that were not. */
	if (sizes.asked >= sizes.count * DEPTHS)
		conclude(&sizes, &found);
	if (r == 0 && run->result->figure_count == 0 && sizes.error.code) {
		*reterr = sizes.error;
		return sizes.error.code;
	}
	if (r == 0)
		bench_keep(run, &found, true);
	return r;
}

const struct bench_kind bench_sizes = {
	.name = "sizes",
	.summary = N_("reading speed by request size and requests in flight"),
	.takes = BENCH_TAKES_SIZE | BENCH_TAKES_TIME | BENCH_TAKES_ROUNDS,
	.time_ns = NSEC_PER_SEC / 4,
	.rounds = ROUNDS,
	.run = run,
};
