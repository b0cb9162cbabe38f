/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How screen 3 looks. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/plan/estimate.h"
#include "ui/plan/screen.h"
#include "ui/plan/options.h"
#include "ui/widgets/picture.h"

#define PICTURE_CELLS_MAX 512
#define ENDS_ROWS         6

/* ERASE is two lines with what is lost there. */
enum end_line {
	END_SOURCE,
	END_ERASED,
	END_COPY,
	END_TABLE,
	END_IDS,
	END_PRESET,
	END_OPTIONS,
};

/* How many lines all checks in full take. */
static int count_checks(const struct plan_screen *screen, int cols)
{
	struct plan_lines lines = { 0 };
	int count;

	plan_lines_add_checks(&lines, screen->gate.verdicts, cols, INT_MAX, 0);
	count = (int)lines.count;
	plan_lines_done(&lines);
	return count;
}

/* Every check has a line. Where there is no room for all of them in full, the one under the cursor
 * is shown in full. */
static void make_lines(struct plan_screen *screen, const struct plan *plan, struct rect list,
		       bool lost)
{
	plan_lines_done(&screen->lines);
	plan_lines_add_checks(&screen->lines, screen->gate.verdicts, list.cols, list.rows,
			      (size_t)screen->list.at);
	if (lost)
		plan_lines_add_lost(&screen->lines, screen->lost_count);
	plan_lines_add_table(&screen->lines, &plan->fitted);
	plan_lines_add_extents(&screen->lines, plan);
	screen->list.count = (int)screen->lines.entries;
	screen->list.rows = list.rows;
	list_go(&screen->list, screen->list.at);
}

/* The destination, and what is lost there. */
static void draw_erased(const struct plan_screen *screen, struct app *app, struct draw *draw,
			struct rect area)
{
	struct session_choice choice = session_choice(app_session(app));
	bool erases = plan_erases(choice.plan) && plan_screen_startable(app);
	struct line line;

	line_start(&line, area.cols);
	plan_text_destination(choice.plan, erases, &line);
	if (!erases) {
		draw_text(draw, area, 0, 0, ROLE_DESTINATION, line.text);
		return;
	}
	draw_cell(draw, area, 0, 0, area.cols, ROLE_ERASE, line.text);
	line_start(&line, area.cols);
	plan_text_losses(choice.destination, screen->lost, screen->lost_count, choice.resumes,
			 app_units(app), &line);
	draw_text(draw, area, 1, 0, ROLE_BAD, line.text);
}

/* One of the lines on top. Whatever gives way on a small screen, what is lost does not, nor what
 * changes and what is shared. */
static void draw_end(const struct plan_screen *screen, struct app *app, struct draw *draw,
		     struct rect row, enum end_line which)
{
	struct session_choice choice = session_choice(app_session(app));
	const struct plan *plan = choice.plan;
	bool keep = plan->options.identities == IDENTITIES_KEEP;
	bool done = !plan_screen_startable(app) || choice.resumes;
	enum role role = ROLE_NORMAL;
	char reason[160];
	const char *offer;
	struct line line;

	line_start(&line, row.cols);
	switch (which) {
	case END_SOURCE:
		role = ROLE_SOURCE;
		plan_text_source(plan, &line);
		break;
	case END_ERASED:
		draw_erased(screen, app, draw, row);
		return;
	case END_COPY:
		plan_text_copy(plan, choice.held->areas.count, choice.finished_bytes, &line);
		break;
	case END_TABLE:
		plan_text_layout(plan, choice.offer != NULL, done, app_units(app), &line);
		break;
	case END_IDS:
		role = keep || plan_ids_stuck(&screen->shared) ? ROLE_WARN : ROLE_NORMAL;
		plan_text_ids(&plan->options, &screen->shared, done, &line);
		break;
	case END_PRESET:
		offer = plan_screen_offer(app, reason, sizeof(reason));
		role = offer ? ROLE_WARN : ROLE_NORMAL;
		plan_text_preset(&plan->options, offer, done, &line);
		break;
	case END_OPTIONS:
		plan_text_options(&plan->options, plan_rolling(plan, choice.destination), &line);
		break;
	}
	draw_text(draw, row, 0, 0, role, line.text);
}

static bool has_end(const struct plan_screen *screen, struct app *app, enum end_line which)
{
	struct session_choice choice = session_choice(app_session(app));

	if (which == END_TABLE)
		return choice.table || choice.plan->options.table != TABLE_KEEP;
	return which != END_IDS || screen->shared.count ||
	       verdict_list_find(choice.verdicts, MEANS_SAME_IDENTIFIERS);
}

static int count_ends(const struct plan_screen *screen, struct app *app)
{
	return ENDS_ROWS + has_end(screen, app, END_TABLE) + has_end(screen, app, END_IDS);
}

/* What is lost has a line of its own. */
static int end_rows(enum end_line line)
{
	return line == END_ERASED ? 2 : 1;
}

/* Where there is no room for all, the most important ones. */
static void draw_ends(const struct plan_screen *screen, struct app *app, struct draw *draw,
		      struct rect area)
{
	static const enum end_line by_weight[] = { END_ERASED, END_TABLE,  END_IDS,    END_SOURCE,
						   END_COPY,   END_PRESET, END_OPTIONS };
	bool shown[END_OPTIONS + 1] = { false };
	int left = area.rows;

	for (size_t i = 0; i <= END_OPTIONS && left > 0; i++) {
		enum end_line line = by_weight[i];

		shown[line] = has_end(screen, app, line);
		left -= shown[line] ? end_rows(line) : 0;
	}
	for (enum end_line line = END_SOURCE; line <= END_OPTIONS; line++)
		if (shown[line])
			draw_end(screen, app, draw, rect_cut_top(&area, end_rows(line)), line);
}

static void draw_picture(const struct plan_screen *screen, struct app *app, struct draw *draw,
			 struct rect area, const struct plan *plan, const struct disk *source,
			 const struct disk *destination)
{
	char cells[PICTURE_CELLS_MAX + 1];
	int count = area.cols - 11;
	uint64_t size = destination->identity.size;
	struct line line;

	/* An image may become longer. */
	if (plan->destinations[0].kind == ENDPOINT_IMAGE && size < plan->destination_size_after)
		size = plan->destination_size_after;
	if (rect_empty(area) || count < 1)
		return;
	if (count > PICTURE_CELLS_MAX)
		count = PICTURE_CELLS_MAX;
	/* After a copy the upper map shows the disk as it is now. */
	draw_cell(draw, area, 0, 1, 7, ROLE_NORMAL,
		  plan_screen_startable(app) || app_copying(app) ? _("before") : _("now"));
	picture_disk(destination, size, count, cells);
	picture_draw(draw, area, 0, 8, cells, destination);
	picture_touched(plan, &screen->finished, destination, count, cells);
	draw_cells(draw, area, 1, 9, cells);
	draw_cell(draw, area, 2, 1, 7, ROLE_NORMAL, _("after"));
	picture_after(plan, source, destination, count, cells);
	/* Of a whole disk, all partitions are those of the source. */
	picture_draw(draw, area, 2, 8, cells,
		     plan->whole && plan->source.kind != ENDPOINT_PARTITION &&
				     plan->destinations[0].kind != ENDPOINT_PARTITION
			     ? source
			     : NULL);
	line_start(&line, count);
	plan_text_axis(size, app_units(app), destination->identity.logical_sector_size, &line);
	draw_text(draw, area, 3, 9, ROLE_DIM, line.text);
	draw_wrapped(draw, area, 4, 1, 1, ROLE_DIM,
		     screen->finished.count
			     ? _("x overwritten  + copied before  - not touched")
			     : _("x overwritten  - not touched, but partitions vanish "
				 "with a replaced table"));
}

static void lost_text(const struct plan_screen *screen, struct app *app, size_t index,
		      struct line *line)
{
	const struct disk *disk = session_choice(app_session(app)).destination;

	plan_text_lost(&screen->lost[index], disk ? disk->identity.logical_sector_size : 512,
		       app_units(app), line);
}

static const char *section_title(size_t kind)
{
	if (kind == PLAN_LINE_LOST)
		return _("DESTINATION PARTITIONS THAT WILL BE LOST");
	return kind == PLAN_LINE_TABLE ? _("WHAT CHANGES IN THE PARTITION TABLE")
				       : _("WHAT IS COPIED WHERE");
}

static void line_text(const struct plan_screen *screen, struct app *app, const struct plan_line *at,
		      struct line *line, enum role *retrole)
{
	const struct plan *plan = session_choice(app_session(app)).plan;

	*retrole = ROLE_NORMAL;
	switch (at->kind) {
	case PLAN_LINE_CHECK:
		plan_text_check(&screen->gate, at, line, retrole);
		break;
	case PLAN_LINE_TITLE:
		*retrole = ROLE_STRONG;
		line_add(line, " %s", section_title(at->index));
		break;
	case PLAN_LINE_LOST:
		*retrole = ROLE_WARN;
		lost_text(screen, app, at->index, line);
		break;
	case PLAN_LINE_TABLE:
		plan_text_table(&plan->fitted, at->index, plan->sector_size, line);
		break;
	case PLAN_LINE_EXTENT:
		plan_text_extent(plan, at->index, line);
		break;
	}
}

static bool line_holds(const struct plan_screen *screen, const struct plan_line *at,
		       const char *text)
{
	struct line line;
	enum role role;

	if (at->kind == PLAN_LINE_CHECK &&
	    strcasestr(screen->gate.verdicts->items[at->index].sentence, text))
		return true;
	line_start(&line, LINE_COLUMNS_MAX);
	line_text(screen, screen->app, at, &line, &role);
	return strcasestr(line.text, text) != NULL;
}

bool plan_screen_holds(void *state, int entry, const char *text)
{
	const struct plan_screen *screen = state;

	for (size_t i = 0; i < screen->lines.count; i++)
		if (screen->lines.items[i].entry == (size_t)entry &&
		    line_holds(screen, &screen->lines.items[i], text))
			return true;
	return false;
}

static void draw_line(struct plan_screen *screen, struct app *app, struct draw *draw,
		      struct rect list, int row, size_t index)
{
	const struct plan_line *at = &screen->lines.items[index];
	enum role role;
	struct line line;

	line_start(&line, list.cols);
	line_text(screen, app, at, &line, &role);
	draw_text(draw, list, row, 0, role, line.text);
	if (at->entry != (size_t)screen->list.at)
		return;
	if (at->kind != PLAN_LINE_CHECK || at->first)
		draw_text(draw, list, row, 1, ROLE_STRONG, ">");
	if (screen->gate.typing || screen->options_open)
		return;
	draw_highlight(draw, list, row, ROLE_CURSOR);
	if (at->kind != PLAN_LINE_CHECK || at->first)
		draw_cursor(draw, list, row, 1);
}

static void draw_list(struct plan_screen *screen, struct app *app, struct draw *draw,
		      const struct layout_plan *layout)
{
	struct rect list = layout->list;
	int count = (int)screen->lines.count, top;
	size_t first, last;

	plan_lines_find(&screen->lines, (size_t)screen->list.at, &first, &last);
	top = layout_scroll(screen->list.top, (int)last, count, list.rows);
	screen->list.top = top = layout_scroll(top, (int)first, count, list.rows);
	if (count > list.rows && list.rows > 0)
		draw_printf(draw, layout->heading, 0, 1, ROLE_STRONG,
			    _("CHECKS, lines %d-%d of %d (Up Down PgUp PgDn)"), top + 1,
			    top + list.rows, count);
	else
		draw_text(draw, layout->heading, 0, 1, ROLE_STRONG, _("CHECKS"));
	for (int row = 0; row < list.rows && top + row < count; row++)
		draw_line(screen, app, draw, list, row, (size_t)top + (size_t)row);
	/* A small screen has no heading that says so. */
	if (rect_empty(layout->heading) && list.rows > 0 && top + list.rows < count)
		draw_cell(draw, list, list.rows - 1, list.cols - 3, 3, ROLE_KEY, " ..");
}

static const char *what_became(struct app *app)
{
	bool copied = session_copy(app_session(app)).report != NULL;

	if (session_state(app_session(app)) == SESSION_VERIFYING && !copied)
		return _("Both disks are being compared; nothing is written. 4 shows it.");
	if (app_copying(app))
		return _("This plan was started. 4 shows the copy.");
	return copied ? _("This plan was carried out. 5 shows what came of it.")
		      : _("Both disks were compared; nothing was written. To copy, press Enter on "
			  "1.");
}

/* The field always has its place; a long phrase gives way. One that does not fit beside it starts
 * above it, until something is typed and there is more to say of that. */
static void draw_gate_field(struct plan_screen *screen, struct draw *draw, struct rect area,
			    const char *phrase)
{
	const struct gate *gate = &screen->gate;
	int cols = text_width(gate->token) + 3, room;
	char all[512];
	struct line line;

	if (cols < 9)
		cols = 9;
	if (cols > area.cols - 20)
		cols = area.cols - 20;
	room = area.cols - cols - 4;
	if (text_width(phrase) > room) {
		size_t skip, length;

		snprintf(all, sizeof(all), _("To start, type %s."), phrase);
		length = text_break(all, area.cols - 2, &skip);
		if (text_width(all + length + skip) > room) {
			text_copy(all, sizeof(all), phrase);
			length = text_break(all, area.cols - 2, &skip);
		}
		if (!gate->typed.text[0])
			draw_printf(draw, area, 0, 1, ROLE_STRONG, "%-*.*s", area.cols - 1,
				    (int)length, all);
		phrase = all + length + skip;
	}
	line_start(&line, room);
	line_fit(&line, phrase);
	draw_text(draw, area, 1, 1, ROLE_NORMAL, line.text);
	area.col += line.columns + 3;
	area.cols -= line.columns + 3;
	if (!gate->typing)
		draw->field = (struct rect){ area.row + 1, area.col, 1, cols };
	draw_field(draw, area, 1, 0, cols, &gate->typed, gate->typing && !screen->options_open);
}

static void draw_gate(struct plan_screen *screen, struct app *app, struct draw *draw,
		      struct rect area)
{
	const struct gate *gate = &screen->gate;
	char phrase[256];
	struct line line;

	if (session_state(app_session(app)) == SESSION_STARTING) {
		draw_text(draw, area, 0, 1, ROLE_WARN,
			  _("Opening and checking both disks; the copy starts when both are as "
			    "planned."));
		return;
	}
	if (!plan_screen_startable(app)) {
		draw_text(draw, area, 0, 1, ROLE_DIM, what_became(app));
		return;
	}
	if (screen->typed[0]) {
		draw_text(draw, area, 0, 1, ROLE_WARN,
			  _("It matches. The plan is checked once more, then the copy starts."));
		return;
	}
	line_start(&line, LINE_COLUMNS_MAX);
	line.limit = area.cols >= LAYOUT_FULL_COLS ? area.cols : line.limit;
	plan_text_start(gate, session_choice(app_session(app)).shrink, &line);
	int used = draw_wrapped(draw, area, 0, 1, gate_refused(gate) ? 2 : 1,
				gate_refused(gate) || !gate_matches(gate) ? ROLE_BAD : ROLE_STRONG,
				line.text + 1);
	if (gate_refused(gate)) {
		if (used < 2 && session_choice(app_session(app)).comparable)
			draw_text(
				draw, area, 1, 1, ROLE_NORMAL,
				_("v compares both disks instead of copying; nothing is written."));
		return;
	}
	plan_screen_phrase(app, phrase, sizeof(phrase));
	draw_gate_field(screen, draw, area, phrase);
}

static void draw_files(struct app *app, struct draw *draw, struct rect box)
{
	struct rect inside = rect_inside(box);
	struct session *session = app_session(app);
	const char *dir = session_choice(session).log_dir;
	char id[9];
	int row;

	if (rect_empty(box))
		return;
	draw_box(draw, box, _("Records"));
	draw_printf(draw, inside, 0, 1, ROLE_NORMAL, _("plan   %s"),
		    plan_id(session_choice(session).plan, id));
	draw_text(draw, inside, 1, 1, ROLE_NORMAL, _("log, map and report go to"));
	row = 2 + draw_wrapped(draw, inside, 2, 3, 2, ROLE_STRONG, dir && dir[0] ? dir : "-");
	if (session_choice(session).log_dir_in_memory)
		draw_wrapped(draw, inside, row, 1, 2, ROLE_WARN,
			     _("which is in memory: lost after a restart."));
}

static void draw_estimate(struct app *app, struct draw *draw, struct rect box,
			  const struct plan *plan, const struct disk *destination)
{
	const struct session *session = app_session(app);
	const struct session_measured *measured = session_choice(session).measured;
	struct rect inside = rect_inside(box);
	struct estimate estimate;
	struct line line;

	if (rect_empty(box))
		return;
	draw_box(draw, box, _("Estimate"));
	if (!measured) {
		draw_wrapped(draw, inside, 0, 1, inside.rows, ROLE_DIM,
			     session_choice(session).measuring
				     ? _("Both disks are being read.")
				     : _("m reads some megabytes of both disks and says how long "
					 "it will take. Nothing is written."));
		return;
	}
	estimate_make(plan, plan_rolling(plan, destination), measured, &estimate);
	for (int i = 0; i < inside.rows; i++) {
		line_start(&line, inside.cols);
		if (!estimate_text(plan, measured, &estimate, (int64_t)time(NULL), i, &line))
			break;
		draw_text(draw, inside, i, 0, ROLE_NORMAL, line.text);
	}
}

static void draw_lost(struct plan_screen *screen, struct app *app, struct draw *draw,
		      struct rect area)
{
	struct line line;
	int room = area.rows - 1;

	if (rect_empty(area) || !screen->lost_count)
		return;
	draw_text(draw, area, 0, 1, ROLE_STRONG, section_title(PLAN_LINE_LOST));
	for (int i = 0; i < room && (size_t)i < screen->lost_count; i++) {
		if (i == room - 1 && (size_t)i + 1 < screen->lost_count) {
			draw_printf(draw, area, i + 1, 2, ROLE_WARN, _("and %zu more"),
				    screen->lost_count - (size_t)i);
			break;
		}
		line_start(&line, area.cols);
		lost_text(screen, app, (size_t)i, &line);
		draw_text(draw, area, i + 1, 0, ROLE_WARN, line.text);
	}
}

void plan_screen_draw(void *state, struct app *app, struct draw *draw, struct rect body)
{
	struct plan_screen *screen = state;
	struct session *session = app_session(app);
	const struct plan *plan = session_choice(session).plan;
	const struct disk *destination = session_choice(session).destination;
	struct layout_plan layout;
	int ends;

	if (session_state(session) == SESSION_CHECKING) {
		draw_text(draw, body, 1, 1, ROLE_NORMAL,
			  _("The plan is being checked: a file system that hangs may take its "
			    "time."));
		draw_cursor(draw, body, 1, 1);
		return;
	}
	if (!plan || !screen->gate.verdicts) {
		draw_text(draw, body, 1, 1, ROLE_NORMAL,
			  _("There is no plan. Choose both disks on 1, then press Enter there."));
		draw_cursor(draw, body, 1, 1);
		return;
	}
	ends = count_ends(screen, app);
	/* The list's width is known before its height. */
	layout_plan(body, ends, destination != NULL, 0, 0, &layout);
	layout_plan(body, ends, destination != NULL, count_checks(screen, layout.list.cols),
		    (int)screen->lost_count, &layout);
	make_lines(screen, plan, layout.list, rect_empty(layout.lost));
	screen->app = app;
	draw_ends(screen, app, draw, layout.ends);
	if (destination)
		draw_picture(screen, app, draw, layout.picture, plan,
			     session_choice(session).source, destination);
	draw_list(screen, app, draw, &layout);
	draw_files(app, draw, layout.files);
	draw_estimate(app, draw, layout.estimate, plan, destination);
	draw_lost(screen, app, draw, layout.lost);
	draw_gate(screen, app, draw, layout.start);
	if (screen->options_open)
		form_options_draw(&screen->form, screen->complaint, draw, body);
}

/* ---- layout ---- */

#define PICTURE_ROWS  5
#define START_ROWS    2
#define LIST_LEAST    4
#define FILES_COLS    44
#define FILES_ROWS    8
#define ESTIMATE_ROWS 8
/* Rows of the body from which on the list of lost partitions has a place of its own. */
#define TALL_ROWS 34

/* What is erased and the field are there at every size: nothing is confirmed without them. */
static void small(struct rect body, int ends, bool picture, struct layout_plan *ret)
{
	/* Two lines of it: which disk, and what is lost on it. Then what changes, and what is
	 * shared. */
	int rows = body.rows < 5 ? 1 : body.rows < 9 ? 2 : body.rows < 12 ? ends - 4 : ends - 2;
	struct rect rest = body;

	*ret = (struct layout_plan){ .ends = rect_cut_top(&rest, body.rows < 18 ? rows : ends) };
	ret->start = rect_cut_bottom(&rest, START_ROWS);
	if (picture && rest.rows >= PICTURE_ROWS + LIST_LEAST)
		ret->picture = rect_cut_top(&rest, PICTURE_ROWS);
	ret->heading = rect_cut_top(&rest, rest.rows > LIST_LEAST);
	ret->list = rest;
}

void layout_plan(struct rect body, int ends, bool picture, int checks, int lost,
		 struct layout_plan *ret)
{
	struct rect rest = body, right;
	bool wide = body.cols >= LAYOUT_WIDE_COLS;
	/* The legend and the blank line below the picture give way to the checks. */
	bool roomy = body.rows - ends >= 15;

	if (layout_is_small(body)) {
		small(body, ends, picture, ret);
		return;
	}
	*ret = (struct layout_plan){ .ends = rect_cut_top(&rest, ends) };
	if (picture && rest.rows >= PICTURE_ROWS + START_ROWS + 5)
		ret->picture = rect_cut_top(&rest, PICTURE_ROWS - !roomy);
	rect_cut_top(&rest, roomy ? 1 : 0);
	if (wide) {
		right = rect_cut_right(&rest, FILES_COLS);
		rect_cut_right(&rest, 1);
		ret->files = rect_cut_top(&right, FILES_ROWS);
		if (right.rows >= ESTIMATE_ROWS)
			ret->estimate = rect_cut_top(&right, ESTIMATE_ROWS);
	}
	ret->heading = rect_cut_top(&rest, 1);
	if (body.rows < TALL_ROWS) {
		ret->start = rect_cut_bottom(&rest, START_ROWS);
		ret->list = rest;
		return;
	}

	/* The lost list, with a blank row and its title, keeps up to a third; what the checks do
	 * not need falls to it. */
	int keep = lost ? lost + 2 : 0;

	if (keep > rest.rows / 3 && keep > rest.rows - checks - START_ROWS - 1)
		keep = rest.rows / 3;
	if (checks > rest.rows - keep - START_ROWS - 1)
		checks = rest.rows - keep - START_ROWS - 1;
	ret->list = rect_cut_top(&rest, checks);
	rect_cut_top(&rest, 1);
	ret->start = rect_cut_top(&rest, START_ROWS);
	if (!lost)
		return;
	rect_cut_top(&rest, 1);
	ret->lost = rest;
}
