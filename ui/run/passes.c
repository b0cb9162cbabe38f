/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/run/model.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/units.h"

#define COMING_MAX 4
#define SHOWN_MAX  (JOB_PASSES_MAX + COMING_MAX)

static unsigned begun(const struct job_snapshot *job)
{
	return job->pass_count < JOB_PASSES_MAX ? job->pass_count : JOB_PASSES_MAX;
}

/* A flush of what other programs wrote comes first; it is not shown once it is done. */
static unsigned first_shown(const struct job_snapshot *job)
{
	return begun(job) > 1 && job->passes[0].kind == PASS_FLUSH;
}

/* The first one that tells what the copy does. */
static enum pass_kind first_kind(const struct job_snapshot *job)
{
	unsigned first = first_shown(job);

	if (begun(job) > first + 1 && job->passes[first].kind == PASS_BASELINE)
		first++;
	return begun(job) ? job->passes[first].kind : PASS_NONE;
}

static bool is_before_the_copy(const struct job_snapshot *job)
{
	enum pass_kind last = begun(job) ? job->passes[begun(job) - 1].kind : PASS_NONE;

	return last == PASS_BASELINE || last == PASS_PROBE || last == PASS_WIPE;
}

/* Passes that are sure to follow, in their order; others only come when there is something for them
 * to do. */
static size_t coming(const struct job_snapshot *job, const struct plan_options *options,
		     enum pass_kind kinds[static COMING_MAX])
{
	size_t count = 0;
	enum pass_kind first = first_kind(job);
	bool read_back = first == PASS_VERIFY || first == PASS_COMPARE;

	if (is_before_the_copy(job))
		kinds[count++] = PASS_COPY;
	/* If reading back came first, nothing was left to copy or to flush. */
	if (!read_back) {
		kinds[count++] = PASS_FLUSH;
		if (verifies_digests(options->verify))
			kinds[count++] = PASS_VERIFY;
		else if (options->verify == VERIFY_COMPARE)
			kinds[count++] = PASS_COMPARE;
	}
	if (job->held_areas)
		kinds[count++] = PASS_ARM;
	return count;
}

/* All there is to show, in their order; *retnow is the index of the one under way, -1 for none. */
static int collect(const struct job_snapshot *job, const struct plan_options *options,
		   enum pass_kind kinds[static SHOWN_MAX], int *retnow)
{
	enum pass_kind later[COMING_MAX];
	size_t next = 0, last = coming(job, options, later);
	int count = 0;

	*retnow = -1;
	for (unsigned i = first_shown(job); i < begun(job); i++) {
		kinds[count++] = job->passes[i].kind;
		for (size_t c = next; c < last; c++)
			if (later[c] == job->passes[i].kind)
				next = c + 1;
	}
	if (job->state == JOB_ENDED || !count)
		return count;
	if (job->pass != PASS_NONE)
		*retnow = count - 1;
	for (; next < last && job->state != JOB_STOPPING; next++)
		kinds[count++] = later[next];
	return count;
}

/* "[copying 52.2% 0:20:11]": how far it is and, unless that is all there is to do, how long it
 * takes. */
static void put_stage(const struct job_snapshot *job, enum pass_kind kind, struct line *line)
{
	char percent[16], left[UNITS_TEXT_MAX];

	passes_percent(job, percent, sizeof(percent));
	line_add(line, "[%s", pass_words(kind));
	if (percent[0] != '-')
		line_add(line, " %s", percent);
	if (job->pass_eta.known && (!job->eta.known || job->eta.seconds != job->pass_eta.seconds))
		line_add(line, " %s", units_print_duration(job->pass_eta.seconds, left));
	line_add(line, "]");
}

static int width_from(const struct job_snapshot *job, const enum pass_kind *kinds, int first,
		      int count, int now)
{
	int width = 1 + (first > 0 ? 5 : 0);
	struct line stage;

	for (int i = first; i < count; i++) {
		width += i > first ? 3 : 0;
		if (i != now) {
			width += text_width(pass_words(kinds[i]));
			continue;
		}
		line_start(&stage, LINE_COLUMNS_MAX);
		put_stage(job, kinds[i], &stage);
		width += stage.columns;
	}
	return width;
}

void passes_text(const struct job_snapshot *job, const struct plan_options *options,
		 struct line *line)
{
	enum pass_kind kinds[SHOWN_MAX];
	int now, all = collect(job, options, kinds, &now), count = all, first = 0;

	while (first < count - 1 && (now < 0 || first < now) &&
	       width_from(job, kinds, first, count, now) > line->limit)
		first++;
	/* Then the passes that are furthest away are left out. */
	while (count - 1 > now && count - 1 > first &&
	       width_from(job, kinds, first, count, now) + (count < all ? 5 : 0) > line->limit)
		count--;
	line_add(line, first ? " .. > " : " ");
	for (int i = first; i < count; i++) {
		line_add(line, "%s", i > first ? " > " : "");
		if (i == now)
			put_stage(job, kinds[i], line);
		else
			line_add(line, "%s", pass_words(kinds[i]));
	}
	if (count < all)
		line_add(line, " > ..");
}

/* Cut, not rounded: 100% means all of it. */
static void put_percent(double fraction, char *buffer, size_t size)
{
	snprintf(buffer, size, "%.1f%%", floor(fraction * 1000) / 10);
}

void passes_percent(const struct job_snapshot *job, char *buffer, size_t size)
{
	const struct job_pass *pass = job_pass_counted(job);
	bool copy = job->state == JOB_ENDED || job->pass == PASS_NONE || job->pass == PASS_COPY;
	uint64_t done = pass ? pass->done : job->written, total = pass ? pass->total : job->total;

	if (!pass && !copy)
		snprintf(buffer, size, "-");
	else if (!total)
		put_percent(job->state == JOB_ENDED, buffer, size);
	else if (done >= total)
		put_percent(1, buffer, size);
	else
		put_percent(fmin((double)done / (double)total, 0.9999), buffer, size);
}

void passes_overall(const struct job_snapshot *job, char *buffer, size_t size)
{
	put_percent(job->overall, buffer, size);
}
