/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies that are probed and not verified: some places are looked at after the flush. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake/fault.h"
#include "liar.h"
#include "whole.h"

#define PAGE  4096U
#define PLACE (12 * MIB) /* of a spot check, and of data */

static bool is_copied(int fd, unsigned char *page)
{
	unsigned char *right = aligned_alloc(PAGE, PAGE);
	bool same;

	ck_assert_int_eq(pread(rig.source, right, PAGE, (off_t)PLACE), PAGE);
	ck_assert_int_eq(pread(fd, page, PAGE, (off_t)PLACE), PAGE);
	same = memcmp(right, page, PAGE) == 0;
	free(right);
	return same;
}

/* What was copied to PLACE is gone; not before it is there. */
static bool forget(int fd, uint64_t lba)
{
	unsigned char *page = aligned_alloc(PAGE, PAGE);
	bool there = is_copied(fd, page);

	(void)lba;
	memset(page, 0x5a, PAGE);
	if (there)
		ck_assert_int_eq(pwrite(fd, page, PAGE, (off_t)PLACE), PAGE);
	free(page);
	return there;
}

static void prepare(int lies)
{
	whole_prepare(0);
	rig.setup.probe = true;
	lie_after_flush(&rig, &io_threads_backend, forget, PLACE / WHOLE_SECTOR, lies);
}

/* After the first flush of all data. */
static bool looked_at(const struct job_snapshot *s)
{
	bool flushed = false;

	for (unsigned i = 0; i < s->pass_count; i++) {
		flushed = flushed || s->passes[i].kind == PASS_FLUSH;
		if (flushed && s->passes[i].kind == PASS_PROBE)
			return true;
	}
	return false;
}

START_TEST(an_honest_disk_is_looked_at)
{
	struct job_snapshot s;

	prepare(0);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert(looked_at(&s) && s.armed);
	ck_assert(!s.proof.asked && s.proof.verified == 0);
	ck_assert_uint_eq(s.read, WHOLE_SIZE);
	rig_check_complete(&rig);
}
END_TEST

/* Never armed; what is not there is copied again when the copy is resumed. */
START_TEST(a_disk_that_forgets_is_found_after_the_flush)
{
	struct job_snapshot s;
	struct map *map;

	prepare(1);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_FAILED);
	ck_assert_int_eq(s.error.class, ERROR_CLASS_DESTINATION);
	ck_assert_msg(strstr(s.error.sentence, "does not keep") != NULL, "%s", s.error.sentence);
	ck_assert(looked_at(&s) && !s.armed);
	map = rig_load_map(&rig);
	rig.setup.resume = map;
	rig.setup.held = &held;
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	rig_check_complete(&rig);
	map_destroy(map);
}
END_TEST

/* What could not be read belongs to no place that is looked at. */
START_TEST(bad_sectors_are_no_lies)
{
	const struct fault_rule rule = {
		.kind = FAULT_FAIL,
		.on = FAULT_READS,
		.start = PLACE + 512,
		.length = 512,
	};
	struct job_snapshot s;

	prepare(0);
	rig_faults(&rig, &io_threads_backend, &io_threads_backend);
	rig_add(&rig, &rule);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert(looked_at(&s));
	ck_assert_uint_eq(s.bad_bytes, 512);
}
END_TEST

START_TEST(what_is_verified_needs_no_such_look)
{
	struct job_snapshot s;

	prepare(0);
	rig.plan->options.verify = VERIFY_DIGEST;
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete && !looked_at(&s));
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("spot");
	TCase *tcase = tcase_create("spot");

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, NULL, whole_teardown);
	tcase_add_test(tcase, an_honest_disk_is_looked_at);
	tcase_add_test(tcase, a_disk_that_forgets_is_found_after_the_flush);
	tcase_add_test(tcase, bad_sectors_are_no_lies);
	tcase_add_test(tcase, what_is_verified_needs_no_such_look);
	suite_add_tcase(suite, tcase);
	return suite;
}
