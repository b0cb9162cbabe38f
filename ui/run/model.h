/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 4 as data: a snapshot of the job in words and columns. What is not
 * known is '-', never 0; what is written is what was completed. Pure; each
 * function costs what one line of text costs, so only what shows is made.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"
#include "job/snapshot.h"
#include "plan/plan.h"
#include "stats/rates.h"

#include "ui/core/line.h"
#include "ui/core/term.h"

/* "COPYING", "PAUSED", "FLUSHING" …; translated. */
const char *run_state_words(const struct job_snapshot *job);
/* The same to be read in a sentence: "copying", "paused", "disk gone" …; translated. */
const char *run_state_phrase(const struct job_snapshot *job);
enum role run_state_role(const struct job_snapshot *job);
/* Without pauses: "1:33:45". */
const char *run_elapsed(const struct job_snapshot *job, char text[static UNITS_TEXT_MAX]);
void run_text_ends(const struct plan *plan, const struct job_snapshot *job, struct line *line);
void run_text_ends_small(const struct plan *plan, const struct job_snapshot *job,
			 struct line *line);
/* Says that the map is not saved, and which key helps; NULL: it is saved. Translated. */
const char *run_map_alarm(const struct job_snapshot *job);

/* What the lines of the head are made of. */
struct run_facts {
	const struct plan *plan;
	const struct job_snapshot *job;
	enum units_scale scale;
	int64_t now;          /* unix seconds */
	int64_t paused_since; /* the same; 0: it is not paused */
};

/* "168 MB/s now   LEFT 2:37:21   ends 18:39", "LEFT 1:05:00 to 1:17:00", or that it is paused. */
void run_text_now(const struct run_facts *facts, struct line *line, enum role *retrole);
/* The same without the speed, and the speed alone: digits and its unit, for large digits. */
void run_text_left(const struct run_facts *facts, struct line *line, enum role *retrole);
void run_text_speed(const struct job_snapshot *job, char *digits, char *unit, size_t size);
/* Average, last minute, fastest. */
void run_text_speeds(const struct run_facts *facts, struct line *line, enum role *retrole);
/* Errors, what is bad and to try, when the source last gave something. */
void run_text_trouble(const struct run_facts *facts, struct line *line, enum role *retrole);
/* What somebody has to look after: a map that is not saved, a request that hangs, a log that is not
 * written. Empty otherwise. */
void run_text_alarm(const struct run_facts *facts, struct line *line, enum role *retrole);
/* The alarm, and as many of all these figures as fit behind it. */
void run_text_status(const struct run_facts *facts, struct line *line, enum role *retrole);
/*
 * The head for a small screen, in lines of what matters first: state and ends, (1 is the bar),
 * rate and time left, what went wrong, how much is done. False when there is none any more.
 */
bool run_text_small(const struct run_facts *facts, int index, struct line *line,
		    enum role *retrole);
/* All that matters in one line, to be heard: "26.1% of all, copying 52.2%, 193 MB/s, ETA …". now:
 * unix seconds.
 */
void run_text_spoken(const struct job_snapshot *job, int64_t now, struct line *line);
/* "18:39"; beyond a day, where the time of day alone would mislead, with the day. Both unix
 * seconds.
 */
void run_text_clock(int64_t at, int64_t now, char *buffer, size_t size);
/* "18:39", "18:49 to 19:00"; "" where it is unknown. now: unix seconds. */
const char *run_text_ends_at(const struct job_snapshot *job, int64_t now, char *buffer,
			     size_t size);
/* "1,220/2,000 GB" of the stage under way; in a rescue sectors. */
void run_text_amount(const struct job_snapshot *job, enum units_scale scale, uint32_t sector_size,
		     struct line *line);
/* "1,046/2,000 GB": a unit in which progress can be seen. */
void run_text_progress(uint64_t done, uint64_t total, enum units_scale scale, uint32_t sector_size,
		       char *buffer, size_t size);

/* ---- graph ---- */

#define RUN_GRAPH_MAX RATES_HISTORY

/* What the graph goes back to: key g. */
enum run_span { RUN_SPAN_NOW, RUN_SPAN_MINUTES, RUN_SPAN_ALL, RUN_SPANS };

/* Of reading [0] and writing [1], in MB/s, oldest first. */
struct run_graph {
	unsigned step; /* seconds that a sample is the mean of */
	int count;
	float samples[2][RUN_GRAPH_MAX];
	float least[2], mean[2], most[2]; /* of these samples */
};

/* At most `max` samples. Only whole steps, so that old samples do not change while new ones
 * come. */
void run_graph_make(const struct rates *rates, enum run_span span, int max, struct run_graph *ret);
/* "read 96-181, average 170  write …", or in fewer words; none before the first sample. */
void run_text_graph(const struct run_graph *graph, bool write, struct line *line);
/* How long ago: "-1:34", "-2h05". */
const char *run_text_ago(uint64_t seconds, char *buffer, size_t size);
/* "600", "1500", "12k": the top of a graph in MB/s, in at most four columns. */
const char *run_text_scale(double rate, char *buffer, size_t size);

/* ---- CPU (cpu.c) ---- */

struct run_cpu {
	char label[24];
	bool bar;        /* parts are known */
	double parts[3]; /* user, system, iowait: 0..1 */
	char text[96];
};

/* Fills at most `max` lines; lanes that find no room are summed up in one. wide: there is room for
 * words behind the figures. */
int run_cpu_lines(const struct job_snapshot *job, unsigned cores, bool wide, int max,
		  struct run_cpu *ret);
/* A table of all lanes, lines ending in \n; malloc'd, NULL without memory. */
char *run_text_lanes(const struct plan *plan, const struct job_snapshot *job);

/* ---- queues, errors and the rescue (text.c) ---- */

/* "3 s ago"; "-" before the first good read of the source, and while the source is not read. */
const char *run_text_last_good(const struct job_snapshot *job, char *buffer, size_t size);
/* "38 C", "-". */
const char *run_text_temperature(const struct job_end *end, char *buffer, size_t size);
/* Line `index` of the pane of the disks, which has `rows` lines, below those of the disks
 * themselves: from 2 on. False when there is none any more. */
bool run_text_queue(const struct job_snapshot *job, int64_t now, int rows, int index,
		    struct line *line);
void run_text_event(const struct job_event *event, struct line *line);
/* All of them for a popup, the newest first, then the file that has them; malloc'd, NULL without
 * memory. path "": there is none. */
char *run_text_log(const struct job_event *events, size_t count, const char *path);
enum role run_event_role(const struct job_event *event);

/* ---- map ---- */

/* Heading of a map; legend: what its letters mean, from run_map_legend() or NULL. */
void run_text_map(const struct plan *plan, uint64_t start, uint64_t size, int cells, bool zoomed,
		  enum units_scale scale, const char *legend, struct line *line);
/* All that was copied has been read back. While a pass reads, nobody knows which place each thread
 * has come to. */
bool run_all_verified(const struct job_snapshot *job);
/* Translated. job: NULL for one that has ended. letters: those of ddrescue, not shades. */
const char *run_map_legend(const struct job_snapshot *job, bool letters);

/*
 * How a rescue stands: what is copied, what was not even read yet, what is to be tried again
 * sector by sector, what is bad. Pure; no curses.
 */

/* Columns that every line fits into without losing anything. */
#define RESCUE_COLS 74

/* Which pass goes over the source, its round, and which way: the pane's title. */
void rescue_title(const struct job_snapshot *job, char *buffer, size_t size);
/* Line `index` of the pane; false when there is none any more. The first four matter most. */
bool rescue_text(const struct job_snapshot *job, int index, struct line *line);

/*
 * The stages of a job as data: which are through, which one is under way and
 * how far, which are still to come. Pure; no curses.
 */

enum run_stage_state { STAGE_COMING, STAGE_NOW, STAGE_DONE, STAGE_HELD };
#define RUN_STAGES 6 /* prepare, copy, rescue, flush, verify, finish */

struct run_stage {
	enum run_stage_state state;
	const char *name; /* translated */
	char text[48];    /* translated; of the one under way in capitals, with its percentage */
	uint64_t ns;      /* that it has taken so far */
	uint64_t done, total; /* bytes of copying and of verifying; total 0: not counted so */
};

/* The stages that this job has, in their order; returns their number. */
int run_stages(const struct job_snapshot *job, const struct plan_options *options,
	       struct run_stage ret[static RUN_STAGES]);
struct run_amount {
	uint64_t done, total; /* bytes */
};

/* Of the one under way, and in the end of copying: its name, how much of it is done. */
const char *run_stage_name(const struct job_snapshot *job);
/* The same as what is being done: "COPYING". */
const char *run_stage_doing(const struct job_snapshot *job);
struct run_amount run_stage_amount(const struct job_snapshot *job);
double run_stage_done(const struct job_snapshot *job);
/* True while bad sectors are read again. */
bool run_is_rescue(const struct job_snapshot *job);
/* Of the pass under way: "52.3%", never rounded up; "-" where it is not known, as of a flush.
 * Between two passes and at the end of the job: how much of the copy is written. */
void passes_percent(const struct job_snapshot *job, char *buffer, size_t size);
/* The same of all that is to be done. */
void passes_overall(const struct job_snapshot *job, char *buffer, size_t size);
