/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 6: measures a disk and shows what was found, while it is being found. The measurement has
 * a thread of its own; here its state is only looked at.
 */
#include "ui/bench/screen.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"

#include "ui/core/screen.h"
#include "ui/widgets/popup.h"

/* How long the end of the deck waits for a disk; then the process ends when that answers. */
#define PATIENCE (2 * NSEC_PER_SEC)

static bool runs(const struct bench_screen *screen)
{
	return screen->bench && !screen->progress.ended;
}

/* Are two disks being checked, or is what confirms them being typed? */
static bool is_checked(const struct bench_screen *screen)
{
	return screen->pair.session && !screen->options.confirmed;
}

static void forget(struct bench_screen *screen)
{
	if (screen->has_result)
		bench_result_done(&screen->result);
	screen->has_result = false;
}

static bool is_same(const struct endpoint *a, const struct endpoint *b)
{
	return a->kind == b->kind && a->start == b->start && a->size == b->size &&
	       (a->kind == ENDPOINT_NONE || identity_same(&a->identity, &b->identity));
}

/* What has figures is put beside those of the next measurement of the same kind and disk: before
 * and after another cable, say. */
static void keep(struct bench_screen *screen)
{
	const struct bench_result *last = &screen->result;
	const struct endpoint *disk = &screen->options.disk;
	bool same = screen->has_result && strcmp(last->kind, screen->options.kind->name) == 0 &&
		    is_same(&screen->measured, disk);

	if (same && !last->figure_count)
		return;
	bench_earlier_destroy(screen->before);
	screen->before = same ? bench_json_document(last) : NULL;
}

static void done(void *state)
{
	struct bench_screen *screen = state;

	if (screen->bench)
		bench_stop(screen->bench);
	if (!screen->bench || bench_wait(screen->bench, PATIENCE)) {
		bench_destroy(screen->bench);
		bench_pair_end(screen);
	}
	forget(screen);
	bench_earlier_destroy(screen->before);
}

static void look(void *state, struct app *app)
{
	struct bench_screen *screen = state;
	struct bench_result result;
	bool ran = runs(screen);

	bench_pair_look(screen, app);
	if (screen->bench)
		bench_progress(screen->bench, &screen->progress);
	app_moves(app, runs(screen) || is_checked(screen));
	if (!screen->bench)
		return;
	if (bench_snapshot(screen->bench, &result) < 0) {
		app_nomem(app);
		return;
	}
	bench_earlier_apply(screen->before, &result);
	forget(screen);
	screen->result = result;
	screen->has_result = true;
	app_redraw(app);
	if (ran && screen->progress.ended && result.end == BENCH_FAILED)
		app_error(app, &result.error);
	else if (ran && screen->progress.ended)
		app_say(app, _("Measured. Enter measures again, Left and Right choose what the "
			       "chart shows."));
}

/* Another disk was chosen since: the figures of the one before must not stand below its name. */
static void forget_other(struct bench_screen *screen, const struct app *app)
{
	if (!screen->bench || runs(screen) || is_same(&screen->chosen, app_bench_disk(app)))
		return;
	bench_destroy(screen->bench);
	screen->bench = NULL;
	screen->options.confirmed = NULL;
	bench_pair_end(screen);
	forget(screen);
}

static void enter(void *state, struct app *app)
{
	look(state, app);
	forget_other(state, app);
	if (app_bench_disk(app)->kind == ENDPOINT_NONE)
		app_say(app, _("Choose a disk on 1 Disks, and press b there."));
}

/* ---- commands ---- */

void bench_screen_start(struct bench_screen *screen, struct app *app, const struct bench_kind *kind,
			const struct session *confirmed)
{
	struct error error = { 0 };

	bench_destroy(screen->bench);
	screen->bench = NULL;
	screen->options =
		(struct bench_options){ .kind = kind,
					.confirmed = confirmed,
					.practice = app_practice_dir(app),
					.log_dir = session_choice(app_session(app)).log_dir };
	if (confirmed)
		screen->options.disk = screen->pair.source;
	else if (!(kind->takes & BENCH_TAKES_PAIR))
		screen->options.disk = *app_bench_disk(app);
	screen->table = screen->column = 0;
	screen->rows = (struct list){ 0 };
	screen->progress = (struct bench_progress){ 0 };
	keep(screen);
	forget(screen);
	screen->chosen = *app_bench_disk(app);
	screen->measured = screen->options.disk;
	if (bench_start(&screen->options, session_disks(app_session(app)), &screen->bench, &error) <
	    0) {
		screen->bench = NULL;
		screen->options.confirmed = NULL;
		bench_pair_end(screen);
		app_error(app, &error);
		return;
	}
	app_say(app, _("Measuring; s stops it."));
	look(screen, app);
}

enum between { PRACTICE_DISKS, CHOSEN_DISKS };

static void start_between(void *user, struct app *app, int choice)
{
	struct bench_screen *screen = user;

	if (choice == PRACTICE_DISKS)
		bench_screen_start(screen, app, screen->pair.kind, NULL);
	else if (choice == CHOSEN_DISKS)
		bench_pair_begin(screen, app, screen->pair.kind);
}

static void ask_between(struct bench_screen *screen, struct app *app, const struct bench_kind *kind)
{
	const struct choice *chosen = app_choice(app);
	char label[160];
	const struct popup_choice choices[] = {
		[PRACTICE_DISKS] = { 'p', _("two practice disks, which are made for it") },
		[CHOSEN_DISKS] = { 'o', label },
	};

	bench_pair_end(screen);
	screen->pair.kind = kind;
	snprintf(label, sizeof(label), _("%s to %s, which it OVERWRITES from its start on"),
		 node_short(chosen->source.node), node_short(chosen->destination.node));
	popup_ask(app, _("Between which disks?"),
		  _("What is overwritten is confirmed like a copy of 3 Plan: by what has to be "
		    "typed."),
		  choices, 2, start_between, screen);
}

static void start(void *user, struct app *app, int choice)
{
	struct bench_screen *screen = user;

	if (choice < 0)
		return;
	if (bench_kinds[choice]->takes & BENCH_TAKES_PAIR && bench_pair_is_chosen(app))
		ask_between(screen, app, bench_kinds[choice]);
	else
		bench_screen_start(screen, app, bench_kinds[choice], NULL);
}

static void ask_kind(struct bench_screen *screen, struct app *app)
{
	struct popup_choice choices[POPUP_CHOICES_MAX];
	int count = 0;

	forget_other(screen, app);
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
	default:
		return false;
	}
}

static const char *unavailable(void *state, struct app *app, enum command command)
{
	const struct bench_screen *screen = state;

	switch (command) {
	case COMMAND_ACCEPT:
		if (runs(screen))
			return _("It is being measured; s stops it.");
		if (is_checked(screen))
			return _("Both disks are being checked.");
		return app_bench_disk(app)->kind == ENDPOINT_NONE
			       ? _("Choose a disk on 1 Disks, and press b there.")
			       : NULL;
	case COMMAND_HALT:
		return runs(screen) ? NULL : _("Nothing is being measured.");
	case COMMAND_NEXT_FIELD:
		return screen->has_result && screen->result.table_count > 1
			       ? NULL
			       : _("There is no other table.");
	case COMMAND_RIGHT:
		return screen->has_result && screen->result.table_count > 0 &&
				       screen->result.tables[screen->table].column_count > 1
			       ? NULL
			       : _("There is no other column.");
	default:
		return NULL;
	}
}

static const char *const notes[] = {
	N_("KINDS  rbuf profile sizes engines read the disk; copy and lethargy copy between two "
	   "practice disks that they make, or from the chosen source to the chosen destination, "
	   "whose start they overwrite once that is confirmed."),
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
	.tick = look,
	.notes = notes,
};
