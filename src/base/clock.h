/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in nanoseconds. Monotonic for measuring, real time for logs. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_SEC  1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

uint64_t clock_monotonic(void);
void clock_sleep_until(uint64_t monotonic);

/* Names this start of the machine; "-": unknown. */
#define CLOCK_BOOT_MAX 64
void clock_boot_id(char ret[static CLOCK_BOOT_MAX]);

/* A moment in local time as strftime() formats it; "-" for 0, which is none, and beyond the
 * calendar. Returns the buffer. */
const char *clock_print(int64_t unix_seconds, const char *format, char *buffer, size_t size)
	__attribute__((format(strftime, 2, 0)));
/* "2026-09-21T14:12:20+02:00" (local time) into buffer, "-" for a time beyond the calendar.
 * Returns it. */
#define CLOCK_TEXT_MAX 40
const char *clock_print_iso(int64_t unix_seconds, char buffer[static CLOCK_TEXT_MAX]);
