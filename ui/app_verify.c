/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A copy that has ended is read back once more: how it begins, is stopped, and what came of it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/i18n.h"

#include "app_private.h"

void app_verify_again(struct app *app)
{
	struct error error = { 0 };

	if (session_begin_verify(app->session, &error) < 0) {
		app_error(app, &error);
		return;
	}
	app->session_state = session_state(app->session);
	app->stop_wanted = false;
	app_message(app, MESSAGE_INFO,
		    _("Opening the disks to read the copy back. Nothing is "
		      "written."));
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
	const struct popup_choice choices[] = { { 's', _("stop: the report stays as it is") } };

	if (popup_is_open(app, title)) {
		popup_close(app);
		app_stop_now(app);
		return;
	}
	popup_ask(app, title,
		  _("The copy is being read back once more; nothing is written. Ctrl-C again stops "
		    "too."),
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

static void show(struct app *app, const struct job_snapshot *job)
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

void app_follow_verify(struct app *app, enum session_state before)
{
	const struct error *error = session_verify_error(app->session);
	const struct job_snapshot *job;

	if (session_state(app->session) == SESSION_VERIFYING) {
		if (!session_job(app->session) || app->current == SCREEN_RUN)
			return;
		app_take_snapshot(app);
		app_go(app, SCREEN_RUN);
		if (app->stop_wanted)
			app_stop_now(app);
		return;
	}
	if (before != SESSION_VERIFYING)
		return;
	job = session_verified(app->session);
	popup_close(app);
	app->stop_wanted = false;
	app_take_snapshot(app);
	app_go(app, SCREEN_REPORT);
	if (job)
		show(app, job);
	else
		app_error(app, error);
	if (app->leaving)
		app->quit = true;
}
