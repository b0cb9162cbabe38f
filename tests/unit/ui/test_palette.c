/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every role of every theme can be read: its contrast by WCAG 2.1, on the ground that the theme is
 * for. */
#include "unit.h"

#include <math.h>

#include "ui/core/palette.h"

static const int depths[] = { 8, 16, 88, 256 };
static const enum deck_theme themes[] = { THEME_DARK, THEME_LIGHT, THEME_HIGH };

/* The sRGB of a colour by its number: of the Linux console below 16, of xterm from there on. */
static void rgb_of(int color, uint8_t ret[static 3])
{
	static const uint8_t steps[] = { 0, 95, 135, 175, 215, 255 };

	for (int i = 0; i < 3; i++) {
		if (color < 16)
			ret[i] = (uint8_t)((color >> i & 1 ? 170 : 0) + (color >= 8 ? 85 : 0));
		else if (color < 232)
			ret[i] = steps[(color - 16) / (i == 0 ? 36 : i == 1 ? 6 : 1) % 6];
		else
			ret[i] = (uint8_t)(8 + 10 * (color - 232));
	}
	/* The console's brown. */
	if (color == 3)
		ret[1] = 85;
}

static double linear(uint8_t value)
{
	double c = value / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(int color)
{
	uint8_t rgb[3];

	rgb_of(color, rgb);
	return 0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2]);
}

static double contrast(int front, int back)
{
	double a = luminance(front), b = luminance(back);

	return a > b ? (a + 0.05) / (b + 0.05) : (b + 0.05) / (a + 0.05);
}

/* As a terminal shows it: its own ground is black or white, and with few colours bold is bright. */
static double contrast_of(enum deck_theme theme, int colors, enum role role)
{
	struct role_look look = palette_look(theme, colors, role);
	int ground = theme == THEME_LIGHT ? 231 : 16;
	int front = look.front >= 0 ? look.front : theme == THEME_LIGHT ? 16 : 231;
	int back = look.back >= 0 ? look.back : ground;

	if (look.front >= 0 && look.front < 8 && look.style & STYLE_BOLD)
		front += 8;
	return contrast(front, back);
}

TEST(test_contrast)
{
	for (size_t t = 0; t < 3; t++)
		for (size_t d = 0; d < 4; d++)
			for (int role = 0; role < ROLE_COUNT; role++) {
				double found = contrast_of(themes[t], depths[d], (enum role)role);
				/* Of frames and graphs nobody reads anything. */
				double least = themes[t] == THEME_HIGH         ? 7
					       : role == ROLE_BOX              ? 3
					       : role >= (int)ROLE_READ_HEIGHT ? 3
									       : 4.5;

				if (found < least)
					ck_abort_msg("theme %zu, %d colours, role %d: %.2f", t,
						     depths[d], role, found);
			}
}

/* A test that knows no wrong pair would prove nothing. */
TEST(test_known_contrast)
{
	ck_assert_double_eq_tol(contrast(16, 231), 21, 0.01);
	ck_assert_double_eq_tol(contrast(231, 231), 1, 0.01);
	/* #808080 on white: 3.95, as published by the W3C's own tools. */
	ck_assert_double_eq_tol(contrast(244, 231), 3.95, 0.01);
	ck_assert_double_lt(contrast(1, 0), 4.5);
}

TEST(test_colours_exist)
{
	for (size_t t = 0; t < 3; t++)
		for (size_t d = 0; d < 4; d++)
			for (int role = 0; role < ROLE_COUNT; role++) {
				struct role_look look =
					palette_look(themes[t], depths[d], (enum role)role);

				ck_assert_int_lt(look.front, depths[d]);
				ck_assert_int_lt(look.back, depths[d]);
			}
}

/* Nothing is told by a colour alone: without one, what is bad, erased or active still differs. */
TEST(test_without_colours)
{
	for (int role = 0; role < ROLE_COUNT; role++) {
		struct role_look look = palette_look(THEME_DARK, 0, (enum role)role);

		ck_assert_int_eq(look.front, -1);
		ck_assert_int_eq(look.back, -1);
	}
	ck_assert_uint_ne(palette_look(THEME_DARK, 0, ROLE_BAD).style, 0);
	ck_assert_uint_ne(palette_look(THEME_DARK, 0, ROLE_ERASE).style,
			  palette_look(THEME_DARK, 0, ROLE_BAD).style);
	ck_assert(palette_look(THEME_DARK, 0, ROLE_CURSOR).style & STYLE_REVERSE);
}

/* Frames say nothing, whatever they stand around; red ground is for what is erased. */
TEST(test_meaning)
{
	for (size_t t = 0; t < 2; t++)
		for (size_t d = 0; d < 4; d++)
			for (int role = 0; role < ROLE_COUNT; role++) {
				struct role_look look =
					palette_look(themes[t], depths[d], (enum role)role);
				bool red = look.back == 1 || look.back == 160;

				ck_assert_int_eq(red, role == ROLE_ERASE);
			}
	for (size_t t = 0; t < 2; t++) {
		struct role_look box = palette_look(themes[t], 256, ROLE_BOX);

		ck_assert_int_ge(box.front, 232);
		ck_assert_int_eq(palette_look(themes[t], 16, ROLE_BOX).front, -1);
		ck_assert_uint_eq(box.style, 0);
	}
}

/* The further from the axis, the further from the ground. */
TEST(test_heights)
{
	for (int side = 0; side < 2; side++)
		for (int i = 1; i < ROLE_HEIGHTS; i++) {
			enum role role =
				(side ? ROLE_WRITE_HEIGHT : ROLE_READ_HEIGHT) + (enum role)i;

			ck_assert_double_gt(contrast_of(THEME_DARK, 256, role),
					    contrast_of(THEME_DARK, 256, role - 1));
			ck_assert_int_eq(
				palette_look(THEME_DARK, 16, role).front,
				palette_look(THEME_DARK, 16, side ? ROLE_WRITE : ROLE_READ).front);
		}
}

TEST(test_choice)
{
	ck_assert_int_eq(palette_choose(THEME_AUTO, NULL), THEME_DARK);
	ck_assert_int_eq(palette_choose(THEME_AUTO, ""), THEME_DARK);
	ck_assert_int_eq(palette_choose(THEME_AUTO, "15;0"), THEME_DARK);
	ck_assert_int_eq(palette_choose(THEME_AUTO, "0;15"), THEME_LIGHT);
	ck_assert_int_eq(palette_choose(THEME_AUTO, "0;default;7"), THEME_LIGHT);
	ck_assert_int_eq(palette_choose(THEME_DARK, "0;15"), THEME_DARK);
	ck_assert_int_eq(palette_choose(THEME_HIGH, "0;15"), THEME_HIGH);
}
