/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a plan may take, from how fast its ends were measured to read: unless its writing was
 * measured, too, that the destination writes as fast as it reads is said to be assumed. Pure; no
 * curses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "session/choose.h"

#include "ui/core/line.h"

struct estimate {
	bool known;            /* else one of both rates is not */
	uint64_t copy, verify; /* seconds; verify 0: it is not read back, or meanwhile */
};

void estimate_make(const struct plan *plan, enum rolling_how rolling,
		   const struct session_measured *measured, struct estimate *ret);
/* Lines of the box: false behind the last one. now: unix seconds. */
bool estimate_text(const struct plan *plan, const struct session_measured *measured,
		   const struct estimate *estimate, int64_t now, int index, struct line *line);
/* All of it in a sentence, for where there is no box. */
void estimate_sentence(const struct plan *plan, const struct session_measured *measured,
		       const struct estimate *estimate, int64_t now, char *buffer, size_t size);
