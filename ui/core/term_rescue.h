/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives the terminal back when the program dies of a fatal signal, so that the
 * technician gets a usable shell and sees the message. Only what is safe in a
 * signal handler is done there; all else is prepared before.
 */
#ifndef CLONEDECK_UI_TERM_RESCUE_H
#define CLONEDECK_UI_TERM_RESCUE_H

#include <stdbool.h>

/* Remembers the terminal's modes; call before curses changes them, after setupterm(). */
void term_rescue_prepare(void);
void term_rescue_arm(void);
void term_rescue_disarm(void);
/* Gives it back now, as far as it is there, in the foreground and takes what is sent to it; true
 * when it was. Never waits. */
bool term_rescue_give_back(void);

#endif
