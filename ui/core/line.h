/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line of text of a fixed number of columns, put together cell by cell. The
 * models use it so that no row can ever be wider than its screen, whatever a
 * disk calls itself. Pure; no curses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_COLUMNS_MAX 512

struct line {
	char text[4 * LINE_COLUMNS_MAX + 1];
	int columns; /* used so far */
	int limit;   /* most columns it may take */
	bool cut;    /* there was no room for all of it */
};

/* limit is cut to 0…LINE_COLUMNS_MAX. */
void line_start(struct line *line, int limit);
/* Cells exactly `width` wide; too long a text keeps its head, or its tail. */
void line_put(struct line *line, int width, const char *text);
void line_put_tail(struct line *line, int width, const char *text);
/* Cut, it ends in "..", where there is room for that. */
void line_put_marked(struct line *line, int width, const char *text);
#define LINE_FS_MAX 32
/* The short name of what a partition holds: "LVM2" for "LVM2_member", "LUKS" for "crypto_LUKS". */
const char *line_short_fs(const char *fs, char buffer[static LINE_FS_MAX]);
/* Its name, the short one where the long one does not fit; "-" for none. */
void line_put_fs(struct line *line, int width, const char *fs);
/* Right-aligned. A number that does not fit is shown as '#': cut, it would be another number. */
void line_put_right(struct line *line, int width, const char *text);
/* The same for a word, of which the head says enough. */
void line_put_right_word(struct line *line, int width, const char *word);
/* A cell of a table with a blank before it; nothing at all where width is 0. An empty text is
 * shown as "-"; one that is cut ends in "..". */
void line_cell(struct line *line, int width, const char *text);
void line_cell_right(struct line *line, int width, const char *text);
void line_cell_right_word(struct line *line, int width, const char *word);
/* As wide as it is; what lies beyond the limit is lost. */
void line_add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Where something had no room, the line ends in "..". */
void line_mark_cut(struct line *line);
/* As line_add(), but a text that is cut ends in "..". */
void line_fit(struct line *line, const char *text);
/* Adds the whole text, two blanks behind what is there (one at the start). False: there was no
 * room, and nothing was added, since a number that is cut would be another number. */
bool line_piece(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Blanks up to `column`; nothing when the line is already there. */
void line_to(struct line *line, int column);

/* Decimal digits that `value` needs. */
int line_digits(uint64_t value);
/* Lines of so many columns that a text takes, broken at blanks. */
int line_rows(const char *text, int columns);
