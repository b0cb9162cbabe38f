/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/app.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"

#include "ui/core/app_private.h"

#define WHEEL_ROWS 3

const struct screen_ops *screen_ops(enum screen_id screen)
{
	static const struct screen_ops *const all[SCREEN_COUNT] = {
		[SCREEN_DISKS] = &scr_disks,   [SCREEN_RANGES] = &scr_ranges,
		[SCREEN_PLAN] = &scr_plan,     [SCREEN_RUN] = &scr_run,
		[SCREEN_REPORT] = &scr_report, [SCREEN_BENCH] = &scr_bench,
		[SCREEN_JOBS] = &scr_jobs,     [SCREEN_HELP] = &scr_help,
		[SCREEN_EDITOR] = &scr_editor,
	};

	return all[screen];
}

static enum screen_id shown_id(const struct app *app)
{
	return app->help ? SCREEN_HELP : app->current;
}

const struct screen_ops *app_shown(const struct app *app)
{
	return screen_ops(shown_id(app));
}

struct popup *app_popup(struct app *app)
{
	return &app->popup;
}

static void *state_of(struct app *app)
{
	return app->states[shown_id(app)];
}

/* The speed of a good spinning disk. Without a limit a copy between loop devices would end before
 * one sees it run. */
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
	app->utf8 = term->facts.utf8;
	app->client = app->null = app->listener.fd = -1;
	viewers_init(&app->viewers);
	app->signals = signals;
	app->session_state = session_state(session);
	app->choice.everything = true;
	app->choice.options = PLAN_OPTIONS_DEFAULT;
	if (options->session.practice_dir)
		app->choice.options.rate = PRACTICE_RATE;
	app->reached = ON(SCREEN_DISKS) | ON(SCREEN_JOBS);
	if (gethostname(app->host, sizeof(app->host) - 1) != 0)
		app->host[0] = '\0';
	for (int i = 0; i < SCREEN_COUNT; i++) {
		const struct screen_ops *ops = screen_ops((enum screen_id)i);

		app->states[i] = calloc(1, ops->state_size);
		if (!app->states[i]) {
			app_destroy(app);
			return error_nomem(reterr);
		}
		if (ops->init)
			ops->init(app->states[i], app);
	}
	app_go(app, options->jobs ? SCREEN_JOBS : SCREEN_DISKS);
	*ret = app;
	return 0;
}

void app_destroy(struct app *app)
{
	if (!app)
		return;
	for (int i = 0; i < SCREEN_COUNT; i++) {
		const struct screen_ops *ops = screen_ops((enum screen_id)i);

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
	return app->options->session.practice_dir;
}

const char *app_folder(const struct app *app)
{
	return app->options->folder;
}

void app_other_jobs(struct app *app, size_t count)
{
	if (count != app->other_jobs)
		app_redraw(app);
	app->other_jobs = count;
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
	return session_copy(app->session).busy;
}

void app_take_snapshot(struct app *app)
{
	app->has_job = session_snapshot(app->session, &app->snapshot);
}

const struct endpoint *app_bench_disk(const struct app *app)
{
	return &app->bench_disk;
}

void app_choose_bench(struct app *app, const struct endpoint *endpoint)
{
	app->bench_disk = *endpoint;
	app_go(app, SCREEN_BENCH);
}

void app_moves(struct app *app, bool moves)
{
	app->measuring = moves;
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

/* No steps of a copy. */
#define BESIDE (ON(SCREEN_BENCH) | ON(SCREEN_JOBS))

void app_go(struct app *app, enum screen_id screen)
{
	if (screen != SCREEN_PLAN)
		app_give_up_plan(app);
	leave(app);
	/* The message was about the screen that is left. */
	if (screen != app->current) {
		app->message[0] = '\0';
		popup_close(app);
	}
	app->help = app->helped = false;
	app->planning = false;
	if (app->current <= SCREEN_RANGES && screen > SCREEN_RANGES)
		app->chosen_on = app->current;
	if (ON(screen) & BESIDE && !(ON(app->current) & BESIDE))
		app->beside = app->current;
	app->current = screen;
	app->reached |= ON(screen);
	enter(app);
}

/* The step before, or the screen that one was left for. Not from Run while copying. */
static void go_back(struct app *app)
{
	if (app->current == SCREEN_RUN && app_copying(app)) {
		app_say(app, session_state(app->session) == SESSION_VERIFYING
				     ? _("Verifying goes on. Ctrl-C asks whether to stop it; 1 to "
					 "3 look back.")
				     : _("The copy runs. Ctrl-C asks whether to stop it; 1 to 3 "
					 "look back."));
		return;
	}
	bool beside = ON(app->current) & BESIDE && app_reached(app, app->beside);
	int screen = beside ? (int)app->beside : (int)app->current - 1;

	for (; screen >= SCREEN_DISKS; screen--) {
		/* Whoever went from 1 Disks to the plan has not seen 2 Ranges. */
		if (app_reached(app, (enum screen_id)screen) &&
		    (screen != SCREEN_RANGES || app->chosen_on == SCREEN_RANGES)) {
			app_go(app, (enum screen_id)screen);
			return;
		}
	}
	app_say(app, _("This is the first screen. q quits."));
}

void app_forget(struct app *app, enum screen_id from)
{
	/* What was measured stays. */
	for (int screen = from; screen <= SCREEN_REPORT; screen++)
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
	app->helped = app->help;
	app->help = !app->help;
	enter(app);
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
	app_say(app, "%s", _(names[app->units]));
}

/* From these, going on makes the plan, or says what is missing for it. */
#define PLANNING_SCREENS (ON(SCREEN_DISKS) | ON(SCREEN_RANGES))

static void go_to_step(struct app *app, enum screen_id screen)
{
	static const char *const reasons[SCREEN_STEPS] = {
		[SCREEN_RANGES] = N_("2 Ranges comes after choosing source and destination."),
		[SCREEN_PLAN] = N_("3 Plan comes after choosing both disks: Enter on 1."),
		[SCREEN_RUN] = N_("4 Run comes after confirming the plan."),
		[SCREEN_REPORT] = N_("5 Report comes when the copy has ended."),
		[SCREEN_BENCH] = N_("6 Bench measures a disk: press b on 1 Disks."),
	};

	if (app_reached(app, screen))
		app_go(app, screen);
	else if (screen == SCREEN_PLAN && !app->planning && ON(shown_id(app)) & PLANNING_SCREENS)
		app_command(app, COMMAND_TO_PLAN);
	else if (reasons[screen])
		app_say(app, "%s", _(reasons[screen]));
}

static struct find_target searched(struct app *app)
{
	const struct screen_ops *ops = app_shown(app);
	void *state = app->states[ops->id];

	if (app->popup.kind == POPUP_TEXT)
		return (struct find_target){ &app->popup.lines, popup_holds, &app->popup };
	if (app->popup.kind != POPUP_NONE || !ops->list)
		return (struct find_target){ 0 };
	return (struct find_target){ ops->list(state), ops->holds, state };
}

bool app_is_finding(struct app *app)
{
	return find_is_on(&app->find, searched(app).list);
}

/* The command, or a key where that is COMMAND_NONE. False: not taken. */
static bool find(struct app *app, enum command command, int key)
{
	const struct screen_ops *ops = app_shown(app);
	struct find_target target = searched(app);
	enum find_result result = command == COMMAND_NONE
					  ? find_key(&app->find, &target, key)
					  : find_command(&app->find, &target, command);

	if (result == FIND_NOT_TAKEN)
		return false;
	if (result == FIND_NOTHING)
		app_hint(app, MESSAGE_INFO, _("Nothing found for \"%s\"."), target.list->wanted);
	else if (result == FIND_NO_TEXT)
		app_hint(app, MESSAGE_INFO, _("There is no search to repeat: press / first."));
	if (app->popup.kind == POPUP_NONE && target.holds && ops->moved)
		ops->moved(app->states[ops->id]);
	app_redraw(app);
	return true;
}

/* Carries out what is the same on every screen; false: the command belongs to the screen. */
static bool common_command(struct app *app, enum command command)
{
	switch (command) {
	case COMMAND_SCREEN_1:
	case COMMAND_SCREEN_2:
	case COMMAND_SCREEN_3:
	case COMMAND_SCREEN_4:
	case COMMAND_SCREEN_5:
	case COMMAND_SCREEN_6:
	case COMMAND_SCREEN_7:
		go_to_step(app, (enum screen_id)(command - COMMAND_SCREEN_1));
		return true;
	case COMMAND_UNITS:
		next_units(app);
		return true;
	case COMMAND_THEME:
		if (app->term)
			app_say(app, "%s", _(term_next_theme(app->term)));
		return true;
	case COMMAND_LETTERS:
		if (app->term)
			app->term->letters = !app->term->letters;
		return true;
	case COMMAND_REDRAW:
		if (app->term)
			term_repaint(app->term);
		app_redraw(app);
		return true;
	case COMMAND_HELP:
		toggle_help(app);
		return true;
	case COMMAND_FIND:
	case COMMAND_FIND_NEXT:
	case COMMAND_FIND_PREVIOUS:
		return find(app, command, 0);
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
	if (why && why[0]) {
		app_message(app, MESSAGE_WARN, "%s", why);
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
		ops->edited(state_of(app), app, event);
	app_redraw(app);
	return true;
}

/* On a terminal that is too small: only keys whose effect is visible there work. */
static void key_unseen(struct app *app, int key)
{
	enum command command = keys_lookup(SCREEN_DISKS, key);

	if (app->popup.kind == POPUP_ASK || (app->popup.kind && key == SPECIAL_ESCAPE))
		popup_key(app, key);
	else if (command == COMMAND_REDRAW || (command == COMMAND_QUIT && !app->popup.kind))
		common_command(app, command);
}

/* On a slow machine the first list takes seconds, and whoever knows the deck types ahead. */
static bool keep_early(struct app *app, int key)
{
	enum command command = keys_lookup(SCREEN_DISKS, key);

	if (session_disks(app->session) || app->current != SCREEN_DISKS || app->help ||
	    session_error(app->session, SESSION_TASK_SCAN)->code || command == COMMAND_NONE ||
	    command == COMMAND_QUIT || command == COMMAND_STOP || command == COMMAND_HELP ||
	    command == COMMAND_REDRAW || command == COMMAND_UNITS ||
	    (command >= COMMAND_SCREEN_1 && command <= COMMAND_SCREEN_7))
		return false;
	if (app->early_count == EARLY_MAX) {
		app_say(app, _("The disks are still being looked for; this key was not taken."));
		return true;
	}
	app->early[app->early_count++] = key;
	app_say(app,
		P_("Looking for disks... %d key is kept for them.",
		   "Looking for disks... %d keys are kept for them.", app->early_count),
		app->early_count);
	return true;
}

static bool waits_for_plan(const struct app *app)
{
	return app->planning && !app->help && app->current != SCREEN_PLAN;
}

static void give_up_plan(struct app *app)
{
	app_give_up_plan(app);
	app_say(app, _("The plan was given up: what was chosen stays."));
}

static void tell_planning(struct app *app)
{
	app_hint(app, MESSAGE_INFO,
		 _("The plan is being made; nothing else can be done yet. Esc gives it up."));
}

/* What is typed while the plan is made is meant for the plan, such as a serial number: here it
 * would choose other disks, or quit. It is not kept, since nobody has seen yet what it would
 * confirm. */
static bool drop_for_plan(struct app *app, int key)
{
	char bytes[KEY_TEXT_MAX];

	if (!waits_for_plan(app) || key == '?')
		return false;
	if (key == SPECIAL_ESCAPE) {
		give_up_plan(app);
		return true;
	}
	if (!keys_character(key, bytes)[0] && key != SPECIAL_ENTER && key != SPECIAL_BACKSPACE &&
	    key != SPECIAL_TAB)
		return false;
	tell_planning(app);
	return true;
}

/* What is clicked does no more than its key would. */
static bool drop_click_for_plan(struct app *app, enum command command)
{
	if (!waits_for_plan(app) || command == COMMAND_UP || command == COMMAND_DOWN ||
	    command == COMMAND_HELP)
		return false;
	if (command == COMMAND_BACK)
		give_up_plan(app);
	else
		tell_planning(app);
	return true;
}

void app_early_keys(struct app *app)
{
	int count = app->early_count;

	app->early_count = 0;
	for (int i = 0; i < count && app->term; i++)
		app_key(app, app->early[i]);
}

static void popup_mouse(struct app *app, int key)
{
	int named = mouse_key(&app->mouse, app->term->click_row, app->term->click_col);

	if (key != SPECIAL_CLICK)
		popup_key(app, key == SPECIAL_WHEEL_UP ? SPECIAL_UP : SPECIAL_DOWN);
	else if (named && popup_takes_clicks(&app->popup))
		app_key(app, named);
}

static void use_mouse(struct app *app, int key)
{
	int named = mouse_key(&app->mouse, app->term->click_row, app->term->click_col);
	int times = WHEEL_ROWS;
	enum command command = key == SPECIAL_WHEEL_UP ? app->mouse.above
			       : key == SPECIAL_WHEEL_DOWN
				       ? app->mouse.below
				       : mouse_click(&app->mouse, app->term->click_row,
						     app->term->click_col, &times);

	if (app->popup.kind != POPUP_NONE) {
		popup_mouse(app, key);
		return;
	}
	if (key == SPECIAL_CLICK && named) {
		app_key(app, named);
		return;
	}
	/* In the layout editor, the tabs are only shown. */
	if (!keys_has(shown_id(app), command) || drop_click_for_plan(app, command))
		return;
	for (int i = 0; i < times; i++)
		app_command(app, command);
}

void app_key(struct app *app, int key)
{
	enum command command;
	char name[32];

	app_drop_hint(app, true);
	if (layout_too_small(app->term->cols, app->term->rows)) {
		key_unseen(app, key);
		return;
	}
	if (key >= SPECIAL_CLICK && key <= SPECIAL_WHEEL_DOWN) {
		use_mouse(app, key);
		return;
	}
	if (find(app, COMMAND_NONE, key))
		return;
	if (app->popup.kind != POPUP_NONE) {
		command = keys_lookup(SCREEN_HELP, key);
		if (command >= COMMAND_FIND && command <= COMMAND_FIND_PREVIOUS &&
		    find(app, command, 0))
			return;
		if (key == KEY_CTRL('l'))
			common_command(app, COMMAND_REDRAW);
		else
			popup_key(app, key);
		return;
	}
	if (drop_for_plan(app, key) || key_to_field(app, key) || keep_early(app, key))
		return;
	command = keys_lookup(shown_id(app), key);
	if (command != COMMAND_NONE && app_command(app, command))
		return;
	if (key != SPECIAL_OTHER)
		app_hint(app, MESSAGE_INFO, _("%s does nothing here. ? shows the keys."),
			 keys_name(key, name, sizeof(name)));
}
