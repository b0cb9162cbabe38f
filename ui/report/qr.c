/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/report/qr.h"

#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "config.h"

#if HAVE_LIBQRENCODE
#include <qrencode.h>
#endif

#define DIGITS_COLS 32 /* of each of two lines */
#define GAP         2

#if HAVE_LIBQRENCODE
/* Light modules around the code: as many as the standard asks for, and the least that is read. */
#define QUIET       4
#define QUIET_LEAST 2

static int half_rows(int modules)
{
	return (modules + 1) / 2;
}

static bool is_dark(const QRcode *code, int row, int col)
{
	return row >= 0 && row < code->width && col >= 0 && col < code->width &&
	       code->data[row * code->width + col] & 1;
}

/* On a dark ground the light modules are drawn, on a light one the dark ones. */
static void draw_modules(struct draw *draw, struct rect area, const QRcode *code, int quiet)
{
	static const char *const blocks[] = { " ", "▄", "▀", "█" };
	bool ink_is_dark = draw->term->theme == THEME_LIGHT;
	int size = code->width + 2 * quiet;

	for (int row = 0; row < size; row += 2)
		for (int col = 0; col < size; col++) {
			bool upper = is_dark(code, row - quiet, col - quiet) == ink_is_dark;
			bool lower = row + 1 < size ? is_dark(code, row + 1 - quiet, col - quiet) ==
							      ink_is_dark
						    : false;

			draw_text(draw, area, row / 2, col, ROLE_NORMAL, blocks[upper * 2 + lower]);
		}
}

/* Returns its columns; 0: nothing was drawn. */
static int draw_code(struct draw *draw, struct rect area, const char *digits)
{
	char text[80];
	QRcode *code;
	int quiet = QUIET, cols = 0;

	if (draw->term->glyphs == GLYPHS_ACS || draw->term->glyphs == GLYPHS_ASCII)
		return 0;
	/* All in capitals: that makes a smaller code. */
	snprintf(text, sizeof(text), "SHA256 %s", digits);
	code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 0);
	if (!code)
		return 0;
	while (quiet > QUIET_LEAST && half_rows(code->width + 2 * quiet) > area.rows)
		quiet--;
	cols = code->width + 2 * quiet;
	if (half_rows(cols) > area.rows || cols + GAP + DIGITS_COLS > area.cols)
		cols = 0;
	else
		draw_modules(draw, area, code, quiet);
	QRcode_free(code);
	return cols;
}
#else
static int draw_code(struct draw *draw, struct rect area, const char *digits)
{
	(void)draw, (void)area, (void)digits;
	return 0;
}
#endif

void qr_draw(struct draw *draw, struct rect body, const struct report_files *files)
{
	const char *digits = files->certificate_sum;
	struct rect area = body;
	int cols, row = 0;

	rect_cut_left(&area, 1);
	cols = draw_code(draw, area, digits);
	rect_cut_left(&area, cols ? cols + GAP : 0);
	draw_text(draw, area, row++, 0, ROLE_STRONG, _("SHA-256 of the certificate"));
	for (size_t at = 0; at < strlen(digits); at += DIGITS_COLS)
		draw_printf(draw, area, row++, 0, ROLE_NORMAL, "%.*s", DIGITS_COLS, digits + at);
	row++;
	row += draw_wrapped(draw, area, row, 0, area.rows, ROLE_DIM, files->certificate) + 1;
	draw_wrapped(draw, area, row, 0, area.rows, ROLE_NORMAL,
		     _("Take a photo: later, sha256sum of this file shows whether it is still the "
		       "same."));
}
