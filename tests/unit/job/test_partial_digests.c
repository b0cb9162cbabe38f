/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests of what was read, in their file: for the next part of a copy, and for years later. */
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "map/map_plan.h"
#include "map/recorded_copy.h"
#include "verified.h"
#include "digest/list.h"

static struct rig rig;

static void setup(void)
{
	verified_new(&rig);
}

/* Stops a copy in its middle; the map of then, and the digests in rig.setup. */
static struct map *stop_at(struct map *resume, uint64_t written)
{
	struct map *map;

	rig.setup.resume = resume;
	map = rig_stop_at(&rig, written);
	rig_load_earlier(&rig);
	return map;
}

static void read_earlier(struct recorded_copy *ret)
{
	char path[PATH_MAX];
	struct error error = { 0 };

	partial_digests_path(rig.map_path, path);
	ck_assert_msg(recorded_copy_load(path, ret, &error) == 0, "%s", error.sentence);
}

UNIT_CASE(.setup = setup, .teardown = rig_teardown, .timeout = 60);

TEST(digests_outlive_a_stop)
{
	struct job_snapshot s;
	struct map *map;

	verified_plan(&rig, VERIFY_DIGEST, false);
	map = stop_at(NULL, VERIFIED_SIZE / 2);
	ck_assert_ptr_nonnull(rig.setup.earlier);
	rig.setup.resume = map;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.compared, 0);
	ck_assert_uint_eq(s.read - s.proof.rechecked_bytes, VERIFIED_SIZE - s.already);
	rig_check_complete(&rig);
}

/* A crash between the saving of the two: one of them is older. Loops: the digests, the map. What
 * is not of both is compared with the source, and nothing is called wrong. */
TEST_ROWS(digests_and_map_of_different_times, 2)
{
	struct map *first, *second;
	struct recorded_copy old = { 0 };
	struct job_snapshot s;

	verified_plan(&rig, VERIFY_DIGEST, false);
	first = stop_at(NULL, VERIFIED_SIZE / 4);
	read_earlier(&old);
	second = stop_at(first, VERIFIED_SIZE * 3 / 4);
	rig.setup.resume = _i ? first : second;
	rig.setup.earlier = _i ? &rig.earlier : &old;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.proof.complete);
	ck_assert_uint_eq(s.proof.verified, VERIFIED_SIZE);
	rig_check_complete(&rig);
	recorded_copy_done(&old);
}

/* Identities that show only their end; the number stays that of the plan. A map is never so. */
TEST(masked_digests)
{
	struct plan masked;
	struct recorded_copy first, again;
	char path[PATH_MAX], id[9];
	struct error error = { 0 };

	verified_plan(&rig, VERIFY_DIGEST, false);
	stop_at(NULL, VERIFIED_SIZE / 2);
	read_earlier(&first);
	masked = *rig.plan;
	strcpy(masked.source.identity.serial, "***");
	partial_digests_path(rig.map_path, path);
	ck_assert_int_eq(partial_digests_save(first.digests, &masked, first.id, first.map, path,
					      NULL, &error),
			 0);
	read_earlier(&again);
	ck_assert(!first.masked && again.masked);
	ck_assert_str_eq(again.id, plan_id(rig.plan, id));
	ck_assert_str_eq(again.plan->source.identity.serial, "***");
	ck_assert_uint_eq(map_bytes(again.map, MAP_FINISHED), map_bytes(first.map, MAP_FINISHED));
	recorded_copy_done(&again);
	recorded_copy_done(&first);

	FILE *file = fopen(rig.map_path, "ae");

	ck_assert_ptr_nonnull(file);
	fputs("# clonedeck masked=yes\n", file);
	fclose(file);

	struct map *map;

	ck_assert_int_lt(map_load(rig.map_path, &map, NULL, &error), 0);
}

/* As at the start of a copy: those that an earlier one has left beside its map are nobody's. */
TEST(a_list_of_nothing_is_no_file)
{
	struct digests *none = NULL;
	struct map *map = NULL;
	char path[PATH_MAX];

	verified_plan(&rig, VERIFY_DIGEST, false);
	stop_at(NULL, VERIFIED_SIZE / 2);
	partial_digests_path(rig.map_path, path);
	ck_assert_int_eq(access(path, F_OK), 0);
	map = rig_new_map(&rig);
	ck_assert_int_eq(digests_new(rig.plan, MIB, &none), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(partial_digests_save(none, rig.plan, NULL, map, path, NULL, NULL),
				 0);
		ck_assert_int_eq(access(path, F_OK), -1);
	}
	digests_destroy(none);
}

TEST(the_list_lies_beside_the_map)
{
	char path[PATH_MAX], name[PATH_MAX];

	partial_digests_path("/log/a.map", path);
	ck_assert_str_eq(path, "/log/a.digests");
	partial_digests_path("/log/a", path);
	ck_assert_str_eq(path, "/log/a.digests");
	partial_digests_path("/log/.map", path);
	ck_assert_str_eq(path, "/log/.map.digests");
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	partial_digests_path(name, path);
	ck_assert_str_eq(path, "");
}

static int any_line(void *user, const char *line, const char **retwhy)
{
	return map_plan_read_line(user, line, retwhy);
}

TEST(the_list_of_digests_outlives_the_source)
{
	char path[160];
	struct map_plan_reader *reader = map_plan_reader_new(NULL);
	struct digest_list list;
	struct digests *digests = NULL;
	CLEANUP(plan) struct plan *back = NULL;
	struct error error = { 0 };
	char a[9], b[9];
	struct job_snapshot s;

	snprintf(path, sizeof(path), "%s/digests", rig.dir);
	verified_plan(&rig, VERIFY_DIGEST, false);
	rig.setup.digests_path = path;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert(s.digests_saved);
	ck_assert_msg(digest_list_load(path, any_line, reader, &list, &error) == 0, "%s",
		      error.sentence);
	ck_assert_msg(map_plan_finish(reader, path, &back, &error) == 0, "%s", error.sentence);
	ck_assert_str_eq(plan_id(back, a), plan_id(rig.plan, b));
	ck_assert_msg(digests_fill(&list, back, path, &digests, &error) == 0, "%s", error.sentence);
	ck_assert_uint_eq(digests_count(digests), VERIFIED_SIZE / MIB);
	digests_destroy(digests);
	digest_list_done(&list);
	map_plan_reader_destroy(reader);
}
