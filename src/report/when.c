/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/when.h"

#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"

const char *report_when(int64_t unix_seconds, char buffer[static REPORT_WHEN_MAX])
{
	time_t when = (time_t)unix_seconds;
	struct tm tm;

	if (unix_seconds == 0 || !localtime_r(&when, &tm) ||
	    strftime(buffer, REPORT_WHEN_MAX, "%Y-%m-%d %H:%M:%S %z (%Z)", &tm) == 0)
		text_copy(buffer, REPORT_WHEN_MAX, "-");
	return buffer;
}

const char *report_duration(uint64_t ns, char buffer[static UNITS_TEXT_MAX])
{
	if (ns >= 60 * NSEC_PER_SEC)
		return units_print_duration(ns / NSEC_PER_SEC, buffer);
	snprintf(buffer, UNITS_TEXT_MAX, _("%.1f s"), (double)ns / (double)NSEC_PER_SEC);
	return buffer;
}

const char *report_milliseconds(uint64_t ns, char buffer[static UNITS_TEXT_MAX])
{
	double ms = (double)ns / NSEC_PER_MSEC;

	if (ms >= 999.5)
		return units_print_count((uint64_t)(ms + 0.5), buffer);
	snprintf(buffer, UNITS_TEXT_MAX, "%.*f",
		 ms < 0.9995  ? 3
		 : ms < 9.995 ? 2
		 : ms < 99.95 ? 1
			      : 0,
		 ms);
	return buffer;
}
