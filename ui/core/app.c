/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/app_private.h"

const struct screen_ops *app_ops(enum screen_id screen)
{
	static const struct screen_ops *const all[SCREEN_COUNT] = {
		[SCREEN_DISKS] = &scr_disks,   [SCREEN_RANGES] = &scr_ranges,
		[SCREEN_PLAN] = &scr_plan,     [SCREEN_RUN] = &scr_run,
		[SCREEN_REPORT] = &scr_report, [SCREEN_HELP] = &scr_help,
	};

	return all[screen];
}

static enum screen_id shown_id(const struct app *app)
{
	return app->help ? SCREEN_HELP : app->current;
}

const struct screen_ops *app_shown(const struct app *app)
{
	return app_ops(shown_id(app));
}

static void *state_of(struct app *app)
{
	return app->states[shown_id(app)];
}

/* That of a good spinning disk: loop devices would be through before anybody has looked. */
#define PRACTICE_RATE 150000000 /* bytes per second */

int app_new(const struct deck_options *options, struct session *session, struct term *term,
	    int signals, struct app **ret, struct error *reterr)
{
	struct app *app = calloc(1, sizeof(*app));

	if (!app)
		return error_nomem(reterr);
	app->options = options;
	app->session = session;
	app->term = term;
	app->signals = signals;
	app->session_state = session_state(session);
	app->choice.everything = true;
	app->choice.options = PLAN_OPTIONS_DEFAULT;
	if (options->practice_dir)
		app->choice.options.rate = PRACTICE_RATE;
	app->reached = ON(SCREEN_DISKS);
	if (gethostname(app->host, sizeof(app->host) - 1) != 0)
		app->host[0] = '\0';
	for (int i = 0; i < SCREEN_COUNT; i++) {
		const struct screen_ops *ops = app_ops((enum screen_id)i);

		app->states[i] = calloc(1, ops->state_size);
		if (!app->states[i]) {
			app_destroy(app);
			return error_nomem(reterr);
		}
		if (ops->init)
			ops->init(app->states[i], app);
	}
	app_go(app, SCREEN_DISKS);
	*ret = app;
	return 0;
}

void app_destroy(struct app *app)
{
	if (!app)
		return;
	for (int i = 0; i < SCREEN_COUNT; i++) {
		const struct screen_ops *ops = app_ops((enum screen_id)i);

		if (ops->done && app->states[i])
			ops->done(app->states[i]);
		free(app->states[i]);
	}
	popup_done(&app->popup);
	free(app->report_text);
	range_list_done(&app->choice.ranges);
	range_list_done(&app->retry);
	free(app);
}

/* ---- what screens see ---- */

struct session *app_session(struct app *app)
{
	return app->session;
}

const struct term *app_term(const struct app *app)
{
	return app->term;
}

enum units_scale app_units(const struct app *app)
{
	return app->units;
}

const char *app_practice_dir(const struct app *app)
{
	return app->options->practice_dir;
}

bool app_simple(const struct app *app)
{
	return app->options->simple;
}

enum screen_id app_current(const struct app *app)
{
	return app->current;
}

bool app_reached(const struct app *app, enum screen_id screen)
{
	return app->reached & ON(screen);
}

const struct job_snapshot *app_job(const struct app *app)
{
	return app->has_job ? &app->snapshot : NULL;
}

bool app_copying(const struct app *app)
{
	enum session_state state = session_state(app->session);

	/* Also while it only waits for what the report needs, or for a disk. */
	return state == SESSION_STARTING || state == SESSION_RUNNING || state == SESSION_WAITING ||
	       state == SESSION_FINISHING || state == SESSION_VERIFYING;
}

void app_take_snapshot(struct app *app)
{
	app->has_job = session_snapshot(app->session, &app->snapshot);
}

/* ---- going ---- */

static void leave(struct app *app)
{
	const struct screen_ops *ops = app_shown(app);

	if (ops->leave)
		ops->leave(state_of(app), app);
}

static void enter(struct app *app)
{
	const struct screen_ops *ops = app_shown(app);

	app_redraw(app);
	if (ops->enter)
		ops->enter(state_of(app), app);
}

void app_go(struct app *app, enum screen_id screen)
{
	leave(app);
	/* What was said there may not be true here. */
	if (screen != app->current) {
		app->message[0] = '\0';
		popup_close(app);
	}
	app->help = false;
	app->planning = false;
	app->current = screen;
	app->reached |= ON(screen);
	enter(app);
}

/* The step before. Not from Run while copying. */
static void go_back(struct app *app)
{
	if (app->current == SCREEN_RUN && app_copying(app)) {
		app_message(app, MESSAGE_INFO,
			    session_state(app->session) == SESSION_VERIFYING
				    ? _("Verifying goes on. Ctrl-C asks whether to stop it; 1 to "
					"3 look back.")
				    : _("The copy runs. Ctrl-C asks whether to stop it; 1 to 3 "
					"look back."));
		return;
	}
	for (int screen = (int)app->current - 1; screen >= SCREEN_DISKS; screen--) {
		if (app_reached(app, (enum screen_id)screen)) {
			app_go(app, (enum screen_id)screen);
			return;
		}
	}
	app_message(app, MESSAGE_INFO, _("This is the first screen. q quits."));
}

void app_forget(struct app *app, enum screen_id from)
{
	for (int screen = from; screen < SCREEN_STEPS; screen++)
		app->reached &= ~ON(screen);
	app_redraw(app);
}

void app_redraw(struct app *app)
{
	app->dirty = true;
}

static void toggle_help(struct app *app)
{
	leave(app);
	app->help = !app->help;
	enter(app);
}

/* ---- saying ---- */

void app_notice(struct app *app, enum message_level level, const char *text)
{
	text_copy(app->message, sizeof(app->message), text);
	app->level = level;
	app->said = true;
	app_redraw(app);
}

const char *app_said(const struct app *app)
{
	return app->message;
}

void app_message(struct app *app, enum message_level level, const char *format, ...)
{
	char text[sizeof(app->message)];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	app_notice(app, level, text);
	/* A sentence that says what to do has to be readable to its end. */
	if (app->term && level != MESSAGE_INFO && !popup_is_typed(app) &&
	    text_width(app->message) > app->term->cols - 2)
		popup_text(app, level == MESSAGE_ERROR ? _("Error") : _("Note"), app->message);
}

void app_error(struct app *app, const struct error *error)
{
	app_message(app, MESSAGE_ERROR, "%s",
		    error->sentence[0] ? error->sentence : error_phrase(error->code));
}

void app_bell(struct app *app)
{
	if (app->term)
		term_bell(app->term);
}

/* ---- commands ---- */

static void next_units(struct app *app)
{
	static const char *const names[] = {
		[UNITS_SI] = N_("Sizes in powers of 1000: kB, MB, GB, TB."),
		[UNITS_IEC] = N_("Sizes in powers of 1024: KiB, MiB, GiB, TiB."),
		[UNITS_SECTORS] = N_("Sizes in logical sectors."),
	};

	app->units = app->units == UNITS_SECTORS ? UNITS_SI : (enum units_scale)(app->units + 1);
	app_message(app, MESSAGE_INFO, "%s", _(names[app->units]));
}

static void go_to_step(struct app *app, enum screen_id screen)
{
	static const char *const reasons[SCREEN_STEPS] = {
		[SCREEN_RANGES] = N_("2 Ranges comes after choosing source and destination."),
		[SCREEN_PLAN] = N_("3 Plan comes after choosing ranges: press c there."),
		[SCREEN_RUN] = N_("4 Run comes after confirming the plan."),
		[SCREEN_REPORT] = N_("5 Report comes when the copy has ended."),
	};

	if (app_reached(app, screen))
		app_go(app, screen);
	else if (reasons[screen])
		app_message(app, MESSAGE_INFO, "%s", _(reasons[screen]));
}

/* What is the same on every screen; false: it belongs to the screen. */
static bool common_command(struct app *app, enum command command)
{
	switch (command) {
	case COMMAND_SCREEN_1:
	case COMMAND_SCREEN_2:
	case COMMAND_SCREEN_3:
	case COMMAND_SCREEN_4:
	case COMMAND_SCREEN_5:
		go_to_step(app, (enum screen_id)(command - COMMAND_SCREEN_1));
		return true;
	case COMMAND_UNITS:
		next_units(app);
		return true;
	case COMMAND_REDRAW:
		if (app->term)
			term_repaint(app->term);
		app_redraw(app);
		return true;
	case COMMAND_HELP:
		toggle_help(app);
		return true;
	case COMMAND_STOP:
	case COMMAND_QUIT:
		app_ask_stop(app);
		return true;
	default:
		return false;
	}
}

bool app_command(struct app *app, enum command command)
{
	const struct screen_ops *ops = app_shown(app);
	const char *why;

	app_redraw(app);
	if (common_command(app, command))
		return true;
	why = ops->unavailable ? ops->unavailable(state_of(app), app, command) : NULL;
	if (why) {
		app_message(app, MESSAGE_INFO, "%s", why);
		return true;
	}
	if (ops->command(state_of(app), app, command))
		return true;
	if (command != COMMAND_BACK)
		return false;
	if (app->help)
		toggle_help(app);
	else
		go_back(app);
	return true;
}

/* True when a field took the key. */
static bool key_to_field(struct app *app, int key)
{
	const struct screen_ops *ops = app_shown(app);
	struct field *field = ops->field ? ops->field(state_of(app), app) : NULL;
	enum field_event event;

	if (!field)
		return false;
	event = field_key(field, key);
	if (event == FIELD_NOT_TAKEN)
		return false;
	if (ops->edited)
		ops->edited(state_of(app), app, field, event);
	app_redraw(app);
	return true;
}

/* On a screen that is too small, where nothing that cannot be seen is done. */
static void key_unseen(struct app *app, int key)
{
	enum command command = keys_lookup(SCREEN_DISKS, key);

	if (app->popup.kind == POPUP_ASK || (app->popup.kind && key == SPECIAL_ESCAPE))
		popup_key(app, key);
	else if (command == COMMAND_REDRAW || (command == COMMAND_QUIT && !app->popup.kind))
		common_command(app, command);
}

void app_key(struct app *app, int key)
{
	enum command command;
	char name[32];

	if (layout_too_small(app->term->cols, app->term->rows)) {
		key_unseen(app, key);
		return;
	}
	if (app->popup.kind != POPUP_NONE) {
		if (key == KEY_CTRL('l'))
			common_command(app, COMMAND_REDRAW);
		else
			popup_key(app, key);
		return;
	}
	if (key_to_field(app, key))
		return;
	command = keys_lookup(shown_id(app), key);
	if (command != COMMAND_NONE && app_command(app, command))
		return;
	if (key != SPECIAL_OTHER)
		app_message(app, MESSAGE_INFO, _("%s does nothing here. ? shows the keys."),
			    keys_name(key, name, sizeof(name)));
}

/* ---- following the session ---- */

/* A report is longer than most screens, and its result is what stands first: once more below it. */
char *app_result_at_end(const char *report)
{
	const char *end = strstr(report, "\n\n");
	char *text = NULL;

	if (asprintf(&text, "%s\n%.*s\n", report, (int)(end ? end - report : 0), report) < 0)
		return NULL;
	return text;
}

/* The session forgets the report when something else is chosen; who started the copy still has
 * to be told how it ended. */
static void keep_report(struct app *app, const struct report *report)
{
	int cols =
		app->term && app->term->cols > LAYOUT_MIN_COLS ? app->term->cols : LAYOUT_MIN_COLS;
	CLEANUP(free) struct report *shown = malloc(sizeof(*shown));
	CLEANUP(free) char *text = NULL;

	app->copied = true;
	app->exit_code = (int)report_exit_code(report);
	free(app->report_text);
	app->report_text = NULL;
	if (!shown)
		return;
	*shown = *report;
	/* Files of a practice go with its disks. */
	if (app->options->practice_dir)
		shown->log_path[0] = shown->map_path[0] = shown->json_path[0] =
			shown->certificate_path[0] = shown->digests_path[0] = '\0';
	if (report_text(shown, cols, &text, NULL) == 0)
		app->report_text = app_result_at_end(text);
}

/* With what may be done about it. */
static void tell_end(struct app *app, const struct report *report)
{
	enum exit_code code = report_exit_code(report);
	bool map = report->map_path[0] && report->job.map_safe;

	app_message(app, MESSAGE_INFO,
		    code == EXIT_BAD_AREAS && map && report->job.bad_areas
			    ? _("%s. The exit code will be %d. r reads bad areas again, q quits.")
		    : code == EXIT_STOPPED && map
			    ? _("%s. The exit code will be %d. r goes on from the map, q quits.")
			    : _("%s: the copy has ended. The exit code will be %d. q quits."),
		    _(report_result_word(report)), (int)code);
}

static void end(struct app *app)
{
	const struct report *report = session_report(app->session);
	const struct error *error = session_finish_error(app->session);

	popup_close(app);
	if (report) {
		keep_report(app, report);
		app_go(app, SCREEN_REPORT);
	}
	if (error->code)
		app_error(app, error);
	else if (report)
		tell_end(app, report);
	if (app->leaving)
		app->quit = true;
}

/* Whoever has just pressed Enter looks at where the copy should come, not at the message line. */
static void tell_not_started(struct app *app)
{
	const struct error *error = session_start_error(app->session);
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
		app_message(app, MESSAGE_INFO,
			    _("The copy has ended. Its disks are being released and its report "
			      "saved."));
	}
	if (before == SESSION_FINISHING && now == SESSION_FINISHED)
		end(app);
	app_follow_waiting(app, before);
	app_follow_verify(app, before);
}

void app_finish(struct app *app)
{
	struct error error = { 0 };

	if (session_begin_finish(app->session, &error) < 0)
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
	for (int i = 0; i < SCREEN_COUNT; i++) {
		const struct screen_ops *ops = app_ops((enum screen_id)i);

		if (ops->changed)
			ops->changed(app->states[i], app, changes);
	}
	if (session_can_finish(app->session))
		app_finish(app);
}
