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
#define PERCENT_COLS  6
#define BAR_COLS_MIN  12

/* What all panes are drawn from. */
struct view {
	struct run_screen *screen;
	struct app *app;
	struct draw *draw;
	const struct job_snapshot *job;
	const struct plan *plan;
	struct rect body;
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

#define SCALE_COLS 5  /* "1200 " */
#define TIME_COLS  16 /* from one time on the axis to the next */

/* One half of it, its top or its bottom at the axis. */
static void draw_half(const struct view *view, struct rect area, const struct run_graph *graph,
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

static void draw_times(const struct view *view, struct rect axis, unsigned seconds_per_cell)
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
static void draw_mirrored(const struct view *view, struct rect inside, bool write,
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

static void draw_throughput(const struct view *view, struct rect box)
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
		.body = body,
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
	map_pane_draw_whole(app, draw, layout.map, view.plan, &view.screen->rates);
	draw_status(&view, layout.status, run_text_status);
	draw_events(&view, layout.events);
}

/* ---- layout ---- */

#define HEAD_ROWS 3
/* On a small screen, all of run_text_small(); and from how many rows on there is a graph. */
#define SMALL_HEAD_ROWS  5
#define SMALL_GRAPH_ROWS 4
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
	if (rest.rows >= SMALL_GRAPH_ROWS + MAP_ROWS + TALL_EVENTS)
		ret->events = rect_cut_bottom(&rest, TALL_EVENTS);
	ret->map = rect_cut_bottom(&rest, rest.rows > SMALL_GRAPH_ROWS + MAP_ROWS ? MAP_ROWS : 2);
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
