/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/deck.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "report/report.h"
#include "session/session.h"

#include "ui/core/app_private.h"
#include "ui/core/term.h"

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
	session_rescan(session);
	app_loop(app);
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

/* What looks at disks and file systems in the background gets a moment for it. Threads that wait
 * for one that never answers end with the process. */
static void end_session(struct session *session)
{
	bool left_behind = session_left_behind(session);

	if (session_settle(session, PATIENCE_MS)) {
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
	/* Everything is asked for; what is ordinary is chosen on the screen. */
	struct session_options wanted = {
		.all = true,
		.practice_dir = options->practice_dir,
		.allow = options->allow,
		.on_vanish = options->on_vanish,
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
