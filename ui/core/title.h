/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy as the window's title and the progress of the terminal's icon (ConEmu's OSC 9;4, which
 * Windows Terminal, VTE, Ghostty and others show): it is seen while another window is in front.
 * Pure; who sends it is term.c.
 */
#pragma once

#include "job/snapshot.h"

/* The numbers are those of the sequence. */
enum title_progress {
	TITLE_NONE = 0,
	TITLE_RUNNING = 1,
	TITLE_FAILED = 2,
	TITLE_UNKNOWN = 3, /* it runs, but has no percentage */
	TITLE_PAUSED = 4,
};

struct title {
	char text[128]; /* "41% sda -> sdb, 2:37:21 left", printable; "" is the terminal's own */
	enum title_progress progress;
	unsigned percent;
};

#define TITLE_BYTES_MAX 256

/* Of the whole copy; 100 only at its end. */
unsigned title_percent(const struct job_snapshot *job);
/* source, destination: nodes or paths, as they are. job NULL: there is no copy. */
void title_of(const struct job_snapshot *job, const char *source, const char *destination,
	      struct title *ret);
/* What has to be sent so that the terminal shows `now` where it shows `last`; "" nothing. */
const char *title_sequence(const struct title *last, const struct title *now,
			   char buffer[static TITLE_BYTES_MAX]);
