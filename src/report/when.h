/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moments and durations as people write them down. */
#ifndef CLONEDECK_REPORT_WHEN_H
#define CLONEDECK_REPORT_WHEN_H

#include <stdint.h>

#include "base/units.h"

#define REPORT_WHEN_MAX 64

/* Local time with its zone: "2026-09-21 14:12:20 +0200 (CEST)", "-" for none (0) and for what no
 * calendar has; returns buffer. */
const char *report_when(int64_t unix_seconds, char buffer[static REPORT_WHEN_MAX]);
/* Short ones in tenths of a second, "2.9 s"; long ones as a clock shows them, "1:33:45". */
const char *report_duration(uint64_t ns, char buffer[static UNITS_TEXT_MAX]);
/* Three digits that count, and none of them lost beyond a second: "0.127", "12,346". */
const char *report_milliseconds(uint64_t ns, char buffer[static UNITS_TEXT_MAX]);

#endif
