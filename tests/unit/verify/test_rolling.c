/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading back while the copy runs. A rate limit holds each copy back until
 * what the test waits for has happened; then it goes on at full speed.
 */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "fake/fault.h"
#include "job/liar.h"
#include "plan/held.h"
#include "job/rig.h"

#define SIZE   (16 * MIB)
#define SECTOR 512U
#define SLOW   (6 * MIB) /* bytes per second */

static const struct io_backend *const backends[] = { &io_uring_backend, &io_threads_backend };

static struct rig rig;
static struct job_snapshot s; /* of its last run */

static void setup(void)
{
	rig_new(&rig, SIZE, SECTOR);
	rig.setup.map_path = rig.map_path;
	rig.setup.rolling = ROLLING_ASKED;
	rig.setup.rolling_window = MIB;
	rig.verified = true;
}

static void plan(const struct io_backend *backend, bool rewrite)
{
	struct plan_options options = {
		.rewrite = rewrite,
		.chunk = 64 * KIB,
		.rate = SLOW,
		.on_error = ON_ERROR_MAP,
	};

	rig_plan(&rig, NULL, 0, NULL, &options);
	rig.setup.source_backend = rig.setup.destination_backend = backend;
}

static void faults(const struct io_backend *backend)
{
	rig_faults(&rig, backend, backend);
}

static void spoil(const struct fault_rule *rule)
{
	ck_assert_int_ge(fault_script_add(rig.destination_script, rule), 0);
}

static bool told(const char *what)
{
	struct job_event events[JOB_EVENTS_MAX];
	size_t count = job_events(rig.job, 0, events, JOB_EVENTS_MAX);

	for (size_t i = 0; i < count; i++)
		if (strstr(events[i].text, what))
			return true;
	return false;
}

/* Until so much of it is proven while the copy runs; then the copy is let go. */
static struct job_snapshot until_early(uint64_t bytes)
{
	do {
		usleep(1000);
		s = rig_look(&rig);
		/* Where flushing or reading back is slow, the rest waits for it. */
		if (rig.plan->options.rate && s.written > SIZE / 2)
			job_set_rate(rig.job, SLOW / 16);
		ck_assert_msg(s.state != JOB_VERIFYING && s.state != JOB_ENDED,
			      "nothing was read back before the end");
	} while (s.proof.early < bytes);
	ck_assert(s.proof.rolling && s.proof.verified == s.proof.early);
	ck_assert_uint_le(s.proof.early, s.written);
	return s;
}

static struct job_snapshot let_go(void)
{
	job_set_rate(rig.job, 0);
	return rig_wait(&rig);
}

UNIT_CASE(.setup = setup, .teardown = rig_teardown, .timeout = 60);

TEST_ROWS(what_is_flushed_is_proven_while_the_rest_is_copied, 2)
{
	plan(backends[_i], false);
	rig_start(&rig);
	until_early(3 * MIB);
	s = let_go();
	ck_assert_msg(s.result == JOB_RESULT_COMPLETE, "%d %s", s.result, s.error.sentence);
	ck_assert(s.proof.complete && s.flushed);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	ck_assert_uint_ge(s.proof.early, 2 * MIB);
	ck_assert_uint_eq(s.proof.compared, 0);
	ck_assert_uint_eq(s.read - s.proof.rechecked_bytes, SIZE);
	rig_check_complete(&rig);
}

/* What was proven early is not read again, but for its first region. */
TEST_ROWS(the_last_pass_has_the_rest, 2)
{
	uint64_t early;

	plan(backends[_i], false);
	rig_start(&rig);
	until_early(2 * MIB);
	s = let_go();
	early = s.proof.early;
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	for (unsigned i = 0; i < s.pass_count; i++)
		if (s.passes[i].kind == PASS_VERIFY)
			ck_assert_uint_eq(s.passes[i].total, SIZE - early);
		else if (s.passes[i].kind == PASS_COPY)
			ck_assert_uint_eq(s.passes[i].done, SIZE);
}

/* What is written last lies where the first was by then, and all of that was proven. */
TEST_ROWS(a_disk_of_false_size_is_found, 4)
{
	plan(backends[_i % 2], _i >= 2);
	faults(backends[_i % 2]);
	spoil(&(struct fault_rule){ .kind = FAULT_WRAP, .wrap = SIZE - 2 * MIB });
	rig_start(&rig);
	until_early(3 * MIB);
	s = let_go();
	ck_assert_msg(s.result == JOB_RESULT_MISMATCH, "%d %s", s.result, s.error.sentence);
	ck_assert(!s.proof.complete);
	ck_assert_uint_le(s.proof.verified, SIZE - 2 * MIB);
	ck_assert_uint_eq(s.proof.bytes, 2 * MIB);
}

/* By itself: only as far as the destination has nothing else to do, and never below a limit. */
TEST(spare_time_is_used)
{
	const struct fault_rule slow = {
		.kind = FAULT_DELAY,
		.on = FAULT_READS,
		.delay_ns = 150 * MS,
	};

	rig.setup.rolling = ROLLING_SPARE;
	plan(&io_uring_backend, false);
	rig.plan->options.rate = 0;
	faults(&io_uring_backend);
	ck_assert_int_ge(fault_script_add(rig.source_script, &slow), 0);
	rig_start(&rig);
	until_early(MIB);
	fault_script_clear(rig.source_script);
	s = rig_wait(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	rig_check_complete(&rig);
}

TEST(below_a_limit_only_what_was_asked_for_is_done)
{
	rig.setup.rolling = ROLLING_SPARE;
	plan(&io_uring_backend, false);
	rig.plan->options.rate = 4 * SLOW;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.proof.early, 0);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	ck_assert(!s.proof.rolling);
	ck_assert(told("the rate limit leaves nothing"));
	ck_assert(!told("while the copy is still running"));
}

/* Loop 2, 3: and written again, as the options say. */
TEST_ROWS(a_lie_inside_the_window_is_found, 4)
{
	const struct io_backend *backend = backends[_i % 2];

	plan(backend, _i >= 2);
	lie_after_flush(&rig, backend, bit_flip, 100, 1);
	rig_start(&rig);
	until_early(MIB);
	ck_assert(told("does not return"));
	s = let_go();
	if (_i >= 2) {
		ck_assert_msg(s.result == JOB_RESULT_COMPLETE, "%d %s", s.result, s.error.sentence);
		ck_assert(s.proof.complete);
		ck_assert_uint_eq(s.proof.verified, SIZE);
		ck_assert_uint_eq(s.proof.rewritten, SECTOR);
		rig_check_complete(&rig);
		return;
	}
	ck_assert_int_eq(s.result, JOB_RESULT_MISMATCH);
	ck_assert_uint_eq(s.proof.areas, 1);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 100);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_DESTINATION);
	ck_assert_uint_eq(s.proof.verified, SIZE - MIB);
}

/* Loop 1: it can be read later. */
TEST_ROWS(what_cannot_be_read_back_is_looked_at_again, 2)
{
	plan(&io_uring_backend, false);
	faults(&io_uring_backend);
	spoil(&(struct fault_rule){ .kind = FAULT_FAIL,
				    .on = FAULT_READS,
				    .start = 4096,
				    .length = SECTOR,
				    .times = (unsigned)_i });
	rig_start(&rig);
	until_early(MIB);
	ck_assert(told("does not return"));
	s = let_go();
	if (_i) {
		ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
		ck_assert_uint_eq(s.proof.verified, SIZE);
		ck_assert_uint_eq(s.proof.compared, MIB);
		return;
	}
	ck_assert_int_eq(s.result, JOB_RESULT_MISMATCH);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_UNREADABLE);
	ck_assert_uint_eq(s.proof.verified, SIZE - MIB);
}

/* With what the last job has confirmed, on disks that work again. */
static void go_on(void)
{
	struct map *confirmed = rig_own(&rig, job_take_confirmed(rig.job));
	uint64_t before;

	ck_assert_ptr_nonnull(confirmed);
	before = map_bytes(confirmed, MAP_FINISHED);
	if (rig.destination_script)
		rig_heal(&rig);
	rig.plan->options.rate = 0;
	rig.setup.resume = confirmed;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	/* Of what an earlier part has copied nothing is known any more. */
	ck_assert_uint_ge(s.proof.compared, before);
	rig_check_complete(&rig);
	rig.setup.resume = NULL;
}

TEST_ROWS(a_stop_loses_nothing, 2)
{
	plan(backends[_i], false);
	rig_start(&rig);
	until_early(MIB);
	job_stop(rig.job);
	s = rig_wait(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
	ck_assert(s.map_safe && !s.proof.complete);
	ck_assert_uint_le(s.proof.verified, s.written);
	go_on();
}

TEST_ROWS(a_pause_holds_it_too, 2)
{
	plan(backends[_i], false);
	rig_start(&rig);
	until_early(MIB);
	job_pause(rig.job, true);
	while ((s = rig_look(&rig)).state != JOB_PAUSED)
		usleep(1000);
	job_pause(rig.job, false);
	s = let_go();
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.proof.verified, SIZE);
}

TEST_ROWS(a_write_that_fails_ends_it, 2)
{
	plan(backends[_i], false);
	faults(backends[_i]);
	spoil(&(struct fault_rule){
		.kind = FAULT_FAIL, .on = FAULT_WRITES, .start = 12 * MIB, .length = SECTOR });
	rig_start(&rig);
	until_early(MIB);
	s = let_go();
	ck_assert_int_eq(s.result, JOB_RESULT_FAILED);
	ck_assert(!s.proof.complete);
	ck_assert_uint_le(s.proof.verified, 12 * MIB);
	go_on();
}

/* Nothing that was not confirmed is read back. */
TEST_ROWS(after_a_flush_that_fails_nothing_is_proven, 2)
{
	plan(backends[_i], false);
	faults(backends[_i]);
	spoil(&(struct fault_rule){ .kind = FAULT_FLUSH, .code = -EIO });
	s = rig_run_to(&rig, JOB_RESULT_FAILED);
	ck_assert_uint_eq(s.proof.verified, 0);
	ck_assert_uint_eq(fault_script_counts(rig.destination_script).reads, 0);
	ck_assert_ptr_null(job_take_confirmed(rig.job));
}

TEST_ROWS(a_destination_that_goes_away_loses_nothing, 2)
{
	plan(backends[_i], false);
	faults(backends[_i]);
	rig_start(&rig);
	until_early(MIB);
	spoil(&(struct fault_rule){ .kind = FAULT_DISAPPEAR });
	s = let_go();
	ck_assert_int_eq(s.result, JOB_RESULT_FAILED);
	ck_assert_int_eq(s.error.code, -ENODEV);
	go_on();
}

/* A region with a bad sector is not whole, so it waits for the passes behind. */
TEST(bad_areas_are_left_to_the_end)
{
	const struct fault_rule bad = {
		.kind = FAULT_FAIL,
		.on = FAULT_READS,
		.start = MIB + 4096,
		.length = SECTOR,
	};

	plan(&io_uring_backend, false);
	faults(&io_uring_backend);
	ck_assert_int_ge(fault_script_add(rig.source_script, &bad), 0);
	rig_start(&rig);
	until_early(2 * MIB);
	s = let_go();
	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, SIZE - SECTOR);
	ck_assert_uint_le(s.proof.early, SIZE - MIB);
}

/* So does one of which something is armed at the very end. */
TEST(what_is_held_back_is_left_to_the_end)
{
	struct partition part = { .number = 1,
				  .start = 4 * MIB / SECTOR,
				  .sectors = 4 * MIB / SECTOR };
	struct disk source = { .table = "gpt", .partitions = &part, .partition_count = 1 };
	struct held held;

	plan(&io_uring_backend, false);
	source.identity = rig.plan->source.identity;
	ck_assert_int_eq(held_find(rig.plan, &source, NULL, &held), 0);
	ck_assert_uint_gt(held.areas.count, 0);
	rig.setup.held = &held;
	rig_start(&rig);
	until_early(MIB);
	s = let_go();
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert(s.armed && s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	ck_assert_uint_le(s.proof.early, SIZE - 2 * MIB);
	rig_check_complete(&rig);
	held_done(&held);
}

/* What is read back beside the copy is not taken for the source's. */
TEST_ROWS(sums_stay_those_of_the_source, 2)
{
	plan(backends[_i], false);
	rig.plan->options.checksums = 1U << CHECKSUM_SHA256;
	rig_start(&rig);
	until_early(MIB);
	s = let_go();
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert_int_eq(s.sums.state, JOB_SUMS_OF_SOURCE);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	ck_assert_uint_eq(s.read - s.proof.rechecked_bytes, SIZE);
	rig_check_complete(&rig);
}

/* What comes through the page cache before the end is no proof, asked for or not. */
TEST(the_page_cache_is_not_asked)
{
	plan(&io_buffered_backend, false);
	rig.plan->options.rate = 0;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(!s.proof.rolling);
	ck_assert_uint_eq(s.proof.early, 0);
	ck_assert_uint_eq(s.proof.verified, SIZE);
	ck_assert(told("not during it"));
}
