/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/palette.h"

#include <string.h>

/* What roles have in common. */
enum paint {
	PAINT_PLAIN,
	PAINT_STRONG,
	PAINT_FAINT, /* labels, help */
	PAINT_FRAME,
	PAINT_READ,
	PAINT_WRITE,
	PAINT_GOOD,
	PAINT_NOTE,
	PAINT_BAD,
	PAINT_ERASE,  /* nothing else has a red background */
	PAINT_ALERT,  /* what has to be known first; paused */
	PAINT_BANNER, /* practice */
	PAINT_REVERSE,
	PAINT_COUNT,
};

static const struct {
	enum paint paint;
	unsigned style; /* also without colours */
} roles[ROLE_COUNT] = {
	[ROLE_NORMAL] = { PAINT_PLAIN, 0 },
	[ROLE_STRONG] = { PAINT_STRONG, 0 },
	[ROLE_DIM] = { PAINT_FAINT, 0 },
	[ROLE_HEADER] = { PAINT_STRONG, 0 },
	[ROLE_TAB] = { PAINT_PLAIN, 0 },
	[ROLE_TAB_ACTIVE] = { PAINT_REVERSE, 0 },
	[ROLE_CURSOR] = { PAINT_REVERSE, 0 },
	[ROLE_SOURCE] = { PAINT_READ, STYLE_BOLD },
	[ROLE_DESTINATION] = { PAINT_WRITE, STYLE_BOLD },
	[ROLE_OK] = { PAINT_GOOD, 0 },
	[ROLE_WARN] = { PAINT_NOTE, STYLE_BOLD },
	[ROLE_BAD] = { PAINT_BAD, STYLE_BOLD },
	[ROLE_BANNER] = { PAINT_BANNER, 0 },
	[ROLE_ALERT] = { PAINT_ALERT, 0 },
	[ROLE_ERASE] = { PAINT_ERASE, STYLE_BOLD },
	[ROLE_MESSAGE] = { PAINT_STRONG, 0 },
	[ROLE_KEY] = { PAINT_PLAIN, 0 },
	[ROLE_BOX] = { PAINT_FRAME, 0 },
	[ROLE_FIELD] = { PAINT_STRONG, 0 },
	[ROLE_DIALOG] = { PAINT_PLAIN, 0 },
	[ROLE_READ] = { PAINT_READ, 0 },
	[ROLE_WRITE] = { PAINT_WRITE, 0 },
	[ROLE_USER] = { PAINT_READ, 0 },
	[ROLE_SYSTEM] = { PAINT_WRITE, 0 },
	[ROLE_WAIT] = { PAINT_NOTE, 0 },
	[ROLE_MAP_DONE] = { PAINT_GOOD, 0 },
	[ROLE_MAP_TODO] = { PAINT_FAINT, 0 },
	[ROLE_MAP_NOW] = { PAINT_NOTE, STYLE_BOLD | STYLE_REVERSE },
	[ROLE_MAP_BAD] = { PAINT_BAD, STYLE_BOLD },
	[ROLE_MAP_RETRY] = { PAINT_NOTE, STYLE_BOLD },
};

#define OWN  (-1)
#define BOLD STYLE_BOLD
#define DIM  STYLE_DIM
#define LINE STYLE_UNDERLINE
#define REV  STYLE_REVERSE

/* With 256 colours, with 16, and with 8, where bold makes a colour bright. */
enum { DEPTH_256, DEPTH_16, DEPTH_8, DEPTH_COUNT };

/* clang-format off */
static const struct role_look dark[PAINT_COUNT][DEPTH_COUNT] = {
	/*                   256                  16                   8 */
	[PAINT_PLAIN] =   { { OWN, OWN, 0 },    { OWN, OWN, 0 },    { OWN, OWN, 0 } },
	[PAINT_STRONG] =  { { OWN, OWN, BOLD }, { OWN, OWN, BOLD }, { OWN, OWN, BOLD } },
	[PAINT_FAINT] =   { { 246, OWN, 0 },    { OWN, OWN, DIM },  { OWN, OWN, DIM } },
	[PAINT_FRAME] =   { { 241, OWN, 0 },    { OWN, OWN, 0 },    { OWN, OWN, 0 } },
	[PAINT_READ] =    { { 45, OWN, 0 },     { 14, OWN, 0 },     { 6, OWN, 0 } },
	[PAINT_WRITE] =   { { 213, OWN, 0 },    { 13, OWN, 0 },     { 5, OWN, BOLD } },
	[PAINT_GOOD] =    { { 78, OWN, 0 },     { 10, OWN, 0 },     { 2, OWN, 0 } },
	[PAINT_NOTE] =    { { 221, OWN, 0 },    { 11, OWN, 0 },     { 3, OWN, BOLD } },
	[PAINT_BAD] =     { { 203, OWN, 0 },    { 9, OWN, 0 },      { 1, OWN, BOLD } },
	[PAINT_ERASE] =   { { 231, 160, 0 },    { 15, 1, 0 },       { 7, 1, BOLD } },
	[PAINT_ALERT] =   { { 16, 214, 0 },     { 0, 11, 0 },       { 0, 6, 0 } },
	[PAINT_BANNER] =  { { 16, 78, 0 },      { 0, 10, 0 },       { 0, 2, 0 } },
	[PAINT_REVERSE] = { { OWN, OWN, REV },  { OWN, OWN, REV },  { OWN, OWN, REV } },
};

/* Of 8 and 16 colours, green and yellow are too pale for a white ground. */
static const struct role_look light[PAINT_COUNT][DEPTH_COUNT] = {
	[PAINT_PLAIN] =   { { OWN, OWN, 0 },    { OWN, OWN, 0 },    { OWN, OWN, 0 } },
	[PAINT_STRONG] =  { { OWN, OWN, BOLD }, { OWN, OWN, BOLD }, { OWN, OWN, BOLD } },
	[PAINT_FAINT] =   { { 240, OWN, 0 },    { OWN, OWN, 0 },    { OWN, OWN, 0 } },
	[PAINT_FRAME] =   { { 244, OWN, 0 },    { OWN, OWN, 0 },    { OWN, OWN, 0 } },
	[PAINT_READ] =    { { 25, OWN, 0 },     { 4, OWN, 0 },      { 4, OWN, 0 } },
	[PAINT_WRITE] =   { { 90, OWN, 0 },     { 5, OWN, 0 },      { 5, OWN, 0 } },
	[PAINT_GOOD] =    { { 22, OWN, 0 },     { OWN, OWN, 0 },    { OWN, OWN, 0 } },
	[PAINT_NOTE] =    { { 94, OWN, 0 },     { OWN, OWN, LINE }, { OWN, OWN, LINE } },
	[PAINT_BAD] =     { { 160, OWN, 0 },    { 1, OWN, LINE },   { 1, OWN, LINE } },
	[PAINT_ERASE] =   { { 231, 160, 0 },    { 15, 1, 0 },       { 7, 1, BOLD } },
	[PAINT_ALERT] =   { { 16, 214, 0 },     { 0, 11, 0 },       { 0, 6, 0 } },
	[PAINT_BANNER] =  { { 231, 22, 0 },     { 0, 10, 0 },       { 0, 2, 0 } },
	[PAINT_REVERSE] = { { OWN, OWN, REV },  { OWN, OWN, REV },  { OWN, OWN, REV } },
};

/* High contrast, white on black with any number of colours; and none at all. */
static const struct role_look plain[PAINT_COUNT][2] = {
	[PAINT_PLAIN] =   { { 7, 0, BOLD },        { OWN, OWN, 0 } },
	[PAINT_STRONG] =  { { 7, 0, BOLD | LINE }, { OWN, OWN, BOLD } },
	[PAINT_FAINT] =   { { 7, 0, BOLD },        { OWN, OWN, 0 } },
	[PAINT_FRAME] =   { { 7, 0, BOLD },        { OWN, OWN, 0 } },
	[PAINT_READ] =    { { 7, 0, BOLD },        { OWN, OWN, 0 } },
	[PAINT_WRITE] =   { { 7, 0, BOLD },        { OWN, OWN, 0 } },
	[PAINT_GOOD] =    { { 7, 0, BOLD },        { OWN, OWN, 0 } },
	[PAINT_NOTE] =    { { 3, 0, BOLD },        { OWN, OWN, BOLD } },
	[PAINT_BAD] =     { { 3, 0, BOLD | LINE }, { OWN, OWN, BOLD } },
	[PAINT_ERASE] =   { { 0, 7, 0 },           { OWN, OWN, BOLD | REV } },
	[PAINT_ALERT] =   { { 0, 7, 0 },           { OWN, OWN, REV } },
	[PAINT_BANNER] =  { { 0, 7, 0 },           { OWN, OWN, REV } },
	[PAINT_REVERSE] = { { 0, 7, 0 },           { OWN, OWN, REV } },
};
/* clang-format on */

/* With 256 colours a graph gets brighter, on a light ground darker, with its height. */
static bool height_look(enum deck_theme theme, int colors, enum role role, struct role_look *ret)
{
	static const int16_t dark_heights[] = { 31, 38, 44, 45, 51, 127, 163, 164, 207, 213 };
	static const int16_t light_heights[] = { 31, 25, 24, 18, 17, 127, 91, 90, 54, 53 };
	int at = (int)role - ROLE_READ_HEIGHT;

	if (at < 0 || colors < 256 || theme == THEME_HIGH)
		return false;
	*ret = (struct role_look){ (theme == THEME_LIGHT ? light_heights : dark_heights)[at], OWN,
				   0 };
	return true;
}

struct role_look palette_look(enum deck_theme theme, int colors, enum role role)
{
	int depth = colors >= 256 ? DEPTH_256 : colors >= 16 ? DEPTH_16 : DEPTH_8;
	struct role_look look;
	enum paint paint;
	unsigned style;

	if (height_look(theme, colors, role, &look))
		return look;
	if (role >= ROLE_READ_HEIGHT)
		role = role < ROLE_WRITE_HEIGHT ? ROLE_READ : ROLE_WRITE;
	paint = roles[role].paint;
	style = roles[role].style;
	if (colors < 8)
		look = plain[paint][1];
	else if (theme == THEME_HIGH)
		look = plain[paint][0];
	else
		look = theme == THEME_LIGHT ? light[paint][depth] : dark[paint][depth];
	/* Bold is brighter on many terminals: too pale on a light ground, and black would be grey.
	 */
	if (colors >= 8 &&
	    ((colors < 256 && theme == THEME_LIGHT && look.front != OWN) || look.front == 0))
		style &= ~(unsigned)STYLE_BOLD;
	look.style |= style;
	return look;
}

enum deck_theme palette_choose(enum deck_theme wanted, const char *colorfgbg)
{
	const char *back = colorfgbg ? strrchr(colorfgbg, ';') : NULL;

	if (wanted != THEME_AUTO)
		return wanted;
	return back && (!strcmp(back, ";7") || !strcmp(back, ";15")) ? THEME_LIGHT : THEME_DARK;
}
