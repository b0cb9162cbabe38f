/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/report/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define INDENT_MAX 40

/* A command is one line in the report, to be copied from there; here all of it is to be seen. */
static int break_commands(char **text, int columns)
{
	char *broken, indent[INDENT_MAX + 1];
	struct text_stream stream;
	FILE *out = text_stream_begin(&stream);

	if (!out)
		return -ENOMEM;
	for (char *line = *text, *end; *line; line = end) {
		size_t blanks = strspn(line, " ");

		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (blanks > INDENT_MAX || (int)blanks >= columns / 2 ||
		    text_width(line) <= columns) {
			fprintf(out, "%s\n", line);
			continue;
		}
		snprintf(indent, sizeof(indent), "%*s", (int)blanks, "");
		text_paragraph(out, columns, indent, line + blanks);
	}
	broken = text_stream_end(&stream);
	if (!broken)
		return -ENOMEM;
	free(*text);
	*text = broken;
	return 0;
}

int report_lines_make(struct report_lines *lines, const struct report *report, bool compared,
		      int columns, struct error *reterr)
{
	char *text = NULL;
	const char **items;
	size_t count = 0, at = 0;
	int error = report_text(report, compared ? REPORT_COMPARED : REPORT_SHORT, columns, &text,
				reterr);

	if (error < 0)
		return error;
	if (break_commands(&text, columns) < 0) {
		free(text);
		return error_nomem(reterr);
	}
	for (const char *c = text; *c; c++)
		count += *c == '\n';
	items = calloc(count + 1, sizeof(*items));
	if (!items) {
		free(text);
		return error_nomem(reterr);
	}
	/* A last line without its newline is a line too. */
	for (char *line = text; line && *line;) {
		char *end = strchr(line, '\n');

		items[at++] = line;
		if (end)
			*end++ = '\0';
		line = end;
	}
	report_lines_done(lines);
	*lines = (struct report_lines){ .text = text, .items = items, .count = at };
	return 0;
}

void report_lines_done(struct report_lines *lines)
{
	free(lines->text);
	free(lines->items);
	*lines = (struct report_lines){ 0 };
}

enum role report_result_role(const struct report *report)
{
	switch (report_exit_code(report)) {
	case EXIT_COMPLETE:
		return ROLE_OK;
	case EXIT_BAD_AREAS:
	case EXIT_STOPPED:
		return ROLE_WARN;
	default:
		return ROLE_BAD;
	}
}

enum role report_line_role(const struct report *report, const struct report_lines *lines, size_t at)
{
	if (at == 0)
		return report_result_role(report);
	/* Headings stand alone, with their items below them three columns in. */
	if (at + 1 < lines->count && !lines->items[at - 1][0] &&
	    strncmp(lines->items[at + 1], "   ", 3) == 0 && lines->items[at + 1][3] != ' ')
		return ROLE_STRONG;
	return ROLE_NORMAL;
}

/* The slowest of what was copied in [from, to); unknown where nothing was. */
static float slowest(const float *profile, size_t from, size_t to)
{
	float rate = NAN;

	for (size_t i = from; i < to; i++)
		if (profile[i] > 0 && !(profile[i] >= rate))
			rate = profile[i];
	return rate;
}

float report_profile(const struct rates *rates, float *samples, int count)
{
	const float *profile = rates->profile;
	float max = 0;

	for (size_t i = 0; i < RATES_PROFILE; i++)
		max = fmaxf(max, profile[i] / 1e6F);
	for (int i = 0; i < count; i++) {
		size_t from = (size_t)i * RATES_PROFILE / (size_t)count;
		size_t to = ((size_t)i + 1) * RATES_PROFILE / (size_t)count;

		samples[i] = slowest(profile, from, to > from ? to : from + 1) / 1e6F;
	}
	return max;
}

/* ---- layout ---- */

#define GRAPH_COLS 38
#define GRAPH_ROWS 10
#define MAP_ROWS   4
/* Rows of the body from which on there is a place for the map. */
#define TALL_ROWS 34

void layout_report(struct rect body, struct layout_report *ret)
{
	int more = body.rows > TALL_ROWS ? body.rows - TALL_ROWS : 0;
	struct rect rest = body;

	*ret = (struct layout_report){ 0 };
	if (body.rows >= TALL_ROWS) {
		ret->map = rect_cut_bottom(&rest, MAP_ROWS);
		rect_cut_bottom(&rest, 1);
	}
	if (body.cols >= LAYOUT_WIDE_COLS) {
		struct rect right =
			rect_cut_right(&rest, GRAPH_COLS + (body.cols - LAYOUT_WIDE_COLS) / 3);

		rect_cut_right(&rest, 1);
		ret->graph = rect_cut_top(&right, GRAPH_ROWS + more / 3);
	}
	ret->text = rest;
}
