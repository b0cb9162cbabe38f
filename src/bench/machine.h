/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine that measures, in one line: a figure means little without it. */
#pragma once

#include <stddef.h>

/* "Linux 6.18.5, AMD EPYC, 2 processors, idle (3 % busy)". Watches the processors for a quarter of
 * a second. Returns `buffer`. */
const char *machine_describe(char *buffer, size_t size);
