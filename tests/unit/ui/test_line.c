/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <string.h>

#include "base/text.h"
#include "line_test.h"

static struct line line;

TEST(test_never_wider)
{
	static const char *const texts[] = { "",
					     "a",
					     "wide \xe4\xbd\xa0\xe5\xa5\xbd end",
					     "e\xcc\x81 combined",
					     "%s%n no format",
					     "0123456789" };

	for (int limit = -3; limit <= 60; limit++)
		for (int width = -2; width <= 30; width++)
			for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
				int most = limit > 0 ? limit : 0;

				line_start(&line, limit);
				line_put(&line, width, texts[i]);
				line_put_tail(&line, width, texts[i]);
				line_add(&line, "%s", texts[i]);
				line_piece(&line, "%s", texts[i]);
				line_put_right(&line, width, texts[i]);
				line_to(&line, 40);
				ck_assert_int_le(line.columns, most);
				ck_assert_int_eq(text_width(line.text), line.columns);
			}
}

/* Nobody takes a head for all of it. */
TEST(test_fit)
{
	line_is(10, line_fit(&line, "0123456789"), "0123456789");
	line_start(&line, 10);
	line_add(&line, "ab");
	line_fit(&line, "012345678");
	ck_assert_str_eq(line.text, "ab012345..");
	line_start(&line, 5);
	line_fit(&line, "\xe4\xbd\xa0\xe5\xa5\xbd\xe4\xbd\xa0");
	ck_assert_int_eq(text_width(line.text), 5);
	line_is(2, line_fit(&line, "abc"), "ab");
}

/* Whichever piece had no room; and what had just enough says nothing. */
TEST(test_mark_cut)
{
	line_start(&line, 10);
	line_add(&line, "01234");
	line_add(&line, "56789");
	line_mark_cut(&line);
	ck_assert_str_eq(line.text, "0123456789");
	line_add(&line, "x");
	line_mark_cut(&line);
	ck_assert_str_eq(line.text, "01234567..");
	line_start(&line, 8);
	line_add(&line, "abc\xe4\xbd\xa0\xe5\xa5\xbd\xe4\xbd\xa0");
	line_mark_cut(&line);
	ck_assert_str_eq(line.text, "abc\xe4\xbd\xa0 ..");
	ck_assert_int_eq(line.columns, 8);
	line_start(&line, 2);
	line_add(&line, "abc");
	line_mark_cut(&line);
	ck_assert_str_eq(line.text, "ab");
}

TEST(test_file_systems)
{
	line_start(&line, 80);
	line_put_fs(&line, 7, "LVM2_member");
	line_put_fs(&line, 11, "LVM2_member");
	line_put_fs(&line, 2, "");
	ck_assert_str_eq(line.text, "LVM2   LVM2_member- ");
	line_start(&line, 80);
	line_put_fs(&line, 6, "crypto_LUKS");
	line_put_fs(&line, 11, "crypto_LUKS");
	ck_assert_str_eq(line.text, "LUKS  crypto_LUKS");
}

/* Whole, or not at all. */
TEST(test_piece)
{
	line_start(&line, 12);
	ck_assert(line_piece(&line, "bad %u", 7U));
	ck_assert(!line_piece(&line, "limit %u", 1U));
	ck_assert(line_piece(&line, "abcd"));
	ck_assert_str_eq(line.text, " bad 7  abcd");
	ck_assert(!line_piece(&line, "%s", ""));
	ck_assert_int_eq(line.columns, 12);
}

TEST(test_cells)
{
	line_start(&line, 40);
	line_put(&line, 6, "abc");
	line_put_right(&line, 6, "42");
	line_put_tail(&line, 6, "WX12D3456789");
	ck_assert_str_eq(line.text, "abc       42..6789");
}

/* Half a number would be another number. */
TEST(test_number_too_long)
{
	line_is(40, line_put_right(&line, 4, "12345"), "####");
}

TEST(test_longest)
{
	char text[4096];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	line_start(&line, 100000);
	line_add(&line, "%s", text);
	ck_assert_int_eq(line.columns, LINE_COLUMNS_MAX);
	ck_assert_uint_eq(strlen(line.text), LINE_COLUMNS_MAX);
}

TEST(test_digits)
{
	ck_assert_int_eq(line_digits(0), 1);
	ck_assert_int_eq(line_digits(9), 1);
	ck_assert_int_eq(line_digits(10), 2);
	ck_assert_int_eq(line_digits(UINT64_MAX), 20);
}

TEST(test_rows)
{
	ck_assert_int_eq(line_rows("", 10), 0);
	ck_assert_int_eq(line_rows("a b c", 10), 1);
	ck_assert_int_eq(line_rows("a b c", 3), 2);
	ck_assert_int_eq(line_rows("abcde", 2), 3);
	ck_assert_int_eq(line_rows("a", 0), 0);
}
