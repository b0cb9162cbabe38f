/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All passes, and the sequence in which a job goes through them. */

#include "base/array.h"
#include "base/thread.h"
#include "job/core.h"
#include "job/pass.h"
#include "rescue/search.h"
#include "verify/passes.h"
#include "verify/recheck.h"
#include "verify/rolling.h"
#include "verify/verdict.h"

/* Areas that another program had finished were not wiped. */
static int leave_out_finished(const struct job *job, struct range_list *areas)
{
	struct range_list finished = { 0 };
	int r = map_list(job->map, MAP_FINISHED, job->plan->sector_size, &finished);

	if (r == 0)
		r = range_list_subtract_all(&finished, &map_held(job->map)->wiped);
	if (r == 0)
		r = range_list_subtract_all(areas, &finished);
	range_list_done(&finished);
	return r;
}

static int record_wiped(struct job *job)
{
	struct range_list areas = { 0 };
	int r = 0;

	for (unsigned s = 1; r == 0 && s < job->stages.count; s++)
		r = range_list_add_all(&areas, &job->stages.domain[s]);
	if (r == 0)
		r = leave_out_finished(job, &areas);
	pthread_mutex_lock(&job->map_lock);
	if (r == 0)
		r = map_set_wiped(job->map, &areas);
	pthread_mutex_unlock(&job->map_lock);
	range_list_done(&areas);
	return r;
}

/* Recorded before the first data is written: whoever resumes then knows that these areas must still
 * be empty. Not if the destination refused some of that. */
static int wiped_prepare(struct job *job, unsigned round)
{
	int r = job->refused_bytes ? 0 : record_wiped(job);

	return r < 0 ? r : 1;
}

/* Recorded before any of the held areas is written: if the power goes then, some of them are there
 * that the map does not call finished. */
static int arming_prepare(struct job *job, unsigned round)
{
	if (job->stages.now != 1 || map_held(job->map)->wiped.count == 0)
		return 0;
	SCOPED_LOCK(&job->map_lock);
	map_set_arming(job->map);
	return 1;
}

/* clang-format off */
/* Without a name are the first members of struct pass: kind, traits, state, letter, ops. The copy
 * collects what is found by reading back while it runs. */
static const struct pass
	baseline       = { PASS_BASELINE, PASS_ONE_LANE, JOB_COPYING, '?',
		&baseline_ops, .prepare = baseline_prepare, .collect = recheck_collect,
		.end = baseline_end },
	capacity_write = { PASS_PROBE, PASS_WRITES | PASS_ONE_LANE, JOB_COPYING, '?',
		&capacity_write_ops, .prepare = capacity_write_prepare },
	capacity_flush = { PASS_PROBE, PASS_NO_LANES, JOB_FLUSHING, '\0' },
	capacity_read  = { PASS_PROBE, PASS_READS_BACK | PASS_ONE_LANE, JOB_COPYING, '?',
		&capacity_read_ops, .prepare = capacity_read_prepare,
		.end = capacity_read_end },
	wipe_key       = { PASS_WIPE, PASS_WRITES, JOB_COPYING, '?',
		&wipe_ops, .prepare = wipe_key_prepare },
	wipe_flush     = { PASS_WIPE, PASS_NO_LANES, JOB_FLUSHING, '\0' },
	wipe_rest      = { PASS_WIPE, PASS_WRITES, JOB_COPYING, '?',
		&wipe_ops, .prepare = wipe_rest_prepare },
	wiped          = { PASS_WIPE, PASS_NO_LANES | PASS_SAVES, JOB_FLUSHING, '\0',
		NULL, .prepare = wiped_prepare },
	arming         = { PASS_ARM, PASS_NO_LANES | PASS_SAVES, JOB_FLUSHING, '\0',
		NULL, .prepare = arming_prepare },
	copy           = { PASS_COPY, PASS_WRITES | PASS_BOTH_ENDS | PASS_ROLLING, JOB_COPYING, '?',
		&copy_ops, .prepare = copy_prepare, .number = copy_number,
		.collect = proof_collect_found, .judge = rolling_end, .hangs = copy_hangs },
	copy_free      = { PASS_COPY_FREE, PASS_WRITES | PASS_BOTH_ENDS | PASS_ROLLING,
		JOB_COPYING, '?', &copy_ops, .prepare = copy_prepare, .number = copy_number,
		.collect = proof_collect_found, .judge = rolling_end, .hangs = copy_hangs },
	trim           = { PASS_TRIM, PASS_WRITES | PASS_ONE_LANE, JOB_COPYING, '*',
		&search_ops, .prepare = trim_prepare, .end = trim_end },
	scrape         = { PASS_SCRAPE, PASS_WRITES | PASS_ONE_LANE, JOB_COPYING, '/',
		&search_ops, .prepare = scrape_prepare },
	retry          = { PASS_RETRY, PASS_WRITES | PASS_ONE_LANE | PASS_FILLED, JOB_COPYING, '-',
		&search_ops, .prepare = retry_prepare, .number = retry_number },
	fill           = { PASS_FILL, PASS_WRITES | PASS_ONE_LANE, JOB_COPYING, 'F',
		&fill_ops, .prepare = fill_prepare, .end = fill_end },
	clear          = { PASS_CLEAR, PASS_WRITES, JOB_COPYING, '?',
		&clear_ops, .prepare = clear_prepare, .end = clear_end },
	clear_check    = { PASS_CLEAR_CHECK, PASS_READS_BACK, JOB_VERIFYING, '+',
		&clear_check_ops, .prepare = clear_check_prepare, .end = clear_check_end },
	flush          = { PASS_FLUSH, PASS_NO_LANES | PASS_SAVES | PASS_ALWAYS, JOB_FLUSHING,
		'\0' },
	verify         = { PASS_VERIFY, PASS_READS_BACK, JOB_VERIFYING, '+',
		&verify_ops, .prepare = verify_prepare, .collect = proof_collect_found,
		.judge = proof_end_digest },
	compare        = { PASS_COMPARE, PASS_BOTH_ENDS, JOB_VERIFYING, '+',
		&compare_ops, .prepare = compare_prepare, .collect = proof_collect_found,
		.judge = proof_end_compare },
	look_flush     = { PASS_LOOK, PASS_NO_LANES | PASS_SHOWN_AS_IS, JOB_FLUSHING, '\0',
		NULL, .prepare = look_flush_prepare },
	look           = { PASS_LOOK, PASS_READS_BACK | PASS_ONE_LANE | PASS_SHOWN_AS_IS,
		JOB_VERIFYING, '+', &look_ops, .prepare = look_prepare, .judge = look_end },
	rewrite        = { PASS_REWRITE, PASS_WRITES, JOB_COPYING, '?',
		&rewrite_ops, .prepare = rewrite_prepare },
	checksums      = { PASS_VERIFY, PASS_READS_BACK | PASS_SHOWN_AS_IS, JOB_VERIFYING, '+',
		&verify_ops, .prepare = checksums_prepare, .collect = proof_collect_found,
		.judge = proof_end_digest },
	recheck        = { PASS_RECHECK, PASS_ONE_LANE, JOB_VERIFYING, '+',
		&recheck_ops, .prepare = recheck_prepare, .collect = recheck_collect,
		.judge = recheck_end },
	disarm         = { PASS_DISARM, PASS_WRITES | PASS_SHOWN_AS_IS, JOB_COPYING, '?',
		&wipe_ops, .prepare = disarm_prepare, .end = disarm_end };
/* clang-format on */

#define BEFORE (WHEN_ONCE | WHEN_FIRST)

const struct step sequence[] = {
	/* Before anything is copied. */
	{ &baseline, BEFORE | WHEN_THERE },
	{ &capacity_write, BEFORE },
	{ &capacity_flush, WHEN_FIRST | WHEN_WRITTEN | WHEN_GOES_ON },
	{ &capacity_read, BEFORE },
	{ &wipe_key, BEFORE | WHEN_HELD },
	{ &wipe_flush, WHEN_FIRST | WHEN_WRITTEN | WHEN_GOES_ON },
	{ &wipe_rest, BEFORE | WHEN_HELD },
	{ &wiped, BEFORE | WHEN_GOES_ON },

	/* From here on, once for every stage. */
	{ &arming, WHEN_ONCE },
	{ &copy, WHEN_COPYING, STAGE_USED },
	{ &trim, WHEN_ONCE | WHEN_RESCUING | WHEN_THERE, STAGE_USED },
	{ &scrape, WHEN_ONCE | WHEN_RESCUING | WHEN_THERE, STAGE_USED },
	{ &retry, WHEN_RESCUING | WHEN_THERE, STAGE_USED },
	{ &copy_free, WHEN_COPYING | WHEN_PARTED | WHEN_THERE, STAGE_LATER },
	{ &trim, WHEN_ONCE | WHEN_RESCUING | WHEN_PARTED | WHEN_THERE, STAGE_LATER },
	{ &scrape, WHEN_ONCE | WHEN_RESCUING | WHEN_PARTED | WHEN_THERE, STAGE_LATER },
	{ &retry, WHEN_RESCUING | WHEN_PARTED | WHEN_THERE, STAGE_LATER },
	{ &fill, WHEN_ONCE },
	{ &clear, WHEN_COPYING | WHEN_FIRST },
	{ &flush, WHEN_WRITTEN },
	{ &verify, WHEN_ONCE | WHEN_VERIFYING },
	{ &compare, WHEN_ONCE | WHEN_VERIFYING },
	{ &clear_check, BEFORE | WHEN_COPYING },
	{ &look_flush, WHEN_ONCE },
	{ &look, WHEN_ONCE },
	/* What the look has found. */
	{ &verify, WHEN_ONCE | WHEN_VERIFYING },
	{ &compare, WHEN_ONCE | WHEN_VERIFYING },

	/* What differs, copied again. */
	{ &rewrite, WHEN_ONCE | WHEN_VERIFYING | WHEN_THERE },
	{ &trim, WHEN_ONCE | WHEN_RESCUING | WHEN_THERE },
	{ &scrape, WHEN_ONCE | WHEN_RESCUING | WHEN_THERE },
	{ &fill, WHEN_ONCE },
	{ &flush, WHEN_WRITTEN },
	{ &verify, WHEN_ONCE | WHEN_VERIFYING },
	{ &compare, WHEN_ONCE | WHEN_VERIFYING },
	{ &look_flush, WHEN_ONCE },
	{ &look, WHEN_ONCE },
	{ &verify, WHEN_ONCE | WHEN_VERIFYING },
	{ &compare, WHEN_ONCE | WHEN_VERIFYING },

	{ &checksums, WHEN_ONCE },
	{ &compare, WHEN_ONCE | WHEN_VERIFYING },
	{ &recheck, WHEN_ONCE | WHEN_THERE },
	{ &disarm, WHEN_HELD | WHEN_DIFFERENT },
	/* What the passes since the last flush have written. */
	{ &flush, WHEN_WRITTEN },
};

const size_t sequence_count = ARRAY_SIZE(sequence);

_Static_assert(ARRAY_SIZE(sequence) <= JOB_PASSES_MAX, "every pass can be shown");

size_t pass_slot_size(void)
{
	size_t most = rolling_ops.slot_size;

	for (size_t i = 0; i < sequence_count; i++) {
		const struct slot_ops *ops = sequence[i].pass->ops;

		if (ops && ops->slot_size > most)
			most = ops->slot_size;
	}
	return most;
}
