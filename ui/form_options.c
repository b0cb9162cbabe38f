/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "form_options.h"

#include "base/i18n.h"

#define COLS       78
#define LABEL_COLS 18
#define FIELD_COLS 14
#define LABEL_COL  3
#define FIELD_COL  (LABEL_COL + LABEL_COLS)
#define HINT_COL   (FIELD_COL + FIELD_COLS + 1)

void form_options_draw(const struct options_form *form, const char *complaint, struct draw *draw,
		       struct rect body)
{
	struct rect box = rect_centre(body, OPTION_ROWS + 5, COLS), inside, foot, keys;
	int rows, top;

	draw_clear(draw, box);
	draw_box(draw, box, _("Options of the copy"));
	inside = rect_inside(box);
	/* A low screen shows those around the one that is being changed. */
	rows = inside.rows - 2 < OPTION_ROWS ? inside.rows - 2 : OPTION_ROWS;
	top = layout_scroll(0, (int)form->at, OPTION_ROWS, rows);
	for (int row = 0; row < rows; row++) {
		enum option_row option = (enum option_row)(top + row);
		bool here = option == form->at;
		enum role role = here ? ROLE_STRONG : ROLE_NORMAL;

		draw_text(draw, inside, row, 1, ROLE_STRONG, here ? ">" : " ");
		draw_cell(draw, inside, row, LABEL_COL, LABEL_COLS, role,
			  options_form_label(option));
		draw_field(draw, inside, row, FIELD_COL, FIELD_COLS, &form->fields[option], here);
		draw_text(draw, inside, row, HINT_COL, here ? ROLE_NORMAL : ROLE_DIM,
			  options_form_hint(option));
	}
	foot = inside;
	rect_cut_top(&foot, rows);
	keys = rect_cut_bottom(&foot, 1);
	if (complaint[0])
		draw_wrapped(draw, foot, 0, 3, foot.rows, ROLE_BAD, complaint);
	else
		draw_printf(draw, foot, 0, 3, ROLE_NORMAL, "%s: %s", options_form_label(form->at),
			    options_form_allowed(form->at));
	draw_wrapped(draw, keys, 0, 3, 1, ROLE_DIM,
		     _("Up Down=line  Space=next word  Enter=take all, plan anew  Esc=leave it"));
}
