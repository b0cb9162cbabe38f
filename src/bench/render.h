/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result as JSON (clonedeck.bench/1), as CSV, as a page with its charts, and an earlier one to
 * put beside it. */
#pragma once

#include <stdio.h>

#include "bench/result.h"

/* An earlier result, from the file that --json made of it. */
struct bench_earlier;

/* -EINVAL, class USAGE: not a result of this kind, or of another disk than `disk`. */
int bench_earlier_load(const char *path, const char *kind, const struct identity *disk,
		       struct bench_earlier **ret, struct error *reterr);
void bench_earlier_destroy(struct bench_earlier *earlier); /* NULL is fine */
/* The same figure then; negative: it was not measured. earlier may be NULL. */
double bench_earlier_find(struct bench_earlier *earlier, const struct bench_result *result,
			  const struct bench_figure *figure);
/* When and on what machine, in one line. Returns `buffer`. */
const char *bench_earlier_words(const struct bench_earlier *earlier, char *buffer, size_t size);

/* Malloc'd; NULL without memory. */
char *bench_json(const struct bench_result *result, struct bench_earlier *earlier);
/* HTML that needs nothing else. */
int bench_page(const struct bench_result *result, struct bench_earlier *earlier, FILE *file);
/* A line for each figure. */
void bench_csv(const struct bench_result *result, struct bench_earlier *earlier, FILE *file);

/* How a program that measured this ends. */
enum exit_code bench_exit_code(const struct bench_result *result);
