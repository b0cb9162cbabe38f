/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How screen 1 looks. */
#include "ui/disks/screen.h"

#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "plan/picture.h"

#include "ui/disks/model.h"
#include "ui/plan/model.h"
#include "ui/widgets/picture.h"

/* The health in its colour. The row may have one of its own, which says more. */
static void draw_row(struct app *app, struct draw *draw, struct rect list, int at_row,
		     const struct disks_model *model, size_t at,
		     const struct disks_columns *columns)
{
	const struct disks_row *row = &model->rows[at];
	struct disk_health health = { 0 };
	enum role role, weak;
	struct line line;

	if (row->disk && !row->partition)
		health = disks_screen_health(app, row->disk);
	line_start(&line, list.cols - 1);
	disks_text_row(model, at, columns, &health, app_units(app), &line, &role);
	draw_text(draw, list, at_row, 0, role, line.text);
	weak = disks_health_role(&health);
	if (weak == ROLE_NORMAL)
		return;
	/* Where the health has no column of its own, the name stands for it. */
	list.col += columns->health ? disks_health_col(columns) : DISKS_NODE_COL;
	list.cols = columns->health ? columns->health : columns->node;
	draw_highlight(draw, list, at_row, weak);
}

#define NO_DISK_LINES 4

/* list: NULL: it is not known yet. */
static void draw_no_disk(struct app *app, const struct disk_list *list, struct draw *draw,
			 struct rect area)
{
	int row = 1;

	if (!list) {
		draw_text(draw, area, 0, DISKS_NODE_COL, ROLE_NORMAL, _("Looking for disks..."));
		return;
	}
	draw_text(draw, area, 0, DISKS_NODE_COL, ROLE_NORMAL,
		  app_practice_dir(app)
			  ? _("No disk yet: losetup -f makes one of a file there, then press r.")
			  : _("No disk was found. r looks again, f names an image file."));
	for (size_t i = 0; i < list->missing_count && row < area.rows; i++)
		row += draw_wrapped(draw, area, row, DISKS_NODE_COL, area.rows - row, ROLE_WARN,
				    list->missing[i]);
}

/* Rows of the list. */
static int rows_wanted(const struct disks_model *model)
{
	/* Why there is no disk may be among what could not be found out. */
	if (!model->count && model->list && model->list->missing_count)
		return NO_DISK_LINES;
	return (int)model->count;
}

static void draw_list(struct disks_state *state, struct app *app, struct draw *draw,
		      const struct layout_disks *layout)
{
	struct disks_model *model = &state->model;
	struct disks_columns columns;
	struct line line;

	disks_columns(model, layout->list.cols, &columns);
	line_start(&line, layout->columns.cols - 1);
	disks_text_heading(model, &columns, &line);
	draw_text(draw, layout->columns, 0, 0, ROLE_DIM, line.text);
	list_fit(&model->cursor, (int)model->count, layout->list.rows);
	draw->list = layout->list;
	for (int row = 0; row < layout->list.rows; row++) {
		int at = model->cursor.top + row;

		if (at >= model->cursor.count)
			break;
		draw_row(app, draw, layout->list, row, model, (size_t)at, &columns);
		if (at != model->cursor.at)
			continue;
		draw_highlight(draw, layout->list, row, ROLE_CURSOR);
		draw_cursor(draw, layout->list, row, DISKS_NODE_COL);
	}
	if (!model->count)
		draw_no_disk(app, model->list, draw, layout->list);
}

/* Which row the cursor is on, where not all of them are shown. */
static void draw_place(struct disks_state *state, struct draw *draw, struct rect area)
{
	const struct list *cursor = &state->model.cursor;

	if (cursor->count > cursor->rows)
		draw_printf(draw, area, 0, DISKS_NODE_COL, ROLE_STRONG, _("%u of %u"),
			    (unsigned)cursor->at + 1, (unsigned)cursor->count);
}

/* Every letter that a row can have. */
static void draw_legend(struct draw *draw, struct rect area, struct rect more)
{
	const char *use =
		_("USE: M mounted S swap L LVM/dm R md B boot O open H holder F file C copy");
	const char *marks = _("ro read-only  ! no destination  ? no answer");
	int col = draw_text(draw, area, 0, 1, ROLE_DIM, use);

	if (rect_empty(more))
		draw_text(draw, area, 0, col + 2, ROLE_DIM, marks);
	else
		draw_text(draw, more, 0, 1, ROLE_DIM, marks);
}

#define LABEL_COLS 8 /* at least, and at most */
#define LABEL_MOST 16

struct disk_health disks_screen_health(struct app *app, const struct disk *disk)
{
	struct disk_health health;

	health.known = session_health(app_session(app), disk, &health.asking);
	return health;
}

/* Returns the number of rows. */
static int draw_details(struct app *app, struct draw *draw, struct rect area,
			const struct disk *disk)
{
	const struct disk_health health = disks_screen_health(app, disk);
	int row = 0, cols = LABEL_COLS;
	struct disk_facts all;

	disk_describe(session_disks(app_session(app)), disk, &health, &all);
	for (size_t i = 0; i < all.brief; i++)
		if (text_width(all.facts[i].label) >= cols)
			cols = text_width(all.facts[i].label) + 1;
	if (cols > LABEL_MOST)
		cols = LABEL_MOST;
	for (size_t i = 0; i < all.brief && row < area.rows; i++) {
		/* A long text leaves one line for each fact below it. */
		int rows = area.rows - row - (int)(all.brief - 1 - i);

		draw_cell(draw, area, row, 0, cols - 1, ROLE_DIM, all.facts[i].label);
		row += draw_wrapped(draw, area, row, cols, rows > 1 ? rows : 1, ROLE_NORMAL,
				    all.facts[i].text);
	}
	return row;
}

#define PICTURE_ROWS 2

#define NUMBER_COLS 4
#define SIZE_COLS   8

/* "  3  ext4 "home"      1.89T  /home", where there is room for at least one. */
static void draw_partitions(struct app *app, struct draw *draw, struct rect area,
			    const struct disk *disk)
{
	size_t rows = area.rows > 0 ? (size_t)area.rows : 0, count = disk->partition_count;
	size_t shown = count <= rows ? count : rows ? rows - 1 : 0;
	uint32_t sector = disk->identity.logical_sector_size;
	int what_cols = (area.cols - NUMBER_COLS - SIZE_COLS) / 2;
	char text[256];

	for (size_t i = 0; i < shown; i++) {
		const struct partition *p = &disk->partitions[i];
		int row = (int)i, col = NUMBER_COLS;

		snprintf(text, sizeof(text), "%u", p->number);
		draw_cell_right(draw, area, row, 0, NUMBER_COLS - 2, ROLE_DIM, text);
		partition_words(p, text, sizeof(text));
		draw_cell(draw, area, row, col, what_cols, ROLE_NORMAL, text);
		draw_cell_right(draw, area, row, col += what_cols, SIZE_COLS, ROLE_NORMAL,
				UNITS_SHORT(p->sectors * sector, app_units(app), sector));
		col += SIZE_COLS + 2;
		draw_cell(draw, area, row, col, area.cols - col, ROLE_NORMAL,
			  p->mountpoint[0] ? p->mountpoint : p->type_name);
	}
	if (shown < count && rows)
		draw_printf(draw, area, (int)shown, NUMBER_COLS, ROLE_DIM,
			    P_("%zu more: i shows it", "%zu more: i shows them", count - shown),
			    count - shown);
}

#define PICTURE_MOST 512

/* Over its scale. */
static void draw_picture(struct app *app, struct draw *draw, struct rect area,
			 const struct disk *disk)
{
	char cells[PICTURE_MOST + 1];
	int count = area.cols - 2 < PICTURE_MOST ? area.cols - 2 : PICTURE_MOST;
	struct line line;

	if (count < 1)
		return;
	picture_disk(disk, disk->identity.size, count, cells);
	picture_draw(draw, area, 0, 0, cells, disk);
	line_start(&line, area.cols - 2);
	plan_text_axis(disk->identity.size, app_units(app), disk->identity.logical_sector_size,
		       &line);
	draw_text(draw, area, 1, 1, ROLE_DIM, line.text);
}

const struct disk *disks_screen_at_cursor(const struct disks_state *state)
{
	const struct disks_row *row = disks_current(&state->model);

	return row ? row->disk : NULL;
}

/* Beside the title of a pane: lines, blanks, and what becomes of the disk. */
#define TITLE_REST 24

/* What the pane of one end shows: the disk, and why that one. NULL: none is known. cols: of the
 * pane, which cuts a title at its end, and the end of a path tells most. */
static const struct disk *disk_of(struct disks_state *state, struct app *app, bool is_source,
				  int cols, char *title, size_t size)
{
	const struct choice *choice = app_choice(app);
	const struct endpoint *end = is_source ? &choice->source : &choice->destination;
	const struct disk *disk = disks_screen_at_cursor(state);

	if (end->kind != ENDPOINT_NONE) {
		int most =
			cols - text_width(is_source ? _("Source") : _("Destination")) - TITLE_REST;
		int width = text_width(end->node);
		char name[4 * LINE_COLUMNS_MAX + 1];

		text_fit_tail(name, sizeof(name), end->node,
			      width <= most ? width
			      : most > 0    ? most
					    : 0);
		snprintf(title, size, is_source ? _("Source %s") : _("Destination %s"), name);
		return is_source ? app_source_disk(app) : app_destination_disk(app);
	}
	if (disk && (is_source || choice->source.kind != ENDPOINT_NONE)) {
		snprintf(title, size, _("Under the cursor: %s"), disk->name);
		return disk;
	}
	snprintf(title, size, "%s", is_source ? _("Source") : _("Destination"));
	return NULL;
}

/* Is that end only read, or erased? On the upper edge of its pane. */
static void draw_fate(struct app *app, struct draw *draw, struct rect pane, bool is_source)
{
	const struct endpoint *end =
		is_source ? &app_choice(app)->source : &app_choice(app)->destination;
	const struct disk *disk = is_source ? NULL : app_destination_disk(app);

	if (end->kind == ENDPOINT_NONE)
		return;
	if (is_source)
		draw_tag(draw, pane, ROLE_SOURCE, _("only read"));
	else if (disk ? disk->read_only != YES : end->exists)
		draw_tag(draw, pane, ROLE_ERASE, _("ERASE"));
}

static void draw_not_chosen(struct draw *draw, struct rect area, int row, bool is_source)
{
	draw_text(draw, area, row, 0, ROLE_DIM,
		  is_source ? _("s chooses the source.") : _("d chooses the destination."));
}

/* Only a copy that waits for its disk has an end that is chosen and not there. */
static void draw_gone(struct draw *draw, struct rect area, int row, const struct endpoint *end)
{
	char text[640];

	snprintf(text, sizeof(text),
		 _("%s is gone: it was unplugged, or has lost its power or its link."), end->node);
	draw_wrapped(draw, area, row, 0, area.rows - row, ROLE_WARN, text);
}

/* The partitions, over their picture where there is room. */
static void draw_contents(struct app *app, struct draw *draw, struct rect area,
			  const struct disk *disk)
{
	if (disk->partition_count && area.rows > PICTURE_ROWS) {
		draw_picture(app, draw, rect_cut_bottom(&area, PICTURE_ROWS), disk);
		rect_cut_bottom(&area, (size_t)area.rows > disk->partition_count);
	}
	draw_partitions(app, draw, area, disk);
}

/* What an image file holds. Returns the number of rows. */
static int draw_image(struct app *app, struct draw *draw, struct rect area, int row,
		      const struct endpoint *image)
{
	struct line line;

	line_start(&line, LINE_COLUMNS_MAX);
	disks_text_image(image, session_image(app_session(app), image), &line);
	return draw_wrapped(draw, area, row, 0, area.rows - row, ROLE_NORMAL, line.text);
}

static void draw_box_of(struct disks_state *state, struct app *app, struct draw *draw,
			struct rect box, bool is_source)
{
	const struct choice *choice = app_choice(app);
	const struct endpoint *end = is_source ? &choice->source : &choice->destination;
	struct rect inside = rect_inside(box);
	const struct disk *disk;
	char title[640];

	if (rect_empty(inside))
		return;
	rect_cut_left(&inside, 1);
	rect_cut_right(&inside, 1);
	disk = disk_of(state, app, is_source, box.cols, title, sizeof(title));
	draw_box(draw, box, title);
	draw_fate(app, draw, box, is_source);
	if (disk) {
		rect_cut_top(&inside, draw_details(app, draw, inside, disk) + 1);
		draw_contents(app, draw, inside, disk);
	} else if (end->kind == ENDPOINT_IMAGE) {
		disk = session_image(app_session(app), end);
		rect_cut_top(&inside,
			     draw_wrapped(draw, inside, 0, 0, inside.rows, ROLE_NORMAL, end->node));
		rect_cut_top(&inside, draw_image(app, draw, inside, 0, end) + 1);
		if (disk)
			draw_contents(app, draw, inside, disk);
	} else if (end->kind != ENDPOINT_NONE && state->model.list) {
		draw_gone(draw, inside, 0, end);
	} else {
		draw_not_chosen(draw, inside, 0, is_source);
	}
}

/* Below a title; a long text leaves one line for each of those below it. */
static void draw_summary(struct disks_state *state, struct app *app, struct draw *draw,
			 struct rect area, bool is_source)
{
	char title[640];
	const struct choice *choice = app_choice(app);
	const struct endpoint *end = is_source ? &choice->source : &choice->destination;
	const struct disk *disk = disk_of(state, app, is_source, area.cols, title, sizeof(title));
	struct line lines[DISKS_SUMMARY_MAX];
	struct disk_health health;
	int count, row = 1;

	draw_rule(draw, area, title);
	draw_fate(app, draw, area, is_source);
	if (end->kind == ENDPOINT_IMAGE)
		draw_image(app, draw, area, 1, end);
	else if (!disk && state->model.list && end->kind != ENDPOINT_NONE)
		draw_gone(draw, area, 1, end);
	else if (!disk)
		draw_not_chosen(draw, area, 1, is_source);
	if (!disk)
		return;
	health = disks_screen_health(app, disk);
	count = disks_summary(disk, &health, lines);
	for (int i = 0; i < count && row < area.rows; i++) {
		int rows = area.rows - row - (count - 1 - i);

		row += draw_wrapped(draw, area, row, 0, rows > 1 ? rows : 1, ROLE_NORMAL,
				    lines[i].text);
	}
}

/* In one line: what the destination holds, or else the disk under the cursor. */
static void draw_holds(struct disks_state *state, struct app *app, struct draw *draw,
		       struct rect area)
{
	const struct disk *destination = app_destination_disk(app);
	const struct disk *disk = destination ? destination : disks_screen_at_cursor(state);
	struct line line;

	if (!disk)
		return;
	line_start(&line, area.cols);
	line_add(&line, "%s%s%s  ", destination ? _("ERASE") : "", destination ? " " : "",
		 disk->name);
	disks_text_holds(disk, &line);
	draw_text(draw, area, 0, 0, destination ? ROLE_BAD : ROLE_NORMAL, line.text);
}

/* Rows from which on both ends have room. */
#define BOTH_ROWS 6

static void draw_pane(struct disks_state *state, struct app *app, struct draw *draw,
		      struct rect area)
{
	const struct choice *choice = app_choice(app);
	bool source = choice->source.kind != ENDPOINT_NONE;
	bool destination = choice->destination.kind != ENDPOINT_NONE;
	const struct disk *disk = disks_screen_at_cursor(state);
	struct rect rest = area;

	if (rect_empty(area))
		return;
	rect_cut_left(&rest, 1);
	rect_cut_right(&rest, 1);
	if (rest.rows == 1) {
		draw_holds(state, app, draw, rest);
	} else if ((source || destination) && rest.rows >= BOTH_ROWS) {
		draw_summary(state, app, draw, rect_cut_top(&rest, rest.rows / 2), true);
		draw_summary(state, app, draw, rest, false);
	} else if (destination) {
		draw_summary(state, app, draw, rest, false);
	} else if (disk) {
		draw_rule(draw, rest, disk->name);
		rect_cut_top(&rest, 1);
		draw_details(app, draw, rest, disk);
	}
}

static void draw_events(struct app *app, struct draw *draw, struct rect area)
{
	struct rect rest = area;
	const char *line;

	if (rect_empty(area))
		return;
	rect_cut_left(&rest, 1);
	draw_text(draw, rest, 0, 0, ROLE_DIM, _("Disks that came and went, newest first"));
	for (int i = 0; i < rest.rows - 1; i++) {
		line = session_hotplug_line(app_session(app), (unsigned)i);
		if (!line) {
			if (!i)
				draw_text(draw, rest, 1, 1, ROLE_DIM, _("none since the start"));
			break;
		}
		draw_cell(draw, rest, i + 1, 1, rest.cols - 2, ROLE_NORMAL, line);
	}
}

void disks_screen_draw(void *data, struct app *app, struct draw *draw, struct rect body)
{
	struct disks_state *state = data;
	struct layout_disks layout;

	layout_disks(body, rows_wanted(&state->model), &layout);
	draw_list(state, app, draw, &layout);
	draw_place(state, draw, layout.place);
	draw_legend(draw, layout.legend, layout.marks);
	draw_pane(state, app, draw, layout.detail);
	draw_box_of(state, app, draw, layout.source, true);
	draw_box_of(state, app, draw, layout.destination, false);
	draw_events(app, draw, layout.events);
}

/* ---- layout ---- */

/* Lines of one detail pane without its title or border. */
#define DETAIL_LINES 8
#define DETAIL_MORE  2 /* where there is room: long tables, notes */
#define BOX_LINES    11
#define BOX_MORE     15 /* partitions and their picture, on tall screens */
/* Fewer disks than this at once make a list hard to read. */
#define LIST_LINES  4
#define EVENT_LINES 4

/* The list first, then what is known of a disk: one line at least, since it says what is lost. */
static void small(struct rect body, int wanted, struct layout_disks *ret)
{
	struct rect rest = body;
	int list;

	*ret = (struct layout_disks){ .columns = rect_cut_top(&rest, body.rows > DETAIL_LINES) };
	list = rest.rows - DETAIL_LINES > LIST_LINES ? rest.rows - DETAIL_LINES : LIST_LINES;
	if (list < wanted && rest.rows <= DETAIL_LINES)
		list = rest.rows - 1;
	ret->list = rect_cut_top(&rest, list < wanted ? list : wanted);
	ret->detail = rest;
}

void layout_disks(struct rect body, int wanted, struct layout_disks *ret)
{
	struct rect rest = body, bottom;
	bool wide = body.cols >= LAYOUT_WIDE_COLS;
	int detail = wide ? BOX_LINES + 2 : DETAIL_LINES + 1;
	int list, more;

	if (wanted < 1)
		wanted = 1;
	if (layout_is_small(body)) {
		small(body, wanted, ret);
		return;
	}
	*ret = (struct layout_disks){ 0 };
	ret->columns = rect_cut_top(&rest, 1);
	/* The detail pane always has its place; the list takes what is left, but not more than
	 * it needs, so that the rest stands close below it. */
	list = rest.rows - detail - 3;
	if (list < LIST_LINES)
		list = LIST_LINES;
	if (list > wanted)
		list = wanted;
	ret->list = rect_cut_top(&rest, list);
	/* In narrow screens the legend takes two lines, and leaves the end of the second one. */
	if (wide)
		ret->place = rect_cut_top(&rest, 1);
	ret->legend = rect_cut_top(&rest, 1);
	if (!wide) {
		ret->marks = rect_cut_top(&rest, 1);
		ret->place = rect_cut_right(&ret->marks, 22);
	}
	if (wide)
		rect_cut_top(&rest, 1);
	if (rest.rows >= detail + DETAIL_MORE + EVENT_LINES)
		detail += DETAIL_MORE;
	/* Partitions and their picture come before more than a few events. */
	more = (rest.rows - detail - EVENT_LINES) * 3 / 4;
	if (wide && more > 0)
		detail += more < BOX_MORE ? more : BOX_MORE;
	bottom = rect_cut_top(&rest, detail);
	if (wide) {
		int half = (bottom.cols - 3) / 2;

		rect_cut_left(&bottom, 1);
		ret->source = rect_cut_left(&bottom, half);
		rect_cut_left(&bottom, 1);
		ret->destination = bottom;
		rect_cut_right(&ret->destination, 1);
	} else {
		/* Rows that are too few for the event pane go to the detail pane. */
		if (rest.rows < EVENT_LINES)
			bottom.rows += rect_cut_top(&rest, rest.rows).rows;
		ret->detail = bottom;
	}
	if (rest.rows >= EVENT_LINES) {
		rect_cut_top(&rest, 1);
		ret->events = rest;
	}
}
