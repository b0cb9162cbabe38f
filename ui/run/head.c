/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of screen 4: how far it is, how fast it goes, how long it takes, what went wrong. */
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "base/text.h"

#include "ui/core/title.h"
#include "ui/run/screen.h"

#define PERCENT_COLS 7
#define LABEL_COLS   8 /* of a stage, at least, and at most */
#define LABEL_MOST   14
#define AMOUNT_COLS  26
#define DIGITS_COL   2
#define BESIDE_COL   19 /* what stands beside the large digits of the percentage … */
#define SPEED_COL    26 /* … and of the speed */

/* ---- large digits ---- */

/* Left to right, three rows of each. */
static const char large[] = "0123456789%-";
static const wchar_t *const large_rows[3] = {
	L"█▀█ ▀█  ▀▀█ ▀▀█ █ █ █▀▀ █▀▀ ▀▀█ █▀█ █▀█ ▀ ▄     ",
	L"█ █  █  █▀▀ ▀▀█ ▀▀█ ▀▀█ █▀█   █ █▀█ ▀▀█ ▄▀  ▀▀▀ ",
	L"▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀   ▀ ▀▀▀ ▀▀▀   ▀ ▀▀▀ ▀▀▀ ▀ ▀     ",
};

#define LARGE_COLS 4

/* Right aligned; bold characters where there are no blocks. */
static void draw_large(struct draw *draw, struct rect area, int row, int cols, const char *text)
{
	int col = cols - LARGE_COLS * (int)strlen(text);

	if (draw->term->glyphs > GLYPHS_HALF) {
		draw_cell_right(draw, area, row + 1, DIGITS_COL, cols, ROLE_STRONG, text);
		return;
	}
	for (; *text && col >= 0; text++, col += LARGE_COLS) {
		const char *at = strchr(large, *text);

		for (int i = 0; at && i < 3; i++) {
			const wchar_t *from = large_rows[i] + LARGE_COLS * (at - large);
			char cells[LARGE_COLS * 4 + 1];

			snprintf(cells, sizeof(cells), "%lc%lc%lc", (wint_t)from[0],
				 (wint_t)from[1], (wint_t)from[2]);
			draw_text(draw, area, row + i, DIGITS_COL + col, ROLE_STRONG, cells);
		}
	}
}

/* ---- its rows ---- */

static bool is_paused(const struct run_view *view)
{
	return view->job->state == JOB_PAUSED;
}

static void draw_overall(const struct run_view *view, struct rect area, int row, int col)
{
	char percent[16];
	int cols = area.cols - col - PERCENT_COLS - 1;

	draw_bar(view->draw, area, row, col, cols, is_paused(view) ? BAR_HELD : BAR_THICK,
		 is_paused(view) ? ROLE_WARN : ROLE_STRONG, view->job->overall);
	passes_overall(view->job, percent, sizeof(percent));
	draw_cell_right(view->draw, area, row, area.cols - PERCENT_COLS - 1, PERCENT_COLS,
			ROLE_STRONG, percent);
}

static void draw_stages(const struct run_view *view, struct rect area, int row, int col)
{
	struct run_stage stages[RUN_STAGES];
	int count = run_stages(view->job, &view->plan->options, stages), width = 0, gap;
	const char *blank;
	char text[96];

	for (int i = 0; i < count; i++)
		width += text_width(stages[i].text) + 2;
	gap = count > 1 ? (area.cols - col - 1 - width) / (count - 1) : 1;
	blank = gap < 1 ? "" : " ";
	gap = gap > 4 ? 4 : gap > 1 ? gap : 1;
	for (int i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%s%s%s", run_stage_mark(view->draw, stages[i].state),
			 blank, stages[i].text);
		col = draw_text(view->draw, area, row, col, run_stage_role(stages[i].state), text) +
		      gap;
	}
}

/* The same for all stages of a copy: its bar does not move with the words. */
static int label_cols(const struct run_view *view)
{
	struct run_stage stages[RUN_STAGES];
	int count = run_stages(view->job, &view->plan->options, stages), cols = LABEL_COLS;

	for (int i = 0; i < count; i++)
		if (text_width(stages[i].name) >= cols)
			cols = text_width(stages[i].name) + 1;
	return cols < LABEL_MOST ? cols : LABEL_MOST;
}

static void draw_stage(const struct run_view *view, struct rect area, int row, int col)
{
	const struct job_snapshot *job = view->job;
	char percent[16];
	struct line amount;
	int bar, label = label_cols(view);

	passes_percent(job, percent, sizeof(percent));
	line_start(&amount, AMOUNT_COLS);
	run_text_amount(job, app_units(view->app), view->plan->sector_size, &amount);
	bar = area.cols - col - label - PERCENT_COLS - AMOUNT_COLS - 1;
	draw_cell(view->draw, area, row, col, label - 1, ROLE_NORMAL, run_stage_name(job));
	if (bar > 4)
		draw_bar(view->draw, area, row, col + label, bar, BAR_THIN,
			 is_paused(view) ? ROLE_WARN : ROLE_READ, run_stage_done(job));
	draw_cell_right(view->draw, area, row, area.cols - AMOUNT_COLS - PERCENT_COLS - 1,
			PERCENT_COLS, ROLE_STRONG, percent);
	draw_cell_right(view->draw, area, row, area.cols - AMOUNT_COLS - 1, AMOUNT_COLS,
			ROLE_NORMAL, amount.text);
}

static void draw_line(const struct run_view *view, struct rect area, int row, int col,
		      enum role role,
		      void (*text)(const struct run_facts *, struct line *, enum role *))
{
	struct line line;

	line_start(&line, area.cols - col);
	text(&view->facts, &line, &role);
	draw_text(view->draw, area, row, col, role, line.text);
}

static void draw_ends(const struct run_view *view, struct rect area)
{
	enum role state = run_state_role(view->job);
	struct line line;

	line_start(&line, area.cols);
	run_text_ends(view->plan, view->job, &line);
	draw_text(view->draw, area, 0, 0, state == ROLE_OK ? ROLE_STRONG : state, line.text);
}

/* Percentage and speed can be read from three metres. */
static void draw_large_head(const struct run_view *view, struct rect area)
{
	char text[32], unit[32];

	snprintf(text, sizeof(text), "%u%%", title_percent(view->job));
	draw_large(view->draw, area, 2, BESIDE_COL - DIGITS_COL - 2, text);
	draw_overall(view, area, 2, BESIDE_COL);
	draw_stages(view, area, 3, BESIDE_COL);
	draw_stage(view, area, 4, BESIDE_COL);
	run_text_speed(view->job, text, unit, sizeof(text));
	draw_large(view->draw, area, 6, 12, text);
	draw_text(view->draw, area, 8, DIGITS_COL + 13, ROLE_NORMAL, unit);
	draw_line(view, area, 6, SPEED_COL, ROLE_STRONG, run_text_left);
	draw_line(view, area, 7, SPEED_COL, ROLE_NORMAL, run_text_speeds);
	draw_line(view, area, 8, SPEED_COL, ROLE_NORMAL, run_text_trouble);
}

void run_head_draw(const struct run_view *view, struct rect area)
{
	draw_ends(view, area);
	if (area.rows >= RUN_LARGE_ROWS) {
		draw_large_head(view, area);
		return;
	}
	draw_overall(view, area, 1, 1);
	draw_stages(view, area, 2, 1);
	draw_stage(view, area, 3, 1);
	draw_line(view, area, 4, 0, ROLE_STRONG, run_text_now);
	draw_line(view, area, 5, 0, ROLE_NORMAL, run_text_status);
}

void run_head_draw_small(const struct run_view *view, struct rect area)
{
	enum role role;
	struct line line;

	for (int i = 0; i < area.rows; i++) {
		line_start(&line, area.cols);
		if (!run_text_small(&view->facts, i, &line, &role))
			break;
		draw_text(view->draw, area, i, 0, role, line.text);
	}
	draw_overall(view, area, 1, 1);
}
