/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/array.h"
#include "ui/core/glyphs.h"

#include <math.h>
#include <string.h>

int glyphs_per_cell(enum deck_glyphs glyphs)
{
	return glyphs == GLYPHS_BRAILLE ? 2 : 1;
}

/* Steps that a sample can have in one cell of height. Of blocks that hang there are but halves. */
static int levels_of(enum deck_glyphs glyphs, bool down)
{
	switch (glyphs) {
	case GLYPHS_BRAILLE:
	case GLYPHS_ACS:
		return 4;
	case GLYPHS_BLOCK:
		return down ? 2 : 8;
	default:
		return 2;
	}
}

/* Steps from the bottom of the graph that a sample reaches, -1 for an unknown one. */
static int height_of(float sample, float max, int steps)
{
	double height;

	if (isnan(sample))
		return -1;
	if (sample <= 0 || !(max > 0))
		return 0;
	height = ceil((double)sample / max * steps);
	return height >= steps ? steps : (int)height;
}

static int clamp(int value, int low, int high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

static uint32_t filled_cell(enum deck_glyphs glyphs, bool down, int left, int right)
{
	/* Dots of one column of a braille cell, filled from the bottom and from the top. */
	static const uint8_t left_dots[2][5] = { { 0x00, 0x40, 0x44, 0x46, 0x47 },
						 { 0x00, 0x01, 0x03, 0x07, 0x47 } };
	static const uint8_t right_dots[2][5] = { { 0x00, 0x80, 0xa0, 0xb0, 0xb8 },
						  { 0x00, 0x08, 0x18, 0x38, 0xb8 } };
	/* A scan line at the end of the bar, and the shade for its inside. */
	static const uint32_t acs[2][5] = { { ' ', 0x23bd, 0x23bc, 0x23bb, 0x2592 },
					    { ' ', 0x23ba, 0x23bb, 0x23bc, 0x2592 } };
	static const uint32_t half[2][3] = { { ' ', 0x2584, 0x2588 }, { ' ', 0x2580, 0x2588 } };
	static const char ascii[2][3] = { { ' ', '.', ':' }, { ' ', '\'', ':' } };
	uint32_t pattern;

	switch (glyphs) {
	case GLYPHS_BRAILLE:
		pattern = left_dots[down][left] | right_dots[down][right];
		/* Some fonts draw the dots of U+2800 as rings: a blank is a blank. */
		return pattern ? 0x2800 + pattern : ' ';
	case GLYPHS_BLOCK:
		if (down)
			return half[down][left];
		return left ? 0x2580 + (uint32_t)left : ' ';
	case GLYPHS_HALF:
		return half[down][left];
	case GLYPHS_ACS:
		return acs[down][left];
	default:
		return (uint32_t)ascii[down][left];
	}
}

void glyphs_graph_row(enum deck_glyphs glyphs, const float *samples, int count, float max, int rows,
		      int row, int cols, bool down, uint32_t *out)
{
	int levels = levels_of(glyphs, down), per_cell = glyphs_per_cell(glyphs);
	int base = (down ? row : rows - 1 - row) * levels;

	for (int col = 0; col < cols; col++) {
		int step[2] = { -1, -1 };

		for (int i = 0; i < per_cell; i++) {
			int at = count - (cols - col) * per_cell + i;

			if (at >= 0 && at < count)
				step[i] = height_of(samples[at], max, rows * levels);
		}
		out[col] = filled_cell(glyphs, down, clamp(step[0] - base, 0, levels),
				       clamp(step[1] - base, 0, levels));
	}
}

double glyphs_scale(double value)
{
	static const double steps[] = { 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
	double ten;

	if (!(value > 1))
		return 1;
	if (isinf(value))
		return value;
	ten = pow(10, floor(log10(value)));
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i] * ten >= value)
			return steps[i] * ten;
	return 10 * ten;
}

/* A full cell, an empty one, and what a cell is that is filled in part: `steps` of them, the last
 * one nearly full. */
struct bar_cells {
	uint32_t full, empty;
	int steps;
	uint32_t part[7];
};

static const struct bar_cells *bar_cells(enum deck_glyphs glyphs, enum bar_kind kind)
{
	static const struct bar_cells fine[] = {
		[BAR_THICK] = { 0x2588,
				0x2591,
				7,
				{ 0x258f, 0x258e, 0x258d, 0x258c, 0x258b, 0x258a, 0x2589 } },
		[BAR_HELD] = { 0x2592, 0x2591, 0, { 0 } },
		[BAR_THIN] = { 0x2501, 0x2500, 1, { 0x2578 } },
	};
	static const struct bar_cells console[] = {
		[BAR_THICK] = { 0x2588, 0x2591, 1, { 0x258c } },
		[BAR_HELD] = { 0x2592, 0x2591, 0, { 0 } },
		[BAR_THIN] = { 0x2584, 0x2500, 0, { 0 } },
	};
	static const struct bar_cells acs[] = {
		[BAR_THICK] = { 0x2592, 0x2500, 0, { 0 } },
		[BAR_HELD] = { '=', 0x2500, 0, { 0 } },
		[BAR_THIN] = { '=', 0x2500, 0, { 0 } },
	};
	static const struct bar_cells ascii[] = {
		[BAR_THICK] = { '#', '-', 0, { 0 } },
		[BAR_HELD] = { '=', '-', 0, { 0 } },
		[BAR_THIN] = { '=', '-', 0, { 0 } },
	};

	return glyphs == GLYPHS_ASCII  ? &ascii[kind]
	       : glyphs == GLYPHS_ACS  ? &acs[kind]
	       : glyphs == GLYPHS_HALF ? &console[kind]
				       : &fine[kind];
}

int glyphs_bar(enum deck_glyphs glyphs, enum bar_kind kind, double fraction, int cols,
	       uint32_t *out)
{
	const struct bar_cells *cells = bar_cells(glyphs, kind);
	int unit = cells->steps + 1, most = cols * unit, filled, drawn = 0;

	if (cols < 1)
		return 0;
	if (!(fraction > 0))
		filled = 0;
	else if (fraction >= 1)
		filled = most;
	else
		filled = clamp((int)(fraction * most), 1, most - 1);
	for (int i = 0; i < cols; i++) {
		int here = clamp(filled - i * unit, 0, unit);

		out[i] = here == unit ? cells->full : here ? cells->part[here - 1] : cells->empty;
		drawn += here > 0;
	}
	return drawn;
}

void glyphs_parts_bar(const double *fractions, const char *letters, int parts, int cols, char *out)
{
	double sum = 0;
	int at = 0;

	if (cols < 0)
		cols = 0;
	for (int i = 0; i < parts; i++) {
		int until;

		if (fractions[i] > 0)
			sum += fractions[i];
		until = clamp((int)lround(fmin(sum, 1) * cols), at, cols);
		memset(out + at, letters[i], (size_t)(until - at));
		at = until;
	}
	memset(out + at, '.', (size_t)(cols - at));
	out[cols] = '\0';
}

/* The dots of a braille cell as halves of a block. */
static uint32_t half_of_dots(uint32_t code)
{
	bool top = code & 0x1b, low = code & 0xe4;

	return top && low ? 0x2588 : low ? 0x2584 : top ? 0x2580 : ' ';
}

struct stand_in {
	uint32_t code, other;
};

/* The other one of `code`, or itself. */
static uint32_t look_up(const struct stand_in *table, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].code == code)
			return table[i].other;
	return code;
}

/* With the blocks and marks that the Linux console has. */
static uint32_t nearest_half(uint32_t code)
{
	static const struct stand_in table[] = {
		{ 0x2501, 0x2584 }, { 0x2578, 0x2500 }, { 0x25b8, 0x25ba },
		{ 0x2713, 0x221a }, { 0x2016, '=' },
	};

	if (code >= 0x2581 && code <= 0x2587)
		return code <= 0x2585 ? 0x2584 : 0x2588;
	if (code >= 0x2589 && code <= 0x258f)
		return code <= 0x258a ? 0x2588 : 0x258c;
	return look_up(table, ARRAY_SIZE(table), code);
}

/* Of those, what is neither ASCII nor a line. */
static uint32_t nearest_acs(uint32_t code)
{
	static const struct stand_in table[] = {
		{ 0x2588, 0x2592 }, { 0x258c, 0x2592 }, { 0x2590, 0x2592 }, { 0x2593, '#' },
		{ 0x2580, 0x23bb }, { 0x2584, 0x23bc }, { 0x2591, '.' },    { 0xb7, '.' },
		{ 0x25ba, '>' },    { 0x221a, 'v' },
	};

	return look_up(table, ARRAY_SIZE(table), code);
}

static uint32_t nearest_ascii(uint32_t code)
{
	static const struct stand_in table[] = {
		{ 0x2592, '%' }, { 0x23ba, '\'' }, { 0x23bb, '\'' }, { 0x23bc, '.' },
		{ 0x23bd, '.' }, { 0x2500, '-' },  { 0x2502, '|' },  { 0x250c, '+' },
		{ 0x2510, '+' }, { 0x2514, '+' },  { 0x2518, '+' },
	};

	return look_up(table, ARRAY_SIZE(table), code);
}

/* Rounded corners, as only GLYPHS_BRAILLE has them. */
static uint32_t square(uint32_t code)
{
	static const uint32_t corners[] = { 0x250c, 0x2510, 0x2518, 0x2514 };

	return code >= 0x256d && code <= 0x2570 ? corners[code - 0x256d] : code;
}

uint32_t glyphs_nearest(enum deck_glyphs glyphs, uint32_t code)
{
	if (code < 0x80 || glyphs == GLYPHS_BRAILLE)
		return code;
	code = square(code);
	if (code >= 0x2800 && code <= 0x28ff)
		code = half_of_dots(code);
	if (code == 0x2501 && glyphs >= GLYPHS_ACS)
		code = '=';
	if (glyphs >= GLYPHS_HALF)
		code = nearest_half(code);
	if (glyphs >= GLYPHS_ACS)
		code = nearest_acs(code);
	return glyphs == GLYPHS_ASCII ? nearest_ascii(code) : code;
}
