/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 6: measures a disk and shows what was found, while it is being found. The measurement has
 * a thread of its own; here its state is only looked at.
 */
#include "ui/bench/screen.h"

#include "base/clock.h"
#include "base/i18n.h"

#include "ui/core/screen.h"
#include "ui/widgets/popup.h"

/* How long the end of the deck waits for a disk; then the process ends when that answers. */
#define PATIENCE (2 * NSEC_PER_SEC)

bool bench_screen_runs(const struct bench_screen *screen)
{
	return screen->bench && !screen->progress.ended;
}

static void forget(struct bench_screen *screen)
{
	if (screen->has_result)
		bench_result_done(&screen->result);
	screen->has_result = false;
}

static void done(void *state)
{
	struct bench_screen *screen = state;

	if (screen->bench)
		bench_stop(screen->bench);
	if (screen->bench && bench_wait(screen->bench, PATIENCE))
		bench_destroy(screen->bench);
	forget(screen);
}

static void look(struct bench_screen *screen, struct app *app)
{
	struct bench_result result;
	bool ran = bench_screen_runs(screen);

	if (!screen->bench)
		return;
	bench_progress(screen->bench, &screen->progress);
	if (bench_snapshot(screen->bench, &result) < 0) {
		app_nomem(app);
		return;
	}
	forget(screen);
	screen->result = result;
	screen->has_result = true;
	app_moves(app, bench_screen_runs(screen));
	app_redraw(app);
	if (ran && screen->progress.ended && result.end == BENCH_FAILED)
		app_error(app, &result.error);
	else if (ran && screen->progress.ended)
		app_say(app, _("Measured. Enter measures again, Left and Right choose what the "
			       "chart shows."));
}

static void enter(void *state, struct app *app)
{
	look(state, app);
	if (app_bench_disk(app)->kind == ENDPOINT_NONE)
		app_say(app, _("Choose a disk on 1 Disks, and press b there."));
}

/* ---- commands ---- */

static void start(void *user, struct app *app, int choice)
{
	struct bench_screen *screen = user;
	struct error error = { 0 };

	if (choice < 0)
		return;
	bench_destroy(screen->bench);
	screen->bench = NULL;
	screen->options =
		(struct bench_options){ .kind = bench_kinds[choice],
					.practice = app_practice_dir(app),
					.log_dir = session_choice(app_session(app)).log_dir };
	if (!(bench_kinds[choice]->takes & BENCH_TAKES_PAIR))
		screen->options.disk = *app_bench_disk(app);
	screen->table = screen->column = 0;
	screen->rows = (struct list){ 0 };
	screen->progress = (struct bench_progress){ 0 };
	forget(screen);
	if (bench_start(&screen->options, session_disks(app_session(app)), &screen->bench, &error) <
	    0) {
		screen->bench = NULL;
		app_error(app, &error);
		return;
	}
	app_say(app, _("Measuring; s stops it."));
	look(screen, app);
}

static void ask_kind(struct bench_screen *screen, struct app *app)
{
	struct popup_choice choices[POPUP_CHOICES_MAX];
	int count = 0;

	for (; count < POPUP_CHOICES_MAX && bench_kinds[count]; count++)
		choices[count] = (struct popup_choice){ bench_kinds[count]->name[0],
							_(bench_kinds[count]->summary) };
	popup_ask(app, _("What is to be measured?"),
		  _("The disk is only read. It takes from seconds to a few minutes; s stops it."),
		  choices, count, start, screen);
}

/* Rows and columns of another table are others. */
static void next_table(struct bench_screen *screen)
{
	screen->table = (screen->table + 1) % screen->result.table_count;
	screen->column = 0;
	screen->rows = (struct list){ 0 };
}

static bool command(void *state, struct app *app, enum command command)
{
	struct bench_screen *screen = state;
	unsigned columns =
		screen->has_result ? screen->result.tables[screen->table].column_count : 0;

	if (list_move(&screen->rows, command))
		return true;
	switch (command) {
	case COMMAND_ACCEPT:
		ask_kind(screen, app);
		return true;
	case COMMAND_HALT:
		bench_stop(screen->bench);
		app_say(app, _("Stopping: what is at the disk is waited for."));
		return true;
	case COMMAND_NEXT_FIELD:
		next_table(screen);
		return true;
	case COMMAND_LEFT:
		screen->column -= screen->column > 0;
		return true;
	case COMMAND_RIGHT:
		screen->column += screen->column + 1 < columns;
		return true;
	case COMMAND_BACK:
		app_go(app, SCREEN_DISKS);
		return true;
	default:
		return false;
	}
}

static const char *unavailable(void *state, struct app *app, enum command command)
{
	const struct bench_screen *screen = state;

	switch (command) {
	case COMMAND_ACCEPT:
		if (bench_screen_runs(screen))
			return _("It is being measured; s stops it.");
		return app_bench_disk(app)->kind == ENDPOINT_NONE
			       ? _("Choose a disk on 1 Disks, and press b there.")
			       : NULL;
	case COMMAND_HALT:
		return bench_screen_runs(screen) ? NULL : _("Nothing is being measured.");
	case COMMAND_NEXT_FIELD:
		return screen->has_result && screen->result.table_count > 1
			       ? NULL
			       : _("There is no other table.");
	default:
		return NULL;
	}
}

static void tick(void *state, struct app *app)
{
	if (bench_screen_runs(state))
		look(state, app);
}

static const char *const notes[] = {
	N_("KINDS  rbuf profile sizes engines read the disk; copy and lethargy copy between two "
	   "practice disks that they make, and read nothing of yours."),
	N_("CHART  the column in brackets: a curve, or a bar for each row of the table."),
	N_("-  not measured: never shown as 0."),
	NULL,
};

const struct screen_ops scr_bench = {
	.id = SCREEN_BENCH,
	.title = N_("Bench"),
	.state_size = sizeof(struct bench_screen),
	.done = done,
	.enter = enter,
	.draw = bench_screen_draw,
	.command = command,
	.unavailable = unavailable,
	.tick = tick,
	.notes = notes,
};
