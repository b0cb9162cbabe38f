/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 3: what will happen, and what speaks against it.
 */
#include "ui/plan/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/i18n.h"
#include "base/text.h"
#include "plan/preset.h"

#include "ui/plan/estimate.h"
#include "ui/core/app_shrink.h"
#include "ui/core/screen.h"
#include "ui/widgets/popup.h"

static void drop_lost(struct plan_screen *screen)
{
	free(screen->lost);
	screen->lost = NULL;
	screen->lost_count = 0;
}

static void done(void *state)
{
	struct plan_screen *screen = state;

	plan_lines_done(&screen->lines);
	drop_lost(screen);
	range_list_done(&screen->finished);
	gate_done(&screen->gate);
}

bool plan_screen_startable(struct app *app)
{
	enum session_state state = session_state(app_session(app));

	return state == SESSION_PLANNED || state == SESSION_CONFIRMED;
}

/* ---- what has to be typed ---- */

/* An image that is yet to be made has no token: nothing can be lost by it. It is asked for by its
 * name all the same, so that no key alone ever starts a copy. */
static const char *token(struct app *app)
{
	struct session *session = app_session(app);
	const struct plan *plan = session_choice(session).plan;
	const char *asked = session_choice(session).token;

	if (!plan || asked[0] || plan->destinations[0].kind != ENDPOINT_IMAGE)
		return asked;
	return text_base_name(plan->destinations[0].node);
}

const char *plan_screen_phrase(struct app *app, char *buffer, size_t size)
{
	const char *phrase = session_choice(app_session(app)).token_phrase;

	if (phrase[0])
		return text_copy(buffer, size, phrase);
	snprintf(buffer, size, _("the name of the new image, %s"), token(app));
	return buffer;
}

/* ---- following the session ---- */

/* The field keeps the keys: otherwise the next typed letter would be a command. Where the user has
 * changed the plan, nothing is said of disks that have changed. */
static void keep_typing(struct plan_screen *screen, struct app *app, bool typing)
{
	if (app_current(app) != SCREEN_PLAN || screen->letters ||
	    (!typing && gate_refused(&screen->gate)))
		return;
	if (!gate_set_typing(&screen->gate, true) && typing && !screen->anew &&
	    !popup_is_open(app, _("Not started")))
		popup_notice(app, _("Not started"),
			     _("The disks have changed, and a check says NO now: this plan cannot "
			       "be started as it is."));
	else if (typing && !screen->anew)
		app_message(app, MESSAGE_WARN,
			    _("The checks have changed: read them again, then type again."));
}

static void look_at_plan(struct plan_screen *screen, struct app *app)
{
	struct session *session = app_session(app);
	const struct session_choice choice = session_choice(session);
	const struct plan *plan = choice.plan;
	char id[9] = "";
	uint64_t about = screen->gate.about;
	bool typing = screen->gate.typing;

	plan_lines_done(&screen->lines);
	drop_lost(screen);
	screen->shared.count = 0;
	screen->checking = session_state(session) == SESSION_CHECKING;
	/* What was typed stays until the check has ended, in case the result is the same. */
	if (screen->checking)
		return;
	gate_update(&screen->gate, plan ? plan_id(plan, id) : id, plan ? choice.verdicts : NULL,
		    token(app));
	if (plan && choice.destination && plan_screen_startable(app) &&
	    picture_lost(plan, choice.destination, choice.resumes ? choice.source : NULL,
			 &screen->lost, &screen->lost_count) < 0)
		app_message(app, MESSAGE_ERROR,
			    _("There is not enough memory to list what will be lost."));
	if (plan && plan_screen_startable(app)) {
		identifiers_find(plan, choice.source, choice.volumes, &screen->shared);
		screen->shared.hidden =
			identifiers_any_closed(&screen->shared) && boot_can_start(choice.boot);
	}
	/* For a started plan the list stays as it was at the start. Without memory the map shows
	 * everything as still to be written. */
	if (!plan || plan_screen_startable(app))
		range_list_done(&screen->finished);
	if (plan && plan_screen_startable(app))
		session_list_finished(session, &screen->finished);
	if (screen->gate.about != about) {
		screen->list.at = screen->list.top = 0;
		keep_typing(screen, app, typing);
	}
}

static void tell_ready(const struct plan_screen *screen, struct app *app)
{
	const struct plan *plan = session_choice(app_session(app)).plan;
	const struct range_list *areas = session_choice(app_session(app)).retry;

	if (!plan_screen_startable(app))
		return;
	if (app_step(app) && !gate_refused(&screen->gate))
		app_say(app, "%s", app_step(app));
	else if (areas->count && areas->items[0].count >= plan->source.size / plan->sector_size)
		app_say(app, _("This plan goes on from its map, and reads its bad areas again."));
	else if (areas->count)
		app_say(app,
			P_("Of the bad areas %zu is read again; the others are not.",
			   "Of the bad areas %zu are read again; the others are not.",
			   areas->count),
			areas->count);
	else if (session_choice(app_session(app)).resumes)
		app_say(app, _("This plan goes on from its map: what is finished there is not "
			       "copied again."));
	else
		app_say(app, gate_refused(&screen->gate)
				     ? _("Nothing has been written. Esc goes back.")
				     : _("Nothing has been written yet. Esc, Esc goes back."));
}

static void tell_letters(struct app *app)
{
	app_say(app, _("Letters are commands now. Tab goes back to the field."));
}

static void enter(void *state, struct app *app)
{
	struct plan_screen *screen = state;
	struct session *session = app_session(app);

	if (!session_choice(session).plan && session_state(session) != SESSION_CHECKING)
		app_plan(app, NULL);
	if (!app_helped(app))
		screen->letters = false;
	look_at_plan(screen, app);
	gate_set_typing(&screen->gate, !screen->letters);
	tell_ready(screen, app);
}

static void leave(void *state, struct app *app)
{
	struct plan_screen *screen = state;

	screen->options_open = screen->waits = false;
	screen->typed[0] = '\0';
	gate_set_typing(&screen->gate, false);
	field_clear(&screen->gate.typed);
}

/* ---- how long it will take ---- */

static void measure(struct app *app)
{
	struct error error = { 0 };

	app_begun(app, session_measure(app_session(app), &error), &error,
		  _("Some megabytes of both disks are read; nothing is written."));
}

static void tell_estimate(struct app *app)
{
	struct session *session = app_session(app);
	const struct plan *plan = session_choice(session).plan;
	const struct session_measured *measured = session_choice(session).measured;
	const struct error *error = session_error(session, SESSION_TASK_MEASURE);
	struct estimate estimate;
	char text[256];

	if (!plan || app_current(app) != SCREEN_PLAN)
		return;
	if (error->code) {
		app_error(app, error);
	} else if (measured) {
		estimate_make(plan, plan_rolling(plan, session_choice(session).destination),
			      measured, &estimate);
		estimate_sentence(plan, measured, &estimate, (int64_t)time(NULL), text,
				  sizeof(text));
		app_say(app, "%s", text);
	}
}

/* ---- news ---- */

/* The preset would have it first, and the plan has not. */
static bool wants_used_first(struct app *app)
{
	const struct plan *plan = session_choice(app_session(app)).plan;

	return plan && preset_used_first(plan->options.preset) && !plan_later(plan) &&
	       !plan_left_out(plan);
}

static void changed(void *state, struct app *app, unsigned changes)
{
	struct plan_screen *screen = state;
	bool checking = screen->checking;

	if (changes & SESSION_CHANGE_MEASURED)
		tell_estimate(app);
	if (screen->waits && (changes & SESSION_CHANGE_USED))
		plan_screen_preset_read(screen, app);
	if (!(changes & (SESSION_CHANGE_DISKS | SESSION_CHANGE_STATE)))
		return;
	/* The session made its checks again; what was typed stays if they say the same as before.
	 */
	look_at_plan(screen, app);
	if (screen->typed[0] && !session_choice(app_session(app)).checking)
		plan_screen_start_now(screen, app);
	/* The start failed: it can be tried again. */
	if (screen->started && session_state(app_session(app)) == SESSION_PLANNED) {
		screen->started = false;
		gate_set_typing(&screen->gate, true);
	}
	if (!checking || screen->checking || app_current(app) != SCREEN_PLAN)
		return;
	if (screen->anew && wants_used_first(app))
		app_say(app, _("What is used is not known: all is copied in the order of the "
			       "disk."));
	else if (screen->anew)
		app_say(app, _("Planned anew with these options. Nothing has been written yet."));
	else
		tell_ready(screen, app);
	screen->anew = false;
}

/* ---- out of a refusal: less is copied, or the check is lifted by its name ---- */

static void fit(struct plan_screen *screen, struct app *app)
{
	struct range range = { 0, gate_refusals(&screen->gate).fits };
	const struct range_list ranges = { .items = &range, .count = 1 };

	if (range.count && app_choose_ranges(app, &ranges))
		plan_screen_anew(screen, app, true);
}

/* ---- keys ---- */

static void open_options(struct plan_screen *screen, struct app *app)
{
	options_form_set(&screen->form, &app_choice(app)->options);
	screen->complaint[0] = '\0';
	screen->options_open = true;
	gate_set_typing(&screen->gate, false);
	/* That letters are commands is not so in its fields. */
	app_say(app, "%s", "");
}

static void close_options(struct plan_screen *screen, struct app *app)
{
	screen->options_open = false;
	if (gate_refused(&screen->gate))
		tell_ready(screen, app);
	else
		tell_letters(app);
}

static bool command(void *state, struct app *app, enum command command)
{
	struct plan_screen *screen = state;

	if (screen->options_open) {
		if (command == COMMAND_UP || command == COMMAND_DOWN)
			options_form_move(&screen->form, command == COMMAND_UP ? -1 : 1);
		else if (command == COMMAND_PAGE_UP || command == COMMAND_PAGE_DOWN)
			options_form_page(&screen->form, command == COMMAND_PAGE_UP ? -1 : 1);
		return true;
	}
	if (list_move(&screen->list, command))
		return true;
	switch (command) {
	case COMMAND_NEXT_FIELD:
	case COMMAND_PREVIOUS_FIELD:
		plan_screen_to_field(screen);
		return true;
	case COMMAND_PRESET:
		plan_screen_preset(screen, app);
		return true;
	case COMMAND_OPTIONS:
		open_options(screen, app);
		return true;
	case COMMAND_MEASURE:
		measure(app);
		return true;
	case COMMAND_FIT:
		fit(screen, app);
		return true;
	case COMMAND_FIT_TABLE:
		screen->anew = plan_screen_fit_table(app);
		look_at_plan(screen, app);
		return true;
	case COMMAND_SHRINK:
		plan_screen_shrink(screen, app);
		return true;
	case COMMAND_LAYOUT:
		app_edit_layout(app);
		return true;
	case COMMAND_IDENTITIES:
		plan_screen_ids(screen, app);
		return true;
	case COMMAND_ALLOW:
		plan_screen_allow(screen, app);
		return true;
	case COMMAND_VERIFY:
		app_verify(app);
		return true;
	case COMMAND_ACCEPT:
		plan_screen_enter(screen, app);
		return true;
	default:
		return false;
	}
}

/* Comparing writes nothing, so refusals to write do not count. Whether both ends can be read is
 * checked when it starts. */
static const char *no_verify(struct app *app)
{
	const struct plan *plan = session_choice(app_session(app)).plan;

	if (plan->destinations[0].kind == ENDPOINT_IMAGE && !plan->destinations[0].exists)
		return _("That image is yet to be made: there is nothing to compare.");
	if (session_choice(app_session(app)).resumes)
		return _("This copy is not finished, so its disks differ: v comes after it.");
	return NULL;
}

static const char *unavailable(void *state, struct app *app, enum command command)
{
	const struct plan_screen *screen = state;

	switch (command) {
	case COMMAND_NEXT_FIELD:
		if (plan_screen_startable(app) && gate_refused(&screen->gate))
			return _("A check says NO: there is nothing to type.");
		break;
	case COMMAND_MEASURE:
		if (session_choice(app_session(app)).measuring)
			return _("Both disks are being read already.");
		break;
	case COMMAND_FIT:
		if (!gate_refusals(&screen->gate).fits)
			return _("No check here knows of a range that would fit.");
		break;
	case COMMAND_ALLOW:
		if (!gate_refusals(&screen->gate).to_lift)
			return _("No check refuses here that may be lifted.");
		break;
	case COMMAND_FIT_TABLE:
		if (!session_choice(app_session(app)).offer &&
		    app_choice(app)->options.table == TABLE_KEEP)
			return session_choice(app_session(app)).no_offer[0]
				       ? session_choice(app_session(app)).no_offer
				       : _("There is no table here that could be made to fit "
					   "another size.");
		break;
	case COMMAND_SHRINK:
		if (!session_choice(app_session(app)).shrink)
			return _("Nothing has to be shrunk here, or nothing can be.");
		break;
	case COMMAND_LAYOUT:
		if (app_no_layout(app))
			return app_no_layout(app);
		break;
	case COMMAND_IDENTITIES:
		if (screen->gate.verdicts && !screen->shared.count)
			return _("Both disks will share no ID that is known.");
		break;
	case COMMAND_PRESET:
	case COMMAND_OPTIONS:
	case COMMAND_VERIFY:
		break;
	default:
		return NULL;
	}
	if (screen->checking)
		return _("The plan is still being checked.");
	if (!screen->gate.verdicts)
		return _("There is no plan yet.");
	if (!plan_screen_startable(app))
		return command == COMMAND_VERIFY
			       ? _("This plan was carried out: v on 5 verifies, once it has ended.")
			       : _("This plan was started; it cannot be changed any more.");
	if ((command == COMMAND_OPTIONS || command == COMMAND_PRESET ||
	     command == COMMAND_FIT_TABLE || command == COMMAND_LAYOUT ||
	     command == COMMAND_IDENTITIES) &&
	    session_choice(app_session(app)).resumes)
		return _("A copy that goes on from its map keeps its options.");
	return command == COMMAND_VERIFY ? no_verify(app) : NULL;
}

static enum command wanted(void *state, struct app *app)
{
	const struct plan_screen *screen = state;
	const struct gate_refusals found = gate_refusals(&screen->gate);

	if (!plan_screen_startable(app))
		return COMMAND_NONE;
	return session_choice(app_session(app)).shrink ? COMMAND_SHRINK
	       : found.fits_with_table                 ? COMMAND_FIT_TABLE
	       : found.fits                            ? COMMAND_FIT
	       : found.to_lift                         ? COMMAND_ALLOW
						       : COMMAND_NONE;
}

static struct field *field(void *state, struct app *app)
{
	struct plan_screen *screen = state;

	if (screen->options_open)
		return &screen->form.fields[screen->form.at];
	return screen->gate.typing && plan_screen_startable(app) ? &screen->gate.typed : NULL;
}

/* New options make a new plan; when that fails the dialog stays and says why. */
static void take_options(struct plan_screen *screen, struct app *app)
{
	struct plan_options before = app_choice(app)->options, options = before;
	uint32_t sector_size = app_choice(app)->source.logical_sector_size;
	struct error error = { 0 };

	if (!options_form_read(&screen->form, sector_size, &options, &screen->form.at,
			       screen->complaint, sizeof(screen->complaint)))
		return;
	if (!app_choose_options(app, &options))
		return;
	if (!app_plan(app, &error)) {
		text_copy(screen->complaint, sizeof(screen->complaint), error.sentence);
		app_choose_options(app, &before);
		app_plan(app, NULL);
	} else {
		screen->options_open = false;
		screen->anew = true;
	}
	look_at_plan(screen, app);
}

static void options_edited(struct plan_screen *screen, struct app *app, enum field_event event)
{
	switch (event) {
	case FIELD_CHANGED:
		options_form_typed(&screen->form);
		screen->complaint[0] = '\0';
		break;
	case FIELD_MOVED:
		screen->form.fresh = false;
		break;
	case FIELD_NEXT:
		options_form_move(&screen->form, 1);
		break;
	case FIELD_PREVIOUS:
		options_form_move(&screen->form, -1);
		break;
	case FIELD_ACCEPTED:
		take_options(screen, app);
		break;
	case FIELD_CANCELLED:
		close_options(screen, app);
		break;
	default:
		break;
	}
}

static void edited(void *state, struct app *app, enum field_event event)
{
	struct plan_screen *screen = state;

	if (screen->options_open) {
		options_edited(screen, app, event);
		return;
	}
	switch (event) {
	case FIELD_ACCEPTED:
		plan_screen_enter(screen, app);
		break;
	case FIELD_CANCELLED:
		field_clear(&screen->gate.typed);
		gate_set_typing(&screen->gate, false);
		screen->letters = true;
		tell_letters(app);
		break;
	default:
		break;
	}
}

static struct list *list(void *state)
{
	struct plan_screen *screen = state;

	return screen->options_open ? NULL : &screen->list;
}

static const char *field_keys(void *state)
{
	const struct plan_screen *screen = state;

	/* Its window tells the others. */
	if (screen->options_open)
		return _("PgUp PgDn=page  Tab=next  Ctrl-U=empty the field");
	if (session_choice(app_session(screen->app)).resumes)
		return _("Enter=start  Esc, then: m=estimate");
	return app_no_layout(screen->app) && !screen->shared.count
		       ? _("Enter=start  Ctrl-P=preset  Esc, then: o=options  v=verify  m=estimate")
		       : _("Enter=start  Ctrl-P=preset  Esc, then: l=layout  i=IDs  "
			   "o=options  v=verify  m=estimate");
}

static const char *const notes[] = {
	N_("SAFETY  Nothing is written before what is asked for is typed in full and Enter is "
	   "pressed in the field. Esc leaves the field: then letters are commands."),
	N_("PRESET  Ctrl-P, or p outside the field: Healthy, as fast as both disks can; Failing, "
	   "one read at a time, tables and used places first; Forensic, every sector, with "
	   "SHA-256. o then changes single options."),
	N_("VERIFY  v compares both disks as the plan maps them, whatever made the copy. They are "
	   "opened for reading only; nothing is written, so nothing has to be confirmed."),
	N_("CHECKS  STOP = the plan cannot be started; LIFTED = it was a stop; note = goes into "
	   "the report; ok."),
	N_("LAST  Tables, boot sectors and superblocks are written at the very end, so that no "
	   "half-made copy boots or is mounted."),
	N_("TABLE  t makes the partition table fit a disk of another size, and the largest "
	   "partition "
	   "grow; again: only fit; again: as it is."),
	N_("MAPS  of the destination before and after: digit = partition, G = table, . = free."),
	NULL,
};

const struct screen_ops scr_plan = {
	.id = SCREEN_PLAN,
	.title = N_("Plan"),
	.state_size = sizeof(struct plan_screen),
	.done = done,
	.enter = enter,
	.leave = leave,
	.draw = plan_screen_draw,
	.command = command,
	.unavailable = unavailable,
	.wanted = wanted,
	.field = field,
	.edited = edited,
	.field_keys = field_keys,
	.list = list,
	.holds = plan_screen_holds,
	.changed = changed,
	.notes = notes,
};
