/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of measurements, in the order in which they are offered. */
#include "bench/bench.h"

const struct bench_kind *const bench_kinds[] = {
	&bench_rbuf, &bench_profile,  &bench_sizes, &bench_engines,
	&bench_copy, &bench_lethargy, NULL,
};
