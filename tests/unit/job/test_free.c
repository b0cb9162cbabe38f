/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Free places are copied last, or left out and then cleared, discarded, or left as they were. */
#include "unit.h"

#include <string.h>
#include <unistd.h>

#include "plan/held.h"
#include "rig.h"

#define SECTOR   512
#define SIZE     (24 * MIB)
#define SCRIBBLE '\xa5' /* what the rig puts on a destination */

static struct rig rig;
static struct plan_options options;
static struct io_backend plain; /* of a disk that clears nothing by itself */

/* Three free places: one in the middle, one of a single sector's neighbourhood, one to the end. */
static const struct range places[] = {
	{ 4 * MIB / SECTOR, 6 * MIB / SECTOR },
	{ 12 * MIB / SECTOR, 64 },
	{ 20 * MIB / SECTOR, 4 * MIB / SECTOR },
};

#define PLACES 3
#define FREE   (10 * MIB + 64 * SECTOR)

static void setup(void)
{
	options = PLAN_OPTIONS_DEFAULT;
	plain = io_threads_backend;
	plain.traits &= ~(unsigned)IO_CLEARS;
	rig_new(&rig, SIZE, SECTOR);
	rig.verified = true;
}

static void prepare(bool only, enum free_choice choice)
{
	options.free = choice;
	for (int i = 0; i < PLACES; i++)
		ck_assert_int_eq(
			range_list_add(only ? &rig.free_places.left_out : &rig.free_places.later,
				       places[i]),
			0);
	rig_plan(&rig, NULL, 0, NULL, &options);
	rig.setup.map_path = rig.map_path;
}

/* All bytes of the free places on the destination are this one. */
static bool free_are(char value)
{
	char *buffer = aligned_alloc(4096, MIB);
	bool same = true;

	for (int i = 0; i < PLACES; i++)
		for (uint64_t at = 0; at < places[i].count * SECTOR; at += MIB) {
			uint64_t left = places[i].count * SECTOR - at;
			uint64_t n = left < MIB ? left : MIB;

			ck_assert_int_eq(pread(rig.destination, buffer, n,
					       (off_t)(places[i].start * SECTOR + at)),
					 (ssize_t)n);
			for (uint64_t b = 0; b < n; b++)
				same = same && buffer[b] == value;
		}
	free(buffer);
	return same;
}

static int place_of(const struct job_snapshot *s, enum pass_kind kind)
{
	for (unsigned i = 0; i < s->pass_count; i++)
		if (s->passes[i].kind == kind)
			return (int)i;
	return -1;
}

UNIT_CASE(.setup = setup, .teardown = rig_teardown, .timeout = 60);

TEST(first_is_a_whole_copy)
{
	prepare(false, FREE_ZERO);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.written, SIZE);
	ck_assert_int_eq(place_of(&s, PASS_COPY), 0);
	ck_assert_int_eq(place_of(&s, PASS_COPY_FREE), 1);
	ck_assert_uint_eq(s.passes[0].done, SIZE - FREE);
	ck_assert_uint_eq(s.passes[1].done, FREE);
	ck_assert_int_eq(place_of(&s, PASS_CLEAR), -1);
	ck_assert_uint_eq(s.free.bytes, 0);
	rig_check_complete(&rig);
}

/* What is used comes off first. */
TEST(first_stopped_has_what_is_used)
{
	struct map *map;
	struct map_block block;

	prepare(false, FREE_ZERO);
	map = rig_stop_at(&rig, SIZE - FREE + MIB);
	for (int i = 0; i < PLACES; i++)
		for (uint64_t at = i ? (places[i - 1].start + places[i - 1].count) * SECTOR : 0;
		     at < places[i].start * SECTOR; at = block.start + block.size) {
			ck_assert(map_at(map, at, &block));
			ck_assert_int_eq(block.status, MAP_FINISHED);
		}
	rig_run_to(&rig, JOB_RESULT_COMPLETE);
	rig_check_complete(&rig);
}

TEST_ROWS(any_end_is_survived, 8)
{
	bool only = _i % 2;

	rig_seed();
	options.rate = 64 * MIB;
	prepare(only, FREE_ZERO);
	if (only)
		rig.setup.destination_backend = &plain;
	rig.setup.map_interval = 20 * MS;
	rig_run_and_die(&rig, 400000);
	rig.plan->options.rate = 0;
	if (access(rig.map_path, F_OK) == 0)
		rig.setup.resume = rig_load_map(&rig);
	rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(!only || free_are(0));
	rig_check_complete(&rig);
}

/* The last read is the one that fails. */
TEST(first_reads_a_bad_free_place_last)
{
	const uint64_t bad = places[0].start * SECTOR + 8192;

	prepare(false, FREE_ZERO);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = bad, .length = SECTOR);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_PARTIAL);

	ck_assert_uint_eq(s.bad_bytes, SECTOR);
	ck_assert_uint_eq(s.passes[place_of(&s, PASS_COPY)].errors, 0);
	ck_assert_int_gt(place_of(&s, PASS_TRIM), place_of(&s, PASS_COPY_FREE));
}

TEST_ROWS(only_zeroes_and_checks, 3)
{
	prepare(true, FREE_ZERO);
	if (_i) /* as a disk that cannot clear by itself */
		rig.setup.destination_backend = &plain;
	if (_i == 2)
		rig.plan->options.verify = VERIFY_COMPARE;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.total, SIZE - FREE);
	ck_assert_uint_eq(s.written, SIZE - FREE);
	ck_assert_uint_eq(s.free.bytes, FREE);
	ck_assert_uint_eq(s.free.areas, PLACES);
	ck_assert_uint_eq(s.free.cleared, FREE);
	ck_assert(s.free.checked);
	ck_assert_uint_gt(s.free.checked_bytes, 0);
	ck_assert_uint_eq(s.free.wrong_bytes, 0);
	ck_assert_int_ge(place_of(&s, PASS_CLEAR), 0);
	ck_assert_int_gt(place_of(&s, PASS_CLEAR_CHECK), place_of(&s, PASS_VERIFY));
	ck_assert(free_are(0));
	rig_check_complete(&rig);
}

TEST(only_can_leave_them)
{
	prepare(true, FREE_LEAVE);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.free.bytes, FREE);
	ck_assert_uint_eq(s.free.cleared, 0);
	ck_assert_int_eq(place_of(&s, PASS_CLEAR), -1);
	ck_assert(free_are(SCRIBBLE));
	rig_check_complete(&rig);
}

TEST_ROWS(only_can_discard_them, 2)
{
	prepare(true, FREE_DISCARD);
	if (_i)
		rig.setup.destination_backend = &plain;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.free.cleared, _i ? 0 : FREE);
	ck_assert(s.free.cannot == (_i == 1));
	ck_assert(!s.free.checked);
	ck_assert(free_are(_i ? SCRIBBLE : 0));
	rig_check_complete(&rig);
}

/* What would make the copy look like something else goes in any case. */
TEST(old_signatures_do_not_stay)
{
	const struct range signature = { places[0].start + 16, 8 };
	struct held held = { 0 };
	_Alignas(4096) char found[8 * SECTOR];

	prepare(true, FREE_LEAVE);
	ck_assert_int_eq(range_list_add(&held.areas, (struct range){ 0, 8 }), 0);
	ck_assert_int_eq(range_list_add(&held.key[0], (struct range){ 0, 1 }), 0);
	ck_assert_int_eq(range_list_add(&held.found, signature), 0);
	rig.setup.held = &held;
	rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_int_eq(
		pread(rig.destination, found, sizeof(found), (off_t)signature.start * SECTOR),
		sizeof(found));
	for (size_t i = 0; i < sizeof(found); i++)
		ck_assert_int_eq(found[i], 0);
	ck_assert(!free_are(0) && !free_are(SCRIBBLE));
	rig_check_complete(&rig);
	held_done(&held);
}

/* Not one read of it. */
TEST(only_does_not_read_a_bad_free_place)
{
	prepare(true, FREE_ZERO);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = places[0].start * SECTOR,
		  .length = places[0].count * SECTOR);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.errors, 0);
	ck_assert(free_are(0));
}

/* What was cleared before is not cleared again; what was not, is. */
TEST(a_resume_clears_on)
{
	struct map *map;

	prepare(true, FREE_ZERO);
	map = rig_new_map(&rig);
	map_set_cleared(map, places[0].start + places[0].count);
	rig.setup.resume = map;
	/* Resumed without the destination's zeros, so that it shows where it began. */
	rig.plan->options.verify = VERIFY_OFF;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.passes[place_of(&s, PASS_CLEAR)].done, FREE - places[0].count * SECTOR);
	ck_assert(!free_are(0) && !free_are(SCRIBBLE));
	ck_assert_int_eq(place_of(&s, PASS_CLEAR_CHECK), -1);
}

TEST(zeros_that_do_not_stay_are_found)
{
	struct map *map;

	prepare(true, FREE_ZERO);
	/* As if it had been cleared: the scribble is still there. */
	map = rig_new_map(&rig);
	map_set_cleared(map, SIZE / SECTOR);
	rig.setup.resume = map;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_MISMATCH);

	ck_assert_uint_gt(s.free.wrong_bytes, 0);
	rig.setup.resume = rig_load_map(&rig);
	ck_assert_uint_eq(map_held(rig.setup.resume)->cleared, 0);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(free_are(0));
}
