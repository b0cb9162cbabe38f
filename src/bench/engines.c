/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chen's table: what each way into the kernel costs. On a disk without a latency of its own (zram,
 * null_blk, scsi_debug) it measures the path alone. First every depth is tried once; then depth 1
 * and the best one are measured in rounds, the engines in turn, so that what else happens on the
 * machine meets all of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "bench/kind.h"
#include "bench/libaio.h"
#include "bench/load.h"
#include "discover/attr.h"
#include "io/sg.h"

#define PATTERNS  2
#define SIZES     3
#define DEPTHS    4
#define ENGINES   9
#define ROWS      (PATTERNS * SIZES * ENGINES)
#define FEW_BYTES 512

static const unsigned depths[DEPTHS] = { 4, 8, 16, 32 };

struct engine {
	const char *name;  /* of the figures */
	const char *label; /* N_() */
	const struct io_backend *backend;
	bool plain, polled;
};

/* A row of a table. */
struct cell {
	const struct engine *engine;
	enum bench_pattern pattern;
	uint32_t request;
	unsigned row;
	unsigned best;             /* depth */
	double best_rate;          /* requests per second when it was tried */
	struct bench_loaded tried; /* at that depth */
	bool failed;               /* nothing more is asked of it */
};

struct comparison {
	struct bench_run *run;
	struct sg_backend sg[3]; /* over the run's driver, by mode */
	struct engine engines[ENGINES];
	unsigned engine_count;
	struct cell cells[ROWS];
	unsigned cell_count;
	uint32_t seed;
	unsigned asked; /* measurements, of all rounds */
	bool told;
};

/* depth 1, and the same at the best depth */
enum column { OPS, CPU, CALLS, BEST_OPS, BEST_DEPTH, BEST_CPU, BEST_CALLS, COLUMNS };

static const struct bench_named columns[COLUMNS] = {
	[OPS] = { "ops", N_("depth 1") },
	[CPU] = { "cpu", N_("CPU each") },
	[CALLS] = { "calls", N_("calls each") },
	[BEST_OPS] = { "best_ops", N_("best") },
	[BEST_DEPTH] = { "best_depth", N_("at depth") },
	[BEST_CPU] = { "best_cpu", N_("CPU each") },
	[BEST_CALLS] = { "best_calls", N_("calls each") },
};

/* ---- which engines ---- */

/* Does the device's queue allow to poll for completions? */
static bool polls(const struct io_end *end)
{
	char device[PATH_MAX], disk[PATH_MAX + 8];
	struct stat st;

	if (fstat(end->fd, &st) < 0 || !S_ISBLK(st.st_mode) ||
	    sysfs_by_number("block", st.st_rdev, device) < 0)
		return false;
	snprintf(disk, sizeof(disk), "%s/..", device); /* of a partition */
	return attr_bool(device, "queue/io_poll") == YES || attr_bool(disk, "queue/io_poll") == YES;
}

/* One that cannot drive this disk is left out; the result says why, once for all of a backend. */
static void add_engine(struct comparison *all, const struct engine *engine)
{
	struct bench_run *run = all->run;
	struct error error = { 0 };

	if (engine->polled && !polls(&run->end))
		error_set(&error, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", run->end.name,
			  _("%s has no queue to poll (queue/io_poll is 0), so IOPOLL was not "
			    "measured."),
			  run->end.name);
	else if (engine->backend->probe(engine->backend, &run->end, &error) == 0)
		all->engines[all->engine_count++] = *engine;
	if (error.code)
		bench_note(run, "%s", error.sentence);
}

static void add_engines(struct comparison *all)
{
	const struct engine every[ENGINES] = {
		{ "threads", N_("pread/threads"), &io_threads_backend },
		{ "libaio", N_("libaio"), &bench_libaio_backend },
		{ "uring", N_("io_uring"), &io_uring_backend, .plain = true },
		{ "uring-fixed", N_("io_uring fixed"), &io_uring_backend },
		{ "uring-poll", N_("io_uring polled"), &io_uring_backend, .polled = true },
		{ "sg", N_("sg direct"), &all->sg[SG_DATA_DIRECT].io },
		{ "sg-mmap", N_("sg mapped"), &all->sg[SG_DATA_MMAP].io },
		{ "sg-indirect", N_("sg indirect"), &all->sg[SG_DATA_INDIRECT].io },
		{ "buffered", N_("page cache"), &io_buffered_backend },
	};

	for (unsigned i = 0; i < 3; i++)
		sg_backend_init(&all->sg[i], all->run->sg, (enum sg_data)i);
	for (unsigned i = 0; i < ENGINES; i++)
		add_engine(all, &every[i]);
}

/* ---- tables ---- */

/* 512 bytes, or a sector where that is more. */
static uint32_t size_of(const struct io_end *end, unsigned size)
{
	static const uint32_t sizes[SIZES] = { FEW_BYTES, 4096, 65536 };
	uint32_t sector = io_sector_size(end);

	return sizes[size] > sector ? sizes[size] : sector;
}

static void add_table(struct comparison *all, enum bench_pattern pattern, const char *key,
		      const char *title)
{
	struct bench_run *run = all->run;
	uint32_t before = 0;
	char label[64];

	bench_make_table(run, key, title, columns, COLUMNS, NULL, 0);
	for (unsigned i = 0; i < SIZES; i++) {
		uint32_t request = size_of(&run->end, i);

		for (unsigned e = 0;
		     e < all->engine_count && request != before && request <= run->end.size; e++) {
			const struct engine *engine = &all->engines[e];

			snprintf(label, sizeof(label), "%.24s %s",
				 BENCH_PRINT(BENCH_BYTES, request), _(engine->label));
			all->cells[all->cell_count++] = (struct cell){
				.engine = engine,
				.pattern = pattern,
				.request = request,
				.row = bench_add_row(run, -1, label, "%u-%s", request,
						     engine->name),
			};
		}
		before = request;
	}
}

/* ---- measuring ---- */

/* Kernels before 6.3 cut registered huge pages up, so the backend does without. */
static void tell_registration(struct comparison *all, const struct engine *engine,
			      const struct bench_loaded *loaded)
{
	if (engine->backend != &io_uring_backend || engine->plain || loaded->registered ||
	    !loaded->requests || all->told)
		return;
	all->told = true;
	bench_note(all->run, _("This kernel registers no buffers with io_uring as a copy needs "
			       "them: what is called fixed was not."));
}

/* 0, or what ends it all. An engine that fails alone is not asked again; one that met a bad place
 * is, unless it would meet it again, but there is no figure then: it has the disk's retries in it.
 */
static int read_some(struct comparison *all, struct cell *cell, unsigned depth, uint64_t ns,
		     struct bench_loaded *ret, struct error *reterr)
{
	struct error error = { 0 };
	const struct engine *engine = cell->engine;
	const struct bench_load load = {
		.backend = engine->backend,
		.end = &all->run->end,
		.pattern = cell->pattern,
		.request = cell->request,
		.depth = depth,
		.ns = ns,
		.seed = ++all->seed,
		.plain = engine->plain,
		.polled = engine->polled,
	};

	bench_tell(all->run, _("%s %s, depth %u"), BENCH_PRINT(BENCH_BYTES, cell->request),
		   _(engine->label), depth);
	int r = bench_load_run(all->run, &load, ret, &error);

	text_copy(ret->how.engine, sizeof(ret->how.engine), engine->name);
	tell_registration(all, engine, ret);
	if (r == 0 && (!ret->failed || cell->pattern == BENCH_RANDOM))
		return 0;
	cell->failed = true;
	if (r == -ECANCELED || bench_is_fatal(all->run, r)) {
		if (reterr && error.code)
			*reterr = error;
		return r;
	}
	if (r < 0)
		bench_bad_place(all->run, &error);
	return 0;
}

static void add_samples(const struct comparison *all, const struct cell *cell, bool best,
			const struct bench_loaded *loaded)
{
	struct bench_run *run = all->run;
	const struct bench_how *how = &loaded->how;
	double requests = (double)loaded->requests;
	unsigned row = cell->row;

	bench_sample(run, row, best ? BEST_OPS : OPS, BENCH_PER_SECOND, requests / loaded->seconds,
		     how);
	bench_sample(run, row, best ? BEST_CPU : CPU, BENCH_SECONDS, loaded->cpu / requests, how);
	if (loaded->calls)
		bench_sample(run, row, best ? BEST_CALLS : CALLS, BENCH_COUNT,
			     (double)loaded->calls / requests, how);
	if (best)
		bench_sample(run, row, BEST_DEPTH, BENCH_COUNT, how->depth, how);
}

/* Depths that the engine does not take are passed over. */
static int try_depth(void *kind, unsigned number, struct error *reterr)
{
	struct comparison *all = kind;
	struct cell *cell = &all->cells[number / DEPTHS];
	unsigned depth = depths[number % DEPTHS], most = cell->engine->backend->queue_most;
	struct bench_loaded loaded;

	if (cell->failed || (most && depth > most))
		return 0;
	int r = read_some(all, cell, depth, all->run->ns / 2, &loaded, reterr);

	if (r < 0 || loaded.failed || !loaded.requests || loaded.seconds <= 0 ||
	    (double)loaded.requests / loaded.seconds <= cell->best_rate)
		return r;
	cell->best_rate = (double)loaded.requests / loaded.seconds;
	cell->tried = loaded;
	cell->best = depth;
	return 0;
}

/* At depth 1, and at the best. */
static int measure(void *kind, unsigned number, struct error *reterr)
{
	struct comparison *all = kind;
	struct cell *cell = &all->cells[number / 2];
	bool best = number % 2;
	struct bench_loaded loaded;

	all->asked++;
	if (cell->failed || (best && !cell->best))
		return 0;
	int r = read_some(all, cell, best ? cell->best : 1, all->run->ns, &loaded, reterr);

	/* On a busy machine the time may be over before the first read. */
	if (r == 0 && !loaded.failed && loaded.requests)
		add_samples(all, cell, best, &loaded);
	return r;
}

/* Where it was stopped while depths were tried, those are the figures there are. */
static void add_tried(struct comparison *all)
{
	for (unsigned i = 0; i < all->cell_count; i++)
		if (all->cells[i].best)
			add_samples(all, &all->cells[i], true, &all->cells[i].tried);
}

static void conclude(struct comparison *all)
{
	const struct bench_result *result = all->run->result;
	const struct cell *first[2] = { NULL };
	double rates[2] = { 0 };
	char text[2][BENCH_TEXT_MAX];

	for (unsigned i = 0; i < all->cell_count; i++) {
		const struct cell *cell = &all->cells[i];

		if (cell->pattern != BENCH_RANDOM || cell->request != size_of(&all->run->end, 1))
			continue;
		for (unsigned best = 0; best < 2; best++) {
			double rate = bench_result_median(result, cell->row, best ? BEST_OPS : OPS);

			if (rate <= rates[best])
				continue;
			rates[best] = rate;
			first[best] = cell;
		}
	}
	if (!first[0] || !first[1])
		return;
	bench_conclude(
		all->run,
		_("Random reads of %s: one after the other %s is fastest (%s), several at once "
		  "%s at depth %u (%s)."),
		BENCH_PRINT(BENCH_BYTES, size_of(&all->run->end, 1)), _(first[0]->engine->label),
		bench_print(BENCH_PER_SECOND, rates[0], text[0]), _(first[1]->engine->label),
		first[1]->best, bench_print(BENCH_PER_SECOND, rates[1], text[1]));
}

static int run_all(struct bench_run *run, struct error *reterr)
{
	struct comparison *all = calloc(1, sizeof(*all));
	int r;

	if (!all)
		return error_nomem(reterr);
	all->run = run;
	add_engines(all);
	add_table(all, BENCH_RANDOM, "random", _("Random reads per second"));
	add_table(all, BENCH_SEQUENTIAL, "sequential", _("Sequential reads per second"));
	run->share = (double)DEPTHS / (DEPTHS + 4 * run->rounds);
	r = bench_rounds(run, 1, all->cell_count * DEPTHS, try_depth, all, reterr);
	if (r == 0)
		r = bench_rounds(run, run->rounds, 2 * all->cell_count, measure, all, reterr);
	else
		add_tried(all);
	/* Stopped in the first round, it knows only some of them. */
	if (all->asked >= 2 * all->cell_count)
		conclude(all);
	free(all);
	return r;
}

const struct bench_kind bench_engines = {
	.name = "engines",
	.summary = N_("reads per second and their CPU, by each way into the kernel"),
	.takes = BENCH_TAKES_TIME | BENCH_TAKES_ROUNDS,
	.time_ns = 100 * NSEC_PER_MSEC,
	.rounds = 5,
	.run = run_all,
};
