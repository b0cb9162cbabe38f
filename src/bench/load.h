/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads with one of the backends, at one request size and depth, for some bytes or some time, and
 * says how long it took; or writes what was read there before. A backend that works inside the call
 * gets a thread for each request in flight, as it gets lanes in a copy.
 */
#pragma once

#include "bench/kind.h"
#include "stats/latency.h"

enum bench_pattern {
	BENCH_SEQUENTIAL, /* from `start`, and from there again at `past`. The first request is not
			   * counted: it gets there */
	BENCH_RANDOM,     /* aligned to the request */
	BENCH_ENDS,       /* near the start and near the end in turn: full stroke */
	BENCH_TRACKS,     /* steps of about a track backwards from the middle */
	BENCH_SAME,       /* one place again and again */
};

struct bench_load {
	const struct io_backend *backend;
	const struct io_end *end;
	enum bench_pattern pattern;
	uint64_t start, past; /* bytes of the end, the range that is read; past 0: all of it */
	uint32_t request;     /* bytes, whole sectors */
	uint32_t depth;
	uint64_t bytes;     /* to read at most; 0: no limit */
	uint64_t ns;        /* to read for at most; 0: no limit. One of the two there is. */
	bool plain, polled; /* of io_uring, as in struct io_setup */
	uint32_t seed;      /* of BENCH_RANDOM: the same seed reads the same places */
	/* The data stays here: of a sequential load, request after request, all from one pool. */
	struct bench_kept *kept;
	bool write; /* what is kept, to where it was read. The time ends when it is flushed */
};

struct bench_kept {
	struct io_buffers *pool;
	uint32_t count;
	void *pieces[]; /* of one request each */
};

struct bench_loaded {
	uint64_t bytes, requests;
	double seconds;  /* from the first submit to the last answer */
	double cpu;      /* seconds of this process meanwhile, workers of io_uring included */
	uint64_t calls;  /* of the system, for all of it; 0: not known */
	bool registered; /* io_uring holds the buffers for good */
	uint64_t failed; /* requests; `error` has the first */
	struct error error;
	struct latency latency;
	struct bench_how how; /* as the driver answered */
};

/* Room for so many requests of this size; to be released by bench_kept_destroy(). */
int bench_kept_new(uint32_t count, uint32_t request, struct bench_kept **ret, struct error *reterr);
void bench_kept_destroy(struct bench_kept *kept); /* NULL is fine */

/* Seconds within which this share of the requests was answered. */
static inline double bench_percentile(const struct bench_loaded *loaded, double share)
{
	return (double)latency_percentile(&loaded->latency, share) / 1e9;
}

/* What could not be read is noted (bench_bad_place()). 0 (also then), -ECANCELED with what was read
 * so far, or what ended it: the backend cannot be opened, or bench_is_fatal(). */
int bench_load_run(struct bench_run *run, const struct bench_load *load, struct bench_loaded *ret,
		   struct error *reterr);

/* That this process has used so far, workers of io_uring included. */
double bench_processor_seconds(void);

/* The backend and the depth that a copy from this end would choose; 0 or the choice's error. */
int bench_load_choose(const struct io_end *end, struct bench_load *ret, struct error *reterr);
