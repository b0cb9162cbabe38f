/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How screen 4 looks. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/i18n.h"

#include "ui/core/glyphs.h"
#include "ui/run/latency.h"
#include "ui/run/screen.h"
#include "ui/run/model.h"

#define CPU_LINES_MAX 48
#define PERCENT_COLS  6
#define BAR_COLS_MIN  12

/* What all panes are drawn from. */
struct view {
	struct run_screen *screen;
	struct app *app;
	struct draw *draw;
	const struct job_snapshot *job;
	const struct plan *plan;
	int64_t now;
};

/* From that column on. */
static void draw_overall(const struct view *view, struct rect area, int col)
{
	char percent[16];

	draw_bar(view->draw, area, 1, col, area.cols - PERCENT_COLS - 2 - col, ROLE_MAP_DONE,
		 view->job->overall);
	passes_overall(view->job, percent, sizeof(percent));
	draw_cell_right(view->draw, area, 1, area.cols - PERCENT_COLS - 1, PERCENT_COLS,
			ROLE_STRONG, percent);
}

static void draw_small_head(const struct view *view, struct rect area)
{
	enum role role;
	struct line line;

	for (int i = 0; i < area.rows; i++) {
		line_start(&line, area.cols);
		if (!run_text_small(view->plan, view->job, app_units(view->app), view->now, i,
				    &line, &role))
			break;
		draw_text(view->draw, area, i, 0, role, line.text);
	}
	draw_overall(view, area, 1);
}

static void draw_head(const struct view *view, struct rect area)
{
	const struct job_snapshot *job = view->job;
	enum role state = run_state_role(job);
	struct line line;
	int bar = 1;

	line_start(&line, area.cols);
	run_text_ends(view->plan, job, &line);
	draw_text(view->draw, area, 0, 0, state == ROLE_OK ? ROLE_STRONG : state, line.text);
	line_start(&line, area.cols - PERCENT_COLS - BAR_COLS_MIN - 3);
	passes_text(job, &view->plan->options, &line);
	draw_text(view->draw, area, 1, 0, ROLE_NORMAL, line.text);
	if (line.columns > 1)
		bar += line.columns;
	draw_overall(view, area, bar);
	line_start(&line, area.cols);
	run_text_figures(job, app_units(view->app), view->plan->sector_size, view->now, &line);
	draw_text(view->draw, area, 2, 0,
		  job->errors || job->rescue.read_errors ? ROLE_BAD : ROLE_NORMAL, line.text);
}

/* ---- throughput ---- */

#define SCALE_COLS 6 /* "1200 r" */

static void draw_curve(const struct view *view, struct rect area, bool write, const char *letter,
		       float max)
{
	float samples[RUN_GRAPH_MAX];
	struct rect graph = area;
	char top[UNITS_TEXT_MAX];
	enum role role = write ? ROLE_WRITE : ROLE_READ;
	int count;

	if (rect_empty(area) || area.cols <= SCALE_COLS + 1)
		return;
	run_text_scale((double)max, top, sizeof(top));
	draw_cell_right(view->draw, area, 0, 0, SCALE_COLS - 2, ROLE_DIM, top);
	draw_cell_right(view->draw, area, area.rows - 1, 0, SCALE_COLS - 2, ROLE_DIM, "0");
	for (int row = 0; row < area.rows; row++)
		draw_text(view->draw, area, row, SCALE_COLS - 1, role, letter);
	rect_cut_left(&graph, SCALE_COLS + 1);
	count = graph.cols * glyphs_per_cell(app_term(view->app)->glyphs);
	count = run_graph_samples(&view->screen->rates, write,
				  run_graph_step(view->screen->graph_zoom),
				  count < RUN_GRAPH_MAX ? count : RUN_GRAPH_MAX, samples);
	draw_graph(view->draw, graph, role, samples, count, max);
}

static void draw_throughput(const struct view *view, struct rect box)
{
	struct rect inside = rect_inside(box), write = inside, read;
	int steps = (inside.cols - SCALE_COLS - 1) * glyphs_per_cell(app_term(view->app)->glyphs);
	unsigned step = run_graph_step(view->screen->graph_zoom);
	bool proving = view->job->pass == PASS_VERIFY || view->job->pass == PASS_COMPARE;
	float max = (float)glyphs_scale((double)run_graph_max(&view->screen->rates));
	char title[128], span[UNITS_TEXT_MAX];

	if (rect_empty(inside))
		return;
	if (steps > (int)(RUN_GRAPH_MAX / step))
		steps = RUN_GRAPH_MAX / (int)step;
	run_text_span(steps > 0 ? (uint64_t)steps * step : 0, span, sizeof(span));
	snprintf(title, sizeof(title),
		 proving ? _("MB/s read back, last %s") : _("MB/s, last %s (r read, w written)"),
		 span);
	draw_box(view->draw, box, title);
	if (app_term(view->app)->slow) {
		draw_text(view->draw, inside, 0, 1, ROLE_DIM, _("no graph on a line this slow"));
		return;
	}
	if (proving) {
		draw_curve(view, inside, false, "r", max);
		return;
	}
	read = rect_cut_top(&write, inside.rows / 2);
	draw_curve(view, read, false, "r", max);
	draw_curve(view, write, true, "w", max);
}

/* ---- CPU and queues ---- */

#define CPU_LABEL_COLS 8
#define CPU_BAR_NARROW 8
#define CPU_TEXT_COLS  20 /* of the figures, without the longer words */
#define CPU_BAR_WIDE   32

static void draw_parts(const struct view *view, struct rect area, int row, int col, int cols,
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

static void draw_cpu(const struct view *view, struct rect box)
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
		draw_text(view->draw, inside, i, CPU_LABEL_COLS + bar + 4, lines[i].role,
			  lines[i].text);
	}
}

static void draw_queues(const struct view *view, struct rect box)
{
	struct rect inside = rect_inside(box);
	struct line line;

	if (rect_empty(inside))
		return;
	draw_box(view->draw, box, _("Queues"));
	for (int i = 0; i < inside.rows; i++) {
		line_start(&line, inside.cols);
		if (!run_text_queue(view->plan, view->job, view->now, inside.rows, i, &line))
			break;
		draw_text(view->draw, inside, i, 0, ROLE_NORMAL, line.text);
	}
}

static void draw_rescue(const struct view *view, struct rect box)
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
static void draw_middle(const struct view *view, struct rect cpu, struct rect queues)
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

static void draw_events(const struct view *view, struct rect area)
{
	const struct run_screen *screen = view->screen;
	int rows = area.rows - 1;
	struct line line;

	if (rect_empty(area))
		return;
	draw_text(view->draw, area, 0, 1, ROLE_STRONG, _("Recent events"));
	for (int i = 0; i < rows && (size_t)i < screen->event_count; i++) {
		size_t shown =
			screen->event_count < (size_t)rows ? screen->event_count : (size_t)rows;
		const struct job_event *event =
			&screen->events[screen->event_count - shown + (size_t)i];

		line_start(&line, area.cols);
		run_text_event(event, &line);
		draw_text(view->draw, area, i + 1, 0, run_event_role(event), line.text);
	}
}

static void draw_status(const struct view *view, struct rect area,
			void (*text)(const struct job_snapshot *, struct line *, enum role *))
{
	enum role role;
	struct line line;

	if (rect_empty(area))
		return;
	line_start(&line, area.cols);
	text(view->job, &line, &role);
	draw_text(view->draw, area, 0, 0, role, line.text);
}

void run_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body)
{
	struct view view = {
		.screen = state,
		.app = app,
		.draw = draw,
		.job = app_job(app),
		.plan = session_choice(app_session(app)).plan,
		.now = (int64_t)time(NULL),
	};
	struct layout_run layout;

	if (!view.job || !view.plan) {
		draw_text(draw, body, 1, 1, ROLE_NORMAL,
			  _("No copy runs. It is started on 3 Plan."));
		return;
	}
	if (view.screen->map.open) {
		struct map_scene scene = run_screen_scene(app);
		struct rect rest = body;

		if (layout_is_small(body))
			draw_small_head(&view, rect_cut_top(&rest, 2));
		else
			draw_head(&view, rect_cut_top(&rest, 3));
		map_pane_draw(&view.screen->map, app, draw, rest, &scene);
		return;
	}
	if (app_simple(app)) {
		run_spoken_draw(&view.screen->spoken, view.plan, draw, body);
		return;
	}
	layout_run(body, &layout);
	if (layout_is_small(body))
		draw_small_head(&view, layout.head);
	else
		draw_head(&view, layout.head);
	draw_status(&view, layout.alarm, run_text_alarm);
	draw_throughput(&view, layout.graph);
	if (view.screen->where)
		run_where_draw(view.job, view.plan->sector_size, draw, layout.latency);
	else
		run_latency_draw(view.job, draw, layout.latency);
	draw_middle(&view, layout.cpu, layout.queues);
	map_pane_draw_whole(app, draw, layout.map, view.plan);
	draw_status(&view, layout.status, run_text_status);
	draw_events(&view, layout.events);
}

/* ---- layout ---- */

#define HEAD_ROWS 3
/* On a small screen, all of run_text_small(); and from how many rows on there is a graph. */
#define SMALL_HEAD_ROWS  5
#define SMALL_GRAPH_ROWS 5
/* The boxes with their frames, and the map with its heading, in 21 rows … */
#define TOP_ROWS 8
#define MID_ROWS 6
#define MAP_ROWS 3
/* … and in 36. */
#define TALL_BODY     36
#define TALL_TOP_ROWS 12
#define TALL_MID_ROWS 9
#define TALL_MAP_ROWS 5
#define TALL_EVENTS   5

static void boxes(struct rect *rest, int rows, struct rect *left, struct rect *right)
{
	struct rect both = rect_cut_top(rest, rows);
	int right_cols = both.cols >= LAYOUT_WIDE_COLS ? 44 : 38;

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
	if (rest.rows >= SMALL_GRAPH_ROWS + 3 + TALL_EVENTS)
		ret->events = rect_cut_bottom(&rest, TALL_EVENTS);
	ret->map = rect_cut_bottom(&rest, rest.rows > 3 ? 3 : rest.rows);
	if (rest.rows >= SMALL_GRAPH_ROWS)
		ret->graph = rest;
	else
		ret->map =
			(struct rect){ rest.row, rest.col, rest.rows + ret->map.rows, rest.cols };
}

void layout_run(struct rect body, struct layout_run *ret)
{
	struct rect rest = body;
	int top = TOP_ROWS, mid = MID_ROWS, map = MAP_ROWS, events = 0;

	if (layout_is_small(body)) {
		small(body, ret);
		return;
	}
	*ret = (struct layout_run){ .head = rect_cut_top(&rest, HEAD_ROWS) };
	if (body.rows >= TALL_BODY) {
		/* Of four more rows two go to the graph, one to the map, one to the events, in this
		 * order: so no pane gets smaller on a taller screen. */
		int more = body.rows - TALL_BODY, four = more / 4, left = more % 4;

		ret->alarm = rect_cut_top(&rest, 1);
		top = TALL_TOP_ROWS + 2 * four + (left < 2 ? left : 2);
		mid = TALL_MID_ROWS;
		map = TALL_MAP_ROWS + four + (left == 3);
		events = TALL_EVENTS + four;
	} else {
		/* Between 21 and 36 rows, the graph and the map share what is left. */
		int more = body.rows - HEAD_ROWS - top - mid - map - 1;

		if (more > 0) {
			top += more / 2;
			map += more - more / 2;
		}
	}
	boxes(&rest, top, &ret->graph, &ret->latency);
	boxes(&rest, mid, &ret->cpu, &ret->queues);
	if (events)
		ret->events = rect_cut_bottom(&rest, events);
	else
		ret->status = rect_cut_bottom(&rest, 1);
	ret->map = rect_cut_top(&rest, map);
}
