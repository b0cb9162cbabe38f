/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How screen 4 looks. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/glyphs.h"
#include "ui/run/latency.h"
#include "ui/run/screen.h"
#include "ui/run/model.h"

#define CPU_LINES_MAX 48
#define HEAD_ROWS     6

/* ---- throughput ---- */

#define SCALE_COLS 5  /* "1200 " */
#define TIME_COLS  16 /* from one time on the axis to the next */

/* One half of it, its top or its bottom at the axis. */
static void draw_half(const struct run_view *view, struct rect area, const struct run_graph *graph,
		      int side, float max)
{
	enum role role = side ? ROLE_WRITE : ROLE_READ;
	int far = side ? area.rows - 1 : 0, middle = (area.rows - side) / 2;
	char top[UNITS_TEXT_MAX];

	if (rect_empty(area))
		return;
	run_text_scale((double)max, top, sizeof(top));
	draw_cell_right(view->draw, area, far, 0, SCALE_COLS - 1, ROLE_DIM, top);
	if (middle != far)
		draw_cell_right(view->draw, area, middle, 0, SCALE_COLS - 1, role,
				side ? _("wr") : _("rd"));
	rect_cut_left(&area, SCALE_COLS);
	draw_graph(view->draw, area, role, graph->samples[side], graph->count, max, side);
}

static void draw_times(const struct run_view *view, struct rect axis, unsigned seconds_per_cell)
{
	const char *now = _("now");
	int end = axis.cols - text_width(now);
	char ago[UNITS_TEXT_MAX];

	draw_cell_right(view->draw, axis, 0, 0, SCALE_COLS - 1, ROLE_DIM, "0");
	draw_stroke(view->draw, axis, 0, SCALE_COLS, axis.cols - SCALE_COLS);
	draw_text(view->draw, axis, 0, end, ROLE_DIM, now);
	for (int col = end - TIME_COLS; col >= SCALE_COLS; col -= TIME_COLS)
		draw_text(view->draw, axis, 0, col, ROLE_DIM,
			  run_text_ago((uint64_t)(axis.cols - col) * seconds_per_cell, ago,
				       sizeof(ago)));
}

/* What is read goes up from the axis, what is written down. */
static void draw_mirrored(const struct run_view *view, struct rect inside, bool write,
			  const struct run_graph *graph, unsigned per_cell)
{
	float max = (float)glyphs_scale((double)fmaxf(graph->most[0], graph->most[1]));
	struct rect low = inside, high, axis;

	high = rect_cut_top(&low, write ? inside.rows / 2 : inside.rows - 1);
	axis = rect_cut_top(&low, 1);
	draw_half(view, high, graph, 0, max);
	draw_times(view, axis, graph->step * per_cell);
	if (write)
		draw_half(view, low, graph, 1, max);
}

static void draw_throughput(const struct run_view *view, struct rect box)
{
	static const char *const spans[] = { N_("MB/s"), N_("MB/s, 10 min"),
					     N_("MB/s since the start") };
	struct rect inside = layout_is_small(view->body) ? box : rect_inside(box);
	unsigned per_cell = (unsigned)glyphs_per_cell(app_term(view->app)->glyphs);
	bool proving = view->job->pass == PASS_VERIFY || view->job->pass == PASS_COMPARE;
	struct run_graph graph;
	struct line title;

	if (rect_empty(inside) || inside.cols < 2 * SCALE_COLS)
		return;
	run_graph_make(&view->screen->rates, view->screen->span,
		       (inside.cols - SCALE_COLS) * (int)per_cell, &graph);
	line_start(&title, box.cols - 5);
	line_add(&title, "%s", _(spans[view->screen->span]));
	run_text_graph(&graph, !proving, &title);
	if (!layout_is_small(view->body))
		draw_box(view->draw, box, title.text);
	else
		draw_text(view->draw, rect_cut_top(&inside, 1), 0, 1, ROLE_STRONG, title.text);
	if (app_term(view->app)->slow)
		draw_text(view->draw, inside, 0, 1, ROLE_DIM, _("no graph on a line this slow"));
	else
		draw_mirrored(view, inside, !proving, &graph, per_cell);
}

/* ---- CPU and queues ---- */

#define CPU_LABEL_COLS 8
#define CPU_BAR_NARROW 8
#define CPU_TEXT_COLS  20 /* of the figures, without the longer words */
#define CPU_BAR_WIDE   32

static void draw_parts(const struct run_view *view, struct rect area, int row, int col, int cols,
		       const double *parts)
{
	static const enum role roles[] = { ROLE_USER, ROLE_SYSTEM, ROLE_WAIT };
	char cells[CPU_BAR_WIDE + 1], one[2] = "";

	glyphs_parts_bar(parts, "usi", 3, cols, cells);
	draw_text(view->draw, area, row, col, ROLE_BOX, "[");
	for (int i = 0; i < cols; i++) {
		const char *part = strchr("usi", cells[i]);

		one[0] = cells[i];
		draw_text(view->draw, area, row, col + 1 + i, part ? roles[part - "usi"] : ROLE_DIM,
			  one);
	}
	draw_text(view->draw, area, row, col + 1 + cols, ROLE_BOX, "]");
}

static void draw_cpu(const struct run_view *view, struct rect box)
{
	struct run_cpu lines[CPU_LINES_MAX];
	struct rect inside = rect_inside(box);
	int bar = inside.cols - CPU_LABEL_COLS - CPU_TEXT_COLS - 4;
	int count;

	if (rect_empty(inside))
		return;
	if (bar < CPU_BAR_NARROW)
		bar = CPU_BAR_NARROW;
	if (bar > CPU_BAR_WIDE)
		bar = CPU_BAR_WIDE;
	draw_box(view->draw, box, _("CPU: user, sys, iowait (Tab: rescue)"));
	count = run_cpu_lines(view->job, view->screen->cores, bar == CPU_BAR_WIDE,
			      inside.rows < CPU_LINES_MAX ? inside.rows : CPU_LINES_MAX, lines);
	for (int i = 0; i < count; i++) {
		const double none[3] = { 0 };

		draw_cell(view->draw, inside, i, 1, CPU_LABEL_COLS - 1, ROLE_NORMAL,
			  lines[i].label);
		draw_parts(view, inside, i, CPU_LABEL_COLS + 1, bar,
			   lines[i].bar ? lines[i].parts : none);
		draw_text(view->draw, inside, i, CPU_LABEL_COLS + bar + 4, ROLE_NORMAL,
			  lines[i].text);
	}
}

#define NAME_COLS    9
#define IN_QUEUE     9
#define DEGREES_COLS 6

/* "sda   ████░░  4 of 8   38 C ▂▃▃▄ <55": the graph goes from 20 degrees to the disk's own limit.
 */
static void draw_disk(const struct run_view *view, struct rect row, const struct endpoint *end,
		      const struct job_end *at, enum role role)
{
	struct rect trend = row;
	float samples[JOB_TEMPERATURES];
	int queue = row.cols < 34 ? 4 : 8, col = NAME_COLS + queue + IN_QUEUE;
	int hot = at->hot ? at->hot : 60;
	char text[64];

	draw_cell(view->draw, row, 0, 1, NAME_COLS - 1, role, text_base_name(end->node));
	draw_bar(view->draw, row, 0, NAME_COLS, queue, BAR_THICK, role,
		 at->depth ? (double)at->in_flight / at->depth : 0);
	snprintf(text, sizeof(text), _("%u of %u"), at->in_flight, at->depth);
	draw_cell_right(view->draw, row, 0, NAME_COLS + queue, IN_QUEUE - 1, ROLE_NORMAL, text);
	run_text_temperature(at, text, sizeof(text));
	draw_cell_right(view->draw, row, 0, col, DEGREES_COLS - 1,
			at->hot && at->temperature_known && at->temperature >= at->hot
				? ROLE_BAD
				: ROLE_NORMAL,
			text);
	rect_cut_left(&trend, col + DEGREES_COLS);
	if (at->hot && trend.cols > 5) {
		snprintf(text, sizeof(text), "<%d", at->hot);
		draw_cell_right(view->draw, rect_cut_right(&trend, 5), 0, 0, 4, ROLE_DIM, text);
	}
	for (unsigned i = 0; i < at->temperature_count; i++)
		samples[i] = fmaxf((float)at->temperatures[i] - 20, 1);
	draw_graph(view->draw, trend, role, samples, (int)at->temperature_count, (float)hot - 20,
		   false);
}

static void draw_queues(const struct run_view *view, struct rect box)
{
	struct rect inside = rect_inside(box), rest = inside;
	struct line line;

	if (rect_empty(inside))
		return;
	draw_box(view->draw, box, _("Disks: queue, temperature"));
	draw_disk(view, rect_cut_top(&rest, 1), &view->plan->source, &view->job->source, ROLE_READ);
	draw_disk(view, rect_cut_top(&rest, 1), &view->plan->destinations[0],
		  &view->job->destination, ROLE_WRITE);
	for (int i = 2; i < inside.rows; i++) {
		line_start(&line, inside.cols);
		if (!run_text_queue(view->job, view->facts.now, inside.rows, i, &line))
			break;
		draw_text(view->draw, inside, i, 0, ROLE_NORMAL, line.text);
	}
}

static void draw_rescue(const struct run_view *view, struct rect box)
{
	struct rect inside = rect_inside(box);
	struct line line;
	char title[128];

	if (rect_empty(inside))
		return;
	rescue_title(view->job, title, sizeof(title));
	draw_box(view->draw, box, title);
	for (int i = 0; i < inside.rows; i++) {
		line_start(&line, inside.cols);
		if (!rescue_text(view->job, i, &line))
			break;
		draw_text(view->draw, inside, i, 0, ROLE_NORMAL, line.text);
	}
}

/* The CPU and the queues, or how the rescue stands: where it fits into the place of the CPU the
 * queues stay. */
static void draw_middle(const struct run_view *view, struct rect cpu, struct rect queues)
{
	if (!view->screen->rescue) {
		draw_cpu(view, cpu);
		draw_queues(view, queues);
	} else if (cpu.cols - 2 >= RESCUE_COLS) {
		draw_rescue(view, cpu);
		draw_queues(view, queues);
	} else {
		cpu.cols += queues.cols;
		draw_rescue(view, cpu);
	}
}

/* ---- events ---- */

static void draw_events(const struct run_view *view, struct rect area)
{
	const struct run_screen *screen = view->screen;
	size_t rows = rect_empty(area) ? 0 : (size_t)area.rows, count = screen->event_count;
	size_t first = count > rows ? count - rows : 0;
	struct line line;

	for (size_t i = first; i < count; i++) {
		line_start(&line, area.cols);
		run_text_event(&screen->events[i], &line);
		draw_text(view->draw, area, (int)(i - first), 0, run_event_role(&screen->events[i]),
			  line.text);
	}
}

static void draw_alarm(const struct run_view *view, struct rect area)
{
	enum role role;
	struct line line;

	if (rect_empty(area))
		return;
	line_start(&line, area.cols);
	run_text_alarm(&view->facts, &line, &role);
	draw_text(view->draw, area, 0, 0, role, line.text);
}

static void draw_head(const struct run_view *view, struct rect area)
{
	if (layout_is_small(view->body))
		run_head_draw_small(view, area);
	else
		run_head_draw(view, area);
}

static void draw_upper(const struct run_view *view, struct rect graph, struct rect right)
{
	draw_throughput(view, graph);
	if (view->screen->where)
		run_where_draw(view->job, view->plan->sector_size, view->draw, right);
	else
		run_latency_draw(view->job, view->draw, right);
}

static void draw_panes(const struct run_view *view)
{
	struct layout_run layout;

	layout_run(view->body, &layout);
	draw_head(view, layout.head);
	draw_alarm(view, layout.alarm);
	view->screen->one_pair = rect_empty(layout.cpu) && !rect_empty(layout.latency);
	if (view->screen->one_pair && view->screen->middle) {
		draw_middle(view, layout.graph, layout.latency);
	} else {
		draw_upper(view, layout.graph, layout.latency);
		if (!rect_empty(layout.cpu))
			draw_middle(view, layout.cpu, layout.queues);
		run_stages_draw(view, layout.stages);
	}
	map_pane_draw_whole(view->app, view->draw, layout.map, view->plan, &view->screen->rates);
	draw_events(view, layout.events);
}

void run_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body)
{
	struct run_view view = {
		.screen = state,
		.app = app,
		.draw = draw,
		.job = app_job(app),
		.plan = session_choice(app_session(app)).plan,
		.body = body,
	};

	if (!view.job || !view.plan) {
		draw_text(draw, body, 1, 1, ROLE_NORMAL,
			  _("No copy runs. It is started on 3 Plan."));
		return;
	}
	view.facts = (struct run_facts){ view.plan, view.job, app_units(app), (int64_t)time(NULL),
					 view.screen->paused_since };
	if (view.screen->map.open) {
		struct map_scene scene = run_screen_scene(app);
		struct rect rest = body;

		draw_head(&view, rect_cut_top(&rest, layout_is_small(body) ? 2 : HEAD_ROWS));
		map_pane_draw(&view.screen->map, app, draw, rest, &scene);
	} else if (app_simple(app)) {
		run_spoken_draw(&view.screen->spoken, view.plan, draw, body);
	} else {
		draw_panes(&view);
	}
}

/* ---- layout ---- */

/* On a small screen, all of run_text_small(); and from how many rows on there is a graph. */
#define SMALL_HEAD_ROWS  5
#define SMALL_GRAPH_ROWS 4
/* The boxes with their frames, and the map with its heading, in 21 rows … */
#define TOP_ROWS 8
#define MAP_ROWS 7
/* … and what comes in 37, where the upper boxes have five more. */
#define LARGE_BODY 36
#define MID_ROWS   7
#define MORE_ROWS  5
/* … of so many columns there is a table of the stages between the middle boxes, which all get some
 * rows more where they can. */
#define STAGES_SCREEN 198
#define STAGES_COLS   66
#define STAGES_ROWS   2

static void boxes(struct rect *rest, int rows, struct rect *left, struct rect *right)
{
	struct rect both = rect_cut_top(rest, rows);
	int right_cols = both.cols >= LAYOUT_WIDE_COLS ? 40 : 30;

	/* On very wide screens the right boxes get some columns more, the graph the rest. */
	if (both.cols > 160)
		right_cols = 56;
	*right = rect_cut_right(&both, right_cols);
	*left = both;
}

/* The head, then the map, then the graph, then what happened. */
static void small(struct rect body, struct layout_run *ret)
{
	struct rect rest = body;

	*ret = (struct layout_run){ .head = rect_cut_top(&rest, SMALL_HEAD_ROWS) };
	if (rest.rows >= SMALL_GRAPH_ROWS + MAP_ROWS + 4)
		ret->events = rect_cut_bottom(&rest, 4);
	ret->map = rect_cut_bottom(&rest, rest.rows > SMALL_GRAPH_ROWS + 3 ? 3 : 2);
	if (rest.rows >= SMALL_GRAPH_ROWS)
		ret->graph = rest;
	else
		ret->map =
			(struct rect){ rest.row, rest.col, rest.rows + ret->map.rows, rest.cols };
}

/* Where there are rows left: first the upper boxes, then of four two go to these, one to the map,
 * one to the events, in this order: so no pane gets smaller on a taller screen. */
void layout_run(struct rect body, struct layout_run *ret)
{
	bool large = body.rows >= LARGE_BODY;
	int head = large && body.cols >= LAYOUT_WIDE_COLS ? RUN_LARGE_ROWS + 1 : HEAD_ROWS;
	int more = body.rows - head - TOP_ROWS - MAP_ROWS - (large ? MID_ROWS : 0);
	int top = more < 0 ? 0 : more < MORE_ROWS ? more : MORE_ROWS;
	bool stages = large && body.cols >= STAGES_SCREEN;
	int middle = !stages || more < MORE_ROWS ? 0 : more - MORE_ROWS;
	int four, left;
	struct rect rest = body;

	middle = middle < STAGES_ROWS ? middle : STAGES_ROWS;
	more -= middle;
	four = more > MORE_ROWS ? (more - MORE_ROWS) / 4 : 0;
	left = more > MORE_ROWS ? (more - MORE_ROWS) % 4 : 0;
	if (layout_is_small(body)) {
		small(body, ret);
		return;
	}
	*ret = (struct layout_run){ .head = rect_cut_top(&rest, head) };
	if (head > RUN_LARGE_ROWS)
		ret->alarm = rect_cut_bottom(&ret->head, 1);
	boxes(&rest, TOP_ROWS + top + 2 * four + (left < 2 ? left : 2), &ret->graph, &ret->latency);
	if (large)
		boxes(&rest, MID_ROWS + middle, &ret->cpu, &ret->queues);
	if (stages)
		ret->stages = rect_cut_right(&ret->cpu, STAGES_COLS);
	ret->events = rect_cut_bottom(&rest, four);
	ret->map = rest;
}
