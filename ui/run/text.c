/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues, errors, events and the heading of the map of screen 4 in words. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

#include "ui/run/model.h"

/* "7 s", "12 min": how long ago, or how long. */
static const char *text_span(uint64_t seconds, char *buffer, size_t size)
{
	if (seconds < 120)
		snprintf(buffer, size, _("%u s"), (unsigned)seconds);
	else if (seconds < 7200)
		snprintf(buffer, size, _("%u min"), (unsigned)(seconds / 60));
	else
		snprintf(buffer, size, _("%" PRIu64 " h"), seconds / 3600);
	return buffer;
}

/* ---- queues ---- */

const char *run_text_temperature(const struct job_end *end, char *buffer, size_t size)
{
	if (end->temperature_known)
		snprintf(buffer, size, _("%d C"), end->temperature);
	else
		snprintf(buffer, size, "-");
	return buffer;
}

static void queue_rate(const struct job_snapshot *job, struct line *line)
{
	char rate[UNITS_TEXT_MAX];

	if (job->rate_limit)
		line_add(line, _(" rate limit %s (r)"),
			 units_print_rate((double)job->rate_limit, rate));
	else
		line_add(line, _(" rate limit none (r)"));
}

static void queue_map(const struct job_snapshot *job, int64_t now, struct line *line)
{
	char ago[UNITS_TEXT_MAX];

	if (!job->map_saved_at) {
		line_add(line, _(" map not saved yet"));
		return;
	}
	text_span(now > job->map_saved_at ? (uint64_t)(now - job->map_saved_at) : 0, ago,
		  sizeof(ago));
	if (job->map_safe)
		line_add(line, _(" map saved %s ago"), ago);
	else
		line_add(line, _(" MAP NOT SAVED for %s"), ago);
}

const char *run_text_last_good(const struct job_snapshot *job, char *buffer, size_t size)
{
	char span[UNITS_TEXT_MAX];

	if (!job->rescue.good_read_known || job->pass == PASS_VERIFY || job->pass == PASS_FLUSH)
		return text_copy(buffer, size, "-");
	snprintf(buffer, size, _("%s ago"),
		 text_span(job->rescue.since_good_read / NSEC_PER_SEC, span, sizeof(span)));
	return buffer;
}

static void queue_slow(const struct job_snapshot *job, struct line *line)
{
	char ago[UNITS_TEXT_MAX];

	line_piece(line, _("slow reads %" PRIu64 " (>1 s)"), job->slow_reads);
	line_piece(line, _("last good %s"), run_text_last_good(job, ago, sizeof(ago)));
}

/* The sg driver copies the data although direct I/O was asked for. */
static bool copied(const struct job_end *end)
{
	return end->stats.indirect && end->stats.advice;
}

static void put_path(const struct job_end *end, bool narrow, struct line *line)
{
	/* The backend "null" stands for a source that is missing: only its digests are used. */
	line_add(line, "%s",
		 end->backend && strcmp(end->backend, "null") != 0 ? end->backend : "-");
	if (copied(end))
		line_add(line, _(" INDIRECT"));
	else if (!narrow && end->stats.indirect)
		line_add(line, " %s", _("indirect"));
	else if (!narrow && end->stats.mapped)
		line_add(line, " %s", _("mmap"));
	else if (!narrow && end->stats.direct)
		line_add(line, " %s", _("direct"));
}

static void queue_path(const struct job_snapshot *job, bool narrow, struct line *line)
{
	if (narrow && copied(&job->source) && copied(&job->destination)) {
		line_add(line, _(" both "));
		put_path(&job->source, narrow, line);
		return;
	}
	line_add(line, "%s", narrow ? " " : _(" I/O "));
	put_path(&job->source, narrow, line);
	line_add(line, "%s", narrow ? " > " : " -> ");
	put_path(&job->destination, narrow, line);
}

/* In a pane of four lines, backend and temperature share one. */
static void queue_path_and_temperature(const struct job_snapshot *job, const char *source,
				       const char *destination, struct line *line)
{
	bool word = !copied(&job->source) && !copied(&job->destination);

	queue_path(job, true, line);
	if (!word || !line_piece(line, _("temp %s / %s"), source, destination))
		line_piece(line, "%s / %s", source, destination);
}

bool run_text_queue(const struct job_snapshot *job, int64_t now, int rows, int index,
		    struct line *line)
{
	char source[32], destination[32];

	run_text_temperature(&job->source, source, sizeof(source));
	run_text_temperature(&job->destination, destination, sizeof(destination));
	switch (index) {
	case 2:
		line_piece(line, _("request %s"), UNITS_LONG(job->chunk, UNITS_IEC, 0));
		line_piece(line, _("buffers %u/%u"), job->buffers_in_use, job->buffers);
		return true;
	case 3:
		if (rows < 7)
			queue_path_and_temperature(job, source, destination, line);
		else
			queue_path(job, false, line);
		return true;
	case 4:
		queue_rate(job, line);
		return true;
	case 5:
		queue_slow(job, line);
		return true;
	case 6:
		queue_map(job, now, line);
		return true;
	default:
		return false;
	}
}

/* ---- errors and events ---- */

static void put_hang(const struct job_hang *hang, struct line *line)
{
	char span[UNITS_TEXT_MAX], more[32] = "", text[160];

	text_span(hang->ns / NSEC_PER_SEC, span, sizeof(span));
	if (hang->count > 1)
		snprintf(more, sizeof(more), _(", %u more"), hang->count - 1);
	snprintf(text, sizeof(text),
		 hang->write ? _("A write at LBA %" PRIu64 " hangs for %s")
			     : _("A read at LBA %" PRIu64 " hangs for %s"),
		 hang->lba, span);
	if (!line_piece(line, "%s%s", text, more))
		line_piece(line, _("LBA %" PRIu64 " hangs"), hang->lba);
}

void run_text_alarm(const struct run_facts *facts, struct line *line, enum role *retrole)
{
	const struct job_snapshot *job = facts->job;
	const char *map = run_map_alarm(job);

	*retrole = ROLE_NORMAL;
	if (job->state == JOB_ENDED)
		return;
	if (job->hang.count || job->log_failed)
		*retrole = ROLE_WARN;
	if (map) {
		*retrole = ROLE_BAD;
		line_piece(line, "%s", map);
	}
	if (job->hang.count)
		put_hang(&job->hang, line);
	if (job->log_failed)
		line_piece(line, _("LOG NOT WRITTEN"));
	if (job->only_reads)
		line_piece(line, _("nothing is written"));
}

enum role run_event_role(const struct job_event *event)
{
	switch (event->level) {
	case LOG_LEVEL_ERROR:
		return ROLE_BAD;
	case LOG_LEVEL_WARNING:
		return ROLE_WARN;
	case LOG_LEVEL_INFO:
		break;
	}
	return ROLE_NORMAL;
}

void run_text_event(const struct job_event *event, struct line *line)
{
	char clock[16];

	line_add(line, " %s %s", clock_print(event->time, "%H:%M:%S", clock, sizeof(clock)),
		 event->level == LOG_LEVEL_ERROR     ? "E "
		 : event->level == LOG_LEVEL_WARNING ? "W "
						     : "");
	line_fit(line, event->text);
}

static void print_event(const struct job_event *event, FILE *out)
{
	struct line line;
	int clock;

	line_start(&line, LINE_COLUMNS_MAX);
	run_text_event(event, &line);
	clock = 1 + (int)strcspn(line.text + 1, " ");
	fprintf(out, "%.*s\t%s\n", clock, line.text, line.text + clock + 1);
}

char *run_text_log(const struct job_event *events, size_t count, const char *path)
{
	struct text_stream text;
	FILE *out = text_stream_begin(&text);

	if (!out)
		return NULL;
	for (size_t i = count; i-- > 0;)
		print_event(&events[i], out);
	if (path[0])
		fprintf(out, _("All of it: %s\n"), path);
	else if (!count)
		fprintf(out, "%s\n", _("Nothing has happened yet."));
	return text_stream_end(&text);
}

/* ---- map ---- */

bool run_all_verified(const struct job_snapshot *job)
{
	if (job->proof.complete)
		return true;
	if (job->proof.areas || job->proof.unknown_areas)
		return false;
	/* Between that pass and the end, other places are looked at. */
	for (unsigned i = 0; i < job->pass_count; i++)
		if (job->passes[i].kind == PASS_VERIFY && job->passes[i].total &&
		    job->passes[i].done >= job->passes[i].total)
			return true;
	return false;
}

const char *run_map_legend(const struct job_snapshot *job, bool letters)
{
	bool reads = job && job->only_reads;

	if (job && run_all_verified(job))
		return letters ? reads ? _("  V verified + to verify > now - bad")
				       : _("  V verified + copied ? to do > now - bad")
		       : reads ? _("  █ verified ▓ to verify ► now X bad")
			       : _("  █ verified ▓ copied ░ to do X bad ► now");
	if (letters)
		return reads ? _("  + to verify > now - bad")
			     : _("  + copied ? to do > now - bad * to try");
	return reads ? _("  ▓ to verify ► now X bad")
		     : _("  ▓ copied ▒ to try ░ to do X bad ► now");
}

void run_text_map(const struct plan *plan, uint64_t start, uint64_t size, int cells, bool zoomed,
		  enum units_scale scale, const char *legend, struct line *line)
{
	char cell[UNITS_TEXT_MAX], heading[512], letters[256];

	units_print_long(cells > 0 ? size / (uint64_t)cells : 0,
			 scale == UNITS_SECTORS ? UNITS_SI : scale, plan->sector_size, cell);
	snprintf(letters, sizeof(letters), "%s%s", legend ? legend : "",
		 plan_left_out(plan) ? _(" . free, or not chosen")
		 : plan->whole       ? ""
				     : _(" . not chosen"));
	if (zoomed)
		snprintf(heading, sizeof(heading),
			 _(" Map of %s from LBA %" PRIu64 ", 1 cell = %s"),
			 text_base_name(plan->source.node), start / plan->sector_size, cell);
	else
		snprintf(heading, sizeof(heading), _(" Map of %s, 1 cell = %s"),
			 text_base_name(plan->source.node), cell);
	/* Without room the name of the disk is left out, then the size of a cell, not the legend.
	 */
	if (legend && text_width(heading) + text_width(letters) > line->limit)
		snprintf(heading, sizeof(heading), _(" 1 cell = %s"), cell);
	if (legend && text_width(heading) + text_width(letters) > line->limit)
		heading[0] = '\0';
	line_add(line, "%s%s", heading, letters);
}

/* ---- rescue ---- */

#define LABEL_COLS   15
#define BYTES_COLS   20
#define PERCENT_COLS 8
#define RIGHT_COL    46
#define RIGHT_LABEL  16

/* Exact bytes up to 15 digits. */
static const char *bytes_text(uint64_t bytes, char *buffer, size_t size)
{
	if (bytes < UINT64_C(1000000000000000))
		snprintf(buffer, size, "%s B", UNITS_COUNT(bytes));
	else
		snprintf(buffer, size, "%s", UNITS_LONG(bytes, UNITS_SI, 0));
	return buffer;
}

/* Cut, not rounded: 100% means all of it. What is not 0 is never shown as 0. */
static void percent_text(uint64_t part, uint64_t all, char *buffer, size_t size)
{
	double percent = all ? floor((double)part / (double)all * 10000) / 100 : 0;

	if (!all)
		snprintf(buffer, size, "-");
	else if (part && percent < 0.01)
		snprintf(buffer, size, "<0.01%%");
	else
		snprintf(buffer, size, "%.2f%%", part < all && percent > 99.99 ? 99.99 : percent);
}

static void put_share(const struct job_snapshot *job, const char *label, uint64_t bytes,
		      struct line *line)
{
	char text[UNITS_TEXT_MAX + 8];

	line_put(line, 1, "");
	line_put(line, LABEL_COLS, label);
	line_put_right(line, BYTES_COLS, bytes_text(bytes, text, sizeof(text)));
	percent_text(bytes, job->total, text, sizeof(text));
	line_put_right(line, PERCENT_COLS, text);
}

/* What is being read back counts when all of it was. */
static void put_verified(const struct job_snapshot *job, struct line *line)
{
	if (job->proof.verified || job->state != JOB_VERIFYING) {
		put_share(job, _("verified"), job->proof.verified, line);
		return;
	}
	line_put(line, 1, "");
	line_put(line, LABEL_COLS, _("verified"));
	line_put_right(line, BYTES_COLS, "-");
}

static void put_right(struct line *line, const char *label, const char *value)
{
	line_to(line, RIGHT_COL);
	line_put(line, RIGHT_LABEL, label);
	line_add(line, " %s", value);
}

static void put_count(struct line *line, const char *label, uint64_t count)
{
	put_right(line, label, UNITS_COUNT(count));
}

/* Only where the pane is taller than on the smallest screen. */
static bool more_text(const struct job_snapshot *job, int index, struct line *line)
{
	switch (index) {
	case 4:
		line_add(line, _(" m: where they are, and what the disk said"));
		return true;
	case 5:
		if (job->proof.asked)
			put_verified(job, line);
		put_count(line, _("slow reads >1 s"), job->slow_reads);
		return true;
	case 6:
		if (job->proof.areas)
			put_share(job, _("MISMATCHES"), job->proof.bytes, line);
		return true;
	default:
		return false;
	}
}

void rescue_title(const struct job_snapshot *job, char *buffer, size_t size)
{
	unsigned count = job->pass_count < JOB_PASSES_MAX ? job->pass_count : JOB_PASSES_MAX;
	const struct job_pass *now = count ? &job->passes[count - 1] : NULL;

	if (!now || (job->pass != PASS_COPY && job->pass != PASS_TRIM && job->pass != PASS_SCRAPE &&
		     job->pass != PASS_RETRY))
		snprintf(buffer, size, "%s", _("Rescue (Tab: CPU and queues)"));
	else
		snprintf(buffer, size, _("Rescue: %s, round %u, %s (Tab: CPU and queues)"),
			 pass_words(now->kind), now->rounds,
			 now->backwards ? _("backwards") : _("forwards"));
}

bool rescue_text(const struct job_snapshot *job, int index, struct line *line)
{
	const struct job_rescue *rescue = &job->rescue;
	char text[UNITS_TEXT_MAX + 32];

	switch (index) {
	case 0:
		put_share(job, _("copied"), rescue->rescued, line);
		put_count(line, _("read errors"), rescue->read_errors);
		return true;
	case 1:
		put_share(job, _("not read yet"), rescue->non_tried, line);
		put_count(line, _("bad areas"), job->bad_areas);
		return true;
	case 2:
		put_share(job, _("to try"), rescue->non_trimmed + rescue->non_scraped, line);
		put_count(line, _("retries"), job->retries);
		return true;
	case 3:
		put_share(job, _("bad"), rescue->bad_sector, line);
		put_right(line, _("last good read"), run_text_last_good(job, text, sizeof(text)));
		return true;
	default:
		return more_text(job, index, line);
	}
}
