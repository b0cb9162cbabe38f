/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice made so far, and what becomes invalid when it changes. */
#include "ui/core/app.h"

#include <string.h>

#include "base/i18n.h"
#include "plan/preset.h"

#include "ui/core/app_private.h"
#include "ui/core/app_shrink.h"

const struct choice *app_choice(const struct app *app)
{
	return &app->choice;
}

static const struct disk *disk_of(struct app *app, const struct endpoint *endpoint)
{
	const struct disk_list *disks = session_disks(app->session);

	return disks && endpoint->kind != ENDPOINT_NONE ? endpoint_disk(disks, endpoint) : NULL;
}

const struct disk *app_source_disk(struct app *app)
{
	return disk_of(app, &app->choice.source);
}

const struct disk *app_destination_disk(struct app *app)
{
	return disk_of(app, &app->choice.destination);
}

const struct disk *app_source_contents(struct app *app)
{
	const struct endpoint *source = &app->choice.source;

	return source->kind == ENDPOINT_IMAGE ? session_image(app->session, source)
					      : app_source_disk(app);
}

struct app_shrink *app_shrink(struct app *app)
{
	return &app->shrink;
}

static bool may_change(struct app *app)
{
	if (!app_copying(app))
		return true;
	app_message(app, MESSAGE_WARN, _("A copy is running: the choice cannot be changed now."));
	return false;
}

/* To be called before any change: drops the plan that was made of the old choice. */
static bool change(struct app *app, enum screen_id forget)
{
	if (!may_change(app))
		return false;
	session_discard_plan(app->session);
	app->session_state = session_state(app->session);
	app->stop_wanted = app->planning = false;
	/* Which table fits, and which partition grows, depends on both disks. */
	if (forget != SCREEN_RUN) {
		app->shrink.step = SHRINK_NO;
		app->choice.options.table = TABLE_KEEP;
		app->choice.options.grow = GROW_NO;
		memset(app->choice.options.places, 0, sizeof(app->choice.options.places));
	}
	app_take_snapshot(app);
	app_forget(app, forget);
	return true;
}

static void take_everything(struct app *app)
{
	range_list_done(&app->choice.ranges);
	app->choice.everything = true;
}

static void forget_ranges(struct app *app)
{
	take_everything(app);
	app->choice.at_set = false;
	app->choice.at = 0;
	app->choice.used = (struct used_modes){ 0 };
}

/* With both ends chosen, the whole source can be planned, or ranges of it be chosen first. */
static void choose_end(struct app *app, struct endpoint *end, const struct endpoint *endpoint)
{
	*end = endpoint ? *endpoint : (struct endpoint){ 0 };
	if (app->choice.source.kind != ENDPOINT_NONE &&
	    app->choice.destination.kind != ENDPOINT_NONE)
		app->reached |= ON(SCREEN_RANGES);
}

bool app_choose_source(struct app *app, const struct endpoint *endpoint)
{
	if (!change(app, SCREEN_RANGES))
		return false;
	forget_ranges(app);
	/* The preset was chosen for the previous source. */
	if (app->choice.options.preset != PRESET_HEALTHY)
		preset_apply(&app->choice.options, PRESET_HEALTHY, 0);
	choose_end(app, &app->choice.source, endpoint);
	return true;
}

bool app_choose_destination(struct app *app, const struct endpoint *endpoint)
{
	if (!change(app, SCREEN_RANGES))
		return false;
	choose_end(app, &app->choice.destination, endpoint);
	return true;
}

bool app_choose_everything(struct app *app)
{
	if (!change(app, SCREEN_PLAN))
		return false;
	take_everything(app);
	return true;
}

bool app_choose_ranges(struct app *app, const struct range_list *ranges)
{
	struct range_list copy = { 0 };

	if (!change(app, SCREEN_PLAN))
		return false;
	if (range_list_copy(ranges, &copy) != 0) {
		app_nomem(app);
		return false;
	}
	range_list_done(&app->choice.ranges);
	app->choice.ranges = copy;
	app->choice.everything = false;
	return true;
}

bool app_choose_at(struct app *app, const uint64_t *lba)
{
	if (!change(app, SCREEN_PLAN))
		return false;
	app->choice.at_set = lba != NULL;
	app->choice.at = lba ? *lba : 0;
	return true;
}

bool app_choose_used(struct app *app, const struct used_modes *modes)
{
	if (!change(app, SCREEN_PLAN))
		return false;
	app->choice.used = *modes;
	return true;
}

bool app_wants_used(const struct app *app)
{
	static const struct used_modes whole;

	return memcmp(&app->choice.used, &whole, sizeof(whole)) != 0;
}

bool app_choose_options(struct app *app, const struct plan_options *options)
{
	if (!change(app, SCREEN_RUN))
		return false;
	app->choice.options = *options;
	return true;
}

/* A file system that hangs would block the check, so the check runs in the background. */
static bool begun(struct app *app, int result, const struct error *error)
{
	app->session_state = session_state(app->session);
	app->planning = result == 0;
	app->layout = false;
	if (result == 0)
		app_say(app, _("Looking at mounts and files for the plan..."));
	else
		app_error(app, error);
	return result == 0;
}

bool app_plan(struct app *app, struct error *reterr)
{
	struct choice *choice = &app->choice;
	struct error error = { 0 };
	int err;

	if (!change(app, SCREEN_RUN))
		return false;
	range_list_done(&app->retry);
	const struct session_wish wish = {
		.source = &choice->source,
		.destination = &choice->destination,
		.ranges = choice->everything ? NULL : &choice->ranges,
		.destination_lba = choice->at_set ? &choice->at : NULL,
		.options = &choice->options,
		.used = app_wants_used(app) ? &choice->used : NULL,
	};

	/* It was forgotten, since it was not right any more. */
	if (wish.used && !session_used(app->session, &choice->source))
		(void)session_read_used(app->session, &choice->source, NULL);
	err = session_plan(app->session, &wish, &error);
	if (err && reterr)
		*reterr = error;
	return begun(app, err, &error);
}

/* ---- the layout ---- */

const char *app_no_layout(struct app *app)
{
	const struct choice *choice = &app->choice;
	struct session_choice planned = session_choice(app->session);

	if (choice->source.kind == ENDPOINT_NONE || choice->destination.kind == ENDPOINT_NONE)
		return _("Choose both disks on 1 Disks first.");
	if (!choice->everything || choice->at_set || choice->source.kind == ENDPOINT_PARTITION ||
	    choice->destination.kind != ENDPOINT_DISK)
		return _("Only a copy of a whole disk to a disk has a layout of its own.");
	if (!planned.plan || planned.table)
		return NULL;
	return planned.no_offer[0] ? planned.no_offer
				   : _("There is no partition table here that could be laid out "
				       "anew.");
}

void app_edit_layout(struct app *app)
{
	app->layout_from = app->current;
	if (session_choice(app->session).table)
		app_go(app, SCREEN_EDITOR);
	else
		app->layout = app_plan(app, NULL);
}

void app_end_layout(struct app *app)
{
	const char *why = app_no_layout(app);

	app_go(app, why ? SCREEN_PLAN : app->layout_from);
	if (why)
		app_message(app, MESSAGE_WARN, "%s", why);
}

bool app_resume(struct app *app, const char *map_path, const struct range_list *areas)
{
	struct range_list retry = { 0 };
	struct error error = { 0 };
	int err;

	if (!may_change(app))
		return false;
	err = range_list_copy(areas, &retry);
	if (err) {
		error_nomem(&error);
	} else {
		range_list_done(&app->retry);
		app->retry = retry;
		err = session_plan(app->session, &(struct session_wish){ .map = map_path }, &error);
	}
	return begun(app, err, &error);
}

void app_give_up_plan(struct app *app)
{
	if (!app->planning)
		return;
	session_give_up_plan(app->session);
	app->session_state = session_state(app->session);
	app->planning = app->layout = false;
	/* There is no plan, not even one of an earlier copy: 3 makes it. */
	if (app->session_state == SESSION_CHOOSING)
		app_forget(app, SCREEN_PLAN);
	app_take_snapshot(app);
}

bool app_start(struct app *app, const char *typed)
{
	struct error error = { 0 };

	if (session_confirm(app->session, typed, &error) < 0 ||
	    session_start(app->session, &error) < 0) {
		app_error(app, &error);
		return false;
	}
	/* The start may fail before the session is next looked at; without this line nobody would
	 * notice that it was tried. */
	app->session_state = session_state(app->session);
	app_say(app, _("Opening and checking both disks."));
	return true;
}

/* A plan that came from a map becomes the choice. */
static bool take_choice(struct app *app)
{
	struct choice *choice = &app->choice;
	struct error error = { 0 };
	const struct plan *plan;

	if (!session_choice(app->session).resumes)
		return true;
	/* Run and Report show the earlier copy, not the one that is planned now. */
	app_forget(app, SCREEN_RUN);
	app->stop_wanted = false;
	if (app->retry.count && session_retry_areas(app->session, &app->retry, &error) < 0) {
		session_discard_plan(app->session);
		app->session_state = session_state(app->session);
		app_go(app, SCREEN_DISKS);
		app_error(app, &error);
		return false;
	}
	plan = session_choice(app->session).plan;
	/* Those were of another disk. */
	if (strcmp(choice->source.node, plan->source.node) != 0)
		forget_ranges(app);
	choice->source = plan->source;
	choice->destination = plan->destinations[0];
	choice->options = plan->options;
	return true;
}

void app_follow_plan(struct app *app)
{
	bool planning = app->planning;
	enum screen_id next = app->layout ? SCREEN_EDITOR : SCREEN_PLAN;

	app->planning = app->layout = false;
	if (session_state(app->session) != SESSION_PLANNED) {
		app_error(app, session_error(app->session, SESSION_TASK_PLAN));
		return;
	}
	app_plan_shrink(app);
	if (take_choice(app) && planning && app->current != next)
		app_go(app, next);
}
