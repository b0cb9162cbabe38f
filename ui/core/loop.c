/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop: keys, signals, news of the session, the clock. One thread; nothing
 * in here waits for a disk.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "report/report.h"
#include "session/run.h"

#include "ui/core/app_private.h"
#include "ui/core/term.h"
#include "ui/deck.h"

/* The terminal has hung up: writing to it could block for ever. */
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
		/* A paused copy could never be continued without a terminal: it is stopped, and can
		 * be resumed from its map. */
		app_stop_now(app);
}

static void suspend(struct app *app)
{
	sigset_t stop;

	if (!app->term)
		return;
	if (app_copying(app)) {
		app_say(app, _("A copy is running: Ctrl-Z does nothing now."));
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
		/* The terminal drops what was typed before Ctrl-C, so the signal comes before any
		 * key that is left. */
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
	return (app->has_job && app->snapshot.state != JOB_ENDED) ||
	       (app->measuring && app->current == SCREEN_BENCH);
}

/* On other screens than that of the copy only its percentage moves. */
static uint64_t interval(const struct app *app)
{
	unsigned ms = app->term->interval;

	if (!app_shown(app)->tick && !layout_too_small(app->term->cols, app->term->rows) &&
	    ms < 1000)
		ms = 1000;
	return ms * NSEC_PER_MSEC;
}

static void tick(struct app *app)
{
	const struct screen_ops *ops;

	/* A new snapshot brings the events of the job with it. */
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
	/* SIGWINCH is let through only while waiting; otherwise a change of size just before the
	 * wait would be missed. */
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGWINCH);
	if (ppoll(fds, 3, next_tick ? &timeout : NULL, &mask) < 0)
		fds[0].revents = fds[1].revents = fds[2].revents = 0;
}

static void loop(struct app *app)
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
			next_tick = clock_monotonic() + interval(app);
		}
	}
}

/* ---- from the first screen to the last ---- */

#define PATIENCE_MS 3000

/*
 * Blocked before any thread is made, so that no other thread ever gets one of
 * them, and for good: a second hang-up must not spoil the exit code that the
 * copy has earned. SIGWINCH is not for the descriptor: curses takes it, while
 * the loop waits.
 */
static int take_signals(struct error *reterr)
{
	sigset_t wanted, blocked;
	int fd;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGQUIT);
	sigaddset(&wanted, SIGHUP);
	sigaddset(&wanted, SIGTSTP);
	/* Asks the headless front end for progress; here it is on the screen. */
	sigaddset(&wanted, SIGUSR1);
	blocked = wanted;
	sigaddset(&blocked, SIGWINCH);
	sigaddset(&blocked, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "open", "",
				 _("Signals cannot be received: %s."), error_phrase(errno));
	return fd;
}

static int run(const struct deck_options *options, struct session *session, struct term *term,
	       int signals, bool *retabandoned, struct error *reterr)
{
	struct app *app;
	int code, err;

	err = app_new(options, session, term, signals, &app, reterr);
	if (err) {
		term_stop(term);
		return (int)error_exit_code(reterr);
	}
	session_scan(session, NULL);
	loop(app);
	code = app->copied || app->abandoned || app->term ? app->exit_code : EXIT_ENVIRONMENT;
	*retabandoned = app->abandoned;
	term_stop(app->term);
	/* The report of the copy stays behind where the screens were. */
	if (app->abandoned && session_state(session) == SESSION_VERIFYING)
		fputs(_("clonedeck: Left before all was compared. Nothing was written. If the "
			"kernel still waits for the disk, this process ends when the disk "
			"answers.\n"),
		      stdout);
	else if (app->abandoned && !app->copied)
		fputs(_("clonedeck: Left while the copy was still stopping. Resume continues from "
			"the map as it was saved last. If the kernel still waits for the disk, "
			"this process ends when the disk answers.\n"),
		      stdout);
	else if (app->report_text)
		fputs(app->report_text, stdout);
	fflush(stdout);
	app_destroy(app);
	return code;
}

/* Gives background work PATIENCE_MS to end. A thread that waits for a disk that never answers ends
 * with the process. */
static void end_session(struct session *session)
{
	bool left_behind = session_copy(session).left_behind;

	if (session_wait(session, -1, PATIENCE_MS)) {
		session_destroy(session);
		if (!left_behind)
			return;
	}
	fputs(_("clonedeck: A disk or a file system does not answer; clonedeck no longer waits for "
		"it. If the kernel does, this process ends when it answers.\n"),
	      stdout);
	fflush(stdout);
}

int deck_run(const struct deck_options *options)
{
	/* All kinds of disks are asked for; the screen hides RAM, dm and md devices. */
	struct session_options wanted = {
		.all = true,
		.practice_dir = options->practice_dir,
		.allow = options->allow,
		.on_vanish = options->on_vanish,
		.notify = options->notify,
	};
	struct session *session = NULL;
	struct error error = { 0 };
	struct term *term = NULL;
	bool abandoned = false;
	int signals, code = EXIT_COMPLETE;

	signals = take_signals(&error);
	if (signals < 0 || term_start(options, &term, &error) < 0) {
		code = (int)error_exit_code(&error);
		goto out;
	}
	if (session_new(&wanted, &session, &error) < 0) {
		term_stop(term);
		code = (int)error_exit_code(&error);
		goto out;
	}
	code = run(options, session, term, signals, &abandoned, &error);
	if (!abandoned)
		end_session(session);
out:
	if (signals >= 0)
		close(signals);
	if (error.code)
		fprintf(stderr, "clonedeck: %s\n", error.sentence);
	return code;
}
