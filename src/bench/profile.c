/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is this disk like? Its reading speed at many places from start to end, what reaching a place
 * costs, and how long all of it would take. On a disk that was confirmed for it, its writing speed,
 * too: what was read at a place is kept in memory and written there again, so that whenever it is
 * interrupted the disk has what it had. (A disk that loses power in the middle of a sector may lose
 * that one, as at any write.)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/units.h"
#include "bench/load.h"
#include "bench/profile.h"
#include "io/sg.h"

#define POSITIONS 64
/* The share of the progress that the places are; access times follow. */
#define PLACES_SHARE 0.9
/* Disks turn 3,000 to 24,000 times a minute, and evenly. */
#define TURN_LEAST  0.0025
#define TURN_MOST   0.020
#define TURN_STEADY 0.05
/* A place that reads so much slower than those around it is a weak one, not another zone. */
#define WEAK      0.7
#define WEAK_TOLD 4

/* Columns of the speeds. */
enum speed_column { READ, READ_SLOW, WRITE, WRITE_SLOW };

enum access_row { RANDOM, FULL_STROKE, TRACK, ACCESS_ROWS };
enum access_column { P50, P99, WORST, ACCESS_COLUMNS };

static const struct {
	struct bench_named name;
	enum bench_pattern pattern;
	unsigned count;
} reaches[ACCESS_ROWS] = {
	[RANDOM] = { { "random", N_("random sector") }, BENCH_RANDOM, 400 },
	[FULL_STROKE] = { { "full-stroke", N_("full stroke") }, BENCH_ENDS, 100 },
	[TRACK] = { { "track", N_("track to track") }, BENCH_TRACKS, 100 },
};
#define REACH_TIME (4 * NSEC_PER_SEC)
#define TURNS      40

struct profile {
	struct bench_run *run;
	struct bench_load choice;
	uint32_t count; /* positions */
	unsigned asked; /* the same, of all rounds */
	uint64_t *places;
	uint64_t piece;  /* bytes that are read at each, at most */
	unsigned first;  /* row */
	double *rates;   /* bytes per second; 0 unknown */
	double *writes;  /* the same */
	unsigned access; /* row */
	struct measured found;
};

/* ---- arithmetic ---- */

double profile_whole(const double *rates, const uint64_t *places, size_t count, uint64_t size)
{
	double seconds = 0, from = 0;
	size_t last = count;

	for (size_t i = 0; i < count; i++) {
		if (rates[i] <= 0)
			continue;
		double middle = last < count ? ((double)places[last] + (double)places[i]) / 2 : 0;

		if (last < count)
			seconds += (middle - from) / rates[last];
		from = middle;
		last = i;
	}
	return last < count ? seconds + ((double)size - from) / rates[last] : 0;
}

bool profile_is_weak(const double *rates, size_t count, size_t at)
{
	double before = 0, behind = 0;

	for (size_t i = at; i-- > 0 && !before;)
		before = rates[i];
	for (size_t i = at + 1; i < count && !behind; i++)
		behind = rates[i];
	return rates[at] > 0 && rates[at] < WEAK * before && rates[at] < WEAK * behind;
}

/* ---- places ---- */

/* Bytes for a figure: at least one request. */
static uint64_t wanted(const struct profile *profile)
{
	uint64_t size = profile->run->size;

	return size > profile->choice.request ? size : profile->choice.request;
}

/* Spread evenly; the last one ends with the disk. */
static void spread_places(struct profile *profile)
{
	uint64_t last = profile->run->end.size - profile->piece, request = profile->choice.request;

	for (uint32_t i = 0; i < profile->count; i++) {
		double at = i ? (double)last * i / (double)(profile->count - 1) : 0;

		profile->places[i] = (at < (double)last ? (uint64_t)at : last) / request * request;
	}
}

/* A place does not reach into the next one, which a cache would have by then. */
static uint64_t piece_of(const struct profile *profile, uint32_t i)
{
	const uint64_t *places = profile->places;
	uint64_t past = i + 1 < profile->count ? places[i + 1] : profile->run->end.size;
	uint64_t room = past > places[i] ? past - places[i] : 0;

	room = room < profile->piece ? room : profile->piece;
	return u64_align_down(room, profile->choice.request);
}

static int take_places(struct profile *profile, struct error *reterr)
{
	const struct bench_run *run = profile->run;

	profile->piece = wanted(profile);
	for (uint32_t i = 0; i < profile->count; i++)
		if (__builtin_mul_overflow(run->options->sectors[i], io_sector_size(&run->end),
					   &profile->places[i]))
			profile->places[i] = UINT64_MAX;
	for (uint32_t i = 0; i < profile->count; i++)
		if (!piece_of(profile, i))
			return error_set(
				reterr, ERROR_CLASS_USAGE, -ERANGE, "measure", run->end.name,
				_("%s: from LBA %llu to the next place, or to the end of the disk, "
				  "there is no room for a read of %s."),
				run->end.name, (unsigned long long)run->options->sectors[i],
				BENCH_PRINT(BENCH_BYTES, profile->choice.request));
	return 0;
}

static int choose_places(struct profile *profile, struct error *reterr)
{
	const struct bench_run *run = profile->run;
	uint64_t share = run->end.size / profile->count;

	if (run->options->sectors)
		return take_places(profile, reterr);
	profile->piece = wanted(profile) < share ? wanted(profile) : share;
	profile->piece = u64_align_down(profile->piece, profile->choice.request);
	if (!profile->piece)
		return error_set(reterr, ERROR_CLASS_USAGE, -ERANGE, "measure", run->end.name,
				 _("%s is too small for %u places. Choose fewer --positions."),
				 run->end.name, profile->count);
	spread_places(profile);
	return 0;
}

static void make_places(struct profile *profile)
{
	static const struct bench_named columns[] = {
		[READ] = { "read", N_("read") },
		[READ_SLOW] = { "p99", N_("slowest of 100") },
		[WRITE] = { "write", N_("write") },
		[WRITE_SLOW] = { "write-p99", N_("slowest of 100") },
	};
	struct bench_run *run = profile->run;
	char label[64];

	profile->first = bench_make_table(run, "speed", _("Speed by place"), columns,
					  run->end.writable ? 4 : 2, NULL, 0);
	for (uint32_t i = 0; i < profile->count; i++) {
		uint64_t at = profile->places[i];

		snprintf(label, sizeof(label), "%5.1f %%  %s",
			 (double)at / (double)run->end.size * 100, UNITS_SHORT(at, UNITS_SI, 512));
		bench_add_row(run, (double)at, label, "%" PRIu64, at);
	}
}

static void add_speed(struct profile *profile, uint32_t i, enum speed_column column,
		      const struct bench_loaded *loaded, double *rates)
{
	struct bench_run *run = profile->run;
	unsigned row = profile->first + i;

	if (!loaded->bytes)
		return;
	bench_sample(run, row, column, BENCH_RATE, (double)loaded->bytes / loaded->seconds,
		     &loaded->how);
	bench_sample(run, row, column + 1, BENCH_SECONDS, bench_percentile(loaded, 0.99),
		     &loaded->how);
	rates[i] = bench_result_median(run->result, row, column);
}

/* As much as takes about the time for a place, by the speed of reading there. */
static int write_place(struct profile *profile, uint32_t i, const struct bench_load *read,
		       struct error *reterr)
{
	struct bench_run *run = profile->run;
	double enough = profile->rates[i] * (double)read->ns / 1e9 / read->request;
	uint64_t count = (read->past - read->start) / read->request;
	struct bench_load load = *read;
	struct bench_loaded loaded;
	int r;

	if (enough < (double)count)
		count = enough > 1 ? (uint64_t)enough : 1;
	r = bench_kept_new((uint32_t)count, load.request, &load.kept, reterr);
	if (r < 0)
		return r;
	load.bytes = load.ns = 0;
	r = bench_load_run(run, &load, &loaded, reterr);
	/* Nothing is written of which any part is not known. */
	if (r == 0 && !loaded.failed && loaded.requests == count) {
		load.write = true;
		load.ns = read->ns;
		r = bench_load_run(run, &load, &loaded, reterr);
		if (r == 0)
			add_speed(profile, i, WRITE, &loaded, profile->writes);
	}
	bench_kept_destroy(load.kept);
	return r;
}

static int measure_place(void *kind, unsigned i, struct error *reterr)
{
	struct profile *profile = kind;
	struct bench_run *run = profile->run;
	uint64_t piece = piece_of(profile, i);
	struct bench_load load = profile->choice;
	struct bench_loaded loaded;

	bench_tell(run, _("place %u of %u"), i + 1, profile->count);
	profile->asked++;
	load.start = profile->places[i];
	load.past = load.start + piece;
	load.bytes = piece > load.request ? piece - load.request : piece;
	load.ns = run->ns;
	int r = bench_load_run(run, &load, &loaded, reterr);

	add_speed(profile, i, READ, &loaded, profile->rates);
	return r == 0 && run->end.writable && profile->rates[i] > 0 && !loaded.failed
		       ? write_place(profile, i, &load, reterr)
		       : r;
}

static int measure_places(struct profile *profile, struct error *reterr)
{
	struct bench_run *run = profile->run;
	int r = choose_places(profile, reterr);

	if (r < 0)
		return r;
	make_places(profile);
	run->share = PLACES_SHARE;
	return bench_rounds(run, run->rounds, profile->count, measure_place, profile, reterr);
}

/* ---- access times ---- */

static int measure_reach(void *kind, unsigned i, struct error *reterr)
{
	static const double shares[ACCESS_COLUMNS] = { [P50] = 0.5, [P99] = 0.99, [WORST] = 1 };
	struct profile *profile = kind;
	struct bench_run *run = profile->run;
	struct bench_load load = profile->choice;
	struct bench_loaded loaded;

	bench_tell(run, "%s", _(reaches[i].name.label));
	load.pattern = reaches[i].pattern;
	load.request = io_sector_size(&run->end);
	load.depth = 1;
	load.bytes = (uint64_t)reaches[i].count * load.request;
	load.ns = REACH_TIME;
	load.seed = (uint32_t)run->result->started;
	int r = bench_load_run(run, &load, &loaded, reterr);

	for (unsigned c = 0; c < ACCESS_COLUMNS && loaded.requests > 0; c++)
		bench_sample(run, profile->access + i, c, BENCH_SECONDS,
			     bench_percentile(&loaded, shares[c]), &loaded.how);
	return r;
}

static int measure_access(struct profile *profile, struct error *reterr)
{
	static const struct bench_named columns[ACCESS_COLUMNS] = {
		[P50] = { "p50", N_("half (p50)") },
		[P99] = { "p99", N_("p99") },
		[WORST] = { "max", N_("longest") },
	};
	struct bench_named rows[ACCESS_ROWS];

	for (unsigned i = 0; i < ACCESS_ROWS; i++)
		rows[i] = reaches[i].name;
	profile->access = bench_make_table(profile->run, "access",
					   _("Access time: one sector, one at a time"), columns,
					   ACCESS_COLUMNS, rows, ACCESS_ROWS);
	return bench_rounds(profile->run, 1, ACCESS_ROWS, measure_reach, profile, reterr);
}

static void add_fact(struct profile *profile, const char *key, const char *label, double seconds,
		     const struct bench_how *how)
{
	unsigned row = bench_add_row(profile->run, -1, label, "%s", key);

	bench_sample(profile->run, row, 0, BENCH_SECONDS, seconds, how);
}

/* One sector again and again comes by once a turn, unless a cache answers; sg can ask past it. */
static int measure_turn(struct profile *profile)
{
	struct bench_run *run = profile->run;
	struct bench_load load = profile->choice;
	struct io_end end = run->end;
	struct bench_loaded loaded;

	if (run->end.rotational != YES)
		return 0;
	end.from_medium = true;
	load.end = &end;
	if (sg_has_node(&end))
		load.backend = &sg_backend_find(SG_DATA_INDIRECT, false, false)->io;
	load.pattern = BENCH_SAME;
	load.request = io_sector_size(&end);
	load.depth = 1;
	load.bytes = (uint64_t)TURNS * load.request;
	load.ns = REACH_TIME;
	int r = bench_load_run(run, &load, &loaded, NULL);

	if (r == -ECANCELED || loaded.requests < TURNS || loaded.failed)
		return r == -ECANCELED ? r : 0;
	double mean = (double)loaded.latency.sum / (double)loaded.latency.count / 1e9;
	double off = bench_percentile(&loaded, 0.9) - bench_percentile(&loaded, 0.1);

	if (mean >= TURN_LEAST && mean <= TURN_MOST && off <= TURN_STEADY * mean)
		add_fact(profile, "rotation", _("one rotation"), mean, &loaded.how);
	return 0;
}

/* ---- in a sentence ---- */

static uint64_t lba_of(const struct profile *profile, uint32_t i)
{
	return profile->places[i] / io_sector_size(&profile->run->end);
}

/* A few are told one by one; many are the work of something else that uses the disk or the machine.
 */
static void note_weak(struct profile *profile)
{
	uint32_t weak[WEAK_TOLD], count = 0;

	for (uint32_t i = 0; i < profile->count; i++)
		if (profile_is_weak(profile->rates, profile->count, i) && count++ < WEAK_TOLD)
			weak[count - 1] = i;
	if (count > WEAK_TOLD)
		bench_note(profile->run,
			   _("%u places are far below those around them. One disk has hardly so "
			     "many weak places: something else kept it or this machine busy. "
			     "Measure again when both are idle."),
			   count);
	for (uint32_t i = 0; i < count && count <= WEAK_TOLD; i++)
		bench_note(profile->run,
			   _("Weak: at LBA %" PRIu64 ", %s is far below the places around it."),
			   lba_of(profile, weak[i]), UNITS_RATE(profile->rates[weak[i]]));
}

static void conclude(struct profile *profile)
{
	uint32_t slowest = UINT32_MAX, fastest = 0;

	for (uint32_t i = 0; i < profile->count; i++) {
		if (profile->rates[i] <= 0)
			continue;
		if (slowest == UINT32_MAX || profile->rates[i] < profile->rates[slowest])
			slowest = i;
		if (profile->rates[i] > profile->rates[fastest])
			fastest = i;
	}
	if (slowest == UINT32_MAX)
		return;
	note_weak(profile);
	/* A part of the disk says nothing of the whole. */
	if (profile->asked < profile->count)
		return;
	uint64_t size = profile->run->end.size;
	double seconds = profile_whole(profile->rates, profile->places, profile->count, size);
	double writing = profile_whole(profile->writes, profile->places, profile->count, size);

	add_fact(profile, "whole", _("reading the whole disk (estimate)"), seconds, NULL);
	if (writing > 0)
		add_fact(profile, "whole-write", _("writing the whole disk (estimate)"), writing,
			 NULL);
	profile->found.read = (double)size / seconds;
	profile->found.write = writing > 0 ? (double)size / writing : 0;
	bench_conclude(profile->run,
		       _("Slowest at LBA %" PRIu64 " with %s, fastest at LBA %" PRIu64
			 " with %s. Reading all of it takes about %s."),
		       lba_of(profile, slowest), UNITS_RATE(profile->rates[slowest]),
		       lba_of(profile, fastest), UNITS_RATE(profile->rates[fastest]),
		       BENCH_PRINT(BENCH_SECONDS, seconds));
}

/* On a small disk, one place for each request. */
static uint32_t usual_count(const struct profile *profile)
{
	uint64_t most = profile->run->end.size / profile->choice.request;

	return most > POSITIONS ? POSITIONS : most > 1 ? (uint32_t)most : 1;
}

static int run(struct bench_run *run, struct error *reterr)
{
	static const struct bench_named value = { "value", N_("value") };
	struct profile profile = { .run = run, .count = run->options->positions };
	int r = bench_load_choose(&run->end, &profile.choice, reterr);

	if (r < 0)
		return r;
	uint64_t most = run->size < run->end.size ? run->size : run->end.size;

	while (profile.choice.request > most &&
	       profile.choice.request % (2 * io_sector_size(&run->end)) == 0)
		profile.choice.request /= 2;
	if (!profile.count)
		profile.count = usual_count(&profile);
	profile.rates = calloc(2UL * profile.count, sizeof(*profile.rates));
	profile.places = calloc(profile.count, sizeof(*profile.places));
	r = profile.rates && profile.places ? 0 : error_nomem(reterr);
	if (r < 0)
		goto out;
	profile.writes = profile.rates + profile.count;
	r = measure_places(&profile, reterr);
	if (r < 0 && run->result->row_count == 0)
		goto out;
	if (r == 0)
		r = measure_access(&profile, reterr);
	bench_make_table(run, "facts", _("Also"), &value, 1, NULL, 0);
	if (r == 0)
		r = measure_turn(&profile);
	conclude(&profile);
	/* Named places may leave out the slow parts of a disk: no plan estimates by them. */
	if (r == 0 && !run->options->sectors)
		bench_keep(run, &profile.found, false);
out:
	free(profile.places);
	free(profile.rates);
	return r;
}

const struct bench_kind bench_profile = {
	.name = "profile",
	.summary = N_("speed from start to end, access times, time for all"),
	.takes = BENCH_TAKES_SIZE | BENCH_TAKES_TIME | BENCH_TAKES_ROUNDS | BENCH_TAKES_POSITIONS |
		 BENCH_TAKES_WRITE,
	.size = 100000000,
	.time_ns = NSEC_PER_SEC,
	.rounds = 1,
	.run = run,
};
