/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/widgets/popup.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/app.h"
#include "ui/core/keys.h"
#include "ui/core/line.h"

#define DOUBLE_CLICK (NSEC_PER_SEC / 2)

void popup_done(struct popup *popup)
{
	free(popup->title);
	free(popup->text);
	*popup = (struct popup){ 0 };
}

/* False without memory: then nothing opens. */
static bool open_popup(struct app *app, enum popup_kind kind, const char *title, const char *text,
		       void *user)
{
	struct popup *popup = app_popup(app);
	/* A text that grows is the same. */
	uint64_t opened = popup_is_open(app, title) ? popup->opened : clock_monotonic();

	popup_done(popup);
	popup->title = strdup(title);
	popup->text = strdup(text);
	if (!popup->title || !popup->text) {
		popup_done(popup);
		return false;
	}
	popup->kind = kind;
	popup->opened = opened;
	popup->user = user;
	app_redraw(app);
	return true;
}

void popup_interrupt(struct app *app, const char *title, const char *text,
		     const struct popup_choice *choices, int count, popup_chosen_fn *chosen,
		     void *user)
{
	struct popup *popup = app_popup(app);

	if (!open_popup(app, POPUP_ASK, title, text, user))
		return;
	for (int i = 0; i < count && i < POPUP_CHOICES_MAX; i++) {
		popup->choices[i] = choices[i];
		text_copy(popup->labels[i], sizeof(popup->labels[i]), choices[i].label);
		popup->count++;
	}
	popup->at = popup->count;
	popup->chosen = chosen;
}

void popup_ask(struct app *app, const char *title, const char *text,
	       const struct popup_choice *choices, int count, popup_chosen_fn *chosen, void *user)
{
	popup_interrupt(app, title, text, choices, count, chosen, user);
	app_popup(app)->walk = true;
}

void popup_prompt(struct app *app, const char *title, const char *text, const char *initial,
		  popup_typed_fn *typed, void *user)
{
	if (!open_popup(app, POPUP_PROMPT, title, text, user))
		return;
	field_set(&app_popup(app)->field, initial);
	app_popup(app)->typed = typed;
}

void popup_complain(struct app *app, const char *sentence)
{
	if (app_popup(app)->kind == POPUP_PROMPT)
		text_copy(app_popup(app)->complaint, sizeof(app_popup(app)->complaint), sentence);
}

void popup_text(struct app *app, const char *title, const char *text)
{
	int top = popup_is_open(app, title) ? app_popup(app)->lines.at : 0;

	if (open_popup(app, POPUP_TEXT, title, text, NULL))
		app_popup(app)->lines = (struct list){ .at = top, .text = true };
}

void popup_notice(struct app *app, const char *title, const char *text)
{
	popup_text(app, title, text);
	app_popup(app)->notice = true;
}

bool popup_is_open(struct app *app, const char *title)
{
	return app_popup(app)->kind != POPUP_NONE && strcmp(app_popup(app)->title, title) == 0;
}

bool popup_is_typed(struct app *app)
{
	return app_popup(app)->kind == POPUP_PROMPT;
}

void popup_close(struct app *app)
{
	popup_done(app_popup(app));
	app_redraw(app);
}

/* ---- drawing ---- */

/* A piece of a line of the text: where it stands. */
typedef void piece_fn(void *user, int number, int col, const char *piece, size_t length);

int popup_value_col(const char *text)
{
	char label[256];
	int col = 0;

	while (*text) {
		size_t length = strcspn(text, "\t\n");

		if (text[length] == '\t') {
			snprintf(label, sizeof(label), "%.*s", (int)length, text);
			if (text_width(label) + 2 > col)
				col = text_width(label) + 2;
			length += strcspn(text + length, "\n");
		}
		text += length + (text[length] == '\n');
	}
	return col;
}

/* Calls (NULL: nothing) for every piece of the text broken to `cols`; returns how many lines there
 * are. What follows a label stays in the column of the values. */
static int each_line(const char *text, int cols, piece_fn *call, void *user)
{
	int number = 0, values = popup_value_col(text);

	while (*text) {
		size_t paragraph = strcspn(text, "\n"), label;
		char *copy = strndup(text, paragraph);
		const char *rest = copy;
		int col = 0;

		if (!copy)
			break;
		label = strcspn(copy, "\t");
		if (copy[label]) {
			if (call)
				call(user, number, 0, copy, label);
			rest += label + 1;
			col = values;
		}
		do {
			size_t skip, length = text_break(rest, cols - col, &skip);

			if (call)
				call(user, number, col, rest, length);
			number++;
			rest += length + skip;
		} while (*rest);
		free(copy);
		text += paragraph + (text[paragraph] == '\n');
	}
	return number;
}

struct text_drawing {
	struct draw *draw;
	struct rect area;
	int top;
};

static void draw_piece(void *user, int number, int col, const char *piece, size_t length)
{
	const struct text_drawing *drawing = user;
	bool label = piece[length] == '\t';
	char text[4 * LINE_COLUMNS_MAX + 1];

	snprintf(text, sizeof(text), "%.*s", (int)length, piece);
	draw_text(drawing->draw, drawing->area, number - drawing->top, col,
		  label ? ROLE_DIM : ROLE_DIALOG, text);
}

static void draw_body(struct draw *draw, struct rect area, const char *text, int top)
{
	struct text_drawing drawing = { draw, area, top };

	each_line(text, area.cols, draw_piece, &drawing);
}

struct search {
	int row;
	const char *text;
	bool found;
};

static void search_piece(void *user, int number, int col, const char *piece, size_t length)
{
	struct search *search = user;
	char copy[1024];

	(void)col;
	if (number != search->row)
		return;
	snprintf(copy, sizeof(copy), "%.*s", (int)length, piece);
	search->found |= strcasestr(copy, search->text) != NULL;
}

bool popup_holds(void *data, int row, const char *text)
{
	const struct popup *popup = data;
	struct search search = { .row = row, .text = text };

	each_line(popup->text, popup->cols, search_piece, &search);
	return search.found;
}

static struct rect open_box(struct draw *draw, struct rect screen, int rows, int cols,
			    const char *title)
{
	struct rect box = rect_centre(screen, rows + 2, cols + 4);
	struct rect inside;

	draw_clear(draw, box);
	draw_box(draw, box, title);
	inside = rect_inside(box);
	rect_cut_left(&inside, 1);
	rect_cut_right(&inside, 1);
	return inside;
}

/* draw_keys() begins with a blank. */
static void draw_keys_of(struct draw *draw, struct rect area, int row, const char *keys)
{
	area = (struct rect){ area.row + row, area.col - 1, row < area.rows, area.cols + 1 };
	draw_keys(draw, area, ROLE_DIM, keys);
}

#define DIALOG_COLS 70

/* Columns of a text on that screen: the frame, and where there is room something around it. */
static int text_cols(struct rect screen)
{
	return screen.cols - (screen.cols < LAYOUT_FULL_COLS ? 4 : 8);
}

/* As many of them as its longest line needs, and the keys below it. */
static int fitted_cols(const char *text, struct rect screen)
{
	int most = text_cols(screen), cols = most < DIALOG_COLS ? most : DIALOG_COLS;
	int values = popup_value_col(text);
	char line[1024];

	for (const char *at = text; at && cols < most; at = strchr(at, '\n')) {
		size_t length, label;
		int width;

		at += *at == '\n';
		length = strcspn(at, "\n");
		label = strcspn(at, "\t\n") + 1;
		if (label > length)
			label = 0;
		snprintf(line, sizeof(line), "%.*s", (int)(length - label), at + label);
		width = text_width(line) + (label ? values : 0);
		if (width > cols)
			cols = width < most ? width : most;
	}
	return cols;
}

static int dialog_cols(struct rect screen)
{
	return text_cols(screen) < DIALOG_COLS ? text_cols(screen) : DIALOG_COLS;
}

/* Of a text, the lines that leave room for `foot` others below it, and a blank line where there is
 * still one; ends in ".." where it is cut. Returns the row of the first one below. */
static int draw_head(struct draw *draw, struct rect area, struct popup *popup, int lines, int foot)
{
	int room = area.rows - foot;
	struct rect shown = area;

	rect_cut_bottom(&shown, room > lines ? area.rows - lines : foot);
	popup->lines.text = true;
	list_fit(&popup->lines, lines, shown.rows);
	draw_body(draw, shown, popup->text, popup->lines.top);
	if (lines > shown.rows + popup->lines.top && shown.rows > 0)
		draw_text(draw, shown, shown.rows - 1, area.cols - 2, ROLE_DIALOG, "..");
	return room > lines ? lines + 1 : shown.rows;
}

static void draw_ask(struct popup *popup, struct draw *draw, struct rect screen)
{
	int cols = dialog_cols(screen);
	int lines = each_line(popup->text, cols, NULL, NULL);
	struct rect area = open_box(draw, screen, lines + popup->count + 3, cols, popup->title);
	/* Too long a text is scrolled through, so that the answers are always visible. */
	int row = draw_head(draw, area, popup, lines, popup->count + 1);
	int first = row;
	struct line line;

	for (int i = 0; i < popup->count; i++, row++) {
		char key[24];
		int col;

		col = draw_text(draw, area, row, 2, ROLE_STRONG,
				keys_name(popup->choices[i].key, key, sizeof(key)));
		draw_wrapped(draw, area, row, col < 8 ? 8 : col + 1, 1, ROLE_DIALOG,
			     popup->labels[i]);
		draw_key_row(draw, area, row, popup->choices[i].key);
	}
	draw_key_row(draw, area, row, SPECIAL_ESCAPE);
	draw_text(draw, area, row, 2, ROLE_STRONG, _("Esc"));
	line_start(&line, area.cols - 8);
	line_add(&line, "%s", _("do nothing"));
	if (lines > popup->lines.rows)
		line_piece(&line, "%s", _("    PgUp, PgDn: the rest"));
	draw_text(draw, area, row, 8, ROLE_DIALOG, line.text);
	if (popup->walk)
		draw_highlight(draw, area, first + popup->at, ROLE_CURSOR);
	draw_cursor(draw, area, first + popup->at, 2);
}

void popup_draw_line(struct popup *popup, struct draw *draw, struct rect area)
{
	int col = draw_text(draw, area, 0, 0, ROLE_WARN, popup->title);

	/* Choices that are not all visible are not walked through. */
	popup->walk = false;
	popup->at = popup->count;

	for (int i = 0; i < popup->count; i++) {
		char key[24];

		keys_name(popup->choices[i].key, key, sizeof(key));
		col = draw_printf(draw, area, 0, col, ROLE_STRONG, " %s=", key);
		/* Only the first words, so that the keys of all choices fit. */
		col = draw_printf(draw, area, 0, col, ROLE_DIALOG, "%.*s",
				  (int)strcspn(popup->labels[i], ":,"), popup->labels[i]);
	}
	draw_printf(draw, area, 0, col, ROLE_STRONG, " %s", _("Esc"));
}

static void draw_prompt(struct popup *popup, struct draw *draw, struct rect screen)
{
	int cols = dialog_cols(screen);
	int lines = each_line(popup->text, cols, NULL, NULL);
	int complaint = each_line(popup->complaint, cols, NULL, NULL), row;
	struct rect area = open_box(draw, screen, lines + 3 + complaint + 1, cols, popup->title);

	/* The typed line is always visible, and as much as possible of what is wrong with it. */
	if (complaint > area.rows - 1)
		complaint = area.rows - 1;
	row = draw_head(draw, area, popup, lines, complaint + 2);
	draw_field(draw, area, row, 0, area.cols, &popup->field, true);
	draw_wrapped(draw, area, row + 1, 0, complaint, ROLE_BAD, popup->complaint);
	row += 1 + complaint;
	draw_keys_of(draw, area, row + (row + 1 < area.rows), _("Enter=take it  Esc=cancel"));
}

static void draw_text_popup(struct popup *popup, struct draw *draw, struct rect screen)
{
	int cols = fitted_cols(popup->text, screen),
	    around = screen.rows < LAYOUT_FULL_ROWS - 4 ? 2 : 4;
	int lines = each_line(popup->text, cols, NULL, NULL);
	struct rect area = open_box(
		draw, screen, lines + 1 < screen.rows - around ? lines + 1 : screen.rows - around,
		cols, popup->title);
	struct rect body = area, foot = rect_cut_bottom(&body, 1);
	char keys[160];

	list_fit(&popup->lines, lines, body.rows);
	draw_body(draw, body, popup->text, popup->lines.top);
	popup->cols = cols;
	if (popup->lines.found)
		draw_highlight(draw, body, popup->lines.found - 1 - popup->lines.top, ROLE_CURSOR);
	snprintf(keys, sizeof(keys),
		 lines > popup->lines.rows ? _("Up/Down=scroll  /=find  Esc=close  line %d of %d")
					   : _("Esc=close"),
		 popup->lines.top + 1, lines);
	draw_keys_of(draw, foot, 0, keys);
	draw_cursor(draw, area, 0, 0);
}

void popup_draw(struct popup *popup, struct draw *draw, struct rect screen)
{
	switch (popup->kind) {
	case POPUP_ASK:
		draw_ask(popup, draw, screen);
		break;
	case POPUP_PROMPT:
		draw_prompt(popup, draw, screen);
		break;
	case POPUP_TEXT:
		draw_text_popup(popup, draw, screen);
		break;
	default:
		break;
	}
}

/* ---- keys ---- */

/* Where all of a text is seen, nothing is scrolled. */
static void scroll(struct app *app, int key)
{
	struct list *lines = &app_popup(app)->lines;
	char name[32];

	if ((lines->count <= lines->rows || !list_move(lines, keys_lookup(SCREEN_HELP, key))) &&
	    key < SPECIAL_RESIZE)
		app_hint(app, MESSAGE_INFO, _("%s does nothing here. The window shows the keys."),
			 keys_name(key, name, sizeof(name)));
}

static void choose(struct app *app, int choice)
{
	popup_chosen_fn *chosen = app_popup(app)->chosen;
	void *user = app_popup(app)->user;

	popup_close(app);
	if (chosen)
		chosen(user, app, choice);
}

static void ask_key(struct app *app, int key)
{
	struct popup *popup = app_popup(app);
	int answers = popup->count + 1;

	if (key == SPECIAL_ESCAPE || key == SPECIAL_BACKSPACE || key == 'h') {
		choose(app, -1);
		return;
	}
	for (int i = 0; i < popup->count; i++) {
		if (popup->choices[i].key == key) {
			choose(app, i);
			return;
		}
	}
	if (key == SPECIAL_ENTER)
		choose(app, popup->at < popup->count ? popup->at : -1);
	else if (popup->walk && key == SPECIAL_UP)
		popup->at = (popup->at + popup->count) % answers;
	else if (popup->walk && key == SPECIAL_DOWN)
		popup->at = (popup->at + 1) % answers;
	else
		scroll(app, key);
}

static void prompt_key(struct app *app, int key)
{
	struct popup *popup = app_popup(app);
	popup_typed_fn *typed = popup->typed;
	void *user = popup->user;
	const char *complaint;

	switch (field_key(&popup->field, key)) {
	case FIELD_CANCELLED:
		popup_close(app);
		typed(user, app, NULL);
		break;
	case FIELD_ACCEPTED: {
		/* The callback may open the next popup, so this one has to be closed first; it
		 * is put back when the text is not taken. */
		struct popup kept = *popup;

		*popup = (struct popup){ 0 };
		complaint = typed(user, app, kept.field.text);
		if (!complaint) {
			popup_done(&kept);
			break;
		}
		popup_done(popup);
		*popup = kept;
		text_copy(popup->complaint, sizeof(popup->complaint), complaint);
		break;
	}
	case FIELD_CHANGED:
		popup->complaint[0] = '\0';
		break;
	default:
		break;
	}
}

static void text_key(struct app *app, int key)
{
	enum command command = keys_lookup(SCREEN_HELP, key);

	if (app_popup(app)->notice ? key == SPECIAL_ESCAPE || key == SPECIAL_ENTER
				   : command == COMMAND_BACK || command == COMMAND_ACCEPT)
		popup_close(app);
	else
		scroll(app, key);
}

void popup_key(struct app *app, int key)
{
	switch (app_popup(app)->kind) {
	case POPUP_ASK:
		ask_key(app, key);
		break;
	case POPUP_PROMPT:
		prompt_key(app, key);
		break;
	case POPUP_TEXT:
		text_key(app, key);
		break;
	default:
		break;
	}
	app_redraw(app);
}

bool popup_takes_clicks(const struct popup *popup)
{
	return clock_monotonic() - popup->opened >= DOUBLE_CLICK;
}
