/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/terminfo.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/thread.h"

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
	if (setupterm(name, STDOUT_FILENO, &found) != OK)
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

bool terminfo_takes_title(void)
{
	/* An extension of ncurses' database, which tmux also goes by: user_caps(5). */
	return tigetflag("XT") == 1;
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

/* ---- giving the terminal back ---- */

/* A signal handler gets no argument of ours, so this is the one object of the deck that has to
 * be global. It is written before the handlers are set and only read in them. */
static struct {
	struct termios modes;
	char bytes[256];
	size_t length;
	bool modes_known;
	/* Of the front end's thread; the others have theirs (base/thread.h). */
	char stack[THREAD_SIGNAL_STACK];
} rescue;

static const int fatal_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

/* Appends a capability without its padding ("$<5>"), which only tputs() could send. */
static void append_text(const char *text)
{
	while (*text && rescue.length < sizeof(rescue.bytes)) {
		if (text[0] == '$' && text[1] == '<') {
			const char *end = strchr(text, '>');

			if (!end)
				return;
			text = end + 1;
			continue;
		}
		rescue.bytes[rescue.length++] = *text++;
	}
}

static void append(const char *capability)
{
	const char *text = tigetstr(capability);

	if (text && text != (const char *)-1)
		append_text(text);
}

void term_rescue_prepare(void)
{
	rescue.modes_known = tcgetattr(STDIN_FILENO, &rescue.modes) == 0;
	rescue.length = 0;
	/* As curses takes the mouse where terminfo tells of one. */
	if (tigetstr("kmous") && tigetstr("kmous") != (const char *)-1)
		append_text("\033[?1006l\033[?1000l");
	append("sgr0");
	append("cnorm");
	append("rmkx");
	/* Also where there is a second screen: tmux brings rows of it back with the first one when
	 * its window was made larger. */
	append("clear");
	append("rmcup");
}

/* Only what a signal handler may call. */
static void give_back(void)
{
	if (write(STDOUT_FILENO, rescue.bytes, rescue.length) < 0) {
		/* There is nobody left to tell. */
	}
	if (rescue.modes_known)
		tcsetattr(STDIN_FILENO, TCSANOW, &rescue.modes);
}

static void on_fatal(int signal)
{
	static const char text[] = "\r\nclonedeck: fatal signal; this is a defect of the program. "
				   "A map file that was saved is still valid.\r\n";

	give_back();
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
		/* There is nobody left to tell. */
	}
	/* SA_RESETHAND was set: this time the signal kills, with a core dump where they are
	 * enabled. */
	raise(signal);
}

static void set_all(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		sigaction(fatal_signals[i], &action, NULL);
}

bool terminfo_takes_output(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) > 0 && out.revents & POLLOUT &&
	       !(out.revents & (POLLERR | POLLHUP));
}

void term_rescue_give_back(void)
{
	if (terminfo_takes_output())
		give_back();
}

void term_rescue_restore(void)
{
	pid_t group = tcgetpgrp(STDIN_FILENO);
	struct termios modes;

	/* Line by line: the deck has given it back. */
	if ((group >= 0 && group != getpgrp()) || tcgetattr(STDIN_FILENO, &modes) < 0 ||
	    modes.c_lflag & ICANON)
		return;
	give_back();
}

/* ---- a terminal that takes nothing ---- */

#define PATIENCE 5 /* seconds */

/* As above: of a signal handler. */
static struct {
	int null;
	volatile sig_atomic_t lost;
} patience;

/* A write that waits then ends with EINTR; curses repeats it, into /dev/null. */
static void on_alarm(int signal)
{
	int before = errno;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(patience.null, fd);
	patience.lost = true;
	errno = before;
}

static void let_alarm(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(how, &set, NULL);
}

void term_patience_begin(int null)
{
	struct sigaction action = { .sa_handler = on_alarm }; /* without SA_RESTART */

	sigemptyset(&action.sa_mask);
	patience.null = null;
	patience.lost = false;
	sigaction(SIGALRM, &action, NULL);
	let_alarm(SIG_UNBLOCK);
	alarm(PATIENCE);
}

bool term_patience_end(void)
{
	alarm(0);
	let_alarm(SIG_BLOCK);
	return patience.lost;
}

/* ---- fatal signals ---- */

static void set_signal_stack(void)
{
	stack_t stack = { .ss_sp = rescue.stack, .ss_size = sizeof(rescue.stack) }, before;

	/* A stack that a sanitizer has set stays. */
	if (sigaltstack(NULL, &before) == 0 && before.ss_flags & SS_DISABLE)
		sigaltstack(&stack, NULL);
}

void term_rescue_arm(void)
{
	set_signal_stack();
	set_all(on_fatal);
}

void term_rescue_disarm(void)
{
	set_all(SIG_DFL);
}
