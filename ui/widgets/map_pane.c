/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/widgets/map_pane.h"

#include <errno.h>
#include <stdio.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/glyphs.h"
#include "ui/report/model.h"
#include "ui/run/latency.h"
#include "ui/run/model.h"

#define MAP_CELLS_MAX (511 * 250)
/* Enter on a bad area brings it this close: a window of so many times its size. */
#define CLOSE_UP 16

_Static_assert(JOB_BAD_SHOWN <= 64, "a bit for each of them");

int map_pane_ticked(const struct map_pane *pane, const struct map_scene *scene,
		    struct range_list *ret)
{
	for (size_t i = 0; i < scene->snapshot->bad_shown && i < JOB_BAD_SHOWN; i++) {
		const struct job_bad_area *area = &scene->snapshot->bad[i];

		if (pane->ticked >> i & 1 &&
		    range_list_add(ret, (struct range){ area->lba, area->sectors }) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- drawing ---- */

/* The cells of a window, from the job as it is now. What was read back is V there. */
static void read_cells(const struct map_window *window, struct job *job,
		       const struct job_snapshot *snapshot, char map[static MAP_CELLS_MAX + 1])
{
	job_map_cells(job, window->start, window->size, window->cells, map);
	if (!snapshot || !run_all_verified(snapshot))
		return;
	for (int i = 0; i < window->cells; i++)
		if (map[i] == '+')
			map[i] = 'V';
}

/* So many rows of cells of a window. Returns the letter under its cursor. */
static char draw_window(struct draw *draw, struct rect area, const struct map_window *window,
			struct job *job, const struct job_snapshot *snapshot)
{
	char map[MAP_CELLS_MAX + 1], row_cells[512];

	if (!job || window->cells <= 0 || window->cells > MAP_CELLS_MAX ||
	    window->cols >= (int)sizeof(row_cells))
		return ' ';
	read_cells(window, job, snapshot, map);
	for (int row = 0; row < window->cells / window->cols; row++) {
		snprintf(row_cells, sizeof(row_cells), "%.*s", window->cols,
			 map + (size_t)row * (size_t)window->cols);
		draw_map_cells(draw, area, row, 0, row_cells);
	}
	return map[window->cursor];
}

/* Columns of the place of an LBA of the source. */
static int place_of(const struct plan *plan, const struct disk *disk, uint64_t lba, int cols)
{
	double part = (double)lba * disk->identity.logical_sector_size / (double)plan->source.size;

	return part >= 1 ? cols : (int)(part * cols);
}

/* "|1 ESP|2 boot   |3 vg0": each begins where its partition does. */
static void draw_ruler(struct draw *draw, struct rect row, const struct plan *plan,
		       const struct disk *disk)
{
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *partition = &disk->partitions[i];
		int from = place_of(plan, disk, partition->start, row.cols);
		int to = place_of(plan, disk, partition->start + partition->sectors, row.cols);
		char text[192];

		if (partition->extended)
			continue;
		snprintf(text, sizeof(text), "|%u %s", partition->number,
			 partition->label[0] ? partition->label : partition->fs);
		draw_cell(draw, row, 0, from, to > from ? to - from : 1, ROLE_DIM, text);
	}
}

static void draw_speed(struct app *app, struct draw *draw, struct rect area,
		       const struct rates *rates)
{
	float samples[2 * RATES_PROFILE + 1024], max;
	int count = area.cols * glyphs_per_cell(app_term(app)->glyphs);
	char top[UNITS_TEXT_MAX];

	if (rect_empty(area) || count > (int)ARRAY_SIZE(samples))
		return;
	max = (float)glyphs_scale((double)report_profile(rates, samples, count));
	draw_graph(draw, area, ROLE_READ, samples, count, max, false);
	run_text_scale((double)max, top, sizeof(top));
	draw_printf(draw, area, 0, area.cols - text_width(top) - 5, ROLE_DIM, "%s MB/s", top);
}

/* Below the speed, how long a read took at the same place: slower, longer. */
static void draw_waits(struct draw *draw, struct rect area, const struct job_snapshot *job)
{
	float samples[2 * RATES_PROFILE + 1024];
	int count = area.cols * glyphs_per_cell(draw->term->glyphs);

	if (!rect_empty(area) && job && count <= (int)ARRAY_SIZE(samples))
		draw_graph(draw, area, ROLE_WAIT, samples,
			   run_places(&job->zones, false, count, samples), 1, true);
}

/* A speed is kept by how much was copied: that is a place only where all is copied in order. */
static bool has_places(const struct plan *plan, const struct rates *rates)
{
	float one;

	return rates && plan->whole && !plan_later(plan) && !plan_left_out(plan) &&
	       report_profile(rates, &one, 1) > 0;
}

void map_pane_draw_whole(struct app *app, struct draw *draw, struct rect area,
			 const struct plan *plan, const struct rates *rates)
{
	const struct disk *disk = session_choice(app_session(app)).source;
	struct job *job = session_copy(app_session(app)).job;
	struct rect rest = area, heading, ruler, speed = { 0 }, waits;
	bool ruled = plan->source.kind == ENDPOINT_DISK && disk && disk->partition_count;
	struct map_view all = { 0 };
	struct map_window window;
	struct line line;

	/* In one row the heading gives way. */
	heading = rect_cut_top(&rest, area.rows > 1);
	rect_cut_left(&rest, 1);
	rect_cut_right(&rest, 1);
	if (rect_empty(rest))
		return;
	ruler = rect_cut_bottom(&rest, ruled && rest.rows > 1);
	if (rest.rows > 1 && has_places(plan, rates))
		speed = rect_cut_top(&rest, rest.rows - 1);
	/* With a speed above or partitions below, it is one row: each column is one place in all.
	 */
	map_view_window(&all, plan, 0, rect_empty(ruler) && rect_empty(speed) ? rest.rows : 1,
			rest.cols, &window);
	line_start(&line, area.cols);
	run_text_map(plan, window.start, window.size, window.cells, false, app_units(app),
		     run_map_legend(app_job(app), !draw_has_shades(draw)), &line);
	draw_text(draw, heading, 0, 0, ROLE_DIM, line.text);
	draw->map = rest;
	draw->map_cell = -1;
	waits = rect_cut_bottom(&speed, speed.rows >= 3);
	draw_speed(app, draw, speed, rates);
	draw_waits(draw, waits, app_job(app));
	while (!rect_empty(rest)) {
		struct rect cells = rect_cut_top(&rest, window.cells / window.cols);

		if (rect_empty(cells))
			break;
		draw_window(draw, cells, &window, job, app_job(app));
	}
	if (!rect_empty(ruler))
		draw_ruler(draw, ruler, plan, disk);
}

static void draw_map(struct map_pane *pane, struct app *app, struct draw *draw,
		     const struct layout_map *layout, const struct map_scene *scene)
{
	struct map_window *window = &pane->window;
	struct line line;
	char letter;

	map_view_window(&pane->view, scene->plan, scene->snapshot->position, layout->cells.rows,
			layout->cells.cols, window);
	line_start(&line, layout->heading.cols);
	run_text_map(scene->plan, window->start, window->size, window->cells, pane->view.zoom > 0,
		     app_units(app), NULL, &line);
	draw_text(draw, layout->heading, 0, 0, ROLE_STRONG, line.text);
	letter = draw_window(draw, layout->cells, window, scene->job, scene->snapshot);
	if (window->cells <= 0)
		return;
	draw_highlight(draw,
		       (struct rect){ layout->cells.row + window->cursor / window->cols,
				      layout->cells.col + window->cursor % window->cols, 1, 1 },
		       0, ROLE_CURSOR);
	line_start(&line, layout->cell.cols);
	map_text_cell(scene->plan, scene->disk, window, letter, &line);
	draw_text(draw, layout->cell, 0, 0, ROLE_STRONG, line.text);
	if (pane->list)
		return;
	draw->map = layout->cells;
	draw->map_cell = window->cursor;
	draw_cursor(draw, layout->cells, window->cursor / window->cols,
		    window->cursor % window->cols);
}

static void draw_area(const struct map_pane *pane, struct draw *draw, struct rect rows, int row,
		      const struct map_scene *scene)
{
	int index = pane->areas.top + row;
	bool here = index == pane->areas.at;
	struct map_area area;
	struct line line;

	map_area_at(scene->snapshot, (size_t)index, &area);
	line_start(&line, rows.cols);
	line_add(&line, here ? ">" : " ");
	if (scene->ticks)
		line_add(&line, !area.bad                         ? "   "
				: pane->ticked >> area.number & 1 ? "[x]"
								  : "[ ]");
	map_text_area(&area, &line);
	draw_cell(draw, rows, row, 0, rows.cols, ROLE_BAD, line.text);
	if (here && pane->list) {
		draw_highlight(draw, rows, row, ROLE_CURSOR);
		draw_cursor(draw, rows, row, 0);
	}
}

/* Says which areas are listed, where they are not all. */
static void draw_place(const struct map_pane *pane, struct draw *draw, struct rect heading,
		       const struct job_snapshot *job, int count)
{
	uint64_t all = job->bad_areas + job->proof.areas + job->proof.unknown_areas;
	char place[96] = "";
	int used;

	if (all > (uint64_t)count)
		snprintf(place, sizeof(place), _("the first %d of %llu, the map file has all"),
			 count, (unsigned long long)all);
	else if (count > pane->areas.rows)
		snprintf(place, sizeof(place), _("%d-%d of %d"), pane->areas.top + 1,
			 pane->areas.top + pane->areas.rows, count);
	used = text_width(place);
	draw_cell_right(draw, heading, 0, heading.cols - used, used, ROLE_DIM, place);
}

static void draw_areas(struct map_pane *pane, struct draw *draw, const struct layout_map *layout,
		       const struct map_scene *scene)
{
	int count = (int)map_area_count(scene->snapshot);
	struct map_area area;
	char why[512];

	if (!count)
		return;
	list_fit(&pane->areas, count, layout->areas.rows);
	draw->field = pane->list ? layout->cells : layout->areas;
	if (pane->list)
		draw->list = layout->areas;
	draw_text(draw, layout->columns, 0, scene->ticks ? 3 : 0, ROLE_DIM,
		  _("          AREA SECTORS   PART  WHAT IS WRONG"));
	draw_place(pane, draw, layout->columns, scene->snapshot, count);
	for (int row = 0; row < pane->areas.rows && pane->areas.top + row < count; row++)
		draw_area(pane, draw, layout->areas, row, scene);
	map_area_at(scene->snapshot, (size_t)pane->areas.at, &area);
	draw_wrapped(draw, layout->why, 0, 1, layout->why.rows, ROLE_NORMAL,
		     map_text_why(&area, why, sizeof(why)));
}

static const char *keys_text(const struct map_pane *pane, const struct map_scene *scene)
{
	if (!map_area_count(scene->snapshot))
		return _("Arrows=move  + - zoom  m Esc=close");
	if (!pane->list)
		return _("Tab=bad areas  m Esc=close  Arrows=move  + - zoom");
	if (scene->ticks)
		return _("Space=tick  r=read ticked again  Esc=close  Enter=zoom  Tab=map  "
			 "Up Down=area");
	return _("Enter=zoom there  Tab=map  m Esc=close  Up Down=area");
}

void map_pane_draw(struct map_pane *pane, struct app *app, struct draw *draw, struct rect area,
		   const struct map_scene *scene)
{
	int count = (int)map_area_count(scene->snapshot);
	struct layout_map layout;

	if (!count)
		pane->list = false;
	layout_map(area, count, &layout);
	draw_map(pane, app, draw, &layout, scene);
	draw_areas(pane, draw, &layout, scene);
	/* Their area begins one column further right than that of a message. */
	layout.legend.col--;
	layout.keys.col--;
	draw_words(draw, layout.legend, ROLE_DIM,
		   draw_has_shades(draw)
			   ? _("█ verified  ▓ copied  ▒ to try  ░ to do  X bad  ► now  M letters")
			   : _("V verified  + copied  * / to try  ? to do  - bad  > now"));
	draw_keys(draw, layout.keys, ROLE_KEY, keys_text(pane, scene));
}

/* ---- keys ---- */

static void go_to_area(struct map_pane *pane, const struct map_scene *scene, bool close_up)
{
	uint32_t unit = scene->plan->sector_size;
	struct map_area area;

	map_area_at(scene->snapshot, (size_t)pane->areas.at, &area);

	if (close_up) {
		pane->view.zoom = 0;
		while (pane->view.zoom < MAP_ZOOM_MAX &&
		       scene->plan->source.size >> pane->view.zoom > area.sectors * unit * CLOSE_UP)
			pane->view.zoom++;
		pane->view.start = UINT64_MAX;
	}
	map_view_go(&pane->view, &pane->window, area.lba * unit);
}

/* And on to the next one. */
static void tick(struct map_pane *pane, const struct map_scene *scene)
{
	struct map_area area;

	map_area_at(scene->snapshot, (size_t)pane->areas.at, &area);
	if (!scene->ticks || !area.bad)
		return;
	pane->ticked ^= UINT64_C(1) << area.number;
	list_move(&pane->areas, COMMAND_DOWN);
	go_to_area(pane, scene, false);
}

static bool list_command(struct map_pane *pane, const struct map_scene *scene, enum command command)
{
	if (list_move(&pane->areas, command))
		go_to_area(pane, scene, false);
	else if (command == COMMAND_TOGGLE)
		tick(pane, scene);
	else if (command == COMMAND_ACCEPT)
		go_to_area(pane, scene, true);
	else
		return false;
	return true;
}

static bool map_command(struct map_pane *pane, const struct map_scene *scene, enum command command)
{
	int rows = pane->window.cols ? pane->window.cells / pane->window.cols : 1;
	int64_t step;

	switch (command) {
	case COMMAND_LEFT:
	case COMMAND_RIGHT:
		step = 1;
		break;
	case COMMAND_UP:
	case COMMAND_DOWN:
		step = pane->window.cols;
		break;
	case COMMAND_PAGE_UP:
	case COMMAND_PAGE_DOWN:
		step = (int64_t)pane->window.cols * (rows > 1 ? rows - 1 : 1);
		break;
	case COMMAND_FIRST:
	case COMMAND_LAST:
		map_view_go(&pane->view, &pane->window,
			    command == COMMAND_FIRST ? 0 : scene->plan->source.size - 1);
		return true;
	default:
		return false;
	}
	map_view_move(&pane->view, &pane->window, scene->plan,
		      command == COMMAND_LEFT || command == COMMAND_UP || command == COMMAND_PAGE_UP
			      ? -step
			      : step);
	return true;
}

bool map_pane_command(struct map_pane *pane, const struct map_scene *scene, enum command command)
{
	int areas = (int)map_area_count(scene->snapshot);

	if (command == COMMAND_MAP) {
		bool open = !pane->open;

		/* A map that is opened again starts with all of the disk. */
		*pane = (struct map_pane){ .open = open, .ticked = pane->ticked };
		return true;
	}
	if (!pane->open)
		return false;
	/* There may be fewer than in the last frame. */
	list_fit(&pane->areas, areas, pane->areas.rows);
	pane->list = pane->list && areas;
	switch (command) {
	case COMMAND_BACK:
		*pane = (struct map_pane){ .ticked = pane->ticked };
		return true;
	case COMMAND_NEXT_FIELD:
	case COMMAND_PREVIOUS_FIELD:
		pane->list = !pane->list && areas;
		if (pane->list)
			go_to_area(pane, scene, false);
		return true;
	case COMMAND_ZOOM_IN:
	case COMMAND_ZOOM_OUT:
		map_view_zoom(&pane->view, command == COMMAND_ZOOM_IN ? 1 : -1);
		return true;
	default:
		return pane->list ? list_command(pane, scene, command)
				  : map_command(pane, scene, command);
	}
}

/* ---- layout ---- */

#define WHY_ROWS 2

void layout_map(struct rect body, int areas, struct layout_map *ret)
{
	struct rect rest = body;
	/* A third of the pane at most: the map is what was asked for. */
	int rows = body.rows / 3 < areas ? body.rows / 3 : areas;

	/* On a small screen the map, what its cell is and the bad areas come before words. */
	*ret = (struct layout_map){ .heading = rect_cut_top(&rest, body.rows >= 8) };
	rect_cut_left(&rest, 1);
	rect_cut_right(&rest, 1);
	ret->keys = rect_cut_bottom(&rest, body.rows >= 6);
	ret->legend = rect_cut_bottom(&rest, body.rows >= 10);
	if (areas > 0 && body.rows >= 13) {
		ret->why = rect_cut_bottom(&rest, WHY_ROWS + (body.cols < LAYOUT_FULL_COLS));
		ret->areas = rect_cut_bottom(&rest, rows > 0 ? rows : 1);
		ret->columns = rect_cut_bottom(&rest, 1);
	} else if (areas > 0 && rest.rows >= 3) {
		ret->areas = rect_cut_bottom(&rest, 1);
	}
	ret->cell = rect_cut_bottom(&rest, 1);
	ret->cells = rest;
}
