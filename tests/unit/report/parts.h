/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report says in text, and what of it is looked for. */
#pragma once

#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static inline char *text_of(const struct report *report, int columns)
{
	struct error error = { 0 };
	char *text = NULL;

	ck_assert_int_eq(report_text(report, REPORT_SHORT, columns, &text, &error), 0);
	return text;
}

/* Each of the parts is in the text, which is freed; but none that begins with '!'. NULL ends. */
__attribute__((sentinel)) static inline void check_parts(char *text, ...)
{
	va_list args;

	va_start(args, text);
	for (const char *part; (part = va_arg(args, const char *));)
		ck_assert_msg(part[0] == '!' ? !strstr(text, part + 1) : !!strstr(text, part),
			      "%s in: %s", part, text);
	va_end(args);
	free(text);
}
