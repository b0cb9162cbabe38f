/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How screen 2 looks. */
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/ranges/screen.h"

#define DESTINATION_COLS 18
#define MAP_CELLS_MAX    512

static enum used_mode mode_of(struct app *app, const struct ranges_row *row)
{
	return used_mode_of(&app_choice(app)->used, row->partition ? row->partition->number : 0);
}

static const struct used_part *part_of(const struct ranges_screen *screen, struct app *app,
				       const struct ranges_row *row)
{
	return used_find(session_used(app_session(app), &screen->model->source),
			 row->partition ? row->partition->number : 0);
}

/* In the tick of a partition whose file system is understood: what of it is copied. */
static void draw_mode(const struct ranges_screen *screen, struct app *app, struct draw *draw,
		      struct rect line, size_t index)
{
	const struct ranges_row *row = &screen->model->rows[index];
	const struct used_part *part = part_of(screen, app, row);
	enum used_mode mode = mode_of(app, row);

	if (part && !part->whole[0] && mode != USED_WHOLE &&
	    ranges_model_mark(screen->model, index) == RANGES_FULL)
		draw_text(draw, line, 0, 2, ROLE_STRONG, mode == USED_FIRST ? "[f]" : "[o]");
}

/* What the chosen row uses, or why it can only be copied whole. */
static void draw_used(struct ranges_screen *screen, struct app *app, struct draw *draw,
		      struct rect area)
{
	static const char *const words[] = { N_("copied whole (u)"), N_("that is copied first (u)"),
					     N_("only that is copied (u)") };
	const struct ranges_row *row = &screen->model->rows[screen->list.at];
	const struct used_part *part = part_of(screen, app, row);
	uint32_t sector = screen->model->context.sector_size;
	char used[UNITS_TEXT_MAX];

	if (rect_empty(area) || !part)
		return;
	units_print_long(part->used_bytes, UNITS_SI, sector, used);
	if (part->whole[0])
		draw_printf(draw, area, 0, 1, ROLE_DIM, _("Copied whole: %s"), part->whole);
	else
		draw_printf(draw, area, 0, 1, ROLE_NORMAL, _("%s used of %s: %s"), used,
			    UNITS_LONG(part->sectors * sector, UNITS_SI, sector),
			    _(words[mode_of(app, row)]));
}

static void draw_list(struct ranges_screen *screen, struct app *app, struct draw *draw,
		      const struct layout_ranges *layout)
{
	struct ranges_model *model = screen->model;
	struct rect list = layout->list;
	struct line line;

	list_fit(&screen->list, (int)model->row_count, list.rows);
	draw->list = list;
	line_start(&line, list.cols);
	ranges_model_header(model, &line);
	draw_text(draw, layout->columns, 0, 0, ROLE_DIM, line.text);
	for (int i = 0; i < list.rows && screen->list.top + i < screen->list.count; i++) {
		size_t row = (size_t)screen->list.top + (size_t)i;
		enum ranges_mark mark = ranges_model_mark(model, row);

		line_start(&line, list.cols);
		ranges_model_row(model, row, app_units(app), &line);
		draw_text(draw, list, i, 0, mark == RANGES_NONE ? ROLE_NORMAL : ROLE_STRONG,
			  line.text);
		draw_mode(screen, app, draw, (struct rect){ list.row + i, list.col, 1, list.cols },
			  row);
		if ((int)row != screen->list.at)
			continue;
		draw_text(draw, list, i, 1, ROLE_STRONG, ">");
		draw_highlight(draw, list, i, ROLE_CURSOR);
		if (screen->focus == FOCUS_LIST)
			draw_cursor(draw, list, i, 1);
	}
}

/* Both ends, and at the right which rows there are to see. */
static void draw_title(struct ranges_screen *screen, struct app *app, struct draw *draw,
		       const struct layout_ranges *layout)
{
	const struct ranges_model *model = screen->model;
	int rows = layout->list.rows, used;
	char place[64] = "";
	struct line line;

	if ((int)model->row_count > rows)
		snprintf(place, sizeof(place), _("rows %d-%d of %zu"), screen->list.top + 1,
			 screen->list.top + rows, model->row_count);
	used = text_width(place);
	line_start(&line, layout->title.cols);
	ranges_model_title(model, &line);
	draw_text(draw, layout->title, 0, 0, ROLE_SOURCE, line.text);
	line_start(&line, layout->title.cols - (used ? used + 2 : 0));
	ranges_text_destination(&app_choice(app)->destination, &line);
	draw_text(draw, layout->title, 1, 0, ROLE_DESTINATION, line.text);
	draw_cell_right(draw, layout->title, 1, layout->title.cols - used - 1, used, ROLE_DIM,
			place);
}

static void draw_map(struct ranges_screen *screen, struct draw *draw, struct rect map)
{
	char what[MAP_CELLS_MAX + 1], ticked[MAP_CELLS_MAX + 1];
	int cells = map.cols - 4;

	if (rect_empty(map) || cells < 1)
		return;
	if (cells > MAP_CELLS_MAX)
		cells = MAP_CELLS_MAX;
	ranges_model_map(screen->model, cells, what, ticked);
	draw_wrapped(draw, map, 0, 1, 1, ROLE_DIM,
		     _("Disk map: digit = partition, G = table, . = free;  = under it: ticked"));
	draw_printf(draw, map, 1, 1, ROLE_NORMAL, "|%s|", what);
	draw_text(draw, map, 2, 1, ROLE_NORMAL, "|");
	draw_cells(draw, map, 2, 2, ticked);
	draw_text(draw, map, 2, 2 + cells, ROLE_NORMAL, "|");
}

static void draw_heading(struct draw *draw, struct rect area, const struct ranges_model *model)
{
	draw_printf(draw, area, 0, 1, ROLE_STRONG,
		    model->entry == RANGES_ENTRY_ADD
			    ? _("Range to ADD (LBA of %u bytes unless a suffix is given)")
		    : model->entry == RANGES_ENTRY_REMOVE
			    ? _("Range to REMOVE (LBA of %u bytes unless a suffix is given)")
			    : _("Free-form range (LBA of %u bytes unless a suffix is given)"),
		    (unsigned)model->context.sector_size);
}

/* Points at what is wrong: marks below it, the sentence below them, also over the grammar when
 * it is long. */
static void draw_complaint(struct draw *draw, const struct layout_ranges *layout, int col,
			   int length, int limit, const char *sentence)
{
	struct rect area = layout->error;
	int wide = text_width(sentence), start = col;

	if (length < 1)
		length = 1;
	for (int i = 0; i < length && col + i < limit; i++)
		draw_text(draw, layout->totals, 0, col + i, ROLE_BAD, "^");
	if (start + wide > area.cols - 1)
		start = area.cols - 1 - wide;
	if (start < 1) {
		start = 1;
		area.rows += layout->grammar.rows;
		draw_clear(draw, area);
	}
	draw_wrapped(draw, area, 0, start, area.rows, ROLE_BAD, sentence);
}

/* Before the plan refuses it. */
static void draw_beyond(struct app *app, struct draw *draw, struct rect area,
			const struct ranges_model *model)
{
	const struct endpoint *destination = &app_choice(app)->destination;
	uint64_t beyond = ranges_model_beyond(model, destination);
	char text[256];

	if (!beyond)
		return;
	snprintf(text, sizeof(text), _("  %s more than %s holds: choose less, or a larger disk"),
		 UNITS_LONG(beyond, UNITS_SI, model->context.sector_size),
		 node_short(destination->node));
	draw_wrapped(draw, area, 0, 1, 1, ROLE_WARN, text);
}

static void draw_form(struct ranges_screen *screen, struct app *app, struct draw *draw,
		      const struct layout_ranges *layout)
{
	struct ranges_model *model = screen->model;
	const struct rangespec_error *wrong = ranges_model_error(model);
	const struct field *field = ranges_model_field(model);
	char view[4 * 256 + 1];
	int right = text_width(_(" -> dest LBA ")) + DESTINATION_COLS + 1;
	int start, cols, to = 1, shown;
	/* On a small screen one field is shown, that of the range until the other one is edited. */
	bool both = layout->field.cols >= LAYOUT_FULL_COLS;
	size_t first;
	struct line line;

	draw_heading(draw, layout->heading, model);
	start = text_width(_("Range ")) + 1;
	cols = layout->field.cols - start - (both ? right : 1);
	if (cols > 250)
		cols = 250;
	if (both || screen->focus != FOCUS_DESTINATION) {
		draw_text(draw, layout->field, 0, 1, ROLE_NORMAL, _("Range "));
		if (screen->focus != FOCUS_RANGE)
			draw->range = (struct rect){ layout->field.row, layout->field.col + start,
						     1, cols };
		draw_field(draw, layout->field, 0, start, cols, field,
			   screen->focus == FOCUS_RANGE);
	}
	if (both || screen->focus == FOCUS_DESTINATION) {
		to = draw_text(draw, layout->field, 0, both ? start + cols : 0, ROLE_NORMAL,
			       _(" -> dest LBA "));
		if (screen->focus == FOCUS_LIST)
			draw->field = (struct rect){ layout->field.row, layout->field.col + to, 1,
						     DESTINATION_COLS };
		draw_field(draw, layout->field, 0, to, DESTINATION_COLS, &model->destination,
			   screen->focus == FOCUS_DESTINATION);
	}

	draw_words(
		draw, layout->grammar, ROLE_DIM,
		_("  A-B first-last  A+N first+count  @N partition  -N last N  A- to end  * all"));
	if (wrong) {
		field_view(field, cols - 2, view, &shown, &first);
		shown = field_column(field, first, (size_t)wrong->column);
		draw_complaint(draw, layout, start + 1 + (shown > 0 ? shown : 0), wrong->length,
			       start + cols - 1, wrong->sentence);
	} else if (!model->destination_valid) {
		draw_complaint(draw, layout, to + 1, (int)strlen(model->destination.text),
			       to + DESTINATION_COLS - 1, model->destination_error);
	} else {
		line_start(&line, LINE_COLUMNS_MAX);
		ranges_model_totals(model, app_units(app), &line);
		draw_wrapped(draw, layout->totals, 0, 0, 1, ROLE_NORMAL, line.text);
		draw_beyond(app, draw, layout->error, model);
	}
}

void ranges_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body)
{
	struct ranges_screen *screen = state;
	struct layout_ranges layout;

	if (!screen->model) {
		draw_text(draw, body, 1, 1, ROLE_NORMAL,
			  _("Choose a source on 1 Disks first: s on its row."));
		draw_cursor(draw, body, 1, 1);
		return;
	}
	layout_ranges(body, (int)screen->model->row_count, &layout);
	screen->model->used = session_used(app_session(app), &screen->model->source);
	draw_list(screen, app, draw, &layout);
	draw_title(screen, app, draw, &layout);
	draw_used(screen, app, draw, layout.used);
	draw_map(screen, draw, layout.map);
	draw_form(screen, app, draw, &layout);
}

/* ---- layout ---- */

/* Everything but the list, with the blank lines between. */
#define FIXED_ROWS 13

/* What is typed, what it comes to or what is wrong with it, and as much of the list as there is
 * room for. */
static void small(struct rect body, struct layout_ranges *ret)
{
	struct rect rest = body;

	*ret = (struct layout_ranges){ .title = rect_cut_top(&rest, body.rows >= 7 ? 2 : 0) };
	ret->grammar = rect_cut_bottom(&rest, body.rows >= 10);
	ret->error = rect_cut_bottom(&rest, body.rows >= 8 ? 2 : 1);
	ret->totals = rect_cut_bottom(&rest, 1);
	ret->field = rect_cut_bottom(&rest, 1);
	ret->map = rect_cut_bottom(&rest, body.rows >= 16 ? 3 : 0);
	ret->used = rect_cut_bottom(&rest, body.rows >= 12);
	ret->columns = rect_cut_top(&rest, body.rows >= 8);
	ret->list = rest;
}

void layout_ranges(struct rect body, int wanted, struct layout_ranges *ret)
{
	struct rect rest = body;
	int list = body.rows - FIXED_ROWS;

	if (layout_is_small(body)) {
		small(body, ret);
		return;
	}

	if (list > wanted)
		list = wanted;
	/* The list keeps at least one line; the map gives way. */
	if (list < 1)
		list = 1;
	ret->title = rect_cut_top(&rest, body.rows >= FIXED_ROWS ? 2 : 1);
	ret->columns = rect_cut_top(&rest, 1);
	ret->list = rect_cut_top(&rest, list);
	ret->used = rect_cut_top(&rest, rest.rows > 9 ? 1 : 0);
	ret->map = rect_cut_top(&rest, rest.rows >= 8 ? 3 : 0);
	rect_cut_top(&rest, rest.rows > 5 ? 1 : 0);
	ret->heading = rect_cut_top(&rest, 1);
	ret->field = rect_cut_top(&rest, 1);
	ret->totals = rect_cut_top(&rest, 1);
	ret->error = rect_cut_top(&rest, 1);
	ret->grammar = rect_cut_top(&rest, 1);
}
