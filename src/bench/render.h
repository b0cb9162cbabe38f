/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result as JSON (clonedeck.bench/1), as CSV, as a page with its charts; and an earlier one that
 * is put beside it. */
#pragma once

#include <stdio.h>

#include "bench/result.h"

struct json_object;
/* What an earlier result says, by the keys of its tables, rows and columns. */
struct bench_earlier;

/* From a file that bench_json() made. -EINVAL, class USAGE: it is no result of this kind, or of
 * another disk than `disk`. */
int bench_earlier_load(const char *path, const char *kind, const struct identity *disk,
		       struct bench_earlier **ret, struct error *reterr);
/* From a result that is still here. -ENOMEM. */
int bench_earlier_of(const struct bench_result *result, struct bench_earlier **ret,
		     struct error *reterr);
void bench_earlier_destroy(struct bench_earlier *earlier); /* NULL is fine */
/* Fills in what the result and its figures were before. NULL is fine: nothing is known. */
void bench_earlier_apply(const struct bench_earlier *earlier, struct bench_result *result);

struct json_object *bench_json_document(const struct bench_result *result);
/* It as text: malloc'd; NULL without memory. */
char *bench_json(const struct bench_result *result);
/* HTML that needs nothing else. */
int bench_page(const struct bench_result *result, FILE *file);
/* A line for each figure. */
void bench_csv(const struct bench_result *result, FILE *file);

/* How a program that measured this ends. */
enum exit_code bench_exit_code(const struct bench_result *result);
