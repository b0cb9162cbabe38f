/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call puts into the test's `struct line line`, which takes so many columns. */
#pragma once

#include <string.h>

#include <check.h>

#include "ui/core/line.h"

#define line_is(columns, call, wanted)                                                             \
	do {                                                                                       \
		line_start(&line, columns);                                                        \
		call;                                                                              \
		ck_assert_str_eq(line.text, wanted);                                               \
	} while (0)
#define line_has(columns, call, wanted)                                                            \
	do {                                                                                       \
		line_start(&line, columns);                                                        \
		call;                                                                              \
		ck_assert_msg(strstr(line.text, wanted), "%s", line.text);                         \
	} while (0)
#define line_lacks(columns, call, unwanted)                                                        \
	do {                                                                                       \
		line_start(&line, columns);                                                        \
		call;                                                                              \
		ck_assert_msg(!strstr(line.text, unwanted), "%s", line.text);                      \
	} while (0)
