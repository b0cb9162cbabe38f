/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/onlook.h"

#include <stdio.h>
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

static bool takes_size(struct onlook_picture *picture, const struct look_head *head)
{
	if (picture->head.rows == head->rows && picture->head.cols == head->cols)
		return true;
	onlook_picture_done(picture);
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

static bool take_row(struct onlook_picture *picture, const char *data)
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

bool onlook_take(struct onlook_picture *picture, const void *data, size_t size)
{
	const char *at = (const char *)data + sizeof(struct look_head);
	struct look_head head;
	size_t row_size;

	if (size < sizeof(head))
		return false;
	memcpy(&head, data, sizeof(head));
	if (head.rows < 1 || head.rows > LOOK_SIDE_MAX || head.cols < 1 ||
	    head.cols > LOOK_SIDE_MAX || head.count > head.rows || head.cursor_row >= head.rows ||
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

void onlook_picture_done(struct onlook_picture *picture)
{
	free(picture->glyphs);
	*picture = (struct onlook_picture){ .glyphs = NULL };
}

/* ---- the terminal ---- */

int onlook_start(const struct term_facts *facts, struct onlook *ret, struct error *reterr)
{
	*ret = (struct onlook){ .dirty = true };
	return term_start(false, facts, &ret->term, reterr);
}

void onlook_stop(struct onlook *onlook, bool lost)
{
	if (lost)
		term_drop(onlook->term);
	else
		term_abandon(onlook->term);
	onlook_picture_done(&onlook->picture);
	onlook->term = NULL;
}

static int limited(int value, int most)
{
	return value > most ? (most > 0 ? most : 0) : value < 0 ? 0 : value;
}

/* The last line of the other terminal has keys that do nothing here: it is no part that is missed.
 */
static bool is_part(const struct onlook *onlook, int rows)
{
	const struct look_head *head = &onlook->picture.head;

	return (int)head->cols > onlook->term->cols || (int)head->rows - 1 > rows;
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

static void draw_picture(struct onlook *onlook, struct draw *draw, struct rect area)
{
	const struct look_head *head = &onlook->picture.head;
	int rows = (int)head->rows, cols = (int)head->cols, end;

	onlook->top = limited(onlook->top, rows - area.rows);
	onlook->left = limited(onlook->left, cols - area.cols);
	end = limited(onlook->left + area.cols, cols);
	for (int row = 0; row < area.rows && row + onlook->top < rows; row++) {
		const struct draw_glyph *glyphs =
			onlook->picture.glyphs + (size_t)(row + onlook->top) * head->cols;

		for (int at = onlook->left; at < end;)
			at += draw_column(draw, area.row + row, area.col + at - onlook->left,
					  glyphs + at, cols - 1 - at, end - at);
	}
	draw_cursor(draw, area, (int)head->cursor_row - onlook->top,
		    (int)head->cursor_col - onlook->left);
}

static void text_part(const struct onlook *onlook, struct rect area, struct line *line)
{
	const struct look_head *head = &onlook->picture.head;
	int right = onlook->left + area.cols, low = onlook->top + area.rows;

	line_add(line, _("arrows: col %d-%d/%u, line %d-%d/%u"), onlook->left + 1,
		 limited(right, (int)head->cols), head->cols, onlook->top + 1,
		 limited(low, (int)head->rows), head->rows);
}

/* Which key does what, and below it or beside it what is seen. */
static void draw_state(const struct onlook *onlook, struct draw *draw, struct rect area,
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
	text_part(onlook, seen, &line);
	if (area.rows > 1)
		draw_cell(draw, area, 1, 0, area.cols, ROLE_WARN, line.text);
	else
		draw_text(draw, area, 0, col, ROLE_ALERT, line.text);
}

/* Room for the longest that text_part() says, in any language. */
#define PART_COLS 48

static void draw_all(struct onlook *onlook)
{
	struct term *term = onlook->term;
	struct draw draw = { .term = term };
	struct rect seen = { 0, 0, term->rows, term->cols }, state;
	bool part = onlook->picture.head.rows && is_part(onlook, term->rows - 1);
	int keys = text_width(_("LOOKING ON: T steers, q leaves"));

	state = rect_cut_bottom(&seen,
				part && term->cols < keys + PART_COLS && seen.rows > 2 ? 2 : 1);
	draw_start(&draw);
	draw_cursor(&draw, state, 0, 0);
	if (onlook->picture.head.rows)
		draw_picture(onlook, &draw, seen);
	draw_state(onlook, &draw, state, seen, part);
	term_title(term, &onlook->picture.head.title);
	if (onlook->picture.head.bell)
		term_bell(term);
	onlook->picture.head.bell = 0;
	term_show(term, draw.cursor_row, draw.cursor_col);
}

void onlook_draw(struct onlook *onlook)
{
	/* What comes meanwhile is drawn together when it takes something again. */
	if (!onlook->dirty || !terminfo_takes_output())
		return;
	onlook->dirty = false;
	draw_all(onlook);
}

/* ---- keys ---- */

static enum onlook_wish on_key(struct onlook *onlook, int key)
{
	int page = onlook->term->rows - 1;

	onlook->dirty = true;
	switch (key == KEY_STEER ? COMMAND_NONE : keys_lookup(SCREEN_HELP, key)) {
	case COMMAND_UP:
		onlook->top--;
		break;
	case COMMAND_DOWN:
		onlook->top++;
		break;
	case COMMAND_PAGE_UP:
		onlook->top -= page;
		break;
	case COMMAND_PAGE_DOWN:
		onlook->top += page;
		break;
	case COMMAND_LEFT:
		onlook->left -= STEP_COLS;
		break;
	case COMMAND_RIGHT:
		onlook->left += STEP_COLS;
		break;
	case COMMAND_FIRST:
		onlook->top = onlook->left = 0;
		break;
	case COMMAND_LAST:
		onlook->top = onlook->left = LOOK_SIDE_MAX;
		break;
	case COMMAND_REDRAW:
		term_repaint(onlook->term);
		break;
	case COMMAND_THEME:
		(void)term_next_theme(onlook->term);
		break;
	default:
		if (key == SPECIAL_WHEEL_UP)
			onlook->top -= WHEEL_ROWS;
		else if (key == SPECIAL_WHEEL_DOWN)
			onlook->top += WHEEL_ROWS;
		else if (key == SPECIAL_RESIZE)
			term_resize(onlook->term);
		return key == KEY_STEER                   ? ONLOOK_STEER
		       : key == 'q' || key == SPECIAL_F10 ? ONLOOK_LEAVE
							  : ONLOOK_NOTHING;
	}
	return ONLOOK_NOTHING;
}

enum onlook_wish onlook_keys(struct onlook *onlook)
{
	enum onlook_wish wish = ONLOOK_NOTHING;
	int key;

	while (wish == ONLOOK_NOTHING) {
		switch (term_read(onlook->term, &key)) {
		case TERM_NOTHING:
			return ONLOOK_NOTHING;
		case TERM_SUSPEND:
			return ONLOOK_STOP;
		case TERM_KEY:
			wish = on_key(onlook, key);
			break;
		default:
			return ONLOOK_LEAVE;
		}
	}
	return wish;
}
