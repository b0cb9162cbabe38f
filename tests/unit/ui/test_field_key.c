/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Typing into a field, key by key. */
#include "unit.h"

#include <string.h>

#include "ui/widgets/field.h"
#include "ui/core/keys.h"

static void type(struct field *field, const char *text)
{
	for (; *text; text++)
		ck_assert_int_eq(field_key(field, *text), FIELD_CHANGED);
}

TEST(test_typing)
{
	struct field field = { 0 };

	type(&field, "2048-@3");
	ck_assert_str_eq(field.text, "2048-@3");
	ck_assert_int_eq(field_key(&field, SPECIAL_LEFT), FIELD_MOVED);
	ck_assert_int_eq(field_key(&field, SPECIAL_BACKSPACE), FIELD_CHANGED);
	ck_assert_str_eq(field.text, "2048-3");
	ck_assert_int_eq(field_key(&field, SPECIAL_HOME), FIELD_MOVED);
	ck_assert_int_eq(field_key(&field, SPECIAL_DELETE), FIELD_CHANGED);
	ck_assert_str_eq(field.text, "048-3");
	ck_assert_int_eq(field_key(&field, SPECIAL_BACKSPACE), FIELD_MOVED);
	ck_assert_int_eq(field_key(&field, KEY_CTRL('e')), FIELD_MOVED);
	ck_assert_int_eq(field_key(&field, SPECIAL_DELETE), FIELD_MOVED);
	type(&field, "+");
	ck_assert_str_eq(field.text, "048-3+");
	ck_assert_int_eq(field_key(&field, KEY_CTRL('u')), FIELD_CHANGED);
	ck_assert_str_eq(field.text, "");
	ck_assert_int_eq(field_key(&field, KEY_CTRL('u')), FIELD_MOVED);
}

TEST(test_rest)
{
	struct field field = { 0 };

	type(&field, "abc");
	field_key(&field, SPECIAL_LEFT);
	ck_assert_int_eq(field_key(&field, KEY_CTRL('k')), FIELD_CHANGED);
	ck_assert_str_eq(field.text, "ab");
}

TEST(test_wide_characters)
{
	struct field field = { 0 };

	ck_assert_int_eq(field_key(&field, 0xe4), FIELD_CHANGED);
	ck_assert_int_eq(field_key(&field, 0x20ac), FIELD_CHANGED);
	ck_assert_int_eq(field_key(&field, 0x1f4be), FIELD_CHANGED);
	ck_assert_str_eq(field.text, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x92\xbe");
	field_key(&field, SPECIAL_BACKSPACE);
	field_key(&field, SPECIAL_LEFT);
	ck_assert_int_eq((int)field.cursor, 2);
	field_key(&field, SPECIAL_BACKSPACE);
	ck_assert_str_eq(field.text, "\xe2\x82\xac");
}

TEST(test_not_taken)
{
	static const int keys[] = { SPECIAL_UP,
				    SPECIAL_DOWN,
				    SPECIAL_PAGE_UP,
				    SPECIAL_PAGE_DOWN,
				    SPECIAL_F1,
				    SPECIAL_F10,
				    SPECIAL_OTHER,
				    KEY_CTRL('l'),
				    KEY_CTRL('c'),
				    0x7f,
				    0x9b,
				    0 };
	struct field field = { 0 };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		ck_assert_int_eq(field_key(&field, keys[i]), FIELD_NOT_TAKEN);
	ck_assert_str_eq(field.text, "");
}

TEST(test_events)
{
	struct field field = { 0 };

	ck_assert_int_eq(field_key(&field, SPECIAL_ENTER), FIELD_ACCEPTED);
	ck_assert_int_eq(field_key(&field, SPECIAL_ESCAPE), FIELD_CANCELLED);
	ck_assert_int_eq(field_key(&field, SPECIAL_TAB), FIELD_NEXT);
	ck_assert_int_eq(field_key(&field, SPECIAL_BACK_TAB), FIELD_PREVIOUS);
	for (int i = 0; i < FIELD_TEXT_MAX - 1; i++)
		ck_assert_int_eq(field_key(&field, 'x'), FIELD_CHANGED);
	ck_assert_int_eq(field_key(&field, 'x'), FIELD_FULL);
	ck_assert_int_eq((int)strlen(field.text), FIELD_TEXT_MAX - 1);
}
