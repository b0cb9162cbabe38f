/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A moment as people write it down: local time, with its zone. */
#ifndef CLONEDECK_REPORT_WHEN_H
#define CLONEDECK_REPORT_WHEN_H

#include <stdint.h>

#define REPORT_WHEN_MAX 64

/* "2026-09-21 14:12:20 +0200 (CEST)", "-" for none (0) and for what no calendar has; returns
 * buffer. */
const char *report_when(int64_t unix_seconds, char buffer[static REPORT_WHEN_MAX]);

#endif
