/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What passes and states are called, and which pass counts; apart, so that what only shows them
 * needs no job. */
#include "base/i18n.h"
#include "job/snapshot.h"

static const struct {
	const char *name, *words;
} passes[] = {
	[PASS_NONE] = { "", "" },
	[PASS_BASELINE] = { "baseline", N_("reading tables") },
	[PASS_PROBE] = { "probe", N_("testing size") },
	[PASS_WIPE] = { "wipe", N_("wiping tables") },
	[PASS_COPY] = { "copy", N_("copying") },
	[PASS_TRIM] = { "trim", N_("trimming") },
	[PASS_SCRAPE] = { "scrape", N_("scraping") },
	[PASS_RETRY] = { "retry", N_("retrying") },
	[PASS_FILL] = { "fill", N_("filling") },
	[PASS_FLUSH] = { "flush", N_("flushing") },
	[PASS_ARM] = { "arm", N_("writing tables") },
	[PASS_VERIFY] = { "verify", N_("verifying") },
	[PASS_COMPARE] = { "compare", N_("comparing") },
	[PASS_REWRITE] = { "rewrite", N_("rewriting") },
	[PASS_RECHECK] = { "recheck", N_("rechecking") },
	[PASS_LOOK] = { "look", N_("final look") },
	[PASS_DISARM] = { "disarm", N_("erasing tables") },
	[PASS_COPY_FREE] = { "copy-free", N_("copying free places") },
	[PASS_CLEAR] = { "clear", N_("clearing free places") },
	[PASS_CLEAR_CHECK] = { "clear-check", N_("checking free places") },
};

const char *pass_name(enum pass_kind kind)
{
	return passes[kind].name;
}

const char *pass_words(enum pass_kind kind)
{
	return kind == PASS_NONE ? "" : _(passes[kind].words);
}

const struct job_pass *job_pass_counted(const struct job_snapshot *job)
{
	const struct job_pass *now;

	if (job->state == JOB_ENDED || job->pass_count == 0 || job->pass == PASS_NONE ||
	    job->pass == PASS_COPY || job->pass == PASS_COPY_FREE)
		return NULL;
	now = &job->passes[job->pass_count - 1];
	return now->total ? now : NULL;
}

static const struct {
	const char *name, *words;
} states[] = {
	[JOB_READY] = { "ready", N_("starting") },
	[JOB_COPYING] = { "copying", N_("copying") },
	[JOB_PAUSED] = { "paused", N_("paused") },
	[JOB_STOPPING] = { "stopping", N_("stopping") },
	[JOB_FLUSHING] = { "flushing", N_("flushing") },
	[JOB_VERIFYING] = { "verifying", N_("verifying") },
	[JOB_ENDED] = { "ended", N_("ended") },
	[JOB_WAITING] = { "waiting", N_("disk gone") },
};

const char *job_state_name(enum job_state state)
{
	return states[state].name;
}

const char *job_state_words(enum job_state state)
{
	return _(states[state].words);
}
