/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The deck: the seven screens, from the first key to the last. The only thing
 * of ui/ that the command line knows; core/loop.c is behind it.
 *
 * The deck is a process of its own; the one that was started is its client on the
 * terminal (core/client.h). The terminal is given back in order; the report
 * of a finished copy is left on standard output as plain text.
 */
#pragma once

#include <stdbool.h>

#include "session/choose.h"

enum deck_glyphs {
	GLYPHS_AUTO,
	GLYPHS_BRAILLE,
	GLYPHS_BLOCK,
	GLYPHS_HALF,
	GLYPHS_ACS,
	GLYPHS_ASCII
};
enum deck_color { COLOR_AUTO, COLOR_NEVER, COLOR_ALWAYS };
enum deck_theme { THEME_AUTO, THEME_DARK, THEME_LIGHT, THEME_HIGH };

/* How a deck looks on one terminal. */
struct deck_looks {
	enum deck_glyphs glyphs;
	enum deck_color color;
	enum deck_theme theme;
	int cols, rows; /* 0: ask the terminal */
	bool no_mouse;  /* the terminal keeps it to itself */
};

struct deck_options {
	struct deck_looks looks;
	struct session_options session;
	bool simple;         /* for ears and fingers: lines instead of panes */
	bool stop_on_hangup; /* a copy is stopped when the terminal goes; else it goes on */
	const char *folder;  /* for the sockets by which terminals come to a copy that runs, and
			      * where the records of copies are; NULL: none can come */
	bool jobs;           /* opens on the copies of this machine, not on its disks */
};

/* Returns an enum exit_code, twice: in the process that was started, EXIT_ENVIRONMENT also when the
 * deck has left it for its copy to go on; and in the deck's. Complaints go to standard error before
 * the first screen or after the last one. */
int deck_run(const struct deck_options *options);
/*
 * Brings the deck of the copy that process `pid` runs, with its socket in options->folder, to this
 * terminal, with the looks of options; where another one has it, this one looks on. Returns an enum
 * exit_code: that of the copy if it ended here. 0 or negative errno in *retfound: is there such a
 * deck? Otherwise nothing was said and the answer means nothing.
 */
int deck_attach(const struct deck_options *options, long pid, int *retfound);
