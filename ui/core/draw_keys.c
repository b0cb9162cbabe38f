/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys that are told on the screen, where a click does what they do. */
#include "ui/core/draw.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#include "ui/core/keys.h"

static void note_key(struct draw *draw, int row, int from, int to, int key)
{
	if (draw->key_count < DRAW_KEYS_MAX)
		draw->keys[draw->key_count++] = (struct draw_key){ row, from, to, key };
}

void draw_key_row(struct draw *draw, struct rect area, int row, int key)
{
	if (row < area.rows)
		note_key(draw, area.row + row, area.col, area.col + area.cols, key);
}

static int width_of(const char *text, size_t length)
{
	char part[256];

	snprintf(part, sizeof(part), "%.*s", (int)length, text);
	return text_width(part);
}

/* "Esc=close": all of it. Where several keys have one word, only their names, unless the last one
 * is Esc: the word says what all of them do then. False: "Esc, then: o=options", whose keys do
 * nothing before. */
static bool note_keys(struct draw *draw, int row, int col, const char *word, size_t length)
{
	const char *at = word, *end = word + length;
	size_t names = strcspn(word, "=");

	for (int count = 0; at < end && *at != '='; count++) {
		/* "/" is a key, too. */
		size_t name = 1 + strcspn(at + 1, " =/,");
		int key = keys_named(at, name);
		bool all = at[name] == '=' && (count == 0 || key == SPECIAL_ESCAPE);
		size_t from = (size_t)(at - word);

		if (key == SPECIAL_NONE)
			break;
		note_key(draw, row, col + width_of(word, from),
			 col + width_of(word, all ? length : from + name), key);
		at += name;
		at += strspn(at, " /,");
	}
	return names >= length || !memchr(word, ':', names);
}

void draw_keys(struct draw *draw, struct rect area, enum role role, const char *text)
{
	int col = 1;

	draw_words(draw, area, role, text);
	while (*text && area.rows > 0) {
		const char *gap = strstr(text, "  ");
		size_t length = gap ? (size_t)(gap - text) : strlen(text);
		int cols = width_of(text, length);

		if (col + cols > area.cols ||
		    !note_keys(draw, area.row, area.col + col, text, length))
			break;
		col += cols + 2;
		text += gap ? length + 2 : length;
	}
}
