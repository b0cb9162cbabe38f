/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/widgets/field.h"

#include <string.h>

#include "base/text.h"

#include "ui/core/keys.h"

static bool continues(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t next(const struct field *field, size_t at)
{
	if (field->text[at])
		at++;
	while (continues(field->text[at]))
		at++;
	return at;
}

static size_t previous(const struct field *field, size_t at)
{
	if (at)
		at--;
	while (at && continues(field->text[at]))
		at--;
	return at;
}

bool field_set(struct field *field, const char *text)
{
	size_t length = strlen(text);

	if (length >= sizeof(field->text))
		return false;
	memmove(field->text, text, length + 1);
	field->cursor = length;
	return true;
}

void field_clear(struct field *field)
{
	field->text[0] = '\0';
	field->cursor = 0;
}

bool field_insert(struct field *field, const char *bytes)
{
	size_t length = strlen(field->text), add = strlen(bytes);

	for (const char *p = bytes; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return false;
	if (length + add >= sizeof(field->text))
		return false;
	memmove(field->text + field->cursor + add, field->text + field->cursor,
		length - field->cursor + 1);
	memcpy(field->text + field->cursor, bytes, add);
	field->cursor += add;
	return true;
}

/* Columns of the bytes [from, to). */
static int width(const struct field *field, size_t from, size_t to)
{
	int columns = 0;

	while (from < to) {
		char one[8] = "";
		size_t behind = next(field, from);

		memcpy(one, field->text + from,
		       behind - from < sizeof(one) ? behind - from : sizeof(one) - 1);
		columns += text_width(one);
		from = behind;
	}
	return columns;
}

void field_view(const struct field *field, int columns, char *ret, int *retcursor, size_t *retfirst)
{
	size_t first = 0, at, room = 4 * (size_t)columns;
	int used = 0, before = width(field, 0, field->cursor);

	/* One column stays free behind the cursor, so that there is a place to type. */
	while (first < field->cursor && before > columns - 1) {
		size_t behind = next(field, first);

		before -= width(field, first, behind);
		first = behind;
	}
	at = first;
	while (field->text[at]) {
		size_t behind = next(field, at);
		int wide = width(field, at, behind);

		/* Combining characters take bytes but no columns. */
		if (used + wide > columns || behind - first > room - (size_t)(columns - used))
			break;
		memcpy(ret, field->text + at, behind - at);
		ret += behind - at;
		used += wide;
		at = behind;
	}
	for (; used < columns; used++)
		*ret++ = '_';
	*ret = '\0';
	*retcursor = before;
	*retfirst = first;
}

int field_column(const struct field *field, size_t first, size_t at)
{
	size_t length = strlen(field->text);

	if (at > length)
		at = length;
	return at >= first ? width(field, first, at) : -width(field, at, first);
}

/* ---- keys ---- */

static enum field_event move(struct field *field, size_t to)
{
	field->cursor = to;
	return FIELD_MOVED;
}

static enum field_event cut(struct field *field, size_t from, size_t to)
{
	memmove(field->text + from, field->text + to, strlen(field->text + to) + 1);
	field->cursor = from;
	return from == to ? FIELD_MOVED : FIELD_CHANGED;
}

static enum field_event type(struct field *field, int key)
{
	char bytes[KEY_TEXT_MAX];

	if (!*keys_character(key, bytes))
		return FIELD_NOT_TAKEN;
	return field_insert(field, bytes) ? FIELD_CHANGED : FIELD_FULL;
}

enum field_event field_key(struct field *field, int key)
{
	size_t cursor = field->cursor, length = strlen(field->text);

	switch (key) {
	case SPECIAL_ENTER:
		return FIELD_ACCEPTED;
	case SPECIAL_ESCAPE:
		return FIELD_CANCELLED;
	case SPECIAL_TAB:
		return FIELD_NEXT;
	case SPECIAL_BACK_TAB:
		return FIELD_PREVIOUS;
	case SPECIAL_BACKSPACE:
		return cut(field, previous(field, cursor), cursor);
	case SPECIAL_DELETE:
	case KEY_CTRL('d'):
		return cut(field, cursor, next(field, cursor));
	case KEY_CTRL('u'):
		return cut(field, 0, length);
	case KEY_CTRL('k'):
		return cut(field, cursor, length);
	case SPECIAL_LEFT:
		return move(field, previous(field, cursor));
	case SPECIAL_RIGHT:
		return move(field, next(field, cursor));
	case SPECIAL_HOME:
	case KEY_CTRL('a'):
		return move(field, 0);
	case SPECIAL_END:
	case KEY_CTRL('e'):
		return move(field, length);
	default:
		return type(field, key);
	}
}
