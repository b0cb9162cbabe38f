/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What only reads: a copy that has ended is read back once more, or the two ends of a plan are
 * compared instead of copied. How it begins, is stopped, and what came of it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/i18n.h"

#include "ui/core/app_private.h"

/* Else it is of a copy that has ended. */
static bool compares(const struct app *app)
{
	return session_report(app->session) == NULL;
}

void app_verify(struct app *app)
{
	struct error error = { 0 };

	if (session_begin_verify(app->session, &error) < 0) {
		app_error(app, &error);
		return;
	}
	app->session_state = session_state(app->session);
	app->stop_wanted = false;
	app_message(app, MESSAGE_INFO,
		    compares(app)
			    ? _("Opening both disks, for reading only: they are compared. Nothing "
				"is written.")
			    : _("Opening the disks to read the copy back. Nothing is "
				"written."));
}

bool app_compared(const struct app *app, struct report *ret)
{
	const struct job_snapshot *job = session_verified(app->session);

	if (!job || !compares(app))
		return false;
	*ret = (struct report){ .plan = session_current_plan(app->session),
				.job = *job,
				.verdicts = *session_verdicts(app->session) };
	return true;
}

static void answer_stop(void *user, struct app *app, int choice)
{
	if (choice == 0)
		app_stop_now(app);
	else
		app_message(app, MESSAGE_INFO, _("Verifying goes on."));
}

void app_ask_stop_verify(struct app *app)
{
	const char *title = _("Stop verifying?");
	const struct popup_choice choices[] = {
		{ 's', compares(app) ? _("stop: report on what was compared")
				     : _("stop: the report stays as it is") },
	};

	if (popup_is_open(app, title)) {
		popup_close(app);
		app_stop_now(app);
		return;
	}
	popup_ask(app, title,
		  compares(app)
			  ? _("Both disks are being compared; nothing is written. Ctrl-C again "
			      "stops too.")
			  : _("The copy is being read back once more; nothing is written. Ctrl-C "
			      "again stops too."),
		  choices, 1, answer_stop, NULL);
}

static const char *headline(const struct report *found)
{
	switch (report_exit_code(found)) {
	case EXIT_COMPLETE:
		return _("VERIFIED again: every byte is as it was copied.");
	case EXIT_BAD_AREAS:
		return _(
			"VERIFIED again, but for the bad areas: all that was copied is as it was.");
	case EXIT_MISMATCH:
		return _("MISMATCH: the destination does not hold what was copied to it.");
	case EXIT_STOPPED:
		return _("STOPPED: only a part of the copy was read back.");
	default:
		return _("FAILED: the copy could not be read back.");
	}
}

/* How it ended counts from now on, unless it was stopped or not even begun: then nothing new is
 * known. */
static void take_exit_code(struct app *app, enum exit_code code)
{
	if (code == EXIT_MISMATCH || code == EXIT_DESTINATION_FAILED)
		app->exit_code = (int)code;
}

/* Below the report that stays behind where the screens were. */
static void tell_afterwards(struct app *app, const char *said)
{
	char *text = NULL;

	if (asprintf(&text, "%s\n%s\n", app->report_text ? app->report_text : "", said) < 0)
		return;
	free(app->report_text);
	app->report_text = text;
}

static void show_again(struct app *app, const struct job_snapshot *job)
{
	const struct report *copy = session_report(app->session);
	const struct report found = { .plan = copy->plan, .job = *job };
	char *proof = NULL, *text = NULL;
	struct error error;

	take_exit_code(app, report_exit_code(&found));
	if (report_text_verify(&found, LAYOUT_MIN_COLS - 10, &proof, &error) < 0 ||
	    asprintf(&text, "%s\n\n%s%s", headline(&found), proof,
		     job->error.code ? job->error.sentence : "") < 0) {
		app_error(app, &error);
	} else {
		app_message(app, MESSAGE_INFO, "%s", headline(&found));
		popup_text(app, _("Verified again"), text);
	}
	tell_afterwards(app, headline(&found));
	free(text);
	free(proof);
}

/* Its report is on the screen, and stays behind where the screens were. */
static void show_compared(struct app *app)
{
	struct report found;
	char *text = NULL;

	if (!app_compared(app, &found))
		return;
	app->copied = true;
	app->exit_code = (int)report_exit_code(&found);
	free(app->report_text);
	app->report_text = NULL;
	if (report_text_compared(&found, LAYOUT_MIN_COLS, &text, NULL) == 0)
		app->report_text = app_result_at_end(text);
	free(text);
	app_message(app, MESSAGE_INFO,
		    _("%s. Nothing was written. The exit code will be %d. q quits."),
		    _(report_verify_word(&found)), app->exit_code);
}

static void ended(struct app *app)
{
	const struct job_snapshot *job = session_verified(app->session);

	popup_close(app);
	app->stop_wanted = false;
	app_take_snapshot(app);
	if (job || !compares(app))
		app_go(app, SCREEN_REPORT);
	if (!job)
		app_error(app, session_verify_error(app->session));
	else if (compares(app))
		show_compared(app);
	else
		show_again(app, job);
	if (app->leaving)
		app->quit = true;
}

void app_follow_verify(struct app *app, enum session_state before)
{
	if (session_state(app->session) == SESSION_VERIFYING) {
		if (!session_job(app->session) || app->current == SCREEN_RUN)
			return;
		app_take_snapshot(app);
		app_go(app, SCREEN_RUN);
		app_message(app, MESSAGE_INFO,
			    _("Both ends are only read: nothing is written. "
			      "Ctrl-C stops."));
		if (app->stop_wanted)
			app_stop_now(app);
	} else if (before == SESSION_VERIFYING) {
		ended(app);
	}
}
