/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stopping: the question, the second one where a disk never answers, and doing it. */
#include "base/clock.h"
#include "base/i18n.h"

#include "ui/core/app_private.h"

/* Where nobody can be asked: a signal that comes so long after the first one means it. */
#define LEAVE_AFTER (5 * NSEC_PER_SEC)

static bool verifying(const struct app *app)
{
	return session_state(app->session) == SESSION_VERIFYING;
}

void app_stop_now(struct app *app)
{
	const struct session_waiting *waiting = session_waiting(app->session);

	if (!app->stop_wanted)
		app->stop_since = clock_monotonic();
	app->stop_wanted = true;
	if (!app_copying(app))
		return;
	/* While a disk is being claimed again, that is brought to its end first. */
	if (waiting && !waiting->trying) {
		app_finish(app);
		return;
	}
	session_stop(app->session);
	app_message(app, MESSAGE_INFO,
		    verifying(app) ? _("Stopping: requests in flight are finished.")
				   : _("Stopping: requests in flight are finished, flushed and "
				       "recorded in the map."));
}

static void answer_stop(void *user, struct app *app, int choice)
{
	if (choice == 0)
		app_stop_now(app);
	else
		app_message(app, MESSAGE_INFO, _("The copy goes on."));
}

static void leave(struct app *app)
{
	app->abandoned = true;
	/* A copy that is only read back has ended, and was told, before. */
	if (!verifying(app) || !session_report(app->session))
		app->exit_code = EXIT_STOPPED;
	app->quit = true;
}

static void answer_leave(void *user, struct app *app, int choice)
{
	if (choice == 0 && app_copying(app))
		leave(app);
}

void app_stop_or_leave(struct app *app)
{
	if (app->stop_wanted && clock_monotonic() - app->stop_since >= LEAVE_AFTER)
		leave(app);
	else
		app_stop_now(app);
}

static const char *why_still_stopping(const struct app *app)
{
	if (verifying(app) && !session_report(app->session))
		return _("Reads are in flight. A disk that hangs may take minutes, or never "
			 "answer. Nothing was written.");
	if (verifying(app))
		return _("Reads are in flight. A disk that hangs may take minutes, or never "
			 "answer. The copy and its report stay as they are.");
	if (session_state(app->session) == SESSION_FINISHING)
		return _("The copy has ended; its disks are being released and its report saved. A "
			 "disk that hangs may take minutes, or never answer.");
	return _("Requests are in flight, or the destination is flushing. A disk that hangs may "
		 "take minutes, or never answer. If you leave now, the copy resumes from the map "
		 "as it was saved last.");
}

/* It was asked to stop already, and a disk that hangs may never let it. */
static void ask_leave(struct app *app)
{
	const struct popup_choice choices[] = {
		{ 'l', verifying(app) ? _("leave")
				      : _("leave: what was not flushed is copied again later") }
	};

	popup_ask(app, _("Still stopping"), why_still_stopping(app), choices, 1, answer_leave,
		  NULL);
}

void app_ask_stop(struct app *app)
{
	const char *title = _("Stop the copy?");
	const struct popup_choice choices[] = { { 's', _("stop: flush, save the map, report") } };

	if (!app_copying(app)) {
		app->quit = true;
		return;
	}
	if (session_state(app->session) == SESSION_FINISHING ||
	    (app->stop_wanted && session_state(app->session) != SESSION_WAITING)) {
		ask_leave(app);
		return;
	}
	if (verifying(app)) {
		app_ask_stop_verify(app);
		return;
	}
	if (popup_is_open(app, title)) {
		popup_close(app);
		app_stop_now(app);
		return;
	}
	if (session_state(app->session) == SESSION_WAITING) {
		app_show_waiting(app);
		return;
	}
	popup_ask(
		app, title,
		app->has_job && app->snapshot.state == JOB_PAUSED
			? _("The copy stays paused while you think. A stopped copy can be resumed "
			    "from its map. Ctrl-C again stops too.")
			: _("The copy goes on while you think. A stopped copy can be resumed from "
			    "its map. Ctrl-C again stops too."),
		choices, 1, answer_stop, NULL);
}
