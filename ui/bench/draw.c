/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How screen 6 looks. */
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/bench/model.h"
#include "ui/bench/screen.h"
#include "ui/core/glyphs.h"

#define CHART_MAX  1024
#define AXIS_LABEL 31

/* Why it failed takes as many rows as it needs and as there are. Returns their number. */
static int draw_state(const struct bench_screen *screen, struct draw *draw, struct rect area)
{
	bool failed = screen->result.end == BENCH_FAILED;
	struct line line;

	if (!screen->has_result)
		return 1;
	rect_cut_right(&area, 1);
	line_start(&line, failed ? LINE_COLUMNS_MAX : area.cols);
	bench_text_state(&screen->result, &screen->progress, &line);
	return draw_wrapped(draw, area, 1, 1, area.rows - 1, failed ? ROLE_BAD : ROLE_NORMAL,
			    line.text);
}

/* Returns the number of rows. */
static int draw_head(struct bench_screen *screen, struct app *app, struct draw *draw,
		     struct rect area)
{
	const struct endpoint *disk = screen->bench ? &screen->measured : app_bench_disk(app);
	struct line line;

	if (screen->pair.session) {
		draw_printf(draw, area, 0, 1, ROLE_STRONG,
			    _("%s to %s, whose start is overwritten"), screen->pair.source.node,
			    screen->pair.destination.node);
		return 1 + draw_state(screen, draw, area);
	}
	if (screen->bench && disk->kind == ENDPOINT_NONE) {
		draw_text(draw, area, 0, 1, ROLE_STRONG,
			  _("two practice disks, which are made for it"));
		return 1 + draw_state(screen, draw, area);
	}
	line_start(&line, area.cols - 1);
	line_fit(&line, disk->kind == ENDPOINT_NONE ? _("no disk: b on 1 Disks") : disk->node);
	if (disk->identity.model[0])
		line_piece(&line, "%s", disk->identity.model);
	if (disk->identity.serial[0])
		line_piece(&line, "%s %s", _("S/N"), disk->identity.serial);
	line_piece(&line, "%s", _("nothing is written to it"));
	draw_text(draw, area, 0, 1, ROLE_STRONG, line.text);
	return 1 + draw_state(screen, draw, area);
}

/* The kinds of measurement. */
static void draw_kinds(struct draw *draw, struct rect area)
{
	int row = 1;

	draw_text(draw, area, row++, 1, ROLE_NORMAL, _("Enter asks which of these to measure:"));
	for (size_t i = 0; bench_kinds[i]; i++)
		row += draw_printf(draw, area, row + 1, 3, ROLE_STRONG, "%s",
				   bench_kinds[i]->name) > 0
			       ? draw_wrapped(draw, area, row + 1, 13, 2, ROLE_NORMAL,
					      _(bench_kinds[i]->summary))
			       : 0;
}

/* Of the figures that have the unit of the one under the cursor. */
static float make_chart(const struct bench_screen *screen, float *samples, int count)
{
	enum bench_unit unit =
		bench_unit_at(&screen->result, screen->table, screen->column, screen->rows.at);

	return bench_chart(&screen->result, screen->table, screen->column, unit, samples, count);
}

static void draw_bars(const struct bench_screen *screen, struct draw *draw, struct rect area)
{
	const struct bench_result *result = &screen->result;
	float samples[CHART_MAX];
	int count = (int)result->tables[screen->table].row_count;
	float largest;
	struct bench_fit fit;

	if (count > CHART_MAX)
		count = CHART_MAX;
	bench_fit(result, screen->table, screen->column, area.cols, &fit);
	largest = make_chart(screen, samples, count);
	for (int i = 0; i < area.rows && screen->rows.top + i < count; i++) {
		int row = bench_row_at(result, screen->table, screen->rows.top + i);
		float value = samples[screen->rows.top + i];

		draw_cell(draw, area, i, 0, fit.label, ROLE_NORMAL, result->rows[row].label);
		if (value >= 0 && largest > 0)
			draw_bar(draw, area, i, fit.label + 1, area.cols - fit.label - 1, BAR_THICK,
				 ROLE_READ, (double)(value / largest));
	}
}

static void draw_curve(const struct bench_screen *screen, struct app *app, struct draw *draw,
		       struct rect area)
{
	const struct bench_result *result = &screen->result;
	struct rect axis = rect_cut_bottom(&area, 1);
	int count = area.cols * glyphs_per_cell(app_term(app)->glyphs);
	int first = bench_row_at(result, screen->table, 0);
	int rows = (int)result->tables[screen->table].row_count;
	float samples[CHART_MAX], largest;

	if (rect_empty(area) || first < 0)
		return;
	if (count > CHART_MAX)
		count = CHART_MAX;
	largest = make_chart(screen, samples, count);
	draw_graph(draw, area, ROLE_READ, samples, count, (float)glyphs_scale((double)largest),
		   false);
	draw_text(draw, axis, 0, 0, ROLE_DIM, result->rows[first].label);
	draw_cell_right(draw, axis, 0, axis.cols - AXIS_LABEL, AXIS_LABEL, ROLE_DIM,
			result->rows[first + rows - 1].label);
}

static void draw_chart(const struct bench_screen *screen, struct app *app, struct draw *draw,
		       struct rect box)
{
	const struct bench_table *table = &screen->result.tables[screen->table];
	enum bench_unit unit =
		bench_unit_at(&screen->result, screen->table, screen->column, screen->rows.at);
	char title[200], top[BENCH_TEXT_MAX] = "-";
	float samples[CHART_MAX];

	if (rect_empty(rect_inside(box)))
		return;
	if (unit != BENCH_UNIT_COUNT)
		bench_print(unit, (double)make_chart(screen, samples, CHART_MAX), top);
	/* The title of the table comes last: it may be cut, a number must not be. */
	snprintf(title, sizeof(title), _("%s, highest %s: %s"),
		 table->columns[screen->column].heading, top, table->title);
	draw_box(draw, box, title);
	if (table->chart)
		draw_curve(screen, app, draw, rect_inside(box));
	else
		draw_bars(screen, draw, rect_inside(box));
}

static void draw_table(struct bench_screen *screen, struct draw *draw, struct rect heading,
		       struct rect area)
{
	const struct bench_result *result = &screen->result;
	struct bench_fit fit;
	struct line line;

	bench_fit(result, screen->table, screen->column, area.cols - 1, &fit);
	line_start(&line, area.cols - 1);
	bench_text_row(result, &fit, -1, &line);
	draw_text(draw, heading, 0, 1, ROLE_DIM, line.text);
	for (int i = 0; i < area.rows; i++) {
		int row = bench_row_at(result, screen->table, screen->rows.top + i);

		if (row < 0)
			return;
		line_start(&line, area.cols - 1);
		bench_text_row(result, &fit, row, &line);
		draw_text(draw, area, i, 1, ROLE_NORMAL, line.text);
		if (screen->rows.top + i == screen->rows.at) {
			draw_highlight(draw, area, i, ROLE_CURSOR);
			draw_cursor(draw, area, i, 1);
		}
	}
}

/* What it was before, how it was taken, and how it scattered. Returns the rows. */
static int draw_figure(struct draw *draw, struct rect area, const struct bench_figure *figure)
{
	char how[160], text[400], smallest[BENCH_TEXT_MAX], largest[BENCH_TEXT_MAX];
	struct line line;

	line_start(&line, LINE_COLUMNS_MAX);
	if (figure->before >= 0) {
		line_add(&line, _("before: %s"),
			 bench_print(figure->unit, figure->before, smallest));
		line_add(&line, "  ");
	}
	bench_print_how(&figure->how, how, sizeof(how));
	if (figure->rounds > 1)
		snprintf(
			text, sizeof(text),
			P_("%s; %s to %s in %u round", "%s; %s to %s in %u rounds", figure->rounds),
			how, bench_print(figure->unit, figure->smallest, smallest),
			bench_print(figure->unit, figure->largest, largest), figure->rounds);
	else
		text_copy(text, sizeof(text), how);
	/* Without an engine, the text begins with its semicolon. */
	line_add(&line, "%s", text + (how[0] ? 0 : strspn(text, "; ")));
	return draw_wrapped(draw, area, 0, 1, area.rows, ROLE_DIM, line.text);
}

/* The figure under the cursor, and what all of it means. */
static void draw_foot(const struct bench_screen *screen, struct draw *draw, struct rect area)
{
	const struct bench_result *result = &screen->result;
	int row = bench_row_at(result, screen->table, screen->rows.at);
	const struct bench_figure *figure =
		row < 0 ? NULL : bench_result_find(result, (unsigned)row, screen->column);
	int used = figure ? draw_figure(draw, area, figure) : 1;

	/* As much as there is room for: what it means, the newest notes, the machine. */
	if (result->conclusion[0])
		used += draw_wrapped(draw, area, used, 1, area.rows - used, ROLE_NORMAL,
				     result->conclusion);
	for (unsigned i = result->note_count; i-- > 0 && used < area.rows;)
		used += draw_wrapped(draw, area, used, 1, area.rows - used, ROLE_NORMAL,
				     result->notes[i]);
	if (used < area.rows)
		draw_wrapped(draw, area, used, 1, area.rows - used, ROLE_DIM, result->machine);
}

void bench_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body)
{
	struct bench_screen *screen = state;
	struct layout_bench layout;

	layout_bench(body, !app_simple(app), &layout);
	if (screen->has_result && screen->result.table_count) {
		draw_head(screen, app, draw, layout.head);
	} else {
		rect_cut_top(&body, draw_head(screen, app, draw, body));
		draw_kinds(draw, body);
		return;
	}
	list_fit(&screen->rows, (int)screen->result.tables[screen->table].row_count,
		 layout.table.rows);
	draw_chart(screen, app, draw, layout.chart);
	draw_table(screen, draw, layout.heading, layout.table);
	draw_foot(screen, draw, layout.foot);
}
