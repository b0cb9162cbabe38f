/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Following the session: a copy that starts, waits for a disk, is read back, ends; what is said of
 * it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "job/job.h"

#include "ui/core/app_private.h"
#include "ui/core/app_shrink.h"

/* Kept to be printed after the last screen: the session drops its report as soon as something else
 * is chosen. The result stands first in it, where it scrolls away: it is repeated at the end. NULL:
 * without memory there is none. */
static void keep_report(struct app *app, const struct report *report, enum report_extent extent,
			int cols)
{
	CLEANUP(free) char *text = NULL;
	const char *end;

	app->copied = true;
	free(app->report_text);
	app->report_text = NULL;
	if (!report || report_text(report, extent, cols, &text, NULL) < 0)
		return;
	end = strstr(text, "\n\n");
	if (asprintf(&app->report_text, "%s\n%.*s\n", text, (int)(end ? end - text : 0), text) < 0)
		app->report_text = NULL;
}

/* ---- a disk of the copy is gone ---- */

static const char *waiting_title(void)
{
	return _("A disk is gone");
}

static void answer_waiting(void *user, struct app *app, int choice)
{
	struct error error = { 0 };

	if (choice == 1)
		app_stop_now(app);
	else if (choice == 0 && session_start(app->session, &error) < 0)
		app_error(app, &error);
	else if (choice < 0)
		app_message(app, MESSAGE_WARN, _("A disk is gone: p on 4 Run tells more."));
}

static const char *advice(const struct app *app, const struct session_waiting *waiting)
{
	if (waiting->trying)
		return _("It is back: claimed again, and what was copied is compared.");
	if (waiting->back)
		return _("It is attached again; g goes on.");
	if (app->options->session.on_vanish == SESSION_VANISH_ASK)
		return _("Attach the same disk again, under any name: then g goes on where the "
			 "copy ended.");
	if (job_pause_wanted(session_copy(app->session).job))
		return _("Attach the same disk again, under any name: it is checked. The copy was "
			 "paused and stays so: p goes on then.");
	return _("Attach the same disk again, under any name: it is checked, and the copy goes on "
		 "by itself.");
}

/* The tables of a source that is lost can be written without it. */
static const char *if_lost(struct app *app, const struct session_waiting *waiting)
{
	const struct plan *plan = session_choice(app->session).plan;
	struct job_snapshot job;

	if (!waiting->source || waiting->back || waiting->trying || !plan ||
	    plan->source.kind == ENDPOINT_IMAGE || !session_snapshot(app->session, &job) ||
	    !job.held_areas || job.armed || !job.map_safe ||
	    !verifies_digests(plan->options.verify))
		return "";
	return _("\nIf it is lost for good, stop: the report says how its tables are written "
		 "without it.");
}

void app_show_waiting(struct app *app)
{
	const struct session_waiting *waiting = session_copy(app->session).waiting;
	const struct popup_choice choices[] = {
		{ 'g', _("go on now, if it is back") },
		{ 's', _("stop: report; the map can be resumed") },
	};
	char text[2048], since[64], at[16];
	const char *note;

	if (!waiting || !app->term)
		return;
	note = waiting->trying ? "" : waiting->note;
	snprintf(since, sizeof(since), _("since %s"),
		 clock_print(waiting->at, "%H:%M:%S", at, sizeof(at)));
	snprintf(text, sizeof(text), "%s, %s.\n%s%s%s%s", waiting->who, since, advice(app, waiting),
		 if_lost(app, waiting), note[0] ? "\n" : "", note);
	popup_interrupt(app, waiting_title(), text, choices, 2, answer_waiting, NULL);
}

/* The disk may have another name, and is another one to the kernel: the next plan is made of what
 * is attached now. */
static void take_ends(struct app *app)
{
	const struct plan *plan = session_choice(app->session).plan;

	app->choice.source = plan->source;
	app->choice.destination = plan->destinations[0];
}

static void follow_waiting(struct app *app, enum session_state before)
{
	const struct session_waiting *waiting = session_copy(app->session).waiting;
	char said[sizeof(app->waiting_said)];

	if (!waiting) {
		if (before != SESSION_WAITING)
			return;
		app->waiting_said[0] = '\0';
		if (popup_is_open(app, waiting_title()))
			popup_close(app);
		if (session_state(app->session) == SESSION_RUNNING) {
			take_ends(app);
			app_hint(app, MESSAGE_INFO,
				 job_pause_wanted(session_copy(app->session).job)
					 ? _("The disk is back. The copy is still paused: p goes "
					     "on.")
					 : _("The disk is back. The copy goes on where it ended."));
		}
		return;
	}
	if (app->stop_wanted && !waiting->trying) {
		app_finish(app);
		return;
	}
	snprintf(said, sizeof(said), "%.300s%.380s%d%d", waiting->who, waiting->note, waiting->back,
		 /* An attempt that fails is repeated; the popup is opened once for all
		    of them. */
		 waiting->trying && !waiting->note[0]);
	if (strcmp(said, app->waiting_said) == 0)
		return;
	if (before != SESSION_WAITING)
		app_bell(app);
	if (popup_is_typed(app)) {
		app_message(app, MESSAGE_WARN, _("A disk is gone: p on 4 Run tells more."));
		return;
	}
	text_copy(app->waiting_said, sizeof(app->waiting_said), said);
	app_drop_hint(app, true);
	app_show_waiting(app);
}

/* ---- what only reads: a copy that has ended is read back, or both ends of a plan are compared
 * ---- */

bool app_compares(const struct app *app)
{
	return session_copy(app->session).report == NULL;
}

void app_verify(struct app *app)
{
	struct error error = { 0 };

	if (session_verify(app->session, &error) < 0) {
		app_error(app, &error);
		return;
	}
	app->session_state = session_state(app->session);
	app->stop_wanted = false;
	app_say(app, app_compares(app)
			     ? _("Opening both disks, for reading only: they are compared. Nothing "
				 "is written.")
			     : _("Opening the disks to read the copy back. Nothing is written."));
}

bool app_compared(const struct app *app, struct report *ret)
{
	const struct job_snapshot *job = session_copy(app->session).verified;

	if (!job || !app_compares(app))
		return false;
	*ret = (struct report){ .plan = session_choice(app->session).plan,
				.job = *job,
				.verdicts = *session_choice(app->session).verdicts };
	return true;
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

/* Verifying decides the exit code only where it found something wrong. If it was stopped, or could
 * not begin, the result of the copy stays. */
static void take_exit_code(struct app *app, enum exit_code code)
{
	if (code == EXIT_MISMATCH || code == EXIT_DESTINATION_FAILED)
		app->exit_code = (int)code;
}

/* Added to the report that is printed after the last screen. */
static void tell_afterwards(struct app *app, const char *said, const char *design)
{
	char *text = NULL;

	if (asprintf(&text, "%s\n%s%s%s\n", app->report_text ? app->report_text : "", said,
		     design[0] ? "\n" : "", design) < 0)
		return;
	free(app->report_text);
	app->report_text = text;
}

static const char *by_design(const struct report *copy, const struct report *found)
{
	if (report_exit_code(found) != EXIT_MISMATCH || !report_changed_after(copy))
		return "";
	return _("This copy got new identifiers or a larger file system after it was verified: "
		 "there it differs by design.");
}

static void show_again(struct app *app, const struct job_snapshot *job)
{
	const struct report *copy = session_copy(app->session).report;
	const struct report found = { .plan = copy->plan, .job = *job };
	const char *design = by_design(copy, &found);
	char *proof = NULL, *text = NULL;
	struct error error;
	int r = report_text(&found, REPORT_PROVEN, LAYOUT_FULL_COLS - 10, &proof, &error);

	take_exit_code(app, report_exit_code(&found));
	if (r == 0 && asprintf(&text, "%s%s%s\n\n%s%s", headline(&found), design[0] ? "\n" : "",
			       design, proof, job->error.code ? job->error.sentence : "") < 0) {
		text = NULL;
		r = error_nomem(&error);
	}
	if (r < 0) {
		app_error(app, &error);
	} else {
		app_say(app, "%s", headline(&found));
		popup_text(app, _("Verified again"), text);
	}
	tell_afterwards(app, headline(&found), design);
	free(text);
	free(proof);
}

static void show_compared(struct app *app)
{
	struct report found;

	if (!app_compared(app, &found))
		return;
	app->exit_code = (int)report_exit_code(&found);
	keep_report(app, &found, REPORT_COMPARED, LAYOUT_FULL_COLS);
	app_say(app, _("%s. Nothing was written. The exit code will be %d. q quits."),
		_(report_verify_word(&found)), app->exit_code);
}

static void verify_ended(struct app *app)
{
	const struct job_snapshot *job = session_copy(app->session).verified;

	popup_close(app);
	app->stop_wanted = false;
	app_take_snapshot(app);
	if (job || !app_compares(app))
		app_go(app, SCREEN_REPORT);
	if (!job)
		app_error(app, session_error(app->session, SESSION_TASK_VERIFY));
	else if (app_compares(app))
		show_compared(app);
	else
		show_again(app, job);
	if (app->leaving)
		app->quit = true;
}

static void follow_verify(struct app *app, enum session_state before)
{
	if (session_state(app->session) == SESSION_VERIFYING) {
		if (!session_copy(app->session).job || app->current == SCREEN_RUN)
			return;
		app_take_snapshot(app);
		app_go(app, SCREEN_RUN);
		app_say(app, _("Both ends are only read: nothing is written. Ctrl-C stops."));
		if (app->stop_wanted)
			app_stop_now(app);
	} else if (before == SESSION_VERIFYING) {
		verify_ended(app);
	}
}

/* ---- the end of a copy ---- */

static void keep_end(struct app *app, const struct report *report)
{
	int cols = app->term && app->term->cols > LAYOUT_FULL_COLS ? app->term->cols
								   : LAYOUT_FULL_COLS;
	CLEANUP(free) struct report *shown = malloc(sizeof(*shown));

	app->exit_code = (int)report_end_code(report);
	if (shown)
		*shown = *report;
	/* The files of a practice copy are deleted together with its disks. */
	if (shown && app->options->session.practice_dir)
		shown->files.log[0] = shown->files.map[0] = shown->files.json[0] =
			shown->files.certificate[0] = shown->files.digests[0] = '\0';
	keep_report(app, shown, REPORT_SHORT, cols);
}

/* Says how the copy ended, and which key does something about it. */
static void tell_end(struct app *app, const struct report *report)
{
	enum exit_code code = report_end_code(report);
	bool map = report->files.map[0] && report->job.map_safe;

	app_say(app,
		code == EXIT_BAD_AREAS && map && report->job.bad_areas
			? _("%s. The exit code will be %d. r reads bad areas again, q quits.")
		: code == EXIT_STOPPED && map
			? _("%s. The exit code will be %d. r goes on from the map, q quits.")
			: _("%s: the copy has ended. The exit code will be %d. q quits."),
		_(report_result_word(report)), (int)code);
}

static void copy_ended(struct app *app)
{
	const struct report *report = session_copy(app->session).report;
	const struct error *error = session_error(app->session, SESSION_TASK_FINISH);

	popup_close(app);
	if (report) {
		keep_end(app, report);
		app_go(app, SCREEN_REPORT);
	}
	if (error->code)
		app_error(app, error);
	else if (report && (app->leaving || !app_shrink_ended(app, report)))
		tell_end(app, report);
	if (app->leaving)
		app->quit = true;
}

/* In a popup: after Enter nobody looks at the message line. */
static void tell_not_started(struct app *app)
{
	const struct error *error = session_error(app->session, SESSION_TASK_START);
	char text[sizeof(error->sentence) + 256];

	app_error(app, error);
	snprintf(text, sizeof(text),
		 _("%s\n\nNothing was copied. The plan stays, and its disks are looked at again: "
		   "type what is asked for once more when the cause is gone."),
		 app_said(app));
	popup_text(app, _("Not started"), text);
	app->stop_wanted = false;
	if (app->leaving)
		app->quit = true;
}

/* Tools that take their time, before there is a report. */
static bool changes_follow(const struct app *app)
{
	const struct plan *plan = session_choice(app->session).plan;

	return app->snapshot.result == JOB_RESULT_COMPLETE && plan &&
	       (plan->options.identities != IDENTITIES_KEEP ||
		(plan->options.grow_fs && plan->fitted.grown));
}

static void follow_state(struct app *app)
{
	enum session_state before = app->session_state, now = session_state(app->session);

	app->session_state = now;
	if (before == SESSION_CHECKING && now != SESSION_CHECKING)
		app_follow_plan(app);
	if (before == SESSION_STARTING && now == SESSION_PLANNED)
		tell_not_started(app);
	if (before != SESSION_RUNNING && now == SESSION_RUNNING) {
		app_take_snapshot(app);
		app_go(app, SCREEN_RUN);
		if (app->stop_wanted)
			app_stop_now(app);
	}
	if (before != now && now == SESSION_FINISHING) {
		popup_close(app);
		app_say(app, changes_follow(app)
				     ? _("The copy is complete. Its file systems or identifiers "
					 "are changed now, as you asked; then its report is saved.")
				     : _("The copy has ended. Its disks are being released and its "
					 "report saved."));
	}
	/* Without a thread for it, the report was made at once. */
	if ((before == SESSION_FINISHING || before == SESSION_RUNNING ||
	     before == SESSION_WAITING) &&
	    now == SESSION_FINISHED)
		copy_ended(app);
	follow_waiting(app, before);
	follow_verify(app, before);
}

void app_finish(struct app *app)
{
	struct error error = { 0 };

	if (session_finish(app->session, &error) < 0)
		app_error(app, &error);
	app_take_snapshot(app);
	follow_state(app);
}

void app_follow(struct app *app, unsigned changes)
{
	app_redraw(app);
	if (changes & (SESSION_CHANGE_STATE | SESSION_CHANGE_JOB))
		app_take_snapshot(app);
	if (changes & SESSION_CHANGE_STATE)
		follow_state(app);
	app_follow_shrink(app, changes);
	for (int i = 0; i < SCREEN_COUNT; i++) {
		const struct screen_ops *ops = screen_ops((enum screen_id)i);

		if (ops->changed)
			ops->changed(app->states[i], app, changes);
	}
	if (changes & SESSION_CHANGE_DISKS)
		app_early_keys(app);
	if (session_can_finish(app->session))
		app_finish(app);
}
