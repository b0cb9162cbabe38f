/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Check with assertions that cost little while they hold. Check tells the parent of each test of
 * every place that is passed, through a file, so that a crash can be told with the last of them;
 * for the millions in loops that takes most of a test's time. Here a place is told of once, and
 * again when others have taken its slot.
 */
#pragma once

#include <check.h>

static inline void tell_place(const char *file, int line)
{
	static _Thread_local int told[64];
	int *slot = &told[(unsigned)line % (sizeof(told) / sizeof(told[0]))];

	if (*slot == line)
		return;
	*slot = line;
	_mark_point(file, line);
}

#define _mark_point(file, line) tell_place(file, line)
