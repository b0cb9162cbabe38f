/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What passes and states are called, and which pass counts; apart, so that what only shows them
 * needs no job. */
#include "base/i18n.h"
#include "job/snapshot.h"

const char *pass_name(enum pass_kind kind)
{
	switch (kind) {
	case PASS_NONE:
		break;
	case PASS_BASELINE:
		return "baseline";
	case PASS_PROBE:
		return "probe";
	case PASS_WIPE:
		return "wipe";
	case PASS_COPY:
		return "copy";
	case PASS_TRIM:
		return "trim";
	case PASS_SCRAPE:
		return "scrape";
	case PASS_RETRY:
		return "retry";
	case PASS_FILL:
		return "fill";
	case PASS_FLUSH:
		return "flush";
	case PASS_ARM:
		return "arm";
	case PASS_VERIFY:
		return "verify";
	case PASS_COMPARE:
		return "compare";
	case PASS_REWRITE:
		return "rewrite";
	case PASS_RECHECK:
		return "recheck";
	case PASS_LOOK:
		return "look";
	case PASS_DISARM:
		return "disarm";
	case PASS_COPY_FREE:
		return "copy-free";
	case PASS_CLEAR:
		return "clear";
	case PASS_CLEAR_CHECK:
		return "clear-check";
	}
	return "";
}

const char *pass_words(enum pass_kind kind)
{
	switch (kind) {
	case PASS_NONE:
		break;
	case PASS_BASELINE:
		return _("reading tables");
	case PASS_PROBE:
		return _("testing size");
	case PASS_WIPE:
		return _("wiping tables");
	case PASS_COPY:
		return _("copying");
	case PASS_TRIM:
		return _("trimming");
	case PASS_SCRAPE:
		return _("scraping");
	case PASS_RETRY:
		return _("retrying");
	case PASS_FILL:
		return _("filling");
	case PASS_FLUSH:
		return _("flushing");
	case PASS_ARM:
		return _("writing tables");
	case PASS_VERIFY:
		return _("verifying");
	case PASS_COMPARE:
		return _("comparing");
	case PASS_REWRITE:
		return _("rewriting");
	case PASS_RECHECK:
		return _("rechecking");
	case PASS_LOOK:
		return _("final look");
	case PASS_DISARM:
		return _("erasing tables");
	case PASS_COPY_FREE:
		return _("copying free places");
	case PASS_CLEAR:
		return _("clearing free places");
	case PASS_CLEAR_CHECK:
		return _("checking free places");
	}
	return "";
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

const char *job_state_name(enum job_state state)
{
	static const char *const names[] = {
		[JOB_READY] = "ready",       [JOB_COPYING] = "copying",
		[JOB_PAUSED] = "paused",     [JOB_STOPPING] = "stopping",
		[JOB_FLUSHING] = "flushing", [JOB_VERIFYING] = "verifying",
		[JOB_ENDED] = "ended",       [JOB_WAITING] = "waiting",
	};

	return names[state];
}

const char *job_state_words(enum job_state state)
{
	switch (state) {
	case JOB_READY:
		return _("starting");
	case JOB_COPYING:
		return _("copying");
	case JOB_PAUSED:
		return _("paused");
	case JOB_STOPPING:
		return _("stopping");
	case JOB_FLUSHING:
		return _("flushing");
	case JOB_WAITING:
		return _("disk gone");
	case JOB_VERIFYING:
		return _("verifying");
	case JOB_ENDED:
		break;
	}
	return _("ended");
}
