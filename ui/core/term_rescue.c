/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/term_rescue.h"

#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/thread.h"

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
static void append(const char *capability)
{
	const char *text = tigetstr(capability);

	if (!text || text == (const char *)-1)
		return;
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

void term_rescue_prepare(void)
{
	const char *second_screen = tigetstr("rmcup");

	rescue.modes_known = tcgetattr(STDIN_FILENO, &rescue.modes) == 0;
	rescue.length = 0;
	append("sgr0");
	append("cnorm");
	append("rmkx");
	append(second_screen && second_screen != (const char *)-1 ? "rmcup" : "clear");
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
	/* SA_RESETHAND: this time it kills, with a core dump where they are wanted. */
	raise(signal);
}

static void set_all(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(fatal_signals) / sizeof(*fatal_signals); i++)
		sigaction(fatal_signals[i], &action, NULL);
}

bool term_rescue_give_back(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	/* In the background the terminal is another program's. Where nobody takes what is written
	 * (a line that was hung up, flow control) it would be waited for. */
	if (tcgetpgrp(STDIN_FILENO) != getpgrp() || poll(&out, 1, 0) <= 0 ||
	    !(out.revents & POLLOUT) || out.revents & (POLLERR | POLLHUP))
		return false;
	give_back();
	return true;
}

static void set_signal_stack(void)
{
	stack_t stack = { .ss_sp = rescue.stack, .ss_size = sizeof(rescue.stack) }, before;

	/* One that is there already (from a sanitizer) stays. */
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
