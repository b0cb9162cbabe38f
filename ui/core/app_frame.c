/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands around every screen: header, banner, message, keys. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "session/progress.h"

#include "ui/core/app_private.h"
#include "ui/core/line.h"
#include "ui/run/model.h"

bool app_helped(const struct app *app)
{
	return app->helped;
}

#define TABS_COL     14
#define HOST_LEAST   8
#define PERCENT_COLS 7 /* " 100% =" */

static bool is_active(const struct app *app, enum screen_id screen)
{
	enum screen_id current = app->current == SCREEN_EDITOR ? SCREEN_PLAN : app->current;

	return screen == current && !app->help;
}

/* Of a screen that is not shown, the number alone where there is no room for all words. */
static const char *tab_text(const struct app *app, enum screen_id screen, bool words, char *buffer,
			    size_t size)
{
	bool active = is_active(app, screen);
	char percent[12] = "";

	if (screen == SCREEN_RUN && app->has_job && app->snapshot.state != JOB_ENDED)
		snprintf(percent, sizeof(percent), " %u%%%s", title_percent(&app->snapshot),
			 app->snapshot.state == JOB_PAUSED ? " =" : "");
	if (screen == SCREEN_JOBS && app->other_jobs)
		snprintf(percent, sizeof(percent), " +%zu", app->other_jobs % 1000);
	/* Brackets mark the active tab on terminals without reverse video. */
	snprintf(buffer, size,
		 active  ? "[%d %s%s]"
		 : words ? " %d %s%s "
			 : " %d%s%s",
		 (int)screen + 1, active || words ? _(screen_ops(screen)->title) : "", percent);
	return buffer;
}

/* With all words. */
static int tabs_width(const struct app *app, int count)
{
	char text[64];
	int sum = 0;

	for (int screen = 0; screen < count; screen++)
		sum += text_width(tab_text(app, (enum screen_id)screen, true, text, sizeof(text)));
	return sum;
}

/* Without other copies, that of the jobs is left out where its word would leave the others none,
 * however far the copy is. */
static int count_tabs(const struct app *app, int cols)
{
	int width = PERCENT_COLS, others = 0;

	if (app->current == SCREEN_JOBS || app->other_jobs)
		return SCREEN_STEPS;
	for (int screen = 0; screen < SCREEN_STEPS; screen++) {
		others = width;
		width += text_width(_(screen_ops((enum screen_id)screen)->title)) + 4;
	}
	return width > cols && others <= cols ? SCREEN_JOBS : SCREEN_STEPS;
}

static int draw_tabs(struct app *app, struct draw *draw, struct rect area, int col, int count,
		     bool words)
{
	char text[64];
	int from;

	for (int i = 0; i < count; i++) {
		enum screen_id screen = (enum screen_id)i;

		from = col;
		col = draw_text(draw, area, 0, col,
				is_active(app, screen)     ? ROLE_TAB_ACTIVE
				: app_reached(app, screen) ? ROLE_TAB
							   : ROLE_DIM,
				tab_text(app, screen, words, text, sizeof(text)));
		mouse_add(&app->mouse, area.row, from, col,
			  (enum command)(COMMAND_SCREEN_1 + (int)screen));
	}
	return col;
}

static void draw_header(struct app *app, struct draw *draw, struct rect area)
{
	struct line line;
	bool practice = app->options->session.practice_dir != NULL;
	const char *host = practice ? _("PRACTICE") : app->host;
	int least = practice ? text_width(host) + 2 : 0, col;
	int count = count_tabs(app, area.cols - least);
	bool name = area.cols >= LAYOUT_WIDE_COLS;

	col = draw_tabs(app, draw, area, name ? TABS_COL : 0, count,
			tabs_width(app, count) + least <= area.cols);
	if (name)
		draw_text(draw, area, 0, 1, ROLE_HEADER, "clonedeck");
	line_start(&line, area.cols - col - 2);
	line_fit(&line, host);
	/* The first letters alone name no machine. */
	if (line.limit >= HOST_LEAST || line.limit >= text_width(host))
		draw_printf(draw, area, 0, area.cols - line.columns - 2,
			    practice ? ROLE_BANNER : ROLE_HEADER, " %s ", line.text);
}

/* The checks of the plan or copy that were lifted, by their names; false: none. */
static bool text_lifted(struct app *app, struct line *line)
{
	const struct verdict_list *verdicts = session_choice(app->session).verdicts;
	struct line names;
	unsigned count = 0;

	line_start(&names, LINE_COLUMNS_MAX);
	for (size_t i = 0; i < verdicts->count; i++)
		if (verdicts->items[i].lifted)
			line_add(&names, "%s%s", count++ ? ", " : "", verdicts->items[i].rule);
	line_add(line, P_(" LIFTED  %u check: ", " LIFTED  %u checks: ", count), count);
	line_fit(line, names.text);
	return count > 0;
}

/* The line below the header, on any screen or on this one; false: there is none. */
static bool text_banner(struct app *app, struct line *line, enum role *retrole)
{
	const struct screen_ops *ops = app_shown(app);
	struct line lifted;

	line_start(&lifted, line->limit);
	*retrole = ROLE_ERASE;
	if (text_lifted(app, &lifted)) {
		*line = lifted;
		return true;
	}
	if (app->other_jobs && ops->id == SCREEN_DISKS) {
		*retrole = ROLE_ALERT;
		line_add(line,
			 P_(" %zu copy runs: 7 shows it ", " %zu copies run: 7 shows them ",
			    app->other_jobs),
			 app->other_jobs);
		return true;
	}
	*retrole = ROLE_BANNER;
	return ops->banner && ops->banner(app->states[ops->id], app, line, retrole);
}

static void draw_banner(struct app *app, struct draw *draw, struct rect area)
{
	enum role role;
	struct line line;

	if (rect_empty(area))
		return;
	line_start(&line, area.cols - 2);
	if (!text_banner(app, &line, &role))
		return;
	if (role == ROLE_ERASE)
		draw_cell(draw, area, 0, 0, area.cols, role, line.text);
	else
		draw_text(draw, area, 0, 1, role, line.text);
}

static bool has_banner(struct app *app)
{
	struct line line;
	enum role role;

	line_start(&line, app->term->cols);
	return text_banner(app, &line, &role);
}

/* ---- the message ---- */

#define HINT_SECONDS 60

/* In two lines, each may end with a part of a word that the next one has. */
#define WORD_COLS 12

static bool message_fits(const struct app *app)
{
	int width = text_width(app->message), cols = app->term->cols - 2;
	struct layout_frame frame;

	layout_frame(app->term->cols, app->term->rows, false, &frame);
	return width <= cols || width <= frame.message.rows * (cols - WORD_COLS);
}

void app_notice(struct app *app, enum message_level level, const char *text)
{
	text_copy(app->message, sizeof(app->message), text);
	app->level = level;
	app->said = true;
	app->hint_until = 0;
	app_redraw(app);
}

const char *app_said(const struct app *app)
{
	return app->message;
}

static void say(struct app *app, enum message_level level, const char *text)
{
	app_notice(app, level, text);
	/* A warning that is cut would lose the end of the sentence, which says what to do. */
	if (app->term && level != MESSAGE_INFO && !popup_is_typed(app) && !message_fits(app))
		popup_text(app, level == MESSAGE_ERROR ? _("Error") : _("Note"), app->message);
}

void app_message(struct app *app, enum message_level level, const char *format, ...)
{
	char text[sizeof(app->message)];

	text_vprint(text, sizeof(text), format);
	say(app, level, text);
}

void app_hint(struct app *app, enum message_level level, const char *format, ...)
{
	char text[sizeof(app->message)];

	text_vprint(text, sizeof(text), format);
	say(app, level, text);
	app->hint_until = clock_monotonic() + HINT_SECONDS * NSEC_PER_SEC;
}

void app_drop_hint(struct app *app, bool now)
{
	if (app->hint_until && (now || clock_monotonic() >= app->hint_until))
		app_notice(app, MESSAGE_INFO, "");
}

void app_error(struct app *app, const struct error *error)
{
	app_message(app, MESSAGE_ERROR, "%s",
		    error->sentence[0] ? error->sentence : error_phrase(error->code));
}

void app_nomem(struct app *app)
{
	struct error error;

	error_nomem(&error);
	app_error(app, &error);
}

void app_begun(struct app *app, int result, const struct error *error, const char *said)
{
	if (result < 0)
		app_error(app, error);
	else
		app_say(app, "%s", said);
}

void app_bell(struct app *app)
{
	if (app->term)
		term_bell(app->term);
	viewers_bell(&app->viewers);
}

static enum role message_role(const struct app *app)
{
	switch (app->level) {
	case MESSAGE_WARN:
		return ROLE_WARN;
	case MESSAGE_ERROR:
		return ROLE_BAD;
	default:
		return ROLE_MESSAGE;
	}
}

/* Of a hint in one line that is too narrow for all of it, the sentences that fit: what follows them
 * says where to go on, as the keys below do. */
static void whole_sentences(char *text, int cols)
{
	char *end = NULL;

	if (text_width(text) <= cols)
		return;
	for (char *at = text; (at = strstr(at, ". ")); at++) {
		at[1] = '\0';
		end = text_width(text) <= cols ? at : end;
		at[1] = ' ';
	}
	if (end)
		end[1] = '\0';
}

static void draw_message(struct app *app, struct draw *draw, struct rect area)
{
	const struct screen_ops *ops = app_shown(app);
	enum role role = ops->message ? ROLE_MESSAGE : message_role(app);
	int cols = area.cols - 2;
	char text[sizeof(app->message)];

	if (app_is_finding(app)) {
		find_draw(&app->find, draw, area);
		return;
	}
	if (ops->message)
		ops->message(app->states[ops->id], app, text, sizeof(text));
	else
		text_copy(text, sizeof(text), app->message);
	if (role == ROLE_MESSAGE && area.rows == 1)
		whole_sentences(text, cols);
	for (int row = 0; row < area.rows; row++) {
		draw_cell(draw, area, row, 1, cols, role, "");
		if (app->said)
			draw_anew(area, row);
	}
	app->said = false;
	rect_cut_right(&area, 1);
	/* The message may be cut. Below it, nothing is. */
	draw_wrapped(draw, area, 0, 1, area.rows, role, text);
}

static bool usable_now(struct app *app, enum command command)
{
	const struct screen_ops *ops = app_shown(app);

	if (command >= COMMAND_SCREEN_1 && command <= COMMAND_SCREEN_7)
		return app_reached(app, (enum screen_id)(command - COMMAND_SCREEN_1));
	/* Without a copy Ctrl-C quits, as q does. */
	if (command == COMMAND_STOP)
		return app_copying(app);
	return !ops->unavailable || !ops->unavailable(app->states[ops->id], app, command);
}

static const char *word_now(void *user, enum command command, const char *word)
{
	struct app *app = user;
	const struct screen_ops *ops = app_shown(app);
	const char *other = ops->word ? ops->word(app->states[ops->id], app, command) : NULL;

	return !usable_now(app, command) ? NULL : other ? other : word;
}

/* On the plan Enter starts the copy, which a click never does. first: of the keys that the footer
 * has. */
static void forget_enter(struct draw *draw, int first)
{
	for (int i = first; i < draw->key_count; i++)
		if (draw->keys[i].key == SPECIAL_ENTER)
			draw->keys[i].to = draw->keys[i].from;
}

/* In "< >=move" each of the two keys is itself alone. */
static void draw_item(struct app *app, struct draw *draw, struct rect area,
		      const struct footer_item *item)
{
	int from = item->col, to = draw_text(draw, area, 0, from, ROLE_KEY, item->text);

	if (item->second) {
		int second = from + (int)strcspn(item->text, " ") + 1;

		mouse_add(&app->mouse, area.row, from, second - 1, item->command);
		mouse_add(&app->mouse, area.row, second, second + 1, item->second);
	} else {
		mouse_add(&app->mouse, area.row, from, to, item->command);
	}
}

static void draw_footer(struct app *app, struct draw *draw, struct rect area)
{
	struct footer_item items[FOOTER_ITEMS_MAX];
	const struct screen_ops *ops = app_shown(app);
	void *state = app->states[ops->id];
	enum command wanted = ops->wanted ? ops->wanted(state, app) : COMMAND_NONE;
	int count;

	if (app_is_finding(app)) {
		draw_keys(draw, area, ROLE_KEY,
			  _("Enter=stay here  Esc=back to where it was  Down Up=next, previous"));
		return;
	}
	/* A popup has its own. */
	if (app->popup.kind != POPUP_NONE)
		return;
	/* Letters are text there. */
	if (ops->field && ops->field(state, app)) {
		const char *keys = ops->field_keys ? ops->field_keys(state) : NULL;
		int first = draw->key_count;

		draw_keys(
			draw, area, ROLE_KEY,
			keys ? keys
			     : _("Enter=take it  Esc=leave it  Tab=next  Ctrl-U=empty the field"));
		if (ops->id == SCREEN_PLAN)
			forget_enter(draw, first);
		return;
	}
	count = keys_footer(ops->id, area.cols, wanted, word_now, app, items);
	for (int i = 0; i < count; i++)
		draw_item(app, draw, area, &items[i]);
}

/* One or two lines, on a terminal below 40x8. */
static void draw_small(struct app *app, struct draw *draw, struct rect area)
{
	const struct job_snapshot *job = app_job(app);
	char percent[16], eta[96];
	struct line line;

	if (app->popup.kind == POPUP_ASK) {
		popup_draw_line(&app->popup, draw, area);
		return;
	}
	line_start(&line, area.cols);
	if (!job) {
		if (!line_piece(&line, _("clonedeck needs 40x8")))
			line_add(&line, _("needs 40x8"));
		draw_text(draw, area, 0, 0, ROLE_WARN, line.text);
		return;
	}
	passes_overall(job, percent, sizeof(percent));
	line_add(&line, "%s, %s", percent,
		 job->state == JOB_ENDED ? run_state_words(job) : run_state_phrase(job));
	if (job->state != JOB_ENDED)
		line_piece(&line, _("LEFT %s"), progress_left(job, eta, sizeof(eta)));
	if (!line_piece(&line, _("needs 40x8")))
		draw_text(draw, area, 1, 0, ROLE_WARN, _("needs 40x8"));
	draw_text(draw, area, 0, 0, ROLE_STRONG, line.text);
}

/* Where a screen does not place the cursor it stands on the message, which screen readers then
 * speak. */
static void park_cursor(struct draw *draw, struct rect message)
{
	draw_cursor(draw, message, 0, message.cols > 1 ? 1 : 0);
}

/* Its title is that of the whole window: also seen while another one is in front. */
static void show(struct app *app, const struct draw *draw)
{
	const struct choice *choice = &app->choice;
	struct title title;

	title_of(app_copying(app) ? app_job(app) : NULL, choice->source.node,
		 choice->destination.node, &title);
	term_title(app->term, &title);
	term_show(app->term, draw->cursor_row, draw->cursor_col);
	viewers_frame(&app->viewers, draw, &title);
}

void app_draw(struct app *app)
{
	struct term *term = app->term;
	struct draw draw = { .term = term, .roles = viewers_roles(&app->viewers, term) };
	const struct screen_ops *ops = app_shown(app);
	struct layout_frame frame;

	app->dirty = false;
	layout_frame(term->cols, term->rows, has_banner(app), &frame);
	draw_start(&draw);
	/* In the layout editor, Up and Down change sizes. */
	app->mouse = ops->id == SCREEN_EDITOR
			     ? (struct mouse){ .above = COMMAND_LEFT, .below = COMMAND_RIGHT }
			     : (struct mouse){ .above = COMMAND_UP, .below = COMMAND_DOWN };
	park_cursor(&draw, frame.message);
	if (layout_too_small(term->cols, term->rows)) {
		draw_small(app, &draw, frame.message);
		show(app, &draw);
		return;
	}
	draw_header(app, &draw, frame.header);
	draw_banner(app, &draw, frame.banner);
	ops->draw(app->states[ops->id], app, &draw, frame.body);
	app->mouse.drawn = draw;
	draw_message(app, &draw, frame.message);
	draw_footer(app, &draw, frame.footer);
	/* Below a popup, nothing is clicked but the keys of a search in it. */
	if (app->popup.kind != POPUP_NONE && !app_is_finding(app))
		draw.key_count = 0;
	popup_draw(&app->popup, &draw,
		   layout_is_small(frame.body) && !app_is_finding(app)
			   ? (struct rect){ 0, 0, term->rows, term->cols }
			   : frame.body);
	memcpy(app->mouse.drawn.keys, draw.keys, sizeof(draw.keys));
	app->mouse.drawn.key_count = draw.key_count;
	show(app, &draw);
}
