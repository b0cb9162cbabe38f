/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "form_options.h"

#include "base/i18n.h"

#define COLS       72
#define LABEL_COLS 18
#define FIELD_COLS 16

void form_options_draw(const struct options_form *form, const char *complaint, struct draw *draw,
		       struct rect body)
{
	struct rect box = rect_centre(body, OPTION_ROWS + 8, COLS), inside;

	draw_clear(draw, box);
	draw_box(draw, box, _("Options of the copy"));
	inside = rect_inside(box);
	for (int row = 0; row < OPTION_ROWS; row++) {
		bool here = row == (int)form->at;
		enum option_row option = (enum option_row)row;

		draw_text(draw, inside, row + 1, 1, ROLE_STRONG, here ? ">" : " ");
		draw_cell(draw, inside, row + 1, 3, LABEL_COLS, here ? ROLE_STRONG : ROLE_NORMAL,
			  options_form_label(option));
		draw_field(draw, inside, row + 1, 3 + LABEL_COLS, FIELD_COLS, &form->fields[row],
			   here);
	}
	draw_wrapped(draw, inside, OPTION_ROWS + 2, 3, 2, complaint[0] ? ROLE_BAD : ROLE_DIM,
		     complaint[0] ? complaint : options_form_hint(form->at));
	draw_wrapped(draw, inside, OPTION_ROWS + 4, 3, 2, ROLE_DIM,
		     _("Up Down Tab=next  Enter=take all and plan anew  Esc=leave as it was"));
}
