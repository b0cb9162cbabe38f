/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a verified copy claims, and what it does not. */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake/fault.h"
#include "job/liar.h"
#include "job/verified.h"

static struct rig rig;
static struct job_snapshot s; /* of its last run */

static void setup(void)
{
	verified_new(&rig);
}

UNIT_CASE(.setup = setup, .teardown = rig_teardown, .timeout = 60);

TEST_ROWS(a_good_copy_is_proven, 2)
{
	verified_plan(&rig, _i == 0 ? VERIFY_DIGEST : VERIFY_COMPARE, false);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.asked && s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, VERIFIED_SIZE);
	ck_assert_uint_eq(s.proof.compared, _i == 0 ? 0 : VERIFIED_SIZE);
	ck_assert_uint_eq(s.proof.areas, 0);
	ck_assert_uint_gt(s.verify_ns, 0);
	ck_assert_uint_eq(s.read - s.proof.rechecked_bytes,
			  _i == 0 ? VERIFIED_SIZE : 2 * VERIFIED_SIZE);
	ck_assert_uint_ge(s.read_back.count, VERIFIED_SIZE / s.chunk);
	rig_check_complete(&rig);
}

TEST(without_verifying_nothing_is_claimed)
{
	verified_plan(&rig, VERIFY_OFF, false);
	rig.setup.look_seed = 1;
	lie_after_flush(&rig, &io_threads_backend, bit_flip, 3001, 1);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(!s.proof.asked && !s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, 0);
	/* But for the final look, which has not met it. */
	ck_assert_uint_eq(s.read_back.count, s.look.places);
	ck_assert_uint_lt(s.look.bytes, VERIFIED_SIZE);
}

TEST(ranges_are_proven_where_they_went)
{
	const struct range ranges[] = { { 100, 3000 }, { 5000, 7 }, { 8000, 192 } };
	const uint64_t at = 300;
	struct plan_options options = { .chunk = 64 * KIB,
					.source_backend = BACKEND_THREADS,
					.destination_backend = BACKEND_THREADS };

	rig_plan(&rig, ranges, 3, &at, &options);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.proof.verified, 3199 * 512);
	rig_check_complete(&rig);
	/* LBA 5003 of the source lies at 5203. */
	lie_after_flush(&rig, &io_threads_backend, bit_flip, 5203, 1);
	s = rig_run_to(&rig, JOB_RESULT_MISMATCH);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 5003);
	ck_assert_uint_eq(s.proof.mismatches[0].destination_lba, 5203);
}

TEST(bad_areas_are_not_claimed)
{
	const struct fault_rule rule = {
		.kind = FAULT_FAIL,
		.on = FAULT_READS,
		.start = MIB + 1024,
		.length = 1536,
	};

	verified_plan(&rig, VERIFY_DIGEST, false);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	rig_add(&rig, &rule);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.bad_bytes, 1536);
	ck_assert_uint_eq(s.proof.verified, VERIFIED_SIZE - 1536);
}

/* Of what was copied before nothing is known: both ends are read. */
TEST(what_was_copied_before_is_compared)
{
	const struct range ranges[] = { { 0, VERIFIED_SECTORS / 2 } };
	struct map *map = NULL;

	verified_plan(&rig, VERIFY_OFF, false);
	rig_run(&rig);
	map = rig_new_map(&rig);
	ck_assert_int_eq(map_set(map, 0, ranges[0].count * 512, MAP_FINISHED), 0);
	rig_drop_job(&rig);
	rig.plan->options.verify = VERIFY_DIGEST;
	rig.setup.resume = map;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, VERIFIED_SIZE);
	ck_assert_uint_eq(s.proof.compared, VERIFIED_SIZE / 2);
	rig_drop_job(&rig);
	lie_after_flush(&rig, &io_threads_backend, bit_flip, 1234, 1);
	s = rig_run_to(&rig, JOB_RESULT_MISMATCH);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_UNKNOWN);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 1234);
}

/* Stopped while it is read back: all is copied, but it is not complete. */
TEST(a_stop_while_verifying_is_no_success)
{
	const struct fault_rule slow = {
		.kind = FAULT_DELAY,
		.on = FAULT_READS,
		.delay_ns = 1500 * MS,
	};

	verified_plan(&rig, VERIFY_DIGEST, false);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	ck_assert_int_ge(fault_script_add(rig.destination_script, &slow), 0);
	rig_start(&rig);
	while ((s = rig_look(&rig)).state != JOB_VERIFYING && s.state != JOB_ENDED)
		usleep(1000);
	job_stop(rig.job);
	s = rig_wait(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
	ck_assert_uint_eq(s.written, VERIFIED_SIZE);
	ck_assert(s.map_safe && !s.proof.complete);
}

/* From where on nothing is read back of the destination. */
static uint64_t gate_at;

static bool is_read_back(const struct io_request *request)
{
	return request->direction == IO_READ && request->offset >= gate_at;
}

static void start_up_to(uint64_t place)
{
	gate_at = place;
	rig.setup.destination_backend = rig_gate(is_read_back);
	rig_start_to_gate(&rig);
	/* Lanes may be a little ahead of what the coordinator tells. */
	while (rig_look(&rig).state != JOB_VERIFYING)
		usleep(500);
}

static void stop_at_gate(uint64_t place)
{
	start_up_to(place);
	job_stop(rig.job);
	rig_gate_open();
	ck_assert_int_eq(rig_wait(&rig).result, JOB_RESULT_STOPPED);
	rig_drop_job(&rig);
}

static void die_at_gate(uint64_t place)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		start_up_to(place);
		raise(SIGKILL);
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Again and again, by a stop (loops 0, 1) or by a kill: in the end all of it is proven. */
TEST_ROWS(verifying_goes_on_after_it_was_cut_off, 4)
{
	static const uint64_t places[] = { 0, VERIFIED_SIZE / 4, VERIFIED_SIZE / 2,
					   VERIFIED_SIZE - 512 * KIB };
	bool compare = _i & 1;
	struct map *map = NULL;

	verified_plan(&rig, compare ? VERIFY_COMPARE : VERIFY_DIGEST, false);
	/* What is under way at a stop is looked at, not all that is left. */
	rig.plan->options.lanes = 1;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		(_i < 2 ? stop_at_gate : die_at_gate)(places[i]);
		map = rig_load_map(&rig);
		ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), VERIFIED_SIZE);
		rig_load_earlier(&rig);
		rig.setup.resume = map;
	}
	rig.setup.destination_backend = &io_threads_backend;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, VERIFIED_SIZE);
	ck_assert_uint_eq(s.proof.compared, compare ? VERIFIED_SIZE : 0);
	ck_assert_uint_eq(s.already, VERIFIED_SIZE);
	ck_assert_uint_eq(s.read - s.proof.rechecked_bytes, compare ? VERIFIED_SIZE : 0);
	rig_check_complete(&rig);
}
