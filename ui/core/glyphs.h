/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bars and graphs as characters: pure functions from numbers to code points,
 * for each step of the ladder braille, block, half block, ACS, ASCII. What ACS
 * has is given as Unicode has it (U+2592 and the scan lines U+23BA to U+23BD);
 * draw.c turns that into the terminal's own line drawing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ui/deck.h"

/* Samples side by side in one cell: 2 for braille, else 1. */
int glyphs_per_cell(enum deck_glyphs glyphs);

/*
 * One line of a graph: `cols` code points into out. samples: oldest first, the
 * newest at the right edge; fewer than fit leave the left blank, of more the
 * newest are taken. NaN (unknown) is blank, 0 is drawn as the lowest step only
 * when it is a measured something above 0. row 0 is the top one of `rows`.
 * down: the graph hangs from its top, as the lower half of a mirrored one.
 */
void glyphs_graph_row(enum deck_glyphs glyphs, const float *samples, int count, float max, int rows,
		      int row, int cols, bool down, uint32_t *out);
/* A round maximum (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 x 10^n) at or above value; at least 1. */
double glyphs_scale(double value);

enum bar_kind { BAR_THICK, BAR_HELD, BAR_THIN };
/* A bar of `cols` code points for a fraction 0..1 (clamped): full only at 1, empty only at 0.
 * Returns how many cells from the left are at least partly filled. */
int glyphs_bar(enum deck_glyphs glyphs, enum bar_kind kind, double fraction, int cols,
	       uint32_t *out);
/* "uussii..": parts of one bar, each with its own letter, the rest dots. */
void glyphs_parts_bar(const double *fractions, const char *letters, int parts, int cols, char *out);

/* A character that another terminal shows, with what this one can: bars, graphs and marks are made
 * of the nearest of its own, in one column as before; all others stay. */
uint32_t glyphs_nearest(enum deck_glyphs glyphs, uint32_t code);
