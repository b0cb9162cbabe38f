/* SPDX-License-Identifier: GPL-3.0-or-later */
/* While a disk of the copy is gone: which one, what is found instead, and the way out. */
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "app_state.h"

static const char *title(void)
{
	return _("A disk is gone");
}

static void answer(void *user, struct app *app, int choice)
{
	struct error error = { 0 };

	if (choice == 1)
		app_stop_now(app);
	else if (choice == 0 && session_go_on(app->session, &error) < 0)
		app_error(app, &error);
	else if (choice < 0)
		app_message(app, MESSAGE_WARN, _("Waiting for the disk. p shows what for."));
}

void app_show_waiting(struct app *app)
{
	const struct session_waiting *waiting = session_waiting(app->session);
	const struct popup_choice choices[] = {
		{ 'g', _("go on now, where it does not do so by itself") },
		{ 's', _("stop: report; the map can be resumed") },
	};
	char text[1024];

	if (!waiting || !app->term)
		return;
	if (waiting->trying)
		snprintf(text, sizeof(text), "%s\n%s", waiting->who,
			 _("It is back: claimed again, and what was copied is compared."));
	else if (waiting->back)
		snprintf(text, sizeof(text), "%s\n%s%s%s", waiting->who,
			 _("It is attached again; g goes on."), waiting->note[0] ? "\n" : "",
			 waiting->note);
	else
		snprintf(text, sizeof(text), "%s\n%s%s%s", waiting->who,
			 app->options->on_vanish == SESSION_VANISH_ASK
				 ? _("Attach the same disk again, under any name: then g goes on "
				     "where the copy ended.")
				 : _("Attach the same disk again, under any name: it is checked, "
				     "and the copy goes on by itself."),
			 waiting->note[0] ? "\n" : "", waiting->note);
	popup_ask(app, title(), text, choices, 2, answer, NULL);
}

void app_follow_waiting(struct app *app, enum session_state before)
{
	const struct session_waiting *waiting = session_waiting(app->session);
	char said[sizeof(app->waiting_said)];

	if (!waiting) {
		if (before != SESSION_WAITING)
			return;
		app->waiting_said[0] = '\0';
		if (popup_is_open(app, title()))
			popup_close(app);
		if (session_state(app->session) == SESSION_RUNNING)
			app_message(app, MESSAGE_INFO,
				    _("The disk is back. The copy goes on where it ended."));
		return;
	}
	if (app->stop_wanted && !waiting->trying) {
		app_finish(app);
		return;
	}
	snprintf(said, sizeof(said), "%.300s%.380s%d%d", waiting->who, waiting->note, waiting->back,
		 waiting->trying);
	if (strcmp(said, app->waiting_said) == 0)
		return;
	if (before != SESSION_WAITING)
		app_bell(app);
	text_copy(app->waiting_said, sizeof(app->waiting_said), said);
	app_show_waiting(app);
}
