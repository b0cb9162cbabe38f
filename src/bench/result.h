/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a measurement found, as plain data: tables of rows, and in each cell a figure with its unit,
 * how it scattered over the rounds and how it was taken. A cell without a figure was not measured;
 * it is shown as unknown, never as 0.
 *
 * The owner's thread; others get copies (bench_snapshot()).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "discover/disk.h"

#define BENCH_ROUNDS_MAX  32
#define BENCH_TABLES_MAX  4
#define BENCH_COLUMNS_MAX 24
#define BENCH_NOTES_MAX   12

enum bench_unit {
	BENCH_BYTES,
	BENCH_RATE,       /* bytes per second */
	BENCH_PER_SECOND, /* requests, starts of a program, … */
	BENCH_SECONDS,
	BENCH_CPU_PER_GIB, /* seconds of processor time for 1 GiB */
	BENCH_SHARE,       /* 0…1 of one processor, and more with several threads */
	BENCH_COUNT,
	BENCH_UNIT_COUNT,
};

/* How the data came to us, as the driver answered, not as it was asked for. */
enum bench_path {
	BENCH_PATH_UNKNOWN, /* the driver does not tell, or it does not apply */
	BENCH_DIRECT,
	BENCH_INDIRECT, /* copied by the driver */
	BENCH_MAPPED,   /* left in a mapped buffer of the driver */
	BENCH_LEFT,     /* left in the kernel, nothing was copied to us */
	BENCH_BUFFERED, /* through the page cache */
	BENCH_PATH_COUNT,
};

struct bench_how {
	char engine[16];  /* "uring"; the name of another program; "": derived from other figures */
	uint32_t request; /* bytes; 0: does not apply */
	uint32_t depth;   /* requests in flight; 0: does not apply */
	enum bench_path path;
};

struct bench_figure {
	unsigned table, row, column; /* row: of all rows of the result */
	uint32_t rounds;
	enum bench_unit unit;
	struct bench_how how;
	double median, smallest, largest;
	double before; /* the median of an earlier result; negative: there is none */
	double samples[BENCH_ROUNDS_MAX]; /* ascending */
};

struct bench_column {
	char key[24];     /* for JSON, CSV and comparing: not translated, unique in its table */
	char heading[40]; /* translated */
};

struct bench_row {
	unsigned table;
	char key[24];    /* as of a column */
	char label[64];  /* translated */
	double position; /* on the axis of a chart: a size or a place in bytes; negative: none */
};

struct bench_table {
	char key[24];
	char title[120]; /* translated */
	struct bench_column columns[BENCH_COLUMNS_MAX];
	unsigned column_count;
	unsigned first_row, row_count; /* in the result's rows */
	bool chart;                    /* the rows are points of a curve */
};

enum bench_end {
	BENCH_RUNNING,
	BENCH_COMPLETE,
	BENCH_BAD_PLACES, /* complete but for places that could not be read */
	BENCH_STOPPED,    /* on request: what was measured so far */
	BENCH_FAILED,     /* `error` says why; what was measured so far */
};

struct bench_result {
	char kind[16];   /* "rbuf" */
	char title[120]; /* translated: what was measured */
	char node[64], transport[16], driver[32];
	struct identity identity; /* of the whole disk */
	uint64_t start;           /* of a partition: bytes from the start of its disk */
	int64_t started;          /* unix seconds */
	char machine[240];        /* kernel, processors, idle or what else runs; translated */
	enum bench_end end;
	struct error error;
	struct bench_table tables[BENCH_TABLES_MAX];
	unsigned table_count;
	struct bench_row *rows; /* table after table */
	size_t row_count;
	struct bench_figure *figures;
	size_t figure_count;
	char notes[BENCH_NOTES_MAX][320]; /* translated sentences: the disk is in use, … */
	unsigned note_count;
	char conclusion[400]; /* the translated sentence at the end; "": none */
	char before[300];     /* when and where the earlier result was taken; "": there is none */
};

/* Returns the index of the new table. */
unsigned bench_result_table(struct bench_result *result, const char *key, const char *title);
/* Of the table added last or any other. */
void bench_result_column(struct bench_result *result, unsigned table, const char *key,
			 const char *heading);
/* Of the table added last. Returns the row's index in result->rows, or -ENOMEM. position: negative
 * for none. */
int bench_result_row(struct bench_result *result, const char *key, const char *label,
		     double position);
/* One more sample of the cell. What the driver answered last is how it was taken. 0 or -ENOMEM. */
int bench_result_add(struct bench_result *result, unsigned row, unsigned column,
		     enum bench_unit unit, double value, const struct bench_how *how);
void bench_result_note(struct bench_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* NULL: not measured. Borrowed until a figure is added. */
struct bench_figure *bench_result_find(const struct bench_result *result, unsigned row,
				       unsigned column);
/* Of the column's figures; BENCH_UNIT_COUNT: there are none. */
enum bench_unit bench_result_unit(const struct bench_result *result, unsigned table,
				  unsigned column);
/* How far the rounds are from the median at most, as a share of it. */
double bench_scatter(const struct bench_figure *figure);
/* Its median; 0: not measured. */
double bench_result_median(const struct bench_result *result, unsigned row, unsigned column);
/* A copy of its own. -ENOMEM. */
int bench_result_copy(const struct bench_result *from, struct bench_result *ret);
void bench_result_done(struct bench_result *result);

/* "193 MB/s", "0.41 ms", "12.3 k/s", "17 %": translated, at most 12 columns. */
#define BENCH_TEXT_MAX 48
const char *bench_print(enum bench_unit unit, double value, char buffer[static BENCH_TEXT_MAX]);
/* The same for one argument of a call. */
#define BENCH_PRINT(unit, value) bench_print((unit), (value), (char[BENCH_TEXT_MAX]){ "" })
/* "stopped: what was measured so far"; translated */
const char *bench_print_end(enum bench_end end);
/* "uring, 1 MiB, depth 8, direct" */
const char *bench_print_how(const struct bench_how *how, char *buffer, size_t size);
/* The same of all figures of a table, as far as they were taken alike, and how far their rounds
 * differ; "" where there is nothing to say. Returns a part of `buffer`. */
const char *bench_print_table_how(const struct bench_result *result, unsigned table, char *buffer,
				  size_t size);
