/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measurement as text on standard output. */
#pragma once

#include "bench/bench.h"
#include "bench/render.h"

int bench_print_text(const struct bench_result *result, struct error *reterr);
