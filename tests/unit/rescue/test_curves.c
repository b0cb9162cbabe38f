/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What comes off a disk before it dies: at every number of failed reads at least as much as GNU
 * ddrescue has by then, but for a stated rest, on disks that are damaged in the ways of
 * tests/bench/patterns.py. No time passes here.
 */
#include "unit.h"

#include <string.h>

#include "base/hash.h"
#include "job/rig.h"
#include "paper.h"
#include "peer.h"
#include "plan/preset.h"

#define FAILURES 1000
#define SIZE     (512 * MIB)
/* Where nothing is damaged on purpose. */
#define EDGE MIB

static uint64_t drawn;

static uint64_t draw(uint64_t below)
{
	return splitmix64(drawn++) % below;
}

/* A place on the disk, at a multiple of a MiB. */
static uint64_t part(unsigned thousandths)
{
	return SIZE / 1000 * thousandths / MIB * MIB;
}

static void scatter(struct paper *paper, unsigned count, uint64_t start, uint64_t length)
{
	while (count-- > 0)
		paper_damage(paper, start + draw(length / PAPER_SECTOR) * PAPER_SECTOR,
			     PAPER_SECTOR);
}

static void single(struct paper *paper)
{
	scatter(paper, 100, EDGE, SIZE - 2 * EDGE);
}

static void dense(struct paper *paper)
{
	scatter(paper, (unsigned)(SIZE / 4 / (256 * KIB)), part(300), SIZE / 4);
}

static void clustered(struct paper *paper)
{
	static const unsigned places[] = { 150, 400, 600, 850 };

	for (unsigned i = 0; i < 4; i++)
		for (unsigned j = 0; j < 40; j++)
			paper_damage(paper,
				     part(places[i]) +
					     draw(SIZE / 32 / PAPER_SECTOR) * PAPER_SECTOR,
				     (1 + draw(60)) * PAPER_SECTOR);
}

static void regions(struct paper *paper)
{
	paper_damage(paper, part(100), SIZE / 64);
	paper_damage(paper, part(300), SIZE / 128);
	paper_damage(paper, part(550), SIZE / 32);
	paper_damage(paper, part(800), SIZE / 128);
}

static void stripes(struct paper *paper)
{
	for (uint64_t at = SIZE / 32; at < SIZE - EDGE; at += SIZE / 16)
		paper_damage(paper, at, SIZE / 256);
}

static void edges(struct paper *paper)
{
	paper_damage(paper, EDGE, SIZE / 128);
	paper_damage(paper, SIZE - EDGE - SIZE / 64, SIZE / 64);
}

static void slow(struct paper *paper)
{
	scatter(paper, 60, part(400), SIZE / 32);
}

static void physical(struct paper *paper)
{
	for (unsigned i = 0; i < 60; i++)
		paper_damage(paper, EDGE + draw((SIZE - 2 * EDGE) / 4096) * 4096, 4096);
}

static void hanging(struct paper *paper)
{
	scatter(paper, 6, EDGE, SIZE - 2 * EDGE);
}

static void areas(struct paper *paper)
{
	for (unsigned i = 0; i < 300; i++)
		scatter(paper, 20, EDGE + draw((SIZE - 2 * EDGE) / (256 * KIB)) * 256 * KIB,
			64 * KIB);
}

/* Every failed read hurts what follows. */
static void growing(struct paper *paper)
{
	paper_damage(paper, part(200), 256 * KIB);
	paper_damage(paper, part(500), 256 * KIB);
	paper_damage(paper, part(700), 256 * KIB);
	paper->grows = 256;
}

/* What one kind of damage teaches is wrong for the next one. */
static void mixed(struct paper *paper)
{
	paper_damage(paper, part(60), SIZE / 32);
	scatter(paper, 25, part(100), part(300));
	for (unsigned i = 0; i < 6; i++)
		paper_damage(paper, part(420 + 20 * i), SIZE / 512);
	scatter(paper, 40, part(600), SIZE / 32);
	paper_damage(paper, part(700), SIZE / 64);
	scatter(paper, 10, part(750), part(200));
}

/*
 * MiB behind at most. By default four requests of 512 KiB are in flight when the first one fails,
 * and what is good in those that fail with it is read when all else has been. For a failing disk it
 * is one of 256 KiB. Later on, ddrescue may by chance have come further in a damaged zone.
 */
static const struct {
	const char *name;
	void (*damage)(struct paper *paper);
	double by_default, failing;
} patterns[] = {
	{ "single", single, 2, 1 },       { "dense", dense, 4, 2.5 },
	{ "clustered", clustered, 6, 5 }, { "regions", regions, 0, 0 },
	{ "stripes", stripes, 2, 0 },     { "edges", edges, 1, 0.5 },
	{ "slow", slow, 2, 0.5 },         { "physical", physical, 4, 2.5 },
	{ "hanging", hanging, 2, 1 },     { "areas", areas, 2, 0.25 },
	{ "mixed", mixed, 6, 6 },         { "growing", growing, 0, 0 },
};

#define PATTERNS (ARRAY_SIZE(patterns))

static void rescue(struct paper *paper, const struct plan_options *options)
{
	struct rig rig;

	rig_new_empty(&rig, SIZE, PAPER_SECTOR);
	rig_plan(&rig, NULL, 0, NULL, options);
	rig.setup.source.rotational = YES;
	rig.setup.source.queue_depth = 32;
	rig.setup.source_backend = &paper->backend;
	rig.setup.destination_backend = &io_null_backend;
	rig_run(&rig);
	rig_done(&rig);
}

/* Bytes, and after which failed read. */
static uint64_t most_behind(const struct paper *ours, const struct paper *theirs, size_t *retat)
{
	uint64_t most = 0;

	*retat = 0;
	for (size_t i = 1; i <= FAILURES; i++) {
		uint64_t a = paper_after(ours, i), b = paper_after(theirs, i);

		if (b > a && b - a > most) {
			most = b - a;
			*retat = i;
		}
	}
	return most;
}

/* MiB ahead, on average over all failed reads: which of them comes first is partly luck. */
static double ahead(const struct paper *ours, const struct paper *theirs)
{
	double sum = 0;

	for (size_t i = 1; i <= FAILURES; i++)
		sum += (double)paper_after(ours, i) - (double)paper_after(theirs, i);
	return sum / FAILURES / MIB;
}

UNIT_CASE(.timeout = 20);

TEST_ROWS(what_comes_off_before_the_disk_dies, loop_of_data(2 * PATTERNS, 2))
{
	size_t pattern = (size_t)_i / 2;
	bool failing = _i % 2;
	double most = failing ? patterns[pattern].failing : patterns[pattern].by_default;
	struct plan_options options = PLAN_OPTIONS_DEFAULT;
	struct paper ours, theirs;
	double behind;
	size_t at;

	if (failing)
		preset_apply(&options, PRESET_FAILING, 0);
	options.max_read_errors = FAILURES;
	paper_new(&ours, SIZE, FAILURES);
	paper_new(&theirs, SIZE, FAILURES);
	patterns[pattern].damage(&ours);
	memcpy(theirs.bad, ours.bad, SIZE / PAPER_SECTOR);
	theirs.grows = ours.grows;
	peer_rescue(&theirs, FAILURES);
	rescue(&ours, &options);
	behind = (double)most_behind(&ours, &theirs, &at) / MIB;
	ck_assert_msg(behind <= most, "%s, %s: %.2f MiB behind at the failed read number %zu",
		      patterns[pattern].name, failing ? "failing" : "by default", behind, at);
	ck_assert_msg(ahead(&ours, &theirs) > -1, "%s, %s: %.2f MiB ahead on average",
		      patterns[pattern].name, failing ? "failing" : "by default",
		      ahead(&ours, &theirs));
	paper_done(&ours);
	paper_done(&theirs);
}
