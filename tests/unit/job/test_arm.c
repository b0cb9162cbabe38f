/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole disks are armed last: whenever a copy ends, however it ends, the
 * destination shows nothing, or all of it is there.
 */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "liar.h"
#include "whole.h"

static bool is_zero(uint64_t offset, uint64_t length)
{
	return whole_is_all(0, offset, length);
}

static bool held_is_zero(void)
{
	bool zero = true;

	for (size_t i = 0; i < held.areas.count; i++)
		for (uint64_t at = 0; at < held.areas.items[i].count; at += 8)
			zero = zero &&
			       is_zero((held.areas.items[i].start + at) * WHOLE_SECTOR, 4096);
	return zero;
}

/* Both ends can be made to fail. */
static void prepare(enum verify_choice verify)
{
	whole_prepare(0);
	rig.plan->options.verify = verify;
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
}

UNIT_CASE(.teardown = whole_teardown, .timeout = 90);

TEST(complete_and_armed)
{
	whole_prepare(0);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert(s.armed);
	ck_assert(s.flushed);
	ck_assert_uint_eq(s.written, WHOLE_SIZE);
	ck_assert_uint_eq(s.held_areas, held.areas.count);
	ck_assert_uint_eq(s.held_bytes, range_list_total(&held.areas) * WHOLE_SECTOR);
	ck_assert_uint_eq(s.held_from_memory, 0);
	ck_assert_uint_eq(s.passes[0].kind, PASS_BASELINE);
	ck_assert_uint_eq(s.passes[1].kind, PASS_WIPE);
	ck_assert_uint_eq(s.passes[s.pass_count - 2].kind, PASS_ARM);
	ck_assert_uint_eq(s.passes[s.pass_count - 1].kind, PASS_LOOK);
	rig_check_complete(&rig);
}

TEST(nothing_held_back_is_as_ever)
{
	whole_prepare(0);
	rig.setup.held = NULL;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert(!s.armed);
	ck_assert_uint_eq(s.held_areas, 0);
	ck_assert_uint_eq(s.passes[0].kind, PASS_COPY);
	rig_check_complete(&rig);
}

/* The tables are there, whatever place it refuses elsewhere. */
TEST(a_destination_that_refuses_a_place)
{
	whole_prepare(0);
	rig.plan->options.on_write_error = ON_ERROR_MAP;
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_WRITES, .start = 4 * MIB,
		  .length = WHOLE_SECTOR);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_PARTIAL);

	ck_assert_uint_gt(s.refused_bytes, 0);
	ck_assert(s.armed);
}

/* Smaller than what is held at both ends. */
TEST(a_tiny_disk)
{
	rig_new(&rig, 64 * 1024, WHOLE_SECTOR);
	rig_plan(&rig, NULL, 0, NULL, NULL);
	ck_assert_int_eq(held_find(rig.plan, NULL, NULL, &held), 0);
	rig.setup.held = &held;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert(s.armed);
	rig_check_complete(&rig);
}

TEST(what_was_there_goes_first)
{
	prepare(VERIFY_OFF);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 4 * MIB, .code = -ENODEV);
	rig_run_to(&rig, JOB_RESULT_FAILED);

	ck_assert(held_is_zero());
	/* Where the old partition ended, which the copy has not reached. */
	ck_assert(is_zero(10 * MIB - 4096, 4096));
	ck_assert(!is_zero(11 * MIB, 4096));
}

static void fail_at_flush(int number)
{
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	rig_fault(&rig, .kind = FAULT_FLUSH, .skip = (unsigned)number);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_FAILED);

	ck_assert(!s.armed);
}

/* Whichever flush fails, nothing follows that it was a condition for. */
TEST_ROWS(a_failed_flush_arms_nothing, 6)
{
	whole_prepare(0);
	fail_at_flush(_i);
	ck_assert(_i == 5 || is_zero(0, WHOLE_SECTOR));
	ck_assert(_i < 5 || !is_zero(0, WHOLE_SECTOR));
}

/* A member of an array without a table: what it is recognised by lies at its end. */
TEST_ROWS(a_member_is_none_before_all_is_there, 6)
{
	whole_prepare_member(false);
	fail_at_flush(_i);
	ck_assert((_i < 5) == is_zero(WHOLE_MARK, 4096));
	/* The mark is wiped before the rest. */
	ck_assert((_i >= 1 && _i <= 3) == is_zero(0, WHOLE_SECTOR));
}

/* With a table inside: that first, then the mark. */
TEST_ROWS(a_member_with_a_table_is_none_before_that_is_there, 7)
{
	whole_prepare_member(true);
	fail_at_flush(_i);
	ck_assert((_i < 6) == is_zero(WHOLE_MARK, 4096));
	ck_assert((_i < 5) == is_zero(0, WHOLE_SECTOR));
}

/* The first sector can be wiped, but not written a second time. */
TEST(the_last_write_fails)
{
	prepare(VERIFY_OFF);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_WRITES, .length = WHOLE_SECTOR, .skip = 1);
	struct job_snapshot s = rig_run(&rig);
	struct map *map = rig_load_map(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_FAILED);
	ck_assert(!s.armed);
	ck_assert(is_zero(0, WHOLE_SECTOR));
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), WHOLE_SIZE - WHOLE_SECTOR);
	/* The rest is safe, and one good write is all that is missing. */
	rig_heal(&rig);
	rig.setup.resume = map;
	rig.setup.held = &held;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	/* Before the copy goes on, and to be written. */
	ck_assert_uint_eq(s.read, 2 * WHOLE_SECTOR);
	ck_assert(s.armed);
	rig_check_complete(&rig);
}

static bool held_is_finished(const struct map *map)
{
	struct map_block block;

	for (size_t i = 0; i < held.areas.count; i++) {
		uint64_t at = held.areas.items[i].start * WHOLE_SECTOR;
		uint64_t end = at + held.areas.items[i].count * WHOLE_SECTOR;

		for (; at < end; at = block.start + block.size)
			if (!map_at(map, at, &block) || block.status != MAP_FINISHED)
				return false;
	}
	return true;
}

/* Requests in which the held areas are read before anything is written. */
static unsigned first_reads(struct range sectors)
{
	uint32_t chunk = rig.plan->options.chunk;
	uint64_t start = sectors.start * WHOLE_SECTOR;

	return (unsigned)((start + sectors.count * WHOLE_SECTOR + chunk - 1) / chunk -
			  start / chunk);
}

/* Only those are good, and a few more. */
TEST_ROWS(a_source_that_dies_has_given_its_tables, 2)
{
	unsigned good = 16;

	whole_prepare(0);
	for (size_t i = 0; i < held.areas.count; i++)
		good += first_reads(held.areas.items[i]);
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	if (_i)
		rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS,
			  .start = 2 * MIB + 7 * WHOLE_SECTOR, .length = WHOLE_SECTOR);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .skip = good);
	struct job_snapshot s = rig_run(&rig);
	struct map *map = rig_load_map(&rig);

	ck_assert_msg(s.result == JOB_RESULT_PARTIAL, "%d %s", s.result, s.error.sentence);
	ck_assert(s.armed);
	ck_assert_uint_gt(s.bad_bytes, 2 * MIB);
	ck_assert_uint_gt(s.written, s.held_from_memory);
	/* The area with the bad sector is left at once. */
	ck_assert_uint_ge(s.held_from_memory, s.held_bytes - (_i ? MIB : 0));
	ck_assert(_i || held_is_finished(map));
	ck_assert(!is_zero(0, WHOLE_SECTOR) && !whole_is_all(SCRIBBLE, 0, WHOLE_SECTOR));
	rig_check(&rig, map);
}

/* It gives nothing when it is asked for them at last. */
TEST(a_source_that_dies_at_the_end)
{
	prepare(VERIFY_OFF);
	for (size_t i = 0; i < held.areas.count; i++) {
		const struct range *area = &held.areas.items[i];

		rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS,
			  .start = area->start * WHOLE_SECTOR, .length = area->count * WHOLE_SECTOR,
			  .skip = first_reads(*area));
	}
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert(s.armed);
	ck_assert_uint_gt(s.held_from_memory, 0);
	rig_check_complete(&rig);
}

TEST(bad_sectors_among_what_is_held)
{
	prepare(VERIFY_OFF);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 2 * MIB + 7 * WHOLE_SECTOR,
		  .length = 2 * WHOLE_SECTOR);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 4 * MIB,
		  .length = WHOLE_SECTOR);
	struct job_snapshot s = rig_run(&rig);
	struct map *map = rig_load_map(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert(s.armed);
	ck_assert_uint_eq(s.bad_bytes, 3 * WHOLE_SECTOR);
	rig_check(&rig, map);
}

/* As a disk of larger sectors does. */
static enum io_answer submit_whole_sectors(struct io_handle *handle, struct io_request *request)
{
	uint32_t sector = io_sector_size(handle->end);

	if (request->offset % sector == 0 && request->length % sector == 0)
		return io_threads_backend.submit(handle, request);
	request->submitted = request->completed = clock_monotonic();
	request->result = -EINVAL;
	request->done = 0;
	return IO_DONE;
}

/* What is wiped before it goes on has parts that are finished. Loop 1: and nothing is rescued. */
TEST_ROWS(sectors_of_the_source_that_are_bad_within_larger_ones, 2)
{
	struct io_backend strict = io_threads_backend;
	struct job_snapshot s;
	struct map *map;

	whole_prepare(0);
	strict.submit = submit_whole_sectors;
	rig_faults(&rig, &io_uring_backend, &strict);
	rig.setup.destination.logical_sector_size = 4096;
	rig.plan->destinations[0].logical_sector_size = 4096;
	held_done(&held);
	ck_assert_int_eq(held_find(rig.plan, NULL, NULL, &held), 0);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 23 * WHOLE_SECTOR,
		  .length = 2 * WHOLE_SECTOR);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(s.bad_bytes, 2 * WHOLE_SECTOR);
	map = rig_load_map(&rig);
	rig_heal(&rig);
	rig.plan->options.retry_passes = 1;
	if (_i)
		rig.plan->options.on_error = ON_ERROR_STOP;
	rig.setup.resume = map;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	rig_check_complete(&rig);
}

/* However often the sequence comes by: what is bad is filled once, and the held areas as well.
 * The destination does not take it at once, or it would need no pass. */
TEST(bad_sectors_are_filled_once)
{
	uint64_t filled = 0;

	prepare(VERIFY_DIGEST);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 4 * MIB,
		  .length = 3 * WHOLE_SECTOR);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_WRITES, .start = 4 * MIB,
		  .length = 3 * WHOLE_SECTOR, .times = 1);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_PARTIAL);

	for (unsigned i = 0; i < s.pass_count; i++)
		if (s.passes[i].kind == PASS_FILL)
			filled += s.passes[i].done;
	ck_assert_uint_eq(filled, 3 * WHOLE_SECTOR);
}

/* A destination that does not take one sector of data, or lies about it, or about one of the held
 * areas; a source of which nothing can be read. */
TEST_ROWS(what_goes_wrong_arms_nothing, 4)
{
	static const struct {
		struct fault_rule rule;
		enum verify_choice verify;
		enum job_result result;
	} cases[] = {
		{ { FAULT_FAIL, FAULT_WRITES, .start = 10 * MIB, .length = WHOLE_SECTOR },
		  VERIFY_OFF,
		  JOB_RESULT_FAILED },
		{ { FAULT_CORRUPT, FAULT_WRITES, .start = 4 * MIB, .length = WHOLE_SECTOR },
		  VERIFY_DIGEST,
		  JOB_RESULT_MISMATCH },
		{ { FAULT_CORRUPT, FAULT_WRITES, .start = 2 * MIB, .length = WHOLE_SECTOR },
		  VERIFY_DIGEST,
		  JOB_RESULT_MISMATCH },
		{ { FAULT_FAIL, FAULT_READS, .length = WHOLE_SIZE },
		  VERIFY_OFF,
		  JOB_RESULT_STOPPED },
	};

	prepare(cases[_i].verify);
	rig_add(&rig, &cases[_i].rule);
	struct job_snapshot s = rig_run_to(&rig, cases[_i].result);

	ck_assert(!s.armed);
	ck_assert(is_zero(0, WHOLE_SECTOR));
}

/* Between two parts of a copy the destination was changed. Loops: the digests of the first part
 * are there, they are not, all is compared anyway. */
TEST_ROWS(what_an_earlier_part_has_copied_is_proven_before_arming, 3)
{
	whole_prepare(0);
	rig.plan->options.verify = _i == 2 ? VERIFY_COMPARE : VERIFY_DIGEST;
	rig_stop_at(&rig, 5 * MIB);
	bit_flip(rig.destination, 4 * MIB / WHOLE_SECTOR);
	if (_i != 1)
		rig_load_earlier(&rig);
	rig.setup.held = &held;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_MISMATCH);

	ck_assert_uint_eq(s.proof.areas, 1);
	ck_assert_uint_eq(s.proof.mismatches[0].lba, 4 * MIB / WHOLE_SECTOR);
	ck_assert_int_eq(s.proof.mismatches[0].kind,
			 _i == 1 ? MISMATCH_UNKNOWN : MISMATCH_DESTINATION);
	ck_assert(!s.armed);
	ck_assert(is_zero(0, WHOLE_SECTOR));
}

TEST(verified_and_armed)
{
	whole_prepare(0);
	rig.plan->options.verify = VERIFY_DIGEST;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert(s.armed);
	ck_assert_uint_eq(s.proof.verified, WHOLE_SIZE);
	rig_check_complete(&rig);
}

/* What was bad comes in a retry, when all held areas are armed already. */
TEST(a_retry_after_arming_is_proven)
{
	prepare(VERIFY_DIGEST);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 4 * MIB,
		  .length = WHOLE_SECTOR);
	struct job_snapshot s = rig_run(&rig);
	struct map *map = rig_load_map(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert(s.proof.complete);
	rig_heal(&rig);
	rig.plan->options.retry_passes = 1;
	rig.setup.resume = map;
	rig.setup.held = &held;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, WHOLE_SIZE);
	rig_check_complete(&rig);
}

/* It is only read again to see whether it has changed. */
TEST(what_was_copied_stays_when_the_source_fails_there)
{
	prepare(VERIFY_DIGEST);
	struct job_snapshot s = rig_run(&rig);
	struct map *map = rig_load_map(&rig);

	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 2 * MIB + 7 * WHOLE_SECTOR,
		  .length = WHOLE_SECTOR);
	rig.setup.resume = map;
	rig.setup.held = &held;
	rig_load_earlier(&rig);
	s = rig_run(&rig);
	ck_assert_uint_gt(s.read, 0);
	ck_assert_msg(s.result == JOB_RESULT_COMPLETE, "%d %s", s.result, s.error.sentence);
	rig_check_complete(&rig);
}

/* The map of another program, or digests that are lost, and a source that dies meanwhile: that is
 * no difference, and the copy gets its tables. Resumed again, it stays so. */
TEST(what_can_no_longer_be_read_is_unknown)
{
	uint64_t region;
	struct map *map;

	prepare(VERIFY_DIGEST);
	map = rig_stop_at(&rig, 5 * MIB);
	rig_forget_earlier(&rig);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = 4 * MIB,
		  .length = WHOLE_SECTOR);
	rig.setup.held = &held;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_PARTIAL);

	region = s.proof.unknown;
	ck_assert_uint_gt(region, 0);
	ck_assert_uint_eq(s.proof.verified + region, WHOLE_SIZE);
	ck_assert_uint_eq(s.proof.areas, 0);
	ck_assert(!s.proof.complete);
	ck_assert(s.armed);
	rig_check_complete(&rig);

	map = rig_load_map(&rig);
	rig.setup.resume = map;
	rig_forget_earlier(&rig);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(s.proof.unknown, region);
}

/* A map of a copy that held nothing back: what is there stays, the rest is held. */
TEST(an_older_map_goes_on)
{
	struct map *map;

	whole_prepare(0);
	rig.setup.held = NULL;
	map = rig_stop_at(&rig, 3 * MIB);
	rig.setup.held = &held;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert(s.armed);
	ck_assert_uint_gt(s.read, WHOLE_SIZE - map_bytes(map, MAP_FINISHED));
	ck_assert_uint_le(s.read, WHOLE_SIZE - map_bytes(map, MAP_FINISHED) + s.held_bytes);
	rig_check_complete(&rig);
}
