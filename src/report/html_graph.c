/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The certificate's two pictures as SVG. All coordinates are whole numbers: a
 * locale's decimal comma would break a number in markup.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/i18n.h"
#include "base/units.h"
#include "report/html.h"

#define GRAPH_LEFT   110
#define GRAPH_TOP    14
#define GRAPH_HEIGHT 190
#define BAR          9
#define GRAPH_WIDTH  (BAR * RATES_PROFILE)
#define GRAPH_BOTTOM (GRAPH_TOP + GRAPH_HEIGHT)
#define GRID_LINES   4

#define CELL       5
#define STRIP_TOP  22
#define STRIP_HIGH 46
#define STRIP_WIDE (CELL * REPORT_MAP_CELLS)

/* The next that is not smaller and whose quarters, the grid lines, have short names. */
static double nice_top(double peak)
{
	static const double steps[] = { 1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10 };
	double unit = 1;

	while (unit * 10 < peak)
		unit *= 10;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (unit * steps[i] >= peak)
			return unit * steps[i];
	return unit * 10;
}

static void put_label(FILE *out, int x, int y, const char *anchor, const char *text)
{
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
	html_text(out, "%s", text);
	html_markup(out, "</text>\n");
}

static int height_of(double rate, double top)
{
	return (int)(rate / top * GRAPH_HEIGHT + 0.5);
}

static void put_grid(FILE *out, double top)
{
	char rate[UNITS_TEXT_MAX];

	for (int i = 0; i <= GRID_LINES; i++) {
		int y = GRAPH_BOTTOM - GRAPH_HEIGHT * i / GRID_LINES;

		fprintf(out,
			"<path d=\"M%d %dH%d\" stroke=\"%s\" stroke-width=\"%d\" fill=\"none\"/>\n",
			GRAPH_LEFT, y, GRAPH_LEFT + GRAPH_WIDTH, i ? "#d3d8de" : "#1a1f26",
			i ? 1 : 2);
		put_label(out, GRAPH_LEFT - 10, y + 7, "end",
			  i ? units_print_rate(top * i / GRID_LINES, rate) : "0");
	}
}

/* Parts that this run did not copy, or too fast to be measured, stay empty. */
static void put_bars(FILE *out, const struct rates *rates, double top)
{
	for (int i = 0; i < RATES_PROFILE; i++) {
		int high = height_of((double)rates->profile[i], top);

		if (rates->profile[i] > 0)
			fprintf(out,
				"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
				"fill=\"#2f6db3\" shape-rendering=\"crispEdges\"/>\n",
				GRAPH_LEFT + i * BAR, GRAPH_BOTTOM - (high ? high : 1), BAR,
				high ? high : 1);
	}
}

static void put_scale(FILE *out, uint64_t total)
{
	char bytes[UNITS_TEXT_MAX];

	for (int i = 0; i <= GRID_LINES; i++) {
		const char *anchor = i == 0 ? "start" : (i == GRID_LINES ? "end" : "middle");

		put_label(
			out, GRAPH_LEFT + GRAPH_WIDTH * i / GRID_LINES, GRAPH_BOTTOM + 26, anchor,
			i ? units_print_long(total / GRID_LINES * (unsigned)i, UNITS_SI, 512, bytes)
			  : "0");
	}
}

static void put_average(FILE *out, double average, double top)
{
	int y = GRAPH_BOTTOM - height_of(average, top);

	if (average > 0)
		fprintf(out,
			"<path d=\"M%d %dH%d\" stroke=\"#1a1f26\" stroke-width=\"2\" "
			"stroke-dasharray=\"10 7\" fill=\"none\"/>\n",
			GRAPH_LEFT, y, GRAPH_LEFT + GRAPH_WIDTH);
}

void html_put_graph(FILE *out, const struct report *report)
{
	const struct rates *rates = &report->rates;
	char average[UNITS_TEXT_MAX];
	double peak = report->job.average;
	bool any = false;

	for (size_t i = 0; i < RATES_PROFILE; i++) {
		any = any || rates->profile[i] > 0;
		peak = (double)rates->profile[i] > peak ? (double)rates->profile[i] : peak;
	}
	html_section(out, "graph", _("Throughput over what was copied"));
	if (!any) {
		html_element(out, "p style=\"margin:0\"", "%s",
			     _("The copy was too short to be measured."));
		html_section_end(out);
		return;
	}
	peak = nice_top(peak);
	fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", GRAPH_LEFT + GRAPH_WIDTH,
		GRAPH_BOTTOM + 34);
	put_grid(out, peak);
	put_bars(out, rates, peak);
	put_average(out, report->job.average, peak);
	put_scale(out, report->job.total);
	html_markup(out, "</svg>\n");
	if (report->job.average > 0)
		html_element(out, "p class=legend", _("Dashed: the average, %s."),
			     units_print_rate(report->job.average, average));
	html_section_end(out);
}

/* ---- the map ---- */

static const char *cell_fill(char cell)
{
	switch (cell) {
	case '+':
		return "#7fb08f";
	case '.':
		return "#ffffff";
	case '-':
	case '/':
	case '*':
		return "#a11212";
	default:
		return "#d3d8de";
	}
}

static bool cell_is_bad(char cell)
{
	return cell == '-' || cell == '/' || cell == '*';
}

static void put_cells(FILE *out, const char *cells)
{
	for (int at = 0; cells[at];) {
		int from = at;

		while (cells[at] == cells[from])
			at++;
		fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
			from * CELL, STRIP_TOP, (at - from) * CELL, STRIP_HIGH,
			cell_fill(cells[from]));
	}
}

/* One sector in a thousand million would be too thin to be seen, so each has an arrow. */
static void put_arrows(FILE *out, const char *cells)
{
	for (int at = 0; cells[at]; at++) {
		int x = at * CELL + CELL / 2;

		if (cell_is_bad(cells[at]))
			fprintf(out, "<path d=\"M%d %dl-7 -14h14z\" fill=\"#a11212\"/>\n", x,
				STRIP_TOP - 3);
	}
}

static void put_legend(FILE *out, const struct report *report)
{
	static const struct {
		char cell;
		const char *text;
	} kinds[] = {
		{ '+', N_("copied") },
		{ '?', N_("not copied") },
		{ '-', N_("holds what could not be read") },
		{ '.', N_("not part of the plan") },
	};

	html_markup(out, "<p class=\"legend\">");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		fprintf(out, "<i style=\"background:%s\"></i>", cell_fill(kinds[i].cell));
		html_text(out, "%s", _(kinds[i].text));
	}
	html_markup(out, "</p>\n");
}

void html_put_map(FILE *out, const struct report *report)
{
	char size[UNITS_TEXT_MAX];

	if (!report->map_cells[0])
		return;
	html_section(out, "map", _("Map of the source"));
	fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", STRIP_WIDE,
		STRIP_TOP + STRIP_HIGH + 28);
	put_cells(out, report->map_cells);
	put_arrows(out, report->map_cells);
	fprintf(out,
		"<rect x=\"1\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
		"stroke=\"#1a1f26\" stroke-width=\"2\"/>\n",
		STRIP_TOP, STRIP_WIDE - 2, STRIP_HIGH);
	put_label(out, 0, STRIP_TOP + STRIP_HIGH + 24, "start", "0");
	put_label(out, STRIP_WIDE, STRIP_TOP + STRIP_HIGH + 24, "end",
		  units_print_long(report->plan->source.size, UNITS_SI, 512, size));
	html_markup(out, "</svg>\n");
	put_legend(out, report);
	html_section_end(out);
}
