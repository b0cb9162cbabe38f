/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Questions to the terminfo database. Apart from term.c because <term.h> calls
 * its own things "term".
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* name: TERM, "" not set. Says why the deck cannot be shown here; 0 when it can, and the entry is
 * loaded. */
int terminfo_check(const char *name, struct error *reterr);
/* Forgets the entry that terminfo_check() loaded. */
void terminfo_done(void);
/* Of the terminal that curses runs on. */
bool terminfo_line_drawing(void);
int terminfo_colors(void); /* negative or 0: none */
/* xterm's sequences for titles are shown or dropped, never printed. */
bool terminfo_takes_title(void);
/* The size that curses takes when the kernel knows none. */
int terminfo_rows(void);
int terminfo_cols(void);
/* Lets it scroll from the first to the last of `rows` lines again. The cursor may move. */
void terminfo_whole_screen(int rows);

/*
 * Gives the terminal back when the program dies of a fatal signal, so that the
 * technician gets a usable shell and sees the message. Only what is safe in a
 * signal handler is done there; all else is prepared before.
 */

/* Remembers the terminal's modes; call before curses changes them, after setupterm(). */
void term_rescue_prepare(void);
void term_rescue_arm(void);
void term_rescue_disarm(void);
/* Does the terminal, standard output, take anything now? Not when it was hung up or is stopped by
 * flow control. */
bool terminfo_takes_output(void);
/* Gives it back now, if it takes what is sent to it. Never waits. */
void term_rescue_give_back(void);
/* For the process that has it as its controlling terminal: gives it back if a deck that has ended
 * did not, unless it is another program's by now (in the background). May wait for it. */
void term_rescue_restore(void);

/*
 * Between these two calls, the copy is not to wait for a terminal that takes nothing: after some
 * seconds, standard input, output and error are replaced by `null`, a descriptor of /dev/null, and
 * the second answers true. The first is given the thread that draws.
 */
void term_patience_begin(int null);
bool term_patience_end(void);
