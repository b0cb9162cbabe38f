/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plan/options_form.h"

#include <stdio.h>

#include "base/i18n.h"

#define COLS       78
#define FOOT_ROWS  2
#define LABEL_COLS 18
#define FIELD_COLS 14
#define LABEL_COL  3
#define FIELD_COL  (LABEL_COL + LABEL_COLS)
#define HINT_COL   (FIELD_COL + FIELD_COLS + 1)

static void draw_row(const struct options_form *form, struct draw *draw, struct rect rows, int row,
		     enum option_row option)
{
	bool here = option == form->at;
	enum role role = here ? ROLE_STRONG : ROLE_NORMAL;

	draw_text(draw, rows, row, 1, ROLE_STRONG, here ? ">" : " ");
	draw_cell(draw, rows, row, LABEL_COL, LABEL_COLS, role, options_form_label(option));
	draw_field(draw, rows, row, FIELD_COL, FIELD_COLS, &form->fields[option], here);
	draw_text(draw, rows, row, HINT_COL, here ? ROLE_NORMAL : ROLE_DIM,
		  options_form_hint(option));
}

void form_options_draw(const struct options_form *form, const char *complaint, struct draw *draw,
		       struct rect body)
{
	struct rect box = rect_centre(body, OPTION_ROWS + 5, COLS), rows = rect_inside(box);
	struct rect keys = rect_cut_bottom(&rows, 1), foot = rect_cut_bottom(&rows, FOOT_ROWS);
	char title[96];
	/* The line that is edited in the middle, as far as there is more on both sides. */
	int top =
		layout_scroll((int)form->at - rows.rows / 2, (int)form->at, OPTION_ROWS, rows.rows);

	draw_clear(draw, box);
	snprintf(title, sizeof(title), "%s", _("Options of the copy"));
	if (rows.rows < OPTION_ROWS)
		snprintf(title, sizeof(title), _("Options of the copy, %d-%d of %d"), top + 1,
			 top + rows.rows, OPTION_ROWS);
	draw_box(draw, box, title);
	for (int row = 0; row < rows.rows && top + row < OPTION_ROWS; row++)
		draw_row(form, draw, rows, row, (enum option_row)(top + row));
	if (complaint[0])
		draw_wrapped(draw, foot, 0, 3, foot.rows, ROLE_BAD, complaint);
	else
		draw_printf(draw, foot, 0, 3, ROLE_NORMAL, "%s: %s", options_form_label(form->at),
			    options_form_allowed(form->at));
	draw_wrapped(draw, keys, 0, 3, 1, ROLE_DIM,
		     _("Up Down=line  Space=next word  Enter=take all, plan anew  Esc=leave it"));
}
