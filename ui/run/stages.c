/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages of a copy in a box of their own: how long each took, what it did and how fast. */

#include "base/clock.h"
#include "base/i18n.h"

#include "ui/run/screen.h"

#define NAME_COLS   12
#define TIME_COLS   11
#define AMOUNT_COLS 21
#define RATE_COLS   14

const char *run_stage_mark(const struct draw *draw, enum run_stage_state state)
{
	static const char *const marks[3][4] = {
		[0] = { "·", "▸", "✓", "‖" },
		[1] = { "·", "►", "√", "=" },
		[2] = { ".", ">", "v", "=" },
	};
	enum deck_glyphs glyphs = draw->term->glyphs;

	return marks[glyphs > GLYPHS_HALF ? 2 : glyphs == GLYPHS_HALF][state];
}

enum role run_stage_role(enum run_stage_state state)
{
	static const enum role roles[] = { ROLE_DIM, ROLE_STRONG, ROLE_OK, ROLE_WARN };

	return roles[state];
}

static void draw_heading(struct draw *draw, struct rect inside)
{
	int col = 3 + NAME_COLS;

	draw_text(draw, inside, 0, 3, ROLE_DIM, _("STAGE"));
	draw_cell_right(draw, inside, 0, col, TIME_COLS, ROLE_DIM, _("TIME"));
	draw_cell_right(draw, inside, 0, col += TIME_COLS, AMOUNT_COLS, ROLE_DIM, _("DONE"));
	draw_cell_right(draw, inside, 0, col + AMOUNT_COLS, RATE_COLS, ROLE_DIM, _("AVERAGE"));
}

/* A stage that has not begun has no figures. */
static void draw_figures(const struct run_view *view, struct rect inside, int row,
			 const struct run_stage *stage)
{
	char text[2 * UNITS_TEXT_MAX + 16];
	int col = 3 + NAME_COLS;

	if (stage->state == STAGE_COMING)
		return;
	draw_cell_right(view->draw, inside, row, col, TIME_COLS, ROLE_NORMAL,
			units_print_duration(stage->ns / NSEC_PER_SEC, text));
	if (!stage->total)
		return;
	run_text_progress(stage->done, stage->total, view->facts.scale, view->plan->sector_size,
			  text, sizeof(text));
	draw_cell_right(view->draw, inside, row, col += TIME_COLS, AMOUNT_COLS, ROLE_NORMAL, text);
	if (stage->ns < NSEC_PER_SEC)
		return;
	draw_cell_right(
		view->draw, inside, row, col + AMOUNT_COLS, RATE_COLS, ROLE_NORMAL,
		units_print_rate((double)stage->done * NSEC_PER_SEC / (double)stage->ns, text));
}

void run_stages_draw(const struct run_view *view, struct rect box)
{
	struct run_stage stages[RUN_STAGES];
	struct rect inside = rect_inside(box);
	int count = run_stages(view->job, &view->plan->options, stages);
	/* The first ones are through soon. */
	int first = count > inside.rows - 1 ? count - (inside.rows - 1) : 0;

	if (inside.rows < 2)
		return;
	draw_box(view->draw, box, _("Stages"));
	draw_heading(view->draw, inside);
	for (int i = first; i < count; i++) {
		int row = 1 + i - first;

		draw_text(view->draw, inside, row, 1, run_stage_role(stages[i].state),
			  run_stage_mark(view->draw, stages[i].state));
		draw_cell(view->draw, inside, row, 3, NAME_COLS, run_stage_role(stages[i].state),
			  stages[i].name);
		draw_figures(view, inside, row, &stages[i]);
	}
}
