/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The certificate's pictures as numbers for the template's SVG. All
 * coordinates are whole numbers: a locale's decimal comma would break a number
 * in markup.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/units.h"
#include "report/facts.h"

#define GRAPH_LEFT   110
#define GRAPH_TOP    14
#define GRAPH_HEIGHT 190
#define BAR          9
#define GRAPH_WIDTH  (BAR * RATES_PROFILE)
#define GRAPH_BOTTOM (GRAPH_TOP + GRAPH_HEIGHT)
#define GRID_LINES   4
#define SCALE_MARKS  4
#define BLUE         "#2f6db3"
#define LIGHT_BLUE   "#b5cde6"

#define CELL       UINT64_C(5)
#define STRIP_WIDE (CELL * REPORT_MAP_CELLS)

static json_object *add_item(json_object *array)
{
	json_object *item = json_object_new_object();

	json_object_array_add(array, item);
	return item;
}

/* ---- graphs: what is the same in each ---- */

static void add_bar(json_object *bars, int x, int end, int high, const char *fill)
{
	json_object *bar = add_item(bars);

	high = high > 0 ? high : 1;
	json_add_number(bar, "x", GRAPH_LEFT + x);
	json_add_number(bar, "y", GRAPH_BOTTOM - high);
	json_add_number(bar, "width", end - x);
	json_add_number(bar, "height", high);
	json_add_text(bar, "fill", fill);
}

static void add_line(json_object *lines, int high, const char *text)
{
	json_object *line = add_item(lines);

	json_add_number(line, "y", GRAPH_BOTTOM - high);
	json_add_number(line, "label_y", GRAPH_BOTTOM - high + 7);
	json_add_text(line, "text", text);
}

/* Bytes, below the graph. */
static json_object *scale(uint64_t first, uint64_t total)
{
	json_object *array = json_object_new_array();

	for (int i = 0; i <= SCALE_MARKS; i++) {
		json_object *mark = add_item(array);
		uint64_t at = first + total / SCALE_MARKS * (unsigned)i;

		json_add_number(mark, "x", GRAPH_LEFT + GRAPH_WIDTH * i / SCALE_MARKS);
		json_add_text(mark, "anchor",
			      i == 0 ? "start" : (i == SCALE_MARKS ? "end" : "middle"));
		json_add_text(mark, "text", at ? UNITS_LONG(at, UNITS_SI, 512) : "0");
	}
	return array;
}

/* No bars: why there is nothing to see. */
static json_object *graph(const char *title, json_object *lines, json_object *bars,
			  json_object *marks, const char *legend)
{
	json_object *graph = json_object_new_object();

	json_add_text(graph, "title", title);
	json_add_number(graph, "left", GRAPH_LEFT);
	json_add_number(graph, "wide", GRAPH_LEFT + GRAPH_WIDTH);
	json_add_number(graph, "high", GRAPH_BOTTOM + 34);
	json_add_number(graph, "bottom", GRAPH_BOTTOM);
	json_add_number(graph, "label_x", GRAPH_LEFT - 10);
	json_add_number(graph, "scale_y", GRAPH_BOTTOM + 26);
	json_object_object_add(graph, "lines", lines);
	json_object_object_add(graph, "bars", bars);
	json_object_object_add(graph, "scale", marks);
	json_object_object_add(graph, "average_y", NULL);
	json_add_bool(graph, "has_bars", bars != NULL);
	json_add_text(graph, "legend", legend);
	return graph;
}

/* ---- throughput over what was copied ---- */

/* The next that is not smaller and whose quarters, the grid lines, have short names. */
static double nice_top(double peak)
{
	static const double steps[] = { 1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10 };
	double unit = 1;

	while (unit * 10 < peak)
		unit *= 10;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (unit * steps[i] >= peak)
			return unit * steps[i];
	return unit * 10;
}

static int height_of(double rate, double top)
{
	return (int)(rate / top * GRAPH_HEIGHT + 0.5);
}

static json_object *rate_lines(double top)
{
	json_object *lines = json_object_new_array();

	for (int i = 0; i <= GRID_LINES; i++)
		add_line(lines, GRAPH_HEIGHT * i / GRID_LINES,
			 i ? UNITS_RATE(top * i / GRID_LINES) : "0");
	return lines;
}

/* Parts that this run did not copy, or too fast to be measured, stay empty. */
static json_object *rate_bars(const struct rates *rates, double top)
{
	json_object *bars = json_object_new_array();

	for (int i = 0; i < RATES_PROFILE; i++)
		if (rates->profile[i] > 0)
			add_bar(bars, i * BAR, (i + 1) * BAR,
				height_of((double)rates->profile[i], top), BLUE);
	return bars;
}

static json_object *throughput(const struct report *report)
{
	const char *title = _("Throughput over what was copied");
	const struct rates *rates = &report->rates;
	double average = report->job.average, top = average;
	json_object *object;
	char legend[128] = "";
	bool any = false;

	for (size_t i = 0; i < RATES_PROFILE; i++) {
		any = any || rates->profile[i] > 0;
		top = (double)rates->profile[i] > top ? (double)rates->profile[i] : top;
	}
	if (!any)
		return graph(title, NULL, NULL, NULL, _("The copy was too short to be measured."));
	top = nice_top(top);
	if (average > 0)
		snprintf(legend, sizeof(legend), _("Dashed: the average, %s."),
			 UNITS_RATE(average));
	object = graph(title, rate_lines(top), rate_bars(rates, top), scale(0, report->job.total),
		       legend);
	if (average > 0)
		json_add_number(object, "average_y", GRAPH_BOTTOM - height_of(average, top));
	return object;
}

/* ---- latency over the source ---- */

/* Powers of ten of microseconds: with equal steps nothing would be seen of one part beside another
 * that is a hundred times slower. */
struct decades {
	int low, high;
};

static int decade_height(const struct decades *decades, double us)
{
	return (int)((log10(us) - decades->low) / (decades->high - decades->low) * GRAPH_HEIGHT);
}

static json_object *latency_lines(const struct decades *decades)
{
	json_object *lines = json_object_new_array();
	char text[UNITS_TEXT_MAX];

	for (int i = decades->low; i <= decades->high; i++) {
		double us = pow(10, i);

		snprintf(text, sizeof(text), us < 1e6 ? "%g ms" : "%g s",
			 us < 1e6 ? us / 1e3 : us / 1e6);
		add_line(lines, decade_height(decades, us), text);
	}
	return lines;
}

static json_object *latency_bars(const struct zones_shown *zones, const struct decades *decades)
{
	json_object *bars = json_object_new_array();

	for (int i = 0; i < (int)zones->count; i++) {
		const struct zone_latency *cell = &zones->cells[i];
		int x = GRAPH_WIDTH * i / (int)zones->count;
		int end = GRAPH_WIDTH * (i + 1) / (int)zones->count;

		if (!cell->max)
			continue;
		add_bar(bars, x, end, decade_height(decades, cell->max), LIGHT_BLUE);
		add_bar(bars, x, end, decade_height(decades, cell->median), BLUE);
	}
	return bars;
}

static json_object *latency(const struct report *report)
{
	const struct zones_shown *zones = &report->job.zones;
	uint32_t least, most;
	struct decades decades;

	zones_span(zones, &least, &most);
	if (!most)
		return NULL;
	decades.low = (int)floor(log10(least));
	decades.high = (int)floor(log10(most)) + 1;
	return graph(_("Latency over the source"), latency_lines(&decades),
		     latency_bars(zones, &decades), scale(zones->first, zones->count * zones->cell),
		     _("Dark: the median of the reads of each part; light: the slowest."));
}

json_object *report_graphs(const struct report *report)
{
	json_object *graphs = json_object_new_array(), *slow = latency(report);

	json_object_array_add(graphs, throughput(report));
	if (slow)
		json_object_array_add(graphs, slow);
	return graphs;
}

/* ---- the map ---- */

static bool cell_is_bad(char cell)
{
	return cell == '-' || cell == '/' || cell == '*';
}

static const char *cell_fill(char cell)
{
	if (cell_is_bad(cell))
		return "#a11212";
	return cell == '+' ? "#7fb08f" : (cell == '.' ? "#ffffff" : "#d3d8de");
}

json_object *report_strip(const struct report *report)
{
	const char *map = report->map_cells;
	json_object *strip, *cells = json_object_new_array(), *arrows = json_object_new_array();

	for (uint64_t at = 0; map[at];) {
		json_object *cell = add_item(cells);
		uint64_t from = at;

		while (map[at] == map[from]) {
			if (cell_is_bad(map[at]))
				json_object_array_add(arrows,
						      json_object_new_uint64(at * CELL + CELL / 2));
			at++;
		}
		json_add_number(cell, "x", from * CELL);
		json_add_number(cell, "width", (at - from) * CELL);
		json_add_text(cell, "fill", cell_fill(map[from]));
	}
	strip = json_object_new_object();
	json_add_number(strip, "wide", STRIP_WIDE);
	json_add_number(strip, "frame", STRIP_WIDE - 2);
	json_add_number(strip, "bytes", report->plan->source.size);
	json_object_object_add(strip, "cells", cells);
	json_object_object_add(strip, "arrows", arrows);
	if (map[0])
		return strip;
	json_object_put(strip);
	return NULL;
}
