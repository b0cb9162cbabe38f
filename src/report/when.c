/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/when.h"

#include <time.h>

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
