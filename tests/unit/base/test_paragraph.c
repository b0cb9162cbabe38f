/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that is broken into lines. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

/* Breaking loses nothing but blanks, never exceeds the width, and always gets on. */
TEST(breaks_lines)
{
	const char *text =
		"one two  three anextremelylongwordthatfitsnowhere \xe4\xbd\xa0\xe5\xa5\xbd x";

	for (int columns = 0; columns < 70; columns++) {
		char kept[256] = "", all[256] = "";
		size_t at = 0;

		while (text[at]) {
			char part[256] = "";
			size_t skip, length = text_break(text + at, columns, &skip);

			ck_assert_uint_gt(length, 0);
			memcpy(part, text + at, length);
			if (columns >= 2)
				ck_assert_int_le(text_width(part), columns);
			strcat(kept, part);
			at += length + skip;
		}
		for (const char *from = text; *from; from++)
			if (*from != ' ')
				all[strlen(all)] = *from;
		for (char *from = kept, *to = kept;; from++)
			if (*from != ' ' && !(*to++ = *from))
				break;
		ck_assert_str_eq(kept, all);
	}
}

static const struct {
	int columns;
	const char *text, *lines;
} paragraphs[] = {
	{ 14, "one two three", "- one two\n  three\n" },
	{ 0, "one two three", "- one two three\n" },
	/* A command is never broken, and nothing else stands on its line. */
	{ 14, "Run it:  cat a b c d e f", "- Run it:\n  cat a b c d e f\n" },
	{ 0, "Run it:  cat a  Then copy b.", "- Run it:\n  cat a\n  Then copy b.\n" },
	{ 9, "Run it now, or:  cat 'x  y' a\\'  b  No: it:  c",
	  "- Run it\n  now,\n  or:\n  cat 'x  y' a\\'\n  b  No:\n  it:\n  c\n" },
};

TEST_ROWS(a_command_is_one_line, ARRAY_SIZE(paragraphs))
{
	char written[256] = "";
	FILE *out = fmemopen(written, sizeof(written), "w");

	ck_assert_ptr_nonnull(out);
	text_paragraph(out, paragraphs[_i].columns, "- ", paragraphs[_i].text);
	fclose(out);
	ck_assert_str_eq(written, paragraphs[_i].lines);
}

TEST(breaks_beside_wide_characters)
{
	/* "日本語", "日本。語", "「日本」語": no line begins with what closes, or ends with what
	 * opens. */
	static const struct {
		const char *text;
		int columns;
		size_t bytes;
	} cases[] = {
		{ "abc \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 9, 10 },
		{ "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 5, 6 },
		{ "\xe6\x97\xa5\xe6\x9c\xac\xe3\x80\x82\xe8\xaa\x9e", 4, 3 },
		{ "\xe6\x97\xa5\xe3\x80\x8c\xe6\x9c\xac\xe3\x80\x8d", 4, 3 },
		{ "\xe6\x97\xa5 sda1\xe6\x9c\xac", 6, 3 },
		{ "\xe6\x97\xa5 sda1\xe6\x9c\xac", 7, 8 },
	};
	size_t skip;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_assert_msg(text_break(cases[i].text, cases[i].columns, &skip) == cases[i].bytes,
			      "%zu", i);
}
