/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bench: measures what a disk, its cable, its adapter and the kernel do, with the backends that
 * a copy uses. One file for each kind of measurement, one table of all (bench_kinds). Nothing is
 * written to a disk that was not confirmed for that.
 *
 * A measurement runs in a thread of its own. bench_start(), bench_destroy() and bench_wait() belong
 * to one thread of a front end; the rest may be called by any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bench/result.h"
#include "discover/endpoint.h"

struct bench;
struct bench_run;
struct session;

/* Which of the options below a kind takes. */
enum bench_takes {
	BENCH_TAKES_SIZE = 1 << 0,
	BENCH_TAKES_TIME = 1 << 1,
	BENCH_TAKES_ROUNDS = 1 << 2,
	BENCH_TAKES_POSITIONS = 1 << 3,
	BENCH_TAKES_PAIR = 1 << 4, /* copies between practice disks, or two that were confirmed */
	BENCH_TAKES_WRITE = 1 << 5,
	BENCH_TAKES_REQUEST = 1 << 6,
};

struct bench_kind {
	const char *name;    /* "rbuf" */
	const char *summary; /* N_(): one line */
	unsigned takes;      /* enum bench_takes */
	/* What is chosen where the options leave it open; size and time_ns 0: no limit. */
	uint64_t size, time_ns;
	unsigned rounds;
	/* Measures. Adds tables, rows and samples as it goes, so that what there is when it is
	 * stopped can be shown. 0, -ECANCELED (bench_stops()), or an error that ends it. */
	int (*run)(struct bench_run *run, struct error *reterr);
};

extern const struct bench_kind bench_rbuf, bench_profile, bench_sizes, bench_engines, bench_copy,
	bench_lethargy;

/* Ends with NULL. */
extern const struct bench_kind *const bench_kinds[];
/* NULL: there is none of that name. */
const struct bench_kind *bench_kind_find(const char *name);

/* 0 is what the kind chooses. Strings are borrowed until bench_destroy(). */
struct bench_options {
	const struct bench_kind *kind;
	struct endpoint disk; /* kind ENDPOINT_NONE: none (BENCH_TAKES_PAIR) */
	/* Of a kind that copies: with its plan confirmed, of one extent from disk to disk; NULL: on
	 * practice disks. Nobody else uses it meanwhile. */
	const struct session *confirmed;
	const char *confirm;  /* what was typed for the disk to be written to; NULL: only read it */
	const char *log_dir;  /* where what was found is kept for later copies; NULL: nowhere */
	const char *practice; /* folder for practice disks, or NULL */
	uint64_t size;        /* bytes to read for a figure, or at a place */
	uint64_t time_ns;     /* at most, for a figure or a place */
	uint64_t request;     /* bytes: only this size; 0: all sizes */
	uint32_t rounds, positions; /* at most BENCH_ROUNDS_MAX; BENCH_POSITIONS_MAX */
	/* So many `positions`, ascending, where to read; NULL: spread over the disk */
	const uint64_t *sectors;
};

#define BENCH_POSITIONS_MAX 4096
#define BENCH_PAIR_SIZE     (1ULL << 30) /* of a destination, to be overwritten */

/* So many sectors of the source, from its start on, are copied between two disks: whole sectors of
 * both, `size` bytes (0: BENCH_PAIR_SIZE) or what there is. */
static inline uint64_t bench_pair_sectors(const struct endpoint *source,
					  const struct endpoint *destination, uint64_t size)
{
	uint32_t sector = source->logical_sector_size;

	size = size ? size : BENCH_PAIR_SIZE;
	size = size < source->size ? size : source->size;
	size = size < destination->size ? size : destination->size;
	if (destination->logical_sector_size > sector)
		sector = destination->logical_sector_size;
	return sector ? size / sector * sector / source->logical_sector_size : 0;
}

/* Checks that no copy writes to the disk and starts to measure; does not wait for the disk. That it
 * cannot be claimed for reading is the result's error. `disks` is not needed afterwards. Class
 * REFUSED, USAGE or ENVIRONMENT. */
int bench_start(const struct bench_options *options, const struct disk_list *disks,
		struct bench **ret, struct error *reterr);
/* To be called soon after: a request that is at the disk is waited for. */
void bench_stop(struct bench *bench);
/* Has it ended? Waits for that at most so long. */
bool bench_wait(struct bench *bench, uint64_t timeout_ns);
/* Ends when the disk answers; a front end that cannot wait leaves it and exits. NULL is fine. */
void bench_destroy(struct bench *bench);

struct bench_progress {
	double done;        /* 0…1 */
	double eta;         /* seconds; negative: unknown */
	char what[96];      /* being measured now, translated */
	uint64_t silent_ns; /* since the last answer of the disk */
	bool ended;
};

void bench_progress(struct bench *bench, struct bench_progress *ret);
/* The result as of now, also while it runs; to be released by bench_result_done(). -ENOMEM. */
int bench_snapshot(struct bench *bench, struct bench_result *ret);
