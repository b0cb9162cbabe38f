/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 4: another place for a map that cannot be saved where it was to be. */
#include <stdio.h>

#include "base/i18n.h"

#include "ui/run/screen.h"

static const char *place_typed(void *user, struct app *app, const char *text)
{
	struct error error = { 0 };

	if (!text || !text[0])
		return NULL;
	if (session_move_map(app_session(app), text, &error) < 0)
		app_error(app, &error);
	else
		app_message(app, MESSAGE_INFO, _("Trying that place."));
	return NULL;
}

void run_place_ask(struct app *app)
{
	const struct job_snapshot *job = app_job(app);
	char text[640];

	snprintf(text, sizeof(text),
		 job->map_failed
			 ? _("%.400s cannot be written. The copy goes on with the map in memory; "
			     "without it the copy cannot be resumed. A folder, or a file that is "
			     "not there yet:")
			 : _("It is kept as %.400s. Another folder, or a file that is not there "
			     "yet:"),
		 session_map_path(app_session(app)));
	popup_prompt(app, job->map_failed ? _("The map cannot be saved") : _("Place of the map"),
		     text, "/tmp", place_typed, NULL);
}

static void say_moved(struct app *app)
{
	const struct session *session = app_session(app);
	const char *map = session_map_path(session);

	if (session_map_in_memory(session))
		app_message(app, MESSAGE_WARN,
			    _("The map is kept as %s from now on, in memory: copy it to a disk "
			      "before this machine restarts."),
			    map);
	else if (session_log_moved(session))
		app_message(app, MESSAGE_INFO,
			    _("The map is kept as %s from now on; log and report go there, too."),
			    map);
	else
		app_message(app, MESSAGE_INFO, _("The map is kept as %s from now on."), map);
}

void run_place_follow(struct run_screen *screen, struct app *app, unsigned changes)
{
	const struct job_snapshot *job = app_job(app);
	const struct error *error = session_move_error(app_session(app));

	if (changes & SESSION_CHANGE_MAP && error->code < 0)
		app_error(app, error);
	else if (changes & SESSION_CHANGE_MAP)
		say_moved(app);
	/* Asked once, on whichever screen; s asks again. */
	if (job->map_failed && popup_is_typed(app))
		return;
	if (job->map_failed && !screen->map_failed && job->state != JOB_ENDED) {
		app_bell(app);
		run_place_ask(app);
	}
	screen->map_failed = job->map_failed;
}
