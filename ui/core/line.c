/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/line.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

void line_start(struct line *line, int limit)
{
	if (limit < 0)
		limit = 0;
	if (limit > LINE_COLUMNS_MAX)
		limit = LINE_COLUMNS_MAX;
	line->text[0] = '\0';
	line->columns = 0;
	line->limit = limit;
	line->cut = false;
}

static void put(struct line *line, int width, const char *text, bool tail)
{
	if (width > line->limit - line->columns) {
		width = line->limit - line->columns;
		line->cut = true;
	}
	if (width <= 0)
		return;

	size_t used = strlen(line->text);

	if (tail)
		text_fit_tail(line->text + used, sizeof(line->text) - used, text, width);
	else
		text_fit(line->text + used, sizeof(line->text) - used, text, width);
	line->columns += width;
}

void line_put(struct line *line, int width, const char *text)
{
	put(line, width, text, false);
}

void line_put_tail(struct line *line, int width, const char *text)
{
	put(line, width, text, true);
}

const char *line_short_fs(const char *fs, char buffer[static LINE_FS_MAX])
{
	if (strcmp(fs, "crypto_LUKS") == 0)
		fs = "LUKS";
	text_copy(buffer, LINE_FS_MAX, fs);
	buffer[strcspn(buffer, "_")] = '\0';
	return buffer;
}

void line_put_fs(struct line *line, int width, const char *fs)
{
	char name[LINE_FS_MAX];

	if (!fs[0])
		fs = "-";
	line_put(line, width, text_width(fs) > width ? line_short_fs(fs, name) : fs);
}

void line_put_right(struct line *line, int width, const char *text)
{
	int room = line->limit - line->columns;

	if (width > room)
		width = room;
	if (width <= 0)
		return;

	int wide = text_width(text);

	if (wide > width) {
		char full[LINE_COLUMNS_MAX + 1];

		memset(full, '#', (size_t)width);
		full[width] = '\0';
		put(line, width, full, false);
		return;
	}
	line_to(line, line->columns + width - wide);
	put(line, wide, text, false);
}

void line_put_right_word(struct line *line, int width, const char *word)
{
	if (text_width(word) > width)
		line_put(line, width, word);
	else
		line_put_right(line, width, word);
}

static void cell(struct line *line, int width, const char *text,
		 void (*put_text)(struct line *, int, const char *))
{
	if (!width)
		return;
	line_put(line, 1, "");
	put_text(line, width, text_or_dash(text));
}

void line_put_marked(struct line *line, int width, const char *text)
{
	bool marked = width > 4 && text_width(text) > width;

	line_put(line, marked ? width - 2 : width, text);
	if (marked)
		line_put(line, 2, "..");
}

void line_cell(struct line *line, int width, const char *text)
{
	cell(line, width, text, line_put_marked);
}

void line_cell_right(struct line *line, int width, const char *text)
{
	cell(line, width, text, line_put_right);
}

void line_cell_right_word(struct line *line, int width, const char *word)
{
	cell(line, width, word, line_put_right_word);
}

void line_add(struct line *line, const char *format, ...)
{
	char text[4 * LINE_COLUMNS_MAX + 1];

	text_vprint(text, sizeof(text), format);
	put(line, text_width(text), text, false);
}

void line_mark_cut(struct line *line)
{
	struct line kept;

	if (!line->cut || line->limit < 3)
		return;
	line_start(&kept, line->limit);
	put(&kept, line->limit - 2, line->text, false);
	put(&kept, 2, "..", false);
	*line = kept;
}

void line_fit(struct line *line, const char *text)
{
	int room = line->limit - line->columns;

	if (text_width(text) <= room || room < 3) {
		put(line, text_width(text), text, false);
		return;
	}
	put(line, room - 2, text, false);
	put(line, 2, "..", false);
}

bool line_piece(struct line *line, const char *format, ...)
{
	char text[4 * LINE_COLUMNS_MAX + 1];
	int gap = line->columns ? 2 : 1, wide;

	text_vprint(text, sizeof(text), format);
	wide = text_width(text);
	if (gap + wide > line->limit - line->columns)
		return false;
	put(line, gap, "", false);
	put(line, wide, text, false);
	return true;
}

void line_to(struct line *line, int column)
{
	if (column > line->columns)
		put(line, column - line->columns, "", false);
}

int line_digits(uint64_t value)
{
	int digits = 1;

	while (value >= 10) {
		value /= 10;
		digits++;
	}
	return digits;
}

int line_rows(const char *text, int columns)
{
	int rows = 0;

	for (size_t skip; *text && columns > 0; rows++) {
		text += text_break(text, columns, &skip);
		text += skip;
	}
	return rows;
}
