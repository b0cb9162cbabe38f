/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The certificate's two pictures as numbers for the template's SVG. All
 * coordinates are whole numbers: a locale's decimal comma would break a number
 * in markup.
 */
#include <stdbool.h>
#include <stdio.h>

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

#define CELL       5
#define STRIP_WIDE (CELL * REPORT_MAP_CELLS)

static void add_number(json_object *object, const char *key, int value)
{
	json_object_object_add(object, key, json_object_new_int(value));
}

static void add_text(json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

static json_object *add_item(json_object *array)
{
	json_object *item = json_object_new_object();

	json_object_array_add(array, item);
	return item;
}

/* ---- throughput over what was copied ---- */

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

static int height_of(double rate, double top)
{
	return (int)(rate / top * GRAPH_HEIGHT + 0.5);
}

static json_object *grid_lines(double top)
{
	json_object *lines = json_object_new_array();
	char rate[UNITS_TEXT_MAX];

	for (int i = 0; i <= GRID_LINES; i++) {
		json_object *line = add_item(lines);
		int y = GRAPH_BOTTOM - GRAPH_HEIGHT * i / GRID_LINES;

		add_number(line, "y", y);
		add_number(line, "label_y", y + 7);
		add_text(line, "text", i ? units_print_rate(top * i / GRID_LINES, rate) : "0");
	}
	return lines;
}

/* Parts that this run did not copy, or too fast to be measured, stay empty. */
static json_object *bars(const struct rates *rates, double top)
{
	json_object *array = json_object_new_array();

	for (int i = 0; i < RATES_PROFILE; i++) {
		int high = height_of((double)rates->profile[i], top);
		json_object *bar;

		if (!(rates->profile[i] > 0))
			continue;
		bar = add_item(array);
		high = high ? high : 1;
		add_number(bar, "x", GRAPH_LEFT + i * BAR);
		add_number(bar, "y", GRAPH_BOTTOM - high);
		add_number(bar, "width", BAR);
		add_number(bar, "height", high);
	}
	return array;
}

static json_object *scale(uint64_t total)
{
	json_object *array = json_object_new_array();
	char bytes[UNITS_TEXT_MAX];

	for (int i = 0; i <= GRID_LINES; i++) {
		json_object *mark = add_item(array);

		add_number(mark, "x", GRAPH_LEFT + GRAPH_WIDTH * i / GRID_LINES);
		add_text(mark, "anchor", i == 0 ? "start" : (i == GRID_LINES ? "end" : "middle"));
		add_text(
			mark, "text",
			i ? units_print_long(total / GRID_LINES * (unsigned)i, UNITS_SI, 512, bytes)
			  : "0");
	}
	return array;
}

json_object *report_graph(const struct report *report)
{
	const struct rates *rates = &report->rates;
	double average = report->job.average, top = average;
	json_object *graph;
	char rate[UNITS_TEXT_MAX], legend[128] = "";
	bool any = false;

	for (size_t i = 0; i < RATES_PROFILE; i++) {
		any = any || rates->profile[i] > 0;
		top = (double)rates->profile[i] > top ? (double)rates->profile[i] : top;
	}
	if (!any)
		return NULL;
	top = nice_top(top);
	graph = json_object_new_object();
	add_number(graph, "left", GRAPH_LEFT);
	add_number(graph, "wide", GRAPH_LEFT + GRAPH_WIDTH);
	add_number(graph, "high", GRAPH_BOTTOM + 34);
	add_number(graph, "bottom", GRAPH_BOTTOM);
	add_number(graph, "label_x", GRAPH_LEFT - 10);
	add_number(graph, "scale_y", GRAPH_BOTTOM + 26);
	json_object_object_add(graph, "lines", grid_lines(top));
	json_object_object_add(graph, "bars", bars(rates, top));
	json_object_object_add(graph, "scale", scale(report->job.total));
	json_object_object_add(
		graph, "average_y",
		average > 0 ? json_object_new_int(GRAPH_BOTTOM - height_of(average, top)) : NULL);
	if (average > 0)
		snprintf(legend, sizeof(legend), _("Dashed: the average, %s."),
			 units_print_rate(average, rate));
	add_text(graph, "average", legend);
	return graph;
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

	for (int at = 0; map[at];) {
		json_object *cell = add_item(cells);
		int from = at;

		while (map[at] == map[from]) {
			if (cell_is_bad(map[at]))
				json_object_array_add(arrows,
						      json_object_new_int(at * CELL + CELL / 2));
			at++;
		}
		add_number(cell, "x", from * CELL);
		add_number(cell, "width", (at - from) * CELL);
		add_text(cell, "fill", cell_fill(map[from]));
	}
	strip = json_object_new_object();
	add_number(strip, "wide", STRIP_WIDE);
	add_number(strip, "frame", STRIP_WIDE - 2);
	json_object_object_add(strip, "bytes", json_object_new_uint64(report->plan->source.size));
	json_object_object_add(strip, "cells", cells);
	json_object_object_add(strip, "arrows", arrows);
	if (map[0])
		return strip;
	json_object_put(strip);
	return NULL;
}
