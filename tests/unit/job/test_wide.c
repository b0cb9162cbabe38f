/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of more than a chunk, where both ends work inside the call, and errors in them. */
#include "unit.h"

#include "rig.h"

static struct rig rig;

/* Two disks that work inside the call and take 4 MiB at once; chunks have 1 MiB. */
static void prepare_wide(uint64_t size, const struct range *ranges, size_t count,
			 struct plan_options *options, struct io_backend *wide)
{
	options->source_backend = options->destination_backend = BACKEND_URING;
	*wide = io_threads_backend;
	wide->traits |= IO_WIDE;
	rig_new(&rig, size, 512);
	rig_plan(&rig, ranges, count, NULL, options);
	rig_faults(&rig, wide, wide);
	rig.setup.source.max_transfer = rig.setup.destination.max_transfer = 4 * MIB;
	rig.setup.map_path = rig.map_path;
}

UNIT_CASE(.teardown = rig_teardown, .timeout = 60);

TEST_ROWS(pieces_grow_where_both_ends_work_inside_the_call, 3)
{
	/* Up to 29 MiB, and 21 MiB that begin inside a chunk. */
	const struct range ranges[] = { { 0, 59392 }, { 65537, 43007 } };
	struct plan_options options = { 0 };
	struct io_backend wide;

	prepare_wide(60 * MIB + 4096, ranges, _i, &options, &wide);
	struct job_snapshot s = rig_run(&rig);

	rig_check_copied(&rig, &s);
	/* 16 chunks tell that it is so, then four of them make one request. */
	ck_assert_uint_ge(s.source.requests, 16 + 13 / 4);
	ck_assert_uint_le(s.source.requests, 16 + 45 / 4 + 6);
	ck_assert_uint_eq(s.source.requests, s.destination.requests);
}

TEST_ROWS(pieces_do_not_grow_below_a_limit_or_for_digests, 2)
{
	struct plan_options options = { .rate = _i ? 0 : 1000 * MIB };
	struct io_backend wide;

	prepare_wide(40 * MIB, NULL, 0, &options, &wide);
	rig.plan->options.verify = _i ? VERIFY_DIGEST : VERIFY_OFF;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.source.requests, 40 + s.proof.rechecked);
	rig_check_complete(&rig);
}

static void fail_once_at(uint64_t sector, enum fault_direction on)
{
	rig_fault(&rig, .kind = FAULT_FAIL, .on = on, .start = sector * 512, .length = 512,
		  .sense = { .known = true, .key = 3, .asc = 0x11 });
}

/* The last sector but one of a piece of 4 MiB: behind all that one chunk's buffer and bits hold. */
TEST_ROWS(a_large_piece_that_cannot_be_read_is_searched, 2)
{
	const uint64_t bad = 28 * MIB / 512 - 2;
	struct plan_options options = { .on_error = _i ? ON_ERROR_MAP : ON_ERROR_STOP };
	struct map_block block;
	struct io_backend wide;

	prepare_wide(40 * MIB, NULL, 0, &options, &wide);
	fail_once_at(bad, FAULT_READS);
	struct job_snapshot s = rig_run(&rig);

	ck_assert_int_eq(s.result, _i ? JOB_RESULT_PARTIAL : JOB_RESULT_STOPPED);
	ck_assert_uint_eq(s.bad_bytes, 512);
	ck_assert_uint_eq(s.bad[0].lba, bad);
	struct map *map = rig_load_map(&rig);

	ck_assert(map_next(map, 0, MAP_BAD, &block));
	ck_assert_uint_eq(block.start, bad * 512);
	ck_assert_uint_eq(block.size, 512);
	ck_assert_uint_ge(map_bytes(map, MAP_FINISHED), bad * 512);
	rig_check(&rig, map);
}

TEST(a_large_piece_that_cannot_be_written_is_searched)
{
	const uint64_t bad = 28 * MIB / 512 - 2;
	struct plan_options options = { 0 };
	struct io_backend wide;

	prepare_wide(40 * MIB, NULL, 0, &options, &wide);
	fail_once_at(bad, FAULT_WRITES);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_FAILED);

	ck_assert_uint_eq(s.error.lba, bad);
	ck_assert_uint_eq(s.written, bad * 512);
}
