/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model_passes.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

#include "model_run.h"

/* Passes that are sure to follow, the last one only where something is held back; others come when
 * there is something for them to do. */
static const enum pass_kind coming[] = { PASS_FLUSH, PASS_ARM };

#define COMING    (sizeof(coming) / sizeof(coming[0]))
#define SHOWN_MAX (JOB_PASSES_MAX + COMING)

static unsigned begun(const struct job_snapshot *job)
{
	return job->pass_count < JOB_PASSES_MAX ? job->pass_count : JOB_PASSES_MAX;
}

/* All there is to show, in their order; *retnow is the index of the one under way, -1 for none. */
static int collect(const struct job_snapshot *job, enum pass_kind kinds[static SHOWN_MAX],
		   int *retnow)
{
	int count = 0;
	size_t next = 0;

	*retnow = -1;
	for (unsigned i = 0; i < begun(job); i++) {
		kinds[count++] = job->passes[i].kind;
		for (size_t c = 0; c < COMING; c++)
			if (coming[c] == job->passes[i].kind)
				next = c + 1;
	}
	if (job->state == JOB_ENDED || !count)
		return count;
	if (job->pass != PASS_NONE)
		*retnow = count - 1;
	for (; next < COMING - !job->held_areas && job->state != JOB_STOPPING; next++)
		kinds[count++] = coming[next];
	return count;
}

static int width_from(const enum pass_kind *kinds, int first, int count, bool marked)
{
	int width = 1 + (first > 0 ? 5 : 0) + (marked ? 2 : 0);

	for (int i = first; i < count; i++)
		width += text_width(pass_words(kinds[i])) + (i > first ? 3 : 0);
	return width;
}

void passes_text(const struct job_snapshot *job, struct line *line)
{
	enum pass_kind kinds[SHOWN_MAX];
	int now, count = collect(job, kinds, &now), first = 0;

	while (first < count - 1 && (now < 0 || first < now) &&
	       width_from(kinds, first, count, now >= 0) > line->limit)
		first++;
	line_add(line, first ? " .. > " : " ");
	for (int i = first; i < count; i++)
		line_add(line, i == now ? "%s[%s]" : "%s%s", i > first ? " > " : "",
			 pass_words(kinds[i]));
}

bool passes_fraction(const struct job_snapshot *job, double *ret)
{
	const struct job_pass *now = begun(job) ? &job->passes[begun(job) - 1] : NULL;

	*ret = run_fraction(job);
	if (job->state == JOB_ENDED || !now || job->pass == PASS_NONE || job->pass == PASS_COPY)
		return true;
	*ret = 0;
	if (!now->total)
		return false;
	*ret = now->done < now->total ? (double)now->done / (double)now->total : 1;
	if (now->done<now->total && * ret> 0.9999)
		*ret = 0.9999;
	return true;
}

void passes_percent(const struct job_snapshot *job, char *buffer, size_t size)
{
	double fraction;

	if (passes_fraction(job, &fraction))
		snprintf(buffer, size, "%.1f%%", floor(fraction * 1000) / 10);
	else
		snprintf(buffer, size, "-");
}
