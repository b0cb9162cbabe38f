/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 5: what became of it. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/app.h"
#include "ui/core/glyphs.h"
#include "ui/core/screen.h"
#include "ui/report/qr.h"
#include "ui/report/model.h"
#include "ui/run/model.h"
#include "ui/widgets/list.h"
#include "ui/widgets/map_pane.h"
#include "ui/widgets/popup.h"

#define PROFILE_MAX 1024

/* What was answered so far. It lives as long as the app, so that a dialog may keep it. */
struct report_sign {
	char operator_name[REPORT_PERSON_MAX], ticket[REPORT_PERSON_MAX];
	char saved_as[512]; /* as typed; "" where it was saved before */
	struct stick sticks[STICKS_MAX];
	int stick_count;
	int stick; /* the chosen one */
	bool on_stick;
};

struct report_screen {
	struct report_lines lines; /* of the width `cols` */
	int cols;
	struct list text;
	struct map_pane map;
	bool qr; /* the digest of the certificate is shown */
	struct report_sign sign;
};

/* ---- saving ---- */

static const char *path_typed(void *user, struct app *app, const char *text)
{
	struct report_sign *sign = user;
	struct error error = { 0 };

	if (!text)
		return NULL;
	if (!text[0])
		return _("Type the path of a folder or a file, or Esc.");
	text_copy(sign->saved_as, sizeof(sign->saved_as), text);
	sign->on_stick = false;
	app_begun(app, session_save(app_session(app), text, NULL, &error), &error,
		  _("Saving report, text and certificate..."));
	return NULL;
}

static void ask_save(struct app *app, struct report_sign *sign, const char *path)
{
	popup_prompt(app, _("Save report and certificate"),
		     _("As .json, as .txt, and as .html to print and sign, with the list of "
		       "digests: the full path of a folder, or of a file, on a disk that stays and "
		       "is no part of the copy."),
		     path, path_typed, sign);
}

static void stick_agreed(void *user, struct app *app, int choice)
{
	struct report_sign *sign = user;
	struct error error = { 0 };

	if (choice < 0) {
		app_say(app, _("Not mounted; nothing was saved."));
		return;
	}
	sign->saved_as[0] = '\0';
	sign->on_stick = true;
	app_begun(app, session_save(app_session(app), NULL, &sign->sticks[sign->stick], &error),
		  &error, _("Mounting, saving and unmounting: do not pull it yet..."));
}

static void place_chosen(void *user, struct app *app, int choice)
{
	const struct popup_choice choices[] = { { 'm', _("mount it and save") } };
	struct report_sign *sign = user;
	char text[640];

	if (choice == sign->stick_count)
		ask_save(app, sign, "");
	if (choice < 0 || choice >= sign->stick_count)
		return;
	sign->stick = choice;
	snprintf(text, sizeof(text),
		 _("%s (%s) is mounted for as long as it takes to save report, certificate, log "
		   "and map in its folder %s. Nothing else on it is changed."),
		 sign->sticks[choice].node, sign->sticks[choice].model, STICK_FOLDER);
	popup_ask(app, _("Save on this stick?"), text, choices, 1, stick_agreed, sign);
}

/* Where no stick is attached, only a path can be named. */
static void ask_place(struct app *app, struct report_sign *sign)
{
	struct popup_choice choices[STICKS_MAX + 1];
	char labels[STICKS_MAX][160];
	int count = (int)session_sticks(app_session(app), sign->sticks);

	sign->stick_count = count;
	if (!count) {
		ask_save(app, sign, "");
		return;
	}
	for (int i = 0; i < count; i++) {
		const struct stick *stick = &sign->sticks[i];

		snprintf(labels[i], sizeof(labels[i]), "%s  %s  %s  %.40s  %.40s",
			 node_short(stick->node), UNITS_SHORT(stick->size, UNITS_SI, 512),
			 stick->fs, stick->label, stick->model);
		choices[i] = (struct popup_choice){ '1' + i, labels[i] };
	}
	choices[count] = (struct popup_choice){ 'p', _("another place: its path is typed") };
	popup_ask(app, _("Save report and certificate"),
		  _("On one of these sticks, which nothing uses now, or elsewhere."), choices,
		  count + 1, place_chosen, sign);
}

static void tell_saved(struct app *app, struct report_sign *sign)
{
	const struct report *report = session_copy(app_session(app)).report;
	const struct error *error = session_error(app_session(app), SESSION_TASK_SAVE);

	if (error->code && sign->saved_as[0] && app_current(app) == SCREEN_REPORT) {
		/* The path stays in the field, so that one wrong letter does not mean typing all of
		 * it again. */
		ask_save(app, sign, sign->saved_as);
		popup_complain(app, error->sentence);
	} else if (error->code) {
		app_error(app, error);
	} else if (sign->on_stick) {
		app_say(app, _("Saved on %s, folder %s; it is unmounted and can be pulled."),
			sign->sticks[sign->stick].node, STICK_FOLDER);
	} else if (!report || !report->files.json[0]) {
		app_say(app, _("Operator and ticket are on the report now. s saves it."));
	} else {
		app_say(app,
			sign->saved_as[0] ? _("Report and certificate saved: %s")
					  : _("Operator and ticket saved in: %s"),
			report->files.certificate[0] ? report->files.certificate
						     : report->files.json);
	}
}

/* ---- signing ---- */

/* The names go into the report on the screen and into the saved files. */
static void sign(struct app *app, struct report_sign *sign, bool mask)
{
	struct error error = { 0 };
	int r = session_sign(app_session(app), sign->operator_name, sign->ticket, mask, &error);

	sign->saved_as[0] = '\0';
	sign->on_stick = false;
	/* Entering the screen again makes its text again. */
	app_go(app, SCREEN_REPORT);
	if (r < 0)
		app_error(app, &error);
	else
		app_say(app, _("Saving report and certificate..."));
}

static void mask_chosen(void *user, struct app *app, int choice)
{
	if (choice < 0)
		app_say(app, _("The report stays as it was."));
	else
		sign(app, user, choice == 1);
}

static const char *ticket_typed(void *user, struct app *app, const char *text)
{
	const struct popup_choice choices[] = { { 'f', _("in full") },
						{ 'm', _("masked: the last 4 characters") } };
	struct report_sign *answers = user;

	if (!text)
		return NULL;
	if (strlen(text) >= sizeof(answers->ticket))
		return _("That is too long.");
	text_copy(answers->ticket, sizeof(answers->ticket), text);
	popup_ask(app, _("Serial numbers and WWNs"),
		  _("How should they appear in report and certificate?"), choices, 2, mask_chosen,
		  answers);
	return NULL;
}

static const char *operator_typed(void *user, struct app *app, const char *text)
{
	struct report_sign *answers = user;

	if (!text)
		return NULL;
	if (strlen(text) >= sizeof(answers->operator_name))
		return _("That is too long.");
	text_copy(answers->operator_name, sizeof(answers->operator_name), text);
	popup_prompt(app, _("Ticket"), _("What it was made for: a ticket, a case; or nothing."),
		     session_copy(app_session(app)).report->ticket, ticket_typed, answers);
	return NULL;
}

static void ask_sign(struct app *app, struct report_sign *sign)
{
	popup_prompt(app, _("Operator"), _("Who made the copy, for report and certificate."),
		     session_copy(app_session(app)).report->operator_name, operator_typed, sign);
}

/* ---- following the session ---- */

static void drop(void *state)
{
	struct report_screen *screen = state;

	report_lines_done(&screen->lines);
	screen->cols = 0;
	screen->text = (struct list){ .text = true };
}

static void enter(void *state, struct app *app)
{
	drop(state);
}

static void changed(void *state, struct app *app, unsigned changes)
{
	struct report_screen *screen = state;

	if (changes & SESSION_CHANGE_SAVED) {
		/* The report names the files that it was saved to, so its text is made again. */
		drop(screen);
		tell_saved(app, &screen->sign);
	}
	if (!(changes & SESSION_CHANGE_STATE))
		return;
	drop(screen);
	screen->map = (struct map_pane){ 0 };
	screen->qr = false;
}

/* ---- drawing ---- */

static void draw_text_lines(struct report_screen *screen, struct app *app, struct draw *draw,
			    struct rect area, const struct report *report)
{
	bool compared = !session_copy(app_session(app)).report;
	struct error error;
	bool more;

	if (screen->cols != area.cols) {
		drop(screen);
		/* Tried once per width: without memory it would fail at every frame. */
		screen->cols = area.cols;
		if (report_lines_make(&screen->lines, report, compared, area.cols, &error) < 0)
			app_error(app, &error);
	}
	list_fit(&screen->text, (int)screen->lines.count, area.rows);
	/* The last row says that there is more; it holds no line of the report. */
	more = screen->text.top + area.rows < screen->text.count && area.rows > 1;
	for (int row = 0; row < area.rows - more; row++) {
		size_t at = (size_t)screen->text.top + (size_t)row;

		if (at >= screen->lines.count)
			break;
		draw_text(draw, area, row, 0, report_line_role(report, &screen->lines, at),
			  screen->lines.items[at]);
	}
	if (more)
		draw_cell_right(draw, area, area.rows - 1, area.cols - 24, 23, ROLE_KEY,
				_("more: Down PgDn"));
	draw_cursor(draw, area, 0, 1);
	if (screen->text.found)
		draw_highlight(draw, area, screen->text.found - 1 - screen->text.top, ROLE_CURSOR);
}

/* Behind the map nobody would see what was found. */
static struct list *list_of(void *state)
{
	struct report_screen *screen = state;

	return screen->map.open || screen->qr ? NULL : &screen->text;
}

static bool holds(void *state, int row, const char *text)
{
	const struct report_lines *lines = &((const struct report_screen *)state)->lines;

	return (size_t)row < lines->count && strcasestr(lines->items[row], text);
}

static void draw_profile(struct app *app, struct draw *draw, struct rect box,
			 const struct report *report)
{
	struct rect inside = rect_inside(box), axis;
	float samples[PROFILE_MAX], max;
	char top[UNITS_TEXT_MAX], title[96];
	int count;

	if (rect_empty(inside) || inside.cols < 8)
		return;
	axis = rect_cut_bottom(&inside, 1);
	count = inside.cols * glyphs_per_cell(app_term(app)->glyphs);
	if (count > PROFILE_MAX)
		count = PROFILE_MAX;
	max = report_profile(&report->rates, samples, count);
	if (max <= 0) {
		draw_box(draw, box, _("MB/s over the disk"));
		draw_wrapped(draw, inside, 0, 1, inside.rows, ROLE_DIM,
			     _("The copy was too short to be measured."));
		return;
	}
	max = (float)glyphs_scale((double)max);
	units_print_count((uint64_t)max, top);
	snprintf(title, sizeof(title), _("MB/s over the disk, top %s"), top);
	draw_box(draw, box, title);
	draw_graph(draw, inside, ROLE_WRITE, samples, count, max, false);
	draw_text(draw, axis, 0, 0, ROLE_DIM, "0");
	draw_cell_right(draw, axis, 0, axis.cols - 10, 10, ROLE_DIM,
			UNITS_SHORT(report->job.total, UNITS_SI, 512));
}

static struct map_scene scene_of(struct app *app, const struct report *report)
{
	return (struct map_scene){
		.job = session_copy(app_session(app)).job,
		.snapshot = &report->job,
		.plan = report->plan,
		.disk = session_choice(app_session(app)).source,
		.ticks = true,
	};
}

static void draw_screen(void *state, struct app *app, struct draw *draw, struct rect body)
{
	const struct report *report = session_copy(app_session(app)).report;
	struct report_screen *screen = state;
	struct layout_report layout;
	struct report compared;

	if (!report && app_compared(app, &compared)) {
		draw_text_lines(state, app, draw, body, &compared);
		return;
	}
	if (!report) {
		draw_text(draw, body, 1, 1, ROLE_NORMAL,
			  _("There is no report: no copy has ended."));
		return;
	}
	if (screen->qr) {
		qr_draw(draw, body, &report->files);
		return;
	}
	if (screen->map.open) {
		struct map_scene scene = scene_of(app, report);

		map_pane_draw(&screen->map, app, draw, body, &scene);
		return;
	}
	layout_report(body, &layout);
	draw_text_lines(state, app, draw, layout.text, report);
	if (!rect_empty(layout.graph))
		draw_profile(app, draw, layout.graph, report);
	map_pane_draw_whole(app, draw, layout.map, report->plan, NULL);
}

/* ---- keys ---- */

static void show_log(struct app *app)
{
	const struct report *report = session_copy(app_session(app)).report;
	CLEANUP(free)
	char *text = run_text_log(report->events, report->event_count, report->files.log);

	if (text)
		popup_text(app, _("Log, newest first"), text);
}

/* Which bad areas are read once more: those that are ticked, or where none is, all of them. */
static int choose_areas(const struct map_pane *map, const struct map_scene *scene,
			struct range_list *ret)
{
	if (scene->snapshot->result != JOB_RESULT_PARTIAL && !map->ticked)
		return 0;
	if (map->ticked)
		return map_pane_ticked(map, scene, ret);
	return range_list_add(
		ret, (struct range){ 0, scene->plan->source.size / scene->plan->sector_size });
}

/* What is missing is planned from the map, and goes through the same checks and the same typing as
 * any other plan. */
static void resume(struct report_screen *screen, struct app *app)
{
	const struct report *report = session_copy(app_session(app)).report;
	struct map_scene scene = scene_of(app, report);
	struct range_list areas = { 0 };
	char path[sizeof(report->files.map)];

	text_copy(path, sizeof(path), report->files.map);
	if (choose_areas(&screen->map, &scene, &areas) < 0) {
		app_nomem(app);
	} else {
		app_resume(app, path, &areas);
	}
	range_list_done(&areas);
}

static bool command(void *state, struct app *app, enum command command)
{
	struct report_screen *screen = state;
	const struct report *report = session_copy(app_session(app)).report;

	if (screen->qr && (command == COMMAND_BACK || command == COMMAND_MAP)) {
		screen->qr = false;
		if (command == COMMAND_BACK)
			return true;
	}
	if (report) {
		struct map_scene scene = scene_of(app, report);

		if (map_pane_command(&screen->map, &scene, command))
			return true;
	}
	if (list_move(&screen->text, command))
		return true;
	switch (command) {
	case COMMAND_SAVE:
		ask_place(app, &screen->sign);
		return true;
	case COMMAND_SIGN:
		ask_sign(app, &screen->sign);
		return true;
	case COMMAND_QR:
		screen->qr = !screen->qr;
		return true;
	case COMMAND_LOG:
		show_log(app);
		return true;
	case COMMAND_RESUME:
		resume(screen, app);
		return true;
	case COMMAND_VERIFY:
		app_verify(app);
		return true;
	default:
		return false;
	}
}

static const char *no_verify(struct app *app, const struct report *report)
{
	enum job_result result = report->job.result;

	if (app_copying(app))
		return _("It is being read back already.");
	if (result != JOB_RESULT_COMPLETE && result != JOB_RESULT_PARTIAL &&
	    result != JOB_RESULT_MISMATCH)
		return _("The copy is not finished: there is nothing to verify yet.");
	if (result != JOB_RESULT_COMPLETE && !report->job.digests_saved)
		return _("No digests of this copy were saved, and with bad areas its ends differ.");
	return NULL;
}

/* Without a copy there may be the result of a comparison, which can be repeated. */
static const char *no_report(struct app *app, enum command command)
{
	struct report compared;
	bool found = app_compared(app, &compared);

	if (command == COMMAND_VERIFY && found)
		return NULL;
	if (app_copying(app))
		return _("There is no report yet.");
	return found ? _("Both were only compared; what was found is printed when you quit.")
		     : _("There is no report yet.");
}

static const char *unavailable(void *state, struct app *app, enum command command)
{
	const struct report *report = session_copy(app_session(app)).report;

	switch (command) {
	case COMMAND_SAVE:
	case COMMAND_SIGN:
	case COMMAND_LOG:
	case COMMAND_MAP:
		return report ? NULL : no_report(app, command);
	case COMMAND_QR:
		if (!report)
			return no_report(app, command);
		return report->files.certificate_sum[0]
			       ? NULL
			       : _("No certificate was saved yet: s saves one.");
	case COMMAND_RESUME:
		if (!report)
			return no_report(app, command);
		if (app_copying(app))
			return _("It is being read back; r comes after that.");
		if (report->job.result == JOB_RESULT_COMPLETE)
			return _("The copy is complete: nothing is left to resume.");
		if (!report->files.map[0] || !report->job.map_safe)
			return _("The map could not be saved, so there is nothing to resume from.");
		return NULL;
	case COMMAND_VERIFY:
		return report ? no_verify(app, report) : no_report(app, command);
	case COMMAND_TOGGLE:
		if (((const struct report_screen *)state)->map.list)
			return NULL;
		return _("Bad areas are ticked in the list of the map: m, then Tab.");
	default:
		return NULL;
	}
}

static const char *const notes[] = {
	N_("RESULT  COMPLETE, PARTIAL (bad areas), MISMATCH (the destination differs), STOPPED "
	   "(can be resumed), FAILED."),
	N_("v  reads the destination again and compares it with the digests of the source as it "
	   "was read; it writes nothing, and the source need not be attached."),
	N_("flushed  yes: the destination confirmed that all is on the medium."),
	N_("MAP  + copied ? to do * / to try - bad . not chosen"),
	N_("GRAPH  speed by position: a dip shows a weak place even where no read failed."),
	NULL,
};

const struct screen_ops scr_report = {
	.id = SCREEN_REPORT,
	.title = N_("Report"),
	.state_size = sizeof(struct report_screen),
	.done = drop,
	.enter = enter,
	.draw = draw_screen,
	.command = command,
	.unavailable = unavailable,
	.list = list_of,
	.holds = holds,
	.changed = changed,
	.notes = notes,
};
