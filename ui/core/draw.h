/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drawing, on curses. Everything is drawn into an area, at rows and columns
 * relative to it, and is cut at its edges: text that got longer in translation
 * cannot spill over. Widths are counted by wcwidth(), never in bytes.
 *
 * A frame is drawn completely each time; curses sends only what changed.
 */
#pragma once

#include "ui/widgets/field.h"
#include "ui/core/glyphs.h"
#include "ui/core/layout.h"
#include "ui/core/term.h"

#define DRAW_KEYS_MAX 32

struct draw {
	const struct term *term;
	int cursor_row, cursor_col; /* absolute; where the hardware cursor goes at the end */
	struct rect list;           /* the rows of a list with a cursor, where a click moves that */
	int list_row;      /* absolute; the last one that looks like being under a cursor */
	struct rect field; /* where a click does what Tab does; empty: nowhere */
	struct rect range; /* where it edits the range; likewise */
	struct rect map;   /* of a disk: a click opens it, or moves its cursor there */
	int map_cell;      /* where its cursor is, row after row; -1: it is not open */
	struct draw_key {
		int row, from, to; /* absolute; `to` is behind the last */
		int key;
	} keys[DRAW_KEYS_MAX]; /* their names, where a click does what they do */
	int key_count;
	uint8_t *roles; /* of each column of each row; NULL: nobody asks for them */
};

/* A new frame: everything blank. Nothing is sent yet. */
void draw_start(struct draw *draw);

/* Text; returns the column behind it, relative to the area. */
int draw_text(struct draw *draw, struct rect area, int row, int col, enum role role,
	      const char *text);
int draw_printf(struct draw *draw, struct rect area, int row, int col, enum role role,
		const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Exactly `cols` columns: padded, or cut; the head of the text is kept. */
void draw_cell(struct draw *draw, struct rect area, int row, int col, int cols, enum role role,
	       const char *text);
/* Right-aligned in `cols` columns. */
void draw_cell_right(struct draw *draw, struct rect area, int row, int col, int cols,
		     enum role role, const char *text);
/* Broken at blanks over at most `rows` lines; returns the lines used. */
int draw_wrapped(struct draw *draw, struct rect area, int row, int col, int rows, enum role role,
		 const char *text);

/* In its first row, of words two blanks apart, a blank before the first, as many as fit. */
void draw_words(struct draw *draw, struct rect area, enum role role, const char *text);

/* The same, of keys and what they do ("Enter=take it  Up/Down=scroll"), which can be clicked. */
void draw_keys(struct draw *draw, struct rect area, enum role role, const char *text);

/* All of that row can be clicked, as that key. */
void draw_key_row(struct draw *draw, struct rect area, int row, int key);

/* A line over so many columns, as those of frames. */
void draw_stroke(struct draw *draw, struct rect area, int row, int col, int cols);
/* Blanks. */
void draw_clear(struct draw *draw, struct rect area);
/* "+- title -----+" all around the area. */
void draw_box(struct draw *draw, struct rect area, const char *title);
/* "-- title -------" over the whole width of the first row. */
void draw_rule(struct draw *draw, struct rect area, const char *title);
/* " text " near the right end of a rule, or of the top of a box. */
void draw_tag(struct draw *draw, struct rect area, enum role role, const char *text);
/* Gives the row, as it is drawn, the look of a role: the row under the cursor. */
void draw_highlight(struct draw *draw, struct rect area, int row, enum role role);

/* A bar over `cols` columns. */
void draw_bar(struct draw *draw, struct rect area, int row, int col, int cols, enum bar_kind kind,
	      enum role role, double fraction);
/* A graph over the whole area (see glyphs_graph_row()). */
void draw_graph(struct draw *draw, struct rect area, enum role role, const float *samples,
		int count, float max, bool down);
/* A line from top to bottom, in one cell. */
void draw_edge(struct draw *draw, struct rect area, int row, int col);
/* A row of map or picture letters, each in its role. */
void draw_cells(struct draw *draw, struct rect area, int row, int col, const char *letters);
/* A row of a map: as shades where the terminal has them, unless ddrescue's letters are asked for.
 */
void draw_map_cells(struct draw *draw, struct rect area, int row, int col, const char *letters);
bool draw_has_shades(const struct draw *draw);
/* "[text____]", `cols` columns with its brackets, scrolled so that the cursor shows; with
 * `focused` the hardware cursor goes there. */
void draw_field(struct draw *draw, struct rect area, int row, int col, int cols,
		const struct field *field, bool focused);
/* Sends the whole row again, even if it did not change: a screen reader speaks what is sent. */
void draw_anew(struct rect area, int row);
/* Where the hardware cursor goes: the first letter of the focused row. */
void draw_cursor(struct draw *draw, struct rect area, int row, int col);

/* What stands in one column of the screen. */
struct draw_glyph {
	uint32_t code; /* 0: the right half of the character before it */
	uint32_t mark; /* a combining one; 0: none */
	uint32_t role;
};

/* What has been drawn there. With the roles. */
struct draw_glyph draw_read(const struct draw *draw, int row, int col);
/* Such a column of another terminal's screen, as this one can show it; wide: with the next one. */
void draw_copied(struct draw *draw, int row, int col, const struct draw_glyph *glyph, bool wide);
