/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 1: the disks, as they come and go; source and destination are chosen here. */
#include "ui/disks/screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

#include "ui/core/screen.h"
#include "ui/widgets/popup.h"

static void init(void *data, struct app *app)
{
	struct disks_state *state = data;

	disks_init(&state->model, &app_choice(app)->source, &app_choice(app)->destination);
}

static void done(void *data)
{
	struct disks_state *state = data;

	disks_done(&state->model);
}

static void update(struct disks_state *state, struct app *app)
{
	if (disks_update(&state->model, session_disks(app_session(app)), &state->place) != 0)
		app_nomem(app);
	disks_remember(&state->model, &state->place);
}

static void tell_choice(struct disks_state *state, struct app *app)
{
	struct line line;

	line_start(&line, LINE_COLUMNS_MAX);
	/* Without a disk, the list says what can be done. */
	if (state->model.count)
		disks_text_choice(&state->model, &line);
	app_say(app, "%s", line.text);
}

void disks_screen_update(struct disks_state *state, struct app *app)
{
	update(state, app);
	tell_choice(state, app);
}

/* What can be done here now. */
static void tell_state(struct disks_state *state, struct app *app)
{
	if (app_copying(app))
		app_say(app,
			session_state(app_session(app)) == SESSION_VERIFYING
				? _("Disks are being compared: nothing can be changed here. 4 "
				    "shows it.")
				: _("A copy is running: nothing can be changed here. 4 shows it."));
	else if (session_disks(app_session(app)))
		tell_choice(state, app);
	else
		app_say(app, _("Looking for disks..."));
}

/* ---- the list changed ---- */

/* A volume that was enlarged, or a file below a loop device: nothing else about it is new. */
static const struct disk *resized(const struct disk_list *disks, const struct endpoint *endpoint)
{
	const struct identity *was = &endpoint->identity;

	for (size_t i = 0; i < disks->count; i++) {
		const struct identity *now = &disks->disks[i].identity;

		if (was->diskseq && now->diskseq == was->diskseq && now->devno == was->devno &&
		    now->size != was->size)
			return &disks->disks[i];
	}
	return NULL;
}

/* If a chosen disk is gone, was attached anew, or has another name now, it has to be chosen again:
 * the name on the screen would mean another disk. */
static void check_end(struct app *app, const struct endpoint *endpoint,
		      bool (*choose)(struct app *, const struct endpoint *))
{
	const struct disk_list *disks = session_disks(app_session(app));
	const struct disk *disk, *other;
	char node[sizeof(endpoint->node)], text[sizeof(node) + 128];
	bool same;

	if (!endpoint_is_device(endpoint))
		return;
	disk = endpoint_disk(disks, endpoint);
	other = disk ? NULL : resized(disks, endpoint);
	same = disk && strcmp(disk->node, endpoint->disk_node) == 0;
	if (same && disk->identity.diskseq == endpoint->identity.diskseq)
		return;
	text_copy(node, sizeof(node), endpoint->node);
	if (!choose(app, NULL))
		return;
	if (same)
		snprintf(text, sizeof(text), _("%s was attached anew: choose again."), node);
	else if (disk)
		snprintf(text, sizeof(text), _("%s is called %s now: choose again."), node,
			 disk->node);
	else if (other)
		snprintf(text, sizeof(text), _("%s has another size now, %s: choose again."),
			 other->node,
			 UNITS_SHORT(other->identity.size, app_units(app),
				     other->identity.logical_sector_size));
	else
		snprintf(text, sizeof(text), _("%s was chosen and is gone: choose again."), node);
	if (app_current(app) != SCREEN_DISKS) {
		app_go(app, SCREEN_DISKS);
		/* Whoever is typing a serial number does not look here: the rest of it would be
		 * commands of this screen. */
		popup_notice(app, _("Note"), text);
	}
	app_message(app, MESSAGE_WARN, "%s", text);
}

static void tell_notes(struct disks_state *state, struct app *app)
{
	const struct disk_list *disks = session_disks(app_session(app));
	/* The entry that says that root is needed has a line of its own. */
	size_t missing = disks->missing_count - disks->not_root;

	/* The search that r began has ended. */
	if (state->notes_told && strcmp(app_said(app), _("Looking for disks...")) == 0)
		tell_state(state, app);
	if (state->notes_told)
		return;
	state->notes_told = true;
	if (missing && state->model.count)
		app_say(app,
			P_("%zu thing could not be found out; i says what. s=source d=dest",
			   "%zu things could not be found out; i says what. s=source d=dest",
			   missing),
			missing);
	else
		tell_choice(state, app);
}

/* The map of a running copy is not one to be continued. */
static void look_for_unfinished(struct disks_state *state, struct app *app)
{
	state->has_unfinished =
		!app_copying(app) && session_unfinished(app_session(app), &state->unfinished);
}

/* Of all disks, the first time they are seen, so that a failing one stands out before anything is
 * chosen. One that does not answer would block the others. */
static void ask_health_of_all(const struct disks_state *state, struct app *app)
{
	unsigned asked = 0;

	for (size_t i = 0; i < state->model.count && asked < SESSION_HEALTH_MAX; i++) {
		const struct disks_row *row = &state->model.rows[i];

		if (!row->disk || row->partition || row->disk->silent)
			continue;
		asked++;
		if (!disks_screen_health(app, row->disk).known)
			session_ask_health(app_session(app), row->disk);
	}
}

static void list_changed(struct disks_state *state, struct app *app)
{
	const struct error *error = session_error(app_session(app), SESSION_TASK_SCAN);

	if (error && error->code)
		app_error(app, error);
	/* The old rows point into a list that was freed. */
	update(state, app);
	if (!session_disks(app_session(app)))
		return;
	look_for_unfinished(state, app);
	ask_health_of_all(state, app);
	if (!app_copying(app) && session_state(app_session(app)) != SESSION_FINISHED) {
		check_end(app, &app_choice(app)->source, app_choose_source);
		check_end(app, &app_choice(app)->destination, app_choose_destination);
		update(state, app);
	}
	tell_notes(state, app);
}

static void enter(void *data, struct app *app)
{
	update(data, app);
	tell_state(data, app);
}

/* ---- image files ---- */

static void file_used_as(void *user, struct app *app, int choice)
{
	struct disks_state *state = user;
	struct error error = { 0 };

	if (choice == 2)
		app_resume(app, state->file, &(struct range_list){ 0 });
	if (choice < 0 || choice == 2) {
		state->file[0] = '\0';
		return;
	}
	state->file_destination = choice == 1;
	app_say(app, _("Looking for %s..."), state->file);
	if (session_find(app_session(app), state->file, state->file_destination, &error) < 0)
		app_error(app, &error);
}

static const char *file_named(void *user, struct app *app, const char *text)
{
	struct disks_state *state = user;
	const struct popup_choice choices[] = {
		{ 's', _("copy from it: source") },
		{ 'd', _("copy into it: destination") },
		{ 'm', _("it is the map of a stopped copy: go on with that") },
	};

	if (!text)
		return NULL;
	if (!*text)
		return _("Type the path of a file, or press Esc.");
	if (state->has_unfinished && strcmp(text, state->unfinished.map) == 0) {
		app_resume(app, text, &(struct range_list){ 0 });
		return NULL;
	}
	text_copy(state->file, sizeof(state->file), text);
	popup_ask(app, _("What is the file for?"), text, choices, 3, file_used_as, state);
	return NULL;
}

/* Before anything is chosen, an interrupted copy is offered. */
static void ask_file(struct app *app, const char *path, struct disks_state *state)
{
	const struct session_unfinished *unfinished =
		path[0] ? NULL : disks_screen_unfinished(state, app);
	const char *text = _("Path of an image file: one that does not exist can be a destination, "
			     "and is made when the copy starts. Or the map of a copy that was "
			     "stopped.");
	char running[512];

	if (unfinished && unfinished->running[0]) {
		snprintf(running, sizeof(running),
			 _("%s. Its map cannot be continued before it has ended. Here you can type "
			   "the path of an image file, or of another map."),
			 unfinished->running);
		text = running;
	} else if (unfinished) {
		text = _("The newest copy was not finished. Enter continues it from this map. "
			 "Ctrl-U empties the line for the path of an image file, or of another "
			 "map.");
		path = unfinished->map;
	}
	popup_prompt(app, _("Image file, or map"), text, path, file_named, state);
}

/* A path below /dev is a disk: it is checked like one of the list. */
static const char *no_end(struct disks_state *state, struct app *app,
			  const struct endpoint *endpoint)
{
	const struct disk *disk =
		endpoint->kind == ENDPOINT_IMAGE
			? NULL
			: endpoint_disk(session_disks(app_session(app)), endpoint);

	struct verdict verdict;

	if (!state->file_destination || !disk ||
	    !rules_refuse_destination(disk, endpoint, &verdict))
		return NULL;
	return text_copy(state->complaint, sizeof(state->complaint), verdict.sentence);
}

static void file_found(struct disks_state *state, struct app *app)
{
	struct error error = { 0 };
	struct endpoint endpoint;
	const char *why;

	if (!state->file[0])
		return;
	if (session_found(app_session(app), &endpoint, &error) != 0) {
		if (app_current(app) != SCREEN_DISKS) {
			app_error(app, &error);
		} else {
			/* The path stays in the field, so that one wrong letter does not mean
			 * typing all of it again. */
			ask_file(app, state->file, state);
			popup_complain(app, error.sentence);
		}
		state->file[0] = '\0';
		return;
	}
	state->file[0] = '\0';
	why = no_end(state, app, &endpoint);
	if (why)
		app_message(app, MESSAGE_ERROR, "%s", why);
	else
		disks_screen_choose(state, app, &endpoint, state->file_destination);
}

/* ---- commands ---- */

static void show_details(struct disks_state *state, struct app *app)
{
	const struct disk *disk = disks_screen_at_cursor(state);
	struct disk_health health;
	CLEANUP(free) char *text = NULL;

	if (!disk)
		return;
	health = disks_screen_health(app, disk);
	text = disks_everything(state->model.list, disk, &health, app_units(app));
	if (!text)
		return;
	endpoint_from_disk(disk, &state->shown);
	popup_text(app, disk->node, text);
}

/* Otherwise they would be taken for those of a disk that is attached. */
static void end_details(const struct disks_state *state, struct app *app)
{
	const struct disk_list *disks = session_disks(app_session(app));
	const char *node = state->shown.node;
	char text[sizeof(state->shown.node) + 128];

	if (!node[0] || !disks || !popup_is_open(app, node) || endpoint_disk(disks, &state->shown))
		return;
	snprintf(text, sizeof(text),
		 _("%s is gone: it was unplugged, or has lost its power or its link."), node);
	popup_text(app, node, text);
}

/* Updates the details if they are open. */
static void refresh_details(struct disks_state *state, struct app *app)
{
	const struct disk *disk = disks_screen_at_cursor(state);

	if (disk && popup_is_open(app, disk->node))
		show_details(state, app);
}

static void changed(void *data, struct app *app, unsigned changes)
{
	if (changes & SESSION_CHANGE_DISKS) {
		list_changed(data, app);
		end_details(data, app);
	}
	if (changes & SESSION_CHANGE_HEALTH)
		refresh_details(data, app);
	if (changes & SESSION_CHANGE_FOUND)
		file_found(data, app);
}

static void toggle_partitions(struct disks_state *state, struct app *app)
{
	const struct disk *disk = disks_screen_at_cursor(state);
	int r = disks_toggle(&state->model);

	if (r == -ENOMEM)
		app_nomem(app);
	else if (r < 0 && disk)
		app_say(app, _("%s has no partitions."), disk->node);
}

static void toggle_all(struct disks_state *state, struct app *app)
{
	size_t before = state->model.count;

	state->model.all = !state->model.all;
	update(state, app);
	if (!state->model.all)
		app_say(app, _("RAM, dm and md devices are hidden."));
	else if (state->model.count == before)
		app_say(app, _("There are no RAM, dm or md devices to show."));
	else
		app_say(app, _("RAM, dm and md devices are shown, too."));
}

static const char *no_plan(struct app *app)
{
	const struct choice *choice = app_choice(app);

	if (choice->source.kind == ENDPOINT_NONE)
		return _("No source yet: put the cursor on it, press s.");
	return choice->destination.kind == ENDPOINT_NONE
		       ? _("No destination yet: put the cursor on it, press d.")
		       : NULL;
}

static bool act(struct disks_state *state, struct app *app, enum command command)
{
	struct endpoint endpoint;

	switch (command) {
	case COMMAND_SOURCE:
		disks_screen_choose_row(state, app, false);
		return true;
	case COMMAND_DESTINATION:
		disks_screen_choose_row(state, app, true);
		return true;
	case COMMAND_ACCEPT:
	case COMMAND_TO_PLAN:
		/* Of a copy that runs, it can be looked at. */
		if (app_copying(app) && app_reached(app, SCREEN_PLAN))
			app_go(app, SCREEN_PLAN);
		else
			app_plan(app, NULL);
		return true;
	case COMMAND_BACK:
		return disks_screen_take_back(state, app);
	case COMMAND_PARTITIONS:
		toggle_partitions(state, app);
		return true;
	case COMMAND_IMAGE:
		ask_file(app, "", state);
		return true;
	case COMMAND_CONTINUE:
		app_resume(app, state->unfinished.map, &(struct range_list){ 0 });
		return true;
	case COMMAND_BENCH:
		disks_endpoint(disks_current(&state->model), &endpoint);
		app_choose_bench(app, &endpoint);
		return true;
	case COMMAND_DETAILS:
		if (disks_screen_at_cursor(state))
			session_ask_health(app_session(app), disks_screen_at_cursor(state));
		show_details(state, app);
		return true;
	case COMMAND_RESCAN:
		app_say(app, _("Looking for disks..."));
		session_scan(app_session(app), NULL);
		return true;
	case COMMAND_SHOW_ALL:
		toggle_all(state, app);
		return true;
	default:
		return false;
	}
}

/* The cursor stays on its disk. */
static bool sort(struct disks_state *state, struct app *app, enum command command)
{
	struct list *list = &state->model.cursor;

	if (!list_sort_by(list, command, DISKS_SORT_COLUMNS))
		return false;
	update(state, app);
	app_say(app, list->down ? _("Sorted: %s, the other way round.") : _("Sorted: %s."),
		disks_sort_name(list->column));
	return true;
}

static struct list *list_of(void *data)
{
	return &((struct disks_state *)data)->model.cursor;
}

static bool holds(void *data, int row, const char *text)
{
	const struct disks_model *model = &((const struct disks_state *)data)->model;

	return (size_t)row < model->count && disks_holds(model, (size_t)row, text);
}

static void moved(void *data)
{
	struct disks_state *state = data;

	disks_remember(&state->model, &state->place);
}

static bool command(void *data, struct app *app, enum command command)
{
	struct disks_state *state = data;
	bool done = list_move(&state->model.cursor, command) || sort(state, app, command) ||
		    act(state, app, command);

	disks_remember(&state->model, &state->place);
	return done;
}

static const char *no_continue(const struct disks_state *state)
{
	if (!state->has_unfinished)
		return _("No copy was left unfinished. f names the map of an older one.");
	if (state->unfinished.running[0])
		return state->unfinished.running;
	return _("Take the chosen disks back with Esc: then c continues the unfinished copy.");
}

static const char *unavailable(void *data, struct app *app, enum command command)
{
	const struct disks_state *state = data;
	const struct disks_row *row = disks_current(&state->model);
	bool of_disk = command == COMMAND_PARTITIONS || command == COMMAND_DETAILS ||
		       command == COMMAND_BENCH;
	bool changes = command == COMMAND_SOURCE || command == COMMAND_DESTINATION ||
		       command == COMMAND_IMAGE;

	const struct session_unfinished *unfinished = disks_screen_unfinished(state, app);

	if (command == COMMAND_ACCEPT || command == COMMAND_TO_PLAN)
		return no_plan(app);
	if (command == COMMAND_CONTINUE && !app_copying(app))
		return unfinished && !unfinished->running[0] ? NULL : no_continue(state);
	if ((changes || command == COMMAND_CONTINUE) && app_copying(app))
		return _("A copy is running: the choice cannot be changed now.");
	if (changes && !state->model.list)
		return _("The disks are still being looked for.");
	if (!row && (of_disk || (changes && command != COMMAND_IMAGE)))
		return _("There is no disk: r looks again, f names an image file.");
	if (of_disk && row->image)
		return command == COMMAND_BENCH
			       ? _("An image file is not measured: only disks are.")
			       : _("An image file has no details beyond its row.");
	return NULL;
}

static const char *const notes[] = {
	N_("S D  source and destination; s d: a partition of this disk is"),
	N_("!  cannot be a destination; d says why"),
	N_("?  has not answered: spins up, or power, cable or disk fail; r asks again"),
	N_("USE  M mounted S swap L LVM/dm R md raid B boot medium O open H holder F file C copy"),
	N_("VERIFY  of a copy that another program made: choose both disks, go on to 3 Plan, v. "
	   "Nothing is written."),
	N_("RAW  raw bindings; the raw driver left Linux in 5.14"),
	NULL,
};

const struct screen_ops scr_disks = {
	.id = SCREEN_DISKS,
	.title = N_("Disks"),
	.state_size = sizeof(struct disks_state),
	.init = init,
	.done = done,
	.enter = enter,
	.draw = disks_screen_draw,
	.command = command,
	.unavailable = unavailable,
	.list = list_of,
	.holds = holds,
	.moved = moved,
	.changed = changed,
	.wanted = disks_screen_wanted,
	.banner = disks_screen_banner,
	.notes = notes,
};
