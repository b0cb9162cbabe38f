/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only place from which writing can start. */
#include <stdio.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/plan/screen.h"
#include "ui/core/screen.h"
#include "ui/widgets/popup.h"

void plan_screen_to_field(struct plan_screen *screen)
{
	screen->letters = !gate_set_typing(&screen->gate, true);
}

static void not_started(struct app *app, const char *why)
{
	popup_text(app, _("Not started"), why);
}

static void start(struct plan_screen *screen, struct app *app, const char *typed)
{
	char text[600];

	screen->typed[0] = '\0';
	screen->started = app_start(app, typed);
	gate_set_typing(&screen->gate, !screen->started && !screen->letters);
	if (screen->started)
		return;
	snprintf(text, sizeof(text), _("%s\n\nNothing was copied."), app_said(app));
	not_started(app, text);
}

/* Disks come and go, also because others look at them: the check that follows is waited for. */
static void start_soon(struct plan_screen *screen, struct app *app, const char *typed)
{
	if (!session_choice(app_session(app)).checking) {
		start(screen, app, typed);
		return;
	}
	text_copy(screen->typed, sizeof(screen->typed), typed);
	screen->typed_for = screen->gate.about;
	app_say(app, _("Disks came or went: the plan is checked once more, then the copy starts."));
}

void plan_screen_start_now(struct plan_screen *screen, struct app *app)
{
	char typed[sizeof(screen->typed)];

	text_copy(typed, sizeof(typed), screen->typed);
	screen->typed[0] = '\0';
	if (screen->typed_for == screen->gate.about && app_current(app) == SCREEN_PLAN)
		start(screen, app, typed);
	else if (!popup_is_open(app, _("Not started")))
		not_started(app, _("The checks have changed while the copy was to start: read them "
				   "again, then type what is asked for again. Nothing was "
				   "copied."));
}

void plan_screen_enter(struct plan_screen *screen, struct app *app)
{
	char phrase[256], typed[sizeof(screen->gate.token)];

	if (!plan_screen_startable(app)) {
		/* On a slow machine that takes a while, and Enter must not seem to have worked. */
		if (session_state(app_session(app)) == SESSION_CHECKING)
			app_message(app, MESSAGE_WARN,
				    _("Not started: the plan is still being checked. Enter again "
				      "when that is done."));
		return;
	}
	plan_screen_phrase(app, phrase, sizeof(phrase));
	text_copy(typed, sizeof(typed), screen->gate.typed.text);
	switch (gate_enter(&screen->gate)) {
	case GATE_REFUSED:
		if (gate_refusals(&screen->gate).may_pass) {
			app_say(app, _("Looking whether it is still in use..."));
			session_scan(app_session(app), NULL);
			break;
		}
		app_say(app, _("A check says NO: this plan cannot be started as it is."));
		break;
	case GATE_NOT_TYPING:
		plan_screen_to_field(screen);
		app_say(app, _("Now type %s."), phrase);
		break;
	case GATE_EMPTY:
		app_message(app, MESSAGE_WARN, _("Not started: type %s."), phrase);
		break;
	case GATE_WRONG:
		app_message(app, MESSAGE_WARN,
			    _("\"%.30s\" does not match: not started. Type it again."), typed);
		field_clear(&screen->gate.typed);
		break;
	case GATE_OPEN:
		start_soon(screen, app, typed);
		break;
	}
}
