/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/run/model.h"

#include <math.h>
#include <stdio.h>

#include "base/i18n.h"
#include "base/text.h"

enum stage { PREPARE, COPY, RESCUE, FLUSH, VERIFY, FINISH };

static const struct {
	const char *name, *now, *doing;
} words[RUN_STAGES] = {
	[PREPARE] = { N_("prepare"), N_("PREPARE"), N_("PREPARING") },
	[COPY] = { N_("copy"), N_("COPY"), N_("COPYING") },
	[RESCUE] = { N_("rescue"), N_("RESCUE"), N_("RESCUING") },
	[FLUSH] = { N_("flush"), N_("FLUSH"), N_("FLUSHING") },
	[VERIFY] = { N_("verify"), N_("VERIFY"), N_("VERIFYING") },
	[FINISH] = { N_("finish"), N_("FINISH"), N_("FINISHING") },
};

static enum stage stage_of(enum pass_kind kind)
{
	switch (kind) {
	case PASS_NONE:
	case PASS_BASELINE:
	case PASS_PROBE:
	case PASS_WIPE:
		return PREPARE;
	case PASS_COPY:
	case PASS_COPY_FREE:
		return COPY;
	case PASS_TRIM:
	case PASS_SCRAPE:
	case PASS_RETRY:
	case PASS_FILL:
		return RESCUE;
	case PASS_FLUSH:
		return FLUSH;
	case PASS_VERIFY:
	case PASS_COMPARE:
	case PASS_REWRITE:
	case PASS_RECHECK:
		return VERIFY;
	case PASS_ARM:
	case PASS_LOOK:
	case PASS_DISARM:
	case PASS_CLEAR:
	case PASS_CLEAR_CHECK:
		break;
	}
	return FINISH;
}

static unsigned begun(const struct job_snapshot *job)
{
	return job->pass_count < JOB_PASSES_MAX ? job->pass_count : JOB_PASSES_MAX;
}

/* The furthest one that has begun: a flush at the very start is not yet that of the copy, and what
 * differs is written again in the stage of verifying. */
static enum stage stage_now(const struct job_snapshot *job)
{
	enum stage now = PREPARE;

	for (unsigned i = 0; i < begun(job); i++) {
		enum stage stage = stage_of(job->passes[i].kind);

		if (stage == FLUSH && now < COPY && !job->only_reads && i + 1 < begun(job))
			stage = PREPARE;
		/* Where a disk went away, what there is was flushed: the copy goes on from there.
		 */
		if (stage == FLUSH && job->state == JOB_WAITING && i + 1 == begun(job))
			break;
		if (stage > now)
			now = stage;
	}
	return now;
}

/* Passes that are sure to come are shown in advance. */
static bool has_stage(const struct job_snapshot *job, const struct plan_options *options,
		      enum stage stage, enum stage now)
{
	bool past = false;

	for (unsigned i = 0; i < begun(job); i++)
		past |= stage_of(job->passes[i].kind) == stage && (stage != FLUSH || i > 0);
	/* In the end, a stage that has not begun is not shown as still to come. */
	if (past || job->state == JOB_ENDED || job->state == JOB_STOPPING)
		return past;
	if (stage == now)
		return true;
	if (job->only_reads)
		return stage == VERIFY;
	/* A stage that was left out was not needed. */
	if (stage < now)
		return false;
	return stage != VERIFY || verifies_digests(options->verify) ||
	       options->verify == VERIFY_COMPARE;
}

/* Sums of all passes of the stage; those of a rescue count bytes in different ways. */
static void add_figures(const struct job_snapshot *job, enum stage stage, struct run_stage *ret)
{
	for (unsigned i = 0; i < begun(job); i++) {
		const struct job_pass *pass = &job->passes[i];

		if (stage_of(pass->kind) != stage)
			continue;
		ret->ns += pass->ns;
		if (stage != COPY && stage != VERIFY)
			continue;
		ret->done += pass->done;
		ret->total += pass->total;
	}
}

int run_stages(const struct job_snapshot *job, const struct plan_options *options,
	       struct run_stage ret[static RUN_STAGES])
{
	enum stage now = stage_now(job);
	char percent[16];
	int count = 0;

	passes_percent(job, percent, sizeof(percent));
	for (enum stage stage = PREPARE; stage <= FINISH; stage++) {
		struct run_stage *one = &ret[count];

		if (!has_stage(job, options, stage, now))
			continue;
		*one = (struct run_stage){ .name = _(words[stage].name) };
		add_figures(job, stage, one);
		one->state = stage < now || job->state == JOB_ENDED ? STAGE_DONE
			     : stage > now                          ? STAGE_COMING
			     : job->state == JOB_PAUSED             ? STAGE_HELD
								    : STAGE_NOW;
		if (one->state == STAGE_NOW || one->state == STAGE_HELD)
			snprintf(one->text, sizeof(one->text), "%s%s%s", _(words[stage].now),
				 percent[0] == '-' ? "" : " ", percent[0] == '-' ? "" : percent);
		else
			text_copy(one->text, sizeof(one->text), one->name);
		count++;
	}
	return count;
}

const char *run_stage_name(const struct job_snapshot *job)
{
	bool copied = job->state == JOB_ENDED && !job->only_reads;

	/* In the end, that is what is counted. */
	return _(words[copied ? COPY : stage_now(job)].name);
}

const char *run_stage_doing(const struct job_snapshot *job)
{
	return _(words[stage_now(job)].doing);
}

bool run_is_rescue(const struct job_snapshot *job)
{
	return job->pass != PASS_NONE && stage_of(job->pass) == RESCUE;
}

static bool searches(enum pass_kind kind)
{
	return kind == PASS_TRIM || kind == PASS_SCRAPE;
}

/* Trimming and scraping go over what failed one after the other, and both leave less of it: counted
 * from what there was at first, the stage never goes back. */
static struct run_amount searched(const struct job_snapshot *job)
{
	uint64_t left = job->rescue.non_trimmed + job->rescue.non_scraped;
	struct run_amount amount = { 0, left };
	unsigned i = 0;

	while (i < begun(job) && !searches(job->passes[i].kind))
		i++;
	if (i < begun(job) && job->passes[i].total > left)
		amount.total = job->passes[i].total;
	amount.done = amount.total - left;
	return amount;
}

struct run_amount run_stage_amount(const struct job_snapshot *job)
{
	const struct job_pass *pass = job_pass_counted(job);

	if (pass && searches(pass->kind))
		return searched(job);
	return (struct run_amount){ pass ? pass->done : job->written,
				    pass ? pass->total : job->total };
}

double run_stage_done(const struct job_snapshot *job)
{
	struct run_amount amount = run_stage_amount(job);

	if (!job_pass_counted(job) && job->pass != PASS_COPY && job->pass != PASS_NONE &&
	    job->state != JOB_ENDED)
		return 0;
	return amount.total ? (double)amount.done / (double)amount.total : 0;
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
	struct run_amount amount = run_stage_amount(job);

	if (!pass && !copy)
		snprintf(buffer, size, "-");
	else if (!amount.total)
		put_percent(job->state == JOB_ENDED, buffer, size);
	else if (amount.done >= amount.total)
		put_percent(1, buffer, size);
	else
		put_percent(fmin((double)amount.done / (double)amount.total, 0.9999), buffer, size);
}

void passes_overall(const struct job_snapshot *job, char *buffer, size_t size)
{
	put_percent(job->overall, buffer, size);
}
