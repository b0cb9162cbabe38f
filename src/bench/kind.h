/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a kind of measurement works with, in the thread of the measurement. It changes the result
 * only between bench_lock() and bench_unlock(); it alone writes, so it may read it at any time.
 */
#ifndef CLONEDECK_BENCH_KIND_H
#define CLONEDECK_BENCH_KIND_H

#include "bench/bench.h"
#include "io/io.h"
#include "scsi/driver.h"
#include "session/measured.h"

struct bench_run {
	const struct bench_options *options;
	/* The disk, claimed; size 0: none was named. writable: it was confirmed for writing */
	struct io_end end;
	const struct sg_driver *sg; /* the real one, or that of a test */
	uint32_t rounds; /* options->rounds, or what suits the kind: to be set by it if 0 */
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

/* These take the lock themselves. */

/* A table with these columns and, none of them on an axis, rows. Returns the index of the first row
 * in result->rows, or -ENOMEM. */
int bench_make_table(struct bench_run *run, const char *key, const char *title,
		     const struct bench_named *columns, unsigned column_count,
		     const struct bench_named *rows, unsigned row_count);
void bench_note(struct bench_run *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int bench_sample(struct bench_run *run, unsigned row, unsigned column, enum bench_unit unit,
		 double value, const struct bench_how *how);
/* Translated. done: 0…1 of the whole measurement. */
void bench_tell(struct bench_run *run, double done, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The disk has answered. */
void bench_answered(const struct bench_run *run);
/* For the copies to come, unless the disk is a partition; that it cannot be kept is noted. */
void bench_keep(struct bench_run *run, const struct measured *found, bool sizes);
/* A place of the disk could not be read: noted (the first few with their sentences) and counted;
 * the measurement goes on. */
void bench_bad_place(struct bench_run *run, const struct error *error);
/* After a failed request: is this the end of the disk, rather than of a place on it? (It is gone,
 * or does not answer.) */
bool bench_is_fatal(const struct bench_run *run, int code);

#endif
