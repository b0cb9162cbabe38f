/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verification (verify/) gets from the job, and when it reads what. */
#include "job/core.h"
#include "job/pass.h"
#include "verify/checksums.h"
#include "verify/final_look.h"
#include "verify/passes.h"
#include "verify/recheck.h"
#include "verify/verdict.h"

static void map_changed(struct job *job, bool flush)
{
	job->map_changed = true;
	job->flush_due |= flush;
}

static const struct verification_owner verification_owner = {
	.nothing_left = job_nothing_left,
	.map_changed = map_changed,
	.note_written = job_note_written,
};

void job_join_verification(struct job *job)
{
	const struct job_setup *setup = &job->setup;
	struct verification *v = &job->verification;

	v->copy = &job->copy;
	v->lanes = job->lanes;
	v->lane_count = &job->lane_count;
	v->owner = &verification_owner;
	v->map = job->map;
	v->map_lock = &job->map_lock;
	v->stages = &job->stages;
	v->total = job->total;
	v->already = job->already;
	v->refused_bytes = &job->refused_bytes;
	v->source_disk = setup->source_disk;
	v->source_digests = setup->source_digests;
	v->source_in_use = setup->source_in_use;
	v->source_was_gone = setup->source_was_gone;
	v->rolling_how = setup->rolling;
	v->rolling_window = setup->rolling_window;
	v->look_seed = setup->look_seed;
}

typedef int want_fn(struct verification *v, struct range_list *ret);

/* 1: there is work; 0: none; -ENOMEM. */
static int make_work(struct job *job, want_fn *want, const char *statuses)
{
	struct range_list parts = { 0 };
	int r = want(&job->verification, &parts);

	if (r == 0 && parts.count > 0)
		r = job_make_work_of(job, &parts, statuses, job->choice.chunk, false);
	if (r == 0)
		r = parts.count > 0;
	range_list_done(&parts);
	return r;
}

static int read_back(struct job *job, want_fn *want, enum job_sums_state of)
{
	int r = make_work(job, want, "+");

	if (r > 0)
		checksums_begin(&job->verification, of);
	return r;
}

int verify_prepare(struct job *job, unsigned round)
{
	return read_back(job, proof_want_digest, JOB_SUMS_OF_DESTINATION);
}

/* Everything once more, in order. */
int checksums_prepare(struct job *job, unsigned round)
{
	return !checksums_need_reading(&job->verification)
		       ? 0
		       : read_back(job, proof_want_all, JOB_SUMS_OF_DESTINATION);
}

int compare_prepare(struct job *job, unsigned round)
{
	return read_back(job, proof_want_compare, JOB_SUMS_OF_SOURCE);
}

/* In later stages nothing is read for this: the held areas have just been read to be written. */
int recheck_prepare(struct job *job, unsigned round)
{
	int r;

	if (proof_differs(job->verification.proof))
		return 0;
	if (job->stages.now > 0) {
		recheck_judge(&job->verification);
		return 0;
	}
	r = make_work(job, recheck_want_after, "?+");
	return r > 0 ? job->work.chunks > 0 : r;
}

/*
 * After the last write of all. Before the held areas are written, only if there is
 * something that was not read back since the last write: all of an unverified copy, or
 * what was verified beside the copy.
 */
static bool is_due(const struct job *job)
{
	if (!look_is_due(&job->verification) || job_differs(job))
		return false;
	return stages_last(&job->stages) ||
	       (job->stages.now == 0 &&
		(!job->verification.proof || proof_early(job->verification.proof)));
}

/* What was read through the page cache is still in it. */
int look_flush_prepare(struct job *job, unsigned round)
{
	return is_due(job) && !(job->choice.destination->traits & IO_DIRECT);
}

int look_prepare(struct job *job, unsigned round)
{
	if (!is_due(job))
		return 0;
	look_begin(&job->verification);
	return 1;
}
