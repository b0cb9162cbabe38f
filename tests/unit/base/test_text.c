/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hostile text: whatever goes in, what comes out can be shown. */
#include "unit.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/letters.h"
#include "base/text.h"

static const struct {
	const char *from, *to;
} texts[] = {
	{ "", "" },
	{ "boot", "boot" },
	{ "  WDC WD40EFAX-68J    ", "WDC WD40EFAX-68J" },
	{ "ST2000DM008\n", "ST2000DM008" },
	{ "\t\r\n a \v\f\n", "a" },
	{ "a\nb\tc", "a?b?c" },
	{ "\033[31mred\033[0m", "?[31mred?[0m" },
	{ "\033]0;title\007", "?]0;title?" },
	{ "\x7f\x01\x1f", "???" },
	{ "a\xc2\x9b"
	  "31m",
	  "a?31m" }, /* C1 CSI in UTF-8 */
	{ "\x9b"
	  "31m",
	  "?31m" }, /* and as a bare byte */
	{ "caf\xc3\xa9", "caf\xc3\xa9" },
	{ "cafe\xcc\x81", "cafe\xcc\x81" }, /* combining accent, as HFS+ writes it */
	{ "\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac" },
	{ "\xf0\x9f\x92\xbe", "\xf0\x9f\x92\xbe" }, /* U+1F4BE floppy disk */
	{ "\xd8\xb9\xd8\xb1", "\xd8\xb9\xd8\xb1" }, /* Arabic letters themselves are fine */
	{ "a\xe2\x80\xae"
	  "b",
	  "a?b" }, /* U+202E right-to-left override */
	{ "a\xe2\x80\xaa"
	  "b",
	  "a?b" }, /* U+202A */
	{ "a\xe2\x81\xa6"
	  "b\xe2\x81\xa9",
	  "a?b?" }, /* U+2066, U+2069 */
	{ "a\xe2\x80\x8e"
	  "b\xe2\x80\x8f",
	  "a?b?" }, /* U+200E, U+200F */
	{ "a\xd8\x9c"
	  "b",
	  "a?b" }, /* U+061C */
	{ "a\xe2\x80\x8b"
	  "b\xe2\x80\x8d",
	  "a?b?" }, /* zero-width space, joiner */
	{ "a\xe2\x81\xa0"
	  "b",
	  "a?b" }, /* U+2060 word joiner */
	{ "\xef\xbb\xbf"
	  "a",
	  "?a" }, /* U+FEFF */
	{ "a\xc2\xad"
	  "b",
	  "a?b" }, /* soft hyphen */
	{ "a\xe2\x80\xa8"
	  "b\xe2\x80\xa9"
	  "c",
	  "a?b?c" }, /* line, paragraph separator */
	{ "a\xe3\x85\xa4"
	  "b",
	  "a?b" }, /* U+3164 Hangul filler */
	{ "a\xef\xb8\x8f"
	  "b",
	  "a?b" }, /* U+FE0F variation selector */
	{ "a\xee\x80\x80"
	  "b",
	  "a?b" }, /* U+E000 private use */
	{ "a\xf3\xb0\x80\x80"
	  "b",
	  "a?b" }, /* U+F0000 private use */
	{ "a\xf3\xa0\x81\x81"
	  "b",
	  "a?b" }, /* U+E0041 tag */
	{ "a\xef\xbf\xbe"
	  "b",
	  "a?b" }, /* U+FFFE noncharacter */
	{ "a\xef\xb7\x90"
	  "b",
	  "a?b" }, /* U+FDD0 noncharacter */
	{ "a\xf4\x8f\xbf\xbf"
	  "b",
	  "a?b" }, /* U+10FFFF */
	{ "a\xf1\x80\x80\x80"
	  "b",
	  "a?b" }, /* U+40000 unassigned plane */
	{ "a\xef\xbf\xbd"
	  "b",
	  "a\xef\xbf\xbd"
	  "b" },                        /* U+FFFD is honest */
	{ "\xc0\x80", "??" },           /* overlong NUL */
	{ "\xc0\xaf", "??" },           /* overlong slash */
	{ "\xe0\x9f\xbf", "???" },      /* overlong */
	{ "\xf0\x8f\xbf\xbf", "????" }, /* overlong */
	{ "\xed\xa0\x80", "???" },      /* surrogate */
	{ "\xf4\x90\x80\x80", "????" }, /* beyond U+10FFFF */
	{ "\xf5\x80\x80\x80", "????" },
	{ "\xfe\xff", "??" },
	{ "\x80"
	  "a",
	  "?a" },
	{ "a\xc3", "a?" }, /* cut off */
	{ "a\xe6\x97", "a?" },
	{ "a\xf0\x9f\x92", "a?" },
	{ "\xe6\x97"
	  "a",
	  "?a" },
	{ "\xc3\xc3\xa9", "?\xc3\xa9" },
	{ "a\xc2\xa0"
	  "b",
	  "a b" }, /* no-break space */
	{ "a\xe2\x80\x83"
	  "b",
	  "a b" }, /* em space */
	{ "\xe3\x80\x80"
	  "a\xe3\x80\x80",
	  "a" }, /* ideographic spaces around */
	{ "\xc2\xa0", "" },
};

TEST_ROWS(sanitises, ARRAY_SIZE(texts))
{
	char out[64];
	const char *from = texts[_i].from;

	memset(out, '~', sizeof(out));
	ck_assert_ptr_eq(text_sanitise(out, sizeof(out), from, strlen(from)), out);
	ck_assert_str_eq(out, texts[_i].to);
	/* What came out goes through unchanged. */
	char again[64];

	ck_assert_str_eq(text_sanitise(again, sizeof(again), out, sizeof(out)), out);
	/* In place. */
	char same[64];

	snprintf(same, sizeof(same), "%s", from);
	ck_assert_str_eq(text_sanitise(same, sizeof(same), same, sizeof(same)), texts[_i].to);
}

TEST(stops_at_length_and_at_nul)
{
	char out[64];

	ck_assert_str_eq(text_sanitise(out, sizeof(out), "abcdef", 3), "abc");
	ck_assert_str_eq(text_sanitise(out, sizeof(out), "ab\0cd", 5), "ab");
	ck_assert_str_eq(text_sanitise(out, sizeof(out), "ab   cd", 5), "ab");
	/* The length cuts a character: nothing behind it is read. */
	ck_assert_str_eq(text_sanitise(out, sizeof(out), "a\xe6\x97\xa5", 3), "a?");
	ck_assert_str_eq(text_sanitise(out, sizeof(out), "abc", 0), "");
	/* INQUIRY strings have no NUL. */
	const char model[4] = { 'D', 'I', 'S', 'K' };

	ck_assert_str_eq(text_sanitise(out, sizeof(out), model, sizeof(model)), "DISK");
}

TEST(truncates_between_characters)
{
	char out[8];

	ck_assert_str_eq(text_sanitise(out, 4, "abcdef", 6), "abc");
	ck_assert_str_eq(text_sanitise(out, 4, "ab\xc3\xa9", 4), "ab");
	ck_assert_str_eq(text_sanitise(out, 5, "ab\xc3\xa9", 4), "ab\xc3\xa9");
	ck_assert_str_eq(text_sanitise(out, 4, "ab cd", 5), "ab");
	ck_assert_str_eq(text_sanitise(out, 1, "abc", 3), "");
	memset(out, '~', sizeof(out));
	text_sanitise(out, 0, "abc", 3);
	ck_assert_int_eq(out[0], '~');
}

/* Is it UTF-8 of code points from 0x20 on without those that steer a terminal? Written
 * apart from the code under test, the plain way. */
static bool harmless(const char *text)
{
	const unsigned char *t = (const unsigned char *)text;

	while (*t) {
		uint32_t code;
		int more;

		if (*t < 0x80) {
			code = *t;
			more = 0;
		} else if ((*t & 0xe0) == 0xc0) {
			code = *t & 0x1f;
			more = 1;
		} else if ((*t & 0xf0) == 0xe0) {
			code = *t & 0x0f;
			more = 2;
		} else if ((*t & 0xf8) == 0xf0) {
			code = *t & 0x07;
			more = 3;
		} else {
			return false;
		}
		for (int i = 0; i < more; i++) {
			t++;
			if ((*t & 0xc0) != 0x80)
				return false;
			code = code << 6 | (*t & 0x3f);
		}
		t++;
		if (code < 0x20 || (code >= 0x7f && code < 0xa0) ||
		    (code >= 0xd800 && code < 0xf900) || (code >= 0x200b && code <= 0x200f) ||
		    (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
		    code == 0x061c || code == 0xfeff || (code & 0xfffe) == 0xfffe ||
		    code >= 0xe0000)
			return false;
		if ((more == 1 && code < 0x80) || (more == 2 && code < 0x800) ||
		    (more == 3 && code < 0x10000))
			return false;
	}
	return true;
}

TEST(every_code_point)
{
	for (uint32_t code = 1; code < 0x110000; code++) {
		char from[5] = { 0 }, out[8];

		if (code < 0x80) {
			from[0] = (char)code;
		} else if (code < 0x800) {
			from[0] = (char)(0xc0 | code >> 6);
			from[1] = (char)(0x80 | (code & 0x3f));
		} else if (code < 0x10000) {
			from[0] = (char)(0xe0 | code >> 12);
			from[1] = (char)(0x80 | (code >> 6 & 0x3f));
			from[2] = (char)(0x80 | (code & 0x3f));
		} else {
			from[0] = (char)(0xf0 | code >> 18);
			from[1] = (char)(0x80 | (code >> 12 & 0x3f));
			from[2] = (char)(0x80 | (code >> 6 & 0x3f));
			from[3] = (char)(0x80 | (code & 0x3f));
		}
		text_sanitise(out, sizeof(out), from, strlen(from));
		/* No ck_assert: it talks to the runner each time. */
		if (!harmless(out))
			ck_abort_msg("U+%04X", (unsigned)code);
		/* Printable ASCII and Latin letters must come through. */
		if ((code > 0x20 && code < 0x7f) ||
		    (code >= 0xc0 && code < 0x250 && code != 0xd7 && code != 0xf7))
			ck_assert_str_eq(out, from);
	}
}

TEST(random_bytes)
{
	uint32_t state = 88172645;

	for (int round = 0; round < 20000; round++) {
		char from[40], out[32];
		size_t size = 1 + (size_t)round % sizeof(out);

		for (size_t i = 0; i < sizeof(from); i++) {
			state = state * 1664525 + 1013904223;
			from[i] = (char)(state >> 24 ? state >> 24 : 'x');
			/* Half of the time with the look of UTF-8. */
			if (round % 2 && i % 3 == 0)
				from[i] = (char)(0xc0 | (state >> 20 & 0x3f));
		}
		memset(out, '~', sizeof(out));
		text_sanitise(out, size, from, sizeof(from));
		if (strlen(out) >= size || !harmless(out))
			ck_abort_msg("round %d: '%s'", round, out);
		for (size_t i = size; i < sizeof(out); i++)
			if (out[i] != '~')
				ck_abort_msg("round %d wrote beyond its end", round);
	}
}

static const struct {
	const char *name, *encoded, *shown;
} names[] = {
	{ "", "", "" },
	{ "/srv/a b.img", "/srv/a b.img", "/srv/a b.img" },
	{ " a ", " a ", " a " },
	{ "100%", "100%25", "100%" },
	{ "%41", "%2541", "%41" },
	{ "b\xe4r", "b%E4r", "b%E4r" },
	{ "b\xc3\xa4r \xe6\x97\xa5", "b\xc3\xa4r \xe6\x97\xa5", "b\xc3\xa4r \xe6\x97\xa5" },
	{ "a\tb\nc\033[2J", "a%09b%0Ac%1B[2J", "a%09b%0Ac%1B[2J" },
	{ "a\xc2\xa0z", "a%C2%A0z", "a%C2%A0z" },
	{ "a\xe2\x80\xaetxt", "a%E2%80%AEtxt", "a%E2%80%AEtxt" },
	{ "\xed\xa0\x80", "%ED%A0%80", "%ED%A0%80" },
};

TEST_ROWS(a_name_is_encoded_and_comes_back, ARRAY_SIZE(names))
{
	char out[64], back[64];

	text_encode(out, sizeof(out), names[_i].name);
	ck_assert_str_eq(out, names[_i].encoded);
	ck_assert(text_decode(back, sizeof(back), out));
	ck_assert_str_eq(back, names[_i].name);
	ck_assert_str_eq(text_show(out, sizeof(out), names[_i].name), names[_i].shown);
}

TEST(any_bytes_come_back)
{
	uint32_t state = 362436069;

	for (int round = 0; round < 20000; round++) {
		char from[24], encoded[3 * sizeof(from)], back[sizeof(from)];
		size_t length = (size_t)round % sizeof(from);

		for (size_t i = 0; i < length; i++) {
			state = state * 1664525 + 1013904223;
			from[i] = (char)(state >> 24 ? state >> 24 : '%');
		}
		from[length] = '\0';
		text_encode(encoded, sizeof(encoded), from);
		if (!harmless(encoded) || !text_decode(back, sizeof(back), encoded) ||
		    strcmp(back, from) != 0)
			ck_abort_msg("round %d: '%s'", round, encoded);
	}
}

TEST(what_is_encoded_is_cut_between_characters)
{
	char out[8];

	ck_assert_str_eq(text_encode(out, 4, "ab\n"), "ab");
	ck_assert_str_eq(text_encode(out, 6, "ab\n"), "ab%0A");
	ck_assert_str_eq(text_encode(out, 5, "ab\n"), "ab");
	ck_assert_str_eq(text_encode(out, 4, "ab\xc3\xa9"), "ab");
	ck_assert_str_eq(text_encode(out, 1, "ab"), "");
	memset(out, '~', sizeof(out));
	text_encode(out, 0, "ab");
	ck_assert_int_eq(out[0], '~');
}

TEST(a_broken_code_is_no_name)
{
	static const char *const broken[] = { "%", "a%4", "%4", "%G0", "%0G", "%00", "a%00b" };
	char out[8];

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		strcpy(out, "old");
		ck_assert_msg(!text_decode(out, sizeof(out), broken[i]), "%s", broken[i]);
		ck_assert_str_eq(out, "");
	}
	ck_assert(text_decode(out, sizeof(out), "1%323%34567"));
	ck_assert_str_eq(out, "1234567");
	ck_assert(!text_decode(out, sizeof(out), "12345678"));
	ck_assert(!text_decode(out, 0, ""));
}

TEST(same_in_every_locale)
{
	char out[64];

	setlocale(LC_ALL, "C");
	ck_assert_str_eq(text_sanitise(out, sizeof(out), "caf\xc3\xa9 \033", 7), "caf\xc3\xa9 ?");
}

TEST(width)
{
	ck_assert_int_eq(text_width(""), 0);
	ck_assert_int_eq(text_width("abc"), 3);
	ck_assert_int_eq(text_width("caf\xc3\xa9"), 4);
	ck_assert_int_eq(text_width("cafe\xcc\x81"), 4);
	ck_assert_int_eq(text_width("\xe6\x97\xa5\xe6\x9c\xac"), 4);
	ck_assert_int_eq(text_width("a\xff\xc3"), 3);
}

TEST(fits)
{
	char out[64];

	ck_assert_str_eq(text_fit(out, sizeof(out), "abc", 5), "abc  ");
	ck_assert_str_eq(text_fit(out, sizeof(out), "abcdef", 5), "abcde");
	ck_assert_str_eq(text_fit(out, sizeof(out), "abc", 0), "");
	ck_assert_str_eq(text_fit(out, sizeof(out), "abc", -1), "");
	ck_assert_str_eq(text_fit(out, sizeof(out), "", 3), "   ");
	/* Half of a wide character is a blank. */
	ck_assert_str_eq(text_fit(out, sizeof(out), "\xe6\x97\xa5\xe6\x9c\xac", 3),
			 "\xe6\x97\xa5 ");
	ck_assert_str_eq(text_fit(out, sizeof(out), "cafe\xcc\x81s", 4), "cafe\xcc\x81");
}

TEST(fits_tail)
{
	char out[64];

	ck_assert_str_eq(text_fit_tail(out, sizeof(out), "abc", 5), "abc  ");
	ck_assert_str_eq(text_fit_tail(out, sizeof(out), "WD-WX12D3456789", 13), "..X12D3456789");
	ck_assert_str_eq(text_fit_tail(out, sizeof(out), "abcdef", 3), "..f");
	ck_assert_str_eq(text_fit_tail(out, sizeof(out), "abcdef", 2), "ef");
	ck_assert_str_eq(text_fit_tail(out, sizeof(out), "abcdef", 1), "f");
	ck_assert_str_eq(text_fit_tail(out, sizeof(out), "abcdef", 0), "");
	ck_assert_str_eq(text_fit_tail(out, sizeof(out), "abcdef", -2), "");
	ck_assert_str_eq(text_fit_tail(out, sizeof(out), "a\xe6\x97\xa5\xe6\x9c\xac", 4),
			 "..\xe6\x9c\xac");
	ck_assert_str_eq(text_fit_tail(out, sizeof(out),
				       "\xe6\x97\xa5\xe6\x9c\xac"
				       "a",
				       4),
			 "..a ");
	/* An accent does not stay without its letter. */
	ck_assert_str_eq(text_fit_tail(out, sizeof(out),
				       "abcde\xcc\x81"
				       "f",
				       3),
			 "..f");
}

/* Every width and size: as many columns as asked for, and never a byte too many. */
TEST(fits_everywhere)
{
	static const char *const samples[] = {
		"",
		"a",
		"WDC WD40EFAX",
		"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
		"e\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85\xcc\x86\xcc\x87\xcc\x88x",
		"\xff\xfe\xfd",
		"a\xf0\x9f\x92\xbe-",
	};
	char out[200];

	for (size_t s = 0; s < ARRAY_SIZE(samples); s++) {
		for (int columns = 0; columns < 30; columns++) {
			size_t size = 4 * (size_t)columns + 1;

			for (int tail = 0; tail < 2; tail++) {
				memset(out, '~', sizeof(out));
				if (tail)
					text_fit_tail(out, size, samples[s], columns);
				else
					text_fit(out, size, samples[s], columns);
				ck_assert_int_eq(text_width(out), columns);
				ck_assert_uint_lt(strlen(out), size);
				ck_assert_int_eq(out[size], '~');
			}
			/* Too small a buffer is cut, not overrun. */
			for (size_t small = 1; small < size; small++) {
				memset(out, '~', sizeof(out));
				text_fit(out, small, samples[s], columns);
				ck_assert_uint_lt(strlen(out), small);
				ck_assert_int_eq(out[small], '~');
				text_fit_tail(out, small, samples[s], columns);
				ck_assert_uint_lt(strlen(out), small);
				ck_assert_int_eq(out[small], '~');
			}
		}
	}
}

TEST(copies)
{
	char out[16];

	ck_assert_str_eq(text_copy(out, sizeof(out), "abc"), "abc");
	ck_assert_str_eq(text_copy(out, 4, "abc"), "abc");
	ck_assert_str_eq(text_copy(out, 3, "abc"), "ab");
	ck_assert_str_eq(text_copy(out, 1, "abc"), "");
	ck_assert_str_eq(text_copy(out, 3, "a\xc3\xa9"), "a");
	ck_assert_str_eq(text_copy(out, 4, "a\xc3\xa9"), "a\xc3\xa9");
	memset(out, '~', sizeof(out));
	text_copy(out, 0, "abc");
	ck_assert_int_eq(out[0], '~');
	/* Onto itself, moved. */
	strcpy(out, "xxabc");
	ck_assert_str_eq(text_copy(out, sizeof(out), out + 2), "abc");
}

TEST(words_of_a_shell)
{
	char word[24];

	ck_assert_str_eq(text_shell_word(word, sizeof(word), "/dev/sda1", "DISK"), "/dev/sda1");
	ck_assert_str_eq(text_shell_word(word, sizeof(word), "my disk's.img", "X"),
			 "'my disk'\\''s.img'");
	ck_assert_str_eq(text_shell_word(word, sizeof(word), "$(reboot)", "X"), "'$(reboot)'");
	/* What would be another file if it was typed: control characters, or half a path. */
	ck_assert_str_eq(text_shell_word(word, sizeof(word), "a\033[2J", "FILE"), "FILE");
	ck_assert_str_eq(text_shell_word(word, sizeof(word), "/a/path/of/24/characters", "FILE"),
			 "FILE");
}

TEST(letters_of_either_case_are_the_same)
{
	ck_assert(letters_same("\\EFI\\Boot", "\\efi\\bOOT"));
	ck_assert(!letters_same("EFI", "EFIX"));
	ck_assert(!letters_same("EFIX", "EFI"));
	/* '@' and '`' are as far apart as a letter's two cases. */
	ck_assert(!letters_same("@[", "`{"));
	ck_assert_str_eq(letters_after("EUI.01", "eui."), "01");
	ck_assert_ptr_null(letters_after("EU", "eui."));
	ck_assert(letters_end("shim.EFI", ".efi") && letters_end(".efi", ".EFI"));
	ck_assert(!letters_end("efi", ".efi"));
}

TEST(a_text_among_others)
{
	ck_assert_int_eq(text_find("b", (const char *const[]){ "a", "b", NULL }), 1);
	ck_assert_int_eq(text_find("", (const char *const[]){ "a", "b", NULL }), -1);
	ck_assert_int_eq(text_find("a", NULL), -1);
	ck_assert(text_is_one_of("ext4", "xfs", "ext4"));
	ck_assert(!text_is_one_of("ext", "xfs", "ext4"));
}

TEST(endings)
{
	char name[] = "/log/1.map";

	ck_assert(text_has_ending(name, ".map"));
	ck_assert(!text_has_ending(name, ".log"));
	/* It has a name before it. */
	ck_assert(!text_has_ending(".map", ".map"));
	ck_assert(!text_has_ending("ap", ".map"));
	ck_assert_str_eq(text_drop_ending(name, ".log"), "/log/1.map");
	ck_assert_str_eq(text_drop_ending(name, ".map"), "/log/1");
	ck_assert_str_eq(text_drop_ending(name, ""), "/log/1");
}
