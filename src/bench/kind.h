/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a kind of measurement works with, in the thread of the measurement. It changes the result
 * only between bench_lock() and bench_unlock(); it alone writes, so it may read it at any time.
 */
#pragma once

#include "bench/bench.h"
#include "io/io.h"
#include "scsi/driver.h"
#include "session/measured_disks.h"

struct bench_run {
	const struct bench_options *options;
	/* The disk, claimed; size 0: none was named. writable: it was confirmed for writing */
	struct io_end end;
	const struct sg_driver *sg; /* the real one, or that of a test */
	uint64_t size, ns;          /* as asked for, or the kind's own (struct bench_kind) */
	unsigned rounds, round;     /* round: that is being measured */
	double share, done;         /* of the progress: of the next bench_rounds(), and until now */
	bool nomem;                 /* something could not be kept: the measurement ends */
	struct bench_result *result;
	struct bench *bench;
};

/* Is it to end? To be asked before each request. */
bool bench_stops(const struct bench_run *run);
void bench_lock(struct bench_run *run);
void bench_unlock(struct bench_run *run);
/* Columns and rows: a key, and N_() what is shown. */
struct bench_named {
	const char *key, *label;
};

/* These take the lock themselves. Without memory for it they set `nomem`. */

/* A table with these columns and, none of them on an axis, rows. Returns the index of the first row
 * in result->rows. */
unsigned bench_make_table(struct bench_run *run, const char *key, const char *title,
			  const struct bench_named *columns, unsigned column_count,
			  const struct bench_named *rows, unsigned row_count);
/* A row of the table added last; with a position (struct bench_row) it is a point of a curve.
 * Returns its index. */
unsigned bench_add_row(struct bench_run *run, double position, const char *label,
		       const char *key_format, ...) __attribute__((format(printf, 4, 5)));
/* The row of this size of requests. */
unsigned bench_add_size(struct bench_run *run, uint32_t size);
void bench_note(struct bench_run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The sentence at the end. */
void bench_conclude(struct bench_run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void bench_sample(struct bench_run *run, unsigned row, unsigned column, enum bench_unit unit,
		  double value, const struct bench_how *how);
/* What is being measured: translated, without the round. */
void bench_tell(struct bench_run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Measures 0 to count - 1 in each of the rounds, in turn, so that what else happens on the machine
 * meets all of them. 0, -ECANCELED, or what measure() returned. */
int bench_rounds(struct bench_run *run, unsigned rounds, unsigned count,
		 int (*measure)(void *kind, unsigned i, struct error *reterr), void *kind,
		 struct error *reterr);

/* The next of numbers that look random; *state must not be 0. */
static inline uint64_t bench_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A line of /proc/meminfo ("MemAvailable"), in bytes; negative: not known. */
double bench_memory(const char *name);

/* The disk has answered at this time of clock_monotonic(). */
void bench_answered(const struct bench_run *run, uint64_t now);
/* For the copies to come, unless the disk is a partition; that it cannot be kept is noted. */
void bench_keep(struct bench_run *run, const struct measured *found, bool sizes);
/* A place of the disk could not be read: noted (the first few with their sentences) and counted;
 * the measurement goes on. */
void bench_bad_place(struct bench_run *run, const struct error *error);
/* After a failed request: is this the end of the disk, rather than of a place on it? (It is gone,
 * or does not answer.) */
bool bench_is_fatal(const struct bench_run *run, int code);
