/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/glyphs.h"

#include <math.h>
#include <string.h>

int glyphs_per_cell(enum deck_glyphs glyphs)
{
	return glyphs == GLYPHS_BRAILLE ? 2 : 1;
}

/* Steps that a sample can have in one cell of height. */
static int levels_of(enum deck_glyphs glyphs)
{
	switch (glyphs) {
	case GLYPHS_BRAILLE:
		return 4;
	case GLYPHS_BLOCK:
		return 8;
	case GLYPHS_ACS:
		return 1;
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

/* Braille dots of one column of a cell, filled from the bottom. */
static uint32_t dots(int fill, bool right)
{
	static const uint8_t left_dots[5] = { 0x00, 0x40, 0x44, 0x46, 0x47 };
	static const uint8_t right_dots[5] = { 0x00, 0x80, 0xa0, 0xb0, 0xb8 };

	return right ? right_dots[fill] : left_dots[fill];
}

static uint32_t filled_cell(enum deck_glyphs glyphs, int left, int right)
{
	static const char ascii[3] = { ' ', '.', ':' };
	uint32_t pattern;

	switch (glyphs) {
	case GLYPHS_BRAILLE:
		pattern = dots(left, false) | dots(right, true);
		/* Some fonts draw the dots of U+2800 as rings: a blank is a blank. */
		return pattern ? 0x2800 + pattern : ' ';
	case GLYPHS_BLOCK:
		return left ? 0x2580 + (uint32_t)left : ' ';
	default:
		return (uint32_t)ascii[left];
	}
}

/* A line graph: this sample's line, joined to the one before by a vertical stroke. */
static uint32_t line_cell(int before, int now, int level)
{
	if (now < 0)
		return ' ';
	if (before < 0 || before == now)
		return now == level ? 0x2500 : ' ';
	if (level == now)
		return now > before ? 0x250c : 0x2514;
	if (level == before)
		return now > before ? 0x2518 : 0x2510;
	return (level > before) == (level < now) ? 0x2502 : ' ';
}

void glyphs_graph_row(enum deck_glyphs glyphs, const float *samples, int count, float max, int rows,
		      int row, int cols, uint32_t *out)
{
	int per_cell = glyphs_per_cell(glyphs);
	int levels = levels_of(glyphs);
	int base = (rows - 1 - row) * levels;
	/* Sample index of the first cell: the newest sample ends at the right edge. */
	int first = count - cols * per_cell;

	for (int col = 0; col < cols; col++) {
		int at = first + col * per_cell;
		int step[2] = { -1, -1 };

		for (int i = 0; i < per_cell; i++)
			if (at + i >= 0)
				step[i] = height_of(samples[at + i], max, rows * levels);
		if (glyphs == GLYPHS_ACS) {
			int before = at > 0 ? height_of(samples[at - 1], max, rows) : -1;

			/* The lowest line of the graph stands for steps 0 and 1. */
			out[col] = line_cell(before < 0 ? -1 : clamp(before - 1, 0, rows - 1),
					     step[0] < 0 ? -1 : clamp(step[0] - 1, 0, rows - 1),
					     rows - 1 - row);
			continue;
		}
		out[col] = filled_cell(glyphs, clamp(step[0] - base, 0, levels),
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
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (steps[i] * ten >= value)
			return steps[i] * ten;
	return 10 * ten;
}

void glyphs_bar(double fraction, int cols, char *out)
{
	int full;

	if (cols < 0)
		cols = 0;
	if (!(fraction > 0))
		full = 0;
	else if (fraction >= 1)
		full = cols;
	else
		full = clamp((int)(fraction * cols), cols > 1 ? 1 : 0, cols > 1 ? cols - 1 : 0);
	memset(out, '#', (size_t)full);
	memset(out + full, '-', (size_t)(cols - full));
	out[cols] = '\0';
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
