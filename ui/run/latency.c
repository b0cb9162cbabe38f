/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/run/latency.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

#include "ui/core/glyphs.h"
#include "ui/run/model.h"

void run_latency(const struct job_snapshot *job, struct run_latency *ret)
{
	*ret = (struct run_latency){
		.title = _("Wait for one request, ms"),
		.count = 2,
		.ends = { { _("read"), &job->source.latency, &job->source.recent, ROLE_READ },
			  { _("write"), &job->destination.latency, &job->destination.recent,
			    ROLE_WRITE } },
	};
	if (job->pass == PASS_COMPARE) {
		ret->title = _("Wait for reading both, ms");
		ret->ends[0].label = _("src");
		ret->ends[1].label = _("dest");
		ret->ends[1].summary = &job->read_back;
		ret->ends[1].recent = &job->recent_back;
	} else if (job->pass == PASS_VERIFY) {
		ret->title = _("Wait for reading back, ms");
		ret->count = 1;
		ret->ends[0].summary = &job->read_back;
		ret->ends[0].recent = &job->recent_back;
	}
}

const char *run_text_ms(uint64_t ns, uint64_t count, char *buffer, size_t size)
{
	double ms = (double)ns / (double)NSEC_PER_MSEC;

	if (!count)
		snprintf(buffer, size, "-");
	else if (ms < 0.995)
		snprintf(buffer, size, "%.2f", ms);
	else if (ms < 9.95)
		snprintf(buffer, size, "%.1f", ms);
	else
		snprintf(buffer, size, "%s", UNITS_COUNT((uint64_t)(ms + 0.5)));
	return buffer;
}

/* With a blank before it: digits alone if there is no room for the separator, then seconds. */
static const char *short_ms(uint64_t ns, uint64_t count, int cols, char *buffer, size_t size)
{
	double ms = (double)ns / (double)NSEC_PER_MSEC;

	run_text_ms(ns, count, buffer, size);
	if (text_width(buffer) >= cols && ms < 9999.5)
		snprintf(buffer, size, "%.0f", ms);
	else if (text_width(buffer) >= cols)
		snprintf(buffer, size, "%.0fs", ms / 1000);
	return buffer;
}

/* Columns: label, when, and three times; of more room the times get some. */
#define LABEL_COLS 6
#define WHEN_COLS  4

static int time_cols(const struct line *line)
{
	int cols = (line->limit - LABEL_COLS - WHEN_COLS - 3) / 3;

	return cols < 5 ? 5 : cols > 9 ? 9 : cols;
}

static void text_header(struct line *line)
{
	int cols = time_cols(line);

	line_put(line, 1 + LABEL_COLS + WHEN_COLS, "");
	line_put_right_word(line, cols, _("usual"));
	line_put_right(line, cols, "99%");
	line_put(line, 1, "");
	line_put_right_word(line, cols, _("worst"));
}

void run_text_latency(const char *label, const char *when, const struct latency_summary *latency,
		      struct line *line)
{
	const uint64_t times[] = { latency->p50, latency->p99, latency->max };
	int cols = time_cols(line);
	char text[UNITS_TEXT_MAX];

	line_put(line, 1, "");
	line_put(line, LABEL_COLS - 1, label);
	line_put(line, 1, "");
	line_put(line, WHEN_COLS, when);
	for (int i = 0; i < 3; i++) {
		int wide = cols + (i == 2);

		line_put_right(line, wide,
			       short_ms(times[i], latency->count, wide, text, sizeof(text)));
	}
}

/* The lower edge of a bucket in milliseconds. */
static unsigned edge_ms(int bucket)
{
	return bucket ? 1U << (bucket - 1) : 0;
}

/* Share of the ends inside [first, first + rows), what is added at the borders not counted. */
static double inside(const struct run_latency *latency, int first, int rows)
{
	double share = 0;

	for (int end = 0; end < latency->count; end++)
		for (int i = first; i < first + rows; i++)
			share += latency->ends[end].summary->coarse[i];
	return share;
}

int run_histogram(const struct run_latency *latency, int rows, struct run_bucket *ret)
{
	int first = 0;

	if (rows <= 0)
		return 0;
	if (rows > LATENCY_COARSE)
		rows = LATENCY_COARSE;
	for (int i = 1; i + rows <= LATENCY_COARSE; i++)
		if (inside(latency, i, rows) > inside(latency, first, rows))
			first = i;
	for (int i = 0; i < rows; i++) {
		struct run_bucket *bucket = &ret[i];
		int from = i ? first + i : 0;
		int to = i == rows - 1 ? LATENCY_COARSE : first + i + 1;

		memset(bucket, 0, sizeof(*bucket));
		for (int end = 0; end < latency->count; end++)
			for (int b = from; b < to; b++)
				bucket->shares[end] += latency->ends[end].summary->coarse[b];
		if (!from)
			snprintf(bucket->label, sizeof(bucket->label), "<%u", edge_ms(to));
		else if (to == LATENCY_COARSE)
			snprintf(bucket->label, sizeof(bucket->label), ">=%u", edge_ms(from));
		else
			snprintf(bucket->label, sizeof(bucket->label), "%u-%u", edge_ms(from),
				 edge_ms(to));
		if (!from && to == LATENCY_COARSE)
			snprintf(bucket->label, sizeof(bucket->label), ">=0");
	}
	return rows;
}

static void draw_bars(struct draw *draw, const struct run_latency *latency, struct rect area)
{
	struct run_bucket buckets[LATENCY_COARSE];
	int count = run_histogram(latency, area.rows - 1, buckets);
	int bar = (area.cols - 12) / 2;

	if (bar < 4 || count < 1)
		return;
	draw_cell(draw, area, 0, 1, 9, ROLE_DIM, _("ms"));
	for (int i = 0; i < count; i++)
		draw_cell(draw, area, i + 1, 1, 9, ROLE_DIM, buckets[i].label);
	for (int end = 0; end < latency->count; end++) {
		enum role role = latency->ends[end].role;
		int col = 10 + end * (bar + 1);

		draw_cell(draw, area, 0, col, bar, role, latency->ends[end].label);
		for (int i = 0; i < count; i++) {
			double share = buckets[i].shares[end];
			int cells = (int)lround(share * bar);

			if (cells)
				draw_bar(draw, area, i + 1, col, cells, BAR_THICK, role, 1);
			else if (share > 0)
				draw_text(draw, area, i + 1, col, role, ".");
		}
	}
}

/* ---- by place ---- */

#define WHERE_LABEL_COLS 6
#define WHERE_SAMPLES    512

int run_places(const struct zones_shown *zones, bool worst, int count, float *ret)
{
	uint32_t least, most;
	double whole;

	zones_span(zones, &least, &most);
	if (!most)
		return 0;
	/* The fastest is still to be seen. */
	whole = log2((double)most / least) + 1;
	for (int i = 0; i < count; i++) {
		unsigned from = (unsigned)i * zones->count / (unsigned)count;
		unsigned to = (unsigned)(i + 1) * zones->count / (unsigned)count;
		uint32_t us = 0;

		for (unsigned k = from; k < to || k == from; k++) {
			const struct zone_latency *cell = &zones->cells[k];
			uint32_t one = worst ? cell->max : cell->median;

			us = one > us ? one : us;
		}
		ret[i] = us ? (float)((log2((double)us / least) + 1) / whole) : NAN;
	}
	return count;
}

void run_text_slowest(const struct slow_zone *slow, uint32_t sector_size, struct line *line)
{
	char text[UNITS_TEXT_MAX], times[16], all[192];

	line_put(line, 1, "");
	if (!slow->known || !sector_size) {
		line_add(line, "%s", _("too little was read to compare"));
		return;
	}
	snprintf(times, sizeof(times), slow->factor < 9.95 ? "%.1f" : "%.0f", slow->factor);
	run_text_ms(slow->median, 1, text, sizeof(text));
	snprintf(all, sizeof(all),
		 slow->weak ? _("WEAK? LBA %" PRIu64 ": %s ms, %sx")
			    : _("slowest LBA %" PRIu64 ": %s ms, %sx"),
		 slow->first / sector_size, text, times);
	/* In few columns, where it is and how bad. */
	if (text_width(all) > line->limit - line->columns)
		snprintf(all, sizeof(all),
			 slow->weak ? _("WEAK? LBA %" PRIu64 ": %sx") : _("LBA %" PRIu64 ": %sx"),
			 slow->first / sector_size, times);
	line_add(line, "%s", all);
}

static void draw_places(const struct zones_shown *zones, bool worst, const char *label,
			enum role role, struct draw *draw, struct rect area)
{
	struct rect graph = area;
	float samples[WHERE_SAMPLES];
	int count;

	rect_cut_left(&graph, WHERE_LABEL_COLS);
	count = graph.cols * glyphs_per_cell(draw->term->glyphs);
	draw_cell(draw, area, area.rows - 1, 1, WHERE_LABEL_COLS - 1, role, label);
	if (count > 0 && count <= WHERE_SAMPLES)
		draw_graph(draw, graph, role, samples, run_places(zones, worst, count, samples), 1,
			   false);
}

void run_where_draw(const struct job_snapshot *job, uint32_t sector_size, struct draw *draw,
		    struct rect box)
{
	struct rect inside = rect_inside(box), rest = inside, upper;
	const struct slow_zone *slow = &job->zones.slowest;
	struct line line;

	if (rect_empty(inside))
		return;
	draw_box(draw, box, _("Wait by place, ms"));
	line_start(&line, inside.cols);
	run_text_slowest(slow, sector_size, &line);
	draw_text(draw, rect_cut_top(&rest, 1), 0, 0, slow->weak ? ROLE_WARN : ROLE_DIM, line.text);
	if (draw->term->slow) {
		draw_text(draw, rest, 0, 1, ROLE_DIM, _("no graph on a line this slow"));
		return;
	}
	upper = rect_cut_top(&rest, rest.rows / 2);
	draw_places(&job->zones, true, _("worst"), ROLE_WAIT, draw, upper);
	draw_places(&job->zones, false, _("usual"), ROLE_READ, draw, rest);
}

/* Of both disks in one line, where they are known; how they change is in the pane of the disks. */
static void draw_temperatures(const struct job_snapshot *job, struct draw *draw, struct rect row)
{
	char source[32], destination[32];

	draw_printf(draw, row, 0, 1, ROLE_DIM, _("temp %s / %s"),
		    run_text_temperature(&job->source, source, sizeof(source)),
		    run_text_temperature(&job->destination, destination, sizeof(destination)));
}

void run_latency_draw(const struct job_snapshot *job, struct draw *draw, struct rect box)
{
	struct rect inside = rect_inside(box), rest = inside, row;
	struct run_latency latency;
	struct line line;

	if (rect_empty(inside))
		return;
	run_latency(job, &latency);
	draw_box(draw, box, latency.title);
	line_start(&line, inside.cols);
	text_header(&line);
	draw_text(draw, rect_cut_top(&rest, 1), 0, 0, ROLE_DIM, line.text);
	for (int i = 0; i < 2 * latency.count; i++) {
		bool all = i & 1;

		row = rect_cut_top(&rest, 1);
		line_start(&line, inside.cols);
		run_text_latency(all ? "" : latency.ends[i / 2].label, all ? _("all") : _("10s"),
				 all ? latency.ends[i / 2].summary : latency.ends[i / 2].recent,
				 &line);
		draw_text(draw, row, 0, 0, latency.ends[i / 2].role, line.text);
	}
	if (rest.rows < 5) {
		draw_temperatures(job, draw, rest);
		return;
	}
	rect_cut_top(&rest, 1);
	draw_bars(draw, &latency, rest);
}
