/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copying between the two disks that were chosen. A session of its own plans the first bytes and
 * checks them as it does for a copy of 3 Plan, which stays as it is; what was typed confirms that.
 */
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/bench/screen.h"
#include "ui/widgets/popup.h"

static const char title[] = N_("Copy between two disks");

bool bench_pair_is_chosen(const struct app *app)
{
	return endpoint_is_device(&app_choice(app)->source) &&
	       endpoint_is_device(&app_choice(app)->destination);
}

void bench_pair_end(struct bench_screen *screen)
{
	struct bench_pair *pair = &screen->pair;

	/* A session that still waits for a disk ends with the process. */
	if (pair->session && session_wait(pair->session, -1, 0))
		session_destroy(pair->session);
	*pair = (struct bench_pair){ 0 };
}

void bench_pair_begin(struct bench_screen *screen, struct app *app, const struct bench_kind *kind)
{
	const struct session_options options = {
		.all = true,
		.practice_dir = app_practice_dir(app),
		.log_dir = session_choice(app_session(app)).log_dir,
	};
	struct error error = { 0 };

	bench_pair_end(screen);
	screen->pair = (struct bench_pair){ .kind = kind,
					    .source = app_choice(app)->source,
					    .destination = app_choice(app)->destination };
	if (session_new(&options, &screen->pair.session, &error) < 0) {
		app_error(app, &error);
		return;
	}
	session_scan(screen->pair.session, NULL);
	app_moves(app, true);
	/* The popup takes the keys: what is typed too early must not reach the screen. */
	popup_text(app, _(title), _("Both disks are being checked..."));
}

static void give_up(struct bench_screen *screen, struct app *app)
{
	bench_pair_end(screen);
	app_moves(app, false);
	app_say(app, _("Nothing was measured, and nothing was written."));
}

static int make_plan(struct bench_pair *pair, struct error *reterr)
{
	struct plan_options options = PLAN_OPTIONS_DEFAULT;
	struct range_list ranges = { 0 };
	struct range first = { .count = bench_pair_sectors(&pair->source, &pair->destination, 0) };
	int r = range_list_add(&ranges, first);

	options.verify = VERIFY_OFF;
	options.probe = PROBE_NO;
	options.arm_at_once = true;
	if (r < 0)
		error_nomem(reterr);
	else
		r = session_plan(pair->session,
				 &(struct session_wish){ .source = &pair->source,
							 .destination = &pair->destination,
							 .ranges = &ranges,
							 .options = &options },
				 reterr);
	range_list_done(&ranges);
	return r;
}

/* ---- what has to be typed ---- */

/* Of the plan as it was checked last. */
static void read_gate(const struct bench_pair *pair, struct gate *ret)
{
	struct session_choice choice = session_choice(pair->session);
	char id[9];

	*ret = (struct gate){ 0 };
	gate_update(ret, plan_id(choice.plan, id), choice.verdicts, choice.token);
}

static void add_verdicts(const struct verdict_list *verdicts, enum verdict_kind kind, char *text,
			 size_t size)
{
	for (size_t i = 0; i < verdicts->count; i++) {
		size_t used = strlen(text);

		if (verdicts->items[i].kind == kind)
			snprintf(text + used, size - used, "! %s\n", verdicts->items[i].sentence);
	}
}

static const char *typed(void *user, struct app *app, const char *text);

/* With all that it would do, and every warning. */
static void ask(struct bench_screen *screen, struct app *app)
{
	struct bench_pair *pair = &screen->pair;
	struct session_choice choice = session_choice(pair->session);
	char text[4000], size[BENCH_TEXT_MAX];

	read_gate(pair, &pair->gate);
	pair->asked = true;
	if (gate_refused(&pair->gate)) {
		text[0] = '\0';
		add_verdicts(choice.verdicts, VERDICT_REFUSE, text, sizeof(text));
		popup_text(app, _("Not measured"), text);
		bench_pair_end(screen);
		return;
	}
	snprintf(text, sizeof(text), _("%s OVERWRITES the first %s of %s with those of %s.\n"),
		 pair->kind->name, bench_print(BENCH_BYTES, (double)plan_bytes(choice.plan), size),
		 pair->destination.node, pair->source.node);
	add_verdicts(choice.verdicts, VERDICT_WARN, text, sizeof(text));
	size_t used = strlen(text);

	snprintf(text + used, sizeof(text) - used, _("To start, type %s."), choice.token_phrase);
	popup_prompt(app, _(title), text, "", typed, screen);
}

static const char *typed(void *user, struct app *app, const char *text)
{
	struct bench_screen *screen = user;
	struct bench_pair *pair = &screen->pair;
	struct error error = { 0 };
	struct gate now;

	if (!text) {
		give_up(screen, app);
		return NULL;
	}
	session_dispatch(pair->session);
	if (session_state(pair->session) != SESSION_PLANNED ||
	    session_choice(pair->session).checking)
		return _("Disks came or went: the checks are made once more. Press Enter again.");
	read_gate(pair, &now);
	if (now.about != pair->gate.about) {
		app_say(app, _("The checks have changed: read them again."));
		ask(screen, app);
		return NULL;
	}
	if (session_confirm(pair->session, text, &error) < 0) {
		text_copy(pair->said, sizeof(pair->said), error.sentence);
		return pair->said;
	}
	bench_screen_start(screen, app, pair->kind, pair->session);
	return NULL;
}

void bench_pair_look(struct bench_screen *screen, struct app *app)
{
	struct bench_pair *pair = &screen->pair;
	struct error error = { 0 };
	unsigned changes;

	/* While it is measured, the plan stays as it was confirmed. */
	if (!pair->session || screen->options.confirmed)
		return;
	if (!popup_is_open(app, _(title))) {
		give_up(screen, app);
		return;
	}
	changes = session_dispatch(pair->session);
	if (session_error(pair->session, SESSION_TASK_SCAN)->code)
		error = *session_error(pair->session, SESSION_TASK_SCAN);
	else if (!pair->planned && changes & SESSION_CHANGE_DISKS)
		pair->planned = make_plan(pair, &error) == 0;
	else if (pair->planned && session_state(pair->session) == SESSION_CHOOSING)
		error = *session_error(pair->session, SESSION_TASK_PLAN);
	if (error.code) {
		bench_pair_end(screen);
		popup_close(app);
		app_error(app, &error);
	} else if (pair->planned && !pair->asked &&
		   session_state(pair->session) == SESSION_PLANNED) {
		ask(screen, app);
	}
}
