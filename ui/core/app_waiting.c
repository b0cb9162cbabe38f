/* SPDX-License-Identifier: GPL-3.0-or-later */
/* While a disk of the copy is gone: which one, what is found instead, and the way out. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/app_private.h"

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

/* "since 14:32:05", by the clock on the wall. */
static void since_text(const struct session_waiting *waiting, char *buffer, size_t size)
{
	time_t since = (time_t)waiting->at;
	char at[16] = "-";
	struct tm tm;

	if (localtime_r(&since, &tm))
		strftime(at, sizeof(at), "%H:%M:%S", &tm);
	snprintf(buffer, size, _("since %s"), at);
}

static const char *advice(const struct app *app, const struct session_waiting *waiting)
{
	if (waiting->trying)
		return _("It is back: claimed again, and what was copied is compared.");
	if (waiting->back)
		return _("It is attached again; g goes on.");
	if (app->options->on_vanish == SESSION_VANISH_ASK)
		return _("Attach the same disk again, under any name: then g goes on where the "
			 "copy ended.");
	return _("Attach the same disk again, under any name: it is checked, and the copy goes on "
		 "by itself.");
}

void app_show_waiting(struct app *app)
{
	const struct session_waiting *waiting = session_waiting(app->session);
	const struct popup_choice choices[] = {
		{ 'g', _("go on now, if it is back") },
		{ 's', _("stop: report; the map can be resumed") },
	};
	char text[1024], since[64];
	const char *note;

	if (!waiting || !app->term)
		return;
	note = waiting->trying ? "" : waiting->note;
	since_text(waiting, since, sizeof(since));
	snprintf(text, sizeof(text), "%s, %s.\n%s%s%s", waiting->who, since, advice(app, waiting),
		 note[0] ? "\n" : "", note);
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
		 /* Tried again and again where something is in the way: said once. */
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
	app_show_waiting(app);
}
