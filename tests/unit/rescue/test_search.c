/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is the destination as large as it says? Asked before anything is copied to it. */
#include "unit.h"

#include <string.h>

#include "job/whole.h"

UNIT_CASE(.teardown = whole_teardown, .timeout = 90);

TEST(an_honest_disk_is_probed_and_copied)
{
	whole_prepare(0);
	rig.setup.probe = true;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.passes[1].kind, PASS_PROBE);
	ck_assert_uint_eq(s.passes[2].kind, PASS_WIPE);
	rig_check_complete(&rig);
}

static void expect_found_out(const struct fault_rule *rule, const char *text)
{
	whole_prepare(0);
	rig.setup.probe = true;
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	ck_assert_int_ge(fault_script_add(rig.destination_script, rule), 0);
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_FAILED);

	ck_assert_int_eq(s.error.class, ERROR_CLASS_DESTINATION);
	ck_assert_msg(strstr(s.error.sentence, text) != NULL, "%s", s.error.sentence);
	ck_assert_uint_eq(s.written, 0);
	ck_assert_uint_eq(s.read, s.held_bytes);
	ck_assert_uint_eq(s.pass_count, 2 + (s.passes[s.pass_count - 1].kind == PASS_FLUSH));
	ck_assert_uint_lt(fault_script_counts(rig.destination_script).bytes_written, 5 * MIB);
}

TEST_ROWS(a_disk_whose_addresses_wrap, 4)
{
	expect_found_out(&(struct fault_rule){ .kind = FAULT_WRAP, .wrap = MIB << _i }, "about");
}

TEST(a_disk_that_loses_its_upper_half)
{
	expect_found_out(
		&(struct fault_rule){ .kind = FAULT_LOSE, .on = FAULT_WRITES, .start = 8 * MIB },
		"about 8");
}

TEST(a_disk_that_keeps_nothing)
{
	expect_found_out(&(struct fault_rule){ .kind = FAULT_LOSE, .on = FAULT_WRITES },
			 "does not keep");
}

TEST(a_disk_that_ends_early_with_an_error)
{
	expect_found_out(
		&(struct fault_rule){ .kind = FAULT_FAIL, .on = FAULT_WRITES, .start = 12 * MIB },
		rig.destination_path);
}

/* The probe of a copy that goes on leaves alone what is there. */
TEST(a_resumed_copy_is_probed_beside_what_it_has)
{
	struct map *map;

	whole_prepare(0);
	map = rig_stop_at(&rig, 4 * MIB);
	rig.setup.held = &held;
	rig.setup.probe = true;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.passes[1].kind, PASS_PROBE);
	ck_assert_uint_eq(s.already, map_bytes(map, MAP_FINISHED));
	rig_check_complete(&rig);
}
