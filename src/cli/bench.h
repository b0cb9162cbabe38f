/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measurement as text on standard output. */
#pragma once

#include "bench/bench.h"
#include "bench/render.h"

/* earlier: put beside it; may be NULL. */
int bench_print_text(const struct bench_result *result, struct bench_earlier *earlier,
		     struct error *reterr);
