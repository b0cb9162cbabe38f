/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole disks are armed last: also when a copy is stopped, or killed, at any moment. */
#include "unit.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "whole.h"

/* The key goes before anything else is written. */
static void check_nothing_or_whole(void)
{
	if (whole_is_all(SCRIBBLE, 0, WHOLE_SECTOR))
		for (uint64_t at = 0; at < WHOLE_SIZE; at += MIB)
			ck_assert(whole_is_all(SCRIBBLE, at + WHOLE_SECTOR, MIB - WHOLE_SECTOR));
	else if (!whole_is_all(0, 0, WHOLE_SECTOR))
		rig_check_complete(&rig);
}

/* Each of them is much read: a direct read a sector took most of this program's time. */
#define WINDOW (64 * 1024)

/* What a resume relies on: what was wiped, and is not finished, is empty until it is armed; then
 * each sector of it is empty, or has what the source has. */
static void check_record(const struct map *map)
{
	const struct map_held *record = map_held(map);
	char *a = aligned_alloc(4096, WINDOW), *b = aligned_alloc(4096, WINDOW);
	uint64_t window = UINT64_MAX; /* what a and b hold begins there */

	for (size_t i = 0; i < record->wiped.count; i++) {
		struct range r = record->wiped.items[i];

		for (uint64_t lba = r.start; lba < r.start + r.count; lba++) {
			uint64_t at = lba * WHOLE_SECTOR;
			struct map_block block;

			ck_assert(map_at(map, at, &block));
			if (block.status == MAP_FINISHED)
				continue;
			if (window != at / WINDOW * WINDOW) {
				window = at / WINDOW * WINDOW;
				ck_assert_int_eq(pread(rig.destination, a, WINDOW, (off_t)window),
						 WINDOW);
				ck_assert_int_eq(pread(rig.source, b, WINDOW, (off_t)window),
						 WINDOW);
			}
			at -= window;
			ck_assert_msg(a[at] == 0 || (record->arming &&
						     memcmp(a + at, b + at, WHOLE_SECTOR) == 0),
				      "sector %ju is not empty", (uintmax_t)lba);
		}
	}
	free(a);
	free(b);
}

static const enum verify_choice verifying[] = { VERIFY_OFF, VERIFY_DIGEST, VERIFY_COMPARE };

UNIT_CASE(.teardown = whole_teardown, .timeout = 90);

/* Without and with the parts being verified: nothing is armed over what was not. */
TEST_ROWS(stopped_at_any_moment, 3)
{
	struct map *map = NULL;

	rig_seed();
	whole_prepare(_i ? 80 * MIB : 40 * MIB);
	rig.plan->options.verify = verifying[_i];
	for (int stops = 0;; stops++) {
		ck_assert_int_lt(stops, 200);
		rig.setup.resume = map;
		rig.setup.held = &held;
		rig_start(&rig);
		/* The longer it takes, the later: a verification has to end between two stops. */
		usleep((useconds_t)(rand() % (700000 + 20000 * stops)));
		job_stop(rig.job);
		struct job_snapshot s = rig_wait(&rig);

		map = rig_load_map(&rig);
		rig_load_earlier(&rig);
		rig_check(&rig, map);
		check_record(map);
		if (s.result == JOB_RESULT_COMPLETE) {
			ck_assert(s.armed);
			ck_assert_uint_eq(s.proof.verified, _i ? WHOLE_SIZE : 0);
			/* What any part has read is known to all that follow. */
			ck_assert_uint_eq(s.proof.compared,
					  verifying[_i] == VERIFY_COMPARE ? WHOLE_SIZE : 0);
			break;
		}
		ck_assert_int_eq(s.result, JOB_RESULT_STOPPED);
		/* All may be there, and only not looked at yet. */
		ck_assert(!s.armed || s.written == WHOLE_SIZE);
		check_nothing_or_whole();
	}
	rig_check_complete(&rig);
}

/* Also in the middle of wiping and of arming: the rate makes both last. */
TEST_ROWS(killed_at_any_moment, 2)
{
	struct map *map = NULL;

	rig_seed();
	whole_prepare(100 * MIB);
	rig.plan->options.verify = verifying[_i];
	rig.setup.map_interval = 5 * MS;
	for (int round = 0; round < 12; round++) {
		rig.setup.resume = map;
		rig.setup.held = &held;
		rig_run_and_die(&rig, 300000);
		check_nothing_or_whole();
		if (access(rig.map_path, F_OK))
			continue;
		map = rig_load_map(&rig);
		rig_load_earlier(&rig);
		rig_check(&rig, map);
		check_record(map);
	}
	rig.plan->options.rate = 0;
	rig.setup.resume = map;
	rig.setup.held = &held;
	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert_uint_eq(s.proof.verified, _i ? WHOLE_SIZE : 0);
	rig_check_complete(&rig);
}
