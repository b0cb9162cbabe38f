/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Head, figures and graph of screen 4. */
#include "ui/run/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"

const char *run_state_words(const struct job_snapshot *job)
{
	switch (job->state) {
	case JOB_READY:
		return _("READY");
	case JOB_COPYING:
		return job->pass == PASS_COPY || job->pass == PASS_NONE ? _("COPY RUNNING")
									: _("RUNNING");
	case JOB_PAUSED:
		return job->pass == PASS_COPY || job->pass == PASS_NONE ? _("COPY PAUSED")
									: _("PAUSED");
	case JOB_STOPPING:
		return _("STOPPING");
	case JOB_FLUSHING:
		return _("FLUSH");
	case JOB_WAITING:
		return _("DISK GONE");
	case JOB_VERIFYING:
		return _("VERIFYING");
	case JOB_ENDED:
		break;
	}
	switch (job->result) {
	case JOB_RESULT_COMPLETE:
		return job->source_in_use ? _("SOURCE WAS IN USE") : _("COMPLETE");
	case JOB_RESULT_PARTIAL:
		return _("PARTIAL");
	case JOB_RESULT_MISMATCH:
		return _("MISMATCH");
	case JOB_RESULT_STOPPED:
		return _("STOPPED");
	case JOB_RESULT_NONE:
	case JOB_RESULT_FAILED:
		break;
	}
	return _("FAILED");
}

const char *run_state_phrase(const struct job_snapshot *job)
{
	return job->state == JOB_COPYING && job->pass != PASS_NONE ? pass_words(job->pass)
								   : job_state_words(job->state);
}

enum role run_state_role(const struct job_snapshot *job)
{
	switch (job->state) {
	case JOB_READY:
	case JOB_COPYING:
	case JOB_VERIFYING:
		return ROLE_OK;
	case JOB_PAUSED:
	case JOB_STOPPING:
	case JOB_FLUSHING:
		return ROLE_WARN;
	case JOB_WAITING:
		return ROLE_BAD;
	case JOB_ENDED:
		break;
	}
	switch (job->result) {
	case JOB_RESULT_COMPLETE:
		return job->source_in_use ? ROLE_WARN : ROLE_OK;
	case JOB_RESULT_MISMATCH:
	case JOB_RESULT_FAILED:
		return ROLE_BAD;
	default:
		return ROLE_WARN;
	}
}

/* Files by the end of their path, disks by name and serial, or model where there is none. */
static void put_end(struct line *line, const struct endpoint *end, int width)
{
	const struct identity *identity = &end->identity;
	const char *known = identity->serial[0] ? identity->serial : identity->model;
	struct line part;

	line_start(&part, width);
	if (end->kind == ENDPOINT_IMAGE) {
		int wide = text_width(end->node);

		line_put_tail(&part, wide < width ? wide : width, end->node);
		line_add(line, "%s", part.text);
		return;
	}
	line_add(&part, "%s ", node_short(end->node));
	if (width > 34 && identity->model[0] && identity->serial[0]) {
		char model[4 * 12 + 1];

		text_fit(model, sizeof(model), identity->model, 12);
		line_add(&part, "%s ", model);
	}
	if (known[0] && text_width(known) > width - part.columns)
		line_put_tail(&part, width - part.columns, known);
	else
		line_add(&part, "%s", known[0] ? known : "-");
	if (identity->wwn[0] && text_width(identity->wwn) + 1 <= width - part.columns)
		line_add(&part, " %s", identity->wwn);
	line_add(line, "%s", part.text);
}

void run_text_ends(const struct plan *plan, const struct job_snapshot *job, struct line *line)
{
	char elapsed[UNITS_TEXT_MAX], right[UNITS_TEXT_MAX + 32];
	int end;

	units_print_duration(job->elapsed / NSEC_PER_SEC, elapsed);
	snprintf(right, sizeof(right), _("elapsed %s"), elapsed);

	/* Name and serial of both ends share what state and time leave. */
	end = (line->limit - text_width(right) - text_width(run_state_words(job)) - 12) / 2;
	line_put(line, 1, "");
	put_end(line, &plan->source, end);
	line_add(line, job->only_reads ? " <> " : " -> ");
	put_end(line, &plan->destinations[0], end);
	line_add(line, "   %s", run_state_words(job));
	line_put_right(line, line->limit - line->columns - 1, right);
}

const char *run_map_alarm(const struct job_snapshot *job)
{
	if (job->state == JOB_ENDED || (!job->map_failed && (!job->map_saved_at || job->map_safe)))
		return NULL;
	/* There s would stop it. */
	return job->state == JOB_WAITING ? _("MAP NOT SAVED") : _("MAP NOT SAVED: s moves it");
}

void run_text_progress(uint64_t done, uint64_t total, enum units_scale scale, uint32_t sector_size,
		       char *buffer, size_t size)
{
	static const char *const names[2][5] = { { "B", "kB", "MB", "GB", "TB" },
						 { "B", "KiB", "MiB", "GiB", "TiB" } };
	char left[UNITS_TEXT_MAX], right[UNITS_TEXT_MAX];
	uint64_t unit = 1, base = scale == UNITS_IEC ? 1024 : 1000;
	int power = 0;

	if (scale == UNITS_SECTORS && sector_size) {
		units_print_count(done / sector_size, left);
		units_print_count(total / sector_size, right);
		snprintf(buffer, size, _("%s/%s sectors"), left, right);
		return;
	}
	/* At least three digits in front of the unit: TB only beyond 1,000 of them. */
	while (power < 4 && total / unit >= base * 100) {
		unit *= base;
		power++;
	}
	/* The total is rounded. What is done is cut, so that it never shows as the total too early.
	 */
	units_print_count((total + unit / 2) / unit, right);
	units_print_count(done < total ? done / unit : (total + unit / 2) / unit, left);
	snprintf(buffer, size, "%s/%s %s", left, right, names[scale == UNITS_IEC][power]);
}

void run_text_eta(const struct eta *eta, int64_t now, char *buffer, size_t size)
{
	char left[UNITS_TEXT_MAX], at[64];
	time_t finish = (time_t)eta->finish;
	struct tm local;

	if (!eta->known || !localtime_r(&finish, &local)) {
		text_copy(buffer, size, _("unknown"));
		return;
	}
	units_print_duration(eta->seconds, left);
	/* Beyond a day the time of day alone would be misleading. */
	if (eta->finish - now < 20 * 3600L)
		strftime(at, sizeof(at), "%H:%M", &local);
	else if (eta->finish - now < 6 * 86400L)
		strftime(at, sizeof(at), "%a %H:%M", &local);
	else
		strftime(at, sizeof(at), "%Y-%m-%d", &local);
	snprintf(buffer, size, "%s (~%s)", left, at);
}

#define LEAST_MEGABYTES 1e5 /* bytes per second that still show as MB/s */

/* A rate without its unit's name where all of them are MB/s: "193", "1,930", "0.81". */
static const char *megabytes(double rate, bool known, char *buffer, size_t size)
{
	char count[UNITS_TEXT_MAX];

	if (!known || !isfinite(rate) || rate < 0)
		snprintf(buffer, size, "-");
	else if (rate >= 10e6)
		snprintf(buffer, size, "%s",
			 units_print_count((uint64_t)(rate / 1e6 + 0.5), count));
	else
		snprintf(buffer, size, "%.*f", rate <= 0 ? 0 : rate < 1e6 ? 2 : 1, rate / 1e6);
	return buffer;
}

/* In the first second there is no rate yet. */
static bool is_measured(const struct job_snapshot *job)
{
	return job->elapsed >= NSEC_PER_SEC;
}

/* With its unit, since reading sector by sector gives kilobytes a second. */
static void text_current(const struct job_snapshot *job, char *buffer, size_t size)
{
	char rate[UNITS_TEXT_MAX];

	if (job->now_pass > 0 && job->now_pass < LEAST_MEGABYTES && is_measured(job)) {
		text_copy(buffer, size, units_print_rate(job->now_pass, rate));
		return;
	}
	/* During a flush no rate can be measured. */
	megabytes(job->now_pass, is_measured(job) && job->state != JOB_FLUSHING, rate,
		  sizeof(rate));
	snprintf(buffer, size, "%s MB/s", rate);
}

/* How much is verified beside the copy; "" where nothing is. Cut, so that 100% means all. */
static void text_verified(const struct job_snapshot *job, char *buffer, size_t size)
{
	double share = job->total ? (double)job->proof.verified / (double)job->total : 0;

	buffer[0] = '\0';
	if (job->proof.rolling && job->state != JOB_VERIFYING && job->state != JOB_ENDED)
		snprintf(buffer, size, _("verified %.0f%%"), floor(share * 100));
}

/* The counters of the rescue pane, in the words of GNU ddrescue; those that are 0 are left out. */
static void text_trouble(const struct job_snapshot *job, const char *between, char *buffer,
			 size_t size)
{
	char bytes[UNITS_TEXT_MAX];
	struct line line;

	line_start(&line, LINE_COLUMNS_MAX);
	if (job->proof.areas)
		line_add(&line, _("MISMATCHES %" PRIu64), job->proof.areas);
	if (job->proof.areas && job->rescue.read_errors)
		line_add(&line, "%s", between);
	if (!job->proof.areas || job->rescue.read_errors)
		line_add(&line, _("read errors %" PRIu64), job->rescue.read_errors);
	if (job->rescue.bad_areas) {
		line_add(&line, "%s", between);
		line_add(&line, _("bad areas %" PRIu64), job->rescue.bad_areas);
	}
	if (job->refused_bytes) {
		line_add(&line, "%s", between);
		line_add(&line, _("refused %s B"), units_print_count(job->refused_bytes, bytes));
	}
	text_copy(buffer, size, line.text);
}

/* Errors are never cut: the figures before them are left out one by one. */
static void narrow_figures(const struct job_snapshot *job, const char *progress,
			   const char *current, const char *second, int64_t now, struct line *line)
{
	char eta[96], left[256], right[160];
	struct line rest;
	int room;

	text_trouble(job, "  ", right, sizeof(right));
	room = line->limit - text_width(right) - 2;
	run_text_eta(&job->eta, now, eta, sizeof(eta));
	snprintf(left, sizeof(left), _(" %s  now %s  %s  ETA %s"), progress, current, second, eta);
	if (text_width(left) > room) {
		if (job->eta.known)
			units_print_duration(job->eta.seconds, eta);
		snprintf(left, sizeof(left), _(" %s  now %s  %s  ETA %s"), progress, current,
			 second, eta);
	}
	if (text_width(left) <= room) {
		line_add(line, "%s  %s", left, right);
		return;
	}
	for (int all = 1; all >= 0; all--) {
		line_start(&rest, room);
		line_piece(&rest, "%s", progress);
		line_piece(&rest, "%s", current);
		if (all)
			line_piece(&rest, "%s", second);
		if (line_piece(&rest, "ETA %s", eta))
			break;
	}
	line_add(line, "%s  %s", rest.text, right);
}

void run_text_figures(const struct job_snapshot *job, enum units_scale scale, uint32_t sector_size,
		      int64_t now, struct line *line)
{
	char progress[2 * UNITS_TEXT_MAX], current[32], minute[32], average[32], eta[96];
	char verified[64], second[64], trouble[160];
	const struct job_pass *pass = job_pass_counted(job);
	bool measured = is_measured(job);
	struct line all;

	/* A verifying pass has counters of its own. */
	run_text_progress(pass ? pass->done : job->written, pass ? pass->total : job->total, scale,
			  sector_size, progress, sizeof(progress));
	text_current(job, current, sizeof(current));
	megabytes(job->minute, measured && job->average > 0, minute, sizeof(minute));
	megabytes(job->average, measured && job->average > 0, average, sizeof(average));
	text_verified(job, verified, sizeof(verified));
	run_text_eta(&job->eta, now, eta, sizeof(eta));
	text_trouble(job, "  ", trouble, sizeof(trouble));
	line_start(&all, LINE_COLUMNS_MAX);
	line_add(&all, _(" %s   now %s   1 min %s   avg %s   ETA %s   %s  retries %" PRIu64),
		 progress, current, minute, average, eta, trouble, job->retries);
	if (verified[0])
		line_add(&all, "  %s", verified);
	if (all.columns <= line->limit && line->limit >= 110) {
		line_add(line, "%s", all.text);
		return;
	}
	snprintf(second, sizeof(second), _("avg %s"), average);
	narrow_figures(job, progress, current, verified[0] ? verified : second, now, line);
}

/* Where there is no room for both ends, the destination matters. */
static void small_ends(const struct plan *plan, const struct job_snapshot *job, struct line *line)
{
	const char *between = job->only_reads ? " <> " : " -> ";
	int room;

	line_piece(line, "%s", run_state_words(job));
	room = (line->limit - line->columns - 2 - text_width(between)) / 2;
	if (room < 10)
		return;
	line_put(line, 2, "");
	put_end(line, &plan->source, room);
	line_add(line, "%s", between);
	put_end(line, &plan->destinations[0], room);
}

static void small_rate(const struct job_snapshot *job, int64_t now, struct line *line)
{
	char current[32], average[32], eta[96];

	text_current(job, current, sizeof(current));
	megabytes(job->average, is_measured(job) && job->average > 0, average, sizeof(average));
	run_text_eta(&job->eta, now, eta, sizeof(eta));
	line_piece(line, "%s", current);
	if (!line_piece(line, _("ETA %s"), eta) && job->eta.known)
		line_piece(line, _("ETA %s"), units_print_duration(job->eta.seconds, eta));
	line_piece(line, _("avg %s"), average);
}

/* One by one, the worst first. */
static void small_trouble(const struct job_snapshot *job, struct line *line, enum role *retrole)
{
	const struct job_rescue *rescue = &job->rescue;
	char bytes[UNITS_TEXT_MAX];

	run_text_alarm(job, line, retrole);
	if (job->errors || rescue->read_errors || job->proof.areas)
		*retrole = ROLE_BAD;
	if (job->proof.areas)
		line_piece(line, _("MISMATCHES %" PRIu64), job->proof.areas);
	if (rescue->bad_areas)
		line_piece(line, _("bad areas %" PRIu64), rescue->bad_areas);
	if (rescue->bad_sector)
		line_piece(line, _("bad sector %s B"),
			   units_print_count(rescue->bad_sector, bytes));
	line_piece(line, _("read errors %" PRIu64), rescue->read_errors);
	if (job->refused_bytes)
		line_piece(line, _("refused %s B"), units_print_count(job->refused_bytes, bytes));
	line_piece(line, _("retries %" PRIu64), job->retries);
}

static void small_progress(const struct plan *plan, const struct job_snapshot *job,
			   enum units_scale scale, struct line *line)
{
	const struct job_pass *pass = job_pass_counted(job);
	char progress[2 * UNITS_TEXT_MAX], text[UNITS_TEXT_MAX];

	passes_percent(job, text, sizeof(text));
	line_piece(line, "%s %s", run_state_phrase(job), text);
	run_text_progress(pass ? pass->done : job->written, pass ? pass->total : job->total, scale,
			  plan->sector_size, progress, sizeof(progress));
	line_piece(line, "%s", progress);
	text_verified(job, progress, sizeof(progress));
	if (progress[0])
		line_piece(line, "%s", progress);
	line_piece(line, _("elapsed %s"), units_print_duration(job->elapsed / NSEC_PER_SEC, text));
}

bool run_text_small(const struct plan *plan, const struct job_snapshot *job, enum units_scale scale,
		    int64_t now, int index, struct line *line, enum role *retrole)
{
	*retrole = ROLE_NORMAL;
	switch (index) {
	case 0:
		*retrole = run_state_role(job) == ROLE_OK ? ROLE_STRONG : run_state_role(job);
		small_ends(plan, job, line);
		return true;
	case 1:
		return true;
	case 2:
		*retrole = ROLE_STRONG;
		small_rate(job, now, line);
		return true;
	case 3:
		small_trouble(job, line, retrole);
		return true;
	case 4:
		small_progress(plan, job, scale, line);
		return true;
	default:
		return false;
	}
}

void run_text_spoken(const struct job_snapshot *job, int64_t now, struct line *line)
{
	char all[16], percent[16], current[32], eta[96], verified[64], trouble[160];
	char elapsed[UNITS_TEXT_MAX];
	const char *map = run_map_alarm(job);

	passes_overall(job, all, sizeof(all));
	passes_percent(job, percent, sizeof(percent));
	text_current(job, current, sizeof(current));
	run_text_eta(&job->eta, now, eta, sizeof(eta));
	text_verified(job, verified, sizeof(verified));
	units_print_duration(job->elapsed / NSEC_PER_SEC, elapsed);
	line_add(line, _("%s of all, %s %s, %s, ETA %s"), all, run_state_phrase(job), percent,
		 current, eta);
	/* Only what is wrong is spoken every ten seconds. */
	if (map)
		line_add(line, ", %s", map);
	if (job->hang.count)
		line_add(line,
			 job->hang.write ? _(", a write at LBA %" PRIu64 " hangs")
					 : _(", a read at LBA %" PRIu64 " hangs"),
			 job->hang.lba);
	text_trouble(job, ", ", trouble, sizeof(trouble));
	if (job->rescue.read_errors || job->rescue.bad_areas || job->refused_bytes ||
	    job->proof.areas)
		line_add(line, ", %s", trouble);
	if (verified[0])
		line_add(line, ", %s", verified);
	line_add(line, ", ");
	line_add(line, _("elapsed %s"), elapsed);
}

/* ---- graph ---- */

/* Takes samples of `step` seconds each, and makes means of `group` of them. */
static void take(struct run_graph *graph, struct rate_sample (*at)(const struct rates *, uint64_t),
		 const struct rates *rates, uint64_t first, unsigned group)
{
	for (int i = 0; i < graph->count; i++) {
		struct rate_sample sum = { 0 };

		for (unsigned k = 0; k < group; k++) {
			struct rate_sample one = at(rates, first + (uint64_t)i * group + k);

			sum.read += one.read;
			sum.write += one.write;
		}
		graph->samples[0][i] = sum.read / (float)group / 1e6F;
		graph->samples[1][i] = sum.write / (float)group / 1e6F;
	}
}

static struct rate_sample second_at(const struct rates *rates, uint64_t second)
{
	return rates->history[second % RATES_HISTORY];
}

static struct rate_sample all_at(const struct rates *rates, uint64_t index)
{
	return rates->all[index % RATES_ALL];
}

/* Of the last minutes. The oldest step may have been overwritten in part. */
static void take_history(const struct rates *rates, unsigned step, int max, struct run_graph *graph)
{
	uint64_t whole = rates->seconds / step;
	uint64_t kept = (rates->seconds < RATES_HISTORY ? rates->seconds : RATES_HISTORY) / step;

	if (rates->seconds > RATES_HISTORY && kept && rates->seconds % step)
		kept--;
	graph->step = step;
	graph->count = kept < (uint64_t)max ? (int)kept : max;
	take(graph, second_at, rates, (whole - (uint64_t)graph->count) * step, step);
}

static unsigned steps_for(uint64_t samples, int max)
{
	return max > 0 && samples > (uint64_t)max
		       ? (unsigned)((samples + (unsigned)max - 1) / (unsigned)max)
		       : 1;
}

void run_graph_make(const struct rates *rates, enum run_span span, int max, struct run_graph *ret)
{
	unsigned group;

	*ret = (struct run_graph){ .step = 1 };
	if (max > RUN_GRAPH_MAX)
		max = RUN_GRAPH_MAX;
	if (max <= 0)
		return;
	if (span == RUN_SPAN_ALL && rates->seconds > RATES_HISTORY) {
		group = steps_for(rates->all_count, max);
		ret->step = group * rates->all_step;
		ret->count = (int)(rates->all_count / group);
		take(ret, all_at, rates, 0, group);
	} else {
		take_history(rates,
			     span == RUN_SPAN_NOW ? 1
						  : steps_for(span == RUN_SPAN_ALL ? rates->seconds
										   : RATES_HISTORY,
							      max),
			     max, ret);
	}
	for (int side = 0; side < 2; side++) {
		const float *samples = ret->samples[side];

		for (int i = 0; i < ret->count; i++) {
			ret->least[side] = i ? fminf(ret->least[side], samples[i]) : samples[i];
			ret->most[side] = fmaxf(ret->most[side], samples[i]);
			ret->mean[side] += samples[i] / (float)ret->count;
		}
	}
}

void run_text_graph(const struct run_graph *graph, bool write, struct line *line)
{
	char least[UNITS_TEXT_MAX], mean[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
	int sides = write ? 2 : 1, before = line->columns;

	if (!graph->count)
		return;
	/* All in words, then in letters, then without the average. */
	for (int words = 2; words >= 0; words--) {
		struct line all;
		bool fit = true;

		line_start(&all, line->limit - before);
		for (int side = 0; side < sides; side++) {
			run_text_scale((double)graph->least[side], least, sizeof(least));
			run_text_scale((double)graph->mean[side], mean, sizeof(mean));
			run_text_scale((double)graph->most[side], most, sizeof(most));
			if (words == 2)
				fit &= line_piece(&all,
						  side ? _("write %s-%s, average %s")
						       : _("read %s-%s, average %s"),
						  least, most, mean);
			else if (words)
				fit &= line_piece(&all, "%s %s-%s (%s)", side ? "w" : "r", least,
						  most, mean);
			else
				fit &= line_piece(&all, "%s %s-%s", side ? "w" : "r", least, most);
		}
		if (fit) {
			line_add(line, "%s", all.text);
			return;
		}
	}
}

const char *run_text_ago(uint64_t seconds, char *buffer, size_t size)
{
	if (seconds < 3600)
		snprintf(buffer, size, "-%u:%02u", (unsigned)(seconds / 60),
			 (unsigned)(seconds % 60));
	else
		snprintf(buffer, size, "-%" PRIu64 "h%02u", seconds / 3600,
			 (unsigned)(seconds / 60 % 60));
	return buffer;
}

const char *run_text_scale(double rate, char *buffer, size_t size)
{
	snprintf(buffer, size, rate < 9999.5 ? "%.0f" : "%.0fk",
		 rate < 9999.5 ? rate : rate / 1000);
	return buffer;
}
