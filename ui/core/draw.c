/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/draw.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "base/array.h"
#include "base/text.h"

#include "ui/core/glyphs.h"
#include "ui/core/line.h"

static attr_t attributes(const struct draw *draw, enum role role)
{
	return draw->term->attributes[role];
}

static bool visible(struct rect area, int row)
{
	return !rect_empty(area) && row >= 0 && row < area.rows;
}

/* The next character of a text and its columns; '?' for what the terminal cannot show. Returns
 * the bytes taken, 0 at the end. */
static size_t next_character(const struct draw *draw, const char *text, wchar_t *ret, int *retcols)
{
	mbstate_t state = { 0 };
	size_t bytes;

	if (!*text)
		return 0;
	if (!draw->term->utf8 && (unsigned char)*text >= 0x80)
		bytes = (size_t)-1;
	else
		bytes = mbrtowc(ret, text, strlen(text), &state);
	if (bytes == (size_t)-1 || bytes == (size_t)-2) {
		bytes = 1;
		while (((unsigned char)text[bytes] & 0xc0) == 0x80)
			bytes++;
		*ret = L'?';
	}
	*retcols = wcwidth(*ret);
	if (*retcols < 0 || !iswprint((wint_t)*ret)) {
		*ret = L'?';
		*retcols = 1;
	}
	return bytes;
}

/* Everything is drawn with the attributes of the window: curses adds these to a cell that has some
 * of its own, so a frame would take the colour of the text that was drawn before it. */
static void use(const struct draw *draw, enum role role)
{
	attr_t attribute = attributes(draw, role);

	attr_set(attribute & ~A_COLOR, (short)PAIR_NUMBER(attribute), NULL);
}

/* Curses knows the looks of what was drawn; not every role has looks of its own. */
static void note_role(struct draw *draw, int row, int col, int cols, enum role role)
{
	int limit = draw->term->cols - col;

	if (!draw->roles || row < 0 || row >= draw->term->rows || col < 0 || limit <= 0)
		return;
	memset(draw->roles + (size_t)row * (size_t)draw->term->cols + col, (int)role,
	       (size_t)(cols < limit ? cols : limit));
}

#define RUN_MAX 256

/* Characters that stand side by side, given to curses in one call. */
static void put_run(struct draw *draw, int row, int col, int cols, enum role role,
		    const wchar_t *text, int length)
{
	if (!length)
		return;
	use(draw, role);
	mvaddnwstr(row, col, text, length);
	note_role(draw, row, col, cols, role);
}

/* One that takes one column. */
static void put(struct draw *draw, int row, int col, enum role role, wchar_t character)
{
	put_run(draw, row, col, 1, role, &character, 1);
}

/* Columns written. */
static int put_text(struct draw *draw, struct rect area, int row, int col, int cols, enum role role,
		    const char *text)
{
	int limit = col + cols < area.cols ? col + cols : area.cols;
	int start = col, run_start = col, width, length = 0;
	wchar_t run[RUN_MAX];
	size_t bytes;

	if (!visible(area, row) || col < 0)
		return 0;
	while ((bytes = next_character(draw, text, &run[length], &width)) > 0) {
		if (col + width > limit)
			break;
		text += bytes;
		/* A combining mark at the edge would change a cell outside of the area. */
		if (width <= 0 && !length)
			continue;
		col += width;
		if (++length == RUN_MAX) {
			put_run(draw, area.row + row, area.col + run_start, col - run_start, role,
				run, length);
			run_start = col;
			length = 0;
		}
	}
	put_run(draw, area.row + row, area.col + run_start, col - run_start, role, run, length);
	return col - start;
}

static int columns_of(const struct draw *draw, const char *text)
{
	wchar_t character;
	int width, sum = 0;
	size_t bytes;

	while ((bytes = next_character(draw, text, &character, &width)) > 0) {
		sum += width;
		text += bytes;
	}
	return sum;
}

static void put_blanks(struct draw *draw, struct rect area, int row, int col, int cols,
		       enum role role)
{
	if (col + cols > area.cols)
		cols = area.cols - col;
	if (!visible(area, row) || col < 0 || cols <= 0)
		return;
	use(draw, role);
	mvhline(area.row + row, area.col + col, ' ', cols);
	note_role(draw, area.row + row, area.col + col, cols, role);
}

int draw_text(struct draw *draw, struct rect area, int row, int col, enum role role,
	      const char *text)
{
	return col + put_text(draw, area, row, col, area.cols, role, text);
}

int draw_printf(struct draw *draw, struct rect area, int row, int col, enum role role,
		const char *format, ...)
{
	char text[1024];

	text_vprint(text, sizeof(text), format);
	return draw_text(draw, area, row, col, role, text);
}

void draw_cell(struct draw *draw, struct rect area, int row, int col, int cols, enum role role,
	       const char *text)
{
	int used = put_text(draw, area, row, col, cols, role, text);

	put_blanks(draw, area, row, col + used, cols - used, role);
}

void draw_cell_right(struct draw *draw, struct rect area, int row, int col, int cols,
		     enum role role, const char *text)
{
	int pad = cols - columns_of(draw, text);

	if (pad < 0)
		pad = 0;
	put_blanks(draw, area, row, col, pad, role);
	put_text(draw, area, row, col + pad, cols - pad, role, text);
}

/* A text that goes on below ends with "..". */
static void put_cut(struct draw *draw, struct rect area, int row, int col, enum role role,
		    const char *text)
{
	int room = area.cols - 2 - col;

	col += put_text(draw, area, row, col, room > 0 ? room : 0, role, text);
	put_text(draw, area, row, col, 2, role, "..");
}

int draw_wrapped(struct draw *draw, struct rect area, int row, int col, int rows, enum role role,
		 const char *text)
{
	int used = 0;

	if (area.cols - col <= 0)
		return 0;
	while (*text && used < rows) {
		char line[4 * LINE_COLUMNS_MAX + 1];
		size_t skip, length = text_break(text, area.cols - col, &skip);

		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		used++;
		text += length + skip;
		if (*text && used == rows)
			put_cut(draw, area, row + used - 1, col, role, line);
		else
			put_text(draw, area, row + used - 1, col, area.cols - col, role, line);
	}
	return used;
}

void draw_words(struct draw *draw, struct rect area, enum role role, const char *text)
{
	struct line line;

	line_start(&line, area.cols);
	while (*text) {
		const char *gap = strstr(text, "  ");
		int length = gap ? (int)(gap - text) : (int)strlen(text);

		if (!line_piece(&line, "%.*s", length, text))
			break;
		text += gap ? length + 2 : length;
	}
	draw_text(draw, area, 0, 0, role, line.text);
}

void draw_start(struct draw *draw)
{
	/* The ground of all that nothing is drawn on. */
	bkgdset(' ' | attributes(draw, ROLE_NORMAL));
	use(draw, ROLE_NORMAL);
	erase();
	for (int row = 0; row < draw->term->rows; row++)
		note_role(draw, row, 0, draw->term->cols, ROLE_NORMAL);
}

/* Curses numbers the cells of a wide character: is it the second one? */
static bool is_numbered(const cchar_t *cell)
{
	return (cell->attr & A_CHARTEXT) > 1;
}

static bool is_second_half(int row, int col)
{
	cchar_t cell;

	return mvin_wch(row, col, &cell) == OK && is_numbered(&cell);
}

/* Of a wide character that lies across an edge of the area, curses would send the other half, too,
 * and everything behind it one column off. */
static void clear_halves(struct draw *draw, int row, int first, int end)
{
	if (is_second_half(row, end))
		put(draw, row, end, ROLE_NORMAL, L' ');
	if (is_second_half(row, first))
		put(draw, row, first - 1, ROLE_NORMAL, L' ');
}

void draw_clear(struct draw *draw, struct rect area)
{
	for (int row = 0; row < area.rows && !rect_empty(area); row++) {
		clear_halves(draw, area.row + row, area.col, area.col + area.cols);
		put_blanks(draw, area, row, 0, area.cols, ROLE_NORMAL);
	}
}

/* The terminal's own line drawing: code points, and the letters that terminfo(5) has for them. */
static const struct {
	uint32_t code;
	char letter;
} line_glyphs[] = {
	{ 0x2500, 'q' }, { 0x2502, 'x' }, { 0x250c, 'l' }, { 0x2510, 'k' },
	{ 0x2514, 'm' }, { 0x2518, 'j' }, { 0x2592, 'a' }, { 0x23ba, 'o' },
	{ 0x23bb, 'p' }, { 0x23bc, 'r' }, { 0x23bd, 's' },
};

/* 0: there is none for this code point. */
static chtype acs_of(uint32_t code)
{
	for (size_t i = 0; i < ARRAY_SIZE(line_glyphs); i++)
		if (line_glyphs[i].code == code)
			return NCURSES_ACS(line_glyphs[i].letter);
	return 0;
}

/* Lines are box-drawing code points; not every terminal can show them as such. */
static void put_glyph(struct draw *draw, int row, int col, enum role role, uint32_t code)
{
	chtype acs = draw->term->utf8 ? 0 : acs_of(code);

	if (!acs) {
		put(draw, row, col, role, (wchar_t)code);
		return;
	}
	use(draw, role);
	mvaddch(row, col, acs);
	note_role(draw, row, col, 1, role);
}

enum line_part {
	LINE_ACROSS,
	LINE_DOWN,
	LINE_TOP_LEFT,
	LINE_TOP_RIGHT,
	LINE_LOW_LEFT,
	LINE_LOW_RIGHT
};

static void put_line(struct draw *draw, int row, int col, enum line_part part)
{
	static const char ascii[] = "-|++++";
	static const uint32_t codes[] = { 0x2500, 0x2502, 0x250c, 0x2510, 0x2514, 0x2518 };
	/* Fonts that have braille have these, too. */
	static const uint32_t rounded[] = { 0x2500, 0x2502, 0x256d, 0x256e, 0x2570, 0x256f };

	if (draw->term->glyphs == GLYPHS_ASCII)
		put(draw, row, col, ROLE_BOX, (wchar_t)ascii[part]);
	else
		put_glyph(draw, row, col, ROLE_BOX,
			  draw->term->glyphs == GLYPHS_BRAILLE ? rounded[part] : codes[part]);
}

void draw_edge(struct draw *draw, struct rect area, int row, int col)
{
	if (visible(area, row) && col >= 0 && col < area.cols)
		put_line(draw, area.row + row, area.col + col, LINE_DOWN);
}

static void put_title(struct draw *draw, struct rect area, const char *title)
{
	char text[512];

	if (!title || !*title)
		return;
	snprintf(text, sizeof(text), " %s ", title);
	put_text(draw, area, 0, 2, area.cols - 3, ROLE_STRONG, text);
}

void draw_box(struct draw *draw, struct rect area, const char *title)
{
	int bottom = area.row + area.rows - 1, right = area.col + area.cols - 1;

	if (area.rows < 2 || area.cols < 2)
		return;
	for (int col = area.col + 1; col < right; col++) {
		put_line(draw, area.row, col, LINE_ACROSS);
		put_line(draw, bottom, col, LINE_ACROSS);
	}
	for (int row = area.row + 1; row < bottom; row++) {
		put_line(draw, row, area.col, LINE_DOWN);
		put_line(draw, row, right, LINE_DOWN);
	}
	put_line(draw, area.row, area.col, LINE_TOP_LEFT);
	put_line(draw, area.row, right, LINE_TOP_RIGHT);
	put_line(draw, bottom, area.col, LINE_LOW_LEFT);
	put_line(draw, bottom, right, LINE_LOW_RIGHT);
	put_title(draw, area, title);
}

void draw_rule(struct draw *draw, struct rect area, const char *title)
{
	draw_stroke(draw, area, 0, 0, area.cols);
	put_title(draw, area, title);
}

void draw_tag(struct draw *draw, struct rect area, enum role role, const char *text)
{
	draw_printf(draw, area, 0, area.cols - columns_of(draw, text) - 4, role, " %s ", text);
}

void draw_stroke(struct draw *draw, struct rect area, int row, int col, int cols)
{
	if (!visible(area, row))
		return;
	for (int i = col; i < col + cols && i < area.cols; i++)
		put_line(draw, area.row + row, area.col + i, LINE_ACROSS);
}

void draw_highlight(struct draw *draw, struct rect area, int row, enum role role)
{
	attr_t attribute = attributes(draw, role);

	if (role == ROLE_CURSOR)
		draw->list_row = area.row + row;
	if (!visible(area, row))
		return;
	mvchgat(area.row + row, area.col, area.cols, attribute & ~A_COLOR,
		(short)PAIR_NUMBER(attribute), NULL);
	note_role(draw, area.row + row, area.col, area.cols, role);
}

void draw_bar(struct draw *draw, struct rect area, int row, int col, int cols, enum bar_kind kind,
	      enum role role, double fraction)
{
	uint32_t cells[512];
	int filled;

	if (!visible(area, row) || cols < 1 || cols > (int)ARRAY_SIZE(cells) || col < 0 ||
	    col + cols > area.cols)
		return;
	filled = glyphs_bar(draw->term->glyphs, kind, fraction, cols, cells);
	for (int i = 0; i < cols; i++)
		put_glyph(draw, area.row + row, area.col + col + i, i < filled ? role : ROLE_DIM,
			  cells[i]);
}

/* The colour of a row of a graph, by how far it is from the axis. */
static enum role height_role(enum role role, int row, int rows, bool down)
{
	int height = down ? row : rows - 1 - row;
	int step = rows > 1 ? height * (ROLE_HEIGHTS - 1) / (rows - 1) : ROLE_HEIGHTS - 1;

	return role == ROLE_READ    ? ROLE_READ_HEIGHT + (enum role)step
	       : role == ROLE_WRITE ? ROLE_WRITE_HEIGHT + (enum role)step
				    : role;
}

void draw_graph(struct draw *draw, struct rect area, enum role role, const float *samples,
		int count, float max, bool down)
{
	uint32_t line[1024];

	if (rect_empty(area) || area.cols > (int)ARRAY_SIZE(line))
		return;
	for (int row = 0; row < area.rows; row++) {
		glyphs_graph_row(draw->term->glyphs, samples, count, max, area.rows, row, area.cols,
				 down, line);
		for (int col = 0; col < area.cols; col++)
			put_glyph(draw, area.row + row, area.col + col,
				  height_role(role, row, area.rows, down), line[col]);
	}
}

static enum role cell_role(char letter)
{
	switch (letter) {
	case '+':
	case 'V':
	case '=':
		return ROLE_MAP_DONE;
	case '>':
		return ROLE_MAP_NOW;
	case '-':
	case 'x':
		return ROLE_MAP_BAD;
	case '*':
	case '/':
		return ROLE_MAP_RETRY;
	case '?':
	case '.':
		return ROLE_MAP_TODO;
	default:
		return ROLE_NORMAL;
	}
}

void draw_cells(struct draw *draw, struct rect area, int row, int col, const char *letters)
{
	char one[2] = "";

	for (; *letters; letters++, col++) {
		one[0] = *letters;
		put_text(draw, area, row, col, 1, cell_role(*letters), one);
	}
}

bool draw_has_shades(const struct draw *draw)
{
	return !draw->term->letters && draw->term->glyphs <= GLYPHS_HALF;
}

void draw_map_cells(struct draw *draw, struct rect area, int row, int col, const char *letters)
{
	static const char known[] = "+V*/?->.";
	static const uint32_t shades[] = {
		0x2593, 0x2588, 0x2592, 0x2592, 0x2591, 'X', 0x25ba, 0xb7
	};

	if (!draw_has_shades(draw)) {
		draw_cells(draw, area, row, col, letters);
		return;
	}
	for (; *letters && visible(area, row) && col < area.cols; letters++, col++) {
		const char *at = strchr(known, *letters);

		put_glyph(draw, area.row + row, area.col + col, cell_role(*letters),
			  at ? shades[at - known] : (uint32_t)*letters);
	}
}

void draw_field(struct draw *draw, struct rect area, int row, int col, int cols,
		const struct field *field, bool focused)
{
	int inside = cols - 2, cursor;
	char view[4 * 256 + 1];
	size_t first;

	if (inside < 1 || inside > 256)
		return;
	field_view(field, inside, view, &cursor, &first);
	put_text(draw, area, row, col, 1, focused ? ROLE_STRONG : ROLE_BOX, "[");
	put_text(draw, area, row, col + 1, inside, focused ? ROLE_FIELD : ROLE_NORMAL, view);
	put_text(draw, area, row, col + 1 + inside, 1, focused ? ROLE_STRONG : ROLE_BOX, "]");
	if (focused)
		draw_cursor(draw, area, row, col + 1 + (cursor < inside ? cursor : inside));
}

void draw_anew(struct rect area, int row)
{
	if (visible(area, row))
		wredrawln(stdscr, area.row + row, 1);
}

void draw_cursor(struct draw *draw, struct rect area, int row, int col)
{
	if (!visible(area, row) || col < 0 || col >= area.cols)
		return;
	draw->cursor_row = area.row + row;
	draw->cursor_col = area.col + col;
}

/* ---- for other terminals ---- */

/* The code point of what stands in a cell as the terminal's own line drawing. */
static uint32_t code_of_acs(wchar_t character)
{
	for (size_t i = 0; i < ARRAY_SIZE(line_glyphs); i++)
		if ((wchar_t)(NCURSES_ACS(line_glyphs[i].letter) & A_CHARTEXT) == character)
			return line_glyphs[i].code;
	return '?';
}

struct draw_glyph draw_read(const struct draw *draw, int row, int col)
{
	struct draw_glyph glyph = {
		.code = ' ',
		.role = draw->roles[(size_t)row * (size_t)draw->term->cols + (size_t)col],
	};
	wchar_t text[CCHARW_MAX + 1] = L"";
	attr_t attribute;
	cchar_t cell;
	short pair;

	if (mvin_wch(row, col, &cell) != OK)
		return glyph;
	if (is_numbered(&cell)) {
		glyph.code = 0;
	} else if (getcchar(&cell, text, &attribute, &pair, NULL) == OK && text[0]) {
		glyph.code = attribute & A_ALTCHARSET ? code_of_acs(text[0]) : (uint32_t)text[0];
		glyph.mark = (uint32_t)text[1];
	}
	return glyph;
}

void draw_copied(struct draw *draw, int row, int col, const struct draw_glyph *glyph, bool wide)
{
	const struct term *term = draw->term;
	uint32_t code = glyphs_nearest(term->glyphs, glyph->code);
	wchar_t text[2] = { (wchar_t)code, (wchar_t)glyph->mark };
	enum role role = (enum role)glyph->role;
	int cols = wide ? 2 : 1;

	if (!wide && !term->utf8 && acs_of(code)) {
		put_glyph(draw, row, col, role, code);
		return;
	}
	/* What takes other columns here would move all that follows. */
	if ((code >= 0x80 && !term->utf8) || !iswprint((wint_t)code) ||
	    wcwidth((wchar_t)code) != cols) {
		put_run(draw, row, col, cols, role, L"??", cols);
		return;
	}
	put_run(draw, row, col, cols, role, text, glyph->mark && wcwidth(text[1]) == 0 ? 2 : 1);
}
