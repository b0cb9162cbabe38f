/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result as JSON (clonedeck.bench/1), as CSV, as a page with its charts; and an earlier one that
 * is put beside it. */
#pragma once

#include <stdio.h>

#include "bench/result.h"
#include "discover/endpoint.h"

struct json_object; /* here: a result as --json prints it */

/* An earlier one, from a file. -EINVAL, class USAGE: it is no result of this kind, or of another
 * disk than `disk`. */
int bench_earlier_load(const char *path, const char *kind, const struct endpoint *disk,
		       struct json_object **ret, struct error *reterr);
void bench_earlier_destroy(struct json_object *earlier); /* NULL is fine */
/* Fills in what the result and its figures were before. NULL is fine: nothing is known. */
void bench_earlier_apply(struct json_object *earlier, struct bench_result *result);

/* NULL without memory. */
struct json_object *bench_json_document(const struct bench_result *result);
/* It as text: malloc'd; NULL without memory. */
char *bench_json(const struct bench_result *result);
/* HTML that needs nothing else. */
int bench_page(const struct bench_result *result, FILE *file);
/* A line for each figure. */
void bench_csv(const struct bench_result *result, FILE *file);

/* How a program that measured this ends. */
enum exit_code bench_exit_code(const struct bench_result *result);
