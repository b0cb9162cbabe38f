/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of screen 4's head: speed, time left, trouble; for large and small screens, and to be
 * heard. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "session/progress.h"

#include "ui/run/model.h"

#define LEAST_MEGABYTES 1e5 /* bytes per second that still show as MB/s */

/* A rate without its unit's name where all of them are MB/s: "193", "1,930", "0.81". */
static const char *megabytes(double rate, bool known, char *buffer, size_t size)
{
	if (!known || !isfinite(rate) || rate < 0)
		snprintf(buffer, size, "-");
	else if (rate >= 10e6)
		snprintf(buffer, size, "%s", UNITS_COUNT((uint64_t)(rate / 1e6 + 0.5)));
	else
		snprintf(buffer, size, "%.*f", rate <= 0 ? 0 : rate < 1e6 ? 2 : 1, rate / 1e6);
	return buffer;
}

/* In the first second there is no rate yet. */
static bool is_measured(const struct job_snapshot *job)
{
	return job->elapsed >= NSEC_PER_SEC;
}

/* During a flush no rate can be measured. */
static bool has_rate(const struct job_snapshot *job)
{
	return is_measured(job) && job->state != JOB_FLUSHING;
}

/* With its unit, since reading sector by sector gives kilobytes a second. */
static void text_current(const struct job_snapshot *job, char *buffer, size_t size)
{
	char rate[UNITS_TEXT_MAX];

	if (job->now_pass > 0 && job->now_pass < LEAST_MEGABYTES && is_measured(job)) {
		text_copy(buffer, size, units_print_rate(job->now_pass, rate));
		return;
	}
	megabytes(job->now_pass, has_rate(job), rate, sizeof(rate));
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

/* ---- speed and time left ---- */

void run_text_speed(const struct job_snapshot *job, char *digits, char *unit, size_t size)
{
	char text[64], *blank;

	text_current(job, text, sizeof(text));
	blank = strchr(text, ' ');
	if (blank)
		*blank = '\0';
	/* Large digits have no comma. */
	text[strcspn(text, ".")] = '\0';
	*digits = '\0';
	for (const char *at = text; *at; at++)
		if (*at != ',')
			snprintf(digits + strlen(digits), size - strlen(digits), "%c", *at);
	snprintf(unit, size, _("%s now"), blank ? blank + 1 : "");
}

static void put_pause(const struct run_facts *facts, struct line *line)
{
	char clock[16];

	if (facts->paused_since)
		line_piece(line, _("PAUSED %s, since %s"),
			   UNITS_DURATION(facts->now > facts->paused_since
						  ? (uint64_t)(facts->now - facts->paused_since)
						  : 0),
			   clock_print(facts->paused_since, "%H:%M:%S", clock, sizeof(clock)));
	else
		line_piece(line, _("PAUSED"));
	line_piece(line, _("p goes on"));
}

void run_text_left(const struct run_facts *facts, struct line *line, enum role *retrole)
{
	const struct job_snapshot *job = facts->job;
	char left[96], at[160];

	if (job->state == JOB_PAUSED) {
		*retrole = ROLE_ALERT;
		put_pause(facts, line);
		return;
	}
	if (job->state == JOB_ENDED)
		return;
	if (!line_piece(line, _("LEFT %s"), progress_left(job, left, sizeof(left))) &&
	    job->left.known)
		line_piece(line, _("LEFT up to %s"), UNITS_DURATION(job->left.most));
	run_text_ends_at(job, facts->now, at, sizeof(at));
	if (at[0])
		line_piece(line, _("ends %s"), at);
}

/* The speed gives way to nothing but the time left. */
void run_text_now(const struct run_facts *facts, struct line *line, enum role *retrole)
{
	char current[32], verified[64];

	text_current(facts->job, current, sizeof(current));
	line_piece(line, _("%s now"), current);
	run_text_left(facts, line, retrole);
	text_verified(facts->job, verified, sizeof(verified));
	if (verified[0])
		line_piece(line, "%s", verified);
}

static void put_averages(const struct job_snapshot *job, struct line *line)
{
	bool measured = is_measured(job) && job->average > 0;
	char text[UNITS_TEXT_MAX];

	line_piece(line, _("average %s"), megabytes(job->average, measured, text, sizeof(text)));
	line_piece(line, _("last minute %s"), megabytes(job->minute, measured, text, sizeof(text)));
}

void run_text_speeds(const struct run_facts *facts, struct line *line, enum role *retrole)
{
	const struct job_snapshot *job = facts->job;
	bool measured = is_measured(job) && job->average > 0 && job->peak > 0;
	char text[UNITS_TEXT_MAX];

	put_averages(job, line);
	line_piece(line, _("fastest %s MB/s"), megabytes(job->peak, measured, text, sizeof(text)));
	if (job->state != JOB_ENDED)
		line_piece(line, _("elapsed %s"), run_elapsed(job, text));
}

/* ---- trouble ---- */

static const char *sectors_text(const struct run_facts *facts, uint64_t bytes,
				char text[static UNITS_TEXT_MAX])
{
	uint32_t size = facts->plan->sector_size;

	return units_print_count(size ? bytes / size : 0, text);
}

/* Each figure that there is room for, the worst ones first. */
static void put_trouble(const struct run_facts *facts, struct line *line, enum role *retrole)
{
	const struct job_snapshot *job = facts->job;
	const struct job_rescue *rescue = &job->rescue;
	uint64_t to_try = rescue->non_trimmed + rescue->non_scraped;
	char bytes[UNITS_TEXT_MAX];

	if (job->errors || rescue->read_errors || rescue->bad_areas || job->proof.areas)
		*retrole = ROLE_BAD;
	if (job->proof.areas)
		line_piece(line, _("MISMATCHES %" PRIu64), job->proof.areas);
	line_piece(line, _("errors %" PRIu64), rescue->read_errors);
	if (rescue->bad_sector)
		line_piece(line, _("bad %s sectors"),
			   sectors_text(facts, rescue->bad_sector, bytes));
	else
		line_piece(line, _("bad 0"));
	if (to_try)
		line_piece(line, _("to try %s"), sectors_text(facts, to_try, bytes));
	if (job->refused_bytes)
		line_piece(line, _("refused %s B"), units_print_count(job->refused_bytes, bytes));
}

void run_text_trouble(const struct run_facts *facts, struct line *line, enum role *retrole)
{
	const struct job_snapshot *job = facts->job;
	char text[UNITS_TEXT_MAX];

	put_trouble(facts, line, retrole);
	if (job->retries)
		line_piece(line, _("retries %" PRIu64), job->retries);
	line_piece(line, _("slow reads %" PRIu64), job->slow_reads);
	if (job->rate_limit)
		line_piece(line, _("limit %s"), units_print_rate((double)job->rate_limit, text));
	line_piece(line, _("last good read %s"), run_text_last_good(job, text, sizeof(text)));
}

void run_text_status(const struct run_facts *facts, struct line *line, enum role *retrole)
{
	const struct job_snapshot *job = facts->job;
	enum role trouble = ROLE_NORMAL;

	run_text_alarm(facts, line, retrole);
	if (line->columns <= 1 && job->state != JOB_PAUSED && !run_is_rescue(job))
		put_averages(job, line);
	run_text_trouble(facts, line, &trouble);
	if (*retrole == ROLE_NORMAL)
		*retrole = trouble;
}

static void small_rate(const struct run_facts *facts, struct line *line, enum role *retrole)
{
	const struct job_snapshot *job = facts->job;
	char current[32], average[32];

	text_current(job, current, sizeof(current));
	megabytes(job->average, is_measured(job) && job->average > 0, average, sizeof(average));
	line_piece(line, "%s", current);
	run_text_left(facts, line, retrole);
	line_piece(line, _("average %s"), average);
}

static void small_progress(const struct run_facts *facts, struct line *line)
{
	const struct job_snapshot *job = facts->job;
	char progress[2 * UNITS_TEXT_MAX], text[UNITS_TEXT_MAX];
	struct line amount;

	passes_percent(job, text, sizeof(text));
	line_piece(line, "%s %s", run_stage_name(job), text);
	line_start(&amount, LINE_COLUMNS_MAX);
	run_text_amount(job, facts->scale, facts->plan->sector_size, &amount);
	line_piece(line, "%s", amount.text);
	text_verified(job, progress, sizeof(progress));
	if (progress[0])
		line_piece(line, "%s", progress);
	line_piece(line, _("elapsed %s"), run_elapsed(job, text));
}

bool run_text_small(const struct run_facts *facts, int index, struct line *line, enum role *retrole)
{
	enum role state = run_state_role(facts->job);

	*retrole = ROLE_NORMAL;
	switch (index) {
	case 0:
		*retrole = state == ROLE_OK ? ROLE_STRONG : state;
		run_text_ends_small(facts->plan, facts->job, line);
		return true;
	case 1:
		return true;
	case 2:
		*retrole = ROLE_STRONG;
		small_rate(facts, line, retrole);
		return true;
	case 3:
		run_text_alarm(facts, line, retrole);
		put_trouble(facts, line, retrole);
		return true;
	case 4:
		small_progress(facts, line);
		return true;
	default:
		return false;
	}
}

/* "copying 52.2%"; of what has no amount, such as a flush, what it does. */
static void text_doing(const struct job_snapshot *job, char *buffer, size_t size)
{
	char percent[16];

	passes_percent(job, percent, sizeof(percent));
	if (job->only_reads && job->state == JOB_FLUSHING)
		text_copy(buffer, size, _("flushing the destination before it is read back"));
	else if (strcmp(percent, "-") == 0)
		text_copy(buffer, size, run_state_phrase(job));
	else
		snprintf(buffer, size, "%s %s", run_state_phrase(job), percent);
}

void run_text_spoken(const struct job_snapshot *job, int64_t now, struct line *line)
{
	char all[16], doing[128], current[32], eta[96], at[160], verified[64];
	char elapsed[UNITS_TEXT_MAX];
	const char *map = run_map_alarm(job);

	passes_overall(job, all, sizeof(all));
	text_doing(job, doing, sizeof(doing));
	text_current(job, current, sizeof(current));
	progress_left(job, eta, sizeof(eta));
	run_text_ends_at(job, now, at, sizeof(at));
	text_verified(job, verified, sizeof(verified));
	if (has_rate(job))
		line_add(line, _("%s of all, %s, %s, left %s"), all, doing, current, eta);
	else
		line_add(line, _("%s of all, %s, left %s"), all, doing, eta);
	if (at[0])
		line_add(line, _(", ends %s"), at);
	/* Only what is wrong is spoken every ten seconds. */
	if (map)
		line_add(line, ", %s", map);
	if (job->hang.count)
		line_add(line,
			 job->hang.write ? _(", a write at LBA %" PRIu64 " hangs")
					 : _(", a read at LBA %" PRIu64 " hangs"),
			 job->hang.lba);
	if (job->proof.areas)
		line_add(line, _(", MISMATCHES %" PRIu64), job->proof.areas);
	if (job->rescue.read_errors)
		line_add(line, _(", read errors %" PRIu64), job->rescue.read_errors);
	if (job->bad_areas)
		line_add(line, _(", bad areas %" PRIu64), job->bad_areas);
	if (job->refused_bytes)
		line_add(line, _(", refused %s B"), units_print_count(job->refused_bytes, at));
	if (verified[0])
		line_add(line, ", %s", verified);
	line_add(line, ", ");
	line_add(line, _("elapsed %s"), run_elapsed(job, elapsed));
}
