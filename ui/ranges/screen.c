/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 2: which sectors of the source, and where they go. */
#include "ui/ranges/screen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/screen.h"

static void done(void *state)
{
	struct ranges_screen *screen = state;

	ranges_model_destroy(screen->model);
}

/* ---- the choice ---- */

/* Tells the app every change at once, so that no other screen uses an old choice. Only changes,
 * since each one drops the plan. */
static void tell(struct ranges_screen *screen, struct app *app)
{
	const struct ranges_model *model = screen->model;
	const struct choice *choice = app_choice(app);
	bool whole = ranges_model_is_whole(model);
	bool set = !model->destination_same;

	if (whole && !choice->everything)
		app_choose_everything(app);
	else if (!whole && (choice->everything || !range_list_equal(&choice->ranges, &model->list)))
		app_choose_ranges(app, &model->list);
	if (model->destination_valid &&
	    (choice->at_set != set || (set && choice->at != model->destination_lba)))
		app_choose_at(app, set ? &model->destination_lba : NULL);
}

/* Takes over what the app says was chosen before. */
static void recall(struct ranges_screen *screen, struct app *app)
{
	const struct choice *choice = app_choice(app);
	char text[32];

	if (!choice->everything)
		ranges_model_set(screen->model, &choice->ranges);
	if (choice->at_set) {
		snprintf(text, sizeof(text), "%" PRIu64, choice->at);
		field_set(&screen->model->destination, text);
		ranges_model_destination_typed(screen->model);
	}
}

/* The source may have changed since, and its disk may have been looked at again. */
static void renew(struct ranges_screen *screen, struct app *app)
{
	const struct choice *choice = app_choice(app);
	const struct disk *disk = app_source_contents(app);
	bool gone = choice->source.kind == ENDPOINT_NONE ||
		    (choice->source.kind != ENDPOINT_IMAGE && !disk);
	struct error error;

	if (gone || (screen->model && !used_same_source(&screen->model->source, &choice->source))) {
		ranges_model_destroy(screen->model);
		screen->model = NULL;
		screen->list.at = 0;
		screen->focus = FOCUS_LIST;
	}
	if (gone)
		return;
	if (screen->model) {
		if (ranges_model_rebase(screen->model, disk) < 0) {
			/* The rows point into a list that was freed: without memory for new ones
			 * there are none. */
			ranges_model_destroy(screen->model);
			screen->model = NULL;
			screen->focus = FOCUS_LIST;
			app_nomem(app);
			return;
		}
	} else if (ranges_model_new(&choice->source, disk, &screen->model, &error) < 0) {
		app_error(app, &error);
		return;
	} else {
		recall(screen, app);
	}
	list_fit(&screen->list, (int)screen->model->row_count, screen->list.rows);
}

/* In a field, Enter does something else. */
static const char *list_keys(void)
{
	return _("Tick what is to be copied, or type it. Enter goes on to the plan.");
}

static void enter(void *state, struct app *app)
{
	struct ranges_screen *screen = state;

	renew(screen, app);
	if (screen->model && !app_copying(app))
		(void)session_read_used(app_session(app), &screen->model->source, NULL);
	if (app_copying(app))
		app_say(app, _("A copy is running: nothing can be changed here. 4 shows it."));
	else if (screen->model)
		app_say(app, "%s", list_keys());
}

static void leave(void *state, struct app *app)
{
	struct ranges_screen *screen = state;

	/* A new list of disks may be the reason to leave: then the rows point into one that was
	 * freed. */
	if (screen->model && screen->focus != FOCUS_LIST)
		renew(screen, app);
	if (screen->model && screen->focus == FOCUS_DESTINATION)
		ranges_model_destination_end(screen->model);
	if (screen->model && screen->focus == FOCUS_RANGE)
		ranges_model_cancel(screen->model);
	screen->focus = FOCUS_LIST;
}

static void changed(void *state, struct app *app, unsigned changes)
{
	if (changes & SESSION_CHANGE_DISKS)
		renew(state, app);
}

/* ---- keys ---- */

static void say_choice(struct ranges_screen *screen, struct app *app)
{
	struct line line;

	line_start(&line, LINE_COLUMNS_MAX);
	ranges_model_summary(screen->model, app_units(app), &line);
	app_say(app, "%s", line.text);
}

/* After a change by tick: result is that of the model's function. */
static void changed_by_tick(struct ranges_screen *screen, struct app *app, int result)
{
	if (result < 0) {
		app_nomem(app);
		return;
	}
	tell(screen, app);
	say_choice(screen, app);
}

static void go_on(struct ranges_screen *screen, struct app *app)
{
	char reason[512];

	if (!ranges_model_ready(screen->model, reason, sizeof(reason))) {
		app_message(app, MESSAGE_WARN, "%s", reason);
		return;
	}
	tell(screen, app);
	app_plan(app, NULL);
}

static void focus_on(struct ranges_screen *screen, struct app *app, enum focus focus)
{
	if (screen->focus == FOCUS_DESTINATION && focus != FOCUS_DESTINATION)
		ranges_model_destination_end(screen->model);
	if (screen->focus != FOCUS_DESTINATION && focus == FOCUS_DESTINATION) {
		text_copy(screen->before, sizeof(screen->before), screen->model->destination.text);
		ranges_model_destination_begin(screen->model);
	}
	screen->focus = focus;
	if (focus != FOCUS_LIST && strcmp(app_said(app), list_keys()) == 0)
		app_say(app, "%s", "");
}

static void begin(struct ranges_screen *screen, struct app *app, enum ranges_entry entry)
{
	ranges_model_begin(screen->model, entry);
	focus_on(screen, app, FOCUS_RANGE);
	text_copy(screen->before, sizeof(screen->before), ranges_model_field(screen->model)->text);
}

/* The next of whole, first and only: for the row's partition, or for all where it has none. */
static void cycle_used(struct ranges_screen *screen, struct app *app)
{
	const struct ranges_row *row = &screen->model->rows[screen->list.at];
	const struct used *used = session_used(app_session(app), &screen->model->source);
	const struct used_part *part = NULL;
	struct used_modes modes = app_choice(app)->used;
	unsigned number = row->partition ? row->partition->number : 0, next;
	struct error error = { 0 };

	if (!used) {
		app_begun(app, session_read_used(app_session(app), &screen->model->source, &error),
			  &error, _("What is used is still being read."));
		return;
	}
	part = used_find(used, number);
	if (number >= USED_NUMBERS || (part && part->whole[0])) {
		app_message(app, MESSAGE_WARN, _("It can only be copied whole: %s."),
			    part ? part->whole : "");
		return;
	}
	next = (modes.of[number] + 1U) % 3;
	if (part)
		modes.of[number] = (unsigned char)next;
	else
		memset(modes.of, (int)next, sizeof(modes.of));
	if (!app_choose_used(app, &modes))
		return;
	app_say(app, "%s",
		next == USED_FIRST  ? _("Everything is copied, what is used before the rest.")
		: next == USED_ONLY ? _("Only what is used is copied: deleted files are not on "
					"the copy.")
				    : _("Everything is copied, in the order of the disk."));
}

static struct list *list_of(void *state)
{
	struct ranges_screen *screen = state;

	return screen->model ? &screen->list : NULL;
}

static bool holds(void *state, int row, const char *text)
{
	const struct ranges_model *model = ((const struct ranges_screen *)state)->model;
	struct line line;

	line_start(&line, LINE_COLUMNS_MAX);
	if ((size_t)row < model->row_count)
		ranges_model_row(model, (size_t)row, UNITS_SI, &line);
	return strcasestr(line.text, text) != NULL;
}

static bool command(void *state, struct app *app, enum command command)
{
	struct ranges_screen *screen = state;
	struct ranges_model *model = screen->model;

	if (!model)
		return false;
	if (list_move(&screen->list, command))
		return true;
	switch (command) {
	case COMMAND_TOGGLE:
		changed_by_tick(screen, app, ranges_model_toggle(model, (size_t)screen->list.at));
		return true;
	case COMMAND_TICK_ALL:
		changed_by_tick(screen, app, ranges_model_tick_partitions(model));
		return true;
	case COMMAND_TICK_NONE:
		changed_by_tick(screen, app, ranges_model_tick_none(model));
		return true;
	case COMMAND_WHOLE:
		changed_by_tick(screen, app, ranges_model_tick_whole(model));
		return true;
	case COMMAND_USED:
		cycle_used(screen, app);
		return true;
	case COMMAND_LAYOUT:
		tell(screen, app);
		app_edit_layout(app);
		return true;
	case COMMAND_EDIT_RANGE:
		begin(screen, app, RANGES_ENTRY_TEXT);
		return true;
	case COMMAND_ADD_RANGE:
		begin(screen, app, RANGES_ENTRY_ADD);
		return true;
	case COMMAND_REMOVE_RANGE:
		begin(screen, app, RANGES_ENTRY_REMOVE);
		return true;
	case COMMAND_NEXT_FIELD:
	case COMMAND_PREVIOUS_FIELD:
		focus_on(screen, app, FOCUS_DESTINATION);
		return true;
	case COMMAND_TO_PLAN:
	case COMMAND_ACCEPT:
		go_on(screen, app);
		return true;
	default:
		return false;
	}
}

static const char *unavailable(void *state, struct app *app, enum command command)
{
	const struct ranges_screen *screen = state;

	switch (command) {
	case COMMAND_TOGGLE:
	case COMMAND_TICK_ALL:
	case COMMAND_TICK_NONE:
	case COMMAND_WHOLE:
	case COMMAND_USED:
	case COMMAND_EDIT_RANGE:
	case COMMAND_ADD_RANGE:
	case COMMAND_REMOVE_RANGE:
	case COMMAND_NEXT_FIELD:
	case COMMAND_TO_PLAN:
	case COMMAND_LAYOUT:
		break;
	default:
		return NULL;
	}
	if (app_copying(app))
		return _("A copy is running; what it copies cannot be changed any more.");
	if (!screen->model)
		return _("Choose a source on 1 Disks first.");
	return command == COMMAND_LAYOUT ? app_no_layout(app) : NULL;
}

static struct field *field(void *state, struct app *app)
{
	struct ranges_screen *screen = state;

	if (!screen->model || screen->focus == FOCUS_LIST)
		return NULL;
	return screen->focus == FOCUS_RANGE ? ranges_model_field(screen->model)
					    : &screen->model->destination;
}

static const char *field_keys(void *state)
{
	const struct ranges_screen *screen = state;

	return screen->focus == FOCUS_RANGE && screen->model->entry != RANGES_ENTRY_TEXT
		       ? _("Enter=take it  Esc=leave it  Ctrl-U=empty the field")
		       : NULL;
}

static void range_edited(struct ranges_screen *screen, struct app *app, enum field_event event)
{
	struct ranges_model *model = screen->model;

	switch (event) {
	case FIELD_CHANGED:
		ranges_model_typed(model);
		if (model->entry == RANGES_ENTRY_TEXT && !ranges_model_error(model))
			tell(screen, app);
		break;
	case FIELD_ACCEPTED:
		if (!ranges_model_accept(model)) {
			app_hint(app, MESSAGE_WARN, "%s",
				 ranges_model_error(model) ? model->error.sentence
							   : _("Type a range, or Esc."));
			break;
		}
		focus_on(screen, app, FOCUS_LIST);
		tell(screen, app);
		say_choice(screen, app);
		break;
	case FIELD_CANCELLED:
		field_set(ranges_model_field(model), screen->before);
		ranges_model_typed(model);
		ranges_model_cancel(model);
		focus_on(screen, app, FOCUS_LIST);
		tell(screen, app);
		say_choice(screen, app);
		break;
	case FIELD_NEXT:
	case FIELD_PREVIOUS:
		/* Leaving the field would drop a range that is typed only in part. */
		if (model->entry == RANGES_ENTRY_TEXT)
			focus_on(screen, app, FOCUS_DESTINATION);
		break;
	default:
		break;
	}
}

static void destination_edited(struct ranges_screen *screen, struct app *app,
			       enum field_event event)
{
	struct ranges_model *model = screen->model;

	if (event == FIELD_MOVED || event == FIELD_NOT_TAKEN)
		return;
	if (event == FIELD_CANCELLED)
		field_set(&model->destination, screen->before);
	ranges_model_destination_typed(model);
	if (model->destination_valid)
		tell(screen, app);
	if (event == FIELD_CHANGED || event == FIELD_FULL)
		return;
	if (event == FIELD_ACCEPTED && !model->destination_valid) {
		app_hint(app, MESSAGE_WARN, "%s", model->destination_error);
		return;
	}
	focus_on(screen, app, FOCUS_LIST);
	say_choice(screen, app);
}

static void edited(void *state, struct app *app, enum field_event event)
{
	struct ranges_screen *screen = state;

	if (event == FIELD_FULL)
		app_hint(app, MESSAGE_WARN, _("There is no room for more in this field."));
	if (screen->focus == FOCUS_RANGE)
		range_edited(screen, app, event);
	else
		destination_edited(screen, app, event);
}

static const char *const notes[] = {
	N_("RANGE  A-B first to last sector, A+N first and count, @N partition N, -N the last N, "
	   "A- to the end, * everything; items are separated by commas."),
	N_("SIZES  a number with a suffix is in bytes: 1MiB, 20G, 4KB (KB MB: powers of 1000)."),
	N_("TICKS  [x] copied completely, [~] in part, [ ] not at all; [f] what is used first, "
	   "then "
	   "the rest, [o] only what is used."),
	NULL,
};

const struct screen_ops scr_ranges = {
	.id = SCREEN_RANGES,
	.title = N_("Ranges"),
	.state_size = sizeof(struct ranges_screen),
	.done = done,
	.enter = enter,
	.leave = leave,
	.draw = ranges_screen_draw,
	.command = command,
	.unavailable = unavailable,
	.list = list_of,
	.holds = holds,
	.field = field,
	.edited = edited,
	.field_keys = field_keys,
	.changed = changed,
	.notes = notes,
};
