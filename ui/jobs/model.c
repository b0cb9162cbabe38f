/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/jobs/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "job/snapshot.h"
#include "session/progress.h"

#include "ui/core/layout.h"

/* Columns behind both ends; the last ones only where there is room. */
#define STATE_COLS 11
#define DONE_COLS  6
#define RATE_COLS  9
#define LEFT_COLS  8
#define NOTE_COLS  12
#define ENDS_MOST  60
#define NARROW     (2 + 1 + STATE_COLS + DONE_COLS)
#define WIDE       (NARROW + 1 + RATE_COLS + 1 + LEFT_COLS + 1 + NOTE_COLS)

static bool is_under_way(const struct past_copy *past, const struct running *running, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (past->map[0] && strcmp(running[i].map, past->map) == 0)
			return true;
	return false;
}

static void add(struct jobs_model *model, struct jobs_row row)
{
	if (model->count < JOBS_MAX)
		model->rows[model->count++] = row;
}

void jobs_model_make(struct jobs_model *model, const struct running *running, size_t running_count,
		     const struct past_copy *past, size_t past_count)
{
	*model = (struct jobs_model){ 0 };
	for (size_t i = 0; i < running_count; i++)
		add(model, (struct jobs_row){ .running = &running[i] });
	for (int finished = 0; finished < 2; finished++) {
		for (size_t i = 0; i < past_count; i++) {
			bool goes_on = past[i].unfinished &&
				       !is_under_way(&past[i], running, running_count);

			if (goes_on == !finished && (past[i].result[0] || goes_on))
				add(model,
				    (struct jobs_row){ .past = &past[i], .unfinished = goes_on });
		}
	}
}

int jobs_model_row_of(const struct jobs_model *model, long pid, const char *map, int64_t at)
{
	for (int i = 0; i < model->count; i++) {
		const struct jobs_row *row = &model->rows[i];

		if (row->running ? row->running->pid == pid
				 : !pid && row->past->at == at && strcmp(row->past->map, map) == 0)
			return i;
	}
	return -1;
}

/* ---- a row ---- */

/* "sdb ..12345K": the end of the serial number is on the disk's label. shown: 2 all of it, 1 its
 * end, 0 nothing. */
static void add_end(struct line *line, const char *node, const char *serial, int shown)
{
	char name[3 * 24];
	size_t length = strlen(serial);

	text_show(name, sizeof(name), node[0] ? text_base_name(node) : _("image"));
	line_add(line, "%.24s", name);
	if (length && (shown > 1 || (shown && length <= 6)))
		line_add(line, " %s", serial);
	else if (length && shown)
		line_add(line, " ..%s", serial + length - 6);
}

static const char *name_of(const struct running_end *end)
{
	return end->file[0] ? end->file : end->node;
}

static void text_ends(const struct jobs_row *row, int width, struct line *line)
{
	const struct running *running = row->running;
	const struct past_copy *past = row->past;
	struct line ends;

	for (int shown = 2; shown >= 0; shown--) {
		line_start(&ends, LINE_COLUMNS_MAX);
		add_end(&ends, running ? name_of(&running->source) : past->source.node,
			running ? running->source.serial : past->source.serial, shown);
		line_add(&ends, " -> ");
		add_end(&ends, running ? name_of(&running->destination) : past->destination.node,
			running ? running->destination.serial : past->destination.serial, shown);
		if (ends.columns <= width)
			break;
	}
	line_put(line, width, ends.text);
}

static int past_percent(const struct past_copy *past)
{
	return past->copied >= past->total
		       ? 100
		       : (int)((double)past->copied * 100.0 / (double)past->total);
}

/* ---- sorting ---- */

const char *jobs_sort_name(int column)
{
	static const char *const names[JOBS_SORT_COLUMNS + 1] = {
		N_("those that run first"), N_("FROM -> TO"), N_("STATE"), N_("DONE"), N_("TIME"),
	};

	return _(names[column]);
}

static const char *state_words(const struct jobs_row *row)
{
	return row->running ? progress_doing(row->running) : past_result_words(row->past);
}

static double done(const struct jobs_row *row)
{
	if (row->running)
		return row->running->percent;
	return row->past->total ? past_percent(row->past) : -1;
}

static int64_t seconds(const struct jobs_row *row)
{
	if (row->running && row->running->left < 0 && row->running->left_most)
		return row->running->left_most;
	if (row->running)
		return row->running->left;
	return row->past->result[0] ? (int64_t)row->past->seconds : -1;
}

static int compare(const void *a, const void *b, int column)
{
	const struct jobs_row *one = a, *other = b;
	struct line first, second;

	switch (column) {
	case 1:
		line_start(&first, LINE_COLUMNS_MAX);
		line_start(&second, LINE_COLUMNS_MAX);
		text_ends(one, LINE_COLUMNS_MAX, &first);
		text_ends(other, LINE_COLUMNS_MAX, &second);
		return strverscmp(first.text, second.text);
	case 2:
		return strcoll(state_words(one), state_words(other));
	case 3:
		return (done(one) > done(other)) - (done(one) < done(other));
	default:
		return (seconds(one) > seconds(other)) - (seconds(one) < seconds(other));
	}
}

void jobs_model_sort(struct jobs_model *model, const struct list *list)
{
	list_sort(list, model->rows, (size_t)model->count, sizeof(model->rows[0]), compare);
}

bool jobs_holds(const struct jobs_row *row, const char *text)
{
	CLEANUP(free) char *details = jobs_details(row, 0);
	struct line line;

	line_start(&line, LINE_COLUMNS_MAX);
	jobs_text_row(row, &line);
	return strcasestr(line.text, text) || (details && strcasestr(details, text));
}

/* "2:37:21", or days where that is too long; "<0:25:00" where that is the most it can take. */
static const char *duration(const struct jobs_row *row, char text[static UNITS_TEXT_MAX])
{
	bool most = row->running && row->running->left < 0;
	int64_t length = seconds(row);
	char exact[UNITS_TEXT_MAX];

	if (length < 0)
		return text_copy(text, UNITS_TEXT_MAX, "-");
	units_print_duration((uint64_t)length, exact);
	if (most + text_width(exact) > LEFT_COLS)
		snprintf(exact, sizeof(exact), _("%lld d"),
			 (long long)(length + (most ? 86399 : 0)) / 86400);
	snprintf(text, UNITS_TEXT_MAX, "%s%.60s", most ? "<" : "", exact);
	return text;
}

/* "18:39", or with its date. */
static const char *when(int64_t at, bool date, char *buffer, size_t size)
{
	return clock_print(at, date ? "%d %b %H:%M" : "%H:%M", buffer, size);
}

static const char *trouble(const struct running *running, char *buffer, size_t size)
{
	buffer[0] = '\0';
	if (running->bad)
		snprintf(buffer, size, _("bad %s"), UNITS_SHORT(running->bad, UNITS_SI, 512));
	else if (running->errors)
		snprintf(buffer, size, _("errors %" PRIu64), running->errors);
	else if (running->own)
		text_copy(buffer, size, _("this deck"));
	return buffer;
}

static void put_columns(struct line *line, int width, const char *const texts[5])
{
	line_put(line, 1, "");
	line_put_marked(line, STATE_COLS, texts[0]);
	line_put_right(line, DONE_COLS, texts[1]);
	if (!width)
		return;
	line_put(line, 1, "");
	line_put_right(line, RATE_COLS, texts[2]);
	line_put(line, 1, "");
	line_put_right(line, LEFT_COLS, texts[3]);
	line_put(line, 1, "");
	line_put(line, line->limit - line->columns, texts[4]);
}

/* On a very wide screen the other columns stay close. */
static int ends_cols(const struct line *line)
{
	int cols = line->limit - (line->limit >= LAYOUT_FULL_COLS - 1 ? WIDE : NARROW);

	return cols < ENDS_MOST ? cols : ENDS_MOST;
}

void jobs_text_head(const struct list *list, struct line *line)
{
	char buffer[4][64];
	const char *const texts[5] = {
		list_heading(list, 2, _("STATE"), STATE_COLS, buffer[1], sizeof(buffer[1])),
		list_heading(list, 3, _("DONE"), DONE_COLS, buffer[2], sizeof(buffer[2])),
		_("SPEED"),
		list_heading(list, 4, _("TIME"), LEFT_COLS, buffer[3], sizeof(buffer[3])),
		"",
	};

	line_put(line, 2, "");
	line_put(line, ends_cols(line),
		 list_heading(list, 1, _("FROM -> TO"), ends_cols(line), buffer[0],
			      sizeof(buffer[0])));
	put_columns(line, line->limit >= LAYOUT_FULL_COLS - 1, texts);
}

void jobs_text_row(const struct jobs_row *row, struct line *line)
{
	const struct running *running = row->running;
	char done[32] = "-", rate[UNITS_TEXT_MAX] = "", left[UNITS_TEXT_MAX], note[64];
	const char *const texts[5] = { state_words(row), done, rate, left, note };

	if (running) {
		snprintf(done, sizeof(done), "%.1f%%", running->percent);
		units_print_rate(running->rate, rate);
		duration(row, left);
		trouble(running, note, sizeof(note));
	} else {
		if (row->past->total)
			snprintf(done, sizeof(done), "%d%%", past_percent(row->past));
		duration(row, left);
		when(row->past->at, true, note, sizeof(note));
	}
	line_put(line, 2, "");
	text_ends(row, ends_cols(line), line);
	put_columns(line, line->limit >= LAYOUT_FULL_COLS - 1, texts);
}

enum role jobs_role(const struct jobs_row *row)
{
	if (row->running)
		return row->running->bad || row->running->errors ||
				       strcmp(row->running->state, job_state_name(JOB_WAITING)) == 0
			       ? ROLE_WARN
			       : ROLE_STRONG;
	if (row->past->exit_code == EXIT_MISMATCH ||
	    row->past->exit_code == EXIT_DESTINATION_FAILED)
		return ROLE_BAD;
	return row->past->exit_code || !row->past->result[0] ? ROLE_WARN : ROLE_NORMAL;
}

/* ---- all of it ---- */

static void print_end(FILE *out, const char *name, const struct running_end *end)
{
	char file[3 * sizeof(end->file)];

	past_print_name(out, name);
	fputs(end->node[0]   ? end->node
	      : end->file[0] ? text_show(file, sizeof(file), end->file)
			     : _("image"),
	      out);
	if (end->serial[0])
		fprintf(out, "  %s %s", _("S/N"), end->serial);
	fputc('\n', out);
}

static void print_running(FILE *out, const struct running *job, int64_t now)
{
	char clock[32], left[96], map[3 * sizeof(job->map)];

	print_end(out, _("From"), &job->source);
	print_end(out, _("To"), &job->destination);
	past_print_name(out, _("State"));
	fprintf(out, _("%s, %.1f%% of all, %s"), progress_doing(job), job->percent,
		UNITS_RATE(job->rate));
	if (job->left >= 0)
		fprintf(out, _(", left %s, ends %s\n"), UNITS_DURATION((uint64_t)job->left),
			when(now + job->left, job->left >= 20L * 3600, clock, sizeof(clock)));
	else if (job->left_most)
		fprintf(out, _(", left %s\n"), progress_left_of_record(job, left, sizeof(left)));
	else
		fputs(_(", left unknown\n"), out);
	past_print_name(out, _("Unreadable"));
	fprintf(out, _("%s, errors %llu\n"), UNITS_LONG(job->bad, UNITS_SI, 512),
		(unsigned long long)job->errors);
	if (job->map[0]) {
		past_print_name(out, _("Map"));
		fprintf(out, "%s\n", text_show(map, sizeof(map), job->map));
	}
	past_print_name(out, _("Process"));
	fprintf(out, _("%ld, since %s\n"), (long)job->pid,
		when(job->started, true, clock, sizeof(clock)));
	if (!job->has_deck && !job->own)
		fputs(_("It has no deck that can come to this terminal. Ctrl-C where it was "
			"started, or SIGINT, stops it.\n"),
		      out);
}

static void print_map(FILE *out, const struct past_copy *past)
{
	char clock[32], map[3 * sizeof(past->map)];

	past_print_name(out, _("From"));
	fprintf(out, "%s  %s  %s\n", past->source.node, past->source.model, past->source.serial);
	past_print_name(out, _("To"));
	fprintf(out, "%s  %s  %s\n", past->destination.node, past->destination.model,
		past->destination.serial);
	if (past->total) {
		past_print_name(out, _("Copied"));
		fprintf(out, _("%d%% of %s\n"), past_percent(past),
			UNITS_LONG(past->total, UNITS_SI, 512));
	}
	past_print_name(out, _("Map"));
	fprintf(out, _("%s, saved %s\n"), text_show(map, sizeof(map), past->map),
		when(past->at, true, clock, sizeof(clock)));
}

char *jobs_details(const struct jobs_row *row, int64_t now)
{
	struct text_stream text;
	FILE *out = text_stream_begin(&text);

	if (!out)
		return NULL;
	if (row->running)
		print_running(out, row->running, now);
	else if (row->past->text)
		fputs(row->past->text, out);
	else
		print_map(out, row->past);
	return text_stream_end(&text);
}
