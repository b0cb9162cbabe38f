/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 7: the copies of this machine, now and earlier. The terminal goes from one deck to the
 * other; each copy keeps a process of its own. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/app.h"
#include "ui/core/screen.h"
#include "ui/jobs/model.h"
#include "ui/widgets/list.h"
#include "ui/widgets/popup.h"

#define LOOK_AGAIN     (2 * NSEC_PER_SEC) /* as often as a record is written */
#define DETAIL_ROWS    9                  /* with its title */
#define UNWRITTEN_ROWS 3

struct jobs_screen {
	struct running running[2 * RUNNING_MAX];
	size_t running_count;
	pid_t unwritten; /* a process of which nothing is known but that it copies; 0: none */
	uint64_t looked; /* monotonic ns */
	struct jobs_model model;
	struct list list;
	/* The copy under the cursor; until that is moved, the first one is. */
	bool chosen;
	long pid;
	char map[sizeof(((struct past_copy *)NULL)->map)];
	int64_t at;
};

static const struct jobs_row *at_cursor(const struct jobs_screen *screen)
{
	return screen->list.at < screen->model.count ? &screen->model.rows[screen->list.at] : NULL;
}

/* Which copy is under the cursor: its row points into a list that may be freed. */
static void remember(struct jobs_screen *screen)
{
	const struct jobs_row *row = at_cursor(screen);
	bool past = row && row->past;

	screen->pid = row && row->running ? (long)row->running->pid : 0;
	screen->at = past ? row->past->at : 0;
	text_copy(screen->map, sizeof(screen->map), past ? row->past->map : "");
}

/* A row's place changes as copies begin and end: the cursor goes with it. */
static void make_rows(struct jobs_screen *screen, struct app *app)
{
	size_t past_count;
	const struct past_copy *past = session_past(app_session(app), &past_count);
	int row;

	jobs_model_make(&screen->model, screen->running, screen->running_count, past, past_count);
	jobs_model_sort(&screen->model, &screen->list);
	row = screen->chosen
		      ? jobs_model_row_of(&screen->model, screen->pid, screen->map, screen->at)
		      : -1;
	screen->list.count = screen->model.count;
	list_go(&screen->list, row >= 0 ? row : screen->list.at);
	remember(screen);
}

static void look(struct jobs_screen *screen, struct app *app)
{
	const char *folder = app_folder(app);
	size_t count = folder ? running_list_all(folder, screen->running) : 0, others = 0;

	/* Everybody may see root's copies. */
	if (folder && geteuid() != 0)
		count += running_list_all(RUNNING_ROOT_FOLDER, screen->running + count);
	for (size_t i = 0; i < count; i++)
		others += !screen->running[i].own;
	screen->running_count = count;
	screen->unwritten = folder ? running_unwritten(folder) : 0;
	if (folder && !screen->unwritten && geteuid() != 0)
		screen->unwritten = running_unwritten(RUNNING_ROOT_FOLDER);
	screen->looked = clock_monotonic();
	app_other_jobs(app, others);
	make_rows(screen, app);
}

/* A copy that has ended meanwhile has a report now. */
static void look_again(struct jobs_screen *screen, struct app *app)
{
	size_t before = screen->running_count;

	look(screen, app);
	if (screen->running_count < before && app_current(app) == SCREEN_JOBS)
		session_read_past(app_session(app));
}

static void say_keys(const struct jobs_screen *screen, struct app *app)
{
	app_say(app, "%s",
		screen->model.count
			? _("Enter shows a copy, or continues one. n starts another one.")
			: _("n starts a copy."));
}

static void enter(void *state, struct app *app)
{
	look(state, app);
	session_read_past(app_session(app));
	say_keys(state, app);
}

static void changed(void *state, struct app *app, unsigned changes)
{
	struct jobs_screen *screen = state;
	bool none = screen->model.count == 0;

	if (changes & SESSION_CHANGE_PAST)
		make_rows(screen, app);
	if (none && screen->model.count && app_current(app) == SCREEN_JOBS)
		say_keys(screen, app);
	if (changes & (SESSION_CHANGE_DISKS | SESSION_CHANGE_STATE) ||
	    clock_monotonic() - screen->looked >= LOOK_AGAIN)
		look_again(screen, app);
	/* So has this deck's own. */
	if (changes & SESSION_CHANGE_STATE && app_current(app) == SCREEN_JOBS)
		session_read_past(app_session(app));
}

static void tick(void *state, struct app *app)
{
	struct jobs_screen *screen = state;

	if (clock_monotonic() - screen->looked >= LOOK_AGAIN)
		look_again(screen, app);
}

/* ---- drawing ---- */

static bool can_go_on(const struct jobs_screen *screen)
{
	const struct jobs_row *row = at_cursor(screen);

	return row && row->unfinished;
}

static void draw_details(const struct jobs_screen *screen, struct draw *draw, struct rect area)
{
	const struct jobs_row *row = at_cursor(screen);
	CLEANUP(free) char *text = row ? jobs_details(row, time(NULL)) : NULL;
	char *rest = text, *line;
	int at = 1, values = text ? 1 + popup_value_col(text) : 0;

	if (rect_empty(area) || !text)
		return;
	draw_rule(draw, area,
		  row->running        ? _("This copy runs")
		  : can_go_on(screen) ? _("This copy is not finished: Enter continues it")
				      : _("This copy has ended"));
	rect_cut_right(&area, 1);
	while (at < area.rows && (line = strsep(&rest, "\n"))) {
		char *value = strchr(line, '\t');

		if (value) {
			*value++ = '\0';
			draw_text(draw, area, at, 1, ROLE_DIM, line);
		}
		if (line[0])
			at += draw_wrapped(draw, area, at, value ? values : 1, area.rows - at,
					   ROLE_NORMAL, value ? value : line);
	}
}

static const char *no_copy(void)
{
	return _("No copy runs, and none is in the log directory.");
}

static void draw_unwritten(const struct jobs_screen *screen, struct draw *draw, struct rect area)
{
	char words[512];

	if (screen->unwritten)
		draw_wrapped(draw, area, 0, 2, area.rows, ROLE_WARN,
			     running_unwritten_words(screen->unwritten, words, sizeof(words)));
}

static void draw_screen(void *state, struct app *app, struct draw *draw, struct rect body)
{
	struct jobs_screen *screen = state;
	struct rect detail = rect_cut_bottom(
		&body, body.rows >= DETAIL_ROWS + 6 ? DETAIL_ROWS + (body.rows - 15) / 3 : 0);
	struct rect head = rect_cut_top(&body, body.rows > 4);
	struct line line;

	line_start(&line, head.cols);
	jobs_text_head(&screen->list, &line);
	draw_text(draw, head, 0, 0, ROLE_DIM, line.text);
	draw_unwritten(screen, draw,
		       rect_cut_bottom(&body, screen->unwritten ? UNWRITTEN_ROWS : 0));
	list_fit(&screen->list, screen->model.count, body.rows);
	draw->list = body;
	if (!screen->model.count && !screen->unwritten)
		draw_text(draw, body, 0, 2, ROLE_NORMAL, no_copy());
	for (int i = 0; i < body.rows && screen->list.top + i < screen->model.count; i++) {
		const struct jobs_row *row = &screen->model.rows[screen->list.top + i];

		line_start(&line, body.cols);
		jobs_text_row(row, &line);
		draw_text(draw, body, i, 0, jobs_role(row), line.text);
		if (screen->list.top + i != screen->list.at)
			continue;
		draw_text(draw, body, i, 0, ROLE_STRONG, ">");
		draw_highlight(draw, body, i, ROLE_CURSOR);
		draw_cursor(draw, body, i, 0);
	}
	draw_details(screen, draw, detail);
}

/* ---- keys ---- */

static void show_details(struct app *app, const struct jobs_row *row)
{
	CLEANUP(free) char *text = jobs_details(row, time(NULL));

	if (text)
		popup_text(app, row->running ? _("A copy that runs") : _("Report"), text);
	else
		app_nomem(app);
}

static void show_running(struct app *app, const struct jobs_row *row)
{
	const struct running *job = row->running;

	if (job->own)
		app_go(app, SCREEN_RUN);
	else if (!job->has_deck)
		show_details(app, row);
	else if (job->by_root && geteuid() != 0)
		app_say(app, _("That copy is root's: only root can show its deck."));
	else
		app_switch(app, job->pid);
}

static void open_row(struct jobs_screen *screen, struct app *app)
{
	const struct jobs_row *row = at_cursor(screen);
	char map[sizeof(row->past->map)];

	if (!row)
		return;
	if (row->running) {
		show_running(app, row);
	} else if (!can_go_on(screen)) {
		show_details(app, row);
	} else {
		/* The row goes with the choice. */
		snprintf(map, sizeof(map), "%s", row->past->map);
		app_resume(app, map, &(struct range_list){ 0 });
	}
}

static void moved(void *state)
{
	struct jobs_screen *screen = state;

	screen->chosen = true;
	remember(screen);
}

static struct list *list_of(void *state)
{
	return &((struct jobs_screen *)state)->list;
}

static bool holds(void *state, int row, const char *text)
{
	const struct jobs_model *model = &((const struct jobs_screen *)state)->model;

	return row < model->count && jobs_holds(&model->rows[row], text);
}

static bool command(void *state, struct app *app, enum command command)
{
	struct jobs_screen *screen = state;
	struct list *list = &screen->list;

	if (list_move(list, command)) {
		moved(screen);
		return true;
	}
	if (list_sort_by(list, command, JOBS_SORT_COLUMNS)) {
		screen->chosen = true;
		make_rows(screen, app);
		app_say(app, list->down ? _("Sorted: %s, the other way round.") : _("Sorted: %s."),
			jobs_sort_name(list->column));
		return true;
	}
	switch (command) {
	case COMMAND_ACCEPT:
		open_row(screen, app);
		return true;
	case COMMAND_DETAILS:
		if (at_cursor(screen))
			show_details(app, at_cursor(screen));
		return true;
	case COMMAND_NEW:
		if (app_copying(app))
			app_switch(app, 0);
		else
			app_go(app, SCREEN_DISKS);
		return true;
	default:
		return false;
	}
}

static const char *unavailable(void *state, struct app *app, enum command command)
{
	const struct jobs_screen *screen = state;

	switch (command) {
	case COMMAND_ACCEPT:
		if (can_go_on(state) && app_copying(app))
			return _("This deck copies: n opens another one, which can continue that.");
		break;
	case COMMAND_DETAILS:
	case COMMAND_FIND:
	case COMMAND_SORT:
	case COMMAND_SORT_BACK:
		break;
	default:
		return NULL;
	}
	if (at_cursor(state))
		return NULL;
	return screen->unwritten ? _("Of the copy that runs nothing is known here.") : no_copy();
}

static const char *word(void *state, struct app *app, enum command command)
{
	(void)app;
	return command == COMMAND_ACCEPT && can_go_on(state) ? _("continue") : NULL;
}

static const char *const notes[] = {
	N_("COPIES  first those that run, with a deck or without, then those that can be "
	   "continued, then those that have ended, from the log directory."),
	N_("n  while this deck copies: the copy goes on, and another deck opens in this terminal. "
	   "Its disks are refused to all others."),
	NULL,
};

const struct screen_ops scr_jobs = {
	.id = SCREEN_JOBS,
	.title = N_("Jobs"),
	.state_size = sizeof(struct jobs_screen),
	.enter = enter,
	.draw = draw_screen,
	.command = command,
	.unavailable = unavailable,
	.word = word,
	.list = list_of,
	.holds = holds,
	.moved = moved,
	.changed = changed,
	.tick = tick,
	.notes = notes,
};
