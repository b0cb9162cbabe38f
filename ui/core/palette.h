/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each role looks like in each theme: pure, no curses, so that the
 * contrast of all of it can be tested (tests/unit/ui/test_palette.c).
 *
 * The background is the terminal's own, but where a role has one of its own
 * and in the theme of high contrast. Plain text has the terminal's own colour,
 * too, so that it can be read whatever was chosen.
 */
#pragma once

#include <stdint.h>

#include "ui/core/term.h"
#include "ui/deck.h"

enum { STYLE_BOLD = 1, STYLE_DIM = 2, STYLE_REVERSE = 4, STYLE_UNDERLINE = 8 };

struct role_look {
	int16_t front, back; /* number of a colour; -1: the terminal's own */
	unsigned style;
};

/* colors: how many the terminal has; 0 where none are to be used. */
struct role_look palette_look(enum deck_theme theme, int colors, enum role role);
/* THEME_AUTO: light where COLORFGBG, as some terminals set it, says so; else dark. */
enum deck_theme palette_choose(enum deck_theme wanted, const char *colorfgbg);
