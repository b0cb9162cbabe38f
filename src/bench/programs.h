/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other programs that a measurement runs: one after the other, or again and again beside it. */
#pragma once

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "bench/kind.h"

/* What it took. */
struct beside_cost {
	double seconds, cpu; /* cpu: of all its threads */
};

#define BESIDE_OWN "clonedeck"

/* The program's file, from fixed folders, not from PATH; of BESIDE_OWN the one that runs. -ENOENT.
 */
int beside_find(const char *name, char *ret, size_t size);
/* Runs it and waits for its end, for bench_stops(), or for *stop. -ECANCELED; -ECHILD with a
 * sentence where it ends with another status than 0. */
int beside_run(const struct bench_run *run, const atomic_bool *stop, const char *program,
	       const char *const *argv, struct beside_cost *ret, struct error *reterr);

/* A program that is started anew whenever it ends. */
struct beside {
	const struct bench_run *run;
	char program[PATH_MAX];
	const char *const *argv;
	pthread_t thread;
	atomic_bool stop;
	int result; /* after beside_stop(): 0, or why it is not what was meant */
	struct error error;
};

int beside_start(struct beside *beside, struct error *reterr);
/* Ends it now; waits. */
void beside_stop(struct beside *beside);
