/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"

uint64_t clock_monotonic(void)
{
	struct timespec now;

	/* Cannot fail: this clock always exists on Linux. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

void clock_sleep_until(uint64_t monotonic)
{
	struct timespec until = {
		.tv_sec = (time_t)(monotonic / NSEC_PER_SEC),
		.tv_nsec = (long)(monotonic % NSEC_PER_SEC),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

void clock_boot_id(char ret[static CLOCK_BOOT_MAX])
{
	CLEANUP(fclose) FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!file || !fgets(ret, CLOCK_BOOT_MAX, file))
		snprintf(ret, CLOCK_BOOT_MAX, "-");
	ret[strcspn(ret, "\n")] = '\0';
}

/* Its callers' formats are checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
const char *clock_print(int64_t unix_seconds, const char *format, char *buffer, size_t size)
{
	time_t seconds = (time_t)unix_seconds;
	struct tm local;

	if (!seconds || !localtime_r(&seconds, &local) || !strftime(buffer, size, format, &local))
		snprintf(buffer, size, "-");
	return buffer;
}
#pragma GCC diagnostic pop

const char *clock_print_iso(int64_t unix_seconds, char buffer[static CLOCK_TEXT_MAX])
{
	time_t seconds = (time_t)unix_seconds;
	struct tm local;
	size_t length = 0;

	if (localtime_r(&seconds, &local))
		length = strftime(buffer, CLOCK_TEXT_MAX - 1, "%Y-%m-%dT%H:%M:%S%z", &local);
	if (length < 2) {
		/* A year that no calendar here can express. */
		memcpy(buffer, "-", sizeof("-"));
		return buffer;
	}
	/* strftime writes the zone as +hhmm, ISO 8601 extended wants +hh:mm. */
	memmove(buffer + length - 1, buffer + length - 2, 3);
	buffer[length - 2] = ':';
	return buffer;
}
