/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pane of latencies on screen 4: figures, and a histogram or a line of digits. */
#pragma once

#include "job/job.h"

#include "ui/core/draw.h"
#include "ui/core/line.h"

void run_latency_draw(const struct job_snapshot *job, struct draw *draw, struct rect box);
/* In its place: which part of the source was slow. sector_size: of the plan. */
void run_where_draw(const struct job_snapshot *job, uint32_t sector_size, struct draw *draw,
		    struct rect box);

/* ---- its parts, without curses ---- */

#define RUN_LATENCIES 2
/* What the pane is about: the requests of what the job is doing. */
struct run_latency {
	const char *title; /* translated, as the labels are */
	int count;
	struct {
		const char *label;
		const struct latency_summary *summary,
			*recent; /* recent: of the last ten seconds */
		enum role role;
	} ends[RUN_LATENCIES];
};

void run_latency(const struct job_snapshot *job, struct run_latency *ret);
/* Milliseconds in at most 6 columns: "0.21", "4.3", "61", "1,204"; '-' without samples. */
const char *run_text_ms(uint64_t ns, uint64_t count, char *buffer, size_t size);
/* "read   10 s   22   58   97": usual, 99 % and worst. */
void run_text_latency(const char *label, const char *when, const struct latency_summary *latency,
		      struct line *line);

/* Samples of a graph from the start of the source to its end, up to 1, in steps of a factor each;
 * NaN: not read. Returns their number, 0 where nothing was read. */
int run_places(const struct zones_shown *zones, bool worst, int count, float *ret);
void run_text_slowest(const struct slow_zone *slow, uint32_t sector_size, struct line *line);

struct run_bucket {
	char label[24];               /* "8-16", "<2", ">=256" */
	double shares[RUN_LATENCIES]; /* of each end */
};

/* The histogram in `rows` lines; what lies outside is added to the first and the last. */
int run_histogram(const struct run_latency *latency, int rows, struct run_bucket *ret);
