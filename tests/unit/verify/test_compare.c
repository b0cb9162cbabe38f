/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends read and compared: at the same time, whatever fails, and whenever it stops. */
#include "unit.h"

#include <errno.h>
#include <unistd.h>

#include "fake/fault.h"
#include "job/rig.h"

#define SIZE   (4 * MIB)
#define CHUNK  (256 * KIB)
#define PIECES (SIZE / CHUNK)

static const struct io_backend *const backends[] = { &io_uring_backend, &io_threads_backend };

static struct rig rig;
static struct job_snapshot s; /* of its last run */

/* Two disks that are the same, to be compared. `depth` of each end; 1: one pair of buffers. */
static void prepare(const struct io_backend *backend, unsigned depth)
{
	struct plan_options options = {
		.verify = VERIFY_COMPARE,
		.chunk = CHUNK,
		.queue_depth = depth,
		.lanes = 1,
		.retries = 1,
	};

	rig_new(&rig, SIZE, 512);
	rig.verified = true;
	rig_plan(&rig, NULL, 0, NULL, &options);
	rig.plan->options.verify = VERIFY_OFF;
	rig_run_to(&rig, JOB_RESULT_COMPLETE);
	rig_drop_job(&rig);
	rig.plan->options.verify = VERIFY_COMPARE;
	rig.setup.resume = rig_new_map(&rig);
	ck_assert_int_eq(map_set(rig.setup.resume, 0, SIZE, MAP_FINISHED), 0);
	rig.setup.verify_only = true;
	rig_faults(&rig, backend, backend);
}

static void fail_at(struct fault_script *script, uint64_t start, unsigned times)
{
	const struct fault_rule rule = {
		.kind = FAULT_FAIL,
		.on = FAULT_READS,
		.start = start,
		.length = 512,
		.times = times,
	};

	ck_assert_int_ge(fault_script_add(script, &rule), 0);
}

UNIT_CASE(.teardown = rig_teardown, .timeout = 60);

TEST(both_ends_are_read_at_once)
{
	struct fault_counts counts;

	prepare(&io_uring_backend, 1);
	/* One script sees both. */
	rig.bad_destination.script = rig.source_script;
	s = rig_run(&rig);
	counts = fault_script_counts(rig.source_script);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.compared, SIZE);
	ck_assert_uint_eq(counts.reads, 2 * PIECES);
	ck_assert_uint_eq(counts.bytes_read, 2 * SIZE);
	ck_assert_uint_eq(counts.most_in_flight, 2);
}

/* With few buffers, with many, and where every request is a call. */
TEST_ROWS(requests_are_as_large_as_those_of_the_copy, 4)
{
	prepare(backends[_i % 2], _i < 2 ? 1 : 8);
	rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(fault_script_counts(rig.source_script).reads, PIECES);
	ck_assert_uint_eq(fault_script_counts(rig.destination_script).reads, PIECES);
	ck_assert_uint_eq(fault_script_counts(rig.destination_script).writes, 0);
}

/* At the source, at the destination, at both: what lies between is compared all the same. A source
 * that cannot be read proves no difference. */
TEST_ROWS(an_end_that_cannot_be_read_is_named, 6)
{
	int which = _i % 3;

	prepare(backends[_i / 3], 4);
	if (which != 1)
		fail_at(rig.source_script, 2 * MIB, 0);
	if (which != 0)
		fail_at(rig.destination_script, 2 * MIB, 0);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, which ? JOB_RESULT_MISMATCH : JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(s.proof.unknown, which ? 0 : MIB);
	ck_assert_uint_eq(s.proof.areas, which ? 1 : 0);
	ck_assert_uint_eq(s.proof.unknown_areas, which ? 0 : 1);
	ck_assert_uint_eq(s.proof.shown, 1);
	ck_assert_int_eq(s.proof.mismatches[0].kind,
			 which ? MISMATCH_UNREADABLE : MISMATCH_NO_SOURCE);
	ck_assert_int_eq(s.proof.mismatches[0].code, -EIO);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 2 * MIB / 512);
	ck_assert_uint_eq(s.proof.verified, SIZE - MIB);
}

TEST_ROWS(what_is_read_at_the_second_try_is_compared, 4)
{
	prepare(backends[_i / 2], 4);
	fail_at(_i % 2 ? rig.source_script : rig.destination_script, MIB, 1);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.proof.compared, SIZE);
}

TEST_ROWS(an_end_that_is_gone_is_no_proof, 4)
{
	const struct fault_rule rule = { .kind = FAULT_DISAPPEAR, .on = FAULT_READS, .start = MIB };

	prepare(backends[_i / 2], 4);
	ck_assert_int_ge(
		fault_script_add(_i % 2 ? rig.source_script : rig.destination_script, &rule), 0);
	s = rig_run_to(&rig, JOB_RESULT_FAILED);
	ck_assert(!s.proof.complete);
}

/* Once so many requests to the destination came back. */
TEST_ROWS(a_stop_leaves_the_rest_to_be_verified, 4)
{
	const struct fault_rule slow = { .kind = FAULT_DELAY,
					 .on = FAULT_READS,
					 .delay_ns = 5 * MS };

	prepare(backends[_i % 2], _i < 2 ? 1 : 4);
	ck_assert_int_ge(fault_script_add(rig.source_script, &slow), 0);
	ck_assert_int_ge(fault_script_add(rig.destination_script, &slow), 0);
	rig_start(&rig);
	while (rig_look(&rig).state != JOB_ENDED &&
	       fault_script_counts(rig.destination_script).reads < (unsigned)_i + 1)
		usleep(500);
	job_stop(rig.job);
	s = rig_wait(&rig);
	ck_assert(s.result == JOB_RESULT_STOPPED ||
		  (s.result == JOB_RESULT_COMPLETE && s.proof.compared == SIZE));
	ck_assert(s.proof.complete == (s.result == JOB_RESULT_COMPLETE));
	rig_drop_job(&rig);
	rig_heal(&rig);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.proof.compared, SIZE);
}
