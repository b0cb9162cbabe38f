/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gilbert's copy table: the same copy in many ways, by clonedeck's own engines and by the programs
 * that others use, between practice disks or the beginning of disks that were confirmed. Every way
 * is first tried on practice disks, with zeros all around the region that it is to write, and then,
 * uncounted, on the real ones: who copies wrongly is not measured, and who writes beside the region
 * never gets at a real disk. The rounds are interleaved, so that what else happens on the machine
 * meets all of them; the time ends when the destination has stored all of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "bench/disk_pair.h"

#define GIB ((double)(1U << 30))
/* Of the practice disks on which a way is tried before it gets at real ones. */
#define TRIED_SIZE   (16U << 20)
#define TRIED_MARGIN (1U << 20)

enum column { SECONDS, RATE, CPU };

#define CLONE            PAIR_CLONE, "--no-arm-last"
#define OWN_BY(from, to) CLONE, "--source-backend", from, "--destination-backend", to
#define DD_REGION        "skip=@i", "seek=@o", "count=@n", "conv=notrunc", "status=none"
#define DD               "dd", "if=@s", "of=@d", DD_REGION
#define BYTES            "iflag=skip_bytes,count_bytes", "oflag=seek_bytes"
#define DIRECT_BYTES     "iflag=direct,skip_bytes,count_bytes", "oflag=direct,seek_bytes"
#define SG_DD            "if=@s", "of=@d", "bs=@b", "skip=@I", "seek=@O", "count=@N"
#define SG_DD_SG         "if=@S", "of=@D", "bs=@b", "skip=@J", "seek=@P", "count=@N"

struct way {
	struct bench_named name;
	uint32_t request; /* 0: its own */
	enum bench_path path;
	bool whole; /* it copies whole disks only */
	bool nodes; /* it needs sg or raw nodes, which practice disks do not have */
	const char *argv[PAIR_ARGUMENTS]; /* of pair_expand() */
};

#define WAY(key, label, size, way_path, ...)                                                       \
	{                                                                                          \
		.name = { (key), (label) }, .request = (size), .path = (way_path), __VA_ARGS__     \
	}
#define ARGV(...) .argv = { __VA_ARGS__ }
/* Sizes: 0 where the program chooses its own. */
static const struct way ways[] = {
	WAY("dd-512", N_("dd, 512 B"), 512, BENCH_BUFFERED, ARGV(DD, "bs=512", BYTES)),
	WAY("dd-8k", N_("dd, 8 KiB"), 8192, BENCH_BUFFERED, ARGV(DD, "bs=8k", BYTES)),
	WAY("dd-direct", N_("dd, 1 MiB, direct"), 1 << 20, BENCH_DIRECT,
	    ARGV(DD, "bs=1M", DIRECT_BYTES)),
	WAY("one-thread", N_("one thread, one request"), 0, BENCH_DIRECT,
	    ARGV(OWN_BY("threads", "threads"), "-j1", "-q1")),
	WAY("threads", N_("lanes of threads"), 0, BENCH_DIRECT, ARGV(OWN_BY("threads", "threads"))),
	WAY("uring", N_("io_uring"), 0, BENCH_DIRECT, ARGV(OWN_BY("uring", "uring"))),
	WAY("sg", N_("lanes by sg"), 0, BENCH_PATH_UNKNOWN, ARGV(OWN_BY("sg", "sg")),
	    .nodes = true),
	WAY("mixed", N_("io_uring to page cache"), 0, BENCH_PATH_UNKNOWN,
	    ARGV(OWN_BY("uring", "buffered"))),
	WAY("own-choice", N_("as clonedeck chooses"), 0, BENCH_PATH_UNKNOWN, ARGV(CLONE)),
	WAY("raw", N_("dd, 1 MiB, raw nodes"), 1 << 20, BENCH_DIRECT,
	    ARGV("dd", "if=@r", "of=@R", DD_REGION, "bs=1M", BYTES), .nodes = true),
	WAY("sg_dd", N_("sg_dd"), 0, BENCH_BUFFERED, ARGV("sg_dd", SG_DD)),
	WAY("sg_dd-sg", N_("sg_dd, sg nodes"), 0, BENCH_INDIRECT, ARGV("sg_dd", SG_DD_SG),
	    .nodes = true),
	WAY("sgp_dd", N_("sgp_dd"), 0, BENCH_BUFFERED, ARGV("sgp_dd", SG_DD)),
	WAY("sgp_dd-sg", N_("sgp_dd, sg nodes"), 0, BENCH_INDIRECT, ARGV("sgp_dd", SG_DD_SG),
	    .nodes = true),
	WAY("ddrescue", N_("ddrescue"), 0, BENCH_BUFFERED,
	    ARGV("ddrescue", "-q", "-f", "-b@b", "-i@i", "-o@o", "-s@n", "@s", "@d")),
	WAY("nbdcopy", N_("nbdcopy"), 0, BENCH_BUFFERED, ARGV("nbdcopy", "@s", "@d"),
	    .whole = true),
};
#define WAYS ARRAY_SIZE(ways)

struct copies {
	struct bench_run *run;
	struct pair pair, tried;       /* tried: practice disks, where `pair` are real ones */
	struct pair_argv argv;         /* of the program that runs */
	char programs[WAYS][PATH_MAX]; /* "": it is not installed, or cannot do it */
	struct error failed;           /* of the way that failed last */
};

/* ---- the table, and which programs there are ---- */

static void describe(struct copies *all)
{
	static const struct bench_named columns[] = {
		[SECONDS] = { "seconds", N_("time") },
		[RATE] = { "rate", N_("throughput") },
		[CPU] = { "cpu", N_("CPU") },
	};
	struct bench_named rows[WAYS];
	char title[120];

	for (unsigned i = 0; i < WAYS; i++)
		rows[i] = ways[i].name;
	if (all->pair.plan)
		bench_note(all->run, _("%s is overwritten from its start on: %s."),
			   all->pair.disks[1].node,
			   BENCH_PRINT(BENCH_BYTES, (double)all->pair.size));
	snprintf(title, sizeof(title), _("Copying %s until the destination has stored it"),
		 BENCH_PRINT(BENCH_BYTES, (double)all->pair.size));
	bench_make_table(all->run, "copy", title, columns, 3, rows, WAYS);
}

static bool is_own(unsigned i)
{
	return strcmp(ways[i].argv[0], BESIDE_OWN) == 0;
}

/* Why this way is left out; NULL: it is not. */
static const char *unfit(struct copies *all, unsigned i)
{
	char *program = all->programs[i];

	if (beside_find(ways[i].argv[0], program, PATH_MAX) < 0)
		return _("Not installed");
	if (!pair_expand(&all->pair, ways[i].argv, &all->argv) ||
	    (ways[i].nodes && is_own(i) &&
	     !(all->pair.disks[0].paths[PAIR_SG][0] && all->pair.disks[1].paths[PAIR_SG][0])))
		return _("Not both disks have such nodes");
	return all->pair.plan && ways[i].whole ? _("Copies no part of a disk") : NULL;
}

/* One note for all that lack the same; the reasons differ as texts. */
static void find_programs(struct copies *all)
{
	const char *reasons[WAYS];

	for (unsigned i = 0; i < WAYS; i++)
		reasons[i] = unfit(all, i);
	for (unsigned i = 0; i < WAYS; i++) {
		const char *reason = reasons[i];
		char names[160] = "";

		for (unsigned k = i; k < WAYS && reason; k++) {
			if (!reasons[k] || strcmp(reasons[k], reason) != 0)
				continue;
			/* There are commas in some. */
			text_join(names, sizeof(names), "\"%s\"", _(ways[k].name.label));
			all->programs[k][0] = '\0';
			reasons[k] = NULL;
		}
		if (reason)
			bench_note(all->run, _("%s: %s."), reason, names);
	}
}

/* What it took includes the flush of the destination. */
static int copy(struct copies *all, struct pair *pair, unsigned i, struct beside_cost *ret,
		struct error *reterr)
{
	uint64_t begin;
	int r = 0;

	if (!pair_expand(pair, ways[i].argv, &all->argv))
		return -EINVAL;
	pair_forget(pair);
	if (!is_own(i)) /* which claims both by itself */
		r = pair_hold(pair, reterr);
	if (r == 0)
		r = beside_run(all->run, NULL, all->programs[i], all->argv.argv, ret, reterr);
	begin = clock_monotonic();
	if (r == 0)
		r = pair_flush(pair, reterr);
	ret->seconds += (double)(clock_monotonic() - begin) / 1e9;
	if (r == 0 || r == -ECHILD)
		r = pair_blame(pair, r, reterr);
	pair_release(pair);
	return r;
}

/* A way that fails or copies wrongly is left out from then on, and a note says so. */
static int try_on(struct copies *all, struct pair *pair, unsigned i, struct error *reterr)
{
	struct error error = { 0 };
	struct beside_cost cost = { 0 };
	int r = pair_clear(pair, reterr);

	if (r == 0)
		r = copy(all, pair, i, &cost, &error);
	if (r == 0)
		r = pair_compare(pair, &error);
	if (r > 0)
		return 0;
	if (r == 0)
		bench_note(
			all->run,
			_("%s ended as if all was well, but its copy differs from the source: it "
			  "was not measured."),
			_(ways[i].name.label));
	else if (r == -ECHILD)
		bench_note(all->run, "%s: %s", _(ways[i].name.label), error.sentence);
	if (r == -ECHILD)
		all->failed = error;
	else if (error.code && reterr)
		*reterr = error;
	all->programs[i][0] = '\0';
	return r == -ECHILD ? 0 : r;
}

static int try(void *kind, unsigned i, struct error *reterr)
{
	struct copies *all = kind;
	int r = 0;

	if (!all->programs[i][0])
		return 0;
	bench_tell(all->run, _("trying %s"), _(ways[i].name.label));
	/* No practice disk has sg nodes: clonedeck by sg only writes what it was confirmed. */
	if (all->pair.plan && !(ways[i].nodes && is_own(i)))
		r = try_on(all, &all->tried, i, reterr);
	return r == 0 && all->programs[i][0] ? try_on(all, &all->pair, i, reterr) : r;
}

/* ---- measuring ---- */

static int measure(void *kind, unsigned i, struct error *reterr)
{
	struct copies *all = kind;
	struct bench_how how = { .request = ways[i].request, .depth = 0, .path = ways[i].path };
	double bytes = (double)all->pair.size;
	struct beside_cost cost = { 0 };

	if (!all->programs[i][0])
		return 0;
	bench_tell(all->run, _("copying: %s"), _(ways[i].name.label));
	int r = copy(all, &all->pair, i, &cost, reterr);

	if (r < 0)
		return r;
	text_copy(how.engine, sizeof(how.engine), ways[i].argv[0]);
	bench_sample(all->run, i, SECONDS, BENCH_SECONDS, cost.seconds, &how);
	bench_sample(all->run, i, RATE, BENCH_RATE, bytes / cost.seconds, &how);
	bench_sample(all->run, i, CPU, BENCH_CPU_PER_GIB, cost.cpu / bytes * GIB, &how);
	return 0;
}

static int run_all(struct bench_run *run, struct error *reterr)
{
	struct copies *all = calloc(1, sizeof(*all));
	int r;

	if (!all)
		return error_nomem(reterr);
	all->run = run;
	r = pair_open(run, &all->pair, reterr);
	if (r == 0 && all->pair.plan)
		r = pair_practice(run, TRIED_SIZE, TRIED_MARGIN, &all->tried, reterr);
	if (r == 0) {
		describe(all);
		find_programs(all);
		run->share = 1.0 / (run->rounds + 1);
		r = bench_rounds(run, 1, WAYS, try, all, reterr);
	}
	if (r == 0)
		r = bench_rounds(run, run->rounds, WAYS, measure, all, reterr);
	if (r == 0 && run->result->figure_count == 0 && all->failed.code) {
		*reterr = all->failed;
		r = all->failed.code;
	}
	if (all->tried.run)
		pair_done(&all->tried);
	pair_done(&all->pair);
	free(all);
	return r;
}

const struct bench_kind bench_copy = {
	.name = "copy",
	.summary = N_("the same copy by clonedeck, dd, ddrescue and others"),
	.takes = BENCH_TAKES_SIZE | BENCH_TAKES_ROUNDS | BENCH_TAKES_PAIR,
	.size = PAIR_SIZE,
	.rounds = 3,
	.run = run_all,
};
