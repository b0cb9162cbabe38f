/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/keys.h"
#include "ui/core/line.h"
#include "ui/core/terminfo.h"

#define KEY_STEER  'T'
#define STEP_COLS  8
#define WHEEL_ROWS 3

/* ---- packets ---- */

static bool takes_size(struct view_picture *picture, const struct frame_head *head)
{
	if (picture->head.rows == head->rows && picture->head.cols == head->cols)
		return true;
	view_picture_done(picture);
	picture->glyphs = calloc((size_t)head->rows * head->cols, sizeof(*picture->glyphs));
	return picture->glyphs != NULL;
}

/* Of a title and an icon's progress, as they are sent to the terminal: no byte that it would take
 * for a command. */
static bool is_title(const struct title *title)
{
	if (!memchr(title->text, '\0', sizeof(title->text)) || title->percent > 100 ||
	    title->progress > TITLE_PAUSED)
		return false;
	for (const unsigned char *at = (const unsigned char *)title->text; *at; at++)
		/* UTF-8 has the C1 control characters behind 0xc2. */
		if (*at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] < 0xa0))
			return false;
	return true;
}

static bool is_glyph(const struct draw_glyph *glyph)
{
	bool control =
		glyph->code && (glyph->code < 0x20 || (glyph->code >= 0x7f && glyph->code < 0xa0));

	return !control && glyph->code < 0x110000 && glyph->mark < 0x110000 &&
	       glyph->role < ROLE_COUNT;
}

static bool take_row(struct view_picture *picture, const char *data)
{
	size_t cols = picture->head.cols;
	struct draw_glyph glyph;
	uint32_t row;

	memcpy(&row, data, sizeof(row));
	if (row >= picture->head.rows)
		return false;
	for (size_t col = 0; col < cols; col++) {
		memcpy(&glyph, data + sizeof(row) + col * sizeof(glyph), sizeof(glyph));
		if (!is_glyph(&glyph))
			return false;
		picture->glyphs[row * cols + col] = glyph;
	}
	return true;
}

bool view_take(struct view_picture *picture, const void *data, size_t size)
{
	const char *at = (const char *)data + sizeof(struct frame_head);
	struct frame_head head;
	size_t row_size;

	if (size < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	if (head.rows < 1 || head.rows > FRAME_SIDE_MAX || head.cols < 1 ||
	    head.cols > FRAME_SIDE_MAX || head.count > head.rows || head.cursor_row >= head.rows ||
	    head.cursor_col >= head.cols || !is_title(&head.title))
		return false;
	row_size = sizeof(uint32_t) + head.cols * sizeof(struct draw_glyph);
	if (size != sizeof(head) + head.count * row_size || !takes_size(picture, &head))
		return false;
	/* One that was not rung yet. */
	head.bell |= picture->head.bell;
	picture->head = head;
	for (uint32_t i = 0; i < head.count; i++, at += row_size)
		if (!take_row(picture, at))
			return false;
	return true;
}

void view_picture_done(struct view_picture *picture)
{
	free(picture->glyphs);
	*picture = (struct view_picture){ .glyphs = NULL };
}

/* ---- the terminal ---- */

int view_start(const struct term_facts *facts, struct view *ret, struct error *reterr)
{
	*ret = (struct view){ .dirty = true };
	return term_start(false, facts, &ret->term, reterr);
}

void view_stop(struct view *view, bool lost)
{
	if (lost)
		term_drop(view->term);
	else
		term_abandon(view->term);
	view_picture_done(&view->picture);
	view->term = NULL;
}

static int limited(int value, int most)
{
	return value > most ? (most > 0 ? most : 0) : value < 0 ? 0 : value;
}

/* The last line of the other terminal has keys that do nothing here: it is no part that is missed.
 */
static bool is_part(const struct view *view, int rows)
{
	const struct frame_head *head = &view->picture.head;

	return (int)head->cols > view->term->cols || (int)head->rows - 1 > rows;
}

/* Returns the columns drawn. Of a wide character that lies across an edge, nothing is shown. */
static int draw_column(struct draw *draw, int row, int col, const struct draw_glyph *glyphs,
		       int behind, int room)
{
	const struct draw_glyph blank = { .code = ' ', .role = glyphs->role };
	bool wide = behind > 0 && glyphs[0].code && !glyphs[1].code;
	bool whole = glyphs[0].code && (!wide || room > 1);

	draw_copied(draw, row, col, whole ? glyphs : &blank, wide && whole);
	return wide && whole ? 2 : 1;
}

static void draw_picture(struct view *view, struct draw *draw, struct rect area)
{
	const struct frame_head *head = &view->picture.head;
	int rows = (int)head->rows, cols = (int)head->cols, end;

	view->top = limited(view->top, rows - area.rows);
	view->left = limited(view->left, cols - area.cols);
	end = limited(view->left + area.cols, cols);
	for (int row = 0; row < area.rows && row + view->top < rows; row++) {
		const struct draw_glyph *glyphs =
			view->picture.glyphs + (size_t)(row + view->top) * head->cols;

		for (int at = view->left; at < end;)
			at += draw_column(draw, area.row + row, area.col + at - view->left,
					  glyphs + at, cols - 1 - at, end - at);
	}
	draw_cursor(draw, area, (int)head->cursor_row - view->top,
		    (int)head->cursor_col - view->left);
}

static void text_part(const struct view *view, struct rect area, struct line *line)
{
	const struct frame_head *head = &view->picture.head;
	int right = view->left + area.cols, low = view->top + area.rows;

	line_add(line, _("arrows: col %d-%d/%u, line %d-%d/%u"), view->left + 1,
		 limited(right, (int)head->cols), head->cols, view->top + 1,
		 limited(low, (int)head->rows), head->rows);
}

/* Which key does what, and below it or beside it what is seen. */
static void draw_state(const struct view *view, struct draw *draw, struct rect area,
		       struct rect seen, bool part)
{
	const char *keys = _("LOOKING ON: T steers, q leaves");
	struct line line;
	int col;

	draw_cell(draw, area, 0, 0, area.cols, ROLE_ALERT, "");
	col = draw_text(draw, area, 0, 1, ROLE_ALERT, keys) + 2;
	if (!part)
		return;
	line_start(&line, area.cols);
	text_part(view, seen, &line);
	if (area.rows > 1)
		draw_cell(draw, area, 1, 0, area.cols, ROLE_WARN, line.text);
	else
		draw_text(draw, area, 0, col, ROLE_ALERT, line.text);
}

/* Room for the longest that text_part() says, in any language. */
#define PART_COLS 48

static void draw_all(struct view *view)
{
	struct term *term = view->term;
	struct draw draw = { .term = term };
	struct rect seen = { 0, 0, term->rows, term->cols }, state;
	bool part = view->picture.head.rows && is_part(view, term->rows - 1);
	int keys = text_width(_("LOOKING ON: T steers, q leaves"));

	state = rect_cut_bottom(&seen,
				part && term->cols < keys + PART_COLS && seen.rows > 2 ? 2 : 1);
	draw_start(&draw);
	draw_cursor(&draw, state, 0, 0);
	if (view->picture.head.rows)
		draw_picture(view, &draw, seen);
	draw_state(view, &draw, state, seen, part);
	term_title(term, &view->picture.head.title);
	if (view->picture.head.bell)
		term_bell(term);
	view->picture.head.bell = 0;
	term_show(term, draw.cursor_row, draw.cursor_col);
}

void view_draw(struct view *view)
{
	/* What comes meanwhile is drawn together when it takes something again. */
	if (!view->dirty || !terminfo_takes_output())
		return;
	view->dirty = false;
	draw_all(view);
}

/* ---- keys ---- */

static enum view_wish on_key(struct view *view, int key)
{
	int page = view->term->rows - 1;

	view->dirty = true;
	switch (key == KEY_STEER ? COMMAND_NONE : keys_lookup(SCREEN_HELP, key)) {
	case COMMAND_UP:
		view->top--;
		break;
	case COMMAND_DOWN:
		view->top++;
		break;
	case COMMAND_PAGE_UP:
		view->top -= page;
		break;
	case COMMAND_PAGE_DOWN:
		view->top += page;
		break;
	case COMMAND_LEFT:
		view->left -= STEP_COLS;
		break;
	case COMMAND_RIGHT:
		view->left += STEP_COLS;
		break;
	case COMMAND_FIRST:
		view->top = view->left = 0;
		break;
	case COMMAND_LAST:
		view->top = view->left = FRAME_SIDE_MAX;
		break;
	case COMMAND_REDRAW:
		term_repaint(view->term);
		break;
	case COMMAND_THEME:
		(void)term_next_theme(view->term);
		break;
	default:
		if (key == SPECIAL_WHEEL_UP)
			view->top -= WHEEL_ROWS;
		else if (key == SPECIAL_WHEEL_DOWN)
			view->top += WHEEL_ROWS;
		else if (key == SPECIAL_RESIZE)
			term_resize(view->term);
		return key == KEY_STEER                   ? VIEW_STEER
		       : key == 'q' || key == SPECIAL_F10 ? VIEW_LEAVE
							  : VIEW_NOTHING;
	}
	return VIEW_NOTHING;
}

enum view_wish view_keys(struct view *view)
{
	enum view_wish wish = VIEW_NOTHING;
	int key;

	while (wish == VIEW_NOTHING) {
		switch (term_read(view->term, &key)) {
		case TERM_NOTHING:
			return VIEW_NOTHING;
		case TERM_SUSPEND:
			return VIEW_STOP;
		case TERM_KEY:
			wish = on_key(view, key);
			break;
		default:
			return VIEW_LEAVE;
		}
	}
	return wish;
}
