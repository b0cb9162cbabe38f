/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Head, figures and graph of screen 4. */
#include "ui/run/model.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"

const char *run_state_words(const struct job_snapshot *job)
{
	switch (job->state) {
	case JOB_READY:
		return _("READY");
	case JOB_COPYING:
	case JOB_FLUSHING:
	case JOB_VERIFYING:
		return run_stage_doing(job);
	case JOB_PAUSED:
		return _("PAUSED");
	case JOB_STOPPING:
		return _("STOPPING");
	case JOB_WAITING:
		return _("DISK GONE");
	case JOB_ENDED:
		break;
	}
	switch (job->result) {
	case JOB_RESULT_COMPLETE:
		return job->source_in_use ? _("SOURCE WAS IN USE") : _("COMPLETE");
	case JOB_RESULT_PARTIAL:
		return job->proof.unknown && !job->bad_areas ? _("UNCERTAIN") : _("PARTIAL");
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

/* Files by the end of their path, disks by name and serial, or the beginning of the model where
 * there is none. */
static void put_end(struct line *line, const struct endpoint *end, int width, int model_cols)
{
	const struct identity *identity = &end->identity;
	const char *known = identity->serial[0]  ? identity->serial
			    : identity->model[0] ? identity->model
						 : "-";
	struct line part;
	int room;

	line_start(&part, width);
	if (end->kind == ENDPOINT_IMAGE) {
		int wide = text_width(end->node);

		line_put_tail(&part, wide < width ? wide : width, end->node);
		line_add(line, "%s", part.text);
		return;
	}
	line_add(&part, "%s ", node_short(end->node));
	if (model_cols) {
		line_put(&part, model_cols - 1, identity->model);
		line_add(&part, " ");
	}
	room = width - part.columns;
	if (text_width(known) <= room)
		line_add(&part, "%s", known);
	else if (identity->serial[0])
		line_put_tail(&part, room, known);
	else
		line_put(&part, room, known);
	if (identity->wwn[0] && text_width(identity->wwn) + 1 <= width - part.columns)
		line_add(&part, " %s", identity->wwn);
	line_add(line, "%s", part.text);
}

/* Columns of a disk's name and serial number, or of a file's path. */
static int bare_cols(const struct endpoint *end)
{
	return end->kind == ENDPOINT_IMAGE
		       ? text_width(end->node)
		       : text_width(node_short(end->node)) + 1 + text_width(end->identity.serial);
}

/* Columns of a model and the blank behind it; 0: it is not known, or stands for the serial. */
static int model_cols(const struct endpoint *end)
{
	return end->kind != ENDPOINT_IMAGE && end->identity.model[0] && end->identity.serial[0]
		       ? text_width(end->identity.model) + 1
		       : 0;
}

#define MODEL_LEAST 10 /* fewer columns of it say too little */

/* What names and serials leave of `cols` goes to the models: half to each, or what the other one
 * does not need. */
static void share_models(const struct plan *plan, int cols, int ret[static 2])
{
	const struct endpoint *ends[2] = { &plan->source, &plan->destinations[0] };
	int spare = cols - bare_cols(ends[0]) - bare_cols(ends[1]);

	for (int i = 0; i < 2; i++) {
		int wanted = model_cols(ends[i]), other = model_cols(ends[!i]);
		int room = other < spare / 2 ? spare - other : spare / 2;

		ret[i] = wanted < room ? wanted : room;
		if (ret[i] < MODEL_LEAST && ret[i] < wanted)
			ret[i] = 0;
	}
}

const char *run_elapsed(const struct job_snapshot *job, char text[static UNITS_TEXT_MAX])
{
	uint64_t paused = job->paused_ns < job->elapsed ? job->paused_ns : job->elapsed;

	return units_print_duration((job->elapsed - paused) / NSEC_PER_SEC, text);
}

void run_text_ends(const struct plan *plan, const struct job_snapshot *job, struct line *line)
{
	char elapsed[UNITS_TEXT_MAX], right[UNITS_TEXT_MAX + 32];
	int cols, models[2], first, rest;

	snprintf(right, sizeof(right), _("elapsed %s"), run_elapsed(job, elapsed));

	/* Name and serial of both ends share what state and time leave. */
	cols = line->limit - text_width(right) - text_width(run_state_words(job)) - 12;
	share_models(plan, cols, models);
	first = bare_cols(&plan->source) + models[0];
	rest = cols - first - bare_cols(&plan->destinations[0]) - models[1];
	first = rest < 0 ? cols / 2 : first + rest / 2;
	line_put(line, 1, "");
	put_end(line, &plan->source, first, models[0]);
	line_add(line, job->only_reads ? " <> " : " -> ");
	put_end(line, &plan->destinations[0], cols - first, models[1]);
	line_add(line, "   %s", run_state_words(job));
	line_put_right(line, line->limit - line->columns - 1, right);
}

/* Where there is no room for both ends, the destination matters. */
void run_text_ends_small(const struct plan *plan, const struct job_snapshot *job, struct line *line)
{
	const char *between = job->only_reads ? " <> " : " -> ";
	int room;

	line_piece(line, "%s", run_state_words(job));
	room = (line->limit - line->columns - 2 - text_width(between)) / 2;
	if (room < 10)
		return;
	line_put(line, 2, "");
	put_end(line, &plan->source, room, 0);
	line_add(line, "%s", between);
	put_end(line, &plan->destinations[0], room, 0);
}

const char *run_map_alarm(const struct job_snapshot *job)
{
	if (job->state == JOB_ENDED || (!job->map_failed && (!job->map_saved_at || job->map_safe)))
		return NULL;
	/* While a disk is waited for, s stops the copy. */
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

void run_text_clock(int64_t at, int64_t now, char *buffer, size_t size)
{
	clock_print(at,
		    at - now < 20 * 3600L   ? "%H:%M"
		    : at - now < 6 * 86400L ? "%a %H:%M"
					    : "%Y-%m-%d",
		    buffer, size);
	if (strcmp(buffer, "-") == 0)
		text_copy(buffer, size, _("unknown"));
}

const char *run_text_ends_at(const struct job_snapshot *job, int64_t now, char *buffer, size_t size)
{
	char first[64], last[64];

	text_copy(buffer, size, "");
	if (job->eta.known) {
		run_text_clock(job->eta.finish, now, buffer, size);
	} else if (job->left.known) {
		run_text_clock(now + (int64_t)job->left.least, now, first, sizeof(first));
		run_text_clock(now + (int64_t)job->left.most, now, last, sizeof(last));
		/* Most ranges end within a minute at last. */
		if (strcmp(first, last) == 0)
			text_copy(buffer, size, first);
		else
			snprintf(buffer, size, _("%s to %s"), first, last);
	}
	return buffer;
}

void run_text_amount(const struct job_snapshot *job, enum units_scale scale, uint32_t sector_size,
		     struct line *line)
{
	const struct run_amount amount = run_stage_amount(job);
	char text[2 * UNITS_TEXT_MAX + 16];

	run_text_progress(amount.done, amount.total, run_is_rescue(job) ? UNITS_SECTORS : scale,
			  sector_size, text, sizeof(text));
	line_add(line, "%s", text);
}
