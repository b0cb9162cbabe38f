/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 3: what will happen, what speaks against it, and the only place from
 * which writing can start.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "app.h"
#include "form_options.h"
#include "layout_plan.h"
#include "model_plan.h"
#include "screen.h"

#define PICTURE_CELLS_MAX 512

struct plan_screen {
	struct gate gate;
	struct plan_lines lines; /* of the width `cols` */
	int cols;
	bool sections; /* lines hold the lost partitions too */
	struct lost *lost;
	size_t lost_count;
	size_t at; /* line under the cursor */
	int top, page;
	bool options_open;
	struct options_form form;
	char complaint[512]; /* about the options */
};

static int create(struct app *app, void **ret, struct error *reterr)
{
	struct plan_screen *screen = calloc(1, sizeof(*screen));

	if (!screen)
		return error_nomem(reterr);
	*ret = screen;
	return 0;
}

/* What was made from the plan, and points into it. */
static void drop_lines(struct plan_screen *screen)
{
	plan_lines_done(&screen->lines);
	screen->cols = 0;
}

static void drop_lost(struct plan_screen *screen)
{
	free(screen->lost);
	screen->lost = NULL;
	screen->lost_count = 0;
}

static void destroy(void *state)
{
	struct plan_screen *screen = state;

	if (!screen)
		return;
	drop_lines(screen);
	drop_lost(screen);
	gate_done(&screen->gate);
	free(screen);
}

/* Can this plan still be started, as far as the session is concerned? */
static bool startable(struct app *app)
{
	enum session_state state = session_state(app_session(app));

	return state == SESSION_PLANNED || state == SESSION_CONFIRMED;
}

/* ---- following the session ---- */

static void look_at_plan(struct plan_screen *screen, struct app *app)
{
	struct session *session = app_session(app);
	const struct plan *plan = session_current_plan(session);
	const struct disk *destination = session_destination_disk(session);
	struct error error;
	char id[9] = "";
	uint64_t about = screen->gate.about;

	drop_lines(screen);
	drop_lost(screen);
	if (gate_update(&screen->gate, plan ? plan_id(plan, id) : id,
			plan ? session_verdicts(session) : NULL, session_token(session)) < 0) {
		error_nomem(&error);
		app_error(app, &error);
	}
	if (plan && destination &&
	    picture_lost(plan, destination, &screen->lost, &screen->lost_count) < 0)
		app_message(app, MESSAGE_ERROR,
			    _("There is not enough memory to list what will be lost."));
	if (screen->gate.about != about) {
		screen->at = 0;
		screen->top = 0;
	}
}

static void enter(void *state, struct app *app)
{
	struct plan_screen *screen = state;

	if (!session_current_plan(app_session(app)))
		app_plan(app, NULL);
	look_at_plan(screen, app);
	if (startable(app))
		app_message(app, MESSAGE_INFO,
			    _("Nothing has been written yet. Esc returns to 2 Ranges."));
}

static void leave(void *state, struct app *app)
{
	struct plan_screen *screen = state;

	screen->options_open = false;
	gate_set_typing(&screen->gate, false);
	field_clear(&screen->gate.typed);
}

static void changed(void *state, struct app *app, unsigned changes)
{
	struct plan_screen *screen = state;

	/* A disk came or went: the checks are made again, and the plan's disks are new objects. */
	if ((changes & SESSION_CHANGE_DISKS) && startable(app))
		app_plan(app, NULL);
	if (changes & (SESSION_CHANGE_DISKS | SESSION_CHANGE_STATE))
		look_at_plan(screen, app);
}

/* ---- drawing ---- */

/* Lines are broken to the list's width, so they are made when that is known. */
static void make_lines(struct plan_screen *screen, const struct plan *plan, int cols, bool sections)
{
	int error;

	if (screen->cols == cols && screen->sections == sections)
		return;
	drop_lines(screen);
	error = plan_lines_add_checks(&screen->lines, screen->gate.verdicts, cols);
	if (error == 0 && sections)
		error = plan_lines_add_lost(&screen->lines, screen->lost_count);
	if (error == 0)
		plan_lines_add_extents(&screen->lines, plan);
	screen->cols = cols;
	screen->sections = sections;
	if (screen->at >= screen->lines.count)
		screen->at = screen->lines.count ? screen->lines.count - 1 : 0;
}

/* How many lines the checks take at this width. */
static int check_lines(const struct verdict_list *verdicts, int cols)
{
	struct plan_lines lines = { 0 };
	int count;

	plan_lines_add_checks(&lines, verdicts, cols);
	count = (int)lines.count;
	plan_lines_done(&lines);
	return count;
}

static void draw_ends(struct draw *draw, struct rect area, const struct plan *plan)
{
	struct line line;

	line_start(&line, area.cols);
	plan_text_source(plan, &line);
	draw_text(draw, area, 0, 0, ROLE_SOURCE, line.text);
	line_start(&line, area.cols);
	plan_text_destination(plan, &line);
	draw_text(draw, area, 1, 0, ROLE_DESTINATION, line.text);
	line_start(&line, area.cols);
	plan_text_copy(plan, &line);
	draw_text(draw, area, 2, 0, ROLE_NORMAL, line.text);
	line_start(&line, area.cols);
	plan_text_options(&plan->options, &line);
	draw_text(draw, area, 3, 0, ROLE_NORMAL, line.text);
}

static void draw_picture(struct app *app, struct draw *draw, struct rect area,
			 const struct plan *plan, const struct disk *source,
			 const struct disk *destination)
{
	char cells[PICTURE_CELLS_MAX + 1];
	int count = area.cols - 11;
	uint64_t size = destination->identity.size;
	struct line line;

	if (rect_empty(area) || count < 1)
		return;
	if (count > PICTURE_CELLS_MAX)
		count = PICTURE_CELLS_MAX;
	draw_cell(draw, area, 0, 1, 7, ROLE_NORMAL, _("before"));
	picture_disk(destination, size, count, cells);
	draw_printf(draw, area, 0, 8, ROLE_NORMAL, "|%s|", cells);
	picture_touched(plan, destination, count, cells);
	draw_cells(draw, area, 1, 9, cells);
	draw_cell(draw, area, 2, 1, 7, ROLE_NORMAL, _("after"));
	picture_after(plan, source, destination, count, cells);
	draw_printf(draw, area, 2, 8, ROLE_NORMAL, "|%s|", cells);
	line_start(&line, count);
	plan_text_axis(size, app_units(app), &line);
	draw_text(draw, area, 3, 9, ROLE_DIM, line.text);
	draw_text(draw, area, 4, 1, ROLE_DIM,
		  _("x overwritten  - not touched, but partitions vanish with a replaced table"));
}

static void draw_line(struct plan_screen *screen, struct app *app, struct draw *draw,
		      struct rect list, int row, size_t index)
{
	const struct plan *plan = session_current_plan(app_session(app));
	const struct plan_line *at = &screen->lines.items[index];
	enum role role = ROLE_NORMAL;
	struct line line;

	line_start(&line, list.cols);
	switch (at->kind) {
	case PLAN_LINE_CHECK:
		plan_text_check(&screen->gate, at, &line, &role);
		break;
	case PLAN_LINE_TITLE:
		role = ROLE_STRONG;
		line_add(&line, "%s",
			 at->index == PLAN_LINE_LOST
				 ? _(" DESTINATION PARTITIONS THAT WILL BE LOST")
				 : _(" WHAT IS COPIED WHERE"));
		break;
	case PLAN_LINE_LOST:
		role = ROLE_WARN;
		plan_text_lost(&screen->lost[at->index], plan->destination.logical_sector_size,
			       app_units(app), &line);
		break;
	case PLAN_LINE_EXTENT:
		plan_text_extent(plan, at->index, &line);
		break;
	}
	draw_text(draw, list, row, 0, role, line.text);
	if (index != screen->at)
		return;
	draw_text(draw, list, row, 1, ROLE_STRONG, ">");
	if (!screen->gate.typing && !screen->options_open) {
		draw_highlight(draw, list, row, ROLE_CURSOR);
		draw_cursor(draw, list, row, 1);
	}
}

static void draw_list(struct plan_screen *screen, struct app *app, struct draw *draw,
		      const struct layout_plan *layout)
{
	struct rect list = layout->list;
	int count = (int)screen->lines.count;

	screen->page = list.rows;
	screen->top = layout_scroll(screen->top, (int)screen->at, count, list.rows);
	if (count > list.rows && list.rows > 0)
		draw_printf(draw, layout->heading, 0, 1, ROLE_STRONG,
			    _("CHECKS, lines %d-%d of %d (Up Down PgUp PgDn)"), screen->top + 1,
			    screen->top + list.rows, count);
	else
		draw_text(draw, layout->heading, 0, 1, ROLE_STRONG, _("CHECKS"));
	for (int row = 0; row < list.rows && screen->top + row < count; row++)
		draw_line(screen, app, draw, list, row, (size_t)(screen->top + row));
}

static void draw_start(struct plan_screen *screen, struct app *app, struct draw *draw,
		       struct rect area)
{
	const struct gate *gate = &screen->gate;
	const char *phrase = session_token_phrase(app_session(app));
	int cols = text_width(gate->token) + 3, col;
	struct line line;

	if (session_state(app_session(app)) == SESSION_STARTING) {
		draw_text(draw, area, 0, 1, ROLE_WARN,
			  _("Opening and checking both disks; the copy starts when both are as "
			    "planned."));
		return;
	}
	if (!startable(app)) {
		draw_text(draw, area, 0, 1, ROLE_DIM,
			  _("This plan was started. 4 shows the copy."));
		return;
	}
	line_start(&line, area.cols);
	plan_text_start(gate, &line);
	draw_text(draw, area, 0, 0, gate_refused(gate) ? ROLE_BAD : ROLE_STRONG, line.text);
	if (gate_refused(gate))
		return;
	/* The field always has its place; a long phrase gives way. */
	if (cols < 9)
		cols = 9;
	if (cols > area.cols - 20)
		cols = area.cols - 20;
	col = 2 + text_width(phrase);
	if (col > area.cols - cols - 2)
		col = area.cols - cols - 2;
	draw_cell(draw, area, 1, 1, col - 1, ROLE_NORMAL, phrase);
	draw_field(draw, area, 1, col + 1, cols, &gate->typed,
		   gate->typing && !screen->options_open);
}

static void draw_files(struct app *app, struct draw *draw, struct rect box)
{
	struct rect inside = rect_inside(box);
	struct session *session = app_session(app);
	const char *dir = session_log_dir(session);
	char id[9];
	int row;

	if (rect_empty(box))
		return;
	draw_box(draw, box, _("Records"));
	draw_printf(draw, inside, 0, 1, ROLE_NORMAL, _("plan   %s"),
		    plan_id(session_current_plan(session), id));
	draw_text(draw, inside, 1, 1, ROLE_NORMAL, _("log, map and report go to"));
	row = 2 + draw_wrapped(draw, inside, 2, 3, 2, ROLE_STRONG, dir && dir[0] ? dir : "-");
	if (session_log_dir_in_memory(session))
		draw_wrapped(draw, inside, row, 1, 2, ROLE_WARN,
			     _("which is in memory: lost after a restart."));
}

static void draw_lost(struct plan_screen *screen, struct app *app, struct draw *draw,
		      struct rect area, const struct plan *plan)
{
	struct line line;
	int room = area.rows - 1;

	if (rect_empty(area) || !screen->lost_count)
		return;
	draw_text(draw, area, 0, 1, ROLE_STRONG, _("DESTINATION PARTITIONS THAT WILL BE LOST"));
	for (int i = 0; i < room && (size_t)i < screen->lost_count; i++) {
		if (i == room - 1 && (size_t)i + 1 < screen->lost_count) {
			draw_printf(draw, area, i + 1, 2, ROLE_WARN, _("and %zu more"),
				    screen->lost_count - (size_t)i);
			break;
		}
		line_start(&line, area.cols);
		plan_text_lost(&screen->lost[i], plan->destination.logical_sector_size,
			       app_units(app), &line);
		draw_text(draw, area, i + 1, 0, ROLE_WARN, line.text);
	}
}

static void draw_screen(void *state, struct app *app, struct draw *draw, struct rect body)
{
	struct plan_screen *screen = state;
	struct session *session = app_session(app);
	const struct plan *plan = session_current_plan(session);
	const struct disk *destination = session_destination_disk(session);
	struct layout_plan layout;

	if (!plan || !screen->gate.verdicts) {
		draw_text(draw, body, 1, 1, ROLE_NORMAL,
			  _("There is no plan. Choose disks on 1 and ranges on 2, then press c "
			    "there."));
		draw_cursor(draw, body, 1, 1);
		return;
	}
	/* The list's width is known before its height. */
	layout_plan(body, destination != NULL, 0, 0, &layout);
	layout_plan(body, destination != NULL, check_lines(screen->gate.verdicts, layout.list.cols),
		    (int)screen->lost_count, &layout);
	make_lines(screen, plan, layout.list.cols, rect_empty(layout.lost));
	draw_ends(draw, layout.ends, plan);
	if (destination)
		draw_picture(app, draw, layout.picture, plan, session_source_disk(session),
			     destination);
	draw_list(screen, app, draw, &layout);
	draw_files(app, draw, layout.files);
	draw_lost(screen, app, draw, layout.lost, plan);
	draw_start(screen, app, draw, layout.start);
	if (screen->options_open)
		form_options_draw(&screen->form, screen->complaint, draw, body);
}

/* ---- starting ---- */

static void start(struct plan_screen *screen, struct app *app)
{
	struct session *session = app_session(app);
	struct error error = { 0 };

	gate_set_typing(&screen->gate, false);
	if (session_confirm(session, screen->gate.token, &error) < 0 ||
	    session_start(session, &error) < 0) {
		app_error(app, &error);
		return;
	}
	app_message(app, MESSAGE_INFO, _("Opening and checking both disks."));
}

static void press_enter(struct plan_screen *screen, struct app *app)
{
	const char *phrase = session_token_phrase(app_session(app));
	size_t verdict = 0;

	if (!startable(app))
		return;
	switch (gate_enter(&screen->gate, &verdict)) {
	case GATE_REFUSED:
		app_message(app, MESSAGE_INFO,
			    _("A check says NO: this plan can not be started as it is."));
		break;
	case GATE_NOT_TYPING:
		gate_set_typing(&screen->gate, true);
		app_message(app, MESSAGE_INFO, _("Nothing has been written yet. Type: %s"), phrase);
		break;
	case GATE_UNTICKED:
		gate_set_typing(&screen->gate, false);
		screen->at = plan_lines_find(&screen->lines, verdict);
		app_message(app, MESSAGE_INFO,
			    _("Not started: read W%u and tick it with Space first."),
			    gate_warning(&screen->gate, verdict));
		break;
	case GATE_EMPTY:
		app_message(app, MESSAGE_INFO, _("Not started: type %s."), phrase);
		break;
	case GATE_WRONG:
		app_message(app, MESSAGE_WARN, _("Not started: that is not %s."), phrase);
		break;
	case GATE_OPEN:
		start(screen, app);
		break;
	}
}

/* ---- keys ---- */

static void move(struct plan_screen *screen, int by)
{
	long last = (long)screen->lines.count - 1, to = (long)screen->at + by;

	screen->at = to < 0 || last < 0 ? 0 : to > last ? (size_t)last : (size_t)to;
}

static void tick(struct plan_screen *screen, struct app *app)
{
	size_t verdict = plan_lines_verdict(&screen->lines, screen->at);
	unsigned left;

	if (!gate_tick(&screen->gate, verdict)) {
		app_message(app, MESSAGE_INFO,
			    _("There is no warning on this line: Up and Down go to one."));
		return;
	}
	left = gate_unticked(&screen->gate);
	if (left)
		app_message(app, MESSAGE_INFO,
			    P_("%u warning is not ticked yet.", "%u warnings are not ticked yet.",
			       left),
			    left);
	else
		app_message(app, MESSAGE_INFO,
			    _("All warnings are ticked. Tab goes to the field."));
}

static void open_options(struct plan_screen *screen, struct app *app)
{
	options_form_set(&screen->form, &app_choice(app)->options);
	screen->form.at = OPTION_CHUNK;
	screen->complaint[0] = '\0';
	screen->options_open = true;
	gate_set_typing(&screen->gate, false);
}

static bool command(void *state, struct app *app, enum command command)
{
	struct plan_screen *screen = state;
	int page = screen->page > 1 ? screen->page - 1 : 1;

	if (screen->options_open) {
		if (command == COMMAND_UP || command == COMMAND_DOWN)
			options_form_move(&screen->form, command == COMMAND_UP ? -1 : 1);
		return true;
	}
	switch (command) {
	case COMMAND_UP:
	case COMMAND_DOWN:
		move(screen, command == COMMAND_UP ? -1 : 1);
		return true;
	case COMMAND_PAGE_UP:
	case COMMAND_PAGE_DOWN:
		move(screen, command == COMMAND_PAGE_UP ? -page : page);
		return true;
	case COMMAND_FIRST:
		screen->at = 0;
		return true;
	case COMMAND_LAST:
		move(screen, (int)screen->lines.count);
		return true;
	case COMMAND_TOGGLE:
		tick(screen, app);
		return true;
	case COMMAND_NEXT_FIELD:
	case COMMAND_PREVIOUS_FIELD:
		gate_set_typing(&screen->gate, true);
		return true;
	case COMMAND_OPTIONS:
		open_options(screen, app);
		return true;
	case COMMAND_ACCEPT:
		press_enter(screen, app);
		return true;
	default:
		return false;
	}
}

static const char *unavailable(void *state, struct app *app, enum command command)
{
	const struct plan_screen *screen = state;

	switch (command) {
	case COMMAND_NEXT_FIELD:
		if (startable(app) && gate_refused(&screen->gate))
			return _("A check says NO: there is nothing to type.");
		break;
	case COMMAND_TOGGLE:
	case COMMAND_OPTIONS:
		break;
	default:
		return NULL;
	}
	if (!screen->gate.verdicts)
		return _("There is no plan yet.");
	return startable(app) ? NULL : _("This plan was started; it can not be changed any more.");
}

static struct field *field(void *state, struct app *app)
{
	struct plan_screen *screen = state;

	if (screen->options_open)
		return &screen->form.fields[screen->form.at];
	return screen->gate.typing && startable(app) ? &screen->gate.typed : NULL;
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
	}
	look_at_plan(screen, app);
}

static void options_edited(struct plan_screen *screen, struct app *app, enum field_event event)
{
	switch (event) {
	case FIELD_CHANGED:
		screen->complaint[0] = '\0';
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
		screen->options_open = false;
		break;
	default:
		break;
	}
}

static void edited(void *state, struct app *app, struct field *text, enum field_event event)
{
	struct plan_screen *screen = state;

	if (screen->options_open) {
		options_edited(screen, app, event);
		return;
	}
	switch (event) {
	case FIELD_ACCEPTED:
		press_enter(screen, app);
		break;
	case FIELD_CANCELLED:
		field_clear(&screen->gate.typed);
		gate_set_typing(&screen->gate, false);
		break;
	case FIELD_NEXT:
	case FIELD_PREVIOUS:
		gate_set_typing(&screen->gate, false);
		break;
	default:
		break;
	}
}

static const char *const notes[] = {
	N_("SAFETY  Nothing is written before every warning is ticked, what is asked for is typed, "
	   "and Enter is pressed in the field."),
	N_("CHECKS  NO = refused, the plan can not be started; W = warning, to be ticked; ok."),
	N_("MAPS  of the destination before and after: digit = partition, G = table, . = free."),
	NULL,
};

const struct screen_ops scr_plan = {
	.id = SCREEN_PLAN,
	.title = N_("Plan"),
	.create = create,
	.destroy = destroy,
	.enter = enter,
	.leave = leave,
	.draw = draw_screen,
	.command = command,
	.unavailable = unavailable,
	.field = field,
	.edited = edited,
	.changed = changed,
	.notes = notes,
};
