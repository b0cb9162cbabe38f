/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop: keys, signals, news of the session, the clock. One thread; nothing
 * in here waits for a disk.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"

#include "ui/core/app_private.h"

/* The terminal is gone, or is to be taken for gone: nothing may touch it any more. */
static void lose_terminal(struct app *app)
{
	bool stop = app->options->stop_on_hangup;

	if (!app->term)
		return;
	session_note(app->session, stop ? _("The terminal is gone; the copy is stopped.")
					: _("The terminal is gone; the copy goes on without it."));
	if (term_abandon(app->term) && app_copying(app)) {
		fputs(stop ? _("clonedeck: The copy is stopped, as --on-hangup says.\n")
			   : _("clonedeck: The copy goes on without its screen. Ctrl-C or SIGTERM "
			       "stops it.\n"),
		      stdout);
		fflush(stdout);
	}
	app->term = NULL;
	app->leaving = true;
	if (!app_copying(app))
		app->quit = true;
	else if (stop || (app->has_job && app->snapshot.state == JOB_PAUSED))
		/* Nobody is left to let a paused one go on; what is done can be resumed. */
		app_stop_now(app);
}

static void suspend(struct app *app)
{
	sigset_t stop;

	if (!app->term)
		return;
	if (app_copying(app)) {
		app_message(app, MESSAGE_INFO, _("A copy is running: Ctrl-Z does nothing now."));
		return;
	}
	term_suspend(app->term);
	/* Not SIGSTOP: where no shell is left that could let the deck go on (an orphaned process
	 * group) the kernel lets this one pass. */
	raise(SIGTSTP);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	term_resume(app->term);
	app_redraw(app);
}

static void on_signal(struct app *app, unsigned signal)
{
	switch (signal) {
	case SIGINT:
		if (app->term && app->popup.kind != POPUP_NONE && !app_copying(app))
			popup_close(app);
		else if (app->term)
			app_command(app, COMMAND_STOP);
		else
			/* There is no screen to ask on. */
			app_stop_or_leave(app);
		break;
	case SIGTSTP:
		suspend(app);
		break;
	case SIGHUP:
		lose_terminal(app);
		break;
	case SIGTERM:
	case SIGQUIT:
		app->leaving = true;
		if (app_copying(app))
			app_stop_or_leave(app);
		else
			app->quit = true;
		break;
	default:
		break;
	}
}

static void read_signals(struct app *app)
{
	struct signalfd_siginfo info;

	while (read(app->signals, &info, sizeof(info)) == sizeof(info))
		on_signal(app, info.ssi_signo);
}

static void read_keys(struct app *app)
{
	while (app->term && !app->quit) {
		int key;

		switch (term_read(app->term, &key)) {
		case TERM_NOTHING:
			return;
		case TERM_LOST:
			lose_terminal(app);
			return;
		default:
			break;
		}
		/* Ctrl-C throws away what was typed before it: what there is was typed behind. */
		read_signals(app);
		if (!app->term || app->quit)
			return;
		if (key != SPECIAL_RESIZE) {
			app_key(app, key);
		} else {
			term_resize(app->term);
			app_redraw(app);
		}
	}
}

/* Does anything move by itself? */
static bool moving(const struct app *app)
{
	if (!app->has_job || app->snapshot.state == JOB_ENDED)
		return false;
	return app_shown(app)->tick || layout_too_small(app->term->cols, app->term->rows);
}

static void tick(struct app *app)
{
	const struct screen_ops *ops;

	/* A snapshot takes the news of the job with it. */
	app_follow(app, SESSION_CHANGE_JOB);
	ops = app_shown(app);
	if (ops->tick)
		ops->tick(app->states[ops->id], app);
}

static void wait_for_news(struct app *app, struct pollfd fds[static 3], const uint64_t *next_tick)
{
	struct timespec timeout;
	uint64_t now = clock_monotonic(), left;
	sigset_t mask;

	left = next_tick && *next_tick > now ? *next_tick - now : 0;
	timeout.tv_sec = (time_t)(left / NSEC_PER_SEC);
	timeout.tv_nsec = (long)(left % NSEC_PER_SEC);
	/* Only in here curses may learn of a new size, so that no change slips through between
	 * looking and waiting. */
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGWINCH);
	if (ppoll(fds, 3, next_tick ? &timeout : NULL, &mask) < 0)
		fds[0].revents = fds[1].revents = fds[2].revents = 0;
}

void app_loop(struct app *app)
{
	uint64_t next_tick = 0;

	while (!app->quit) {
		struct pollfd fds[3] = {
			{ .fd = app->term ? term_fd(app->term) : -1, .events = POLLIN },
			{ .fd = app->signals, .events = POLLIN },
			{ .fd = session_fd(app->session), .events = POLLIN },
		};
		bool ticking = app->term && moving(app);

		if (app->term && app->dirty)
			app_draw(app);
		wait_for_news(app, fds, ticking ? &next_tick : NULL);
		if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			lose_terminal(app);
		read_keys(app);
		if (fds[1].revents)
			read_signals(app);
		if (fds[2].revents)
			app_follow(app, session_dispatch(app->session));
		if (app->term && moving(app) && clock_monotonic() >= next_tick) {
			tick(app);
			next_tick =
				clock_monotonic() + (uint64_t)app->term->interval * NSEC_PER_MSEC;
		}
	}
}
