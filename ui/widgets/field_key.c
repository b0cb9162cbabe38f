/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which key edits a field how. */
#include "ui/widgets/field.h"

#include <string.h>

#include "ui/core/keys.h"

static enum field_event type(struct field *field, int key)
{
	char bytes[KEY_TEXT_MAX];

	if (!*keys_character(key, bytes))
		return FIELD_NOT_TAKEN;
	return field_insert(field, bytes) ? FIELD_CHANGED : FIELD_FULL;
}

static enum field_event erase(struct field *field, void (*how)(struct field *))
{
	size_t before = strlen(field->text);

	how(field);
	return strlen(field->text) == before ? FIELD_MOVED : FIELD_CHANGED;
}

static void erase_rest(struct field *field)
{
	field->text[field->cursor] = '\0';
}

static enum field_event move(struct field *field, void (*how)(struct field *))
{
	how(field);
	return FIELD_MOVED;
}

enum field_event field_key(struct field *field, int key)
{
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
		return erase(field, field_erase_before);
	case SPECIAL_DELETE:
	case KEY_CTRL('d'):
		return erase(field, field_erase_at);
	case KEY_CTRL('u'):
		return erase(field, field_clear);
	case KEY_CTRL('k'):
		return erase(field, erase_rest);
	case SPECIAL_LEFT:
		return move(field, field_left);
	case SPECIAL_RIGHT:
		return move(field, field_right);
	case SPECIAL_HOME:
	case KEY_CTRL('a'):
		return move(field, field_home);
	case SPECIAL_END:
	case KEY_CTRL('e'):
		return move(field, field_end);
	default:
		return type(field, key);
	}
}
