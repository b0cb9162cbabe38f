/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help: the command table in two columns, and what each screen adds. */
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/app.h"
#include "ui/core/screen.h"
#include "ui/widgets/list.h"

struct help_state {
	enum screen_id topic;
	struct list text;
};

static void enter(void *data, struct app *app)
{
	struct help_state *state = data;

	state->topic = app_current(app);
	state->text = (struct list){ .text = true };
}

static void message(void *data, struct app *app, char *buffer, size_t size)
{
	const struct help_state *state = data;
	int last = state->text.top + state->text.rows, used;

	if (state->topic >= SCREEN_STEPS)
		used = snprintf(buffer, size, _("Help for the %s."),
				_(screen_ops(state->topic)->title));
	else
		used = snprintf(buffer, size,
				app_copying(app) ? _("Help for screen %d %s. The copy goes on.")
						 : _("Help for screen %d %s."),
				(int)state->topic + 1, _(screen_ops(state->topic)->title));
	if (state->text.count > state->text.rows && used >= 0 && (size_t)used < size)
		snprintf(buffer + used, size - (size_t)used, _(" Lines %d-%d of %d (Up Down)."),
			 state->text.top + 1, last < state->text.count ? last : state->text.count,
			 state->text.count);
}

/* ---- drawing ---- */

#define KEYS_COLS 12
#define NOTE_COL  9
#define KEYS_COL  35 /* of the keys on this screen */
#define TERMS_COL 78 /* of the words, where there is room for them */
#define TERM_COLS 10

struct page {
	struct draw *draw;
	struct rect area;
	int top, line;
	const char *wanted; /* only lines that hold it; "": all */
};

static bool on_page(const struct page *page)
{
	return page->line >= page->top && page->line - page->top < page->area.rows;
}

static bool is_wanted(const struct page *page, const char *text)
{
	return !page->wanted[0] || strcasestr(text, page->wanted);
}

/* A name, and beside it what it means, in as many lines as that takes. */
static void put_entry(struct page *page, int name_col, const char *name, int col, const char *text)
{
	if (on_page(page))
		draw_cell(page->draw, page->area, page->line - page->top, name_col,
			  col - name_col - 1, ROLE_STRONG, name);
	do {
		size_t skip, length = text_break(text, page->area.cols - col, &skip);

		if (on_page(page))
			draw_printf(page->draw, page->area, page->line - page->top, col,
				    ROLE_NORMAL, "%.*s", (int)length, text);
		page->line++;
		text += length + skip;
	} while (*text);
}

static void put_key(struct page *page, int col, const struct command_info *info)
{
	char names[64];

	/* The keys 1 to 6 are shown in one line. */
	if (info->command == COMMAND_SCREEN_1)
		snprintf(names, sizeof(names), "1 2 3 4 5 6");
	else
		keys_names(info, KEYS_COLS, names, sizeof(names));
	if (!is_wanted(page, _(info->help)) && !is_wanted(page, names))
		return;
	put_entry(page, col + 1, names, col + KEYS_COLS + 2, _(info->help));
}

static void put_title(struct page *page, int col, const char *title)
{
	if (on_page(page))
		draw_text(page->draw, page->area, page->line - page->top, col, ROLE_STRONG, title);
	page->line++;
}

/* Commands that are the same on all screens stand in the left column. */
static bool everywhere(const struct command_info *info)
{
	unsigned steps = ON(SCREEN_STEPS) - 1;

	return (info->screens & steps) == steps || info->command == COMMAND_FIRST ||
	       info->command == COMMAND_LAST || info->command == COMMAND_BACK ||
	       (info->command == COMMAND_STOP && info->screens != ON(SCREEN_RUN));
}

static int put_keys(struct page *page, int col, enum screen_id topic, bool common)
{
	for (const struct command_info *info = keys_table(); info->command; info++)
		if (info->help && (info->screens & ON(topic)) && everywhere(info) == common)
			put_key(page, col, info);
	return page->line;
}

/* "NAME  text": the name stands out. */
static void put_note(struct page *page, const char *text)
{
	const char *gap = strstr(text, "  ");
	char name[32] = "";

	if (!is_wanted(page, text))
		return;
	if (gap && (size_t)(gap - text) < sizeof(name)) {
		snprintf(name, sizeof(name), "%.*s", (int)(gap - text), text);
		text = gap + 2;
	}
	put_entry(page, 1, name, NOTE_COL, text);
}

/* "name  what it means" */
static const char *const terms[] = {
	N_("thread  one of those that copy, with its own queues"),
	N_("in flight  requests sent, not finished"),
	N_("depth  most requests in flight"),
	N_("LBA  logical block address"),
	N_("HCTL  host:channel:target:lun"),
	N_("WWN  a disk's name, like its serial"),
	N_("p99  99 of 100 were faster"),
	N_("extent  sectors copied as one run"),
	N_("engine  io_uring, threads or sg"),
	N_("flush  the disk empties its cache"),
	N_("holder  what uses a disk: LVM, md"),
	N_("raw  /dev/raw/rawN, gone since 5.14"),
	NULL,
};

static void put_term(struct page *page, int col, const char *text)
{
	const char *gap = strstr(text, "  ");
	char name[32];

	if (!gap || !is_wanted(page, text))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)(gap - text), text);
	put_entry(page, col + 1, name, col + 1 + TERM_COLS, gap + 2);
}

static int put_terms(struct page *page, int col)
{
	for (const char *const *term = terms; *term; term++)
		put_term(page, col, _(*term));
	return page->line;
}

static const char *const common_notes[] = {
	N_("SAFETY  Nothing is written before you type the serial on screen 3."),
	N_("FILES  /var/log/clonedeck/<date>-<time>.{log,map,json}"),
	N_("DISPLAY  clonedeck --glyphs=ascii --color=never ; NO_COLOR and TERM are obeyed"),
	N_("CONSOLE  Kernel messages across the screen: Ctrl-L repairs it; dmesg -n 1 keeps them "
	   "away."),
	NULL,
};

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static void put_notes(struct page *page, const char *const *notes)
{
	for (; notes && *notes; notes++)
		put_note(page, _(*notes));
}

/* All lines with the text that is searched, one below the other. */
static void draw_found(const struct help_state *state, struct page *page)
{
	put_keys(page, 0, state->topic, false);
	put_keys(page, 0, state->topic, true);
	put_terms(page, 0);
	put_notes(page, screen_ops(state->topic)->notes);
	put_notes(page, common_notes);
	if (page->line == 0)
		draw_printf(page->draw, page->area, 0, 1, ROLE_NORMAL,
			    _("Nothing found for \"%s\"."), page->wanted);
}

static void draw_screen(void *data, struct app *app, struct draw *draw, struct rect body)
{
	struct help_state *state = data;
	struct page page = {
		.draw = draw, .area = body, .top = state->text.top, .wanted = state->text.wanted
	};
	bool wide = body.cols >= LAYOUT_WIDE_COLS, narrow = body.cols < LAYOUT_FULL_COLS;
	int col = narrow ? 0 : KEYS_COL;
	struct rect left;
	char title[128];
	int longest;

	rect_cut_top(&page.area, 1);
	rect_cut_left(&page.area, 1);
	if (state->text.wanted[0]) {
		draw_found(state, &page);
		list_fit(&state->text, page.line, page.area.rows);
		draw_cursor(draw, page.area, 0, 0);
		return;
	}
	left = page.area;
	if (!narrow)
		left.cols = KEYS_COL - 1;

	struct page column = page;

	column.area = left;
	put_title(&column, 0, _("KEYS ON EVERY SCREEN"));
	longest = put_keys(&column, 0, state->topic, true);
	/* Where there is no room for two columns, one is below the other. */
	if (narrow)
		page.line = longest + 1;
	column = page;
	if (wide)
		column.area.cols = TERMS_COL - 1;
	if (state->topic >= SCREEN_STEPS)
		snprintf(title, sizeof(title), _("KEYS ON THIS SCREEN (%s)"),
			 _(screen_ops(state->topic)->title));
	else
		snprintf(title, sizeof(title), _("KEYS ON THIS SCREEN (%d %s)"),
			 (int)state->topic + 1, _(screen_ops(state->topic)->title));
	put_title(&column, col, title);
	longest = larger(longest, put_keys(&column, col, state->topic, false));
	if (wide) {
		column = page;
		put_title(&column, TERMS_COL, _("TERMS"));
		longest = larger(longest, put_terms(&column, TERMS_COL));
	}
	page.line = longest + 1;
	put_notes(&page, screen_ops(state->topic)->notes);
	/* The notes of Plan have a SAFETY line of their own. */
	put_notes(&page, common_notes + (state->topic == SCREEN_PLAN));
	list_fit(&state->text, page.line, page.area.rows);
	draw_cursor(draw, page.area, 0, 0);
}

/* ---- commands ---- */

static void next_topic(struct help_state *state, int by)
{
	state->topic = (enum screen_id)(((int)state->topic + by + SCREEN_STEPS) % SCREEN_STEPS);
	state->text = (struct list){ .text = true };
}

static struct list *searched(void *data)
{
	struct help_state *state = data;

	return &state->text;
}

static bool command(void *data, struct app *app, enum command command)
{
	struct help_state *state = data;

	if (command == COMMAND_NEXT_FIELD || command == COMMAND_PREVIOUS_FIELD)
		next_topic(state, command == COMMAND_NEXT_FIELD ? 1 : -1);
	else
		return list_move(&state->text, command);
	return true;
}

const struct screen_ops scr_help = {
	.id = SCREEN_HELP,
	.title = N_("Help"),
	.state_size = sizeof(struct help_state),
	.enter = enter,
	.draw = draw_screen,
	.command = command,
	.list = searched,
	.message = message,
};
