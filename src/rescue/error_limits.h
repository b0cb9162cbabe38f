/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a rescue stops rather than goes on: the limits that its plan sets. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

struct rescue_figures {
	uint64_t read_errors;     /* failed reads, retries included */
	uint64_t bad_areas;       /* contiguous ones */
	double error_rate;        /* bytes per second that failed in the last second */
	uint64_t since_good_read; /* ns */
};

/* True: a limit is exceeded, and `why` says which, translated. name: of the source. */
bool rescue_limit_exceeded(const struct plan_options *options, const struct rescue_figures *figures,
			   const char *name, char *why, size_t size);
