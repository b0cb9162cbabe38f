/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measurements that only pretend: the first kind never ends by itself, the second has ended when
 * one looks, the third fails.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"

struct bench {
	const struct bench_kind *kind;
	struct endpoint disk;
	bool stopped;
};

static const struct bench_kind profile = { "profile",
					   "speed from the start of the disk to its end" };
static const struct bench_kind engines = { "engines", "every way into the kernel" };
static const struct bench_kind lethargy = { "lethargy", "what a copy does to other programs",
					    BENCH_TAKES_PAIR };
const struct bench_kind *const bench_kinds[] = { &profile, &engines, &lethargy, NULL };

int bench_start(const struct bench_options *options, const struct disk_list *disks,
		struct bench **ret, struct error *reterr)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return error_nomem(reterr);
	(*ret)->kind = options->kind;
	(*ret)->disk = options->disk;
	return 0;
}

void bench_stop(struct bench *bench)
{
	bench->stopped = true;
}

bool bench_wait(struct bench *bench, uint64_t timeout_ns)
{
	return true;
}

void bench_destroy(struct bench *bench)
{
	free(bench);
}

void bench_progress(struct bench *bench, struct bench_progress *ret)
{
	bool runs = bench->kind == &profile && !bench->stopped;

	*ret = (struct bench_progress){ .done = runs ? 0.7 : 1,
					.eta = runs ? 21 : -1,
					.what = "place 45 of 64",
					.ended = !runs };
}

/* A spinning disk with a weak place, of which two thirds are measured. */
static void fill_profile(struct bench_result *result)
{
	const struct bench_how how = { "uring", 1 << 20, 8, BENCH_DIRECT };
	unsigned table = bench_result_table(result, "profile", "Read speed by place");

	bench_result_column(result, table, "rate", "speed");
	bench_result_column(result, table, "p99", "99 % wait");
	for (int i = 0; i < 64; i++) {
		char key[24], label[64];
		int row;

		snprintf(key, sizeof(key), "%d", i);
		snprintf(label, sizeof(label), "%.2f T", 2.0 * i / 64);
		row = bench_result_row(result, key, label, i);
		if (i > 44)
			continue;
		bench_result_add(result, (unsigned)row, 0, BENCH_RATE,
				 i == 42 ? 101e6 : 212e6 - 1.5e6 * i, &how);
		bench_result_add(result, (unsigned)row, 1, BENCH_SECONDS, 0.005 + i / 1e4, &how);
	}
}

static void fill_engines(struct bench_result *result)
{
	static const char *const names[] = { "pread, threads", "libaio", "io_uring" };
	static const char *const titles[][2] = {
		{ "random", "Random reads per second" },
		{ "sequential", "Sequential reads per second" },
	};

	for (unsigned t = 0; t < 2; t++) {
		unsigned table = bench_result_table(result, titles[t][0], titles[t][1]);

		bench_result_column(result, table, "ops", "depth 1");
		bench_result_column(result, table, "cpu", "CPU each");
		bench_result_column(result, table, "calls", "calls each");
		bench_result_column(result, table, "best", "best");
		bench_result_column(result, table, "best_depth", "at depth");
		for (unsigned i = 0; i < 9; i++) {
			const struct bench_how how = { "uring", 512U << i / 3 * 3, 1,
						       BENCH_DIRECT };
			char label[64];

			snprintf(label, sizeof(label), "%u B, %s", how.request, names[i % 3]);
			int row = bench_result_row(result, label, label, -1);

			bench_result_add(result, (unsigned)row, 0, BENCH_PER_SECOND,
					 330e3 / (i + 1 + t), &how);
			bench_result_add(result, (unsigned)row, 1, BENCH_SECONDS, 2.4e-6, &how);
			bench_result_add(result, (unsigned)row, 3, BENCH_PER_SECOND, 4e5, &how);
			bench_result_add(result, (unsigned)row, 4, BENCH_COUNT, 16, &how);
		}
	}
	snprintf(result->conclusion, sizeof(result->conclusion),
		 "Of random reads most are made by "
		 "io_uring.");
}

int bench_snapshot(struct bench *bench, struct bench_result *ret)
{
	*ret = (struct bench_result){ .end = BENCH_COMPLETE, .identity = bench->disk.identity };
	snprintf(ret->node, sizeof(ret->node), "%s", bench->disk.node);
	snprintf(ret->kind, sizeof(ret->kind), "%s", bench->kind->name);
	snprintf(ret->machine, sizeof(ret->machine), "Linux 6.1, 2 processors, idle");
	if (bench->kind == &engines) {
		fill_engines(ret);
	} else if (bench->kind == &profile) {
		fill_profile(ret);
		ret->end = bench->stopped ? BENCH_STOPPED : BENCH_RUNNING;
	} else {
		ret->end = BENCH_FAILED;
		error_set(&ret->error, ERROR_CLASS_ENVIRONMENT, -EACCES, "make",
			  "/dev/loop-control", "Only root can make practice disks.");
	}
	return 0;
}
