/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout editor: a table that fits is made to measure. It changes nothing but the options of
 * the copy, and only with Enter.
 */
#include "ui/editor/screen.h"

#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/app.h"
#include "ui/core/screen.h"
#include "ui/editor/model.h"
#include "ui/plan/model.h"
#include "ui/widgets/list.h"
#include "ui/widgets/popup.h"

#define CELLS_MAX 512

struct editor_screen {
	struct editor model; /* table.count 0: there is none */
	struct list list;
	struct endpoint source;
	char node[sizeof(((struct endpoint *)0)->node)]; /* of the destination */
	char complaint[256];
	char said[256]; /* of the last key; "" what limits the partition is shown */
	bool has_place; /* for that, below the list, when it was drawn last */
};

static void enter(void *state, struct app *app)
{
	struct editor_screen *screen = state;
	struct session_choice choice = session_choice(app_session(app));

	/* Only the help was looked at. */
	if (app_helped(app))
		return;
	*screen = (struct editor_screen){ 0 };
	if (!choice.plan || !choice.table) {
		app_end_layout(app);
		return;
	}
	text_copy(screen->node, sizeof(screen->node), choice.plan->destinations[0].node);
	editor_open(&screen->model, choice.table, choice.source,
		    choice.plan->options.table != TABLE_KEEP ? &choice.plan->fitted : NULL,
		    &app_choice(app)->options);
	screen->source = choice.plan->source;
	(void)session_read_used(app_session(app), &screen->source, NULL);
	editor_take_used(&screen->model, session_used(app_session(app), &screen->source));
	app_say(app, _("Enter takes this layout into the plan, Esc leaves it as it was."));
}

static void changed(void *state, struct app *app, unsigned changes)
{
	struct editor_screen *screen = state;

	if (changes & SESSION_CHANGE_USED && screen->model.table.count)
		editor_take_used(&screen->model, session_used(app_session(app), &screen->source));
}

/* ---- keys ---- */

/* Shown below the list: the next key is not to close a popup first. */
static void tell(struct editor_screen *screen, struct app *app, const struct editor_answer *answer)
{
	text_copy(screen->said, sizeof(screen->said), answer->said);
	if (answer->said[0] && !screen->has_place)
		app_notice(app, MESSAGE_INFO, answer->said);
	else
		app_say(app, _("Enter takes this layout into the plan, Esc leaves it as it was."));
}

static void accept(struct editor_screen *screen, struct app *app)
{
	struct plan_options options;
	bool changes = editor_options(&screen->model, &options);

	if (changes && app_choose_options(app, &options))
		app_plan(app, NULL);
	app_go(app, SCREEN_PLAN);
}

static const char *size_typed(void *user, struct app *app, const char *text)
{
	struct editor_screen *screen = user;
	struct editor_answer answer;

	screen->said[0] = '\0';
	if (!text || editor_type(&screen->model, text, &answer))
		return NULL;
	app_redraw(app);
	return text_copy(screen->complaint, sizeof(screen->complaint), answer.said);
}

static void type_size(struct editor_screen *screen, struct app *app)
{
	const struct editor *model = &screen->model;
	char title[64], now[32];

	snprintf(title, sizeof(title), _("Partition %u"), model->parts[model->at].number);
	editor_print_typed(model, now, sizeof(now));
	popup_prompt(app, title,
		     _("Its size, as 900GB or 900GiB, its start, as @930GB, or both, as "
		       "900GB@930GB: as --layout takes them, in whole MiB."),
		     now, size_typed, screen);
}

static void choose(struct editor_screen *screen, int at)
{
	struct list list = { .count = (int)screen->model.table.count };

	list_go(&list, at);
	screen->model.at = (size_t)list.at;
	screen->said[0] = '\0';
}

static bool choose_by(struct editor_screen *screen, enum command command)
{
	int at = (int)screen->model.at;

	switch (command) {
	case COMMAND_LEFT:
	case COMMAND_PREVIOUS_FIELD:
		choose(screen, at - 1);
		return true;
	case COMMAND_RIGHT:
	case COMMAND_NEXT_FIELD:
		choose(screen, at + 1);
		return true;
	case COMMAND_FIRST:
		choose(screen, 0);
		return true;
	case COMMAND_LAST:
		choose(screen, (int)screen->model.table.count);
		return true;
	default:
		return false;
	}
}

static bool change_by(struct editor_screen *screen, struct app *app, enum command command)
{
	struct editor *model = &screen->model;
	int64_t step = (int64_t)editor_step(model, false), page = (int64_t)editor_step(model, true);
	struct editor_answer answer;

	switch (command) {
	case COMMAND_UP:
		editor_resize(model, step, &answer);
		break;
	case COMMAND_DOWN:
		editor_resize(model, -step, &answer);
		break;
	case COMMAND_PAGE_UP:
		editor_resize(model, page, &answer);
		break;
	case COMMAND_PAGE_DOWN:
		editor_resize(model, -page, &answer);
		break;
	case COMMAND_TO_START:
		editor_move(model, -step, &answer);
		break;
	case COMMAND_TO_END:
		editor_move(model, step, &answer);
		break;
	case COMMAND_FIT:
		editor_fill(model, &answer);
		break;
	case COMMAND_RESET:
		editor_reset(model, &answer);
		break;
	case COMMAND_TOGGLE:
		editor_toggle_fs(model, &answer);
		break;
	default:
		return false;
	}
	tell(screen, app, &answer);
	return true;
}

static bool command(void *state, struct app *app, enum command command)
{
	struct editor_screen *screen = state;

	if (!screen->model.table.count || choose_by(screen, command) ||
	    change_by(screen, app, command))
		return screen->model.table.count > 0;
	switch (command) {
	case COMMAND_EDIT_RANGE:
		type_size(screen, app);
		return true;
	case COMMAND_ACCEPT:
		accept(screen, app);
		return true;
	case COMMAND_BACK:
		app_end_layout(app);
		return true;
	default:
		return false;
	}
}

/* ---- drawing ---- */

static void draw_picture(const struct editor_screen *screen, struct app *app, struct draw *draw,
			 struct rect area)
{
	const struct layout_table *table = &screen->model.table;
	char source[CELLS_MAX + 1], copy[CELLS_MAX + 1], marks[CELLS_MAX + 1];
	uint64_t sectors = table->room > table->sectors ? table->room : table->sectors;
	/* Without room for both, only that of the copy. */
	int cells = area.cols - 11, at = area.rows > 3;
	struct line line;

	if (rect_empty(area) || cells < 1)
		return;
	if (cells > CELLS_MAX)
		cells = CELLS_MAX;
	editor_picture(&screen->model, cells, source, copy, marks);
	if (at) {
		draw_cell(draw, area, 0, 1, 7, ROLE_NORMAL, _("source"));
		draw_printf(draw, area, 0, 8, ROLE_NORMAL, "|%s|", source);
	}
	draw_cell(draw, area, at, 1, 7, ROLE_NORMAL, _("copy"));
	draw_printf(draw, area, at, 8, ROLE_NORMAL, "|%s|", copy);
	draw_text(draw, area, at + 1, 9, ROLE_STRONG, marks);
	line_start(&line, cells);
	plan_text_axis(sectors * table->sector, app_units(app), table->sector, &line);
	draw_text(draw, area, at + 2, 9, ROLE_DIM, line.text);
	draw_text(draw, area, at + 3, 1, ROLE_DIM,
		  _("= the least it needs  + beyond that  . in no partition"));
}

static void draw_list(struct editor_screen *screen, struct app *app, struct draw *draw,
		      const struct layout_editor *layout)
{
	struct rect list = layout->list;
	struct line line;

	line_start(&line, list.cols);
	editor_text_header(&line);
	draw_text(draw, layout->columns, 0, 0, ROLE_DIM, line.text);
	screen->list.at = (int)screen->model.at;
	list_fit(&screen->list, (int)screen->model.table.count, list.rows);
	draw->list = list;
	for (int i = 0; i < list.rows && screen->list.top + i < screen->list.count; i++) {
		int row = screen->list.top + i;

		line_start(&line, list.cols);
		editor_text_row(&screen->model, (size_t)row, app_units(app), &line);
		draw_text(draw, list, i, 0,
			  part_changes(&screen->model.parts[row]) ? ROLE_STRONG : ROLE_NORMAL,
			  line.text);
		if (row != screen->list.at)
			continue;
		draw_text(draw, list, i, 1, ROLE_STRONG, ">");
		draw_highlight(draw, list, i, ROLE_CURSOR);
		draw_cursor(draw, list, i, 1);
	}
}

static void draw_screen(void *state, struct app *app, struct draw *draw, struct rect body)
{
	struct editor_screen *screen = state;
	const struct editor *model = &screen->model;
	struct layout_editor layout;
	struct line line;
	char limit[256];

	if (!model->table.count)
		return;
	layout_editor(body, (int)model->table.count, &layout);
	line_start(&line, layout.title.cols);
	editor_text_title(screen->node, model->table.room * model->table.sector, &line);
	draw_text(draw, layout.title, 0, 0, ROLE_DESTINATION, line.text);
	draw_picture(screen, app, draw, layout.picture);
	draw_list(screen, app, draw, &layout);
	line_start(&line, layout.free.cols);
	editor_text_free(model, app_units(app), &line);
	draw_text(draw, layout.free, 0, 0, ROLE_NORMAL, line.text);
	screen->has_place = !rect_empty(layout.limit);
	editor_text_limit(model, app_units(app), limit, sizeof(limit));
	draw_wrapped(draw, layout.limit, 0, 1, layout.limit.rows,
		     screen->said[0] ? ROLE_WARN : ROLE_NORMAL,
		     screen->said[0] ? screen->said : limit);
}

static const char *const notes[] = {
	N_("LAYOUT  of the copy, made to measure. Nothing is written here: Enter takes it into the "
	   "plan, as --layout does on the command line; Esc leaves it as it was."),
	N_("LEAST  no partition becomes smaller than its file system. That is shrunk by its own "
	   "tools, in an image of the source."),
	N_("WAY  what is in the way moves by itself, as far as it may: not the first partition, "
	   "and not what boot code finds by its place."),
	NULL,
};

const struct screen_ops scr_editor = {
	.id = SCREEN_EDITOR,
	.title = N_("layout editor"),
	.state_size = sizeof(struct editor_screen),
	.enter = enter,
	.draw = draw_screen,
	.command = command,
	.changed = changed,
	.notes = notes,
};

/* ---- layout ---- */

#define PICTURE_ROWS 5
#define LIMIT_ROWS   2

void layout_editor(struct rect body, int wanted, struct layout_editor *ret)
{
	struct rect rest = body;
	int rows = body.rows;

	/* The copy's picture is there as long as there is a row for the list, too. */
	*ret = (struct layout_editor){ .title = rect_cut_top(&rest, rows >= 9) };
	ret->picture = rect_cut_top(&rest, rows >= 14   ? PICTURE_ROWS
					   : rows >= 11 ? PICTURE_ROWS - 1
					   : rows >= 4  ? 2
							: rows >= 2);
	rect_cut_top(&rest, rows >= 18);
	ret->columns = rect_cut_top(&rest, rows >= 6);
	ret->limit = rect_cut_bottom(&rest, rows >= 11 ? LIMIT_ROWS : rows >= 9);
	ret->free = rect_cut_bottom(&rest, rows >= 8);
	if (rest.rows > wanted + 1) {
		ret->list = rect_cut_top(&rest, wanted);
		/* These lines stand directly below the list. */
		ret->limit.row -= rest.rows - 1;
		ret->free.row -= rest.rows - 1;
	} else {
		ret->list = rest;
	}
}
