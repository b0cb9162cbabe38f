/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bars and graphs as characters, for each step of the ladder; and which step is chosen. */
#include "unit.h"

#include <math.h>

#include "ui/core/glyphs.h"
#include "ui/core/term.h"

static const enum deck_glyphs ladder[] = { GLYPHS_BRAILLE, GLYPHS_BLOCK, GLYPHS_HALF, GLYPHS_ACS,
					   GLYPHS_ASCII };

#define COLS 8

/* One row as text, code points above ASCII as '#'. */
static const char *row(enum deck_glyphs glyphs, const float *samples, int count, float max,
		       int rows, int at)
{
	static char text[COLS + 1];
	uint32_t out[COLS];

	glyphs_graph_row(glyphs, samples, count, max, rows, at, COLS, false, out);
	for (int i = 0; i < COLS; i++)
		text[i] = out[i] < 0x80 ? (char)out[i] : '#';
	return text;
}

TEST(test_ascii)
{
	const float samples[] = { 0, 1, 2, 3, 4, 5, 6, 100 };

	ck_assert_str_eq(row(GLYPHS_ASCII, samples, 8, 6, 3, 0), "     .::");
	ck_assert_str_eq(row(GLYPHS_ASCII, samples, 8, 6, 3, 1), "   .::::");
	ck_assert_str_eq(row(GLYPHS_ASCII, samples, 8, 6, 3, 2), " .::::::");
}

/* The newest sample is at the right; fewer leave the left blank, of more the newest are taken. */
TEST(test_alignment)
{
	const float few[] = { 2, 2 };
	const float many[] = { 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 2 };

	ck_assert_str_eq(row(GLYPHS_ASCII, few, 2, 2, 1, 0), "      ::");
	ck_assert_str_eq(row(GLYPHS_ASCII, many, 11, 2, 1, 0), "       :");
	ck_assert_str_eq(row(GLYPHS_ASCII, NULL, 0, 2, 1, 0), "        ");
	ck_assert_str_eq(row(GLYPHS_BRAILLE, few, 2, 2, 1, 0), "       #");
	ck_assert_str_eq(row(GLYPHS_BLOCK, few, 2, 2, 1, 0), "      ##");
}

TEST(test_unknown_is_blank)
{
	const float samples[] = { 1, NAN, 1, -1, INFINITY, 1, 0, 1 };

	ck_assert_str_eq(row(GLYPHS_ASCII, samples, 8, 1, 1, 0), ": : :: :");
	for (size_t i = 0; i < 4; i++) {
		row(ladder[i], samples, 8, 0, 3, 1);
		row(ladder[i], samples, 8, NAN, 3, 1);
	}
}

TEST(test_block)
{
	const float samples[] = { 0.001f, 1, 2, 3, 4, 5, 6, 8 };
	uint32_t out[COLS];

	glyphs_graph_row(GLYPHS_BLOCK, samples, 8, 8, 1, 0, COLS, false, out);
	/* Something that was measured is never drawn as nothing. */
	ck_assert_uint_eq(out[0], 0x2581);
	ck_assert_uint_eq(out[1], 0x2581);
	ck_assert_uint_eq(out[4], 0x2584);
	ck_assert_uint_eq(out[7], 0x2588);
}

TEST(test_braille)
{
	const float samples[] = { 0, 0, 1, 0, 0, 4, 4, 4 };
	uint32_t out[4];

	glyphs_graph_row(GLYPHS_BRAILLE, samples, 8, 4, 1, 0, 4, false, out);
	/* A blank, never U+2800. */
	ck_assert_uint_eq(out[0], ' ');
	ck_assert_uint_eq(out[1], 0x2840);
	ck_assert_uint_eq(out[2], 0x28b8);
	ck_assert_uint_eq(out[3], 0x28ff);
}

/* A scan line at the end of a bar, shade inside. */
TEST(test_acs)
{
	const float samples[] = { 1, 2, 3, 4, 5, 8, 0, 6 };
	uint32_t top[COLS], low[COLS];

	glyphs_graph_row(GLYPHS_ACS, samples, 8, 8, 2, 0, COLS, false, top);
	glyphs_graph_row(GLYPHS_ACS, samples, 8, 8, 2, 1, COLS, false, low);
	ck_assert_uint_eq(low[0], 0x23bd);
	ck_assert_uint_eq(low[1], 0x23bc);
	ck_assert_uint_eq(low[2], 0x23bb);
	ck_assert_uint_eq(low[3], 0x2592);
	ck_assert_uint_eq(top[3], ' ');
	ck_assert_uint_eq(top[4], 0x23bd);
	ck_assert_uint_eq(top[5], 0x2592);
	ck_assert_uint_eq(low[6], ' ');
	ck_assert_uint_eq(low[7], 0x2592);
}

/* The lower half of a mirrored graph hangs from its top: the same rows, in reverse order. */
TEST(test_down)
{
	const float samples[] = { 0, 1, 2, 3, 4, 5, 6, 100 };
	uint32_t up[COLS], down[COLS];

	glyphs_graph_row(GLYPHS_ASCII, samples, 8, 6, 3, 0, COLS, true, down);
	ck_assert_uint_eq(down[0], ' ');
	ck_assert_uint_eq(down[1], '\'');
	ck_assert_uint_eq(down[2], ':');
	glyphs_graph_row(GLYPHS_HALF, samples, 8, 6, 3, 0, COLS, true, down);
	ck_assert_uint_eq(down[1], 0x2580);
	ck_assert_uint_eq(down[2], 0x2588);
	for (size_t g = 0; g < sizeof(ladder) / sizeof(*ladder); g++)
		for (int at = 0; at < 3; at++) {
			glyphs_graph_row(ladder[g], samples, 8, 6, 3, at, COLS, true, down);
			glyphs_graph_row(ladder[g], samples, 8, 6, 3, 2 - at, COLS, false, up);
			for (int i = 0; i < COLS; i++)
				ck_assert_int_eq(up[i] == ' ', down[i] == ' ');
		}
}

static int unprintable(const uint32_t *codes, int count)
{
	int bad = 0;

	for (int i = 0; i < count; i++)
		bad += !((codes[i] >= ' ' && codes[i] < 0x7f) ||
			 (codes[i] >= 0x23ba && codes[i] <= 0x23bd) ||
			 (codes[i] >= 0x2500 && codes[i] < 0x2900));
	return bad;
}

/* Whatever comes in, only printable code points come out. */
TEST(test_printable)
{
	float samples[100];
	uint32_t out[60];

	for (int i = 0; i < 100; i++)
		samples[i] = (float)((i * 7919) % 1000) - 10;
	for (size_t g = 0; g < sizeof(ladder) / sizeof(*ladder); g++)
		for (int rows = 1; rows < 12; rows++)
			for (int r = 0; r < rows; r++)
				for (int cols = 1; cols <= 60; cols += 7) {
					glyphs_graph_row(ladder[g], samples, 100, 700, rows, r,
							 cols, rows & 1, out);
					ck_assert_int_eq(unprintable(out, cols), 0);
				}
}

static const char *bar(enum deck_glyphs glyphs, double fraction, int cols)
{
	static char text[16];
	uint32_t cells[16] = { 0 };
	int filled = glyphs_bar(glyphs, BAR_THICK, fraction, cols, cells), i;

	for (i = 0; i < cols; i++) {
		text[i] = cells[i] < 0x80      ? (char)cells[i]
			  : cells[i] == 0x2588 ? 'F'
			  : cells[i] == 0x2591 ? '.'
					       : 'p';
		ck_assert(i >= filled || (text[i] != '-' && text[i] != '.'));
	}
	text[i] = '\0';
	return text;
}

TEST(test_bar)
{
	ck_assert_str_eq(bar(GLYPHS_ASCII, 0, 8), "--------");
	ck_assert_str_eq(bar(GLYPHS_ASCII, 1, 8), "########");
	ck_assert_str_eq(bar(GLYPHS_ASCII, 0.5, 8), "####----");
	/* Not full before the end, not empty after the start. */
	ck_assert_str_eq(bar(GLYPHS_ASCII, 0.9999, 8), "#######-");
	ck_assert_str_eq(bar(GLYPHS_ASCII, 0.0001, 8), "#-------");
	ck_assert_str_eq(bar(GLYPHS_ASCII, 7, 4), "####");
	ck_assert_str_eq(bar(GLYPHS_ASCII, -7, 4), "----");
	ck_assert_str_eq(bar(GLYPHS_ASCII, NAN, 4), "----");
	ck_assert_str_eq(bar(GLYPHS_ASCII, 0.5, 0), "");
	/* In eighths. */
	ck_assert_str_eq(bar(GLYPHS_BRAILLE, 0.5, 4), "FF..");
	ck_assert_str_eq(bar(GLYPHS_BRAILLE, 0.55, 4), "FFp.");
	ck_assert_str_eq(bar(GLYPHS_BRAILLE, 0.9999, 4), "FFFp");
	ck_assert_str_eq(bar(GLYPHS_HALF, 0.001, 4), "p...");
	ck_assert_int_eq(glyphs_bar(GLYPHS_ASCII, BAR_THIN, 0.5, -3, NULL), 0);
}

TEST(test_parts_bar)
{
	const double parts[] = { 0.25, 0.25, 0.25 }, much[] = { 0.9, 0.9, NAN };
	char text[16];

	glyphs_parts_bar(parts, "usi", 3, 8, text);
	ck_assert_str_eq(text, "uussii..");
	glyphs_parts_bar(much, "usi", 3, 10, text);
	ck_assert_str_eq(text, "uuuuuuuuus");
	glyphs_parts_bar(much, "usi", 3, 0, text);
	ck_assert_str_eq(text, "");
}

TEST(test_scale)
{
	ck_assert_double_eq(glyphs_scale(0), 1);
	ck_assert_double_eq(glyphs_scale(NAN), 1);
	ck_assert_double_eq(glyphs_scale(193), 200);
	ck_assert_double_eq(glyphs_scale(200), 200);
	ck_assert_double_eq(glyphs_scale(201), 250);
	ck_assert_double_eq(glyphs_scale(99), 100);
	for (double value = 1; value < 1e12; value *= 1.37) {
		ck_assert_double_ge(glyphs_scale(value), value);
		ck_assert_double_le(glyphs_scale(value), value * 1.5);
	}
}

TEST(test_choice)
{
	ck_assert_int_eq(term_choose_glyphs(GLYPHS_AUTO, "xterm-256color", true), GLYPHS_BRAILLE);
	ck_assert_int_eq(term_choose_glyphs(GLYPHS_AUTO, "xterm-256color", false), GLYPHS_ACS);
	ck_assert_int_eq(term_choose_glyphs(GLYPHS_AUTO, "linux", true), GLYPHS_HALF);
	ck_assert_int_eq(term_choose_glyphs(GLYPHS_AUTO, "linux-16color", true), GLYPHS_HALF);
	ck_assert_int_eq(term_choose_glyphs(GLYPHS_AUTO, "vt100", true), GLYPHS_ACS);
	ck_assert_int_eq(term_choose_glyphs(GLYPHS_AUTO, "vt220", true), GLYPHS_ACS);
	/* The technician may know better, but not what the character set cannot say. */
	ck_assert_int_eq(term_choose_glyphs(GLYPHS_BRAILLE, "linux", true), GLYPHS_BRAILLE);
	ck_assert_int_eq(term_choose_glyphs(GLYPHS_BRAILLE, "xterm", false), GLYPHS_ACS);
	ck_assert_int_eq(term_choose_glyphs(GLYPHS_ASCII, "xterm", true), GLYPHS_ASCII);
}

TEST(test_color_and_speed)
{
	ck_assert(term_choose_color(COLOR_AUTO, NULL, 8));
	ck_assert(term_choose_color(COLOR_AUTO, "", 256));
	ck_assert(!term_choose_color(COLOR_AUTO, "1", 256));
	ck_assert(term_choose_color(COLOR_ALWAYS, "1", 256));
	ck_assert(!term_choose_color(COLOR_NEVER, NULL, 256));
	ck_assert(!term_choose_color(COLOR_ALWAYS, NULL, 0));
	ck_assert_uint_eq(term_choose_interval(0), 250);
	ck_assert_uint_eq(term_choose_interval(115200), 250);
	ck_assert_uint_eq(term_choose_interval(57600), 1000);
	ck_assert_uint_eq(term_choose_interval(38400), 1000);
	ck_assert_uint_eq(term_choose_interval(9600), 5000);
}

/* What another terminal shows is shown with what this one has; text stays. */
TEST(test_nearest)
{
	static const uint32_t text[] = { 'x', 0xe4, 0x4e2d, 0x301 };

	for (int glyphs = GLYPHS_BRAILLE; glyphs <= GLYPHS_ASCII; glyphs++)
		for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
			ck_assert_uint_eq(glyphs_nearest((enum deck_glyphs)glyphs, text[i]),
					  text[i]);
	for (uint32_t code = 0x2500; code < 0x2900; code++) {
		uint32_t acs = glyphs_nearest(GLYPHS_ACS, code);

		ck_assert_uint_eq(glyphs_nearest(GLYPHS_BRAILLE, code), code);
		if (code < 0x2580 || (code > 0x2593 && code < 0x2800))
			continue;
		ck_assert(glyphs_nearest(GLYPHS_BLOCK, code) < 0x2800);
		ck_assert_msg(acs < 0x80 || acs == 0x2592 || (acs >= 0x23ba && acs <= 0x23bd),
			      "U+%04x as U+%04x", code, acs);
		ck_assert_uint_lt(glyphs_nearest(GLYPHS_ASCII, code), 0x80);
	}
	ck_assert_uint_eq(glyphs_nearest(GLYPHS_HALF, 0x28c0), 0x2584);
	ck_assert_uint_eq(glyphs_nearest(GLYPHS_HALF, 0x2809), 0x2580);
	ck_assert_uint_eq(glyphs_nearest(GLYPHS_HALF, 0x2583), 0x2584);
	ck_assert_uint_eq(glyphs_nearest(GLYPHS_HALF, 0x28ff), 0x2588);
	ck_assert_uint_eq(glyphs_nearest(GLYPHS_ASCII, 0x2500), '-');
	ck_assert_uint_eq(glyphs_nearest(GLYPHS_BLOCK, 0x256d), 0x250c);
	ck_assert_uint_eq(glyphs_nearest(GLYPHS_HALF, 0x256e), 0x2510);
	ck_assert_uint_eq(glyphs_nearest(GLYPHS_ACS, 0x256f), 0x2518);
	ck_assert_uint_eq(glyphs_nearest(GLYPHS_ASCII, 0x2570), '+');
}
