/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/terminfo.h"

#include <curses.h>
#include <errno.h>
#include <stdio.h>
#include <term.h>
#include <unistd.h>

#include "base/i18n.h"

#define HEADLESS                                                                                   \
	_("Use 'clonedeck list' and 'clonedeck clone' instead; they need no terminal, see "        \
	  "clonedeck(8).")

int terminfo_check(const char *name, struct error *reterr)
{
	const char *address;
	int found;

	if (!isatty(STDIN_FILENO))
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOTTY, "open", "",
				 _("The deck needs a terminal, but standard input is not one. %s"),
				 HEADLESS);
	if (!isatty(STDOUT_FILENO))
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOTTY, "open", "",
				 _("The deck needs a terminal, but standard output is not one. %s"),
				 HEADLESS);
	if (!*name)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOTTY, "open", "",
				 _("The deck does not know this terminal: TERM is not set. %s"),
				 HEADLESS);
	if (setupterm(NULL, STDOUT_FILENO, &found) != OK)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOTTY, "open", "",
				 _("The deck does not know a terminal named '%s' (TERM). Try "
				   "TERM=vt100. %s"),
				 name, HEADLESS);
	address = tigetstr("cup");
	if (!address || address == (const char *)-1)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOTTY, "open", "",
				 _("A terminal of the kind '%s' (TERM) cannot place text, so the "
				   "deck cannot be drawn on it. %s"),
				 name, HEADLESS);
	return 0;
}

void terminfo_done(void)
{
	del_curterm(cur_term);
}

bool terminfo_line_drawing(void)
{
	return acs_chars != NULL;
}

void terminfo_whole_screen(int rows)
{
	if (!change_scroll_region)
		return;
	putp(tiparm(change_scroll_region, 0, rows - 1));
	/* It goes through the C library's buffer, what curses draws does not. */
	fflush(stdout);
}

int terminfo_colors(void)
{
	return tigetnum("colors");
}

static int number(const char *capability, int otherwise)
{
	int value = tigetnum(capability);

	return value > 0 ? value : otherwise;
}

int terminfo_rows(void)
{
	return number("lines", 24);
}

int terminfo_cols(void)
{
	return number("cols", 80);
}
