/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source that is lost before it was copied: its tables are on the medium all the
 * same, as they were saved beside the map, and what was not read stays open.
 */
#include "unit.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "map/saved_tables.h"
#include "whole.h"

#define STOP (5 * MIB)

static bool tables_are_kept(void)
{
	char path[PATH_MAX];

	saved_tables_path(rig.map_path, path);
	return access(path, F_OK) == 0;
}

static void forget_tables(void)
{
	char path[PATH_MAX];

	saved_tables_path(rig.map_path, path);
	ck_assert_int_eq(unlink(path), 0);
}

/* The map of a copy that was stopped, and a job to go on from it without its source. */
static struct map *lose_source(enum verify_choice verify)
{
	struct map *map;

	whole_prepare(0);
	rig.plan->options.verify = verify;
	map = rig_stop_at(&rig, STOP);
	ck_assert(tables_are_kept());
	rig_load_earlier(&rig);
	rig.setup.held = &held;
	rig.setup.source_gone = rig.setup.source_was_gone = true;
	return map;
}

static bool same_on_both(struct range sectors)
{
	static char a[MIB], b[MIB];
	size_t length = sectors.count * WHOLE_SECTOR;
	off_t at = (off_t)(sectors.start * WHOLE_SECTOR);

	ck_assert_uint_le(length, sizeof(a));
	ck_assert_int_eq(pread(rig.source, a, length, at), (ssize_t)length);
	ck_assert_int_eq(pread(rig.destination, b, length, at), (ssize_t)length);
	return memcmp(a, b, length) == 0;
}

static void check_held_is_there(void)
{
	for (size_t i = 0; i < held.areas.count; i++)
		for (uint64_t n = 0; n < held.areas.items[i].count; n += 8)
			ck_assert(same_on_both((struct range){ held.areas.items[i].start + n, 1 }));
}

/* Not finished in the map, and in no held area; what was wiped of an old table is zeros. */
static void check_rest_is(const struct map *map, char value)
{
	struct map_block block;
	uint64_t seen = 0;

	for (uint64_t pos = 0; map_next(map, pos, MAP_NON_TRIED, &block);
	     pos = block.start + block.size) {
		for (uint64_t at = 0; at < block.size; at += WHOLE_SECTOR)
			if (whole_is_all(value, block.start + at, WHOLE_SECTOR))
				seen += WHOLE_SECTOR;
			else
				ck_assert(whole_is_all(0, block.start + at, WHOLE_SECTOR));
	}
	ck_assert_uint_gt(seen, MIB);
}

UNIT_CASE(.teardown = whole_teardown, .timeout = 90);

/* Loops: with the digests of the first part, and without; then what it copied cannot be proven. */
TEST_ROWS(it_leaves_its_tables, 2)
{
	struct map *before = lose_source(VERIFY_DIGEST), *after;
	struct job_snapshot s;

	if (_i)
		rig_forget_earlier(&rig);
	s = rig_run(&rig);
	after = rig_load_map(&rig);
	ck_assert_msg(s.result == JOB_RESULT_STOPPED, "%d %s", s.result, s.error.sentence);
	ck_assert(s.armed);
	ck_assert_uint_eq(s.bad_bytes, 0);
	ck_assert_uint_eq(s.held_from_memory, s.held_bytes);
	ck_assert_uint_eq(map_bytes(after, MAP_FINISHED),
			  map_bytes(before, MAP_FINISHED) + s.held_bytes);
	ck_assert((s.proof.unknown > 0) == (_i == 1));
	check_held_is_there();
	check_rest_is(after, 0);
	ck_assert(tables_are_kept());
}

/* The map goes to another place while it is gone. */
TEST(its_tables_go_where_the_map_goes)
{
	char other[160], path[PATH_MAX];

	lose_source(VERIFY_DIGEST);
	snprintf(other, sizeof(other), "%s/other.map", rig.dir);
	saved_tables_path(other, path);
	rig.plan->options.rate = KIB;
	rig_start(&rig);
	ck_assert_int_eq(job_set_map_path(rig.job, other, 0, NULL), 0);
	job_set_rate(rig.job, 0);
	ck_assert_int_eq(rig_wait(&rig).result, JOB_RESULT_STOPPED);
	ck_assert_int_eq(access(other, F_OK), 0);
	ck_assert_int_eq(access(path, F_OK), 0);
}

TEST(it_comes_back_after_all)
{
	struct map *map = lose_source(VERIFY_DIGEST);

	rig_run_to(&rig, JOB_RESULT_STOPPED);
	map = rig_load_map(&rig);
	rig.setup.source_gone = rig.setup.source_was_gone = false;
	rig.setup.resume = map;
	rig.setup.held = &held;
	rig_load_earlier(&rig);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.proof.verified, WHOLE_SIZE);
	rig_check_complete(&rig);
	ck_assert(!tables_are_kept());
}

/* All but its first sector, which comes last; that was read at the start, too. */
TEST(it_was_read_to_its_end)
{
	struct map *map;

	whole_prepare(0);
	rig.plan->options.verify = VERIFY_DIGEST;
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_WRITES, .length = WHOLE_SECTOR, .skip = 1,
		  .code = -ENODEV);
	rig_run_to(&rig, JOB_RESULT_FAILED);
	rig_drop_job(&rig);
	rig_heal(&rig);
	rig.setup.source_backend = NULL;
	map = rig_load_map(&rig);
	rig.setup.resume = map;
	rig.setup.held = &held;
	rig_load_earlier(&rig);
	rig.setup.source_gone = rig.setup.source_was_gone = true;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert(s.armed);
	rig_check_complete(&rig);
}

TEST(what_was_not_read_may_stay_as_it_is)
{
	lose_source(VERIFY_DIGEST);
	rig.plan->options.fill = FILL_LEAVE;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_STOPPED);

	ck_assert(s.armed);
	check_held_is_there();
	check_rest_is(rig_load_map(&rig), SCRIBBLE);
}

TEST(nothing_was_saved)
{
	lose_source(VERIFY_DIGEST);
	forget_tables();
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_STOPPED);

	ck_assert(!s.armed);
	ck_assert(whole_is_all(0, 0, WHOLE_SECTOR));
}

/* A destination that was changed meanwhile gets no tables. */
TEST(what_differs_gets_none)
{
	static char sector[WHOLE_SECTOR];
	const off_t at = 4 * MIB;

	lose_source(VERIFY_DIGEST);
	memset(sector, 7, sizeof(sector));
	ck_assert_int_eq(pwrite(rig.destination, sector, sizeof(sector), at), WHOLE_SECTOR);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_MISMATCH);

	ck_assert(!s.armed);
	ck_assert(whole_is_all(0, 0, WHOLE_SECTOR));
}
