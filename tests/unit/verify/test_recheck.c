/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source that another system writes to while it is copied: read again, it is another one. */
#include "unit.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/liar.h"
#include "job/verified.h"
#include "job/whole.h"

static struct job_snapshot s; /* of its last run */

#define REGIONS 4 /* of the small disk, all of them in the sample */

static void setup(void)
{
	verified_new(&rig);
	verified_plan(&rig, VERIFY_DIGEST, false);
}

static void verify_whole(void)
{
	rig.verified = true;
	rig.plan->options.verify = VERIFY_AFTER;
}

static bool change_sector(int unused, uint64_t lba)
{
	(void)unused;
	return bit_flip(rig.source, lba);
}

static bool change_two(int unused, uint64_t lba)
{
	return change_sector(unused, lba) && change_sector(unused, lba + 9);
}

static unsigned flushes;

/* What is wiped is flushed before the copy, twice. */
static bool change_after_the_copy(int unused, uint64_t lba)
{
	return ++flushes == 3 && change_sector(unused, lba);
}

static bool is_zero(uint64_t lba)
{
	return whole_is_all('\0', lba * WHOLE_SECTOR, WHOLE_SECTOR);
}

/* So that a resume copies all of it again. */
static void check_nothing_counts(void)
{
	struct map *map = rig_load_map(&rig);

	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), 0);
}

static void check_changed(uint64_t lba, uint64_t sectors)
{
	const struct job_mismatch *m = &s.proof.mismatches[0];

	ck_assert_msg(s.result == JOB_RESULT_MISMATCH, "%d %s", s.result, s.error.sentence);
	ck_assert(s.flushed && !s.proof.complete);
	ck_assert_uint_eq(s.proof.changed, 1);
	ck_assert_uint_eq(s.proof.areas, 1);
	ck_assert_int_eq(m->kind, MISMATCH_SOURCE);
	ck_assert_uint_eq(m->lba, lba);
	ck_assert_uint_eq(m->sectors, sectors);
	ck_assert(m->somewhere == (sectors > 1));
	check_nothing_counts();
}

UNIT_CASE(.setup = setup, .teardown = rig_teardown, .timeout = 60);

TEST(one_that_stays_what_it_was)
{
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_int_eq(s.proof.recheck, JOB_RECHECK_DONE);
	ck_assert_uint_eq(s.proof.rechecked, REGIONS);
	ck_assert_uint_eq(s.proof.rechecked_bytes, VERIFIED_SIZE);
	ck_assert_uint_eq(s.proof.changed, 0);
	/* It is a part of the time that the proof takes. */
	ck_assert_uint_eq(s.pass_count, 5);
	ck_assert_int_eq(s.passes[2].kind, PASS_VERIFY);
	ck_assert_int_eq(s.passes[3].kind, PASS_LOOK);
	ck_assert_int_eq(s.passes[4].kind, PASS_RECHECK);
	ck_assert_uint_eq(s.verify_ns, s.passes[2].ns + s.passes[3].ns + s.passes[4].ns);
	rig_check_complete(&rig);
}

/* In whatever region: a sector alone is named. */
TEST_ROWS(a_sector_after_it_was_copied, 5)
{
	static const uint64_t lbas[] = { 0, 2047, 2048, 5000, VERIFIED_SECTORS - 1 };

	lie_after_flush(&rig, &io_threads_backend, change_sector, lbas[_i], 1);
	s = rig_run(&rig);
	check_changed(lbas[_i], 1);
	ck_assert_uint_eq(s.proof.rechecked, REGIONS);
}

/* Of several the region is named. */
TEST(two_sectors_of_a_region)
{
	lie_after_flush(&rig, &io_threads_backend, change_two, 4500, 1);
	s = rig_run(&rig);
	check_changed(4096, 2048);
}

/* Whatever a sick disk gives is taken once. */
TEST_ROWS(a_disk_that_struggles_is_left_alone, 3)
{
	static const struct fault_rule rules[] = {
		{ .kind = FAULT_FAIL, .on = FAULT_READS, .start = 3 * MIB, .length = 512 },
		{ .kind = FAULT_FAIL, .on = FAULT_READS, .start = 3 * MIB, .times = 1 },
		{ .kind = FAULT_DELAY,
		  .on = FAULT_READS,
		  .start = 3 * MIB,
		  .length = 512,
		  .times = 1,
		  .delay_ns = 1200 * MS },
	};

	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	rig_add(&rig, &rules[_i]);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, _i == 0 ? JOB_RESULT_PARTIAL : JOB_RESULT_COMPLETE);
	ck_assert_int_eq(s.proof.recheck, _i == 2 ? JOB_RECHECK_SLOW : JOB_RECHECK_DAMAGED);
	ck_assert_uint_eq(s.proof.rechecked, 0);
	ck_assert_uint_le(fault_script_counts(rig.source_script).bytes_read, VERIFIED_SIZE);
}

static bool is_second_read(const struct io_request *request)
{
	static atomic_ullong bytes;

	return atomic_fetch_add(&bytes, request->length) >= VERIFIED_SIZE;
}

/* The copy itself is complete and verified by then. */
TEST(stopped_while_the_source_is_rechecked)
{
	rig.setup.source_backend = rig_gate(is_second_read);
	rig_start_to_gate(&rig);
	job_stop(rig.job);
	rig_gate_open();
	s = rig_wait(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert_int_eq(s.proof.recheck, JOB_RECHECK_PENDING);
	ck_assert_uint_lt(s.proof.rechecked, REGIONS);
	rig_check_complete(&rig);
}

TEST_ROWS(not_asked_for, 2)
{
	static const enum verify_choice choices[] = { VERIFY_OFF, VERIFY_COMPARE };

	rig.plan->options.verify = choices[_i];
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_int_eq(s.proof.recheck, JOB_RECHECK_NOT_ASKED);
	ck_assert_uint_eq(s.proof.rechecked, 0);
}

TEST(one_that_was_gone)
{
	rig.setup.source_was_gone = true;
	lie_after_flush(&rig, &io_threads_backend, change_sector, 5000, 1);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_int_eq(s.proof.recheck, JOB_RECHECK_WAS_GONE);
}

/* Its digests are still those of before; and when it rests at last, all is copied anew. */
TEST(while_the_copy_was_stopped)
{
	struct map *map;

	map = rig_stop_at(&rig, 3 * MIB);
	change_sector(0, 100);
	rig_load_earlier(&rig);
	s = rig_run(&rig);
	check_changed(100, 1);

	map = rig_load_map(&rig);
	rig.setup.resume = map;
	rig_load_earlier(&rig);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.proof.rechecked, REGIONS);
	change_sector(0, 100); /* back to what the rig knows */
	ck_assert(bit_flip(rig.destination, 100));
	rig_check_complete(&rig);
}

UNIT_CASE(.teardown = whole_teardown, .timeout = 60);

/* As a superblock, when its file system is mounted. */
TEST_ROWS(what_is_held_back_before_it_is_copied, 2)
{
	const uint64_t lba = 2 * MIB / WHOLE_SECTOR + 2;

	whole_prepare(0);
	verify_whole();
	flushes = _i ? 0 : 2;
	lie_after_flush(&rig, &io_threads_backend, change_after_the_copy, lba, 1);
	s = rig_run(&rig);
	check_changed(lba, 1);
	ck_assert(!s.armed);
	ck_assert(is_zero(0) && is_zero(1) && is_zero(lba));
}

TEST(a_whole_disk_that_stays_what_it_was)
{
	whole_prepare(0);
	verify_whole();
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.armed);
	ck_assert_int_eq(s.proof.recheck, JOB_RECHECK_DONE);
	ck_assert_uint_gt(s.proof.rechecked, REGIONS);
	ck_assert_uint_ge(s.proof.rechecked_bytes, s.held_bytes);
	ck_assert_uint_eq(s.passes[0].kind, PASS_BASELINE);
	rig_check_complete(&rig);
}

/* It is another one when it is read for the third time, to be written: the key stays away. */
TEST_ROWS(what_is_held_back_as_it_is_copied, 2)
{
	whole_prepare(0);
	verify_whole();
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	rig_fault(&rig, .kind = FAULT_CORRUPT, .on = FAULT_READS,
		  .start = (uint64_t)_i * WHOLE_SECTOR, .length = WHOLE_SECTOR, .skip = 2,
		  .times = 1);
	s = rig_run(&rig);
	check_changed((uint64_t)_i, 1);
	/* Also where it was written when that was found. */
	ck_assert(!s.armed && is_zero(0) && is_zero(1));
}

/* A baseline that cannot be read is no failure of the copy; nothing is rechecked then. */
TEST(trouble_with_the_baseline)
{
	whole_prepare(0);
	verify_whole();
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .times = 1);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.armed);
	ck_assert_int_eq(s.proof.recheck, JOB_RECHECK_DAMAGED);
	ck_assert_uint_eq(s.proof.rechecked, 0);
	rig_check_complete(&rig);
}

/* What changes is listed, and the copy is finished, tables and all. */
TEST(one_that_is_known_to_change)
{
	whole_prepare(0);
	verify_whole();
	rig.setup.source_in_use = true;
	lie_after_flush(&rig, &io_threads_backend, change_sector, 5000, 1);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.armed);
	ck_assert(s.source_in_use);
	ck_assert_int_eq(s.proof.recheck, JOB_RECHECK_DONE);
	ck_assert_uint_eq(s.proof.changed, 1);
	ck_assert_uint_eq(s.proof.areas, 1);
	ck_assert_uint_gt(s.proof.bytes, 0);
	ck_assert_uint_eq(s.proof.shown, 1);
	ck_assert_int_eq(s.proof.mismatches[0].kind, MISMATCH_SOURCE);
	ck_assert_uint_le(s.proof.mismatches[0].lba, 5000);
	ck_assert(s.proof.complete);
}
