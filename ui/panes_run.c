/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency, CPU, queues, map and events of screen 4. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"

#include "model_run.h"

/* ---- latency ---- */

const char *run_text_ms(uint64_t ns, uint64_t count, char *buffer, size_t size)
{
	double ms = (double)ns / (double)NSEC_PER_MSEC;
	char text[UNITS_TEXT_MAX];

	if (!count)
		snprintf(buffer, size, "-");
	else if (ms < 0.995)
		snprintf(buffer, size, "%.2f", ms);
	else if (ms < 9.95)
		snprintf(buffer, size, "%.1f", ms);
	else
		snprintf(buffer, size, "%s", units_print_count((uint64_t)(ms + 0.5), text));
	return buffer;
}

void run_text_latency_header(bool p90, struct line *line)
{
	line_put(line, 7, "");
	line_put_right(line, 6, "p50");
	if (p90)
		line_put_right(line, 7, "p90");
	line_put_right(line, 7, "p99");
	line_put_right(line, 7, "p99.9");
	line_put_right(line, 8, _("max"));
}

void run_text_latency(const char *label, const struct latency_summary *latency, bool p90,
		      struct line *line)
{
	char text[UNITS_TEXT_MAX];

	line_put(line, 1, "");
	line_put(line, 6, label);
	line_put_right(line, 6, run_text_ms(latency->p50, latency->count, text, sizeof(text)));
	if (p90)
		line_put_right(line, 7,
			       run_text_ms(latency->p90, latency->count, text, sizeof(text)));
	line_put_right(line, 7, run_text_ms(latency->p99, latency->count, text, sizeof(text)));
	line_put_right(line, 7, run_text_ms(latency->p999, latency->count, text, sizeof(text)));
	line_put_right(line, 8, run_text_ms(latency->max, latency->count, text, sizeof(text)));
}

/* Columns of the buckets, each with a blank before it: "<1", then the lower edges. */
static const int coarse_width[LATENCY_COARSE] = { 3, 2, 2, 2, 2, 3, 3, 3, 4, 4 };

void run_text_coarse_header(struct line *line)
{
	line_put(line, 1, "");
	line_put(line, 6, _("ms"));
	for (int i = 0; i < LATENCY_COARSE; i++) {
		char edge[16];

		if (i)
			snprintf(edge, sizeof(edge), "%d", 1 << (i - 1));
		else
			snprintf(edge, sizeof(edge), "<1");
		line_put_right(line, coarse_width[i], edge);
	}
}

void run_text_coarse(const char *label, const struct latency_summary *latency, struct line *line)
{
	line_put(line, 1, "");
	line_put(line, 6, label);
	for (int i = 0; i < LATENCY_COARSE; i++) {
		int tenths = (int)lround(latency->coarse[i] * 10);
		char text[16];

		if (!latency->count)
			snprintf(text, sizeof(text), "-");
		else if (tenths <= 0)
			snprintf(text, sizeof(text), latency->coarse[i] > 0 ? "." : " ");
		else
			snprintf(text, sizeof(text), "%d", tenths);
		line_put_right(line, coarse_width[i], text);
	}
}

/* The lower edge of a bucket in milliseconds. */
static unsigned edge_ms(int bucket)
{
	return bucket ? 1U << (bucket - 1) : 0;
}

/* Share of both ends inside [first, first + rows), what is added at the borders not counted. */
static double inside(const struct latency_summary *read, const struct latency_summary *write,
		     int first, int rows)
{
	double share = 0;

	for (int i = first; i < first + rows; i++)
		share += read->coarse[i] + write->coarse[i];
	return share;
}

int run_histogram(const struct latency_summary *read, const struct latency_summary *write, int rows,
		  struct run_bucket *ret)
{
	int first = 0;

	if (rows <= 0)
		return 0;
	if (rows > LATENCY_COARSE)
		rows = LATENCY_COARSE;
	for (int i = 1; i + rows <= LATENCY_COARSE; i++)
		if (inside(read, write, i, rows) > inside(read, write, first, rows))
			first = i;
	for (int i = 0; i < rows; i++) {
		struct run_bucket *bucket = &ret[i];
		int from = i ? first + i : 0;
		int to = i == rows - 1 ? LATENCY_COARSE : first + i + 1;

		memset(bucket, 0, sizeof(*bucket));
		for (int b = from; b < to; b++) {
			bucket->read += read->coarse[b];
			bucket->write += write->coarse[b];
		}
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

/* ---- CPU ---- */

static void cpu_share(struct run_cpu *line, const struct cpu_share *share, bool iowait,
		      const char *more)
{
	double busy = (double)share->user + (double)share->system;
	size_t used;

	line->bar = share->known;
	line->role = ROLE_NORMAL;
	line->parts[0] = (double)share->user;
	line->parts[1] = (double)share->system;
	line->parts[2] = iowait ? (double)share->iowait : 0;
	if (!share->known)
		snprintf(line->text, sizeof(line->text), "  -");
	else if (iowait)
		snprintf(line->text, sizeof(line->text), _("%3.0f%%  iowait %2.0f%%"), busy * 100,
			 (double)share->iowait * 100);
	else
		snprintf(line->text, sizeof(line->text), "%3.0f%%", busy * 100);
	used = strlen(line->text);
	snprintf(line->text + used, sizeof(line->text) - used, "  %s", more);
}

static const char *lane_rate(const struct job_snapshot *job, double bytes,
			     char rate[static UNITS_TEXT_MAX])
{
	/* Nothing was measured in the first second. */
	return job->elapsed < NSEC_PER_SEC ? "-" : units_print_rate(bytes, rate);
}

/* What it writes now. Between two passes it has nothing to do, and will have again. */
static const char *lane_words(const struct job_snapshot *job, unsigned lane,
			      char rate[static UNITS_TEXT_MAX])
{
	if (job->state == JOB_ENDED)
		return _("ended");
	return job->lanes[lane].alive ? lane_rate(job, job->lanes[lane].rate, rate) : _("idle");
}

static void cpu_lane(const struct job_snapshot *job, unsigned lane, struct run_cpu *ret)
{
	char rate[UNITS_TEXT_MAX];

	snprintf(ret->label, sizeof(ret->label), _("lane%u"), lane);
	cpu_share(ret, &job->lanes[lane].cpu, false, lane_words(job, lane, rate));
}

/* Several lanes in one line: their sum. */
static void cpu_rest(const struct job_snapshot *job, unsigned from, struct run_cpu *ret)
{
	struct cpu_share sum = { .known = true };
	char rate[UNITS_TEXT_MAX];
	double bytes = 0;

	for (unsigned i = from; i < job->lane_count; i++) {
		const struct job_lane *lane = &job->lanes[i];

		sum.known = sum.known && lane->cpu.known;
		sum.user += lane->cpu.user;
		sum.system += lane->cpu.system;
		bytes += lane->rate;
	}
	snprintf(ret->label, sizeof(ret->label), _("+%u more"), job->lane_count - from);
	cpu_share(ret, &sum, false, lane_rate(job, bytes, rate));
}

int run_cpu_lines(const struct job_snapshot *job, unsigned cores, bool wide, int max,
		  struct run_cpu *ret)
{
	/* The lanes matter most; the keeper has its own line where there is room. */
	bool keeper = max >= 6;
	char more[48] = "";
	int count = 0;

	memset(ret, 0, (size_t)(max > 0 ? max : 0) * sizeof(*ret));
	if (max < 3)
		return 0;
	snprintf(ret[count].label, sizeof(ret[count].label), "%s", _("system"));
	if (wide)
		snprintf(more, sizeof(more), P_("%u core", "%u cores", cores), cores);
	cpu_share(&ret[count++], &job->cpu_system, true, more);

	unsigned room = (unsigned)(max - count - 1 - keeper), lanes = job->lane_count;

	if (lanes > JOB_LANES_MAX)
		lanes = JOB_LANES_MAX;
	for (unsigned i = 0; i < lanes && room; i++, room--) {
		if (room == 1 && i + 1 < lanes) {
			cpu_rest(job, i, &ret[count++]);
			break;
		}
		cpu_lane(job, i, &ret[count++]);
	}
	snprintf(ret[count].label, sizeof(ret[count].label), "%s", _("process"));
	cpu_share(&ret[count++], &job->cpu_process, false,
		  wide ? _("lanes, keeper and screen") : _("all threads"));
	if (!keeper)
		return count;
	snprintf(ret[count].label, sizeof(ret[count].label), "%s", _("keeper"));
	cpu_share(&ret[count++], &job->cpu_keeper, false, wide ? _("map and statistics") : "");
	return count;
}

const char *run_text_scale(double rate, char *buffer, size_t size)
{
	snprintf(buffer, size, rate < 9999.5 ? "%.0f" : "%.0fk",
		 rate < 9999.5 ? rate : rate / 1000);
	return buffer;
}

const char *run_text_span(uint64_t seconds, char *buffer, size_t size)
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

static const char *size_text(uint64_t bytes, char buffer[static UNITS_TEXT_MAX])
{
	return units_print_long(bytes, UNITS_IEC, 0, buffer);
}

static const char *short_name(const struct endpoint *end)
{
	const char *slash = strrchr(end->node, '/');

	return slash && slash[1] ? slash + 1 : end->node;
}

static void queue_end(const char *label, const struct endpoint *end, const struct job_end *at,
		      struct line *line)
{
	char bytes[UNITS_TEXT_MAX];
	bool wide = line->limit >= 41;

	line_put(line, 1, "");
	line_put(line, 6, label);
	line_put(line, 1, "");
	line_put(line, wide ? 9 : 8, short_name(end));
	line_put(line, 1, "");
	line_add(line, _("flight %u/%u %s"), at->in_flight, at->depth,
		 size_text(at->bytes_in_flight, bytes));
}

static void temperature(const struct job_end *end, char *buffer, size_t size)
{
	if (end->temperature_known)
		snprintf(buffer, size, "%d C", end->temperature);
	else
		snprintf(buffer, size, "-");
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
	run_text_span(now > job->map_saved_at ? (uint64_t)(now - job->map_saved_at) : 0, ago,
		      sizeof(ago));
	if (job->map_safe)
		line_add(line, _(" map saved %s ago"), ago);
	else
		line_add(line, _(" MAP NOT SAVED since %s"), ago);
}

static void queue_slow(const struct job_snapshot *job, struct line *line)
{
	char ago[UNITS_TEXT_MAX] = "-";

	if (job->source.requests)
		run_text_span(job->last_good_read / NSEC_PER_SEC, ago, sizeof(ago));
	line_add(line, _(" slow reads %" PRIu64 " (>1 s), last good %s ago"), job->slow_reads, ago);
}

/* The driver copies the data where it was asked not to. */
static bool copied(const struct job_end *end)
{
	return end->truth.indirect && end->truth.advice;
}

static void put_path(const struct job_end *end, bool narrow, struct line *line)
{
	line_add(line, "%s", end->backend ? end->backend : "-");
	if (copied(end))
		line_add(line, _(" INDIRECT"));
	else if (!narrow && end->truth.indirect)
		line_add(line, _(" indirect"));
	else if (!narrow && end->truth.mapped)
		line_add(line, _(" mmap"));
	else if (!narrow && end->truth.direct)
		line_add(line, _(" direct"));
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

/* Four lines have to hold what seven hold elsewhere. */
static void queue_path_and_temperature(const struct job_snapshot *job, const char *source,
				       const char *destination, struct line *line)
{
	queue_path(job, true, line);
	if (copied(&job->source) || copied(&job->destination))
		line_add(line, "  %s / %s", source, destination);
	else
		line_add(line, _("  temp %s / %s"), source, destination);
}

bool run_text_queue(const struct plan *plan, const struct job_snapshot *job, int64_t now, int rows,
		    int index, struct line *line)
{
	char text[UNITS_TEXT_MAX], source[32], destination[32];

	temperature(&job->source, source, sizeof(source));
	temperature(&job->destination, destination, sizeof(destination));
	switch (index) {
	case 0:
		queue_end(_("source"), &plan->source, &job->source, line);
		return true;
	case 1:
		queue_end(_("dest"), &plan->destination, &job->destination, line);
		return true;
	case 2:
		line_add(line, _(" request %s  buffers %u/%u"), size_text(job->chunk, text),
			 job->buffers_in_use, job->buffers);
		return true;
	case 3:
		if (rows < 7)
			queue_path_and_temperature(job, source, destination, line);
		else
			queue_path(job, false, line);
		return true;
	case 4:
		line_add(line, _(" temp %s %s  %s %s"), short_name(&plan->source), source,
			 short_name(&plan->destination), destination);
		return true;
	case 5:
		queue_slow(job, line);
		return true;
	case 6:
		/* A map that is not safe matters more than the limit. */
		if (rows == 7 && job->map_saved_at && !job->map_safe)
			queue_map(job, now, line);
		else
			queue_rate(job, line);
		return true;
	case 7:
		queue_map(job, now, line);
		return true;
	default:
		return false;
	}
}

/* ---- errors and events ---- */

void run_text_status(const struct job_snapshot *job, struct line *line, enum role *retrole)
{
	char bad[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX], ago[UNITS_TEXT_MAX] = "-";

	*retrole = job->errors || job->bad_areas ? ROLE_BAD : ROLE_NORMAL;
	if (job->map_saved_at && !job->map_safe) {
		*retrole = ROLE_BAD;
		line_add(line, _(" MAP NOT SAVED: the copy could not be resumed from here;"));
	}
	if (job->source.requests)
		run_text_span(job->last_good_read / NSEC_PER_SEC, ago, sizeof(ago));
	units_print_count(job->bad_bytes, bad);
	line_add(line, _(" retries %" PRIu64 "  slow reads %" PRIu64 " (>1 s)  bad %s B"),
		 job->retries, job->slow_reads, bad);
	if (job->rate_limit)
		line_add(line, _("  last good %s ago  limit %s"), ago,
			 units_print_rate((double)job->rate_limit, rate));
	else
		line_add(line, _("  last good read %s ago"), ago);
}

enum role run_event_role(const struct job_event *event)
{
	switch (event->level) {
	case LOG_LEVEL_ERROR:
		return ROLE_BAD;
	case LOG_LEVEL_WARNING:
		return ROLE_WARN;
	case LOG_LEVEL_INFO:
	case LOG_LEVEL_DEBUG:
		break;
	}
	return ROLE_NORMAL;
}

void run_text_event(const struct job_event *event, struct line *line)
{
	time_t time = (time_t)event->time;
	char clock[16] = "--:--:--";
	struct tm local;

	if (localtime_r(&time, &local))
		strftime(clock, sizeof(clock), "%H:%M:%S", &local);
	line_add(line, " %s %s%s", clock,
		 event->level == LOG_LEVEL_ERROR     ? "E "
		 : event->level == LOG_LEVEL_WARNING ? "W "
						     : "",
		 event->text);
}

/* ---- map ---- */

void run_text_map(const struct plan *plan, uint64_t start, uint64_t size, int cells, bool zoomed,
		  enum units_scale scale, bool legend, struct line *line)
{
	char cell[UNITS_TEXT_MAX], heading[512], letters[256];

	units_print_long(cells > 0 ? size / (uint64_t)cells : 0,
			 scale == UNITS_SECTORS ? UNITS_SI : scale, plan->sector_size, cell);
	snprintf(letters, sizeof(letters), "%s%s",
		 legend ? _("  + copied ? to do > now - bad * retry") : "",
		 plan->whole ? "" : _(" . not chosen"));
	if (zoomed)
		snprintf(heading, sizeof(heading),
			 _(" Map of %s from LBA %" PRIu64 ", 1 cell = %s"),
			 short_name(&plan->source), start / plan->sector_size, cell);
	else
		snprintf(heading, sizeof(heading), _(" Map of %s, 1 cell = %s"),
			 short_name(&plan->source), cell);
	/* What it is a map of stands above, too; what a letter means stands nowhere else. */
	if (legend && text_width(heading) + text_width(letters) > line->limit)
		snprintf(heading, sizeof(heading), _(" 1 cell = %s"), cell);
	line_add(line, "%s%s", heading, letters);
}

/* ---- tables ---- */

static void print_end(FILE *out, const char *word, const struct endpoint *end)
{
	const struct identity *identity = &end->identity;

	fprintf(out, "%s  %s", word, end->node);
	if (end->kind != ENDPOINT_IMAGE)
		fprintf(out, "  %s\n   %s %s  %s %s", identity->model[0] ? identity->model : "-",
			_("S/N"), identity->serial[0] ? identity->serial : "-", _("WWN"),
			identity->wwn[0] ? identity->wwn : "-");
	fputc('\n', out);
}

char *run_text_lanes(const struct plan *plan, const struct job_snapshot *job)
{
	char *text = NULL, rate[UNITS_TEXT_MAX], user[16], system[16];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s\n", _("LANE   USER%   SYS%   IN FLIGHT   WRITTEN/S"));
	for (unsigned i = 0; i < job->lane_count && i < JOB_LANES_MAX; i++) {
		const struct job_lane *lane = &job->lanes[i];

		snprintf(user, sizeof(user), lane->cpu.known ? "%.1f" : "-",
			 (double)lane->cpu.user * 100);
		snprintf(system, sizeof(system), lane->cpu.known ? "%.1f" : "-",
			 (double)lane->cpu.system * 100);
		fprintf(out, "%4u %7s %6s %11u   %s\n", i, user, system, lane->in_flight,
			lane_words(job, i, rate));
	}
	fprintf(out, "\n%s\n\n", job->engine);
	print_end(out, _("Source"), &plan->source);
	print_end(out, _("Dest"), &plan->destination);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
